import { inWords } from '../domain/printable.ts';

export const CHECK_NAMES = [
  'read back',
  'subject',
  'status and priority',
  'tags',
  'customer',
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
  /** False fails the trial. An unreported value does not: `detail` says so. */
  readonly ok: boolean;
  /** Never the text of a message, as reports are passed on. */
  readonly detail: string;
}

export const NOT_REPORTED = 'Not reported by the helpdesk.';

export function passed(name: CheckName, detail: string): Check {
  return { name, ok: true, detail };
}

export function failed(name: CheckName, detail: string): Check {
  return { name, ok: false, detail };
}

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

const MOST_DETAILS = 3;

/** In the order of CHECK_NAMES. A failed check names only failures. Unreported parts are left out if another is reported. */
export function mergeChecks(parts: readonly Check[]): Check[] {
  const byName = Map.groupBy(parts, ({ name }) => name);
  return CHECK_NAMES.flatMap((name) => {
    const same = byName.get(name);
    if (same === undefined) return [];
    const failures = same.filter(({ ok }) => !ok);
    const reported = same.filter(({ detail }) => detail !== NOT_REPORTED);
    const relevant = [failures, reported, same].find((list) => list.length > 0) ?? [];
    const details = [...new Set(relevant.map(({ detail }) => detail))];
    const more = details.length - MOST_DETAILS;
    const shown = details.slice(0, MOST_DETAILS).join(' ');
    return { name, ok: failures.length === 0, detail: more > 0 ? `${shown} And ${more} more.` : shown };
  });
}

/** `2, 5, 9 and 4 more`. */
export function listSome(entries: readonly (string | number)[], limit = 5): string {
  if (entries.length > limit)
    return `${entries.slice(0, limit).join(', ')} and ${entries.length - limit} more`;
  return inWords(entries);
}
