/**
 * Usage events from files to the app API: read → map → check → list → send → rejects. The service counts an ID once, so there
 * is no checkpoint: after a stop run the same command again.
 */
import { join } from 'node:path';
import { AppError, ERROR_CODES } from '../domain/errors.ts';
import { createProblemLog, type ProblemSink } from '../domain/problem.ts';
import type { Options } from '../import/options.ts';
import { openExport } from '../source/open-export.ts';
import type { OpenApp } from './app-target.ts';
import { checkEvent, rowIds } from './usage-event.ts';
import { createUsageList, isCsv, writeRejects } from './usage-list.ts';
import { type UsageRow, usageRows } from './usage-rows.ts';
import { sendUsage, type UsageJob, type UsagePorts } from './usage-send.ts';

/** docs/billing-data.md names its fields. */
export type UsageSummary = Awaited<ReturnType<typeof importUsage>>['summary'];

/** @param app absent in a dry run @param rejects a dry run writes them only if given. Throws AppError before anything is sent. */
export async function importUsage(
  options: Options,
  app: OpenApp | undefined,
  rejects: string | undefined,
  ports: UsagePorts,
) {
  const { emit, clock, soft, stdin } = ports;
  const started = clock.monotonic();
  const log = createProblemLog();
  const tell: ProblemSink = (problem) => {
    log.add(problem);
    emit({ type: 'problem', problem });
  };
  emit({ type: 'stage', stage: 'reading' });
  await using opened = await openExport(options.reading.inputs, {
    ...options.reading,
    stdin,
    signal: soft,
    onProgress: (bytes, totalBytes, records) => emit({ type: 'read', bytes, totalBytes, records }),
  });
  for (const problem of opened.problems) tell(problem);
  using list = createUsageList();
  const rows = usageRows(opened, options.reading, soft);
  const job: UsageJob = { ...options, ports, rows, list, tell };
  check(job);
  const overview = list.overview();
  let stoppedBy = app && (await sendUsage(job, app));
  let written: string | undefined;
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
    mode: options.mode,
    target: app?.baseUrl,
    events,
    ...overview,
    requests: { sent: 0, retried: 0, rateLimited: 0, ...app?.api.stats },
    problems,
    problemsTotal,
    problemGroups,
    rejects: written,
    durationMs: Math.round(clock.monotonic() - started),
    exitCode: stoppedBy === undefined ? unsettled : ERROR_CODES[stoppedBy.code],
  };
  return { summary, stoppedBy };
}

function usualRejects({ helpdesk: { sandbox }, rows }: UsageJob): string {
  const name = `usage-rejects.${isCsv(rows) ? 'csv' : 'jsonl'}`;
  return sandbox === undefined ? `helpdesk-import.${name}` : join(sandbox, name);
}

function check(job: UsageJob): void {
  const { selection, ports, rows, tell } = job;
  ports.emit({ type: 'stage', stage: 'checking' });
  const { limit = Number.POSITIVE_INFINITY } = selection;
  let [tickets, taken, problems] = [0, 0, 0];
  for (const row of rows.read()) {
    const skipped = taken < limit ? undefined : 'beyond --limit';
    if (skipped === undefined) taken++;
    problems += listRow(job, row, skipped);
    ports.emit({ type: 'checked', tickets: ++tickets, problems });
  }
  for (const problem of rows.unused()) tell(problem);
}

function listRow({ ports, list, tell }: UsageJob, row: UsageRow, skipped?: string): number {
  const { record, file, values } = row;
  const { ref, error = '' } = record;
  const place = { file: file.name, line: ref.line };
  if (values === undefined) {
    const text = file.raw(ref);
    list.add(ref, { outcome: 'rejected', reason: `${error} The row: ${text}` });
    tell({ severity: 'error', code: 'unreadable', ...place, message: error, count: 1 });
    return 1;
  }
  const { event, eventId, problems } = checkEvent(values, place, ports.clock.now());
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
