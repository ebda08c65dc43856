/**
 * The life of a ticket in the checkpoint, as a pure table.
 *
 *     pending ──intent on disk──▶ creating ──POST──▶ created ──messages, history──▶ done
 *        ▲                          │  │ └─refused──▶ refused      └─refused──▶ incomplete
 *        │◀──────not sent───────────┘  └─unknown──▶ inDoubt ──found──▶ created
 *        └◀──────proven absent, or a person says so────┘ └─left to its owner──▶ skipped
 *
 * `creating` is on disk before the request is sent; after a crash it reads as in doubt. A `refused` ticket has no ticket ID; the helpdesk
 * may have made it all the same, so it is looked for before it is created again. An `incomplete` one has its ID, and the next run sends
 * what is missing. A ticket with a ticket ID is never created again. `done` is left by a delta (`reopened`), by a person who takes the ID
 * back, by an undo, and for `incomplete` when people deleted it in the helpdesk.
 */
export const TICKET_STATES = [
  'pending',
  'creating',
  'created',
  'done',
  'rejected',
  'refused',
  'incomplete',
  'inDoubt',
  'skipped',
] as const;
export type TicketState = (typeof TICKET_STATES)[number];

const NEXT: Record<TicketState, readonly TicketState[]> = {
  // A rebuilt checkpoint has tickets that it never created.
  pending: ['pending', 'creating', 'created', 'rejected', 'skipped', 'inDoubt'],
  // The time is noted anew before it is sent again.
  creating: ['creating', 'created', 'refused', 'pending', 'inDoubt', 'skipped'],
  created: ['created', 'done', 'incomplete', 'inDoubt', 'pending'],
  done: ['created', 'done', 'incomplete', 'inDoubt', 'pending'],
  rejected: ['creating', 'created', 'skipped', 'rejected', 'inDoubt', 'pending'],
  refused: ['creating', 'created', 'skipped', 'rejected', 'inDoubt', 'pending'],
  incomplete: ['created', 'incomplete', 'inDoubt', 'pending', 'skipped'],
  inDoubt: ['created', 'pending', 'inDoubt', 'skipped'],
  skipped: ['created', 'pending'],
};

export function mayBecome(from: TicketState, to: TicketState): boolean {
  return NEXT[from].includes(to);
}

export const OUTCOMES = ['done', 'rejected', 'failed', 'inDoubt', 'skipped', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A create that no process carries out has an unknown outcome; during a run it is still pending. */
export function outcomeOf(state: TicketState, isBeingWritten = false): Outcome {
  if (state === 'creating') return isBeingWritten ? 'pending' : 'inDoubt';
  if (state === 'refused' || state === 'incomplete') return 'failed';
  return state === 'created' ? 'pending' : state;
}

export type OutcomeCounts = Record<Outcome, number> & { read: number };

export function emptyCounts(): OutcomeCounts {
  return { read: 0, done: 0, rejected: 0, failed: 0, inDoubt: 0, skipped: 0, pending: 0 };
}

export const LEFT_OPEN = ['refused', 'incomplete', 'rejected'] as const satisfies readonly TicketState[];
