/** The marks of a trial in a sentence. */

import { countOf } from '../domain/printable.ts';
import { say } from '../domain/text/problem-words.ts';
import type { Facts } from '../plan/facts.ts';
import { formatDay } from './format.ts';

type TrialMarks = NonNullable<Facts['marks']>;

export const REASONS: ReadonlyMap<string, string> = new Map([
  ['time', 'a time'],
  ['people', 'an author or a customer'],
  ['text', 'text is missing or twice'],
  ['visibility', 'who can read it'],
  ['state', 'status or priority'],
  ['file', 'a file'],
  ['other', 'something else'],
]);

/** `44 (status or priority), 48 (text is missing or twice)` */
function wrongTickets({ wrong }: TrialMarks): string {
  return wrong
    .map(({ externalId, because, words }) => {
      const said = because.map((reason) => REASONS.get(reason) ?? reason);
      return `${externalId} (${(said.length > 0 ? said : [words]).join(', ')})`;
    })
    .join(', ');
}

export function trialSentence(marks: TrialMarks): string {
  const { looked, of, who, lastAt, wrong, again, isSigned, wentOn } = marks;
  if (lastAt === undefined) return say('no one has looked at {of|its ticket|its # tickets} yet', { of });
  const day = formatDay(new Date(lastAt).toISOString());
  const found = wrong.length === 0 ? '' : `, ${wrong.length} wrong: ${wrongTickets(marks)}`;
  const changed = again.length === 0 ? '' : ` Changed since, look again: ${again.join(', ')}.`;
  return `${who} looked at ${looked} of ${of} on ${day}${found}.${changed}${isSigned ? ' Signed.' : ' Not signed.'}${
    wentOn ? ' Imported although tickets were marked wrong.' : ''
  }`;
}

/** Asked before a run; undefined if every ticket was found right. */
export function trialQuestion(marks: TrialMarks | undefined): string | undefined {
  if (marks === undefined) return undefined;
  const { wrong, again, looked, of } = marks;
  if (wrong.length > 0)
    return `${countOf(wrong.length, 'ticket of the trial is', 'tickets of the trial are')} marked wrong: ${wrongTickets(marks)}. Import anyway?`;
  if (again.length > 0)
    return `${say('{count|# ticket|# tickets} of the trial changed after {count|it was|they were} marked', { count: again.length })}: ${again.join(', ')}. Import anyway?`;
  return looked < of
    ? `${of - looked} of ${of} tickets of the trial were not looked at. Import anyway?`
    : undefined;
}
