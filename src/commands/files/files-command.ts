/** `helpdesk-import files fetch`: the files of tickets by themselves, before or after a run. */
import { createChecker } from '../../check/check-ticket.ts';
import { type Checkpoint, openCheckpoint } from '../../checkpoint/checkpoint.ts';
import { NO_TARGET } from '../../checkpoint/meta.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { openScreen } from '../../cli/open-screen.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop, portsOf, sending } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { checkRules } from '../../import/check-rules.ts';
import { examineExport } from '../../import/examine.ts';
import { fetchFiles, openStore, sourceCredentials } from '../../import/files/fetch-files.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import { openSource } from '../../import/source.ts';
import { addressOf, type Connection, connect, openTarget, type TargetAddress } from '../../import/target.ts';
import type { Settings } from '../../settings/settings.ts';
import { countOf, formatBytes } from '../../view/format.ts';
import { createStyle } from '../../view/terminal/style.ts';
import { wrap } from '../../view/terminal/text-block.ts';

/** Lines of what is missing or wrong; the JSON has all of it. */
const MOST_SHOWN = 20;

export async function filesCommand(
  [action, ...files]: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  if (action === 'fetch') return await fetchCommand(files, flags, context);
  throw new AppError('usage', `files has no action "${action ?? ''}".`, {
    hint: 'There is: files fetch [files].',
  });
}

async function fetchCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { settings, folder } = await loadSettings(files, flags, ['files'], context);
  const { screen, say: announce } = await openScreen(settings, context);
  using stop = listenForStop(context, announce, sending('files that were on their way are fetched again'));
  const problems: Problem[] = [];
  let last: FileCounts | undefined;
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
    const counts = await fetchAll(settings, target, ports, (problem) => problems.push(problem)).catch(
      (error: unknown) => {
        throw stop.soft.aborted && error instanceof AppError ? withCounts(error, last) : error;
      },
    );
    screen.close();
    const { wanted, known, fetched, missing, stored, bytes } = counts;
    if (settings.output.json)
      writeJson(context.stdout, {
        version: 1,
        wanted: wanted + known,
        known,
        fetched,
        missing,
        stored,
        bytes,
        problems,
      });
    else {
      const lines = [
        `${countOf(fetched, 'file')} fetched (${formatBytes(bytes)}), ${known} there before, ${missing} missing.`,
        ...problems.slice(0, MOST_SHOWN).map(({ ticket, message }) => `  ticket ${ticket ?? ''}: ${message}`),
        ...(problems.length > MOST_SHOWN
          ? [`  and ${problems.length - MOST_SHOWN} more: --json lists all`]
          : []),
      ];
      say(lines, context);
    }
    return missing > 0 ? 3 : 0;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

type FileCounts = Extract<RunEvent, { type: 'files' }>;

/** What was fetched by then, and what of what was found in the export so far is left. */
function withCounts(
  stopped: AppError,
  counts: Omit<FileCounts, 'type'> = { done: 0, wanted: 0, missing: 0, bytes: 0, isAll: false },
): AppError {
  const { done, wanted, missing, bytes, isAll } = counts;
  const left = `${isAll ? '' : 'at least '}${countOf(wanted - done, 'file')} left`;
  const fetched = `${countOf(done - missing, 'file')} fetched (${formatBytes(bytes)}), ${missing} missing, ${left}.`;
  return new AppError(stopped.code, `${stopped.message} ${fetched}`, {
    hint: stopped.hint,
    cause: stopped.cause,
  });
}

/** Undefined where none is needed: files can be fetched before there is a target. */
async function targetOf(settings: Settings, clock: CliContext['clock']): Promise<TargetAddress | undefined> {
  if (settings.sandbox !== undefined) return await openTarget(settings, clock);
  const { to } = settings.files;
  return typeof to === 'object' && to.kind === 'target' ? await addressOf(settings) : undefined;
}

async function fetchAll(
  settings: Settings,
  target: TargetAddress | undefined,
  ports: ImportPorts,
  problem: (problem: Problem) => void,
) {
  const { baseUrl, apiPath } = settings.target;
  const credentials = await sourceCredentials(ports.env);
  await using source = await openSource(settings, {
    ...ports,
    problem: () => undefined,
  });
  const rules = checkRules(settings, source, ports.clock);
  const checkpoint: Checkpoint = openCheckpoint(settings.output.checkpoint, {
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
    return await fetchFiles({
      tickets: examineExport({ source, settings, check: createChecker(rules) }, ports.soft, checkpoint),
      nameOf: source.nameOf,
      settings,
      ports,
      store: await openStore(settings, { ...ports, target, api }),
      credentials,
      ledger: checkpoint.files,
      problem,
    });
  } finally {
    await connection?.api.close();
    await checkpoint.close();
  }
}

function say(lines: readonly string[], { stdout, env, commands }: CliContext): void {
  const style = createStyle({ stream: stdout, env, commands });
  stdout.write(`${lines.flatMap((line) => wrap(line, style)).join('\n')}\n`);
}
