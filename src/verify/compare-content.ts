/** One message's text (2.2). Details tell where it differs, never what it says. */

import type { MessagePayload } from '../domain/payload.ts';
import { textKey, toldString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { htmlText } from '../present/conversation/html-text.ts';
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

/** What a person reads, white space aside: services drop scripts, styles and attributes, and write entities their own way. */
export function textOf(html: string): string {
  return htmlText(html).replace(/\s+/g, '');
}
