import { StringDecoder } from 'node:string_decoder';
import type { AppError } from '../domain/errors.ts';
import { stop } from '../domain/text/stops.ts';

interface TextStream {
  /** Detected, or the name in `source.encoding`. */
  readonly encoding: string;
  /** Without a byte order mark; readable once. */
  readonly text: AsyncIterable<string>;
  /** Complete once `text` has been read. */
  readonly damage: Damage;
}

/** Enough characters beyond ASCII to prove UTF-8. */
const ENOUGH = 1000;

interface Damage {
  readonly isUtf8: boolean;
  /** Became U+FFFD. */
  bad: number;
  /** In UTF-8: characters beyond ASCII after the first bad one. */
  good: number;
  before: number;
  sample: Buffer;
}

/** Longest first: UTF-32LE begins like UTF-16LE. */
const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xff, 0xfe, 0, 0], 'utf-32le'],
  [[0, 0, 0xfe, 0xff], 'utf-32be'],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** UTF-8 and UTF-16 are recognised, others have to be named. Throws AppError `usage` for an unknown name. */
export async function decoded(
  head: Buffer,
  bytes: AsyncIterable<Buffer>,
  declared: string | undefined,
): Promise<TextStream> {
  const [mark = [], marked] = MARKS.find(([each]) => each.every((byte, at) => head[at] === byte)) ?? [];
  const named = declared?.trim().toLowerCase();
  // A mark says UTF-8, whatever the other files are.
  const encoding = marked === 'utf-8' ? 'utf-8' : (named ?? marked ?? withoutMark(head));
  const isUtf8 = /^utf-?8$/.test(encoding);
  // The mark of another encoding is data.
  const skip = (isUtf8 ? marked === 'utf-8' : /^utf/.test(encoding)) ? mark.length : 0;
  const damage: Damage = { isUtf8, bad: 0, good: 0, before: 0, sample: Buffer.alloc(0) };
  const shown = isUtf8 ? (skip === 0 ? 'utf-8' : 'utf-8 (BOM)') : encoding;
  return { encoding: shown, damage, text: textOf(bytes, skip, await decoderOf(encoding, isUtf8), damage) };
}

interface Decoder {
  write(bytes: Buffer): string;
  end(): string | undefined;
}

async function decoderOf(encoding: string, isUtf8: boolean): Promise<Decoder> {
  if (isUtf8) return new StringDecoder('utf8');
  const { default: iconv } = await import('iconv-lite');
  if (iconv.encodingExists(encoding)) return iconv.getDecoder(encoding, { stripBOM: false });
  throw stop('unknown-encoding', { encoding: JSON.stringify(encoding) });
}

async function* textOf(
  bytes: AsyncIterable<Buffer>,
  skip: number,
  decoder: Decoder,
  damage: Damage,
): AsyncGenerator<string> {
  const count = (part: string, source: Buffer) => {
    if (part.includes('\ufffd')) {
      // A U+FFFD of the export itself is well-formed.
      const own = damage.isUtf8 ? countOf(source.toString('latin1'), '\u00ef\u00bf\u00bd') : 0;
      damage.bad += countOf(part, '\ufffd') - own;
      damage.good += own;
      if (damage.bad > 0 && damage.sample.length === 0) damage.sample = source;
    }
    if (!damage.isUtf8 || (damage.bad === 0 && damage.before >= ENOUGH)) return;
    const beyond = part.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0;
    if (damage.bad > 0) damage.good += beyond;
    else damage.before += beyond;
  };
  let left = skip;
  let isAtLineStart = true;
  /** Files put behind each other have marks in the middle. */
  const unmarked = (part: string) => {
    const begin = isAtLineStart && part.startsWith('\ufeff') ? part.slice(1) : part;
    isAtLineStart = /[\r\n]$/.test(part);
    return begin.includes('\ufeff') ? begin.replaceAll(/([\r\n])\ufeff/g, '$1') : begin;
  };
  for await (const chunk of bytes) {
    const rest = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - rest.length;
    const part = decoder.write(rest);
    count(part, rest);
    if (part !== '') yield unmarked(part);
  }
  const rest = decoder.end() ?? '';
  count(rest, Buffer.alloc(0));
  if (rest !== '') yield rest;
}

/** UTF-16 without a mark: nearly every other byte of ASCII is NUL. */
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

function countOf(text: string, sought: string): number {
  let count = 0;
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) count++;
  return count;
}

/** In damaged UTF-8 well-formed characters are far more. */
export function isOtherEncoding({ isUtf8, bad, good }: Damage): boolean {
  return isUtf8 && bad > 0 && good < 10 * bad;
}

export function notUtf8(name: string, line: number, { sample, bad, good, before }: Damage): AppError {
  if (before * 2 >= bad || good >= bad) return stop('two-encodings', { name, line: String(line) });
  return stop('not-utf-8', { name, line: String(line), likely: likelyEncoding(sample) });
}

/** Western letters are single among ASCII; other scripts come in words. */
function likelyEncoding(bytes: Buffer): string {
  const beyond = [...bytes.entries()].filter(([, byte]) => byte >= 0x80);
  const inWords = beyond.filter(([at]) => (bytes[at - 1] ?? 0) >= 0x80).length;
  const cyrillic = beyond.filter(([, byte]) => byte >= 0xc0).length;
  if (beyond.length === 0 || inWords < 0.6 * beyond.length) return 'windows-1252';
  return cyrillic > 0.9 * beyond.length ? 'windows-1251' : 'shift_jis';
}
