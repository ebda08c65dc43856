/** How the screen may be written to: colours, symbols and width, decided once from the stream, environment and flags; and text within that width. */
import { Chalk } from 'chalk';
import { padText, printable, textWidth } from '../../domain/printable.ts';
import { asTyped, type CommandLines, keptTogether, spaced } from '../command-line.ts';

export type Paint = (text: string) => string;

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
  readonly symbols: Readonly<Record<keyof typeof SYMBOLS, string>>;
  /** A command line as its reader types it: `npx helpdesk-import …` where npm runs it. */
  readonly command: Paint;
  /** A sentence, to be wrapped, with the commands in it as its reader types them and with what makes them about the same import. */
  readonly typed: Paint;
}

/** Each with its form where there is ASCII only. */
const SYMBOLS = {
  tick: ['✓', '+'],
  cross: ['✗', 'x'],
  warning: ['!', '!'],
  bullet: ['•', '*'],
  arrow: ['→', '->'],
  times: ['×', 'x'],
  box: ['☐', '[ ]'],
  ellipsis: ['…', '...'],
  separator: ['·', '|'],
  barFull: ['━', '#'],
  barEmpty: ['─', '.'],
  /** From nothing to full: cells of a small chart. */
  levels: [' ▏▎▍▌▋▊▉█', ' #'],
  spinner: ['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '-\\|/'],
} as const;

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
  const color = wantsColor(stream, env);
  // The 16 colours of the palette: they follow the terminal's own theme, light or dark.
  const { bold, dim, red, green, yellow, cyan } = new Chalk({ level: color ? 1 : 0 });
  return {
    ...{ color, bold, dim, red, green, yellow, cyan },
    width: widthOf(stream, env),
    symbols: Object.fromEntries(
      Object.entries(SYMBOLS).map(([name, [unicode, ascii]]) => [name, hasUnicode(env) ? unicode : ascii]),
    ) as Style['symbols'],
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
  return !env['NO_COLOR'] && env['TERM'] !== 'dumb' && stream.isTTY === true;
}

/** The Linux console and the C locale have no symbols beyond ASCII; everything else of this century has. */
function hasUnicode(env: StyleInputs['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return env['TERM'] !== 'linux' && !/^(C|POSIX)$/i.test(locale);
}

interface Wrapped {
  /** Columns before the first line; later lines begin below its text. */
  readonly indent?: number;
  /** Before the first line, e.g. an arrow. */
  readonly lead?: string;
  readonly paintLead?: Paint;
  readonly paint?: Paint;
}

/** Lines of one paragraph. A word that is longer than the line is not cut: it may be a path or a command. */
export function wrap(text: string, style: Style, block: Wrapped = {}): string[] {
  const { indent = 0, lead = '', paintLead = same, paint = same } = block;
  const margin = indent + textWidth(lead);
  const room = Math.max(20, widestText(style) - margin);
  const lines: string[] = [];
  for (const word of text.split(/[ \t\r\n]+/)) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(line) + 1 + textWidth(word) <= room)
      lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map(
    (line, index) =>
      (index === 0 ? `${' '.repeat(indent)}${paintLead(lead)}` : ' '.repeat(margin)) + paint(spaced(line)),
  );
}

/** Columns that text takes at most: longer lines are hard to read. */
export function widestText({ width }: Style): number {
  return Math.min(width, 110);
}

interface FactLine {
  readonly label: string;
  readonly text: string;
  readonly paint?: Paint;
}

/** Labels in a column, and behind each its text, which is broken rather than cut: it may be a path or a count. */
export function factLines(facts: readonly FactLine[], style: Style, indent = 2): string[] {
  const widest = Math.max(0, ...facts.map(({ label }) => textWidth(label)));
  return facts.flatMap(({ label, text, paint = same }) =>
    wrap(printable(text), style, { indent, lead: `${padText(label, widest)}  `, paint }),
  );
}

export function same(text: string): string {
  return text;
}
