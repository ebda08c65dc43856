/** Text from outside on a terminal: how wide it is, how to shorten it, and how to keep it from steering the terminal. */

/** Wide blocks of East Asian Width W and F; emoji are told by their Unicode property. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** Latin letters, and the arrows, lines and blocks that the program itself draws: a column each, without a look at graphemes. */
const NARROW = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u2193\u2500-\u259f\u2713\u2717]*$/;
const NO_WIDTH = /^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[0-9#*]\uFE0F?\u20E3/u;
/** Control characters, and the marks that turn the direction of text around (they can make a line read differently). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Made when a text is met that needs it: it takes longer to make than most commands have to print. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Columns that a text takes on a terminal, without escape sequences in it. */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  const code = grapheme.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Cut to at most `width` columns, never within a character; what was cut is told by `ellipsis`. */
export function shorten(text: string, width: number, ellipsis = '…'): string {
  if (textWidth(text) <= width) return text;
  const room = width - textWidth(ellipsis);
  if (room < 0) return '';
  let used = 0;
  let kept = '';
  for (const { segment } of graphemesOf(text)) {
    used += graphemeWidth(segment);
    if (used > room) break;
    kept += segment;
  }
  return kept + ellipsis;
}

/** The same, keeping the end. */
export function shortenStart(text: string, width: number, ellipsis = '…'): string {
  if (textWidth(text) <= width) return text;
  let room = width - textWidth(ellipsis);
  if (room < 0) return '';
  let kept = '';
  for (const { segment } of [...graphemesOf(text)].reverse()) {
    room -= graphemeWidth(segment);
    if (room < 0) break;
    kept = segment + kept;
  }
  return ellipsis + kept;
}

/** Filled with spaces to `width` columns; longer texts stay as they are. */
export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + fill : fill + text;
}

/**
 * On one line and harmless: line breaks and tabs become a space, other control characters and direction marks `�`.
 * Whatever comes from an export or a target passes here before it reaches a terminal or a log.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|[\n\r\t]/g, ' ')
    .replace(STEERING, '\ufffd');
}
