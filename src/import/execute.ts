/** A run or a trial: survey, then push, with the checkpoint open. From the first request on nothing is thrown away. */

import { type Checkpoint, openCheckpoint } from '../checkpoint/checkpoint.ts';
import { AppError } from '../domain/errors.ts';
import type { TrialPick } from '../domain/survey.ts';
import type { CreatedTicket } from '../domain/ticket-api.ts';
import { idsIn } from '../plan/queries.ts';
import { LAST_CREATED, type PushResult, push } from '../push/push.ts';
import { allowedErrors } from '../push/run-control.ts';
import { groupKey } from '../summary/problem-log.ts';
import type { Summary } from '../summary/summary.ts';
import { nameAgents } from './agent-finder.ts';
import { examineExport } from './examine.ts';
import { fetchFiles, openStore, sourceCredentials } from './files/fetch-files.ts';
import type { ImportJob } from './import-job.ts';
import { ImportWork } from './import-work.ts';
import { lostRows } from './loose-rows.ts';
import { compareSettings, type RunRecord, runRecord } from './run-record.ts';
import { type JobResult, summarize } from './summarize.ts';
import { requireSource, type Surveyed, surveyExport } from './survey-export.ts';
import { type Connection, connect, endConnection, type TargetAddress } from './target.ts';
import { type CheckedTarget, checkEnd, checkTarget } from './target-check.ts';
import { checkTickets, listening, loadAttachmentProbe } from './trial-check.ts';
import { rejectsInTime, settleRejects } from './write-rejects.ts';

/** The first pause before a ticket that is not found in the target is looked for again, milliseconds. */
const SETTLE_MS = 2000;
/** More kinds of problems than any export has. */
const MOST_SHOWN = 1000;

/** Open the checkpoint → plan → ask the target → begin → files → push → check → rejects → record the end. */
export async function execute(
  job: ImportJob,
  target: TargetAddress,
): Promise<JobResult & { readonly summary: Summary }> {
  const { settings, ports, source, sourceName, files } = job;
  const { emit, clock } = ports;
  const checkpoint = openCheckpoint(settings.output.checkpoint, {
    target: target.key,
    clock,
    programVersion: ports.version,
  });
  let connection: Connection | undefined;
  const api = () => {
    if (connection !== undefined) return connection.api;
    throw new AppError('internal', 'Files were sent before there was a connection.');
  };
  try {
    const known = checkpoint.size() === 0 ? undefined : checkpoint.meta.sourceName;
    sourceName.settle(known, settings.output.checkpoint);
    await files.bind(checkpoint, target.baseUrl);
    // Where files go, and how their hosts let us in: whatever is wrong with that is known before the survey.
    const keeping = settings.files.to !== undefined && {
      credentials: await sourceCredentials(ports.env),
      store: await openStore(settings, { ...ports, target, api }),
    };
    const surveyed = await surveyToSend(job, checkpoint);
    nameAgents(target, source.mapper);
    // Whatever is loaded late is loaded before the first request: the installation may be replaced when a run is over.
    const picks = settings.mode === 'trial' ? surveyed.survey.trial : undefined;
    if (picks !== undefined) await loadAttachmentProbe();
    const review = target.sandbox && (await import('./review-notes.ts'));
    connection = connect(target, settings, ports, checkpoint);
    const { stop, ...checked } = await checkTarget(job, surveyed, checkpoint, connection.api);
    const begun = await begin(job, surveyed, checkpoint, checked);
    let stoppedBy = stop;
    if (keeping !== false && stoppedBy === undefined) {
      stoppedBy = await fetchAll(job, checkpoint, picks, keeping);
      await files.bind(checkpoint, target.baseUrl, keeping.store.id);
      files.judge();
    }
    const answers = new Map<string, CreatedTicket>();
    const sent = await pushAll(job, surveyed, checkpoint, connection, checked, picks, answers, stoppedBy);
    stoppedBy = sent.stoppedBy;
    if (picks !== undefined && stoppedBy === undefined) emit({ type: 'stage', stage: 'verifying' });
    const trial =
      picks === undefined || stoppedBy !== undefined
        ? undefined
        : await checkTickets(job, picks, answers, checkpoint, connection.api);
    const duplicates =
      stoppedBy === undefined && (await checkEnd(job, checkpoint, connection.api, sent.doubted));
    emit({ type: 'stage', stage: 'writing' });
    let rejects: string | undefined;
    try {
      if (settings.links === undefined && !['terminated', 'source'].includes(stoppedBy?.code ?? '')) {
        rejects = await (stoppedBy?.code === 'interrupted' ? rejectsInTime : settleRejects)(job, checkpoint);
        if (target.sandbox !== undefined && checkpoint.failure === undefined)
          await review?.noteForReview(job, target.sandbox.store.review, checkpoint);
      }
    } catch (error) {
      // Tickets were sent: whatever keeps the rejects from being written, the summary is shown and the end of the run recorded.
      if (!(error instanceof AppError) || error.code === 'internal') throw error;
      stoppedBy ??= error;
    }
    // Kinds of problems that were shown in full when the export was this one.
    const { shown } = checkpoint.meta;
    const shownBefore = new Set(shown?.content === surveyed.digest ? shown.groups : []);
    const result: JobResult = {
      surveyed,
      sent: { messages: sent.messagesSent, events: sent.eventsSent, updates: sent.updated },
      requests: { ...connection.api.stats },
      duplicates,
      openFirst: sent.openFirst,
      trial,
      rejects,
      stoppedBy,
      shownBefore,
    };
    const summary = summarize(job, target, result);
    // A checkpoint that cannot be written has said so already.
    if (checkpoint.failure === undefined) await recordEnd(job, checkpoint, begun, summary, result);
    return { ...result, summary };
  } finally {
    if (connection !== undefined) await endConnection(connection.api, emit);
    await checkpoint.close();
  }
}

/** Throws where nothing is to be sent. */
async function surveyToSend(job: ImportJob, checkpoint: Checkpoint): Promise<Surveyed> {
  const { settings, ports } = job;
  const surveyed = await surveyExport(job, {
    ledger: checkpoint,
    exportTimes: checkpoint.exportTimes,
    stepOf: job.files.links.stepOf,
  });
  requireSource(settings, surveyed, checkpoint);
  if (surveyed.stoppedBy !== undefined) throw surveyed.stoppedBy;
  if (surveyed.lostRows > 0 && !settings.source.allowUnreadableRows) throw lostRows(job.source);
  if (surveyed.survey.requests.total > 0 && (await ports.confirm?.(surveyed.survey)) === false) {
    // A run ended during the question has no answer.
    ports.soft.throwIfAborted();
    throw new AppError('usage', 'Cancelled. Nothing was sent.', {
      hint: 'See what would be sent with --dry-run, or try a few tickets with --trial.',
    });
  }
  return surveyed;
}

/** Notes in the checkpoint that a run begins, and with which settings. */
async function begin(
  job: ImportJob,
  surveyed: Surveyed,
  checkpoint: Checkpoint,
  { facts }: Pick<CheckedTarget, 'facts'>,
): Promise<RunRecord> {
  const { settings, ports, source, sourceName, files } = job;
  if (settings.links !== undefined && surveyed.totals.toSend > 0 && facts.isReadable !== true)
    throw new AppError(
      'configuration',
      'The target cannot be read, and links are rewritten only in messages that were read right before.',
      {
        hint: 'Nothing was sent. Check that the token may read tickets (read:tickets); helpdesk-import map lists the old and the new addresses instead.',
      },
    );
  const layout = source.detection.layout.name;
  const kept = { layout, sourceName: sourceName.name, people: source.people };
  const changed = await compareSettings(checkpoint, settings, kept, surveyed.survey);
  if (changed !== undefined) ports.emit({ type: 'note', message: changed });
  const begun = runRecord(job, surveyed, checkpoint);
  const { places } = files.links;
  if (settings.links === 'apply' && places !== undefined) await checkpoint.usedWith({ links: places });
  await checkpoint.startRun(settings.mode, { ...begun });
  return begun;
}

/** Resolves with what stopped it, where something did. */
async function fetchAll(
  job: ImportJob,
  checkpoint: Checkpoint,
  picks: readonly TrialPick[] | undefined,
  keeping: Pick<Parameters<typeof fetchFiles>[0], 'credentials' | 'store'>,
): Promise<AppError | undefined> {
  const { settings, ports, problem, source } = job;
  const which = picks === undefined ? 'TRUE' : idsIn(picks.map(({ externalId }) => externalId));
  const tickets = examineExport(
    job,
    ports.soft,
    checkpoint,
    `leftOut IS NULL AND does <> 'record' AND ${which}`,
  );
  const { nameOf } = source;
  try {
    await fetchFiles({ tickets, nameOf, settings, ports, ...keeping, ledger: checkpoint.files, problem });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  return undefined;
}

/** `stop`: why nothing more may be sent; what is not is recorded all the same. */
async function pushAll(
  job: ImportJob,
  surveyed: Surveyed,
  checkpoint: Checkpoint,
  { api }: Connection,
  checked: Omit<CheckedTarget, 'stop'>,
  picks: readonly TrialPick[] | undefined,
  answers: Map<string, CreatedTicket>,
  stop: AppError | undefined,
): Promise<PushResult & Pick<JobResult, 'openFirst'>> {
  const { settings, ports, names, sourceName } = job;
  const { run, target } = settings;
  const { survey, totals } = surveyed;
  const { tickets, requests, batches } = survey;
  const ids = picks && new Set(picks.map(({ externalId }) => externalId));
  const toSend = picks?.filter(({ externalId }) => checkpoint.get(externalId)?.state !== 'done').length;
  const work = new ImportWork(job, surveyed, checkpoint, ids);
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
      // Flushed with whatever is recorded next; where it is not, it is learnt again.
      learnt: (facts) =>
        void checkpoint.usedWith({ facts: { ...checkpoint.meta.facts, ...facts } }).catch(() => undefined),
    },
    {
      concurrency: run.concurrency,
      batchSize: run.batchSize,
      batches: batches.count,
      timeoutMs: run.timeout * 1000,
      source: target.identityTag ? sourceName.name : undefined,
      ...checked,
      settleMs: SETTLE_MS,
      giveUpAfterMs: run.giveUpAfter * 1000,
      messageIds: target.messageIds,
      sourceName: sourceName.name,
      maxErrors:
        run.maxErrors === undefined
          ? undefined
          : { allowed: allowedErrors(run.maxErrors, tickets.read), already: tickets.rejected },
    },
    { soft: stop === undefined ? ports.soft : AbortSignal.abort(stop), hard: ports.hard },
  );
  if (pushed.lastCreated.length > 0 && checkpoint.failure === undefined)
    await checkpoint.usedWith({
      lastCreated: [...(checkpoint.meta.lastCreated ?? []), ...pushed.lastCreated].slice(-LAST_CREATED),
    });
  return { ...pushed, openFirst: work.openFirst };
}

async function recordEnd(
  { settings, ports }: ImportJob,
  checkpoint: Checkpoint,
  begun: RunRecord,
  summary: Summary,
  { surveyed, stoppedBy, shownBefore = new Set() }: JobResult,
): Promise<void> {
  const content = surveyed.digest;
  const { tickets, messages, events, contacts, requests, durationMs, exitCode, problemGroups } = summary;
  if (stoppedBy === undefined && tickets.pending === 0) await checkpoint.usedWith({ content });
  // `--quiet` shows errors alone, and what is shown with made-up names was not shown in full.
  if (ports.frames === true && !settings.output.quiet) {
    const groups = [...new Set([...shownBefore, ...problemGroups.map(groupKey)])].slice(0, MOST_SHOWN);
    await checkpoint.usedWith({ shown: { content, groups } });
  }
  await checkpoint.endRun({
    exitCode,
    summary: { ...begun, tickets, messages, events, contacts, requests, durationMs },
  });
}
