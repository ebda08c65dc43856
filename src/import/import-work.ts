/**
 * The second pass: what the survey found is turned into work for the push, ticket by ticket, as the push asks for it. On the
 * way it records in the checkpoint what will not be sent. What each ticket counted as is remembered until its outcome
 * comes: a bounded number of tickets, as the push bounds what it takes.
 */

import type { AppError } from '../domain/errors.ts';
import type { ExportTimes, Ledger, TicketProblem } from '../domain/ledger.ts';
import { inOwnWords, textsOf } from '../domain/own-words.ts';
import type { TicketPayload } from '../domain/payload.ts';
import type { Problem, ProblemSink, Severity } from '../domain/problem.ts';
import type { RunEvent } from '../domain/run-events.ts';
import type { RecordRef } from '../domain/source.ts';
import type { CheckedTicket, MappedTicket, PlannedTicket } from '../domain/ticket.ts';
import type { Outcome } from '../domain/ticket-state.ts';
import { planBatches, planTicket } from '../plan/planned.ts';
import { ALL_SELECTED } from '../plan/selection.ts';
import { stepOf } from '../plan/step.ts';
import { type Examination, type Examined, type ExaminedTicket, examine } from './examine.ts';
import type { TicketLinks } from './links/ticket-links.ts';
import { rankOf, type Surveyed } from './survey-export.ts';
import type { SurveyedContent } from './surveyed-content.ts';
import type { Tally } from './tally.ts';

export interface WorkPorts {
  readonly ledger: Ledger;
  readonly exportTimes: Pick<ExportTimes, 'set'>;
  readonly content: SurveyedContent;
  readonly tally: Tally;
  readonly problem: ProblemSink;
  readonly fileName: (ref: RecordRef) => string;
  readonly originOf: (ticket: TicketPayload) => string;
  readonly batchSize: number;
  /** Tickets go in their turn, as the survey noted them; else in the order of the export. */
  readonly turns: Surveyed['turns'];
  /** Told with every open ticket that has an outcome. */
  readonly onOpen: (open: {
    readonly total: number;
    readonly settled: number;
    readonly done: number;
  }) => void;
  /** Where links are what the run is about. */
  readonly links?: Pick<TicketLinks, 'begin' | 'onEvent' | 'inWords'> | undefined;
  /** Only these tickets (a trial); the others stay as they are. */
  readonly only: ReadonlySet<string> | undefined;
  /** Tickets of a trial, whether they are sent now or were before. */
  readonly onTrialTicket: (checked: CheckedTicket) => void;
}

export class ImportWork {
  readonly #examination: Examination;
  readonly #ports: WorkPorts;
  readonly #inFlight = new Map<string, { readonly outcome: Outcome; readonly checked: CheckedTicket }>();

  #records = 0;
  #open = { settled: 0, done: 0 };

  constructor(examination: Examination, ports: WorkPorts) {
    this.#examination = examination;
    this.#ports = ports;
  }

  async *tickets(signal: AbortSignal): AsyncGenerator<PlannedTicket> {
    const batches = planBatches(this.#ports.batchSize);
    const { joined } = this.#examination;
    const chunks =
      this.#ports.turns === undefined
        ? examine(this.#examination, signal)
        : examine({ ...this.#examination, selection: ALL_SELECTED }, signal, joined.inTurn(signal));
    for await (const chunk of chunks) {
      for (const examined of chunk) this.#ports.content.require(examined);
      this.#records += chunk.length;
      await Promise.all(chunk.map((examined) => this.#record(examined)));
      for (const examined of chunk) {
        if (examined.kind !== 'ticket') continue;
        const planned = this.#plan(examined, () => batches.next());
        if (planned === undefined) continue;
        if (examined.result.checked !== undefined) await this.#ports.links?.begin(examined.result.checked);
        yield planned;
      }
    }
  }

  /** Why the export is not the one that was surveyed, told when all of it was taken and sent. */
  changedSince(): AppError | undefined {
    const { turns, content } = this.#ports;
    return content.end(turns?.noted === this.#records ? content.count : this.#records);
  }

  /** The texts of a ticket that has no outcome yet, which the checkpoint must not keep. */
  textsOf(externalId: string): Iterable<string> {
    const flight = this.#inFlight.get(externalId);
    return flight === undefined ? [] : textsOf(flight.checked);
  }

  /** Listens to the push: moves the ticket in the tally, and tells what is wrong with it. */
  onEvent(event: RunEvent): void {
    if (event.type !== 'ticket') return;
    const flight = this.#inFlight.get(event.externalId);
    if (flight === undefined) return;
    this.#inFlight.delete(event.externalId);
    this.#ports.links?.onEvent(event);
    this.#ports.tally.move(flight.outcome, event.outcome);
    if (this.#ports.turns !== undefined && rankOf(flight) === 0) {
      this.#open = {
        settled: this.#open.settled + 1,
        done: this.#open.done + (event.outcome === 'done' ? 1 : 0),
      };
      this.#ports.onOpen({ total: this.#ports.turns.open, ...this.#open });
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
      file: this.#ports.fileName(ref),
      line: ref.line,
      message,
      count: 1,
    });
  }

  #plan(examined: ExaminedTicket, batch: () => number): PlannedTicket | undefined {
    const { result, step } = examined;
    const { checked } = result;
    const { only, onTrialTicket } = this.#ports;
    if (checked === undefined) return undefined;
    if (only !== undefined && !only.has(checked.externalId)) return undefined;
    if (only !== undefined) onTrialTicket(checked);
    if (step.action === undefined) return undefined;
    this.#inFlight.set(checked.externalId, { outcome: step.outcome, checked });
    this.#ports.content.sends(checked.seq);
    const { exportedAt } = examined;
    // Durable with whatever is recorded next of the ticket; a checkpoint that cannot be written says so itself.
    if (exportedAt !== undefined && this.#ports.links === undefined)
      void this.#ports.exportTimes.set(checked.externalId, exportedAt).catch(() => undefined);
    return planTicket(checked, step.action, batch(), this.#ports.originOf(checked.ticket));
  }

  /** What checking rejected is recorded before anything behind it is sent. */
  async #record(examined: Examined): Promise<void> {
    if (examined.kind !== 'ticket') return;
    const { step, result, mapped } = examined;
    if (step.record === undefined) return;
    const { withheld } = result;
    // The survey counted it as one that is sent: its files were not asked for yet.
    if (withheld !== undefined)
      this.#ports.tally.move(stepOf(examined.record, withheld, this.#examination.mode).outcome, step.outcome);
    const problem = inOwnWords(ticketProblem(result.problems), wordsOf(mapped));
    await this.#ports.ledger[step.record](mapped.externalId, problem);
  }
}

/** What people wrote, as far as the mapping found it. Addresses and names stay: they are what a person has to correct. */
function wordsOf({ ticket, messages }: MappedTicket): string[] {
  const texts = [ticket['subject'], ...messages.map(({ value }) => value['content'])];
  return texts.flatMap((text) =>
    typeof text === 'string'
      ? [text]
      : typeof text === 'object' && text !== null
        ? [JSON.stringify(text)]
        : [],
  );
}

const LONGEST_REASON = 300;

/** The first error stands for all of them: the checkpoint says why, the rejects and the report say everything. */
function ticketProblem(problems: readonly Problem[]): TicketProblem {
  const first = problems.find((problem) => problem.severity === 'error');
  const reason = first?.field === undefined ? first?.message : `${first.field}: ${first.message}`;
  return { code: first?.code ?? 'rejected', message: (reason ?? 'Rejected.').slice(0, LONGEST_REASON) };
}
