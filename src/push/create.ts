/**
 * One create: its turn, the intent on disk, the request, whether the id that came back is its own, and whether the ticket keeps its
 * tag. What the order of these is good for is argued in ticket.ts.
 */
import { hasTag, identityTag } from '../domain/identity.ts';
import { recordOf, type TicketRecord } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type CreatedTicket, type OnWire } from '../domain/ticket-api.ts';
import { tagsNotKept } from '../target/same-target.ts';
import type { CreateGate, CreateTurn } from './create-gate.ts';
import { type CreateFailure, createFailure, endOf } from './failure-meaning.ts';
import type { CarryDeps, TicketJob } from './ticket-job.ts';

export class CreateSender {
  readonly #deps: CarryDeps;
  readonly #gate: CreateGate;
  readonly #source: string | undefined;

  /** `source`: its name, where its tickets carry their identity. */
  constructor(deps: CarryDeps, gate: CreateGate, source: string | undefined) {
    this.#deps = deps;
    this.#gate = gate;
    this.#source = source;
  }

  /** Its turn, the intent on disk, the request, and whether the id that came back is its own. Rejects for a ledger that fails. */
  async send(
    job: TicketJob,
  ): Promise<
    | { readonly ticketId: string; readonly reported: CreatedTicket['ticket']; readonly sentAt: number }
    | { readonly failure: CreateFailure | undefined; readonly isIntended: boolean }
  > {
    const { api, ledger, clock, control } = this.#deps;
    const { externalId, ticket } = job.planned;
    const turn = await this.#turn(externalId);
    if (turn === undefined) return { failure: undefined, isIntended: false };
    let isIntended = false;
    let sentAt = 0;
    const wire: OnWire = {
      mayHaveArrived: true,
      // Only now: a create that still waits for its turn is in no doubt if the process dies.
      beforeSending: async () => {
        await ledger.put(this.#creating(job, clock.now()));
        if (!isIntended) job.creates += 1;
        isIntended = true;
        sentAt = clock.monotonic();
      },
    };
    try {
      const { id: ticketId, ticket: reported } = await api.createTicket(
        this.#named(ticket),
        control.hard,
        wire,
      );
      this.#requireOwn(externalId, ticketId);
      if (!isIntended) throw new Error(`Ticket ${externalId} was created without a record of the intent.`);
      // The first one goes alone, until this is known.
      await this.#requireTag(job, ticketId, reported);
      turn.end('answered');
      return { ticketId, reported, sentAt };
    } catch (error) {
      const failure = createFailure(error, control.hard, wire.mayHaveArrived);
      if (failure.outcome === 'nothing' && isIntended) job.creates -= 1;
      turn.end(endOf(failure), failure.problem);
      return { failure, isIntended };
    }
  }

  /** Undefined where the run stops before it comes. */
  async #turn(externalId: string): Promise<CreateTurn | undefined> {
    const { taking } = this.#deps.control;
    try {
      return await this.#gate.begin(externalId, taking);
    } catch (error) {
      if (taking.aborted) return undefined;
      throw error;
    }
  }

  #creating({ planned }: TicketJob, at: number): TicketRecord {
    const { externalId, fingerprints, origin } = planned;
    const source = this.#source;
    const tag = source === undefined ? {} : { tag: identityTag(source, externalId) };
    const before = recordOf(this.#deps.ledger, externalId);
    return {
      externalId,
      state: 'creating',
      fingerprints,
      origin: origin ?? before.origin,
      sent: { at, ...tag },
    };
  }

  /** The messages of one would replace those of the other, and which of them was made is unknown. */
  #requireOwn(externalId: string, ticketId: string): void {
    const owner = this.#deps.ledger.ownerOf(ticketId);
    if (owner === undefined || owner === externalId) return;
    const message = `The helpdesk answered with the id ${ticketId}, which ticket ${owner} has already: it is not known whether this one was created.`;
    throw new ApiFailure('unknown-outcome', 'unknown', message);
  }

  /** With the newest name of its contact, or with none. */
  #named(ticket: TicketPayload): TicketPayload {
    if (ticket.contact === undefined) return ticket;
    const { email } = ticket.contact;
    const name = this.#deps.names.nameOf(email);
    if (name === ticket.contact.name) return ticket;
    return { ...ticket, contact: name === undefined ? { email } : { email, name } };
  }

  /** Without its tag a ticket is not found again: the first one that lacks it stops the run. */
  async #requireTag(
    { planned }: TicketJob,
    ticketId: string,
    reported: CreatedTicket['ticket'],
  ): Promise<void> {
    const { api, control, facts } = this.#deps;
    const source = this.#source;
    if (source === undefined || control.isStopping) return;
    let { tags } = reported;
    if (!Array.isArray(tags)) {
      if (facts.keepsTags === true || !(await facts.isReadable())) return;
      tags = await api.readTicket(ticketId, control.hard).then(
        (ticket) => ticket['tags'],
        () => undefined,
      );
    }
    if (!Array.isArray(tags)) return;
    facts.keepsTags = hasTag(tags, identityTag(source, planned.externalId));
    if (!facts.keepsTags) control.stop(tagsNotKept());
  }
}
