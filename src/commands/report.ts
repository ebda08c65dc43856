/** The HTML report of a checkpoint or a run. Loaded late: it needs a sanitizer and a parser. */

import { existsSync } from 'node:fs';
import { type CheckpointReader, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { checkpointFacts, listDoubts, listFailed } from '../checkpoint/status.ts';
import { type CommandSpec, FILES, SET, shared, WHICH_CHECKPOINT } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, READ_ONLY } from '../cli/context.ts';
import { checkpointPath, loadSettings } from '../cli/load-settings.ts';
import { requireOutput } from '../cli/output-file.ts';
import { print } from '../cli/screen.ts';
import { writeJson } from '../cli/show-error.ts';
import type { AgentRecord, TrialPick } from '../domain/decisions.ts';
import { AppError, diskFailure } from '../domain/errors.ts';
import { writeWhole } from '../domain/files.ts';
import type { Clock } from '../domain/ports.ts';
import { hideSecrets } from '../domain/secret.ts';
import { Agents } from '../import/agents.ts';
import { type FilesView, sentView } from '../import/known-files.ts';
import { learn } from '../import/learn.ts';
import { nameOf, readExport } from '../import/read.ts';
import type { ImportPorts, LearntSource, ReadPorts } from '../import/run.ts';
import type { ImportResult } from '../import/run-import.ts';
import { surveyExport } from '../import/survey.ts';
import type { Facts } from '../plan/facts.ts';
import { idsIn } from '../plan/queries.ts';
import { factsOfCheckpoint } from '../plan/recorded.ts';
import { option } from '../settings/option-spec.ts';
import type { Settings } from '../settings/settings.ts';
import { REPORT_FILE } from '../settings/table/sections.ts';
import { createProblems } from '../source/problem-list.ts';
import { version } from '../version.ts';
import { paragraph } from '../view/blocks.ts';
import { type Conversation, conversationOf } from '../view/conversation/conversation.ts';
import { formatBytes } from '../view/format.ts';
import { GENERATOR, renderReport } from '../view/html/report.ts';
import { type NextStepContext, nextSteps, statusSteps } from '../view/next-steps.ts';
import { type Samples, SHOWN, type View } from '../view/run-view.ts';

export const command: CommandSpec = {
  arguments: [FILES],
  options: [
    ...WHICH_CHECKPOINT,
    SET,
    option('What is written', '-o, --output <file>', 'the HTML file to write', { byDefault: REPORT_FILE }),
    shared('--redact', {
      description: 'hide personal data: addresses, names, subjects, messages, quoted values',
      advanced: undefined,
    }),
  ],
  examples: [
    ['report export/', 'write helpdesk-import.report.html'],
    ['report export/ --redact', 'without names, addresses and texts'],
  ],
  run: reportCommand,
};

async function reportCommand(named: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { clock, stdin, stderr, cwd, commands } = context;
  // No export is a SQLite file.
  const files = named.filter((file) => !isCheckpointName(file));
  const [checkpoint, ...others] = named.filter(isCheckpointName);
  if (others.length > 0)
    throw new AppError('usage', 'A report is of one checkpoint.', { hint: 'Name one of them.' });
  const { checkpoint: _, sandbox: __, output = REPORT_FILE, redact, json, ...reading } = flags;
  const path = String(output);
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  requireReportPath(path);
  using reader = readCheckpoint(await checkpointPath(checkpoint, flags, context));
  // Nothing is sent, so faults in helpdesk and token do not matter.
  const env = Object.fromEntries(
    Object.entries(context.env).filter(([name]) => !name.startsWith('HELPDESK_')),
  );
  const quiet = { ...context, env };
  const { settings } = await loadSettings(files, { ...reading, dryRun: true }, [], quiet);
  const ports = { clock, stdin, soft: stop.soft };
  const read = files.length > 0 ? await readSamples(settings, reader, ports) : undefined;
  const recorded = factsOfCheckpoint(reader);
  const names = new Map(read?.agents.map(({ agent, name }) => [agent, name]));
  const agents = recorded.people.agents.map((one) => ({ ...one, name: names.get(one.agent) }));
  const content = { ...recorded.export, ...(files.length > 0 && { files }) };
  const people = { ...recorded.people, agents };
  const facts = withOpen({ ...recorded, export: content, people }, reader);
  const steps = statusSteps(facts, { commands, folder: cwd, isNamed: checkpoint !== undefined });
  const goOn = {
    text: 'Some tickets are still to be imported. Run the import again; it continues where it stopped.',
  };
  const next = steps.length === 0 && facts.tickets.pending > 0 ? [goOn] : steps;
  const bytes = await writeReport(
    path,
    { facts, next, samples: read?.samples },
    {
      madeAt: clock.now(),
      isRedacted: redact === true,
      complete: commands.complete,
    },
  );
  const said = paragraph(`The report is in ${path} (${formatBytes(bytes)}).`);
  if (json === true) writeJson(context, { version: 1, report: path, bytes });
  else print([said], context, stderr);
  return 0;
}

/** With the tickets that a person has to look at. */
function withOpen(facts: Facts, reader: CheckpointReader): Facts {
  return {
    ...facts,
    failed: listFailed(reader, SHOWN.failed, ['refused', 'incomplete']),
    inDoubt: listDoubts(reader, SHOWN.inDoubt),
  };
}

function isCheckpointName(file: string): boolean {
  return /\.(?:sqlite3?|db)$/i.test(file);
}

export interface RunReport {
  /** After a signal the export is not read again. */
  readonly look: NonNullable<ImportPorts['beforeClose']>;
  /** Throw `failure` once the result is shown. */
  write(result: ImportResult): Promise<{ readonly result: ImportResult; readonly failure?: AppError }>;
}

/** Undefined without a report. Throws AppError `usage`. */
export function openRunReport(
  settings: Settings,
  clock: Clock,
  next: NextStepContext,
): RunReport | undefined {
  const { report: path, redact: isRedacted } = settings.output;
  if (path === undefined) return undefined;
  requireReportPath(path);
  let samples: Samples = {
    conversations: [],
    none: 'The run was stopped, so the conversations were not read again; a dry run with --report shows them.',
  };
  return {
    look: async ({ source, view, facts, stoppedBy, ports: { soft, emit } }) => {
      if (soft.aborted || stoppedBy?.code === 'interrupted' || stoppedBy?.code === 'terminated') return;
      emit({ type: 'stage', stage: 'writing' });
      try {
        samples = samplesOf(source, view, facts.picks);
      } catch (error) {
        if (!soft.aborted) throw error;
      }
    },
    write: async (result) => {
      const facts = { ...result.facts, report: path };
      const checkpoint = openKnown(settings.output.checkpoint);
      try {
        const all = checkpoint ? withOpen({ ...facts, ...checkpointFacts(checkpoint) }, checkpoint) : facts;
        await writeReport(
          path,
          { ...result, facts: all, next: nextSteps(facts, next), samples },
          {
            madeAt: clock.now(),
            isRedacted,
            complete: next.commands.complete,
          },
        );
        return { result: { ...result, facts } };
      } catch (error) {
        if (error instanceof AppError && error.code === 'disk-write') return { result, failure: error };
        throw error;
      } finally {
        checkpoint?.close();
      }
    },
  };
}

/** The run has reported an unreadable checkpoint. */
function openKnown(path: string): CheckpointReader | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readCheckpoint(path);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function requireReportPath(path: string): void {
  requireOutput({ path, name: `The report ${path}`, isOurs: isReport });
}

export function isReport(head: string): boolean {
  return head.includes(`content="${GENERATOR}"`);
}

/** Atomic: an old report stays until the new one is complete. Resolves with its bytes. Throws AppError `disk-write`. */
async function writeReport(
  path: string,
  view: View,
  about: Omit<Parameters<typeof renderReport>[1], 'version'>,
): Promise<number> {
  const page = Buffer.from(hideSecrets(renderReport(view, { ...about, version: version() })));
  try {
    await writeWhole(path, page);
  } catch (error) {
    const hint = 'The import itself is recorded; `helpdesk-import report` writes the report again.';
    throw diskFailure(error, `The report cannot be written to ${path}`, hint);
  }
  return page.length;
}

/** In the order of the picks; unreadable ones are missing. */
export function samplesOf(source: LearntSource, view: FilesView, picks: readonly TrialPick[]): Samples {
  const { contacts, mapper, plan } = source;
  const why = new Map(picks.map((pick) => [pick.externalId, pick.why]));
  const found = new Map<string, Conversation>();
  // The export has been mapped, so all are known.
  const agentNames = mapper.agentNames();
  const agentOf = (agentId: string) => agentNames.get(agentId);
  for (const page of plan.entries(`leftOut IS NULL AND ${idsIn(why.keys())}`))
    for (const entry of page) {
      const { externalId = '' } = entry;
      const checked = entry.kind === 'ticket' && view(entry.result, nameOf(source, entry.ref)).checked;
      if (checked && !found.has(externalId))
        found.set(externalId, conversationOf(checked, why.get(externalId) ?? [], contacts.nameOf, agentOf));
    }
  return {
    conversations: picks.flatMap(({ externalId }) => found.get(externalId) ?? []),
  };
}

/** For a checkpoint's export. Throws AppError `source`, `configuration`, and `checkpoint` for another export. */
export async function readSamples(
  settings: Settings,
  reader: CheckpointReader,
  given: Omit<ReadPorts, 'emit'>,
): Promise<{ readonly samples: Samples; readonly agents: readonly AgentRecord[] }> {
  const ports = { ...given, emit: () => undefined };
  const problems = createProblems(ports.emit, { isDelta: false, hasFrames: false });
  await using read = await readExport({ settings, ports, problems });
  const source = await learn({ settings, ports }, read, new Agents(undefined, reader));
  const view = sentView(settings, { files: reader.files, origin: settings.target.baseUrl });
  const run = { settings, ports, problems, target: undefined, ledger: reader };
  const { facts } = await surveyExport(run, source, { view });
  return { samples: samplesOf(source, view, facts.picks), agents: facts.people.agents };
}
