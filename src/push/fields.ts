/**
 * Brings the status, priority, tags and assignee of an imported ticket up to the export, unless people changed them in the helpdesk:
 * it is read right before, and compared with what was sent (domain/ticket-fields.ts).
 *
 *   1. GET ticket
 *   2. record       durable before anything is sent: what the helpdesk may show from now on
 *   3. PUT ticket   fields of which the helpdesk shows what was sent, and the export says something else now; not sent once the
 *                   helpdesk shows anything else than 1, and after an unknown outcome all begins with 1
 *   4. record       what the helpdesk has; of a field that was left alone what was known before, so that it is reported again
 *
 * After a crash between 2 and 4 the helpdesk shows either form, and both are known to be of this import.
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
import { failureOf, problemIn } from './failure-meaning.ts';
import { fromNewReading, lookingFirst, MOST_READINGS, Outdated } from './look.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './run-control.ts';
import { fieldsNotUpdated, ticketProblem } from './words.ts';

/** These say that the service has no such call. */
export const NO_CALL: ReadonlySet<number | undefined> = new Set([403, 404, 405, 501]);

type Forms = ReturnType<typeof reportedFields>;

interface Compared {
  readonly then: string;
  readonly now: string;
  readonly changed: readonly TicketField[];
  readonly shown: Forms;
}

export class FieldsCarrier {
  readonly #deps: CarryDeps;
  #noCall: TicketProblem | undefined;

  constructor(deps: CarryDeps) {
    this.#deps = deps;
  }

  async carry(job: TicketJob, ticketId: string): Promise<TicketResult> {
    return await fromNewReading((nth) => this.#carryOnce(job, ticketId, nth === MOST_READINGS));
  }

  async #carryOnce(job: TicketJob, ticketId: string, isLast: boolean): Promise<TicketResult> {
    const { clock, facts, ledger } = this.#deps;
    const { externalId, ticket, fingerprints } = job.planned;
    const { fields: then } = ledger.get(externalId)?.fingerprints ?? {};
    const { fields: now } = fingerprints;
    if (then === undefined || now === undefined) return ticketResult('done', { ticketId });
    const { fields: changed } = changesOf(then, now);
    const reported = (problem: TicketProblem) => ticketResult('done', { ticketId, warnings: [problem] });
    if (this.#noCall !== undefined) return reported(fieldsNotUpdated('no-call', changed, this.#noCall));
    const at = clock.monotonic();
    const read = await facts.readTicket(ticketId);
    if ('failure' in read) {
      const { is, problem } = read.failure;
      return reported(
        is === 'gone'
          ? ticketProblem('deleted-in-target:ticket', { ticket: ticketId })
          : fieldsNotUpdated('unread', changed, problem),
      );
    }
    const [found] = read.found as [Snapshot];
    const shown = reportedFields(found, externalId);
    const { send, there, held } = sorted({ then, now, changed, shown }, ticket);
    const warnings = [...held].map(([why, fields]) => fieldsNotUpdated(why, fields));
    const has: Forms = Object.fromEntries(there.map((field) => [field, shown[field]]));
    try {
      const compared = { then, now, changed: send, shown };
      const answered =
        send.length === 0 ? {} : await this.#put(job, { ...found, id: ticketId }, compared, at);
      const kept = send.filter((field) => answered[field] === shown[field]);
      if (kept.length > 0) warnings.push(fieldsNotUpdated('ignored', kept));
      for (const field of send) if (!kept.includes(field)) Object.assign(has, { [field]: answered[field] });
    } catch (error) {
      // A read shows whether it arrived, and what people changed meanwhile.
      if (!isLast && error instanceof ApiFailure && error.code === 'unknown-outcome') throw new Outdated();
      return ticketResult('done', { ticketId, warnings: [...warnings, this.#failed(send, error)] });
    }
    const have = new Set(Object.keys(has) as TicketField[]);
    if (have.size > 0) {
      const state = arrived(then, now, have);
      await this.#record(externalId, alsoAs(state, has), wholeTicket(state, fingerprints));
    }
    const updated = send.some((field) => have.has(field));
    return ticketResult('done', { ticketId, updated, ...(warnings.length > 0 && { warnings }) });
  }

  /** Steps 2 and 3. Throws Outdated if people changed one of these fields. */
  async #put(
    { planned: { externalId, ticket } }: TicketJob,
    found: Snapshot,
    { then, now, changed, shown }: Compared,
    at: number,
  ): Promise<Forms> {
    const { api, control } = this.#deps;
    const { id } = found;
    await this.#record(externalId, alsoAs(then, Object.fromEntries(changed.map((f) => [f, stated(now, f)]))));
    const wire = lookingFirst(this.#deps, { at }, async () => {
      const forms = reportedFields(await api.readTicket(id, control.hard), externalId);
      if (changed.some((field) => forms[field] !== shown[field])) throw new Outdated();
    });
    const changes = changesFor(changed, ticket, marksIn(found['tags'], externalId));
    const { reported } = await api.updateTicket(id, changes, control.hard, wire);
    return reportedFields(reported ?? (await api.readTicket(id, control.hard)), externalId);
  }

  async #record(externalId: string, fields: string, ticket?: string): Promise<void> {
    const { ledger } = this.#deps;
    const record = recordOf(ledger, externalId);
    const { fingerprints } = record;
    if (fingerprints === undefined) return;
    const prints = { ...fingerprints, fields, ticket: ticket ?? fingerprints.ticket };
    await ledger.put({ ...record, fingerprints: prints });
  }

  #failed(send: readonly TicketField[], error: unknown): TicketProblem {
    const isNoCall = error instanceof ApiFailure && NO_CALL.has(error.status);
    const { hard } = this.#deps.control;
    const problem = isNoCall ? failureOf(error, hard).problem : problemIn(error, hard);
    if (isNoCall) this.#noCall = problem;
    const why = isNoCall ? 'no-call' : problem.code === 'refused' ? 'refused' : 'unknown';
    return fieldsNotUpdated(why, send, problem);
  }
}

/** For each changed field: send, keep or report. */
function sorted({ then, now, changed, shown }: Compared, { assignedToId }: TicketPayload) {
  const send: TicketField[] = [];
  const there: TicketField[] = [];
  const held = new Map<'changed' | 'unreported' | 'unassigned', TicketField[]>();
  const hold = (why: 'changed' | 'unreported' | 'unassigned', field: TicketField) =>
    held.set(why, [...(held.get(why) ?? []), field]);
  for (const field of changed) {
    const reported = shown[field];
    if (reported === stated(now, field)) there.push(field);
    else if (reported === undefined) hold('unreported', field);
    else if (!isAsSent(then, field, reported)) hold('changed', field);
    else if (field === 'assignedToId' && assignedToId === undefined) hold('unassigned', field);
    else send.push(field);
  }
  return { send, there, held };
}

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

/** The ticket's digest, once the helpdesk has all of it as the export has it. */
function wholeTicket(state: string, { fields, ticket }: Fingerprints): string | undefined {
  return fields?.startsWith(state) === true ? ticket : undefined;
}
