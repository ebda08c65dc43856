/** The second pass: hands planned tickets to the push as it asks for them. */

import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { settledRecord, type TicketProblem } from '../domain/ledger.ts';
import { textsOf } from '../domain/own-words.ts';
import type { RunEvent } from '../domain/ports.ts';
import type { Severity } from '../domain/problem.ts';
import type { CheckedTicket, PlannedTicket } from '../domain/ticket.ts';
import type { Facts } from '../facts/facts.ts';
import { planTicket } from '../plan/planned.ts';
import { guarded } from '../source/problems.ts';
import { type Examination, type Examined, examine, ticketProblem } from './examine.ts';
import type { ImportJob } from './import-job.ts';
import { originsOf, type Surveyed } from './survey-export.ts';

export class ImportWork {
  openFirst: Facts['openFirst'];
  readonly #job: ImportJob;
  readonly #checkpoint: Checkpoint;
  readonly #picks: ReadonlySet<string> | undefined;
  readonly #originOf: ReturnType<typeof originsOf>;
  readonly #since: number;
  readonly #inFlight = new Map<string, CheckedTicket>();
  readonly #open: { readonly total: number; settled: number; done: number };

  constructor(
    job: ImportJob,
    { totals }: Surveyed,
    checkpoint: Checkpoint,
    picks: ReadonlySet<string> | undefined,
  ) {
    this.#job = job;
    this.#checkpoint = checkpoint;
    this.#picks = picks;
    this.#originOf = originsOf(job.reading);
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
        // Durable with the next record of the ticket; a failed checkpoint reports itself.
        else if (exportedAt !== undefined)
          void this.#checkpoint.exportTimes.set(externalId, exportedAt).catch(() => undefined);
        yield planTicket(checked, step.action, this.#originOf(checked.ticket));
      }
    }
  }

  /** For removal from what the checkpoint keeps. */
  textsOf(externalId: string): Iterable<string> {
    const checked = this.#inFlight.get(externalId);
    return checked === undefined ? [] : textsOf(checked);
  }

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
    return this.#job.links.action === undefined;
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

  /** Rejects are recorded before anything behind them is sent. */
  async #record(examined: Examined): Promise<void> {
    if (examined.kind !== 'ticket') return;
    const { seq, step, result, externalId, refusal } = examined;
    const { record: state } = step;
    if (state === undefined) return;
    // The survey counted tickets without asking for their files.
    guarded(() => this.#job.source.plan.steps.settle(seq, step.outcome));
    const problem = refusal ?? ticketProblem(result.problems);
    const record = settledRecord(this.#checkpoint, externalId);
    await this.#checkpoint.put({ ...record, state, problem });
  }
}

function examinationOf(job: ImportJob, checkpoint: Checkpoint): Examination {
  const { isDelta, source, check, view, files } = job;
  return {
    ...{ source, check, view },
    ledger: checkpoint,
    exportTimes: checkpoint.exportTimes,
    mode: isDelta ? 'delta' : 'run',
    stepOf: files.links.stepOf,
  };
}
