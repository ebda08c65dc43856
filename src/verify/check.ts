/** A check of what the target holds against what was sent (contract, "The JSON summary": `checks`). */

export const CHECK_NAMES = [
  'read back',
  'subject',
  'status and priority',
  'tags',
  'contact matching',
  'timestamps',
  'assignment and ownership',
  'message count',
  'message order',
  'message content',
  'authors',
  'internal notes',
  'message ids',
  'attachments',
  'attachment accessibility',
  'events',
  'channel',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface Check {
  readonly name: CheckName;
  /** False makes the trial fail. A target that does not tell a value has not failed: then `detail` says so. */
  readonly ok: boolean;
  /** One sentence for a person; never the text of a message, for reports are passed on. */
  readonly detail: string;
}

export const NOT_REPORTED = 'Not reported by the target.';

export function passed(name: CheckName, detail: string): Check {
  return { name, ok: true, detail };
}

export function failed(name: CheckName, detail: string): Check {
  return { name, ok: false, detail };
}

/** `told`: undefined where the target does not tell it, which is no failure. */
export function judged(
  name: CheckName,
  reported: unknown,
  isAsSent: boolean,
  asSent: string,
  otherwise: string,
): Check {
  if (reported === undefined) return passed(name, NOT_REPORTED);
  return isAsSent ? passed(name, asSent) : failed(name, otherwise);
}

/** How many sentences of one check are told. */
const MOST_DETAILS = 3;

/**
 * One check per name, in the order of CHECK_NAMES: it fails when one of its parts failed, and then tells the failures
 * only. Parts about which the target is silent are left out as soon as another part of the same name is told.
 */
export function mergeChecks(parts: readonly Check[]): Check[] {
  const merged: Check[] = [];
  for (const name of CHECK_NAMES) {
    const same = parts.filter((part) => part.name === name);
    if (same.length === 0) continue;
    const failures = same.filter((part) => !part.ok);
    const reported = same.filter((part) => part.detail !== NOT_REPORTED);
    const relevant = failures.length > 0 ? failures : reported.length > 0 ? reported : same.slice(0, 1);
    const details = [...new Set(relevant.map((part) => part.detail))];
    const more = details.length - MOST_DETAILS;
    const shown = details.slice(0, MOST_DETAILS).join(' ');
    merged.push({ name, ok: failures.length === 0, detail: more > 0 ? `${shown} And ${more} more.` : shown });
  }
  return merged;
}

/** At most `limit` entries in words: `2, 5, 9 and 4 more`. */
export function listSome(entries: readonly (string | number)[], limit = 5): string {
  const shown = entries.slice(0, limit);
  if (entries.length > limit) return `${shown.join(', ')} and ${entries.length - limit} more`;
  const last = shown.pop();
  return shown.length === 0 ? String(last ?? '') : `${shown.join(', ')} and ${last}`;
}

/** `1 message`, `12 messages`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
