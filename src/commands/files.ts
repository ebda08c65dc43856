/** `helpdesk-import files fetch`: the files of tickets by themselves, before or after a run. */
import { createChecker } from '../check/check-ticket.ts';
import { openCheckpoint } from '../checkpoint/checkpoint.ts';
import { NO_TARGET } from '../checkpoint/meta.ts';
import { type CommandSpec, EXPORT_OPTIONS, FILES, JSON_RESULT, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, sending } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer, openScreen } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { RunEvent } from '../domain/run-events.ts';
import { checkRules } from '../import/check-rules.ts';
import { examineExport } from '../import/examine.ts';
import { fetchFiles, openStore, sourceCredentials } from '../import/files/fetch-files.ts';
import type { ImportPorts } from '../import/import-job.ts';
import { openSource } from '../import/source.ts';
import { addressOf, type Connection, connect, openTarget, type TargetAddress } from '../import/target.ts';
import type { Settings } from '../settings/settings.ts';
import { list, paragraph } from '../view/blocks.ts';
import { countOf, formatBytes } from '../view/format.ts';

export const command: CommandSpec = {
  arguments: [['<action>', 'fetch, and the files of the export', ['fetch']], FILES],
  options: [
    shared('--files'),
    shared('--sandbox', { description: 'the files of an import into the local service' }),
    ...EXPORT_OPTIONS,
    shared('--only'),
    shared('--checkpoint'),
    JSON_RESULT,
  ],
  examples: [['files fetch export/ --files kept', 'fetch them into a folder']],
  run: filesCommand,
};

/** Missing files that are named; the JSON has all. */
const MOST_SHOWN = 20;

type FileCounts = Omit<Extract<RunEvent, { type: 'files' }>, 'type'>;

async function filesCommand(
  [, ...files]: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const { settings, folder } = await loadSettings(files, flags, ['files'], context);
  const { screen, say } = await openScreen(settings, context);
  using stop = listenForStop(context, say, sending('files that were on their way are fetched again'));
  const problems: Problem[] = [];
  let last: FileCounts = { done: 0, wanted: 0, missing: 0, bytes: 0, isAll: false };
  let target: TargetAddress | undefined;
  try {
    target = await targetOf(settings, context.clock);
    const ports: ImportPorts = {
      ...portsOf(context, stop),
      emit: (event) => {
        if (event.type === 'files') last = event;
        screen.emit(event);
      },
      settingsFolder: folder,
    };
    const { wanted, known, fetched, missing, stored, bytes } = await fetchAll(
      settings,
      target,
      ports,
      problems,
    );
    screen.close();
    const counts = { wanted: wanted + known, known, fetched, missing, stored, bytes };
    const shown = problems.slice(0, MOST_SHOWN);
    const said = `${countOf(fetched, 'file')} fetched (${formatBytes(bytes)}), ${known} there before, ${missing} missing.`;
    answer(context, flags, { version: 1, ...counts, problems }, [
      paragraph(said),
      list(
        'bullets',
        shown.map(({ ticket = '', message }) => `ticket ${ticket}: ${message}`),
        { more: problems.length - shown.length },
      ),
    ]);
    return missing > 0 ? 3 : 0;
  } catch (error) {
    throw stop.soft.aborted && error instanceof AppError ? withCounts(error, last) : error;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

/** What was fetched by then, and what of what was found in the export so far is left. */
function withCounts(stopped: AppError, { done, wanted, missing, bytes, isAll }: FileCounts): AppError {
  const left = `${isAll ? '' : 'at least '}${countOf(wanted - done, 'file')} left`;
  const fetched = `${countOf(done - missing, 'file')} fetched (${formatBytes(bytes)}), ${missing} missing, ${left}.`;
  const { code, message, hint, cause } = stopped;
  return new AppError(code, `${message} ${fetched}`, { hint, cause });
}

/** Undefined if no target is needed: files can be fetched before there is one. */
async function targetOf(settings: Settings, clock: CliContext['clock']): Promise<TargetAddress | undefined> {
  if (settings.sandbox !== undefined) return await openTarget(settings, clock);
  const { to } = settings.files;
  return typeof to === 'object' && to.kind === 'target' ? await addressOf(settings) : undefined;
}

async function fetchAll(
  settings: Settings,
  target: TargetAddress | undefined,
  ports: ImportPorts,
  problems: Problem[],
) {
  const { baseUrl, apiPath } = settings.target;
  const credentials = await sourceCredentials(ports.env);
  await using source = await openSource(settings, { ...ports, problem: () => undefined });
  const checkpoint = openCheckpoint(settings.output.checkpoint, {
    target: target?.key ?? (baseUrl === undefined ? NO_TARGET : `${baseUrl}${apiPath}`),
    clock: ports.clock,
    programVersion: ports.version,
  });
  let connection: Connection | undefined;
  try {
    if (target !== undefined) connection = connect(target, settings, ports, checkpoint);
    const api = () => {
      if (connection === undefined) throw new AppError('internal', 'There is no connection to the target.');
      return connection.api;
    };
    const check = createChecker(checkRules(settings, source, ports.clock));
    return await fetchFiles({
      tickets: examineExport({ source, settings, check }, ports.soft, checkpoint),
      nameOf: source.nameOf,
      settings,
      ports,
      store: await openStore(settings, { ...ports, target, api }),
      credentials,
      ledger: checkpoint.files,
      problem: (problem) => problems.push(problem),
    });
  } finally {
    await connection?.api.close();
    await checkpoint.close();
  }
}
