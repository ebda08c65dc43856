/**
 * The life of a ticket in the checkpoint, as a pure table.
 *
 *     pending ──intend──▶ creating ──created──▶ created ──messagesSent──▶ messaged ──eventsSent──▶ done
 *        ▲                  │  │  └─refused──▶ failed (no ticket id)
 *        │◀──notCreated─────┘  └─doubt──▶ inDoubt ──adopted──▶ created
 *        │◀──────────────notCreated / retried ──────┘ ├─left──▶ skipped
 *                                                     └─refused──▶ failed (proven not to exist, and given up for now)
 *
 * `creating` is on disk before the request is written. Whoever finds it after a crash knows that a create may have
 * happened, so it reads as in doubt. A step that has nothing to send (no messages, no events) is passed over:
 * `created` and `messaged` may go straight to `done`. `failed` keeps the ticket id when there is one; the next run
 * then sends only what is missing (`resumed`); so does `rejected`, which a failed ticket may become when the export
 * changes. A ticket with a ticket id is never created again, whatever its state: the checkpoint refuses `intend`.
 * `done` is left only by a delta (`reopened`), which keeps the ticket id, and by a person who takes the id back
 * (`released`): then the ticket is in doubt again, whatever it had reached; and by an undo of its run (`undone`), which empties
 * the ticket in the target: nothing is known of it then.
 */
export const TICKET_STATES = [
  'pending',
  'creating',
  'created',
  'messaged',
  'done',
  'rejected',
  'failed',
  'inDoubt',
  'skipped',
] as const;
export type TicketState = (typeof TICKET_STATES)[number];

const NEXT: Record<TicketState, readonly TicketState[]> = {
  // A checkpoint that is made anew from the target knows tickets that it never created.
  pending: ['creating', 'created', 'rejected', 'skipped'],
  creating: ['created', 'failed', 'pending', 'inDoubt'],
  created: ['messaged', 'done', 'failed', 'inDoubt', 'pending'],
  messaged: ['done', 'failed', 'inDoubt', 'pending'],
  done: ['created', 'done', 'inDoubt', 'pending'],
  rejected: ['creating', 'created', 'skipped', 'rejected', 'inDoubt', 'pending'],
  // One that the target refused may be there all the same: it is looked for before it is created again.
  failed: ['creating', 'created', 'skipped', 'rejected', 'failed', 'inDoubt', 'pending'],
  inDoubt: ['created', 'pending', 'failed', 'inDoubt', 'skipped'],
  skipped: ['created', 'pending'],
};

/** Whether a ticket may come from one state to another. */
export function mayBecome(from: TicketState, to: TicketState): boolean {
  return NEXT[from].includes(to);
}

/** What became of a ticket, kept apart everywhere (contract, "Words"). */
export const OUTCOMES = ['done', 'rejected', 'failed', 'inDoubt', 'skipped', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Counts by outcome. Invariant: read = done + rejected + failed + inDoubt + skipped + pending. */
export type OutcomeCounts = Record<Outcome, number> & { read: number };

export function emptyCounts(): OutcomeCounts {
  return { read: 0, done: 0, rejected: 0, failed: 0, inDoubt: 0, skipped: 0, pending: 0 };
}
