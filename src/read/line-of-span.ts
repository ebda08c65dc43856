/** From a stretch of a record to the line on which it begins. Pure. */
import type { SourceFrame } from '../domain/source-frame.ts';

/** Indexes into the text of a record; where both are the same, nothing stands there. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What stands on the lines of a record besides it. */
export interface Surroundings {
  /** On its first line before it: the end of that, where `beginsLine` is false. */
  readonly before: string;
  readonly beginsLine: boolean;
  /** On its last line behind it: the beginning of that, where `endsLine` is false. */
  readonly after: string;
  readonly endsLine: boolean;
}

/** A CSV counts every kind of line end, as editors do; JSON has white space there, and only LF counts. */
export type LineEnds = 'any' | 'lf';

/** Characters of each stretch that are kept: far more than any screen shows. */
const KEPT = 400;

export function lineOfSpan(
  text: string,
  span: Span,
  line: number,
  around: Surroundings,
  lineEnds: LineEnds,
): Omit<SourceFrame, 'file'> {
  const { count, begin } = linesBefore(text, span.start, lineEnds);
  const isFirst = count === 0;
  const found = nextLineEnd(text, span.start, lineEnds);
  const end = found < 0 ? text.length : found;
  const markedEnd = Math.min(span.end, end);
  const before = (isFirst ? around.before : '') + text.slice(begin, span.start);
  const marked = text.slice(span.start, markedEnd);
  const after = text.slice(markedEnd, end) + (found < 0 ? around.after : '');
  const isWhole = !isFirst || around.beginsLine;
  const isLong = marked.length > KEPT;
  return {
    line: line + count,
    ...(isWhole ? { column: before.length + 1 } : {}),
    before: before.slice(-KEPT),
    marked: marked.slice(0, KEPT),
    after: isLong ? '' : after.slice(0, KEPT),
    cutBefore: !isWhole || before.length > KEPT,
    cutAfter: isLong || after.length > KEPT || (found < 0 && !around.endsLine),
  };
}

/** How many lines end before an index, and where the line begins that it stands on. */
function linesBefore(text: string, index: number, lineEnds: LineEnds): { count: number; begin: number } {
  let count = 0;
  let begin = 0;
  for (
    let at = nextLineEnd(text, 0, lineEnds);
    at >= 0 && at < index;
    at = nextLineEnd(text, begin, lineEnds)
  ) {
    const next = at + (text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1);
    if (next > index) break;
    count++;
    begin = next;
  }
  return { count, begin };
}

/** Index of the CR of a CRLF, else of what ends the line by itself; -1 where the text has none. */
export function nextLineEnd(text: string, from: number, lineEnds: LineEnds): number {
  const lf = text.indexOf('\n', from);
  if (lineEnds === 'lf') return lf > from && text[lf - 1] === '\r' ? lf - 1 : lf;
  const cr = text.indexOf('\r', from);
  if (cr < 0) return lf;
  return lf < 0 || cr < lf ? cr : lf;
}
