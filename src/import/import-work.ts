/** The second pass: hands planned tickets to the push as it asks for them. */

import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { settledRecord, type TicketProblem } from '../domain/ledger.ts';
import { textsOf } from '../domain/own-words.ts';
import type { RunEvent } from '../domain/ports.ts';
import type { Severity } from '../domain/problem.ts';
import type { CheckedTicket, PlannedTicket } from '../domain/ticket.ts';
import type { Facts } from '../plan/facts.ts';
import { planTicket } from '../plan/planned.ts';
import { guarded } from '../source/problems.ts';
import { type Examination, type Examined, examine, ticketProblem } from './examine.ts';
import type { ImportJob } from './import-job.ts';
import { originsOf, type Surveyed } from './survey-export.ts';

export function importWork(
  job: ImportJob,
  { totals }: Surveyed,
  checkpoint: Checkpoint,
  picks: ReadonlySet<string> | undefined,
) {
  const { source, reading, ports, isDelta, check, view } = job;
  const { steps } = source.plan;
  const originOf = originsOf(reading);
  const since = ports.clock.monotonic();
  const inFlight = new Map<string, CheckedTicket>();
  const open = { total: totals.openFirst, settled: 0, done: 0 };
  let openFirst: Facts['openFirst'];
  const examination: Examination = {
    ...{ source, check, view },
    ledger: checkpoint,
    exportTimes: checkpoint.exportTimes,
    mode: isDelta ? 'delta' : 'run',
    originOf,
  };

  async function* tickets(signal: AbortSignal): AsyncGenerator<PlannedTicket> {
    guarded(() => steps.queue(picks));
    for await (const chunk of examine(examination, signal, source.plan.queued())) {
      await Promise.all(chunk.map(record));
      for (const examined of chunk) {
        if (examined.kind !== 'ticket') continue;
        const { step, exportedAt } = examined;
        const { checked } = examined.result;
        if (checked === undefined || step.action === undefined) continue;
        const { externalId } = checked;
        if (picks?.has(externalId) === false) continue;
        inFlight.set(externalId, checked);
        // Durable with the next record of the ticket; a failed checkpoint reports itself.
        if (exportedAt !== undefined)
          void checkpoint.exportTimes.set(externalId, exportedAt).catch(() => undefined);
        yield planTicket(checked, step.action, originOf(checked.ticket));
      }
    }
  }

  /** Rejects are recorded before anything behind them is sent. */
  async function record(examined: Examined): Promise<void> {
    if (examined.kind !== 'ticket') return;
    const { seq, step, result, externalId, refusal } = examined;
    const { record: state } = step;
    if (state === undefined) return;
    // The survey counted tickets without asking for their files.
    guarded(() => steps.settle(seq, step.outcome));
    const problem = refusal ?? ticketProblem(result.problems);
    await checkpoint.put({ ...settledRecord(checkpoint, externalId), state, problem });
  }

  function onEvent(event: RunEvent): void {
    if (event.type !== 'ticket') return;
    const { externalId, outcome, problem, warnings = [] } = event;
    const checked = inFlight.get(externalId);
    if (checked === undefined) return;
    inFlight.delete(externalId);
    guarded(() => steps.settle(checked.seq, outcome));
    if (['open', 'pending'].includes(checked.ticket.status ?? 'open')) countOpen(outcome === 'done');
    if (problem !== undefined && (outcome === 'failed' || outcome === 'inDoubt'))
      tell(checked, problem, outcome === 'failed' ? 'error' : 'warning');
    for (const warning of warnings) tell(checked, warning, 'warning');
  }

  function countOpen(isDone: boolean): void {
    open.settled++;
    if (isDone) open.done++;
    if (picks !== undefined) return;
    const { emit, clock } = ports;
    emit({ type: 'open', ...open });
    if (open.settled < open.total) return;
    const afterMs = Math.round(clock.monotonic() - since);
    openFirst = { tickets: open.total, done: open.done, afterMs };
    const message = `Open and pending tickets in the helpdesk: ${open.done} of ${open.total}, after ${(afterMs / 1000).toFixed(1)} s; the others follow.`;
    emit({ type: 'note', message });
  }

  function tell({ externalId, ref }: CheckedTicket, { code, message }: TicketProblem, severity: Severity) {
    const place = { ticket: externalId, file: source.nameOf(ref), line: ref.line };
    job.problem({ severity, code, ...place, message, count: 1 });
  }

  return {
    tickets,
    onEvent,
    openFirst: () => openFirst,
    /** For removal from what the checkpoint keeps. */
    textsOf(externalId: string): Iterable<string> {
      const checked = inFlight.get(externalId);
      return checked === undefined ? [] : textsOf(checked);
    },
  };
}
