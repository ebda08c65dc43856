/** Hands planned tickets to the push as it asks for them, and notes their outcomes. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { settledRecord, type TicketProblem } from '../domain/ledger.ts';
import { textsOf } from '../domain/own-words.ts';
import type { RunEvent } from '../domain/ports.ts';
import type { Severity } from '../domain/problem.ts';
import type { CheckedTicket, CheckResult, PlannedTicket } from '../domain/ticket.ts';
import { originsOf } from '../plan/origins.ts';
import { planTicket } from '../plan/planned.ts';
import type { PlannedEntry } from '../plan/ticket-plan.ts';
import { guarded } from '../source/problems.ts';
import type { FilesView } from './known-files.ts';
import { ticketProblem } from './map.ts';
import { nameOf } from './read.ts';
import type { LearntSource, Run } from './run.ts';

interface Queue {
  readonly checkpoint: Checkpoint;
  readonly view: FilesView;
  /** Only these, in a trial. */
  readonly picks: ReadonlySet<string> | undefined;
}

export class Turns {
  readonly #run: Run;
  readonly #source: LearntSource;
  readonly #queue: Queue;
  readonly #since: number;
  readonly #inFlight = new Map<string, CheckedTicket>();
  readonly #open: { readonly total: number; settled: number; done: number };

  constructor(run: Run, source: LearntSource, queue: Queue) {
    this.#run = run;
    this.#source = source;
    this.#queue = queue;
    this.#since = run.ports.clock.monotonic();
    this.#open = { total: source.plan.steps.totals().openFirst, settled: 0, done: 0 };
  }

  async *tickets(signal: AbortSignal): AsyncGenerator<PlannedTicket> {
    const { plan } = this.#source;
    const { picks, checkpoint, view } = this.#queue;
    const originOf = originsOf(this.#run.settings);
    guarded(() => plan.steps.queue(picks));
    for (const page of plan.queued()) {
      signal.throwIfAborted();
      const viewed = page.map((entry) => view(entry.result, nameOf(this.#source, entry.ref)));
      // Rejects are recorded before anything behind them is sent.
      await Promise.all(page.map((entry, at) => this.#record(entry, viewed[at])));
      for (const [at, { action, externalId, exportedAt }] of page.entries()) {
        const checked = viewed[at]?.checked;
        if (checked === undefined || action === undefined || picks?.has(externalId) === false) continue;
        this.#inFlight.set(externalId, checked);
        // Durable with the next record of the ticket; a failed checkpoint reports itself.
        if (exportedAt !== undefined)
          void checkpoint.exportTimes.set(externalId, exportedAt).catch(() => undefined);
        yield planTicket(checked, action, originOf(checked.ticket));
      }
    }
  }

  async #record(
    { externalId, becomes, refusal }: PlannedEntry,
    viewed: CheckResult | undefined,
  ): Promise<void> {
    if (becomes === undefined) return;
    const { checkpoint } = this.#queue;
    const problem = refusal ?? ticketProblem(viewed?.problems ?? []);
    await checkpoint.put({ ...settledRecord(checkpoint, externalId), state: becomes, problem });
  }

  readonly onEvent = (event: RunEvent): void => {
    if (event.type !== 'ticket') return;
    const { externalId, outcome, problem, warnings = [] } = event;
    const checked = this.#inFlight.get(externalId);
    if (checked === undefined) return;
    this.#inFlight.delete(externalId);
    guarded(() => this.#source.plan.steps.settle(checked.seq, outcome));
    if (['open', 'pending'].includes(checked.ticket.status ?? 'open')) this.#countOpen(outcome === 'done');
    if (problem !== undefined && (outcome === 'failed' || outcome === 'inDoubt'))
      this.#tell(checked, problem, outcome === 'failed' ? 'error' : 'warning');
    for (const warning of warnings) this.#tell(checked, warning, 'warning');
  };

  #countOpen(isDone: boolean): void {
    const open = this.#open;
    open.settled++;
    if (isDone) open.done++;
    if (this.#queue.picks !== undefined) return;
    const { emit, clock } = this.#run.ports;
    emit({ type: 'open', ...open });
    if (open.settled < open.total) return;
    const afterMs = Math.round(clock.monotonic() - this.#since);
    this.#source.plan.steps.tell({ openFirst: { tickets: open.total, done: open.done, afterMs } });
    const message = `Open and pending tickets in the helpdesk: ${open.done} of ${open.total}, after ${(afterMs / 1000).toFixed(1)} s; the others follow.`;
    emit({ type: 'note', message });
  }

  #tell({ externalId, ref }: CheckedTicket, { code, message }: TicketProblem, severity: Severity): void {
    const place = { ticket: externalId, file: nameOf(this.#source, ref), line: ref.line };
    this.#run.problems.tell({ severity, code, ...place, message, count: 1 });
  }

  /** For removal from what the checkpoint keeps. */
  readonly textsOf = (externalId: string): Iterable<string> => {
    const checked = this.#inFlight.get(externalId);
    return checked === undefined ? [] : textsOf(checked);
  };
}
