/** One message's text (2.2). Details tell where it differs, never what it says. */
import type { MessagePayload } from '../domain/payload.ts';
import { textKey, toldString } from '../domain/snapshot-fields.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { type Check, NOT_TOLD } from './check.ts';

export function compareContent(sent: MessagePayload, read: Snapshot, of: string): Check {
  const name = 'message content';
  const content = toldString(read, 'content');
  if (content === undefined) return { name, ok: true, detail: NOT_TOLD };
  const told = content ?? '';
  const type = toldString(read, 'contentType');
  const wantedType = sent.contentType ?? 'text';
  if (typeof type === 'string' && type !== wantedType)
    return { name, ok: false, detail: `The content type of ${of} is ${type} instead of ${wantedType}.` };
  if (textKey(told) === textKey(sent.content)) return { name, ok: true, detail: 'All texts are the same.' };
  if (wantedType === 'html' && textOf(told) === textOf(sent.content))
    return { name, ok: true, detail: 'The target cleans html; what people read is the same.' };
  return {
    name,
    ok: false,
    detail: `The text of ${of} differs from character ${firstDifference(sent.content, told) + 1} on (${told.length} characters instead of ${sent.content.length}).`,
  };
}

function firstDifference(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** What is never read by a person, with its end. Without an end it reaches to the end of the text, as in a browser. */
const UNREAD = [
  { begin: '<!--', end: '-->' },
  { begin: '<script', end: '</script' },
  { begin: '<style', end: '</style' },
] as const;

/**
 * What a person reads of an html body, white space aside: services drop scripts, styles and attributes, and write
 * entities their own way. For comparing only; it is no sanitizer. Linear in the length, whatever the text holds.
 */
export function textOf(html: string): string {
  return withoutUnread(html)
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,9}));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    })
    .replace(/\s+/g, '');
}

function withoutUnread(html: string): string {
  const lower = html.toLowerCase();
  // Lowercasing may change the length of exotic letters; then offsets would not fit, and the text stays as it is.
  if (lower.length !== html.length) return html;
  const starts = /<!--|<script\b|<style\b/g;
  let kept = '';
  let from = 0;
  for (let match = starts.exec(lower); match !== null; match = starts.exec(lower)) {
    kept += html.slice(from, match.index);
    const end = UNREAD.find((part) => part.begin === match?.[0])?.end ?? '>';
    const close = lower.indexOf(end, match.index);
    if (close < 0) return kept;
    from = close + end.length;
    starts.lastIndex = from;
    if (end === '-->') continue;
    const bracket = lower.indexOf('>', from);
    if (bracket < 0) return kept;
    from = bracket + 1;
    starts.lastIndex = from;
  }
  return kept + html.slice(from);
}
