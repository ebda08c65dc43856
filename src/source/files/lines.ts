/** From a stretch of a record to the line on which it begins. Pure. */

import type { RecordRef, SourceFrame } from '../../domain/source.ts';
import { type ByteSource, readRange } from './byte-source.ts';

/** Indexes into the text of a record; where both are the same, nothing stands there. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What stands on the lines of a record besides it. */
interface Surroundings {
  /** On its first line before it: the end of that, where `beginsLine` is false. */
  readonly before: string;
  readonly beginsLine: boolean;
  /** On its last line behind it: the beginning of that, where `endsLine` is false. */
  readonly after: string;
  readonly endsLine: boolean;
}

/** A CSV counts every kind of line end, as editors do; JSON has white space there, and only LF counts. */
type LineEnds = 'any' | 'lf';

/** Characters of each stretch that are kept: far more than any screen shows. */
const KEPT = 400;

function lineOfSpan(
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

// A record read once more with what stands around it on its lines, for a person to look at.

/** A larger record is not read for a line of it. */
const LARGEST = 32 * 1024 * 1024;
/** Looked at before a record for the beginning of its line, and behind it for the end. */
const BEFORE = 64 * 1024;
const AFTER = 2 * 1024;

const LF = 10;
const CR = 13;

interface FramedFile {
  readonly name: string;
  readonly source: ByteSource;
  /** Bytes of a byte order mark at the beginning. */
  readonly offset: number;
  readonly lineEnds: LineEnds;
}

/** `find`: where the part stands in the text of the record. */
export async function recordFrame(
  { name, source, offset, lineEnds }: FramedFile,
  ref: RecordRef,
  find: (text: string) => Span | undefined,
): Promise<SourceFrame | undefined> {
  if (ref.length > LARGEST) return undefined;
  const text = (await readRange(source, ref.offset, ref.length)).toString('utf8');
  const span = find(text);
  if (span === undefined) return undefined;
  const around = {
    ...(await lineBefore(source, offset, ref.offset, lineEnds)),
    ...(await lineBehind(source, ref.offset + ref.length, lineEnds)),
  };
  return { file: name, ...lineOfSpan(text, span, ref.line, around, lineEnds) };
}

async function lineBefore(
  source: ByteSource,
  top: number,
  end: number,
  lineEnds: LineEnds,
): Promise<Pick<Surroundings, 'before' | 'beginsLine'>> {
  const start = Math.max(top, end - BEFORE);
  const bytes = await readRange(source, start, end - start);
  const lineEnd = Math.max(bytes.lastIndexOf(LF), lineEnds === 'any' ? bytes.lastIndexOf(CR) : -1);
  if (lineEnd >= 0 || start === top) return { before: bytes.toString('utf8', lineEnd + 1), beginsLine: true };
  return { before: bytes.toString('utf8', firstCharacter(bytes)), beginsLine: false };
}

async function lineBehind(
  source: ByteSource,
  end: number,
  lineEnds: LineEnds,
): Promise<Pick<Surroundings, 'after' | 'endsLine'>> {
  const bytes = await readRange(source, end, AFTER);
  // A character that is cut at the end becomes U+FFFD, so the last one goes.
  const text = bytes.toString('utf8');
  const lineEnd = nextLineEnd(text, 0, lineEnds);
  if (lineEnd >= 0) return { after: text.slice(0, lineEnd), endsLine: true };
  const isAll = end + bytes.length >= source.size;
  return { after: isAll ? text : text.replace(/\ufffd$/, ''), endsLine: isAll };
}

/** Index of the first byte that begins a character. */
function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

// Line numbers as an editor counts them: LF, CRLF and a lone CR each end a line.

/** Line ends in `bytes` from index `from` to `to`. A CR at the very end counts; the LF behind it, if any, must be inside. */
export function countLineEnds(bytes: Buffer, from: number, to: number): number {
  if (to <= from) return 0;
  const part = bytes.subarray(from, to);
  let count = 0;
  for (let at = part.indexOf(LF); at >= 0; at = part.indexOf(LF, at + 1)) count++;
  for (let at = part.indexOf(CR); at >= 0; at = part.indexOf(CR, at + 1)) {
    if (part[at + 1] !== LF) count++;
  }
  return count;
}

/** Follows a growing offset through a window and counts LFs on the way, looking at every byte once. */
export class LineCounter {
  #line = 1;
  /** Offset of the first LF that is not counted yet, or -1 where it is not known. */
  #next = -1;
  /** Where the search for it goes on. */
  #searched: number;

  constructor(start: number) {
    this.#searched = start;
  }

  /**
   * The line on which `offset` stands. Offsets never go back. Before bytes are forgotten, this has to be asked for the
   * offset up to which they are.
   */
  lineAt(offset: number, bytes: Buffer, base: number): number {
    for (;;) {
      if (this.#next < 0) {
        const from = this.#searched - base;
        const found = from < bytes.length ? bytes.indexOf(LF, from) : -1;
        if (found < 0) {
          this.#searched = Math.max(this.#searched, base + bytes.length);
          return this.#line;
        }
        this.#next = base + found;
      }
      if (this.#next >= offset) return this.#line;
      this.#line++;
      this.#searched = this.#next + 1;
      this.#next = -1;
    }
  }
}
