/** How the screen may be written to: colours, symbols and width, decided once from the stream, environment and flags. */
import { Chalk, type ColorSupportLevel } from 'chalk';
import { asTyped, type CommandLines, keptTogether } from '../command-line.ts';

type Paint = (text: string) => string;

export interface Style {
  readonly color: boolean;
  /** Columns; lines are kept within. */
  readonly width: number;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
  readonly symbols: Symbols;
  /** A command line as its reader types it: `npx helpdesk-import …` where npm runs it. */
  readonly command: Paint;
  /** A sentence, to be wrapped, with the commands in it as its reader types them and with what makes them about the same import. */
  readonly typed: Paint;
}

interface Symbols {
  readonly tick: string;
  readonly cross: string;
  readonly warning: string;
  readonly bullet: string;
  readonly arrow: string;
  readonly times: string;
  readonly box: string;
  readonly ellipsis: string;
  readonly rule: string;
  readonly separator: string;
  readonly barFull: string;
  readonly barEmpty: string;
  /** From nothing to full: cells of a small chart. */
  readonly levels: readonly string[];
  readonly spinner: readonly string[];
}

const UNICODE: Symbols = {
  tick: '✓',
  cross: '✗',
  warning: '!',
  bullet: '•',
  arrow: '→',
  times: '×',
  box: '☐',
  ellipsis: '…',
  rule: '─',
  separator: '·',
  barFull: '━',
  barEmpty: '─',
  levels: [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'],
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

const ASCII: Symbols = {
  tick: '+',
  cross: 'x',
  warning: '!',
  bullet: '*',
  arrow: '->',
  times: 'x',
  box: '[ ]',
  ellipsis: '...',
  rule: '-',
  separator: '|',
  barFull: '#',
  barEmpty: '.',
  levels: [' ', '#'],
  spinner: ['-', '\\', '|', '/'],
};

export interface StyleInputs {
  readonly stream: { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was typed. */
  readonly commands?: CommandLines | undefined;
}

/** Not a terminal: long enough that no log breaks lines, short enough to read. */
const WIDTH_OF_FILES = 100;
const NARROWEST = 40;

export function createStyle({ stream, env, commands }: StyleInputs): Style {
  const colored = wantsColor(stream, env);
  // The 16 colours of the palette: they follow the terminal's own theme, light or dark.
  const level: ColorSupportLevel = colored ? 1 : 0;
  const chalk = new Chalk({ level });
  return {
    color: colored,
    width: widthOf(stream, env),
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    red: (text) => chalk.red(text),
    green: (text) => chalk.green(text),
    yellow: (text) => chalk.yellow(text),
    cyan: (text) => chalk.cyan(text),
    symbols: hasUnicode(env) ? UNICODE : ASCII,
    command: (line) => asTyped(line, env),
    typed: (text) => asTyped(keptTogether(text, commands), env),
  };
}

/** A terminal's width, which may change while the program runs. */
export function widthOf(stream: StyleInputs['stream'], env: StyleInputs['env'] = {}): number {
  const columns = stream.columns ?? Number(env['COLUMNS'] ?? 0);
  return Math.max(NARROWEST, columns > 0 ? columns : WIDTH_OF_FILES);
}

/** FORCE_COLOR goes before NO_COLOR, as in Node itself; then a terminal that can do colours decides. */
function wantsColor(stream: StyleInputs['stream'], env: StyleInputs['env']): boolean {
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  if ((env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true;
}

/** The Linux console and the C locale have no symbols beyond ASCII; everything else of this century has. */
function hasUnicode(env: StyleInputs['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return env['TERM'] !== 'linux' && !/^(C|POSIX)$/i.test(locale);
}
