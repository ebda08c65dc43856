/**
 * Usage events from files to the app API: read → map → check → list → send → rejects. The service counts an event once for
 * its ID, so a run keeps no checkpoint: after any stop the same command is run again.
 */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError, ERROR_CODES } from '../domain/errors.ts';
import type { ProblemSink } from '../domain/problem.ts';
import type { ProcessPorts } from '../import/target.ts';
import { allowedErrors } from '../push/run-control.ts';
import type { Settings } from '../settings/settings.ts';
import { createProblemLog } from '../summary/problem-log.ts';
import type { OpenApp } from './app-target.ts';
import { checkEvent, rowIds } from './usage-event.ts';
import { createUsageList, type UsageList } from './usage-list.ts';
import { isCsv, writeRejects } from './usage-rejects.ts';
import { openUsageRows, type UsageRow, type UsageRows } from './usage-rows.ts';
import { EVENTS_PER_REQUEST, sendUsage } from './usage-send.ts';

export interface UsagePorts extends ProcessPorts {
  readonly stdin?: Readable | undefined;
  /** Aborted: take nothing new, finish the lists in flight. */
  readonly soft: AbortSignal;
  /** Aborted: end at once. */
  readonly hard: AbortSignal;
  /** Asked once before anything is sent; false: nothing is sent. */
  readonly confirm: (events: number, requests: number) => Promise<boolean>;
}

/** The JSON summary (`--json`), version 1; docs/billing-data.md names its fields. */
export type UsageSummary = Awaited<ReturnType<typeof importUsage>>['summary'];

interface Job {
  readonly settings: Settings;
  readonly ports: UsagePorts;
  readonly rows: UsageRows;
  readonly list: UsageList;
  readonly tell: ProblemSink;
}

/**
 * @param app absent in a dry run
 * @param rejects `--rejects`; a dry run writes rejects only if it is given
 * Throws AppError for what stops it before anything is sent.
 */
export async function importUsage(
  settings: Settings,
  app: OpenApp | undefined,
  rejects: string | undefined,
  ports: UsagePorts,
) {
  const started = ports.clock.monotonic();
  const log = createProblemLog();
  const tell: ProblemSink = (problem) => {
    log.add(problem);
    ports.emit({ type: 'problem', problem });
  };
  ports.emit({ type: 'stage', stage: 'reading' });
  await using rows = await openUsageRows(settings, ports, tell);
  using list = createUsageList();
  const job: Job = { settings, ports, rows, list, tell };
  await check(job);
  const overview = list.overview();
  let stoppedBy = app && (await send(job, app));
  let written: string | undefined;
  // After any other stop the next run writes them.
  if ((app ?? rejects) !== undefined && (stoppedBy === undefined || stoppedBy.code === 'error-budget'))
    try {
      written = writeRejects(rejects ?? usualRejects(job), rows, list);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      stoppedBy ??= error;
    }
  const events = list.counts();
  const { rows: problems, total: problemsTotal, groups: problemGroups } = log.snapshot();
  const unsettled = events.inDoubt > 0 ? 4 : events.rejected + events.failed > 0 ? 3 : 0;
  const summary = {
    version: 1,
    mode: settings.mode,
    target: app?.baseUrl,
    events,
    ...overview,
    requests: { sent: 0, retried: 0, rateLimited: 0, ...app?.api.stats },
    problems,
    problemsTotal,
    problemGroups,
    rejects: written,
    durationMs: Math.round(ports.clock.monotonic() - started),
    exitCode: stoppedBy === undefined ? unsettled : ERROR_CODES[stoppedBy.code],
  };
  return { summary, stoppedBy };
}

function usualRejects({ settings: { sandbox }, rows }: Job): string {
  const name = `usage-rejects.${isCsv(rows) ? 'csv' : 'jsonl'}`;
  return sandbox === undefined ? `helpdesk-import.${name}` : join(sandbox, name);
}

async function check(job: Job): Promise<void> {
  const { settings, ports, rows, tell } = job;
  ports.emit({ type: 'stage', stage: 'checking' });
  const { limit = Number.POSITIVE_INFINITY } = settings.selection;
  let [tickets, taken, problems] = [0, 0, 0];
  for await (const row of rows.read(ports.soft)) {
    const skipped = row.mapped?.excluded ?? (taken < limit ? undefined : 'beyond --limit');
    if (skipped === undefined) taken++;
    problems += await listRow(job, row, skipped);
    ports.emit({ type: 'checked', tickets: ++tickets, problems });
  }
  for (const problem of rows.unused()) tell(problem);
}

/** Resolves with the number of its problems. @param skipped why it is left out */
async function listRow({ ports, list, tell }: Job, row: UsageRow, skipped?: string): Promise<number> {
  const { record, file, mapped } = row;
  const { ref, error = '' } = record;
  const place = { file: file.name, line: ref.line };
  if (mapped === undefined) {
    const text = await file.raw(ref);
    list.add(ref, { outcome: 'rejected', reason: `${error} The row: ${text}` });
    tell({ severity: 'error', code: 'unreadable', ...place, message: error, count: 1 });
    return 1;
  }
  const { event, eventId, problems } = checkEvent(mapped.values, place, mapped.problems, ports.clock.now());
  const { made, given } = rowIds(record.object ?? {});
  const id = eventId ?? given ?? list.numbered(made);
  if (skipped !== undefined) {
    list.add(ref, { id, outcome: 'skipped', reason: skipped });
    return 0;
  }
  for (const problem of problems) tell(problem);
  if (event === undefined) {
    const errors = problems.filter(({ severity }) => severity === 'error');
    list.add(ref, { id, outcome: 'rejected', reason: errors.map(({ message }) => message).join(' ') });
  } else if (list.has(id)) {
    list.add(ref, { id, outcome: 'skipped', reason: 'same event ID as an earlier row' });
    const message = 'An earlier row has the same event ID, so this row is not sent.';
    tell({ severity: 'warning', code: 'duplicate-event', ...place, field: 'eventId', message, count: 1 });
  } else list.add(ref, { id, outcome: 'pending', event: { ...event, eventId: id } });
  return problems.length;
}

async function send({ settings, ports, rows, list, tell }: Job, { api, limiter }: OpenApp) {
  const { pending: events, rejected: already } = list.counts();
  const requests = Math.ceil(events / EVENTS_PER_REQUEST);
  if (events > 0 && !(await ports.confirm(events, requests))) {
    ports.soft.throwIfAborted();
    throw new AppError('usage', 'Cancelled. Nothing was sent.', { hint: 'Check the events with --dry-run.' });
  }
  const { maxErrors, timeout } = settings.run;
  ports.emit({ type: 'start-import', tickets: events, alreadyDone: 0, requests });
  return await sendUsage(list, {
    api,
    limiter,
    clock: ports.clock,
    signals: ports,
    graceMs: timeout * 1000,
    budget: maxErrors && { allowed: allowedErrors(maxErrors, events + already), already },
    settled: (settled, outcome, failure) => {
      for (const { id, file, line } of settled) {
        ports.emit({ type: 'ticket', externalId: id ?? '', outcome });
        if (failure === undefined) continue;
        const severity = outcome === 'failed' ? 'error' : 'warning';
        const { code, message } = failure;
        tell({ severity, code, file: rows.files[file]?.name, line, message, count: 1 });
      }
    },
  });
}
