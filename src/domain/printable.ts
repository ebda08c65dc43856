/** Text for people: counts in sentences; the width of text from outside, and keeping it from steering the terminal. */
import fastStringWidth from 'fast-string-width';
import { BOUNDS } from './limits.ts';

/** Control characters and direction marks, which can make a line read differently. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Slow to make, so only on first use. */
let segmenter: Intl.Segmenter | undefined;
let counts: Intl.NumberFormat | undefined;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The text has no escape sequences. */
export function textWidth(text: string): number {
  return fastStringWidth(text.replaceAll('\u200b', ''));
}

const UNITS_OF_A_COLUMN = 16;

/** Never cuts within a character. */
export function shorten(text: string, width: number, ellipsis = '…'): string {
  const most = width * UNITS_OF_A_COLUMN;
  if (text.length <= most && textWidth(text) <= width) return text;
  const room = width - textWidth(ellipsis);
  if (room < 0) return '';
  let used = 0;
  let kept = '';
  for (const { segment } of graphemesOf(text.slice(0, 2 * most))) {
    used += textWidth(segment);
    if (used > room || kept.length + segment.length > most) break;
    kept += segment;
  }
  return kept + ellipsis;
}

export function shortenStart(text: string, width: number, ellipsis = '…'): string {
  const most = width * UNITS_OF_A_COLUMN;
  if (text.length <= most && textWidth(text) <= width) return text;
  let room = width - textWidth(ellipsis);
  if (room < 0) return '';
  let kept = '';
  for (const { segment } of [...graphemesOf(text.slice(-2 * most))].reverse()) {
    room -= textWidth(segment);
    if (room < 0 || kept.length + segment.length > most) break;
    kept = segment + kept;
  }
  return ellipsis + kept;
}

export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + fill : fill + text;
}

const LONGEST_SHOWN: number = BOUNDS.shown.most;

export function beginning(text: string, most = LONGEST_SHOWN): string {
  if (text.length <= most) return text;
  const whole = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return `${whole}… (${text.length - whole.length} more characters)`;
}

/** Every text from an export or a helpdesk passes here before a terminal or log: one line, no control characters. */
export function printable(text: string, most = LONGEST_SHOWN): string {
  return beginning(text, most)
    .toWellFormed()
    .replace(/\r\n|[\n\r\t]/g, ' ')
    .replace(STEERING, '\ufffd');
}

/** Lines of a screen. A line end within one of them is a blank, so no value makes a line of its own. */
export function screenText(lines: readonly string[]): string {
  return lines.map((line) => line.replaceAll(/[\r\n\v\f\u0085\u2028\u2029]/g, ' ')).join('\n');
}

/** True if a line must not have characters of the text unescaped. */
export function isSteering(text: string): boolean {
  return !text.isWellFormed() || text.search(STEERING) >= 0;
}

export function addressWithId(template: string, id: string): string {
  return template.replaceAll('{id}', encodeURIComponent(id));
}

const OWN_SEQUENCES = '\\u001b(?:\\[[0-9;?]{0,20}[A-Za-z]|[78])';
const STEERING_OR_OWN = new RegExp(`(${OWN_SEQUENCES})|${STEERING.source}`, 'g');

/** Only line ends, tabs and the program's own sequences pass. */
export function outgoing(text: string, hasSequences: boolean): string {
  return text.replace(STEERING_OR_OWN, (character, own: string | undefined) => {
    if (own !== undefined) return hasSequences ? own : '\ufffd';
    return /[\n\r\t]/.test(character) ? character : '\ufffd';
  });
}

export function printableJson(text: string): string {
  return text.replace(STEERING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function escapedHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

export function formatCount(count: number): string {
  if (Number.isInteger(count) && count >= 0 && count < 1000) return String(count);
  counts ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  return counts.format(count);
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `a, b and c`. */
export function inWords(entries: readonly (string | number)[], before: 'and' | 'or' = 'and'): string {
  return entries.length < 2
    ? entries.join('')
    : `${entries.slice(0, -1).join(', ')} ${before} ${entries.at(-1)}`;
}

export const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Zero-width and soft characters that mail programs and pages leave in addresses and IDs. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');
