/**
 * The second pass: what the survey queued becomes work for the push, ticket by ticket, as the push asks for it. On the way it
 * records in the checkpoint what will not be sent. A ticket under way is remembered until its outcome comes: a bounded
 * number of tickets, as the push bounds what it takes.
 */

import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { settledRecord, type TicketProblem } from '../domain/ledger.ts';
import { textsOf } from '../domain/own-words.ts';
import type { Severity } from '../domain/problem.ts';
import type { RunEvent } from '../domain/run-events.ts';
import type { CheckedTicket, PlannedTicket } from '../domain/ticket.ts';
import { planTicket } from '../plan/planned.ts';
import { guarded } from '../source/problems.ts';
import type { Summary } from '../summary/summary.ts';
import { type Examination, type Examined, examine, ticketProblem } from './examine.ts';
import type { ImportJob } from './import-job.ts';
import { originsOf, type Surveyed } from './survey-export.ts';

export class ImportWork {
  /** When every open and pending ticket had an outcome, where these go first. */
  openFirst: Summary['openFirst'];
  readonly #job: ImportJob;
  readonly #checkpoint: Checkpoint;
  readonly #picks: ReadonlySet<string> | undefined;
  readonly #originOf: ReturnType<typeof originsOf>;
  readonly #since: number;
  readonly #inFlight = new Map<string, CheckedTicket>();
  readonly #open: { readonly total: number; settled: number; done: number };

  /** `picks`: of a trial, the only tickets that are sent. */
  constructor(
    job: ImportJob,
    { totals }: Surveyed,
    checkpoint: Checkpoint,
    picks: ReadonlySet<string> | undefined,
  ) {
    this.#job = job;
    this.#checkpoint = checkpoint;
    this.#picks = picks;
    this.#originOf = originsOf(job.settings);
    this.#since = job.ports.clock.monotonic();
    this.#open = { total: totals.openFirst, settled: 0, done: 0 };
  }

  async *tickets(signal: AbortSignal): AsyncGenerator<PlannedTicket> {
    const { plan } = this.#job.source;
    guarded(() => plan.steps.queue(this.#isOpenFirst ? 'open-first' : 'file', this.#picks));
    const { links } = this.#job.files;
    for await (const chunk of examine(examinationOf(this.#job, this.#checkpoint), signal, plan.queued())) {
      await Promise.all(chunk.map((examined) => this.#record(examined)));
      for (const examined of chunk) {
        if (examined.kind !== 'ticket') continue;
        const { step, exportedAt } = examined;
        const { checked } = examined.result;
        if (checked === undefined || step.action === undefined) continue;
        const { externalId } = checked;
        if (this.#picks?.has(externalId) === false) continue;
        this.#inFlight.set(externalId, checked);
        if (links.action !== undefined) await links.begin(checked);
        // Durable with whatever is recorded next of the ticket; a checkpoint that cannot be written says so itself.
        else if (exportedAt !== undefined)
          void this.#checkpoint.exportTimes.set(externalId, exportedAt).catch(() => undefined);
        yield planTicket(checked, step.action, this.#originOf(checked.ticket));
      }
    }
  }

  /** The texts of a ticket that has no outcome yet, which the checkpoint must not keep. */
  textsOf(externalId: string): Iterable<string> {
    const checked = this.#inFlight.get(externalId);
    return checked === undefined ? [] : textsOf(checked);
  }

  /** Listens to the push: notes what became of the ticket, and reports its problems. */
  onEvent(event: RunEvent): void {
    if (event.type !== 'ticket') return;
    const { externalId, outcome, problem, warnings = [] } = event;
    const checked = this.#inFlight.get(externalId);
    if (checked === undefined) return;
    this.#inFlight.delete(externalId);
    const { source, files } = this.#job;
    if (files.links.action !== undefined) files.links.onEvent(event);
    guarded(() => source.plan.steps.settle(checked.seq, outcome));
    if (['open', 'pending'].includes(checked.ticket.status ?? 'open')) this.#countOpen(outcome === 'done');
    if (problem !== undefined && (outcome === 'failed' || outcome === 'inDoubt'))
      this.#tell(checked, problem, outcome === 'failed' ? 'error' : 'warning');
    for (const warning of warnings)
      this.#tell(
        checked,
        files.links.action === undefined ? warning : files.links.inWords(warning),
        'warning',
      );
  }

  get #isOpenFirst(): boolean {
    const { run, links } = this.#job.settings;
    return run.order !== 'file' && links === undefined;
  }

  #countOpen(isDone: boolean): void {
    const open = this.#open;
    open.settled++;
    if (isDone) open.done++;
    if (!this.#isOpenFirst || this.#picks !== undefined) return;
    const { emit, clock } = this.#job.ports;
    emit({ type: 'open', ...open });
    if (open.settled < open.total) return;
    const afterMs = Math.round(clock.monotonic() - this.#since);
    this.openFirst = { tickets: open.total, done: open.done, afterMs };
    const message = `Open and pending tickets in the helpdesk: ${open.done} of ${open.total}, after ${(afterMs / 1000).toFixed(1)} s; the others follow.`;
    emit({ type: 'note', message });
  }

  #tell({ externalId, ref }: CheckedTicket, { code, message }: TicketProblem, severity: Severity): void {
    const place = { ticket: externalId, file: this.#job.source.nameOf(ref), line: ref.line };
    this.#job.problem({ severity, code, ...place, message, count: 1 });
  }

  /** What checking rejected is recorded before anything behind it is sent. */
  async #record(examined: Examined): Promise<void> {
    if (examined.kind !== 'ticket' || examined.step.record === undefined) return;
    const { seq, step, result, externalId, refusal } = examined;
    // The survey counted a ticket without its files as one that is sent: they were not asked for yet.
    guarded(() => this.#job.source.plan.steps.settle(seq, step.outcome));
    const problem = refusal ?? ticketProblem(result.problems);
    const state = step.record === 'rejected' ? 'rejected' : 'failed';
    await this.#checkpoint.put({ ...settledRecord(this.#checkpoint, externalId), state, problem });
  }
}

/** Of tickets that were surveyed. */
function examinationOf(job: ImportJob, checkpoint: Checkpoint): Examination {
  const { settings, source, check, view, files } = job;
  return {
    ...{ source, check, view },
    ledger: checkpoint,
    exportTimes: checkpoint.exportTimes,
    mode: settings.delta ? 'delta' : 'run',
    stepOf: files.links.stepOf,
  };
}
