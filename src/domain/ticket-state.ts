/**
 * The life of a ticket in the checkpoint, as a pure table.
 *
 *     pending ──intent on disk──▶ creating ──POST──▶ created ──messages, history──▶ done
 *        ▲                          │  │ └─refused──▶ failed (no ticket id)
 *        │◀──────not sent───────────┘  └─unknown──▶ inDoubt ──found──▶ created
 *        └◀──────proven absent, or a person says so────┘ └─left to its owner──▶ skipped
 *
 * `creating` is on disk before the request is sent; after a crash it reads as in doubt. `failed` and `rejected` keep the ticket ID if there
 * is one, and the next run sends what is missing. A ticket with a ticket ID is never created again. `done` is left by a delta
 * (`reopened`), by a person who takes the ID back, and by an undo.
 */
export const TICKET_STATES = [
  'pending',
  'creating',
  'created',
  'done',
  'rejected',
  'failed',
  'inDoubt',
  'skipped',
] as const;
export type TicketState = (typeof TICKET_STATES)[number];

const NEXT: Record<TicketState, readonly TicketState[]> = {
  // A rebuilt checkpoint has tickets that it never created.
  pending: ['pending', 'creating', 'created', 'rejected', 'skipped', 'inDoubt'],
  // The time is noted anew before it is sent again.
  creating: ['creating', 'created', 'failed', 'pending', 'inDoubt', 'skipped'],
  created: ['created', 'done', 'failed', 'inDoubt', 'pending'],
  done: ['created', 'done', 'inDoubt', 'pending'],
  rejected: ['creating', 'created', 'skipped', 'rejected', 'failed', 'inDoubt', 'pending'],
  // A refused ticket may exist all the same: it is looked for before it is created again.
  failed: ['creating', 'created', 'skipped', 'rejected', 'failed', 'inDoubt', 'pending'],
  inDoubt: ['created', 'pending', 'failed', 'inDoubt', 'skipped'],
  skipped: ['created', 'pending'],
};

/** Whether a ticket may come from one state to another. */
export function mayBecome(from: TicketState, to: TicketState): boolean {
  return NEXT[from].includes(to);
}

/** The outcomes of a ticket (contract, "Outcomes"). */
export const OUTCOMES = ['done', 'rejected', 'failed', 'inDoubt', 'skipped', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A create that no process is carrying out has an unknown outcome; with a writer at work it is still pending. */
export function outcomeOf(state: TicketState, isBeingWritten = false): Outcome {
  if (state === 'creating') return isBeingWritten ? 'pending' : 'inDoubt';
  return state === 'created' ? 'pending' : state;
}

/** Counts by outcome. Invariant: read = done + rejected + failed + inDoubt + skipped + pending. */
export type OutcomeCounts = Record<Outcome, number> & { read: number };

export function emptyCounts(): OutcomeCounts {
  return { read: 0, done: 0, rejected: 0, failed: 0, inDoubt: 0, skipped: 0, pending: 0 };
}
