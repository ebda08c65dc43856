import { createChecker } from '../check/check-ticket.ts';
import { openCheckpoint } from '../checkpoint/checkpoint.ts';
import { NO_TARGET } from '../checkpoint/meta.ts';
import { type CliContext, type Flags, listenForStop, portsOf, sending } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer, openScreen } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import type { RunEvent } from '../domain/ports.ts';
import { countOf } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { examineExport } from '../import/examine.ts';
import { fetchFiles, noStore, openStore, sourceCredentials } from '../import/fetch-files.ts';
import type { ImportPorts } from '../import/import-job.ts';
import { type Options, optionsOf } from '../import/options.ts';
import { checkRules, openSource } from '../import/source.ts';
import { addressOf, connect, openTarget, type TargetAddress } from '../import/target.ts';
import { list, paragraph } from '../view/blocks.ts';
import { formatBytes } from '../view/format.ts';

const MOST_SHOWN = 20;

type FileCounts = Omit<Extract<RunEvent, { type: 'files' }>, 'type'>;

/** `run --files-only`. Exits with 3 if a file is missing. */
export async function filesOnly(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const { settings } = await loadSettings(files, flags, ['files'], context);
  const options = optionsOf(settings);
  if (options.attachments.to === undefined) throw noStore();
  const { screen, say } = await openScreen(settings, context);
  using stop = listenForStop(context, say, sending('files that were on their way are fetched again'));
  const problems: Problem[] = [];
  let last: FileCounts = { done: 0, wanted: 0, missing: 0, bytes: 0, isAll: false };
  let target: TargetAddress | undefined;
  try {
    target = await targetOf(options);
    const ports: ImportPorts = {
      ...portsOf(context, stop),
      emit: (event) => {
        if (event.type === 'files') last = event;
        screen.emit(event);
      },
    };
    const { wanted, known, fetched, missing, stored, bytes } = await fetchAll(
      options,
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
    await target?.[Symbol.asyncDispose]();
  }
}

/** Fetched before the stop, and left of the found files. */
function withCounts(stopped: AppError, { done, wanted, missing, bytes, isAll }: FileCounts): AppError {
  const left = `${isAll ? '' : 'at least '}${countOf(wanted - done, 'file')} left`;
  const fetched = `${countOf(done - missing, 'file')} fetched (${formatBytes(bytes)}), ${missing} missing, ${left}.`;
  const { code, message, hint, cause } = stopped;
  return new AppError(code, `${message} ${fetched}`, { hint, cause });
}

/** Undefined if files are fetched before there is a helpdesk. */
async function targetOf({ helpdesk, attachments }: Options): Promise<TargetAddress | undefined> {
  if (helpdesk.sandbox !== undefined) return await openTarget(helpdesk);
  const { to } = attachments;
  return typeof to === 'object' && to.kind === 'target' ? await addressOf(helpdesk) : undefined;
}

async function fetchAll(
  options: Options,
  target: TargetAddress | undefined,
  ports: ImportPorts,
  problems: Problem[],
) {
  const { baseUrl, apiPath } = options.helpdesk;
  const credentials = await sourceCredentials(ports.env);
  await using source = await openSource(options.reading, { ...ports, problem: () => undefined });
  const checkpoint = openCheckpoint(options.checkpointPath, {
    target: target?.key ?? (baseUrl === undefined ? NO_TARGET : `${baseUrl}${apiPath}`),
    clock: ports.clock,
    programVersion: ports.version,
  });
  let connection: CoreApi | undefined;
  try {
    if (target !== undefined) connection = connect(target, options.pace, ports, checkpoint);
    const api = () => {
      if (connection === undefined) throw new AppError('internal', 'There is no connection to the helpdesk.');
      return connection;
    };
    const check = createChecker(checkRules(options, source, ports.clock));
    const tickets = examineExport({ source, check, selection: options.selection }, ports.soft, checkpoint);
    const store = await openStore(options, { ...ports, target, api });
    const job = { ...options, ports, source, problem: (problem: Problem) => void problems.push(problem) };
    return await fetchFiles(tickets, job, { store, credentials }, checkpoint.files);
  } finally {
    await connection?.[Symbol.asyncDispose]();
    await checkpoint.close();
  }
}
