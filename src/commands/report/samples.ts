/** What a report reads of the export: sample conversations, names of contacts and agents. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { typeOfBytes } from '../../attachments/file-kind.ts';
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import { requireSameSource } from '../../checkpoint/same-source.ts';
import type { AgentRecord, TrialPick } from '../../domain/decisions.ts';
import { createProblemLog } from '../../domain/problem.ts';
import { examineExport } from '../../import/examine.ts';
import type { ImportJob, ImportPorts } from '../../import/import-job.ts';
import { keptChecker } from '../../import/keep-files.ts';
import type { Options } from '../../import/options.ts';
import { checkRules, openSource } from '../../import/source.ts';
import { surveyExport } from '../../import/survey-export.ts';
import { createContactNames } from '../../source/contact-names.ts';
import { type Conversation, conversationOf } from '../../view/conversation/conversation.ts';
import { type Samples, SHOWN } from '../../view/run-view.ts';

/** In the order of the picks; unreadable ones are missing. */
export async function samplesOf(
  job: Pick<ImportJob, 'source' | 'selection' | 'attachments' | 'names' | 'check' | 'view'>,
  picks: readonly TrialPick[],
  signal: AbortSignal,
): Promise<Samples> {
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
      const checked =
        examined.kind === 'ticket' && examined.skippedBecause === undefined && examined.result.checked;
      const reasons = checked ? why.get(checked.externalId) : undefined;
      if (checked && reasons !== undefined && !found.has(checked.externalId))
        found.set(checked.externalId, conversationOf(checked, reasons, nameOf, agentOf, picturesOf));
    }
  return {
    merged: [...names.merged()].sort((a, b) => b.names - a.names).slice(0, SHOWN.merged),
    conversations: picks.flatMap(({ externalId }) => found.get(externalId) ?? []),
  };
}

/** For a checkpoint's export. Throws AppError `source`, `configuration`, and `checkpoint` for another export. */
export async function readSamples(
  options: Options,
  reader: CheckpointReader,
  ports: Pick<ImportPorts, 'clock' | 'stdin' | 'soft' | 'settingsFolder'>,
): Promise<{ readonly samples: Samples; readonly agents: readonly AgentRecord[] }> {
  const problem = () => undefined;
  const quiet = { ...ports, emit: () => undefined };
  const findAgent = async (email: string) => {
    const known = reader.people.get(email);
    return known?.how === 'found' ? known.id : undefined;
  };
  await using source = await openSource(options.reading, { ...quiet, problem, findAgent });
  using names = createContactNames();
  const rules = checkRules(options, source, ports.clock);
  const { check, view } = await keptChecker(options, rules, reader, options.helpdesk.baseUrl);
  const job = { ...options, source, check, view, names, problem, ports: quiet, log: createProblemLog() };
  const { facts, known } = await surveyExport({ ...job, target: undefined }, { ledger: reader });
  requireSameSource({ known: reader.size(), ...known }, reader.path);
  return { samples: await samplesOf(job, facts.picks, ports.soft), agents: facts.people.agents };
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
