/** The attachments of one message (2.3). A target may copy a file to an address of its own; then its name tells it. */
import type { AttachmentPayload } from '../domain/payload.ts';
import { toldArray } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { type Check, NOT_TOLD } from './check.ts';

export function compareAttachments(sent: readonly AttachmentPayload[], read: Snapshot, of: string): Check[] {
  const name = 'attachments';
  const told = toldArray(read, 'attachments');
  if (told === undefined) return sent.length === 0 ? [] : [{ name, ok: true, detail: NOT_TOLD }];
  if (sent.length === 0 && (told?.length ?? 0) === 0) return [];

  const urls: string[] = [];
  const names: string[] = [];
  for (const entry of told ?? []) {
    if (typeof entry !== 'object' || entry === null) continue;
    const fields = entry as Readonly<Record<string, unknown>>;
    urls.push(typeof fields['url'] === 'string' ? fields['url'] : '');
    names.push(typeof fields['name'] === 'string' ? fields['name'] : '');
  }
  let missing = 0;
  let moved = 0;
  const unnamed: AttachmentPayload[] = [];
  for (const attachment of sent) if (!takeOut(urls, names, urls, attachment.url)) unnamed.push(attachment);
  for (const attachment of unnamed) {
    if (attachment.name !== undefined && takeOut(names, urls, names, attachment.name)) moved++;
    else missing++;
  }
  if (missing > 0 || urls.length > 0) {
    const parts = [
      ...(missing > 0 ? [`${missing} of ${sent.length} missing`] : []),
      ...(urls.length > 0 ? [`${urls.length} that ${urls.length === 1 ? 'was' : 'were'} not sent`] : []),
    ];
    return [{ name, ok: false, detail: `The attachments of ${of} differ: ${parts.join(', ')}.` }];
  }
  return [
    {
      name,
      ok: true,
      detail:
        moved > 0
          ? 'All attachments are there; the target keeps files under addresses of its own.'
          : 'All attachments are there.',
    },
  ];
}

/** Removes the entry whose value in `search` is `wanted` from both parallel lists. */
function takeOut(first: string[], second: string[], search: readonly string[], wanted: string): boolean {
  const at = search.indexOf(wanted);
  if (at < 0) return false;
  first.splice(at, 1);
  second.splice(at, 1);
  return true;
}
