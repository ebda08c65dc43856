/** What a delta says of a ticket that it treated with care: codes and sentences (contract, "Changed exports, rejects, delta"). */
import type { TicketProblem } from '../domain/ledger.ts';

export function messagesKept(count: number): TicketProblem {
  return {
    code: 'messages-kept',
    message:
      count === 1
        ? 'One message that only the target has was kept in the thread.'
        : `${count} messages that only the target has were kept in the thread.`,
  };
}

/** Nothing was sent for it. */
export function messagesHeld(
  because: 'unreadable' | 'again' | 'untold',
  ticketId: string,
  failure?: TicketProblem,
): TicketProblem {
  const status = failure?.status === undefined ? {} : { status: failure.status };
  const answer = failure?.status === undefined ? '' : ` (it answered ${failure.status})`;
  const lead: Record<typeof because, string> = {
    unreadable: `The messages of ticket ${ticketId} cannot be read from the target${answer}, so the changes were held back to lose nothing that was written there; run with --delta --replace-messages to replace the thread all the same.`,
    untold: `The target does not tell enough of a message that only it has in ticket ${ticketId} to keep it, so the changes were held back; run with --delta --replace-messages to replace the thread all the same.`,
    again: `The messages of ticket ${ticketId} could not be read this time${answer}, so the changes were held back; run the same command again.`,
  };
  return { code: 'delta-held', ...status, message: lead[because] };
}

/** The history stays as it is in the target. */
export function historyHeld(because: 'unread' | 'own-events', failure?: TicketProblem): TicketProblem {
  const status = failure?.status === undefined ? {} : { status: failure.status };
  return {
    code: 'history-held',
    ...status,
    message:
      because === 'unread'
        ? 'The history has changed in the export and could not be read from the target, so it stays as it is there.'
        : 'The history has changed in the export, and replacing it would delete events that only the target has, so it stays as it is there.',
  };
}
