/**
 * Usage events from files to the app API: read → map → check → list → send → rejects. The service counts an ID once, so there
 * is no checkpoint: after a stop run the same command again.
 */

import type { Readable } from 'node:stream';
import { AppError, ERROR_CODES } from '../domain/errors.ts';
import { createProblemLog, type ProblemSink } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { stop } from '../domain/text/stops.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { ProcessPorts } from '../import/target.ts';
import { allowedErrors, exceeded, RunControl } from '../push/run-control.ts';
import { paceOf, type Settings } from '../settings/settings.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';
import { RejectRows } from '../source/reject-files.ts';
import { type AppApi, createAppApi, stopOf, type UsageEventPayload } from './app-api.ts';
import { createUsageList, type ListedEvent, type UsageList } from './usage-list.ts';
import { checkEvent, rowIds, type UsageRow, type UsageRows, usageRows } from './usage-rows.ts';

/** docs/billing-data.md names its fields. */
export type UsageSummary = Awaited<ReturnType<typeof importUsage>>['summary'];

/** @param app absent in a dry run @param rejects a dry run writes them only if given. Throws AppError before anything is sent. */
export async function importUsage(
  settings: Pick<Settings, 'mode' | 'source' | 'selection' | 'run'>,
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
  const rows = usageRows(opened, settings.source, soft);
  const job: UsageJob = { settings, ports, rows, list, tell };
  check(job);
  const overview = list.overview();
  const folder = rejects ?? (app && 'helpdesk-import.usage-rejects');
  const rejected = folder === undefined ? undefined : rejectsOf(job, opened, folder);
  let stoppedBy = app && (await sendUsage(job, app));
  let written: string | undefined;
  if (rejected !== undefined && (stoppedBy === undefined || stoppedBy.code === 'error-budget'))
    try {
      written = writeRejects(rejected, list);
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

function rejectsOf({ ports, settings }: UsageJob, files: StagedExport, folder: string): RejectRows {
  const { files: inputs } = settings.source;
  const asked = { folder, inputs, read: [], signal: ports.soft, inText: String };
  const source = { files, plan: { tables: [] } };
  return new RejectRows(source, { ...asked, mark: `usage events of ${inputs.join(' ')}` });
}

/** The folder of the rows that were not taken, unless there are none. */
function writeRejects(rejects: RejectRows, list: UsageList): string | undefined {
  for (const { id, reason, ...ref } of list.wrong())
    if (id === null) rejects.addUnreadable(ref);
    else rejects.add([{ table: undefined, ref }], `${id.startsWith('row-') ? `${id}: ` : ''}${reason}`);
  return rejects.write();
}

function check(job: UsageJob): void {
  const { settings, ports, rows, tell } = job;
  ports.emit({ type: 'stage', stage: 'checking' });
  const { limit = Number.POSITIVE_INFINITY } = settings.selection;
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
    list.add(ref, { outcome: 'rejected', reason: error });
    tell({ severity: 'error', code: 'unreadable', ...place, message: error, count: 1 });
    return 1;
  }
  const { event, eventId, problems } = checkEvent(values, place, ports.clock.now());
  const { made, given } = rowIds(record.object ?? {}, file.reason(ref));
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
    tell(problemOf('duplicate-event', {}, { ...place, field: 'eventId' }));
  } else list.add(ref, { id, outcome: 'pending', event: { ...event, eventId: id } });
  return problems.length;
}

export interface UsagePorts extends ProcessPorts {
  readonly stdin?: Readable | undefined;
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  readonly confirm: (events: number, requests: number) => Promise<boolean>;
}

export interface UsageJob {
  readonly settings: Pick<Settings, 'source' | 'selection' | 'run'>;
  readonly ports: UsagePorts;
  readonly rows: UsageRows;
  readonly list: UsageList;
  readonly tell: ProblemSink;
}

const EVENTS_PER_REQUEST = 100;
/** Lists sent to a service that has taken no event yet. */
const MOST_UNPROVEN = 5;

/**
 * Sends lists of 100, several at a time, and halves a refused list until the events at fault are found. Resolves with the error that
 * stopped the run.
 */
async function sendUsage(job: UsageJob, { api }: Pick<OpenApp, 'api'>): Promise<AppError | undefined> {
  const { settings, ports, list } = job;
  const { maxErrors } = settings.run;
  const { pending: events, rejected: already } = list.counts();
  await begin(events, ports);
  const budget = maxErrors && { allowed: allowedErrors(maxErrors, events + already), already };
  const control = new RunControl(ports, ports.clock, settings.run.timeout * 1000);
  const lists = list.lists(EVENTS_PER_REQUEST);
  const halves: ListedEvent[][] = [];
  const next = (): ListedEvent[] | undefined => halves.pop() ?? lists.next().value;
  let [failed, unproven, isProven] = [0, 0, false];

  const requireFew = () => {
    const over = exceeded(budget, failed, 'usage events');
    if (over !== undefined) throw over;
  };
  const failedWith = (failure: ApiFailure, part: ListedEvent[]) => {
    const isUnknown = failure.effect === 'unknown';
    if (isUnknown) {
      settle(job, part, 'inDoubt', failure);
      unproven++;
    }
    const stop = stopOf(failure) ?? (isProven || unproven < MOST_UNPROVEN ? undefined : unreached(failure));
    if (stop !== undefined) throw stop;
    if (isUnknown) return;
    if (part.length > 1) {
      const half = Math.ceil(part.length / 2);
      halves.push(part.slice(half), part.slice(0, half));
      return;
    }
    settle(job, part, 'failed', failure);
    failed++;
    requireFew();
  };
  const send = async (part: ListedEvent[]) => {
    const bodies = part.map(({ body }) => JSON.parse(body ?? '') as UsageEventPayload);
    try {
      await api.sendUsageEvents(bodies, control.hard);
    } catch (error) {
      if (control.hard.aborted && error === control.hard.reason) return;
      if (!(error instanceof ApiFailure)) throw error;
      return failedWith(error, part);
    }
    isProven = true;
    settle(job, part, 'done');
  };
  const worker = async () => {
    for (let part = next(); part !== undefined && !control.isStopping; part = next()) await send(part);
  };
  const stop = (error: unknown) => control.stop(error);
  try {
    requireFew();
    await Promise.all(Array.from({ length: settings.run.concurrency }, () => worker().catch(stop)));
  } catch (error) {
    stop(error);
  } finally {
    control.end();
  }
  const { reason } = control;
  if (reason === undefined || reason instanceof AppError) return reason;
  throw reason;
}

async function begin(events: number, { confirm, soft, emit }: UsagePorts): Promise<void> {
  const requests = Math.ceil(events / EVENTS_PER_REQUEST);
  if (events > 0 && !(await confirm(events, requests))) {
    soft.throwIfAborted();
    throw new AppError('usage', 'Cancelled. Nothing was sent.', { hint: 'Check the events with --dry-run.' });
  }
  emit({ type: 'start-import', tickets: events, alreadyDone: 0, requests });
}

function settle(
  { list, ports, rows, tell }: UsageJob,
  settled: readonly ListedEvent[],
  outcome: 'done' | 'failed' | 'inDoubt',
  failure?: ApiFailure,
): void {
  list.settle(settled, outcome, failure?.message);
  for (const { id, file, line } of settled) {
    ports.emit({ type: 'ticket', externalId: id ?? '', outcome });
    if (failure === undefined) continue;
    const severity = outcome === 'failed' ? 'error' : 'warning';
    const { code, message } = failure;
    tell({ severity, code, file: rows.files[file]?.name, line, message, count: 1 });
  }
}

function unreached(cause: ApiFailure): AppError {
  return stop('no-usage-event-arrived', { why: cause.message }, { cause });
}

export interface OpenApp {
  readonly baseUrl: string;
  readonly api: AppApi;
}

export async function withAppApi<T>(
  { appApi, run }: Pick<Settings, 'appApi' | 'run'>,
  ports: ProcessPorts,
  work: (app: OpenApp) => Promise<T>,
): Promise<T> {
  const { baseUrl, keys } = appApi ?? {};
  if (appApi === undefined || baseUrl === undefined || keys === undefined) throw stop('no-app-api');
  const userAgent = `helpdesk-import/${ports.version}`;
  await using api = createAppApi({ ...appApi, ...keys, ...paceOf(run), ...ports, baseUrl, userAgent });
  return await work({ baseUrl, api });
}
