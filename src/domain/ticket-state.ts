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

export const TICKET_EVENTS = [
  /** A create is about to be sent. */
  'intend',
  /** The target answered with a ticket id. */
  'created',
  /** The target took the messages, or there are none. */
  'messagesSent',
  /** The target took the events, or there are none. */
  'eventsSent',
  /** The target refused the ticket, its messages or its events for good, or could not take them in this run. */
  'refused',
  /** It is proven that the create had no effect. */
  'notCreated',
  /** A create was sent and its outcome is unknown. */
  'doubt',
  /** A ticket of the target was recognised as this one. */
  'adopted',
  /** Our validation refused the ticket. */
  'rejected',
  /** A delta replaces the messages of a ticket that is done. */
  'reopened',
  /** A delta is about to change fields of the ticket, or has changed them. */
  'fieldsSent',
  /** A failed or rejected ticket that exists in the target goes on where it stopped. */
  'resumed',
  /** The user settled a ticket in doubt by leaving it out, or another checkpoint has it. */
  'left',
  /** The user took back that a ticket of the target is this one. */
  'released',
  /** Its ticket in the target was emptied: it may be imported again. */
  'undone',
] as const;
export type TicketEventName = (typeof TICKET_EVENTS)[number];

const TRANSITIONS: Record<TicketState, Partial<Record<TicketEventName, TicketState>>> = {
  // A checkpoint that is made anew from the target knows tickets that it never created.
  pending: { intend: 'creating', rejected: 'rejected', adopted: 'created', left: 'skipped' },
  creating: {
    created: 'created',
    refused: 'failed',
    notCreated: 'pending',
    doubt: 'inDoubt',
    adopted: 'created',
  },
  created: {
    messagesSent: 'messaged',
    eventsSent: 'done',
    refused: 'failed',
    released: 'inDoubt',
    undone: 'pending',
  },
  messaged: { eventsSent: 'done', refused: 'failed', released: 'inDoubt', undone: 'pending' },
  done: { reopened: 'created', fieldsSent: 'done', released: 'inDoubt', undone: 'pending' },
  rejected: {
    intend: 'creating',
    adopted: 'created',
    left: 'skipped',
    resumed: 'created',
    rejected: 'rejected',
    released: 'inDoubt',
    undone: 'pending',
  },
  // One that the target refused may be there all the same: it is looked for before it is created again.
  failed: {
    intend: 'creating',
    adopted: 'created',
    left: 'skipped',
    resumed: 'created',
    rejected: 'rejected',
    refused: 'failed',
    released: 'inDoubt',
    undone: 'pending',
  },
  inDoubt: {
    adopted: 'created',
    notCreated: 'pending',
    refused: 'failed',
    doubt: 'inDoubt',
    left: 'skipped',
  },
  skipped: { adopted: 'created', notCreated: 'pending' },
};

/** The state after an event, or undefined where the event is impossible in that state: a defect of the caller. */
export function nextState(state: TicketState, event: TicketEventName): TicketState | undefined {
  return TRANSITIONS[state][event];
}

/** What became of a ticket, kept apart everywhere (contract, "Words"). */
export const OUTCOMES = ['done', 'rejected', 'failed', 'inDoubt', 'skipped', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Counts by outcome. Invariant: read = done + rejected + failed + inDoubt + skipped + pending. */
export type OutcomeCounts = Record<Outcome, number> & { read: number };

export function emptyCounts(): OutcomeCounts {
  return { read: 0, done: 0, rejected: 0, failed: 0, inDoubt: 0, skipped: 0, pending: 0 };
}
