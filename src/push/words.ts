/** Why a create of unknown outcome is held, and what a delta did not bring in. */
import { MISSING, type TicketProblem } from '../domain/ledger.ts';
import { FIELD_WORDS, type TicketField } from '../domain/ticket-fields.ts';

const LOOK = 'Look for its tag in the helpdesk, then use "helpdesk-import resolve".';

const HELD = {
  several: [
    'several-matches',
    'Several tickets in the helpdesk carry its tag ({ids}): choose one with "helpdesk-import resolve".',
  ],
  unclear: [
    'unclear-match',
    'The ticket {ids} in the helpdesk carries its tag and has another subject and time: compare them, then use "helpdesk-import resolve".',
  ],
  'list-lags': [
    'list-incomplete',
    'The list of the helpdesk does not show the newest tickets yet. Run the same command again in five minutes.',
  ],
  'list-hides': [
    'list-incomplete',
    `The list of the helpdesk is incomplete, so this ticket may exist. ${LOOK}`,
  ],
  'count-differs': [
    'count-differs',
    `The helpdesk counts other tickets (total) than it shows, so this one may be among them. ${LOOK}`,
  ],
  'nothing-later': [
    'not-proven-absent',
    'The list of the helpdesk does not show the ticket, but it may be out of date. If it is not in the helpdesk, use "helpdesk-import resolve".',
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

export type HoldReason = keyof typeof HELD;

export function holdProblem(because: HoldReason, ids: readonly string[] = []): TicketProblem {
  const [code, message] = HELD[because];
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : '';
  return { code, message: message.replace('{ids}', () => ids.slice(0, 3).join(', ') + more) };
}

export const UNTAGGED: TicketProblem = {
  code: 'unknown-outcome',
  message:
    'The answer to its create was lost, and it carries no tag to find it by. Look for its subject in the helpdesk, then use "helpdesk-import resolve".',
};

export const INTERRUPTED: TicketProblem = {
  code: 'unknown-outcome',
  message: 'An earlier run ended while this ticket was being created, so it may be in the helpdesk.',
};

export const UNREADABLE: TicketProblem = {
  code: 'target-unreadable',
  message: 'The helpdesk cannot be read.',
};

export function notOurs(ticketId: string): TicketProblem {
  return {
    code: 'not-ours-in-target',
    message: `The ticket ${ticketId} in the helpdesk does not carry the tag of this one: it is another ticket, someone removed the tag, or the helpdesk keeps fewer tags. No messages were sent to it.`,
  };
}

export function tagRemoved(ticketId: string, tag: string): TicketProblem {
  return {
    code: 'not-ours-in-target',
    message: `Ticket ${ticketId} was not updated: someone removed its tag in the helpdesk. Put ${tag} back, then run the delta again.`,
  };
}

export function otherTicket(ticketId: string): TicketProblem {
  return {
    code: 'another-ticket-now',
    message: `This ID is another ticket now: ticket ${ticketId} in the helpdesk has another creation time and requester. Nothing was sent to it.`,
  };
}

export function deletedInTarget(ticketId: string): TicketProblem {
  return {
    code: 'deleted-in-target',
    message: `Ticket ${ticketId} is no longer in the helpdesk, so nothing was sent for it.`,
  };
}

export function missingInTarget(ticketId: string): TicketProblem {
  return {
    code: MISSING,
    message: `Ticket ${ticketId} was imported and is no longer in the helpdesk. To create it again, use "helpdesk-import resolve --retry"; to leave it out, --skip.`,
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
    'One message was edited in the helpdesk. It was not changed.',
    'messages were edited in the helpdesk. They were not changed.',
  ],
  removed: [
    'removed-from-export',
    'One message that the export no longer has stays in the helpdesk.',
    'messages that the export no longer has stay in the helpdesk.',
  ],
  replaced: [
    'text-replaced',
    'One message has an entirely different text in the export. It replaced the one in the helpdesk.',
    'messages have entirely different texts in the export. They replaced those in the helpdesk.',
  ],
  deleted: [
    'deleted-in-target',
    'One message that was sent is no longer in the helpdesk; it stays deleted.',
    'messages that were sent are no longer in the helpdesk; they stay deleted.',
  ],
} as const;

export function ofPeople(counts: Readonly<Record<keyof typeof COUNTED, number>>): TicketProblem[] {
  return (['kept', 'edited', 'removed', 'replaced', 'deleted'] as const).flatMap((what) => {
    const [code, one, several] = COUNTED[what];
    const count = counts[what];
    return count === 0 ? [] : { code, message: count === 1 ? one : `${count} ${several}` };
  });
}

export function textsShortened(count: number): TicketProblem {
  const message =
    count === 1
      ? 'One message is shorter in the helpdesk than it was sent: it keeps only the beginning.'
      : `${count} messages are shorter in the helpdesk than they were sent: it keeps only their beginnings.`;
  return { code: 'shortened', message };
}

export function messagesHeld(
  because: 'unreadable' | 'unread' | 'emptied' | 'partly' | 'unreported' | 'shortened' | 'replaced',
  ticketId: string,
  failure?: TicketProblem,
): TicketProblem {
  const answer = answerOf(failure);
  const unread = `The messages of ticket ${ticketId} could not be read from the helpdesk${answer}, so nothing was sent. Run the same command again.`;
  const lead: Record<typeof because, string> = {
    unreadable: `The helpdesk cannot be read${answer}, so ticket ${ticketId} was not updated: replies could be lost. Add the new messages by hand.`,
    unread,
    emptied: unread,
    partly: `Ticket ${ticketId} was not updated: the helpdesk counts more messages than it shows. Add the new messages by hand.`,
    replaced: `Ticket ${ticketId} was not updated: its own fields changed in the export, and nothing is left of the text of a message. It may be another ticket now. Compare them.`,
    unreported: `Ticket ${ticketId} was not updated: a reply there lacks its author or time and would be lost. Add the new messages by hand.`,
    shortened: `Ticket ${ticketId} was not updated: a reply there looks shortened, and sending it back would cut it. Add the new messages by hand.`,
  };
  return withStatus('delta-held', lead[because], failure);
}

export function historyHeld(
  because: 'unread' | 'own-events' | 'doubtful',
  failure?: TicketProblem,
): TicketProblem {
  const lead: Record<typeof because, string> = {
    unread: 'The history was not updated: the copy in the helpdesk cannot be read.',
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
    unassigned: ': it no longer has an assignee in the export. Remove the assignee in the helpdesk by hand.',
    unread: `, and the ticket could not be read from the helpdesk${answer}, so ${stay} there.`,
    ignored: `, and the helpdesk took the change and shows what it had before; change ${them} there by hand.`,
    refused: `, and the helpdesk refused the change. ${message}`,
    unknown: `. The helpdesk did not confirm the change; run the same command again. ${message}`,
  };
  const lead = `The ${what} of the ticket ${has} changed in the export`;
  const code = because === 'changed' ? 'edited-in-target' : 'field-not-updatable';
  return withStatus(code, lead + rest[because], failure);
}

function answerOf({ status }: Partial<TicketProblem> = {}): string {
  return status === undefined ? '' : ` (it answered ${status})`;
}

function withStatus(code: string, message: string, { status }: Partial<TicketProblem> = {}): TicketProblem {
  return { code, ...(status === undefined ? {} : { status }), message };
}
