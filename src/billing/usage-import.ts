/**
 * Usage events from files to the app API: read → map → check → list → send → rejects. The service counts an event once for
 * its ID, so a run keeps no checkpoint: after any stop the same command is run again.
 */
import { join } from 'node:path';
import { AppError, ERROR_CODES } from '../domain/errors.ts';
import type { ProblemSink } from '../domain/problem.ts';
import type { Settings } from '../settings/settings.ts';
import { openExport } from '../source/open-export.ts';
import { createProblemLog } from '../summary/problem-log.ts';
import type { OpenApp } from './app-target.ts';
import { checkEvent, rowIds } from './usage-event.ts';
import { createUsageList, isCsv, writeRejects } from './usage-list.ts';
import { type UsageRow, usageRows } from './usage-rows.ts';
import { sendUsage, type UsageJob, type UsagePorts } from './usage-send.ts';

/** The JSON summary (`--json`), version 1; docs/billing-data.md names its fields. */
export type UsageSummary = Awaited<ReturnType<typeof importUsage>>['summary'];

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
  const { emit, clock, soft, stdin } = ports;
  const started = clock.monotonic();
  const log = createProblemLog();
  const tell: ProblemSink = (problem) => {
    log.add(problem);
    emit({ type: 'problem', problem });
  };
  emit({ type: 'stage', stage: 'reading' });
  await using opened = await openExport(settings.source.files, {
    ...settings.source,
    stdin,
    signal: soft,
    onProgress: (bytes, totalBytes, records) => emit({ type: 'read', bytes, totalBytes, records }),
  });
  for (const problem of opened.problems) tell(problem);
  using list = createUsageList();
  const rows = await usageRows(opened, settings, soft);
  const job: UsageJob = { settings, ports, rows, list, tell };
  await check(job);
  const overview = list.overview();
  let stoppedBy = app && (await sendUsage(job, app));
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
    durationMs: Math.round(clock.monotonic() - started),
    exitCode: stoppedBy === undefined ? unsettled : ERROR_CODES[stoppedBy.code],
  };
  return { summary, stoppedBy };
}

function usualRejects({ settings: { sandbox }, rows }: UsageJob): string {
  const name = `usage-rejects.${isCsv(rows) ? 'csv' : 'jsonl'}`;
  return sandbox === undefined ? `helpdesk-import.${name}` : join(sandbox, name);
}

async function check(job: UsageJob): Promise<void> {
  const { settings, ports, rows, tell } = job;
  ports.emit({ type: 'stage', stage: 'checking' });
  const { limit = Number.POSITIVE_INFINITY } = settings.selection;
  let [tickets, taken, problems] = [0, 0, 0];
  for await (const row of rows.read()) {
    const skipped = row.mapped?.excluded ?? (taken < limit ? undefined : 'beyond --limit');
    if (skipped === undefined) taken++;
    problems += await listRow(job, row, skipped);
    ports.emit({ type: 'checked', tickets: ++tickets, problems });
  }
  for (const problem of rows.unused()) tell(problem);
}

/** Resolves with the number of its problems. @param skipped why it is left out */
async function listRow({ ports, list, tell }: UsageJob, row: UsageRow, skipped?: string): Promise<number> {
  const { record, file, mapped } = row;
  const { ref, error = '' } = record;
  const place = { file: file.name, line: ref.line };
  if (mapped === undefined) {
    const text = file.raw(ref);
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
