/** From bytes of any encoding to text, as a stream. */
import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { AppError } from '../domain/errors.ts';

export interface TextStream {
  /** `utf-8`, `utf-8 (BOM)`, `utf-16le`, or what `--encoding` named. */
  readonly encoding: string;
  /** Without a byte order mark; once, from front to back. */
  readonly text: AsyncIterable<string>;
  /** Complete when `text` has been read: characters that the encoding does not have. */
  readonly lost: { count: number };
  /** In UTF-8: bytes that are damaged, against sequences beyond ASCII that are sound. */
  readonly damage: Damage;
}

interface Damage {
  bad: number;
  good: number;
  /** The first bytes that are no UTF-8, with what is around them. */
  sample?: Buffer;
}

/** Longest marks first: the one of UTF-32LE begins like the one of UTF-16LE. */
const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * `head`: the first bytes of the stream. UTF-8 and UTF-16 are recognised; everything else has to be named. Throws AppError
 * `usage` for a name that is not known.
 */
export async function decoded(
  head: Buffer,
  bytes: AsyncIterable<Buffer>,
  declared: string | undefined,
): Promise<TextStream> {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => head[at] === byte));
  const named = declared?.trim().toLowerCase();
  // Its mark says that a file is UTF-8, whatever the other files of the export are.
  const encoding = marked?.[1] === 'utf-8' ? 'utf-8' : (named ?? marked?.[1] ?? withoutMark(head));
  const isUtf = /^utf-?8$/.test(encoding);
  // The mark of another encoding than the named one is data.
  const skip =
    marked !== undefined && (isUtf ? marked[1] === 'utf-8' : /^utf/.test(encoding)) ? marked[0].length : 0;
  const lost = { count: 0 };
  const damage: Damage = { bad: 0, good: 0 };
  if (isUtf)
    return {
      encoding: skip === 0 ? 'utf-8' : 'utf-8 (BOM)',
      text: utf8(behind(bytes, skip), damage),
      lost,
      damage,
    };
  const { default: iconv } = await import('iconv-lite');
  if (!iconv.encodingExists(encoding))
    throw new AppError('usage', `The encoding ${JSON.stringify(declared)} is not known.`, {
      hint: 'Use a name like utf-8, utf-16le, windows-1252, iso-8859-2, windows-1251, shift_jis or gb18030.',
    });
  const decoder = iconv.getDecoder(encoding, { stripBOM: false });
  const text = async function* () {
    for await (const chunk of behind(bytes, skip)) {
      const part = decoder.write(chunk);
      lost.count += countOf(part, '\ufffd');
      if (part !== '') yield part;
    }
    const rest = decoder.end();
    if (rest) yield rest;
  };
  return { encoding, text: text(), lost, damage };
}

/** Text in UTF-16 without a mark: nearly every other byte of its ASCII part is NUL. */
function withoutMark(head: Buffer): string {
  const sample = head.subarray(0, Math.min(4096, head.length & ~1));
  const nuls = [0, 0] as [number, number];
  for (const [at, byte] of sample.entries()) if (byte === 0) nuls[at % 2 === 0 ? 0 : 1]++;
  const [even, odd] = nuls;
  const pairs = sample.length / 2;
  if (sample.length >= 4 && odd > 0.4 * pairs && even < 0.05 * pairs) return 'utf-16le';
  if (sample.length >= 4 && even > 0.4 * pairs && odd < 0.05 * pairs) return 'utf-16be';
  return 'utf-8';
}

async function* behind(bytes: AsyncIterable<Buffer>, skip: number): AsyncGenerator<Buffer> {
  let left = skip;
  for await (const chunk of bytes) {
    const rest = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

async function* utf8(bytes: AsyncIterable<Buffer>, damage: Damage): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const take = (part: string, isSound: boolean, source?: Buffer) => {
    if (isSound) {
      if (damage.bad > 0 && source !== undefined) damage.good += part.match(/[^\0-\x7f]/g)?.length ?? 0;
      return;
    }
    if (source !== undefined) damage.sample ??= source;
    // U+FFFD that the export has itself is as well-formed as any character
    const own = source === undefined ? 0 : countIn(source, REPLACEMENT);
    damage.bad += countOf(part, '\ufffd') - own;
    damage.good += own + (part.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0);
  };
  for await (const chunk of bytes) {
    const part = decoder.write(chunk);
    take(part, isUtf8(chunk), chunk);
    if (part !== '') yield part;
  }
  const rest = decoder.end();
  take(rest, false);
  if (rest !== '') yield rest;
}

const REPLACEMENT = Buffer.from('\ufffd');

function countIn(bytes: Buffer, sought: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + sought.length)) count++;
  return count;
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** Whether a text is no UTF-8: in UTF-8 with a damaged place here and there, sound sequences are far more. */
export function isOtherEncoding({ bad, good }: Damage): boolean {
  return bad > 0 && good < 10 * bad;
}

/** `line`: the first one that is not UTF-8. */
export function notUtf8(name: string, line: number, { sample = Buffer.alloc(0) }: Damage): AppError {
  return new AppError('source', `${name}:${line}: the file is not UTF-8.`, {
    hint: `Name its encoding, probably --encoding ${likelyEncoding(sample)}. Others are windows-1252 (Western Europe), windows-1250 (Central Europe), windows-1251 (Cyrillic) and shift_jis (Japanese).`,
  });
}

/** Letters of the west are single ones among ASCII, those of other scripts come in words. */
function likelyEncoding(bytes: Buffer): string {
  let beyond = 0;
  let inWords = 0;
  let cyrillic = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    beyond++;
    if ((bytes[at - 1] ?? 0) >= 0x80) inWords++;
    if (byte >= 0xc0) cyrillic++;
  }
  if (beyond === 0 || inWords < 0.6 * beyond) return 'windows-1252';
  return cyrillic > 0.9 * beyond ? 'windows-1251' : 'shift_jis';
}
