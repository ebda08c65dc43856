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
import { fetchFiles, noStore, openStore, sourceCredentials } from '../import/fetch-files.ts';
import { learn } from '../import/learn.ts';
import { mapTickets } from '../import/map.ts';
import { readExport } from '../import/read.ts';
import type { ImportPorts } from '../import/run.ts';
import { addressOf, connect, openTarget, type TargetAddress } from '../import/target.ts';
import { createSelection } from '../plan/selection.ts';
import type { Settings } from '../settings/settings.ts';
import { NO_PROBLEMS } from '../source/problem-list.ts';
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
  if (settings.files.to === undefined) throw noStore();
  const { screen, say } = await openScreen(settings, context);
  using stop = listenForStop(context, say, sending('files that were on their way are fetched again'));
  const problems: Problem[] = [];
  let last: FileCounts = { done: 0, wanted: 0, missing: 0, bytes: 0, isAll: false };
  let target: TargetAddress | undefined;
  try {
    target = await targetOf(settings);
    const ports: ImportPorts = {
      ...portsOf(context, stop),
      emit: (event) => {
        if (event.type === 'files') last = event;
        screen.emit(event);
      },
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
async function targetOf(settings: Settings): Promise<TargetAddress | undefined> {
  if (settings.sandbox !== undefined) return await openTarget(settings);
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
  await using read = await readExport({ settings, ports, problems: NO_PROBLEMS });
  const source = await learn({ settings, ports }, read, undefined);
  const checkpoint = openCheckpoint(settings.output.checkpoint, {
    target: target?.key ?? (baseUrl === undefined ? NO_TARGET : `${baseUrl}${apiPath}`),
    clock: ports.clock,
    programVersion: ports.version,
  });
  let connection: CoreApi | undefined;
  try {
    const api = Promise.withResolvers<CoreApi>();
    if (target !== undefined) connection = connect(target, settings.run, ports, checkpoint);
    if (connection !== undefined) api.resolve(connection);
    const selection = createSelection(settings.selection);
    const tickets = mapTickets(settings, source, selection, { ledger: checkpoint }, ports.soft);
    const store = await openStore(settings, { ...ports, target, api: api.promise });
    const tell = (problem: Problem) => void problems.push(problem);
    const run = { settings, ports, problems: { tell } };
    return await fetchFiles(tickets, run, source, { store, credentials }, checkpoint.files);
  } finally {
    await connection?.[Symbol.asyncDispose]();
    await checkpoint.close();
  }
}
