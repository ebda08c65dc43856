import { printable, shorten, shortenStart, textWidth } from './printable.ts';
import type { SourceFrame } from './source.ts';

export interface MarkedLine {
  readonly line: number;
  /** In UTF-16 units from 1. */
  readonly column: number;
  readonly length: number;
  readonly text: string;
}

/** Columns shown of a line that may be megabytes long. */
const WINDOW = 96;

/**
 * Two lines:
 *
 *     12 | batchsize: 100
 *        | ^^^^^^^^^
 */
export function codeFrame({ line, column, length, text }: MarkedLine): string {
  const [start, end] = [column - 1, column - 1 + length];
  const from = Math.max(0, start - WINDOW);
  const parts = { before: text.slice(from, start), marked: text.slice(start, end), cutBefore: from > 0 };
  const rest = { after: text.slice(end, end + WINDOW), cutAfter: end + WINDOW < text.length };
  const { before, marked, after } = fitFrame({ ...parts, ...rest }, WINDOW);
  const carets = '^'.repeat(Math.max(1, textWidth(marked)));
  return `${String(line).padStart(4)} | ${before}${marked}${after}\n     | ${' '.repeat(textWidth(before))}${carets}`;
}

export function markedAt(text: string, offset: number, length: number): MarkedLine {
  const at = Math.min(Math.max(0, offset), text.length);
  const begin = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const found = text.indexOf('\n', at);
  const end = found === -1 ? text.length : found;
  const line = text.slice(begin, end).replace(/\r$/, '');
  let number = 1;
  for (let index = text.indexOf('\n'); index !== -1 && index < begin; index = text.indexOf('\n', index + 1))
    number++;
  const column = Math.min(at - begin, line.length) + 1;
  return {
    line: number,
    column,
    length: Math.max(1, Math.min(length, line.length - column + 1)),
    text: line,
  };
}

interface FittedLine {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

/** The marked part gets up to two thirds; its surroundings share the rest. */
export function fitFrame(
  frame: Omit<SourceFrame, 'file' | 'line' | 'column'>,
  width: number,
  ellipsis = '…',
): FittedLine {
  const before = (frame.cutBefore ? ellipsis : '') + printable(frame.before);
  const marked = printable(frame.marked);
  const after = printable(frame.after) + (frame.cutAfter ? ellipsis : '');
  const wide = { before: textWidth(before), marked: Math.max(1, textWidth(marked)), after: textWidth(after) };
  if (wide.before + wide.marked + wide.after <= width) return { before, marked, after };
  const third = Math.floor(width / 3);
  const spare = Math.max(third, width - wide.marked);
  const behind = Math.min(wide.after, Math.floor(spare / 2));
  const shownMarked = Math.min(wide.marked, width - behind - Math.min(wide.before, third));
  const shownBefore = Math.min(wide.before, width - behind - shownMarked);
  return {
    before: shortenStart(before, shownBefore, ellipsis),
    marked: shorten(marked, shownMarked, ellipsis),
    after: shorten(after, width - shownMarked - shownBefore, ellipsis),
  };
}

export function framePlace({ file, line, column }: Pick<SourceFrame, 'file' | 'line' | 'column'>): string {
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}
