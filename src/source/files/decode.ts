/** From bytes of any encoding to UTF-8. */

import { isUtf8 } from 'node:buffer';
import { AppError } from '../../domain/errors.ts';
import { type ByteSource, readInto, readRange } from './byte-source.ts';
import { guessCodePage } from './guess-code-page.ts';
import type { UnpackContext } from './spool.ts';
import { isKnownEncoding, transcode } from './transcode.ts';

interface DecodedText {
  readonly source: ByteSource;
  /** Bytes of a byte order mark that is still there. */
  readonly offset: number;
  readonly encoding: string;
  readonly guessed: boolean;
  /** Characters that the encoding does not have. */
  readonly lost: number;
}

/** A file up to this size is looked at as a whole; a larger one in its beginning and in stretches, evenly spread. */
const WHOLE = 32 * 1024 * 1024;
const STRETCH = 256 * 1024;
const STRETCHES = 64;
/** U+FFFD in UTF-8. */
const REPLACEMENT = Buffer.from('\ufffd');
/** Stretches that are not valid UTF-8 are kept for guessing, up to this many. */
const KEPT = 8;

export async function decode(
  source: ByteSource,
  declared: string | undefined,
  context: UnpackContext,
): Promise<DecodedText> {
  const encoding = await (declared === undefined ? detected(source) : declaredEncoding(source, declared));
  const { name, guessed, mark } = encoding;
  if (encoding.transcode === undefined) return { source, offset: mark, encoding: name, guessed, lost: 0 };
  const text = await transcode(source, encoding.transcode, mark, context);
  return { ...text, offset: 0, encoding: name, guessed };
}

async function detected(source: ByteSource): Promise<Encoding> {
  const samples = [await readRange(source, 0, STRETCH)];
  const step = source.size <= WHOLE ? STRETCH : Math.floor((source.size - STRETCH) / STRETCHES);
  // One buffer until what is in it is kept: a new one for each stretch would be 16 MB of a file before any is collected.
  let target: Buffer | undefined;
  for (let position = step; position < source.size && samples.length < KEPT; position += step) {
    target ??= Buffer.allocUnsafeSlow(STRETCH);
    const stretch = await readInto(source, position, target);
    if (isUtf8Stretch(stretch)) continue;
    samples.push(stretch);
    target = undefined;
  }
  const found = detectEncoding(samples, () => 'guess');
  if (!found.guessed) return found;
  return detectEncoding(samples, guessCodePage);
}

/** `--encoding`: a byte order mark of the same family is still left out, and one of UTF-8 proves that the text is UTF-8. */
async function declaredEncoding(source: ByteSource, declared: string): Promise<Encoding> {
  const name = declared.trim().toLowerCase();
  const marked = encodingByMark(await readRange(source, 0, 4));
  if (marked?.mark === 3) return marked;
  if (/^utf-?8$/.test(name)) {
    const mark = marked?.transcode === undefined ? (marked?.mark ?? 0) : 0;
    return { name: 'utf-8', transcode: undefined, mark, guessed: false };
  }
  if (!isKnownEncoding(name)) {
    throw new AppError('usage', `The encoding ${JSON.stringify(declared)} is not known.`, {
      hint: 'Use a name like utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis or gb18030.',
    });
  }
  const mark = /^utf-?(16|32)/.test(name) ? (marked?.mark ?? 0) : 0;
  return { name, transcode: name, mark, guessed: false };
}

// Which encoding a text is in: from its byte order mark, its NULs, whether it is valid UTF-8, and else a guess.

interface Encoding {
  /** For people and for `SourceFile.encoding`: `utf-8`, `utf-8 (BOM)`, `utf-16le`, `windows-1252` … */
  readonly name: string;
  /** What the transcoder calls it; undefined for UTF-8, which is read as it is. */
  readonly transcode: string | undefined;
  /** Bytes of the byte order mark. */
  readonly mark: number;
  readonly guessed: boolean;
}

const utf8 = (mark: number): Encoding => ({
  name: mark === 0 ? 'utf-8' : 'utf-8 (BOM)',
  transcode: undefined,
  mark,
  guessed: false,
});
const other = (name: string, mark = 0, guessed = false): Encoding => ({
  name,
  transcode: name,
  mark,
  guessed,
});

/** Longest marks first: the one of UTF-32LE begins like the one of UTF-16LE. */
const MARKS: readonly (readonly [readonly number[], Encoding])[] = [
  [[0xff, 0xfe, 0, 0], other('utf-32le', 4)],
  [[0, 0, 0xfe, 0xff], other('utf-32be', 4)],
  [[0xef, 0xbb, 0xbf], utf8(3)],
  [[0xff, 0xfe], other('utf-16le', 2)],
  [[0xfe, 0xff], other('utf-16be', 2)],
];

/** By the mark alone; undefined where there is none. */
function encodingByMark(head: Buffer): Encoding | undefined {
  return MARKS.find(([mark]) => mark.every((byte, index) => head[index] === byte))?.[1];
}

/**
 * `samples`: the beginning of the text, then more stretches of it where it is long. Certain but for the last step,
 * which guesses from the frequency of letters (`guess`).
 */
function detectEncoding(samples: readonly Buffer[], guess: (text: Buffer) => string): Encoding {
  const first = samples[0] ?? Buffer.alloc(0);
  const marked = encodingByMark(first) ?? byNuls(first);
  if (marked !== undefined) return marked;
  const invalid = samples.filter((sample) => !isUtf8Stretch(sample));
  if (invalid.length === 0 || samples.every(mostlyUtf8)) return utf8(0);
  const name = guess(linesBeyondAscii(invalid));
  return name === 'utf-8' ? utf8(0) : other(name, 0, true);
}

/** Text in UTF-16 without a mark: nearly every other byte of its ASCII part is NUL. */
function byNuls(head: Buffer): Encoding | undefined {
  const sample = head.subarray(0, Math.min(4096, head.length & ~1));
  if (sample.length < 4) return undefined;
  let even = 0;
  let odd = 0;
  for (let index = 0; index < sample.length; index += 2) {
    if (sample[index] === 0) even++;
    if (sample[index + 1] === 0) odd++;
  }
  const pairs = sample.length / 2;
  if (odd > 0.4 * pairs && even < 0.05 * pairs) return other('utf-16le');
  if (even > 0.4 * pairs && odd < 0.05 * pairs) return other('utf-16be');
  return undefined;
}

/** Whether a part of a text is valid UTF-8, but for a character that is cut at either end. */
function isUtf8Stretch(sample: Buffer): boolean {
  return isUtf8(wholeCharacters(sample));
}

/** Without a character that is cut at either end, which a sample from the middle of a file may have. */
function wholeCharacters(sample: Buffer): Buffer {
  const isContinuation = (index: number) => ((sample[index] ?? 0) & 0xc0) === 0x80;
  let start = 0;
  while (start < 3 && isContinuation(start)) start++;
  let end = sample.length;
  const last = Math.max(0, end - 4);
  for (let index = end - 1; index >= last; index--) {
    const byte = sample[index] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const bytes = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      if (index + bytes > end) end = index;
      break;
    }
  }
  return sample.subarray(start, end);
}

/**
 * UTF-8 with a damaged place here and there: far more well-formed sequences than broken bytes. Text in a code page
 * hardly ever has a sequence that is well-formed by chance.
 */
function mostlyUtf8(sample: Buffer): boolean {
  const whole = wholeCharacters(sample);
  const replaced = whole.toString('utf8');
  // a character that was lost before is as well-formed as any
  const written = countIn(whole, REPLACEMENT);
  let good = written;
  let bad = -written;
  for (let index = 0; index < replaced.length; index++) {
    const code = replaced.charCodeAt(index);
    if (code === 0xfffd) bad++;
    else if (code > 0x7f) good++;
  }
  return good >= 10 * bad;
}

function countIn(bytes: Buffer, sought: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + sought.length)) count++;
  return count;
}

/** Lines with a byte above 0x7f: the letters by which a code page is told are rare in long texts. At most 64 KiB. */
function linesBeyondAscii(samples: readonly Buffer[]): Buffer {
  const lines: Buffer[] = [];
  let size = 0;
  for (const sample of samples) {
    for (let start = 0; start < sample.length && size < 65_536; ) {
      const found = sample.indexOf(10, start);
      const end = found < 0 ? sample.length : found + 1;
      const line = sample.subarray(start, Math.min(end, start + 4096));
      if (line.some((byte) => byte > 0x7f)) {
        lines.push(line);
        size += line.length;
      }
      start = end;
    }
  }
  return Buffer.concat(lines);
}
