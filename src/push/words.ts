/**
 * What the push says of tickets that it treated with care: why a create of unknown outcome is left to a person, and what a delta did
 * not bring in (contract, "Changed exports, rejects, delta").
 */
import type { TicketProblem } from '../domain/ledger.ts';
import { FIELD_WORDS, type TicketField } from '../domain/ticket-fields.ts';

const LOOK = 'Look for its tag in the helpdesk, then use "helpdesk-import resolve --adopt" or --retry.';

const HELD = {
  several: [
    'several-matches',
    'Several tickets in the helpdesk carry its tag ({ids}): choose one with "helpdesk-import resolve --adopt".',
  ],
  unclear: [
    'unclear-match',
    'The ticket {ids} in the helpdesk carries its tag and has another subject and time: compare them, then use "helpdesk-import resolve --adopt" or --retry.',
  ],
  'list-lags': [
    'list-incomplete',
    'The list of the helpdesk does not show the newest tickets yet. Run the same command again in five minutes.',
  ],
  'list-hides': [
    'list-incomplete',
    `The list of the helpdesk leaves out tickets that are there, so it may leave out this one. ${LOOK}`,
  ],
  'count-differs': [
    'count-differs',
    `The helpdesk counts other tickets (total) than it shows, so this one may be among them. ${LOOK}`,
  ],
  'nothing-later': [
    'not-proven-absent',
    'The ticket was not found, and no ticket was created after it that proves the list complete. If it is not in the helpdesk, use "helpdesk-import resolve --retry".',
  ],
  'too-few': [
    'not-proven-absent',
    `The ticket was not found, and the helpdesk shows too few other tickets of this import to prove its list complete. ${LOOK}`,
  ],
  uncounted: [
    'not-proven-absent',
    `The ticket was not found, but the list of the helpdesk does not count its tickets (total), so it may leave this one out. ${LOOK}`,
  ],
} as const;

export type Held = keyof typeof HELD;

export function holdProblem(because: Held, ids: readonly string[] = []): TicketProblem {
  const [code, message] = HELD[because];
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : '';
  return { code, message: message.replace('{ids}', () => ids.slice(0, 3).join(', ') + more) };
}

/** Nothing in the target tells it from another ticket. */
export const UNTAGGED: TicketProblem = {
  code: 'unknown-outcome',
  message:
    'The answer to its create was lost, and it carries no tag to find it by. Look for its subject in the helpdesk, then use "helpdesk-import resolve --adopt" or --retry.',
};

export const INTERRUPTED: TicketProblem = {
  code: 'unknown-outcome',
  message: 'An earlier run ended while this ticket was being created, so it may be in the helpdesk.',
};

export const UNREADABLE: TicketProblem = {
  code: 'target-unreadable',
  message: 'The helpdesk cannot be read.',
};

export function inAnotherShard(ticketId: string): TicketProblem {
  return {
    code: 'in-another-shard',
    message: `The helpdesk has this ticket already (${ticketId}), imported with another checkpoint: it belonged to another shard until its requester changed. It was not created again.`,
  };
}

export function notOurs(ticketId: string): TicketProblem {
  return {
    code: 'not-ours-in-target',
    message: `The ticket ${ticketId} in the helpdesk does not carry the tag of this one, so it is another ticket, or someone removed the tag. Nothing was sent to it.`,
  };
}

export function deletedInTarget(ticketId: string): TicketProblem {
  return {
    code: 'deleted-in-target',
    message: `Ticket ${ticketId} is no longer in the helpdesk, so nothing was sent for it.`,
  };
}

const COUNTED = {
  kept: [
    'messages-kept',
    'One message that only the helpdesk has was kept in the thread.',
    'messages that only the helpdesk has were kept in the thread.',
  ],
  edited: [
    'edited-in-target',
    'One message differs in the helpdesk from what was sent; it stays as it is there.',
    'messages differ in the helpdesk from what was sent; they stay as they are there.',
  ],
  deleted: [
    'deleted-in-target',
    'One message that was sent is no longer in the helpdesk; it stays deleted.',
    'messages that were sent are no longer in the helpdesk; they stay deleted.',
  ],
} as const;

/** Messages that people wrote, edited or deleted in the target. */
export function ofPeople(counts: Readonly<Record<keyof typeof COUNTED, number>>): TicketProblem[] {
  return (['kept', 'edited', 'deleted'] as const).flatMap((what) => {
    const [code, one, several] = COUNTED[what];
    const count = counts[what];
    return count === 0 ? [] : { code, message: count === 1 ? one : `${count} ${several}` };
  });
}

export function messagesHeld(
  because: 'unreadable' | 'unread' | 'emptied' | 'partly' | 'unreported' | 'shortened',
  ticketId: string,
  failure?: TicketProblem,
): TicketProblem {
  const answer = answerOf(failure);
  const unread = `The messages of ticket ${ticketId} could not be read from the helpdesk${answer}, so nothing was sent. Run the same command again.`;
  const lead: Record<typeof because, string> = {
    unreadable: `The helpdesk cannot be read${answer}, so the changes of ticket ${ticketId} were held back to lose nothing that was written there. Add what is new by hand.`,
    unread,
    emptied: unread,
    partly: `The helpdesk may have shown only a part of the messages of ticket ${ticketId}, and replacing the thread would delete the rest, so nothing was sent. Add what is new by hand.`,
    unreported: `The helpdesk does not show enough of a message that only it has in ticket ${ticketId} to keep it, so nothing was sent. Add what is new by hand.`,
    shortened: `The helpdesk may have shortened a message that was written in ticket ${ticketId}, and sending it back would cut it, so nothing was sent. Add what is new by hand.`,
  };
  return withStatus('delta-held', lead[because], failure);
}

export function historyHeld(
  because: 'unread' | 'own-events' | 'doubtful',
  failure?: TicketProblem,
): TicketProblem {
  const lead: Record<typeof because, string> = {
    unread:
      'The history has changed in the export and could not be read from the helpdesk, so it stays as it is there.',
    'own-events': 'The ticket has events of its own in the helpdesk, so its history was not updated.',
    doubtful:
      'The history may have arrived already and could not be read from the helpdesk, so it was not sent again. Look there.',
  };
  return withStatus('history-held', lead[because], failure);
}

export function historyDoubled(ticketId: string): TicketProblem {
  return {
    code: 'history-doubled',
    message: `Events of ticket ${ticketId} occur more than once in the helpdesk, which adds events to those it has. No other history that changed is sent.`,
  };
}

export function fieldsNotUpdated(
  because: 'no-call' | 'changed' | 'unreported' | 'unassigned' | 'unread' | 'ignored' | 'refused' | 'unknown',
  fields: readonly TicketField[],
  failure?: TicketProblem,
): TicketProblem {
  const words = fields.map((field) => FIELD_WORDS[field]);
  const what = words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
  const { message = '' } = failure ?? {};
  const answer = answerOf(failure);
  const isOne = words.length === 1 && words[0] !== FIELD_WORDS.tags;
  const [has, them, stay] = isOne
    ? ['has', 'it', 'it stays as it is']
    : ['have', 'them', 'they stay as they are'];
  const rest: Record<typeof because, string> = {
    'no-call': `, and the API cannot change ${them}${answer}; change ${them} in the helpdesk by hand.`,
    changed: `, and people changed ${them} in the helpdesk as well, so ${stay} there.`,
    unreported: `, and the helpdesk does not show ${them}, so ${stay} there.`,
    unassigned: ': it has no assignee in the export any more. Remove the assignee in the helpdesk by hand.',
    unread: `, and the ticket could not be read from the helpdesk${answer}, so ${stay} there.`,
    ignored: `, and the helpdesk took the change and shows what it had before; change ${them} there by hand.`,
    refused: `, and the helpdesk refused the change. ${message}`,
    unknown: `, and it is not known whether the helpdesk took the change; run the same command again. ${message}`,
  };
  const lead = `The ${what} of the ticket ${has} changed in the export`;
  return withStatus('field-not-updatable', lead + rest[because], failure);
}

function answerOf({ status }: Partial<TicketProblem> = {}): string {
  return status === undefined ? '' : ` (it answered ${status})`;
}

function withStatus(code: string, message: string, { status }: Partial<TicketProblem> = {}): TicketProblem {
  return { code, ...(status === undefined ? {} : { status }), message };
}
