/** Text from outside on a terminal: its width, shortening it, and keeping it from steering the terminal. */
import fastStringWidth from 'fast-string-width';
import { BOUNDS } from './limits.ts';

/** Control characters and direction marks, which can make a line read differently. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Made on first use: that takes longer than most commands print. */
let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Columns of a text on a terminal; the text has no escape sequences. */
export function textWidth(text: string): number {
  return fastStringWidth(text.replaceAll('\u200b', ''));
}

/** Most UTF-16 units in a column: hostile text joins more into one. */
const UNITS_OF_A_COLUMN = 16;

/** Cut to at most `width` columns, never within a character, with an ellipsis. */
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

/** The same, keeping the end. */
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

/** Filled with spaces to `width` columns. */
export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + fill : fill + text;
}

/** Most characters of a text from outside to show. */
const LONGEST_SHOWN: number = BOUNDS.shown.most;

/** The beginning of a long text, with the number of missing characters. */
export function beginning(text: string, most = LONGEST_SHOWN): string {
  if (text.length <= most) return text;
  const whole = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return `${whole}… (${text.length - whole.length} more characters)`;
}

/**
 * On one line, shortened and safe: line breaks and tabs become a space, other control characters and direction marks `�`. All text from
 * an export or a target passes here before it reaches a terminal or a log.
 */
export function printable(text: string, most = LONGEST_SHOWN): string {
  return beginning(text, most)
    .toWellFormed()
    .replace(/\r\n|[\n\r\t]/g, ' ')
    .replace(STEERING, '\ufffd');
}

/** One CSV cell, quoted if necessary. */
export function csvCell(text: string, delimiter = ','): string {
  if (!text.includes(delimiter) && !/["\r\n]|^\s|\s$/.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}

/** The address of one ticket, from a template with `{id}`. */
export function addressWithId(template: string, id: string): string {
  return template.replaceAll('{id}', encodeURIComponent(id));
}

/** A text escaped for a regular expression. */
export function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Sequences that the program writes: colours, and cursor moves for the bar and the questions. */
const OWN_SEQUENCES = '\\u001b(?:\\[[0-9;?]{0,20}[A-Za-z]|[78])';
const STEERING_OR_OWN = new RegExp(`(${OWN_SEQUENCES})|${STEERING.source}`, 'g');

/**
 * The last step before a stream: removes everything that steers a terminal, except line ends, tabs and, on a terminal, the program's
 * own sequences.
 */
export function outgoing(text: string, hasSequences: boolean): string {
  return text.replace(STEERING_OR_OWN, (character, own: string | undefined) => {
    if (own !== undefined) return hasSequences ? own : '\ufffd';
    return /[\n\r\t]/.test(character) ? character : '\ufffd';
  });
}

/** The same JSON, with everything escaped that could steer a terminal. */
export function printableJson(text: string): string {
  return text.replace(STEERING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Escaped for HTML text and attributes. */
export function escapedHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
