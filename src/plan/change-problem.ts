/** What is told about a ticket that is in the target and reads otherwise in the export now. */

import type { Problem } from '../domain/problem.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { ChangedPart, Mode, Step } from './step.ts';

const WORDS: Readonly<Record<ChangedPart, string>> = {
  ticket: 'its own fields',
  messages: 'its messages',
  events: 'its history',
};

const PARTS = { messages: 'the messages', events: 'the history' } as const;

/** Warnings, as nothing is lost: the target keeps what it has. `file` is the name of the ticket's file. */
export function changeProblems(step: Step, checked: CheckedTicket, mode: Mode, file: string): Problem[] {
  const { changed, action } = step;
  const warning = (code: string, message: string): Problem => ({
    severity: 'warning',
    code,
    ticket: checked.externalId,
    file,
    line: checked.ref.line,
    message,
    count: 1,
  });
  if (mode === 'run') {
    if (changed.length === 0) return [];
    const what = listed(changed.map((part) => WORDS[part]));
    const parts = changed.filter((part) => part !== 'ticket').map((part) => PARTS[part]);
    const remedy =
      parts.length > 0
        ? `run with --delta to bring ${listed(parts)} in`
        : 'change it in the target by hand if it matters';
    return [
      warning('changed-since-import', `The ticket has changed since it was imported (${what}); ${remedy}.`),
    ];
  }
  const problems: Problem[] = [];
  if (changed.includes('ticket'))
    problems.push(
      warning(
        'field-not-updatable',
        "The ticket's own fields have changed since it was imported, and the API cannot change them; change them in the target by hand.",
      ),
    );
  if (changed.includes('messages') && action?.do !== 'reopen')
    problems.push(
      warning(
        'changed-since-import',
        'The messages have changed since they were sent, and the import of the ticket is not complete; run with --delta once more to bring them in.',
      ),
    );
  return problems;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
