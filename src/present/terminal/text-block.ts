/** Paragraphs on a terminal: broken at words within the width, with a hanging indent. */
import { padText, printable, textWidth } from '../../domain/printable.ts';
import { spaced } from './command-line.ts';
import type { Style } from './style.ts';

export interface Block {
  /** Columns before the first line; later lines begin below its text. */
  readonly indent?: number;
  /** Stands before the first line, e.g. an arrow. */
  readonly lead?: string;
  readonly paintLead?: (text: string) => string;
  readonly paint?: (text: string) => string;
}

/** Lines of one paragraph. A word that is longer than the line stands alone and is not cut: it may be a path or a command. */
export function wrap(text: string, style: Style, block: Block = {}): string[] {
  const { indent = 0, lead = '', paintLead = same, paint = same } = block;
  const margin = indent + textWidth(lead);
  const room = Math.max(20, widestText(style) - margin);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
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
export function factLines(facts: readonly Fact[], style: Style): string[] {
  const widest = Math.max(0, ...facts.map(({ label }) => textWidth(label)));
  return facts.flatMap(({ label, text, paint = same }) =>
    wrap(printable(text), style, { indent: 2, lead: `${padText(label, widest)}  `, paint }),
  );
}

const same = (text: string) => text;

/** A heading with a blank line before it. */
export function heading(text: string, style: Style): string[] {
  return ['', style.bold(text)];
}
