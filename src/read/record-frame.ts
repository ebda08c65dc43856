/** A record read once more with what stands around it on its lines, for a person to look at. */
import type { RecordRef } from '../domain/source.ts';
import type { SourceFrame } from '../domain/source-frame.ts';
import { type ByteSource, readRange } from './byte-source.ts';
import { type LineEnds, lineOfSpan, nextLineEnd, type Span, type Surroundings } from './line-of-span.ts';

/** A larger record is not read for a line of it. */
const LARGEST = 32 * 1024 * 1024;
/** Looked at before a record for the beginning of its line, and behind it for the end. */
const BEFORE = 64 * 1024;
const AFTER = 2 * 1024;

const LF = 10;
const CR = 13;

export interface FramedFile {
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
