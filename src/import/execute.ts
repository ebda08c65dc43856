/** A run or a trial: survey, then push, with the checkpoint open. From the first request on nothing is thrown away. */

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { SourceCredentials } from '../attachments/source-credentials.ts';
import { type Checkpoint, openCheckpoint } from '../checkpoint/checkpoint.ts';
import { changedSections } from '../checkpoint/meta.ts';
import type { TrialPick } from '../domain/decisions.ts';
import { AppError } from '../domain/errors.ts';
import type { Ledger } from '../domain/ledger.ts';
import { countOf } from '../domain/printable.ts';
import { groupKey } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { CreatedTicket } from '../domain/ticket-api.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { checksOf, type Facts } from '../plan/facts.ts';
import { idsIn } from '../plan/queries.ts';
import { recordFacts } from '../plan/recorded.ts';
import { push } from '../push/push.ts';
import { allowedErrors } from '../push/run-control.ts';
import { LAST_CREATED } from '../push/settling.ts';
import { isReadFrom } from '../source/reject-folder.ts';
import { differsFromApproved } from './approve.ts';
import { nameAgents } from './ask-helpdesk.ts';
import { examineExport } from './examine.ts';
import { fetchFiles, filesToKeep, type Keeping, openStore, sourceCredentials } from './fetch-files.ts';
import { tellFixedFields } from './fixed-fields.ts';
import type { ImportJob, TypedRun } from './import-job.ts';
import { importWork } from './import-work.ts';
import type { Options } from './options.ts';
import { lostRows } from './problem-places.ts';
import * as survey from './survey-export.ts';
import { connect, endConnection, type TargetAddress } from './target.ts';
import { type CheckedTarget, checkEnd, checkTarget } from './target-check.ts';
import { checkTickets, listening, loadAttachmentProbe } from './trial-check.ts';
import { rejectsInTime, settleRejects } from './write-rejects.ts';

const SETTLE_MS = 2000;
const MOST_SHOWN = 1000;

export async function execute(
  job: ImportJob,
  target: TargetAddress,
): Promise<survey.JobResult & { readonly facts: Facts }> {
  const { checkpointPath, pace, ports, source, sourceName, files } = job;
  const { emit, clock } = ports;
  const checkpoint = openCheckpoint(checkpointPath, {
    target: target.key,
    clock,
    programVersion: ports.version,
  });
  let opened: CoreApi | undefined;
  const api = () => {
    if (opened !== undefined) return opened;
    throw new AppError('internal', 'Files were sent before there was a connection.');
  };
  try {
    const known = checkpoint.size() === 0 ? undefined : checkpoint.meta.sourceName;
    sourceName.settle(known, checkpointPath);
    files.bind(checkpoint, target.baseUrl);
    // Faults of these are known before the survey.
    const keeping = job.attachments.to !== undefined && {
      credentials: await sourceCredentials(ports.env),
      store: await openStore(job, { ...ports, target, api }),
    };
    const surveyed = await surveyToSend(job, checkpoint, keeping ? keeping.credentials : undefined);
    nameAgents(target, source.mapper);
    // Loaded before the first request: the installation may be replaced during a run.
    const picks = job.mode === 'trial' ? surveyed.facts.picks : undefined;
    if (picks !== undefined) await loadAttachmentProbe();
    const review = target.sandbox && (await import('./review-notes.ts'));
    const connection = connect(target, pace, ports, checkpoint);
    opened = connection;
    const { stop, ...checked } = await checkTarget(job, surveyed, checkpoint, connection);
    const begun = await begin(job, surveyed, checkpoint);
    let stoppedBy = stop;
    if (keeping !== false && stoppedBy === undefined) {
      stoppedBy = await fetchAll(job, checkpoint, picks, keeping);
      files.bind(checkpoint, target.baseUrl, keeping.store.id);
      files.judge();
    }
    const sent = await pushAll(job, { surveyed, checkpoint, checked, picks, api: connection }, stoppedBy);
    stoppedBy = sent.stoppedBy;
    if (stoppedBy === undefined) await tellFixedFields(job, checkpoint, connection);
    if (picks !== undefined && stoppedBy === undefined) emit({ type: 'stage', stage: 'verifying' });
    const trial =
      picks === undefined || stoppedBy !== undefined
        ? undefined
        : await checkTickets(job, picks, sent.answers, checkpoint, connection);
    const duplicates = stoppedBy === undefined && (await checkEnd(job, checkpoint, connection, sent.doubted));
    emit({ type: 'stage', stage: 'writing' });
    let rejects: string | undefined;
    try {
      if (!['terminated', 'source'].includes(stoppedBy?.code ?? '')) {
        rejects = await (stoppedBy?.code === 'interrupted' ? rejectsInTime : settleRejects)(job, checkpoint);
        if (target.sandbox !== undefined && checkpoint.failure === undefined)
          await review?.noteForReview(job, target.sandbox.store.review, checkpoint);
      }
    } catch (error) {
      // Tickets were sent: even if the rejects cannot be written, the end is recorded and shown.
      if (!(error instanceof AppError) || error.code === 'internal') throw error;
      stoppedBy ??= error;
    }
    const result: survey.JobResult = {
      surveyed,
      sent: { messages: sent.messagesSent, events: sent.eventsSent, updates: sent.updated },
      requests: { ...connection.stats },
      duplicates,
      openFirst: sent.openFirst,
      trial,
      rejects,
      stoppedBy,
      shownBefore: survey.shownBefore(checkpoint.meta, surveyed),
    };
    const facts = survey.summarize(job, checkpoint.files, result);
    if (checkpoint.failure === undefined) await recordEnd(job, checkpoint, begun, facts, result);
    return { ...result, facts };
  } finally {
    if (opened !== undefined) await endConnection(opened, emit);
    await checkpoint.close();
  }
}

async function surveyToSend(
  job: ImportJob,
  checkpoint: Checkpoint,
  keeping: SourceCredentials | undefined,
): Promise<survey.Surveyed> {
  const { ports } = job;
  const surveyed = await survey.surveyExport(job, {
    ledger: checkpoint,
    files: checkpoint.files,
    filesOf: keeping && filesToKeep(job.attachments, keeping),
    exportTimes: checkpoint.exportTimes,
  });
  survey.requireSource(job, surveyed, checkpoint);
  if (surveyed.stoppedBy !== undefined) throw surveyed.stoppedBy;
  if (surveyed.lostRows > 0 && !job.reading.allowUnreadableRows) throw lostRows(job.source);
  const refusal = differsFromApproved(job);
  if (refusal !== undefined) throw refusal;
  const asked = ports.clock.monotonic();
  const isDeclined =
    surveyed.facts.plan.requests.total > 0 && (await ports.confirm?.(surveyed.facts)) === false;
  job.started += ports.clock.monotonic() - asked;
  if (isDeclined) {
    ports.soft.throwIfAborted();
    throw new AppError('usage', 'Cancelled. Nothing was sent.', {
      hint: 'See what would be sent with --dry-run, or try a few tickets with --trial.',
    });
  }
  return surveyed;
}

async function begin(job: ImportJob, surveyed: survey.Surveyed, checkpoint: Checkpoint): Promise<RunRecord> {
  const { ports, source, sourceName } = job;
  const layout = source.detection.layout.name;
  const kept = { layout, sourceName: sourceName.name };
  const changed = await compareSettings(checkpoint, job, kept, surveyed.facts);
  if (changed !== undefined) ports.emit({ type: 'note', message: changed });
  const begun = runRecord(job, surveyed, checkpoint);
  await checkpoint.startRun(job.mode, { ...begun });
  await recordFacts(checkpoint, surveyed.facts, recordedAt(job, begun));
  return begun;
}

async function fetchAll(
  job: ImportJob,
  checkpoint: Checkpoint,
  picks: readonly TrialPick[] | undefined,
  keeping: Keeping,
): Promise<AppError | undefined> {
  const which = picks === undefined ? 'TRUE' : idsIn(picks.map(({ externalId }) => externalId));
  const wanted = `leftOut IS NULL AND does <> 'record' AND ${which}`;
  try {
    await fetchFiles(examineExport(job, job.ports.soft, checkpoint, wanted), job, keeping, checkpoint.files);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

interface Sending {
  readonly surveyed: survey.Surveyed;
  readonly checkpoint: Checkpoint;
  readonly checked: Omit<CheckedTarget, 'stop'>;
  readonly picks: readonly TrialPick[] | undefined;
  readonly api: CoreApi;
}

/** `stop`: reason to send nothing. Unsent tickets are still recorded. */
async function pushAll(
  job: ImportJob,
  { surveyed, checkpoint, checked, picks, api }: Sending,
  stop: AppError | undefined,
) {
  const { pace, batchSize, maxErrors, ports, names, sourceName } = job;
  const { facts, totals } = surveyed;
  const { tickets } = facts;
  const { requests, batches } = facts.plan;
  const ids = picks && new Set(picks.map(({ externalId }) => externalId));
  const toSend = picks?.filter(({ externalId }) => checkpoint.get(externalId)?.state !== 'done').length;
  const answers = new Map<string, CreatedTicket>();
  const work = importWork(job, surveyed, checkpoint, ids);
  checkpoint.leaveOut((externalId) => work.textsOf(externalId));
  ports.emit({ type: 'stage', stage: 'importing' });
  ports.emit({
    type: 'start-import',
    tickets: toSend ?? totals.toSend,
    alreadyDone: ids === undefined ? tickets.done - totals.ofDone : ids.size - (toSend ?? 0),
    requests: toSend === undefined ? requests.total : toSend * 3,
  });
  const pushed = await push(
    work.tickets(ports.hard),
    {
      api: picks === undefined ? api : listening(api, answers),
      ledger: checkpoint,
      names,
      clock: ports.clock,
      random: ports.random,
      emit: (event) => {
        work.onEvent(event);
        ports.emit(event);
      },
      learnt: (facts) =>
        void checkpoint.usedWith({ facts: { ...checkpoint.meta.facts, ...facts } }).catch(() => undefined),
    },
    {
      concurrency: pace.connections,
      batchSize,
      batches: batches.count,
      timeoutMs: pace.timeoutMs,
      source: sourceName.name,
      ...checked,
      settleMs: SETTLE_MS,
      giveUpAfterMs: pace.giveUpAfterMs,
      maxErrors:
        maxErrors === undefined
          ? undefined
          : { allowed: allowedErrors(maxErrors, tickets.read), already: tickets.rejected },
    },
    { soft: stop === undefined ? ports.soft : AbortSignal.abort(stop), hard: ports.hard },
  );
  if (pushed.lastCreated.length > 0 && checkpoint.failure === undefined)
    await checkpoint.usedWith({
      lastCreated: [...(checkpoint.meta.lastCreated ?? []), ...pushed.lastCreated].slice(-LAST_CREATED),
    });
  const { namesKept: count } = pushed;
  if (count > 0) job.problem(problemOf('name-kept', {}, { count }));
  return { ...pushed, openFirst: work.openFirst(), answers };
}

function recordedAt({ ports }: Pick<ImportJob, 'ports'>, { isPart = false }: RunRecord) {
  return { isPart, at: new Date(ports.clock.now()).toISOString() };
}

async function recordEnd(
  { isQuiet, ports }: ImportJob,
  checkpoint: Checkpoint,
  begun: RunRecord,
  facts: Facts,
  { stoppedBy, shownBefore: before = new Set() }: survey.JobResult,
): Promise<void> {
  const content = facts.export.digest;
  const { tickets, messages, events, contacts, requests, durationMs, exitCode, problemGroups } = facts;
  if (stoppedBy === undefined && tickets.pending === 0) await checkpoint.usedWith({ content });
  // Partly shown problems do not count.
  if (ports.frames === true && !isQuiet) {
    const groups = [...new Set([...before, ...problemGroups.map(groupKey)])].slice(0, MOST_SHOWN);
    await checkpoint.usedWith({ shown: { content, groups } });
  }
  await recordFacts(checkpoint, facts, recordedAt({ ports }, begun));
  await checkpoint.endRun({
    exitCode,
    summary: {
      ...begun,
      tickets,
      messages,
      events,
      contacts,
      requests,
      durationMs,
      failedChecks: checksOf(facts).failed,
    },
  });
}

interface RunRecord {
  readonly tickets: OutcomeCounts;
  readonly open?: number | undefined;
  readonly settledBefore?: number | undefined;
  readonly isPart?: boolean | undefined;
  readonly typed?: TypedRun | undefined;
  readonly runTag?: string | undefined;
}

function runRecord(
  { selection, rejects, reading, ports: { typed }, runTag }: ImportJob,
  { facts, totals }: survey.Surveyed,
  ledger: Pick<Ledger, 'counts'>,
): RunRecord {
  const { since, until, only, limit } = selection;
  const isSelection = [since, until, only, limit].some((part) => part !== undefined);
  return {
    tickets: facts.tickets,
    open: totals.open,
    settledBefore: settledIn(ledger.counts()),
    isPart: isSelection || isReadFrom(rejects.folder, reading.inputs),
    typed: typed && { again: typed.again, all: typed.all, folder: resolve(typed.folder) },
    runTag,
  };
}

function settledIn(counts: ReturnType<Ledger['counts']>): number {
  const { done, rejected, refused, incomplete, inDoubt, creating, skipped } = counts;
  return done + rejected + refused + incomplete + inDoubt + creating + skipped;
}

/** Sections without an effect on payloads have no digest. */
function settingsDigests({
  reading,
  marks,
  attachments,
}: Pick<Options, 'reading' | 'marks' | 'attachments'>): Record<string, string> {
  // All but places: rejects are written in another form.
  const { inputs, from, name, encoding, delimiter, ticketUrl, mapping, unmapped, ...rest } = reading;
  const { agents, fallbackAgent, customersWithoutEmail, ...read } = rest;
  const { to, publicUrl, missing } = attachments;
  return {
    target: digest(marks),
    source: digest(read),
    agents: digest({ agents, fallbackAgent, customersWithoutEmail }),
    files: digest({ to, publicUrl, missing }),
    mapping: digest([mapping ?? null, unmapped]),
  };
}

/** The changed settings and the tickets they touch, in one sentence. */
async function compareSettings(
  checkpoint: Checkpoint,
  options: Parameters<typeof settingsDigests>[0] & Pick<Options, 'isDelta'>,
  { layout, sourceName }: { readonly layout: string; readonly sourceName: string },
  { tickets }: Pick<Facts, 'tickets'>,
): Promise<string | undefined> {
  const now = { ...settingsDigests(options), layout: digest(layout) };
  const before = checkpoint.meta.settings;
  const { isDelta } = options;
  const changed = changedSections(before, now);
  await checkpoint.usedWith({ sourceKey: layout, sourceName, settings: now });
  if (changed.length === 0 || checkpoint.size() === 0) return undefined;
  const open = tickets.pending + tickets.failed + tickets.inDoubt;
  const done = isDelta
    ? `of the ${countOf(tickets.done, 'ticket')} done the delta sends what differs by them`
    : `the ${countOf(tickets.done, 'ticket')} done stay as they are in the helpdesk`;
  return `The settings have changed since the last run (${changed.join(', ')}): ${open === 1 ? 'the remaining ticket uses' : `the ${open.toLocaleString('en-US')} remaining tickets use`} the new settings, and ${done}.`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
