/** Problems of tickets, in the words of `problems.yaml`. */

import type { TicketProblem } from '../domain/ledger.ts';
import { inWords } from '../domain/printable.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { FIELD_WORDS, type TicketField } from '../domain/ticket-fields.ts';

/** `kind`: as of problemOf. `failure`: the answer to name, too. */
export function ticketProblem(
  kind: string,
  data: Readonly<Record<string, string | number>> = {},
  { status }: Partial<TicketProblem> = {},
): TicketProblem {
  const answer = status === undefined ? '' : ` (it answered ${status})`;
  const { code, message } = problemOf(kind, { answer, ...data });
  return { code, ...(status === undefined ? {} : { status }), message };
}

export const UNREADABLE = ticketProblem('target-unreadable');

const OF_PEOPLE = {
  kept: 'messages-kept',
  edited: 'edited-in-target:messages',
  removed: 'removed-from-export',
  replaced: 'text-replaced',
  deleted: 'deleted-in-target:messages',
} as const;

export function ofPeople(counts: Readonly<Record<keyof typeof OF_PEOPLE, number>>): TicketProblem[] {
  return Object.entries(OF_PEOPLE).flatMap(([what, kind]) => {
    const count = counts[what as keyof typeof OF_PEOPLE];
    return count === 0 ? [] : ticketProblem(kind, { count });
  });
}

export function fieldsNotUpdated(
  because: 'no-call' | 'changed' | 'unreported' | 'unassigned' | 'unread' | 'ignored' | 'refused' | 'unknown',
  fields: readonly TicketField[],
  failure?: TicketProblem,
): TicketProblem {
  const words = fields.map((field) => FIELD_WORDS[field]);
  const what = inWords(words);
  const number = words.length === 1 && words[0] !== FIELD_WORDS.tags ? 1 : 2;
  const kind = because === 'changed' ? 'edited-in-target:fields' : `field-not-updatable:${because}`;
  return ticketProblem(kind, { what, number, message: failure?.message ?? '' }, failure);
}
