/** Text of another encoding, written once as UTF-8 into the temporary file. */
import iconv from 'iconv-lite';
import { type ByteSource, chunksOf } from './byte-source.ts';
import type { UnpackContext } from './spool.ts';

const REPLACEMENT = Buffer.from('\ufffd');

export function isKnownEncoding(name: string): boolean {
  return iconv.encodingExists(name);
}

/** `mark`: bytes of the byte order mark, which is left out. A byte that the encoding does not have becomes U+FFFD: `lost` counts them. */
export async function transcode(
  source: ByteSource,
  encoding: string,
  mark: number,
  { spool, tuning, signal }: UnpackContext,
): Promise<{ readonly source: ByteSource; readonly lost: number }> {
  const start = spool.size;
  const decoder = iconv.getDecoder(encoding, { stripBOM: true });
  let skip = mark;
  // A pair of surrogates that two chunks share must be written as one character.
  let high = '';
  let lost = 0;
  const write = async (text: string) => {
    for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) lost++;
    const whole = high + text;
    const last = whole.charCodeAt(whole.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff ? whole.length - 1 : whole.length;
    high = whole.slice(cut);
    if (cut > 0) await spool.append(Buffer.from(whole.slice(0, cut), 'utf8'));
  };
  for await (const chunk of chunksOf(source, tuning.chunkBytes, signal)) {
    const text = decoder.write(chunk.subarray(skip));
    skip = Math.max(0, skip - chunk.length);
    await write(text);
  }
  await write(decoder.end() ?? '');
  if (high !== '') {
    lost++;
    await spool.append(REPLACEMENT);
  }
  return { source: spool.partFrom(start), lost };
}
