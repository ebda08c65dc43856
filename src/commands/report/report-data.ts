import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { typeOfBytes } from '../../attachments/file-kind.ts';
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../../checkpoint/same-source.ts';
import { type CheckpointStatus, checkpointStatus } from '../../checkpoint/status.ts';
import type { TrialPick } from '../../domain/decisions.ts';
import { problemGroupKey } from '../../domain/problem.ts';
import type { Facts } from '../../facts/facts.ts';
import { createProblemLog, groupKey } from '../../facts/problem-log.ts';
import { factsOfCheckpoint } from '../../facts/recorded.ts';
import { examineExport } from '../../import/examine.ts';
import type { ImportJob, ImportPorts } from '../../import/import-job.ts';
import { keptChecker } from '../../import/keep-files.ts';
import type { Options } from '../../import/options.ts';
import type { ProblemFrames } from '../../import/problem-frames.ts';
import type { ImportResult } from '../../import/run-import.ts';
import { checkRules, openSource } from '../../import/source.ts';
import { surveyExport } from '../../import/survey-export.ts';
import { createContactNames } from '../../source/contact-names.ts';
import { type Conversation, conversationOf } from '../../view/conversation/conversation.ts';
import type { NextStep } from '../../view/next-steps.ts';
import { type ReportData, type RunView, SHOWN, type ShownGroup } from '../../view/run-view.ts';
import { listDoubts, listFailed, type StatusAsked, statusSteps } from '../checkpoint-view.ts';

/** `isVerbose`: shows again what an earlier run showed in full. */
export function viewOfRun(
  { facts, frames, shownBefore, checklist, stoppedBy }: ImportResult,
  options: Pick<Options, 'reading' | 'pace'>,
  next: readonly NextStep[],
  isVerbose = false,
): RunView {
  return {
    facts,
    ...inputsOf(options),
    stopped: stoppedBy && { message: stoppedBy.message, hint: stoppedBy.hint },
    problems: groupsOf(facts, frames).map((group) => ({
      ...group,
      isKnown: !isVerbose && shownBefore?.has(groupKey(group)) === true,
    })),
    checklist,
    next,
  };
}

function inputsOf({ reading, pace }: Pick<Options, 'reading' | 'pace'>): Pick<RunView, 'files' | 'rate'> {
  const rate = pace.budgets.map(({ requests, seconds }) => `${requests}/${seconds}`).join(' and ');
  return { files: reading.inputs, rate: rate || undefined };
}

function groupsOf({ problemGroups, problems }: Facts, frames?: ProblemFrames | undefined): ShownGroup[] {
  const kept = Map.groupBy(problems, problemGroupKey);
  return problemGroups.map((group) => ({
    ...group,
    examples: kept.get(problemGroupKey(group.example))?.slice(0, SHOWN.examples) ?? [group.example],
    frame: frames?.get(group.example),
  }));
}

interface ReportParts {
  readonly options: Pick<Options, 'reading' | 'pace'>;
  readonly version: string;
  readonly now: number;
}

/** @param checkpoint the run's own, closed by the run */
export function reportOfRun(
  result: ImportResult,
  details: ReportDetails | undefined,
  checkpoint: CheckpointReader | undefined,
  next: readonly NextStep[],
  { options, version, now }: ReportParts,
): ReportData {
  return {
    ...listsOf(checkpoint, checkpoint && checkpointStatus(checkpoint)),
    ...viewOfRun(result, options, next, true),
    version,
    madeAt: now,
    redacted: false,
    conversations: [],
    ...details,
    noConversations:
      details === undefined
        ? 'The run was stopped, so the conversations were not read again; a dry run with --report shows them.'
        : undefined,
  };
}

export function reportOfCheckpoint(
  reader: CheckpointReader,
  details: ReportDetails | undefined,
  asked: StatusAsked,
  { options, version, now }: ReportParts,
): ReportData {
  const status = checkpointStatus(reader);
  const facts = factsOfCheckpoint(reader, status);
  const steps = statusSteps(status, asked);
  const goOn = {
    text: 'Some tickets are still to be imported. Run the import again; it continues where it stopped.',
  };
  return {
    ...listsOf(reader, status),
    ...inputsOf(options),
    facts,
    version,
    madeAt: now,
    redacted: false,
    conversations: [],
    ...details,
    problems: groupsOf(facts),
    next: steps.length === 0 && facts.tickets.pending > 0 ? [goOn] : steps,
  };
}

/** Empty before the first run. */
function listsOf(reader: CheckpointReader | undefined, status: CheckpointStatus | undefined) {
  const { inDoubt, failed } = status?.tickets ?? { inDoubt: 0, failed: 0 };
  return {
    inDoubt: { rows: reader === undefined ? [] : listDoubts(reader, SHOWN.inDoubt), total: inDoubt },
    failed: {
      rows: reader === undefined ? [] : listFailed(reader, SHOWN.failed, ['refused', 'incomplete']),
      total: failed,
    },
    runs: status?.runs ?? [],
    checkpoint: status?.checkpoint,
  };
}

/** In the order of the picks; unreadable ones are missing. */
export type ReportDetails = Pick<ReportData, 'mergedContacts' | 'conversations'>;

export async function gatherDetails(
  job: Pick<ImportJob, 'source' | 'selection' | 'attachments' | 'names' | 'check' | 'view'>,
  picks: readonly TrialPick[],
  signal: AbortSignal,
): Promise<ReportDetails> {
  const { source, names } = job;
  const picturesOf = keptPictures(job.attachments);
  const why = new Map(picks.map((pick) => [pick.externalId, pick.why]));
  const found = new Map<string, Conversation>();
  // The export has been mapped, so all are known.
  const agentNames = source.mapper.agentNames();
  const nameOf = (email: string) => names.nameOf(email);
  const agentOf = (agentId: string) => agentNames.get(agentId);
  for await (const chunk of examineExport(job, signal))
    for (const examined of chunk) {
      if (examined.kind !== 'ticket' || examined.skippedBecause !== undefined) continue;
      const { checked } = examined.result;
      if (checked === undefined) continue;
      const reasons = why.get(checked.externalId);
      if (reasons !== undefined && !found.has(checked.externalId))
        found.set(checked.externalId, conversationOf(checked, reasons, nameOf, agentOf, picturesOf));
    }
  const merged = [...names.merged()].sort((a, b) => b.names - a.names);
  return {
    mergedContacts: { rows: merged.slice(0, SHOWN.mergedContacts), total: merged.length },
    conversations: picks.flatMap(({ externalId }) => found.get(externalId) ?? []),
  };
}

/** Sample conversations of a checkpoint's export. Throws AppError `source`, `configuration`, and `checkpoint` for another export. */
export async function detailsOfExport(
  options: Options,
  reader: CheckpointReader,
  ports: Pick<ImportPorts, 'clock' | 'stdin' | 'soft' | 'settingsFolder'>,
): Promise<ReportDetails> {
  const problem = () => undefined;
  const findAgent = async (email: string) => {
    const known = reader.people.get(email);
    return known?.how === 'found' ? known.id : undefined;
  };
  await using source = await openSource(options.reading, {
    ...ports,
    emit: () => undefined,
    problem,
    findAgent,
  });
  using names = createContactNames();
  const rules = checkRules(options, source, ports.clock);
  const { check, view } = await keptChecker(options, rules, reader, options.helpdesk.baseUrl);
  const quiet = { ...ports, emit: () => undefined };
  const job = { ...options, source, check, view, names, problem, ports: quiet, log: createProblemLog() };
  const { facts, known } = await surveyExport({ ...job, target: undefined }, { ledger: reader });
  requireSameSource({ known: reader.size(), ...known }, reader.path);
  return await gatherDetails(job, facts.picks, ports.soft);
}

/** The report is sent by mail. */
const MOST_BYTES = 60_000;
/** Files are named by content (`ab/abcd….png`), wherever the folder is shown. */
const KEPT = /\/([\da-f]{2}\/[\da-f]{64}(?:\.[a-z\d]{1,8})?)(?![\w.])/g;

/** Each picture once, as a `data:` address. None if files are elsewhere. */
function keptPictures({ to }: Options['attachments']): (text: string) => string[] {
  const seen = new Set<string>();
  let left = MOST_BYTES;
  return (text) => {
    if (typeof to !== 'string') return [];
    return [...text.matchAll(KEPT)].flatMap(([, name = '']) => {
      const path = join(resolve(to), name);
      const size = seen.has(name) ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
      if (size === undefined || size > left) return [];
      seen.add(name);
      const bytes = readFileSync(path);
      const type = typeOfBytes(bytes);
      if (type?.startsWith('image/') !== true) return [];
      left -= size;
      return [`data:${type};base64,${bytes.toString('base64')}`];
    });
  };
}
