/** From bytes of any encoding to UTF-8. */
import { AppError } from '../domain/errors.ts';
import { type ByteSource, readInto, readRange } from './byte-source.ts';
import { detectEncoding, type Encoding, encodingByMark, isUtf8Stretch } from './encoding.ts';
import type { UnpackContext } from './spool-all.ts';

export interface DecodedText {
  readonly source: ByteSource;
  /** Bytes of a byte order mark that is still there. */
  readonly offset: number;
  readonly encoding: string;
  readonly guessed: boolean;
}

/** A file up to this size is looked at as a whole; a larger one in its beginning and in stretches, evenly spread. */
const WHOLE = 32 * 1024 * 1024;
const STRETCH = 256 * 1024;
const STRETCHES = 64;
/** Stretches that are not valid UTF-8 are kept for guessing, up to this many. */
const KEPT = 8;

export async function decode(
  source: ByteSource,
  declared: string | undefined,
  context: UnpackContext,
): Promise<DecodedText> {
  const encoding = await (declared === undefined ? detected(source) : declaredEncoding(source, declared));
  const { name, guessed, mark } = encoding;
  if (encoding.transcode === undefined) return { source, offset: mark, encoding: name, guessed };
  const { transcode } = await import('./transcode.ts');
  const text = await transcode(source, encoding.transcode, mark, context);
  return { source: text, offset: 0, encoding: name, guessed };
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
  const { guessCodePage } = await import('./guess-code-page.ts');
  return detectEncoding(samples, guessCodePage);
}

/** `--encoding`: a byte order mark of the same family is still left out. */
async function declaredEncoding(source: ByteSource, declared: string): Promise<Encoding> {
  const name = declared.trim().toLowerCase();
  const marked = encodingByMark(await readRange(source, 0, 4));
  if (/^utf-?8$/.test(name)) {
    const mark = marked?.transcode === undefined ? (marked?.mark ?? 0) : 0;
    return { name: 'utf-8', transcode: undefined, mark, guessed: false };
  }
  const { isKnownEncoding } = await import('./transcode.ts');
  if (!isKnownEncoding(name)) {
    throw new AppError('usage', `The encoding ${JSON.stringify(declared)} is not known.`, {
      hint: 'Use a name like utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis or gb18030.',
    });
  }
  const mark = /^utf-?(16|32)/.test(name) ? (marked?.mark ?? 0) : 0;
  return { name, transcode: name, mark, guessed: false };
}
