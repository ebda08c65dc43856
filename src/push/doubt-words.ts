/** Why a create of unknown outcome is left to a person, and what that person does about it. */
import type { TicketProblem } from '../domain/ledger.ts';

export type Held =
  | 'several'
  | 'unclear'
  | 'list-lags'
  | 'list-hides'
  | 'count-differs'
  | 'nothing-later'
  | 'too-few'
  | 'uncounted';

const LOOK = 'Look for its tag in the helpdesk, then use "helpdesk-import resolve --adopt" or --retry.';

export function holdProblem(because: Held, ids: readonly string[] = []): TicketProblem {
  const words: Record<Held, readonly [code: string, message: string]> = {
    several: [
      'several-matches',
      `Several tickets in the helpdesk carry its tag (${someOf(ids)}): choose one with "helpdesk-import resolve --adopt".`,
    ],
    unclear: [
      'unclear-match',
      `The ticket ${someOf(ids)} in the helpdesk carries its tag and has another subject and time: compare them, then use "helpdesk-import resolve --adopt" or --retry.`,
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
  };
  const [code, message] = words[because];
  return { code, message };
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

function someOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ');
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}
