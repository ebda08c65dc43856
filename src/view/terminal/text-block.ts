/** Paragraphs, facts and small tables on a terminal: broken or shortened to its width. */
import { padText, printable, shorten, textWidth } from '../../domain/printable.ts';
import { spaced } from '../command-line.ts';
import type { Style } from './style.ts';

interface Block {
  /** Columns before the first line; later lines begin below its text. */
  readonly indent?: number;
  /** Stands before the first line, e.g. an arrow. */
  readonly lead?: string;
  readonly paintLead?: (text: string) => string;
  readonly paint?: (text: string) => string;
}

/** Lines of one paragraph. A word that is longer than the line is not cut: it may be a path or a command. */
export function wrap(text: string, style: Style, block: Block = {}): string[] {
  const { indent = 0, lead = '', paintLead = same, paint = same } = block;
  const margin = indent + textWidth(lead);
  const room = Math.max(20, widestText(style) - margin);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/[ \t\r\n]+/)) {
    if (line === '') line = word;
    else if (textWidth(line) + 1 + textWidth(word) <= room) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  return lines
    .map(spaced)
    .map((content, index) =>
      index === 0
        ? `${' '.repeat(indent)}${paintLead(lead)}${paint(content)}`
        : `${' '.repeat(margin)}${paint(content)}`,
    );
}

/** Columns that text takes at most: longer lines are hard to read. */
export function widestText({ width }: Style): number {
  return Math.min(width, 110);
}

export interface Fact {
  readonly label: string;
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** Labels in a column, and behind each its text, which is broken rather than cut: it may be a path or a count. */
export function factLines(facts: readonly Fact[], style: Style, indent = 2): string[] {
  const widest = Math.max(0, ...facts.map(({ label }) => textWidth(label)));
  return facts.flatMap(({ label, text, paint = same }) =>
    wrap(printable(text), style, { indent, lead: `${padText(label, widest)}  `, paint }),
  );
}

const same = (text: string) => text;

/** A heading with a blank line before it. */
export function heading(text: string, style: Style): string[] {
  return ['', style.bold(text)];
}

/** Small tables that fit the terminal: columns as wide as needed, long texts shortened, numbers to the right. */
export interface Column {
  readonly header?: string;
  readonly align?: 'left' | 'right';
  /** May be shortened where the line is too long; columns without it never are. */
  readonly flexible?: boolean;
}

/** A cell's text, and how to colour it once it has its width. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

const GAP = 2;
/** No flexible column gets narrower than this. */
const LEAST = 6;

/** Lines without line ends. Texts are made printable. `indent`: columns before the first cell. */
export function tableLines(
  rows: readonly (readonly Cell[])[],
  columns: readonly Column[],
  style: Style,
  indent = 2,
): string[] {
  const headers = columns.map(({ header = '' }): Cell => ({ text: header, paint: style.dim }));
  const hasHeader = columns.some(({ header }) => header !== undefined);
  const cells = [...(hasHeader ? [headers] : []), ...rows].map((row) =>
    columns.map((_, index) => {
      const cell = row[index] ?? '';
      return typeof cell === 'string'
        ? { text: printable(cell), paint: (text: string) => text }
        : { text: printable(cell.text), paint: cell.paint };
    }),
  );
  const wanted = columns.map((_, index) =>
    Math.max(0, ...cells.map((row) => textWidth(row[index]?.text ?? ''))),
  );
  const widths = fitWidths(wanted, columns, style.width - indent - GAP * (columns.length - 1));
  return cells.map((row) => {
    const line = row.map(({ text, paint }, index) => {
      const [width = 0, align = 'left'] = [widths[index], columns[index]?.align];
      const short = shorten(text, width, style.symbols.ellipsis);
      return paint(index === row.length - 1 && align === 'left' ? short : padText(short, width, align));
    });
    return `${' '.repeat(indent)}${line.join(' '.repeat(GAP))}`.trimEnd();
  });
}

/** Takes what is too much from the widest flexible columns. */
function fitWidths(wanted: readonly number[], columns: readonly Column[], room: number): number[] {
  const widths = [...wanted];
  const sum = () => widths.reduce((total, width) => total + width, 0);
  while (sum() > room) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const width = widths[index] ?? 0;
      if (column.flexible === true && width > LEAST && width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
