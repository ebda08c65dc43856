/**
 * One create: its turn, the intent on disk, the request, and whether the id that came back is its own. What the order of these
 * is good for is argued in carry-ticket.ts.
 */
import type { CreateIntent } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type CreatedTicket, type OnWire } from '../domain/ticket-api.ts';
import type { CreateGate, CreateTurn } from './create-gate.ts';
import { type CreateFailure, createFailure, endOf } from './failure-meaning.ts';
import type { CarryDeps, TicketJob } from './ticket-job.ts';
import { intentOf } from './ticket-job.ts';

export type SentCreate =
  | {
      readonly end: 'created';
      readonly ticketId: string;
      readonly intent: CreateIntent;
      readonly sentAt: number;
      /** As the target answered it. */
      readonly reported: CreatedTicket['ticket'];
      readonly turn: CreateTurn;
    }
  /** `isIntended`: the ledger has its intent. Else nothing of it can have gone out. */
  | { readonly end: 'failed'; readonly failure: CreateFailure; readonly isIntended: boolean }
  /** The run stopped before it was its turn. */
  | { readonly end: 'not-sent' };

/** Rejects for a ledger that fails. `keepsTurn`: whoever called ends the turn of a create that was answered. */
export async function sendCreate(
  job: TicketJob,
  gate: CreateGate,
  source: string | undefined,
  deps: CarryDeps,
  keepsTurn: boolean,
): Promise<SentCreate> {
  const { planned } = job;
  const { api, ledger, clock, control } = deps;
  const { externalId } = planned;
  const turn = gate.tryBegin(externalId) ?? (await turnOf(externalId, gate, control.taking));
  if (turn === undefined) return { end: 'not-sent' };
  let intent: CreateIntent | undefined;
  let sentAt = 0;
  let broken: { readonly error: unknown } | undefined;
  const wire: OnWire = {
    mayHaveArrived: true,
    // Only now: whoever waits for its turn is in no doubt if the process dies.
    beforeSending: async () => {
      if (intent === undefined) {
        const begun = intentOf(planned, clock.now(), source);
        try {
          await ledger.intend(externalId, begun, planned.fingerprints, planned.origin);
        } catch (error) {
          broken = { error };
          throw error;
        }
        intent = begun;
        job.creates += 1;
      }
      sentAt = clock.monotonic();
    },
  };
  try {
    const { id, ticket: reported } = await api.createTicket(named(planned.ticket, deps), control.hard, wire);
    requireOwn(externalId, id, deps);
    if (intent === undefined)
      throw new Error(`Ticket ${externalId} was created without a record of the intent.`);
    if (!keepsTurn) turn.end('answered');
    return { end: 'created', ticketId: id, intent, sentAt, reported, turn };
  } catch (error) {
    if (broken !== undefined) {
      turn.end('neither');
      throw broken.error;
    }
    const failure = createFailure(error, control.hard, wire.mayHaveArrived);
    if (failure.outcome === 'nothing' && intent !== undefined) job.creates -= 1;
    turn.end(endOf(failure), failure.problem);
    return { end: 'failed', failure, isIntended: intent !== undefined };
  }
}

/** Undefined where the run stops before it comes. */
async function turnOf(
  externalId: string,
  gate: CreateGate,
  taking: AbortSignal,
): Promise<CreateTurn | undefined> {
  try {
    return await gate.begin(externalId, taking);
  } catch (error) {
    if (taking.aborted) return undefined;
    throw error;
  }
}

/** The messages of one would replace those of the other, and which of them was made cannot be told. */
function requireOwn(externalId: string, ticketId: string, { ledger }: CarryDeps): void {
  const owner = ledger.ownerOf(ticketId);
  if (owner === undefined || owner === externalId) return;
  const message = `The target answered with the id ${ticketId}, which ticket ${owner} has already: it is not known whether this one was created.`;
  throw new ApiFailure('unknown-outcome', 'unknown', message);
}

/** With the newest name of its contact, or with none. */
function named(ticket: TicketPayload, { names }: CarryDeps): TicketPayload {
  if (ticket.contact === undefined) return ticket;
  const { email } = ticket.contact;
  const name = names.nameOf(email);
  if (name === ticket.contact.name) return ticket;
  return { ...ticket, contact: name === undefined ? { email } : { email, name } };
}
