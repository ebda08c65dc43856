/** A run or a trial: survey, then push, with the checkpoint open. From the first request on nothing is thrown away. */

import { type Checkpoint, openCheckpoint } from '../checkpoint/checkpoint.ts';
import { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/run-events.ts';
import { LAST_CREATED, type PushOptions, push } from '../push/push.ts';
import { allowedErrors } from '../push/run-control.ts';
import { namedHosts } from '../settings/settings.ts';
import { groupKey } from '../summary/problem-log.ts';
import type { Summary } from '../summary/summary.ts';
import { nameAgents } from './agent-finder.ts';
import { type Examination, selectionOf } from './examine.ts';
import { fetchFiles, openStore, type StorePorts, sourceCredentials } from './files/fetch-files.ts';
import type { ImportJob } from './import-job.ts';
import { ImportWork, Tally } from './import-work.ts';
import type { JobResult } from './job-result.ts';
import { originsOf } from './known-tickets.ts';
import { compareSettings, type RunRecord, runRecord, TrialRecord } from './run-record.ts';
import { requireSource, type Surveyed, surveyExport } from './survey-export.ts';
import { type Connection, connect, endConnection, type TargetAddress } from './target.ts';
import { type CheckedTarget, checkEnd, checkTarget } from './target-check.ts';
import { unreadableRows } from './unmatched-rows.ts';
import { rejectsInTime, settleRejects } from './write-rejects.ts';

/** The first pause before a ticket that is not found in the target is looked for again, milliseconds. */
const SETTLE_MS = 2000;

/** open the checkpoint → plan → ask the target → begin → files → push → check → rejects; the end is recorded with the summary. */
export async function execute(job: ImportJob, target: TargetAddress): Promise<JobResult> {
  const { settings, ports } = job;
  const checkpoint = openCheckpoint(settings.output.checkpoint, {
    target: target.key,
    clock: ports.clock,
    programVersion: ports.version,
  });
  let isRecorded = false;
  let connection: Connection | undefined;
  try {
    job.sourceName.settle(
      checkpoint.size() === 0 ? undefined : checkpoint.meta.sourceName,
      settings.output.checkpoint,
    );
    await job.files.bind(checkpoint, target.baseUrl);
    const keeping = await filesOf(job, target, () => {
      if (connection === undefined)
        throw new AppError('internal', 'Files were sent before there was a connection.');
      return connection.api;
    });
    const surveyed = await survey(job, checkpoint);
    nameAgents(target, job.source.mapper);
    // Whatever is loaded late is loaded before the first request: the installation may be replaced when a run is over.
    const trial = settings.mode === 'trial' ? new TrialRecord(surveyed.survey.trial) : undefined;
    if (trial !== undefined) await loadAttachmentProbe();
    const review = target.sandbox === undefined ? undefined : await import('./review-notes.ts');
    connection = connect(target, settings, ports, checkpoint);
    const checked = await checkTarget(job, surveyed, checkpoint, connection.api);
    const begun = await begin(job, surveyed, checkpoint, checked);
    const run: Sending = { job, target, surveyed, checkpoint, connection, checked, trial };
    const unfetched = keeping && checked.stop === undefined ? await fetchAll(run, keeping) : undefined;
    const sent = await pushAll(run, checked.stop ?? unfetched);
    const checks =
      trial === undefined || sent.stoppedBy !== undefined ? undefined : await checkTrialTickets(run, trial);
    const duplicates =
      sent.stoppedBy === undefined && (await checkEnd(job, checkpoint, connection.api, sent.doubted));
    const written = await writeDown(run, sent.stoppedBy, review);
    isRecorded = true;
    // Kinds of problems that were shown in full when the export was this one.
    const { shown } = checkpoint.meta;
    const shownBefore = new Set(shown?.content === surveyed.digest ? shown.groups : []);
    const stoppedBy = sent.stoppedBy ?? written.failure;
    return {
      surveyed,
      tickets: sent.tickets(),
      sent: sent.sent,
      requests: { ...connection.api.stats },
      attachments: checks?.attachments ?? { checked: 0, unreachable: 0 },
      duplicates,
      openFirst: sent.openFirst,
      trial: checks,
      rejects: written.rejects,
      stoppedBy,
      shownBefore,
      record: async (summary) => {
        try {
          // A checkpoint that cannot be written has said so already.
          if (checkpoint.failure === undefined)
            await recordEnd(run, summary, begun, { isWhole: stoppedBy === undefined, shownBefore });
        } finally {
          await checkpoint.close();
        }
      },
    };
  } finally {
    if (connection !== undefined) await endConnection(connection.api, ports.emit);
    if (!isRecorded) await checkpoint.close();
  }
}

/** What the stages of sending share. */
interface Sending {
  readonly job: ImportJob;
  readonly target: TargetAddress;
  readonly surveyed: Surveyed;
  readonly checkpoint: Checkpoint;
  readonly connection: Connection;
  readonly checked: CheckedTarget;
  readonly trial: TrialRecord | undefined;
}

async function survey(job: ImportJob, checkpoint: Checkpoint): Promise<Surveyed> {
  const { settings, ports } = job;
  const surveyed = await surveyExport(job, {
    ledger: checkpoint,
    exportTimes: checkpoint.exportTimes,
    stepOf: job.files.links.stepOf,
  });
  requireSource(settings, surveyed, checkpoint);
  if (surveyed.stoppedBy !== undefined) throw surveyed.stoppedBy;
  if (surveyed.lostRows > 0 && !settings.source.allowUnreadableRows)
    throw unreadableRows(job.source, surveyed.lostRows);
  if (surveyed.survey.requests.total > 0 && (await ports.confirm?.(surveyed.survey)) === false) {
    // Whoever ended it while it asked has not answered.
    ports.soft.throwIfAborted();
    throw new AppError('usage', 'Cancelled. Nothing was sent.', {
      hint: 'See what would be sent with --dry-run, or try a few tickets with --trial.',
    });
  }
  return surveyed;
}

/** Notes in the checkpoint that a run begins, and with which settings. */
async function begin(
  { settings, ports, source, sourceName, files, runTag }: ImportJob,
  surveyed: Surveyed,
  checkpoint: Checkpoint,
  { facts }: CheckedTarget,
): Promise<RunRecord> {
  if (settings.links !== undefined && surveyed.toSend.tickets > 0 && facts.isReadable !== true)
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
  const begun = runRecord(settings, surveyed, checkpoint, ports.typed, runTag);
  const { places } = files.links;
  if (settings.links === 'apply' && places !== undefined) await checkpoint.usedWith({ links: places });
  await checkpoint.startRun(settings.mode, { ...begun });
  return begun;
}

/** Where files go and how their hosts let us in, where files are brought along; whatever is wrong with that is known before the survey. */
async function filesOf({ settings, ports }: ImportJob, target: TargetAddress, api: StorePorts['api']) {
  if (settings.files.to === undefined) return undefined;
  return {
    credentials: await sourceCredentials(ports.env),
    store: await openStore(settings, { ...ports, target, api }),
  };
}

/** Resolves with what stopped it, where something did. */
async function fetchAll(
  run: Sending,
  keeping: NonNullable<Awaited<ReturnType<typeof filesOf>>>,
): Promise<AppError | undefined> {
  const { job, checkpoint, trial, target } = run;
  const { settings, ports, problem, files } = job;
  try {
    await fetchFiles({
      examination: examinationOf(run),
      settings,
      ports,
      ...keeping,
      ledger: checkpoint.files,
      problem,
      wants: ({ externalId }, hasAction) => hasAction && trial?.ids.has(externalId) !== false,
    });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  } finally {
    await files.bind(checkpoint, target.baseUrl, keeping.store.id);
    files.judge();
  }
  return undefined;
}

function examinationOf({ job, checkpoint }: Sending): Examination {
  const { settings, source, files } = job;
  return {
    ...job,
    selection: selectionOf(settings, source.files),
    ledger: checkpoint,
    exportTimes: checkpoint.exportTimes,
    mode: settings.delta ? 'delta' : 'run',
    stepOf: files.links.stepOf,
  };
}

/** `stop`: why nothing more may be sent; what is not is counted all the same. */
async function pushAll(run: Sending, stop: AppError | undefined) {
  const { job, surveyed, checkpoint, connection, checked, trial } = run;
  const { settings, ports, names, files } = job;
  const tally = new Tally(surveyed.survey.tickets);
  let openFirst: JobResult['openFirst'];
  const sendingSince = ports.clock.monotonic();
  const work = new ImportWork(examinationOf(run), {
    ledger: checkpoint,
    exportTimes: checkpoint.exportTimes,
    tally,
    problem: job.problem,
    openFirst: surveyed.openFirst,
    onOpen: (open) => {
      if (trial !== undefined) return;
      ports.emit({ type: 'open', ...open });
      if (open.settled < open.total) return;
      const afterMs = Math.round(ports.clock.monotonic() - sendingSince);
      openFirst = { tickets: open.total, done: open.done, afterMs };
      ports.emit({
        type: 'note',
        message: `Open and pending tickets in the helpdesk: ${open.done} of ${open.total}, after ${(afterMs / 1000).toFixed(1)} s; the others follow.`,
      });
    },
    trial,
    originOf: originsOf(settings),
    links: files.links.action === undefined ? undefined : files.links,
  });
  checkpoint.leaveOut((externalId) => work.textsOf(externalId));
  const emit: Emit = (event) => {
    work.onEvent(event);
    ports.emit(event);
  };
  announce(surveyed, trial, emit);
  const pushed = await push(
    work.tickets(ports.hard),
    {
      api: trial?.listening(connection.api) ?? connection.api,
      ledger: checkpoint,
      names,
      clock: ports.clock,
      random: ports.random,
      emit,
      // Flushed with whatever is recorded next; where it is not, it is learnt again.
      learnt: (facts) =>
        void checkpoint.usedWith({ facts: { ...checkpoint.meta.facts, ...facts } }).catch(() => undefined),
    },
    pushOptions(surveyed, job, connection, checked),
    { soft: stop === undefined ? ports.soft : AbortSignal.abort(stop), hard: ports.hard },
  );
  if (pushed.lastCreated.length > 0 && checkpoint.failure === undefined)
    await checkpoint.usedWith({
      lastCreated: [...(checkpoint.meta.lastCreated ?? []), ...pushed.lastCreated].slice(-LAST_CREATED),
    });
  const { messages, events } = surveyed.sentBefore;
  return {
    tickets: () => tally.counts,
    // What earlier processes sent and what this one did.
    sent: {
      messages: messages + pushed.messagesSent,
      events: events + pushed.eventsSent,
      updates: pushed.updated,
    },
    openFirst,
    doubted: pushed.doubted,
    stoppedBy: pushed.stoppedBy,
  };
}

/** The rejects, and what the pages of the local service show of the import. */
async function writeDown(
  { job, target, surveyed, checkpoint }: Sending,
  stopped: AppError | undefined,
  review: typeof import('./review-notes.ts') | undefined,
): Promise<{ readonly rejects?: string | undefined; readonly failure?: AppError }> {
  const { settings, ports } = job;
  ports.emit({ type: 'stage', stage: 'writing' });
  if (settings.links !== undefined || ['terminated', 'source'].includes(stopped?.code ?? '')) return {};
  let rejects: string | undefined;
  try {
    rejects = await (stopped?.code === 'interrupted'
      ? rejectsInTime(job, surveyed, checkpoint)
      : settleRejects(job, surveyed, checkpoint));
    const { rejected } = surveyed.survey.tickets;
    if (target.sandbox !== undefined && checkpoint.failure === undefined)
      await review?.noteForReview(job, target.sandbox.store.review, checkpoint, rejected);
    return { rejects };
  } catch (error) {
    // Tickets were sent: whatever keeps the rejects from being written, the summary is shown and the end of the run recorded.
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    return { rejects, failure: error };
  }
}

function pushOptions(
  { survey }: Surveyed,
  { settings, sourceName }: ImportJob,
  { limiter }: Connection,
  { stop: _, ...checked }: CheckedTarget,
): PushOptions {
  const { run, target } = settings;
  const allowed = run.maxErrors === undefined ? undefined : allowedErrors(run.maxErrors, survey.tickets.read);
  return {
    concurrency: limiter,
    batchSize: run.batchSize,
    batches: survey.batches.count,
    timeoutMs: run.timeout * 1000,
    source: target.identityTag ? sourceName.name : undefined,
    ...checked,
    settleMs: SETTLE_MS,
    giveUpAfterMs: run.giveUpAfter * 1000,
    messageIds: target.messageIds,
    sourceName: sourceName.name,
    maxErrors: allowed === undefined ? undefined : { allowed, already: survey.tickets.rejected },
  };
}

function announce({ survey, toSend }: Surveyed, trial: TrialRecord | undefined, emit: Emit): void {
  const { tickets, requests } = survey;
  emit({ type: 'stage', stage: 'importing' });
  emit({
    type: 'start-import',
    tickets: trial?.ids.size ?? toSend.tickets,
    alreadyDone: trial === undefined ? tickets.done - toSend.ofDone : 0,
    requests: trial === undefined ? requests.total : trial.ids.size * 3,
  });
}

/** Loaded where they are wanted, but before anything is sent: the installation may have been replaced when they are. */
const loadAttachmentProbe = () => import('../verify/attachment-probe.ts');

async function checkTrialTickets({ job, checkpoint, connection }: Sending, trial: TrialRecord) {
  const { settings, ports, names } = job;
  ports.emit({ type: 'stage', stage: 'verifying' });
  const { createAttachmentProbe } = await loadAttachmentProbe();
  await using probe = createAttachmentProbe(ports.clock, {
    timeoutMs: Math.min(10, settings.run.timeout) * 1000,
    privateHosts: namedHosts(settings.files),
    env: ports.env,
  });
  return await trial.check(checkpoint, connection.api, probe, (email) => names.nameOf(email), ports.hard);
}

/** More kinds than any export has. */
const MOST_SHOWN = 1000;

async function recordEnd(
  { job, checkpoint, surveyed }: Sending,
  summary: Summary,
  begun: RunRecord,
  { isWhole, shownBefore }: { readonly isWhole: boolean; readonly shownBefore: ReadonlySet<string> },
): Promise<void> {
  const { settings, ports } = job;
  const content = surveyed.digest;
  const { tickets, messages, events, contacts, requests, durationMs, exitCode, problemGroups } = summary;
  if (isWhole && tickets.pending === 0) await checkpoint.usedWith({ content });
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
