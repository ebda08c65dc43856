/** What a delta says of a ticket that it treated with care: codes and sentences (contract, "Changed exports, rejects, delta"). */
import type { TicketProblem } from '../domain/ledger.ts';
import { FIELD_WORDS, type TicketField } from '../domain/ticket-fields.ts';

export function messagesKept(count: number): TicketProblem {
  return {
    code: 'messages-kept',
    message:
      count === 1
        ? 'One message that only the helpdesk has was kept in the thread.'
        : `${count} messages that only the helpdesk has were kept in the thread.`,
  };
}

export function messagesEdited(count: number): TicketProblem {
  return {
    code: 'edited-in-target',
    message:
      count === 1
        ? 'One message differs in the helpdesk from what was sent; it stays as it is there.'
        : `${count} messages differ in the helpdesk from what was sent; they stay as they are there.`,
  };
}

export function messagesDeleted(count: number): TicketProblem {
  return {
    code: 'deleted-in-target',
    message:
      count === 1
        ? 'One message that was sent is no longer in the helpdesk; it stays deleted.'
        : `${count} messages that were sent are no longer in the helpdesk; they stay deleted.`,
  };
}

export function messagesHeld(
  because: 'unreadable' | 'unread' | 'emptied' | 'partly' | 'unreported' | 'shortened',
  ticketId: string,
  failure?: TicketProblem,
): TicketProblem {
  const { status } = failure ?? {};
  const answer = status === undefined ? '' : ` (it answered ${status})`;
  const unread = `The messages of ticket ${ticketId} could not be read from the helpdesk${answer}, so nothing was sent. Run the same command again.`;
  const lead: Record<typeof because, string> = {
    unreadable: `The helpdesk cannot be read${answer}, so the changes of ticket ${ticketId} were held back to lose nothing that was written there. Add what is new by hand.`,
    unread,
    emptied: unread,
    partly: `The helpdesk may have shown only a part of the messages of ticket ${ticketId}, and replacing the thread would delete the rest, so nothing was sent. Add what is new by hand.`,
    unreported: `The helpdesk does not show enough of a message that only it has in ticket ${ticketId} to keep it, so nothing was sent. Add what is new by hand.`,
    shortened: `The helpdesk may have shortened a message that was written in ticket ${ticketId}, and sending it back would cut it, so nothing was sent. Add what is new by hand.`,
  };
  return { code: 'delta-held', ...(status === undefined ? {} : { status }), message: lead[because] };
}

export function historyHeld(
  because: 'unread' | 'own-events' | 'doubtful',
  failure?: TicketProblem,
): TicketProblem {
  const { status } = failure ?? {};
  const lead: Record<typeof because, string> = {
    unread:
      'The history has changed in the export and could not be read from the helpdesk, so it stays as it is there.',
    'own-events': 'The ticket has events of its own in the helpdesk, so its history was not updated.',
    doubtful:
      'The history may have arrived already and could not be read from the helpdesk, so it was not sent again. Look there.',
  };
  return { code: 'history-held', ...(status === undefined ? {} : { status }), message: lead[because] };
}

export function historyDoubled(ticketId: string): TicketProblem {
  return {
    code: 'history-doubled',
    message: `Events of ticket ${ticketId} occur more than once in the helpdesk, which adds events to those it has. No other history that changed is sent.`,
  };
}

export function deletedInTarget(ticketId: string): TicketProblem {
  return {
    code: 'deleted-in-target',
    message: `Ticket ${ticketId} is no longer in the helpdesk, so nothing was sent for it.`,
  };
}

export function fieldsNotUpdated(
  because: 'no-call' | 'changed' | 'unreported' | 'unassigned' | 'unread' | 'ignored' | 'refused' | 'unknown',
  fields: readonly TicketField[],
  failure?: TicketProblem,
): TicketProblem {
  const words = fields.map((field) => FIELD_WORDS[field]);
  const what = words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
  const { status, message = '' } = failure ?? {};
  const isOne = words.length === 1 && words[0] !== FIELD_WORDS.tags;
  const [has, it] = isOne ? ['has', 'it stays as it is'] : ['have', 'they stay as they are'];
  const answer = status === undefined ? '' : ` (it answered ${status})`;
  const lead = `The ${what} of the ticket ${has} changed in the export`;
  const rest: Record<typeof because, string> = {
    'no-call': `, and the API cannot change ${isOne ? 'it' : 'them'}${answer}; change ${isOne ? 'it' : 'them'} in the helpdesk by hand.`,
    changed: `, and people changed ${isOne ? 'it' : 'them'} in the helpdesk as well, so ${it} there.`,
    unreported: `, and the helpdesk does not show ${isOne ? 'it' : 'them'}, so ${it} there.`,
    unassigned: ': it has no assignee in the export any more. Remove the assignee in the helpdesk by hand.',
    unread: `, and the ticket could not be read from the helpdesk${answer}, so ${it} there.`,
    ignored: `, and the helpdesk took the change and shows what it had before; change ${isOne ? 'it' : 'them'} there by hand.`,
    refused: `, and the helpdesk refused the change. ${message}`,
    unknown: `, and it is not known whether the helpdesk took the change; run the same command again. ${message}`,
  };
  return {
    code: 'field-not-updatable',
    ...(status === undefined ? {} : { status }),
    message: lead + rest[because],
  };
}
