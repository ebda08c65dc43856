/**
 * The second pass: what the survey found is turned into work for the push, ticket by ticket, as the push asks for it. On the
 * way it records in the checkpoint what will not be sent. What each ticket counted as is remembered until its outcome
 * comes: a bounded number of tickets, as the push bounds what it takes.
 */

import { AppError } from '../domain/errors.ts';
import { type ExportTimes, type Ledger, settledRecord, type TicketProblem } from '../domain/ledger.ts';
import { textsOf } from '../domain/own-words.ts';
import type { TicketPayload } from '../domain/payload.ts';
import type { ProblemSink, Severity } from '../domain/problem.ts';
import type { RunEvent } from '../domain/run-events.ts';
import type { RecordRef } from '../domain/source.ts';
import type { CheckedTicket, PlannedTicket } from '../domain/ticket.ts';
import type { Outcome, OutcomeCounts } from '../domain/ticket-state.ts';
import { planTicket } from '../plan/planned.ts';
import { ALL_SELECTED } from '../plan/selection.ts';
import { stepOf } from '../plan/step.ts';
import { type Examination, type Examined, type ExaminedTicket, examine, ticketProblem } from './examine.ts';
import type { TicketLinks } from './links/ticket-links.ts';
import type { TrialRecord } from './run-record.ts';
import { rankOf, type Surveyed } from './survey-export.ts';

interface WorkPorts {
  readonly ledger: Ledger;
  readonly exportTimes: Pick<ExportTimes, 'set'>;
  readonly tally: Tally;
  readonly problem: ProblemSink;
  readonly originOf: (ticket: TicketPayload) => string;
  /** Open and pending tickets to be sent, where these go first; else the order is that of the export. */
  readonly openFirst: Surveyed['openFirst'];
  /** Told with every open ticket that has an outcome. */
  readonly onOpen: (open: {
    readonly total: number;
    readonly settled: number;
    readonly done: number;
  }) => void;
  /** Where links are what the run is about. */
  readonly links?: Pick<TicketLinks, 'begin' | 'onEvent' | 'inWords'> | undefined;
  /** Only its tickets, whether they are sent now or were before; the others stay as they are. */
  readonly trial: Pick<TrialRecord, 'ids' | 'take'> | undefined;
}

export class ImportWork {
  readonly #examination: Examination;
  readonly #ports: WorkPorts;
  readonly #inFlight = new Map<string, { readonly outcome: Outcome; readonly checked: CheckedTicket }>();

  #open = { settled: 0, done: 0 };

  constructor(examination: Examination, ports: WorkPorts) {
    this.#examination = examination;
    this.#ports = ports;
  }

  async *tickets(signal: AbortSignal): AsyncGenerator<PlannedTicket> {
    const chunks =
      this.#ports.openFirst === undefined
        ? examine(this.#examination, signal)
        : examine({ ...this.#examination, selection: ALL_SELECTED }, signal, 'open-first');
    for await (const chunk of chunks) {
      await Promise.all(chunk.map((examined) => this.#record(examined)));
      for (const examined of chunk) {
        if (examined.kind !== 'ticket') continue;
        const planned = this.#plan(examined);
        if (planned === undefined) continue;
        if (examined.result.checked !== undefined) await this.#ports.links?.begin(examined.result.checked);
        yield planned;
      }
    }
  }

  /** The texts of a ticket that has no outcome yet, which the checkpoint must not keep. */
  textsOf(externalId: string): Iterable<string> {
    const flight = this.#inFlight.get(externalId);
    return flight === undefined ? [] : textsOf(flight.checked);
  }

  /** Listens to the push: moves the ticket in the tally, and reports its problems. */
  onEvent(event: RunEvent): void {
    if (event.type !== 'ticket') return;
    const flight = this.#inFlight.get(event.externalId);
    if (flight === undefined) return;
    this.#inFlight.delete(event.externalId);
    this.#ports.links?.onEvent(event);
    this.#ports.tally.move(flight.outcome, event.outcome);
    if (this.#ports.openFirst !== undefined && rankOf(flight) === 0) {
      this.#open = {
        settled: this.#open.settled + 1,
        done: this.#open.done + (event.outcome === 'done' ? 1 : 0),
      };
      this.#ports.onOpen({ total: this.#ports.openFirst, ...this.#open });
    }
    const isFailed = event.outcome === 'failed';
    if (event.problem !== undefined && (isFailed || event.outcome === 'inDoubt'))
      this.#tell(event.externalId, event.problem, isFailed ? 'error' : 'warning', flight.checked.ref);
    for (const warning of event.warnings ?? [])
      this.#tell(
        event.externalId,
        this.#ports.links?.inWords(warning) ?? warning,
        'warning',
        flight.checked.ref,
      );
  }

  #tell(ticket: string, { code, message }: TicketProblem, severity: Severity, ref: RecordRef): void {
    this.#ports.problem({
      severity,
      code,
      ticket,
      file: this.#examination.source.nameOf(ref),
      line: ref.line,
      message,
      count: 1,
    });
  }

  #plan(examined: ExaminedTicket): PlannedTicket | undefined {
    const { result, step } = examined;
    const { checked } = result;
    const { trial } = this.#ports;
    if (checked === undefined || trial?.ids.has(checked.externalId) === false) return undefined;
    trial?.take(checked);
    if (step.action === undefined) return undefined;
    this.#inFlight.set(checked.externalId, { outcome: step.outcome, checked });
    const { exportedAt } = examined;
    // Durable with whatever is recorded next of the ticket; a checkpoint that cannot be written says so itself.
    if (exportedAt !== undefined && this.#ports.links === undefined)
      void this.#ports.exportTimes.set(checked.externalId, exportedAt).catch(() => undefined);
    return planTicket(checked, step.action, this.#ports.originOf(checked.ticket));
  }

  /** What checking rejected is recorded before anything behind it is sent. */
  async #record(examined: Examined): Promise<void> {
    if (examined.kind !== 'ticket') return;
    const { step, result, externalId, refusal } = examined;
    if (step.record === undefined) return;
    const { withheld } = result;
    // The survey counted it as one that is sent: its files were not asked for yet.
    if (withheld !== undefined)
      this.#ports.tally.move(stepOf(examined.record, withheld, this.#examination.mode).outcome, step.outcome);
    const { ledger } = this.#ports;
    const problem = refusal ?? ticketProblem(result.problems);
    const state = step.record === 'rejected' ? 'rejected' : 'failed';
    await ledger.put({ ...settledRecord(ledger, externalId), state, problem });
  }
}

/**
 * What has become of the export's tickets while a push goes on. Each ticket moves from one outcome to another, so the sum never changes:
 * nothing can be counted twice or lost.
 */
export class Tally {
  readonly #counts: OutcomeCounts;

  constructor(surveyed: OutcomeCounts) {
    this.#counts = { ...surveyed };
  }

  move(from: Outcome, to: Outcome): void {
    if (this.#counts[from] === 0)
      throw new AppError('internal', `A ticket left the outcome "${from}", in which none is counted.`);
    this.#counts[from]--;
    this.#counts[to]++;
  }

  get counts(): OutcomeCounts {
    return { ...this.#counts };
  }
}
