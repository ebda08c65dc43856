/** From the text of a record to the line of it on which a part is. Pure. */
import type { SourceFrame } from '../domain/source.ts';

/** Indexes into the text of a record; where both are the same, a value is missing there. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Characters of each stretch that are kept: far more than any screen shows. */
const KEPT = 400;
/** A line that is longer has no column, as no reader counts that far. */
const LONGEST_LINE = 64 * 1024;

/**
 * @param line the physical line on which the record begins
 * @param column characters before the record on that line
 * @param lineEnd what ends a line: in JSON a CR is white space
 */
export function frameOf(
  text: string,
  span: Span,
  {
    line,
    column,
    isIndented,
  }: { readonly line: number; readonly column: number; readonly isIndented?: boolean },
  lineEnd: RegExp,
): Omit<SourceFrame, 'file'> {
  const ends = [...text.slice(0, span.start).matchAll(lineEnd)];
  const last = ends.at(-1);
  const begin = last === undefined ? 0 : last.index + last[0].length;
  const rest = text.slice(span.start);
  const end = span.start + (rest.search(lineEnd) < 0 ? rest.length : rest.search(lineEnd));
  const hasIndent = last === undefined && isIndented === true;
  const before = `${hasIndent ? ' '.repeat(column) : ''}${text.slice(begin, span.start)}`;
  const marked = text.slice(span.start, Math.min(span.end, end));
  const after = text.slice(span.start + marked.length, end);
  const indent = last === undefined && !hasIndent ? column : 0;
  const at = indent + before.length;
  const isLong = marked.length > KEPT;
  return {
    line: line + ends.length,
    ...(at <= LONGEST_LINE ? { column: at + 1 } : {}),
    before: before.slice(-KEPT),
    marked: marked.slice(0, KEPT),
    after: isLong ? '' : after.slice(0, KEPT),
    cutBefore: before.length > KEPT || indent > 0,
    cutAfter: isLong || after.length > KEPT,
  };
}
