/**
 * Brings the status, priority, tags and assignee of a ticket that was imported up to the export, unless people changed them in
 * the target: that is read right before, and compared with what was sent (domain/ticket-fields.ts).
 *
 *   1. GET ticket
 *   2. record       durable before anything is sent: what the target may show from now on
 *   3. PUT ticket   fields of which the target shows what was sent, and the export says something else now
 *   4. record       what the target has; of a field that was left alone what was known before, so that it is reported again
 *
 * After a crash between 2 and 4 the target shows either form, and both are known to be of this import.
 *
 * After the messages and the history: a service may open a ticket again for a message, and write events of its own for a change.
 */
import { isRunTag } from '../domain/identity.ts';
import { recordOf, type TicketProblem } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { ApiFailure, type Snapshot, type TicketChanges } from '../domain/ticket-api.ts';
import {
  alsoAs,
  arrived,
  changesOf,
  isAsSent,
  marksIn,
  reportedFields,
  stated,
  type TicketField,
} from '../domain/ticket-fields.ts';
import { stepFailure } from './failure-meaning.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './run-control.ts';
import { deletedInTarget, fieldsNotUpdated } from './words.ts';

/** Answers of a service that has no call to change a ticket. The ticket itself was read a moment ago. */
const NO_CALL: ReadonlySet<number | undefined> = new Set([403, 404, 405, 501]);

type Forms = ReturnType<typeof reportedFields>;

export class FieldsCarrier {
  readonly #deps: CarryDeps;
  /** What the target answered that cannot change tickets. */
  #noCall: TicketProblem | undefined;

  constructor(deps: CarryDeps) {
    this.#deps = deps;
  }

  /** Nothing that goes wrong here leaves the ticket less complete than it was: it is done, with a warning. */
  async carry(job: TicketJob, ticketId: string): Promise<TicketResult> {
    const { planned } = job;
    const { fields: then } = this.#deps.ledger.get(planned.externalId)?.fingerprints ?? {};
    const { fields: now } = planned.fingerprints;
    if (then === undefined || now === undefined) return ticketResult('done', { ticketId });
    const { fields: changed } = changesOf(then, now);
    const reported = (problem: TicketProblem) => ticketResult('done', { ticketId, warnings: [problem] });
    if (this.#noCall !== undefined) return reported(fieldsNotUpdated('no-call', changed, this.#noCall));
    const read = await this.#deps.facts.readTicket(ticketId);
    if ('failure' in read) {
      const { is, problem, ...stop } = read.failure;
      if (is === 'stopped') return ticketResult('done', { ticketId, ...stop });
      return reported(
        is === 'gone' ? deletedInTarget(ticketId) : fieldsNotUpdated('unread', changed, problem),
      );
    }
    const found = read.found[0] as Snapshot;
    return this.#update(job, { ticketId, then, now, changed, found });
  }

  async #update(
    job: TicketJob,
    known: {
      ticketId: string;
      then: string;
      now: string;
      changed: readonly TicketField[];
      found: Snapshot;
    },
  ): Promise<TicketResult> {
    const { api, control } = this.#deps;
    const { ticketId, then, now, changed, found } = known;
    const { externalId, ticket, fingerprints } = job.planned;
    const shown = reportedFields(found, externalId);
    const { send, there, held } = sorted(changed, { then, now, shown, ticket });
    const warnings = [...held].map(([why, fields]) => fieldsNotUpdated(why, fields));
    let have: ReadonlySet<TicketField> = new Set(there);
    let answered: Forms = {};
    try {
      if (send.length > 0) {
        await this.#record(
          externalId,
          alsoAs(then, Object.fromEntries(send.map((f) => [f, stated(now, f)]))),
        );
        const changes = changesFor(send, ticket, marksIn(found['tags'], externalId));
        const { reported = await api.readTicket(ticketId, control.hard) } = await api.updateTicket(
          ticketId,
          changes,
          control.hard,
        );
        answered = reportedFields(reported, externalId);
        const kept = send.filter((field) => answered[field] === shown[field]);
        if (kept.length > 0) warnings.push(fieldsNotUpdated('ignored', kept));
        have = new Set([...there, ...send.filter((field) => !kept.includes(field))]);
      }
    } catch (error) {
      return this.#failed(ticketId, send, warnings, error);
    }
    if (have.size > 0) {
      const state = arrived(then, now, have);
      const forms = Object.fromEntries(
        [...have].map((field) => [field, (send.includes(field) ? answered : shown)[field]]),
      );
      await this.#record(externalId, alsoAs(state, forms), wholeTicket(state, fingerprints));
    }
    const wasSent = send.some((field) => have.has(field));
    return ticketResult('done', { ticketId, updated: wasSent, ...(warnings.length > 0 && { warnings }) });
  }

  /** `ticket`: the digest of all of it, where the target has that now. */
  async #record(externalId: string, fields: string, ticket?: string): Promise<void> {
    const { ledger } = this.#deps;
    const record = recordOf(ledger, externalId);
    const { fingerprints } = record;
    if (fingerprints === undefined) return;
    await ledger.put({
      ...record,
      fingerprints: { ...fingerprints, fields, ticket: ticket ?? fingerprints.ticket },
    });
  }

  #failed(
    ticketId: string,
    send: readonly TicketField[],
    warnings: readonly TicketProblem[],
    error: unknown,
  ): TicketResult {
    const { problem, outcome, ...stop } = stepFailure(error, this.#deps.control.hard);
    const isNoCall = error instanceof ApiFailure && NO_CALL.has(problem.status);
    if (isNoCall) this.#noCall = problem;
    else if ('stop' in stop || outcome === 'unfinished') return ticketResult('done', { ticketId, ...stop });
    const why = isNoCall ? 'no-call' : problem.code === 'refused' ? 'refused' : 'unknown';
    return ticketResult('done', {
      ticketId,
      warnings: [...warnings, fieldsNotUpdated(why, send, problem)],
    });
  }
}

/** What is to be done about each field that reads otherwise in the export now. */
function sorted(
  changed: readonly TicketField[],
  { then, now, shown, ticket }: { then: string; now: string; shown: Forms; ticket: TicketPayload },
) {
  const send: TicketField[] = [];
  const there: TicketField[] = [];
  const held = new Map<'changed' | 'unreported' | 'unassigned', TicketField[]>();
  for (const field of changed) {
    const reported = shown[field];
    if (reported === stated(now, field)) there.push(field);
    else {
      const why =
        reported === undefined
          ? 'unreported'
          : !isAsSent(then, field, reported)
            ? 'changed'
            : field === 'assignedToId' && ticket.assignedToId === undefined
              ? 'unassigned'
              : undefined;
      if (why === undefined) send.push(field);
      else held.set(why, [...(held.get(why) ?? []), field]);
    }
  }
  return { send, there, held };
}

/** The body of the PUT. A ticket keeps the marks that it has. */
function changesFor(
  fields: readonly TicketField[],
  { status = 'open', priority = 'normal', tags = [], assignedToId }: TicketPayload,
  marks: readonly string[],
): TicketChanges {
  const all: TicketChanges = {
    status,
    priority,
    // It keeps the tag of the run that created it.
    tags: [...new Set([...tags.filter((tag) => !isRunTag(tag)), ...marks])],
    ...(assignedToId === undefined ? {} : { assignedToId }),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => (fields as string[]).includes(name)));
}

/** The digest of the ticket, where the target has all of it as the export has it now. */
function wholeTicket(state: string, { fields, ticket }: Fingerprints): string | undefined {
  return fields?.startsWith(state) === true ? ticket : undefined;
}
