/** A run or a trial: the survey, the question, and then, with the checkpoint open for writing, everything that sends. */
import type { SourceCredentials } from '../attachments/source-credentials.ts';
import { type Checkpoint, openCheckpoint } from '../checkpoint/checkpoint.ts';
import type { WriterLock } from '../checkpoint/file.ts';
import type { TrialPick } from '../domain/decisions.ts';
import { AppError } from '../domain/errors.ts';
import { stop } from '../domain/text/stops.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import type { Facts } from '../plan/facts.ts';
import { differsFromApproved } from './approve.ts';
import { factsAtEnd, shownBefore } from './dry-run.ts';
import { filesToKeep, type Keeping, openStore, sourceCredentials } from './fetch-files.ts';
import { tellFixedFields } from './fixed-fields.ts';
import { type FilesView, filesView } from './known-files.ts';
import { stepAgain } from './map.ts';
import { requireReadable } from './problem-places.ts';
import { recordBeginning, recordEnd } from './record.ts';
import type { Ended, LearntSource, Run } from './run.ts';
import { fetchAll, sendTickets } from './send.ts';
import { surveyExport } from './survey.ts';
import { connect, endConnection, type TargetAddress } from './target.ts';
import { checkEnd, checkTarget } from './target-check.ts';
import { checkTickets, loadAttachmentProbe } from './trial-check.ts';
import { rejectsInTime, settleRejects } from './write-rejects.ts';

/** `lock`: of the checkpoint, which is made once something is to be recorded. */
export async function sendExport(
  run: Run,
  source: LearntSource,
  target: TargetAddress,
  lock: WriterLock | undefined,
): Promise<Ended> {
  const { settings, ports, ledger } = run;
  const api = Promise.withResolvers<CoreApi>();
  // Faults of these are known before the survey.
  const keeping: Keeping | undefined =
    settings.files.to === undefined
      ? undefined
      : {
          credentials: await sourceCredentials(ports.env),
          store: await openStore(settings, { ...ports, target, api: api.promise }),
        };
  const facts = await surveyToSend(run, source, keeping?.credentials);
  const names = source.mapper.agentNames();
  if (names.size > 0) target.sandbox?.store.agents.keepNames(names);
  // Loaded before the first request: the installation may be replaced during a run.
  if (settings.mode === 'trial') await loadAttachmentProbe();
  const review = target.sandbox && (await import('./review-notes.ts'));
  ledger?.close();
  const checkpoint = openCheckpoint(settings.output.checkpoint, {
    ...{ target: target.key, clock: ports.clock, programVersion: ports.version, lock },
  });
  try {
    const connection = connect(target, settings.run, ports, checkpoint);
    api.resolve(connection);
    try {
      return await sendSurveyed(run, source, facts, { keeping, checkpoint, api: connection, review });
    } finally {
      await endConnection(connection, ports.emit);
    }
  } finally {
    await checkpoint.close();
  }
}

async function surveyToSend(
  run: Run,
  source: LearntSource,
  credentials: SourceCredentials | undefined,
): Promise<Facts> {
  const { settings, ports, ledger, target } = run;
  const known = ledger && { files: ledger.files, origin: target?.baseUrl, isJudged: false };
  const { facts, stoppedBy } = await surveyExport(run, source, {
    view: filesView(settings, known),
    filesOf: filesToKeep(settings, credentials),
    fetches: credentials !== undefined,
  });
  if (stoppedBy !== undefined) throw stoppedBy;
  if (!settings.source.allowUnreadableRows) requireReadable(source);
  const refusal = differsFromApproved(run, source);
  if (refusal !== undefined) throw refusal;
  const asked = ports.clock.monotonic();
  const isDeclined = facts.plan.requests.total > 0 && (await ports.confirm?.(facts)) === false;
  source.plan.steps.tell({ askedMs: Math.round(ports.clock.monotonic() - asked) });
  if (isDeclined) {
    ports.soft.throwIfAborted();
    throw stop('cancelled');
  }
  return facts;
}

interface Open {
  readonly keeping: Keeping | undefined;
  readonly checkpoint: Checkpoint;
  readonly api: CoreApi;
  /** For the pages of the sandbox. */
  readonly review: typeof import('./review-notes.ts') | undefined;
}

async function sendSurveyed(run: Run, source: LearntSource, facts: Facts, open: Open): Promise<Ended> {
  const { ports, settings, target } = run;
  const { checkpoint, api } = open;
  const { steps } = source.plan;
  const picks = settings.mode === 'trial' ? facts.picks : undefined;
  const { stop, ...checked } = await checkTarget(run, source, facts, checkpoint, api);
  const begun = await recordBeginning(run, source, facts, checkpoint);
  const fetched = await keepFiles(run, source, picks, open, stop);
  const { view } = fetched;
  const sending = { facts, checkpoint, view, checked, picks, api };
  const sent = await sendTickets(run, source, sending, fetched.stoppedBy);
  let { stoppedBy } = sent;
  if (settings.delta && stoppedBy === undefined) await tellFixedFields(run, source, checkpoint, api);
  if (picks !== undefined && stoppedBy === undefined) {
    ports.emit({ type: 'stage', stage: 'verifying' });
    await checkTickets(run, source, view, picks, sent.answers, checkpoint, api);
  }
  const duplicates = stoppedBy === undefined && (await checkEnd(run, source, checkpoint, api, sent.doubted));
  ports.emit({ type: 'stage', stage: 'writing' });
  try {
    if (!['terminated', 'source'].includes(stoppedBy?.code ?? '')) {
      const settle = stoppedBy?.code === 'interrupted' ? rejectsInTime : settleRejects;
      steps.tell({ rejects: await settle(run, source, checkpoint, view) });
      if (target?.sandbox !== undefined && checkpoint.failure === undefined)
        await open.review?.noteForReview(source, view, target.sandbox.store.review, checkpoint, ports.hard);
    }
  } catch (error) {
    // Tickets were sent: even if the rejects cannot be written, the end is recorded and shown.
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    stoppedBy ??= error;
  }
  steps.tell({ duplicates, requests: { ...api.stats } });
  const ended: Ended = {
    facts: factsAtEnd(run, source, checkpoint.files, stoppedBy),
    shownBefore: shownBefore(checkpoint.meta, facts),
    stoppedBy,
  };
  if (checkpoint.failure === undefined) await recordEnd(run, checkpoint, begun, ended);
  return ended;
}

/** With `--files` they are fetched, and what happens to their tickets is decided again. */
async function keepFiles(
  run: Run,
  source: LearntSource,
  picks: readonly TrialPick[] | undefined,
  { keeping, checkpoint }: Open,
  stop: AppError | undefined,
): Promise<{ readonly view: FilesView; readonly stoppedBy: AppError | undefined }> {
  const { settings, target } = run;
  const known = { files: checkpoint.files, origin: target?.baseUrl };
  if (keeping === undefined || stop !== undefined)
    return { view: filesView(settings, { ...known, isJudged: false }), stoppedBy: stop };
  const stoppedBy = await fetchAll(run, source, picks, keeping, checkpoint);
  const view = filesView(settings, { ...known, store: keeping.store.id, isJudged: true });
  const { exportTimes } = checkpoint;
  stepAgain(
    settings,
    source,
    { ledger: checkpoint, exportTimes, view },
    'does NOT NULL AND seq IN (SELECT ticket FROM ticket_file)',
  );
  return { view, stoppedBy };
}
