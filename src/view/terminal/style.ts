/** How to write to the screen: colours, symbols and width, from stream, environment and flags. */
import { Chalk } from 'chalk';
import { padText, printable, textWidth } from '../../domain/printable.ts';
import { type CommandLines, unmarked } from '../command-line.ts';

export type Paint = (text: string) => string;

export interface Style {
  readonly color: boolean;
  /** Lines are kept within so many columns. */
  readonly width: number;
  /** Columns of the terminal; infinite without one. */
  readonly columns: number;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
  readonly symbols: Readonly<Record<keyof typeof SYMBOLS, string>>;
  /** A sentence with its commands completed. */
  readonly typed: Paint;
}

const SYMBOLS = {
  tick: ['✓', '+'],
  cross: ['✗', 'x'],
  warning: ['!', '!'],
  bullet: ['•', '*'],
  arrow: ['→', '->'],
  times: ['×', 'x'],
  ellipsis: ['…', '...'],
  separator: ['·', '|'],
  barFull: ['━', '#'],
  barEmpty: ['─', '.'],
  spinner: ['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '-\\|/'],
} as const;

export interface StyleInputs {
  readonly stream: { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly commands?: CommandLines | undefined;
}

/** Long enough that no log breaks lines, short enough to read. */
const WIDTH_OF_FILES = 100;
const NARROWEST = 40;

export function createStyle({ stream, env, commands }: StyleInputs): Style {
  const color = wantsColor(stream, env);
  // The 16 palette colours follow the terminal's theme.
  const { bold, dim, red, green, yellow, cyan } = new Chalk({ level: color ? 1 : 0 });
  return {
    ...{ color, bold, dim, red, green, yellow, cyan },
    width: widthOf(stream, env),
    columns: columnsOf(stream, env) ?? Number.POSITIVE_INFINITY,
    symbols: Object.fromEntries(
      Object.entries(SYMBOLS).map(([name, [unicode, ascii]]) => [name, hasUnicode(env) ? unicode : ascii]),
    ) as Style['symbols'],
    typed: (text) => unmarked(commands?.complete(text) ?? text, KEPT_SPACE),
  };
}

export function widthOf(stream: StyleInputs['stream'], env: StyleInputs['env'] = {}): number {
  return Math.max(NARROWEST, columnsOf(stream, env) ?? WIDTH_OF_FILES);
}

function columnsOf({ columns }: StyleInputs['stream'], env: StyleInputs['env']): number | undefined {
  return columns || Number(env['COLUMNS']) || undefined;
}

/** FORCE_COLOR goes before NO_COLOR, as in Node. */
function wantsColor(stream: StyleInputs['stream'], env: StyleInputs['env']): boolean {
  const force = env['FORCE_COLOR'] || undefined;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return !env['NO_COLOR'] && env['TERM'] !== 'dumb' && stream.isTTY === true;
}

/** The Linux console and the C locale have only ASCII. */
function hasUnicode(env: StyleInputs['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return env['TERM'] !== 'linux' && !/^(C|POSIX)$/i.test(locale);
}

interface Wrapped {
  readonly indent?: number;
  readonly lead?: string;
  readonly paintLead?: Paint;
  readonly paint?: Paint;
}

/** The words of a command stay on one line if it has room for them. */
const KEPT_SPACE = '\u00a0';

function spaced(line: string): string {
  return line.replaceAll(KEPT_SPACE, ' ');
}

/** From outside, not wrapped. */
export function oneLine(text: string, style: Style): string {
  return spaced(style.typed(printable(text)));
}

/** A long word is not cut: it may be a path or a command. */
export function wrap(text: string, style: Style, block: Wrapped = {}): string[] {
  const { indent = 0, lead = '', paintLead = same, paint = same } = block;
  const margin = indent + textWidth(lead);
  const room = Math.max(8, widestText(style) - margin);
  const lines: string[] = [];
  const words = style
    .typed(text)
    .split(/[ \t\r\n]+/)
    .flatMap((word) => (textWidth(word) > room ? spaced(word).split(' ') : [word]));
  for (const word of words) {
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

export function widestText({ width }: Style): number {
  return Math.min(width, 110);
}

interface FactLine {
  readonly label: string;
  readonly text: string;
  readonly paint?: Paint;
}

/** Texts are broken, not cut. */
export function factLines(facts: readonly FactLine[], style: Style, indent = 2): string[] {
  const widest = Math.max(0, ...facts.map(({ label }) => textWidth(label)));
  return facts.flatMap(({ label, text, paint = same }) =>
    wrap(printable(text), style, { indent, lead: `${padText(label, widest)}  `, paint }),
  );
}

export function same(text: string): string {
  return text;
}
