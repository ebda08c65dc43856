/** The most likely code page of a text that is not UTF-8, from how often its letters occur. */
import { analyse } from 'chardet';
import iconv from 'iconv-lite';

/** The code page of Windows that contains what the detector names, as browsers do. */
const SUPERSETS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'ISO-8859-1': 'windows-1252',
    'ISO-8859-7': 'windows-1253',
    'ISO-8859-8': 'windows-1255',
    'ISO-8859-9': 'windows-1254',
  }),
);
/** Encodings of several bytes a character: believed only when nearly every byte fits. */
const MULTIBYTE = new Set([
  'Shift_JIS',
  'Big5',
  'EUC-JP',
  'EUC-KR',
  'GB18030',
  'ISO-2022-JP',
  'ISO-2022-KR',
  'ISO-2022-CN',
]);
/** Rare in practice, and named by the detector for short texts in the encodings of their neighbours. */
const RARE = new Set([
  'windows-1257',
  'ISO-8859-6',
  'ISO-8859-8',
  'windows-1255',
  'windows-1256',
  'windows-1258',
  'windows-874',
]);
const FALLBACK = 'windows-1252';
/** Fewer bytes beyond ASCII than this say nothing. */
const ENOUGH_LETTERS = 8;

export function guessCodePage(text: Buffer): string {
  let letters = 0;
  for (const byte of text) if (byte > 0x7f) letters++;
  const found = analyse(text).map(({ name, confidence }) => ({ name: String(name), confidence }));
  const multibyte = found.find(
    ({ name, confidence }) => MULTIBYTE.has(name) && confidence >= 60 && reads(text, name, letters),
  );
  if (multibyte !== undefined) return multibyte.name.toLowerCase();
  if (letters < ENOUGH_LETTERS) return FALLBACK;
  const ranked = found
    .filter(({ name }) => !MULTIBYTE.has(name) && /^(ISO-8859|windows|KOI8)/i.test(name))
    .filter(({ name }) => reads(text, SUPERSETS.get(name) ?? name, letters))
    .map(({ name, confidence }) => ({ name, score: RARE.has(name) ? confidence - 15 : confidence }))
    .sort((a, b) => b.score - a.score);
  const best = ranked[0];
  if (best === undefined || best.score < 10) return FALLBACK;
  return (SUPERSETS.get(best.name) ?? best.name).toLowerCase();
}

/** Whether the encoding has these characters. A text is cut in the middle of one here and there. */
function reads(text: Buffer, name: string, letters: number): boolean {
  const lost = iconv.decode(text, name).split('\ufffd').length - 1;
  return 500 * lost <= letters;
}
