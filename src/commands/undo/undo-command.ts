/**
 * `helpdesk-import undo --run <tag>`: reads the tickets of a run, says what would become of each, asks, and empties those that
 * nobody has touched (push/undo/undo-ticket.ts). Ends with 0, or with 4 where it is not known of a ticket whether anybody did.
 */
import type { Checkpoint } from '../../checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { answer } from '../../cli/answer.ts';
import { askYesOrNo, isAsked } from '../../cli/ask-before-sending.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { listenForStop, portsOf, READING, sending } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { hasTag, isRunTag } from '../../domain/identity.ts';
import { printable } from '../../domain/printable.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import { runTagOf } from '../../import/checkpoint-status.ts';
import { connect, endConnection, openTarget, type TargetAddress } from '../../import/target.ts';
import { stopOfRun } from '../../push/failure-meaning.ts';
import { ReadingStopped } from '../../push/put.ts';
import { RunControl } from '../../push/run-control.ts';
import { TargetFacts } from '../../push/target-facts.ts';
import { judge, type UndoResult, undoTicket } from '../../push/undo/undo-ticket.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CoreApi } from '../../target/api.ts';
import { version } from '../../version.ts';
import { countOf, formatCount } from '../../view/format.ts';
import { wrap } from '../../view/terminal/text-block.ts';
import { openExisting } from '../resolve/decisions.ts';

/** Few, so that a request goes out right after the reading that it depends on. */
const AT_ONCE = 4;
/** Reads and writes of a ticket that is emptied, once it was sorted. */
const REQUESTS = 8;
const TELL_EVERY = 500;
const SHOWN = 50;
/** Of which the tags are named. */
const MOST_RUNS = 10;

export async function undoCommand(
  _args: readonly string[],
  { run: typed, dryRun, ...flags }: Flags,
  context: CliContext,
): Promise<number> {
  const run = typeof typed === 'string' ? typed.trim() : '';
  const isNamed = isRunTag(run);
  const { settings } = await loadSettings([], flags, isNamed ? ['target', 'credentials'] : [], context);
  if (!isNamed) throw whichRun(run, runTagsOf(settings.output.checkpoint));
  using stop = listenForStop(
    context,
    (message) => say(context, message),
    dryRun === true ? READING : sending('the next undo reads it again'),
  );
  let target: TargetAddress | undefined;
  try {
    target = await openTarget(settings, context.clock);
    const checkpoint = openExisting(
      settings.output.checkpoint,
      { clock: context.clock, version: version() },
      target.key,
    );
    try {
      return await undo({ run, isDry: dryRun === true, settings, target, checkpoint, context, flags }, stop);
    } finally {
      await checkpoint.close();
    }
  } finally {
    await target?.sandbox?.close();
  }
}

function whichRun(run: string, tags: readonly string[]): AppError {
  const known =
    tags.length === 0
      ? 'such as run-20261122-205507, as the summary of the run and the tags of its tickets have it'
      : `of this checkpoint ${tags.join(', ')}`;
  return new AppError('usage', run === '' ? 'Which run?' : `"${printable(run)}" is not the tag of a run.`, {
    hint: `Give its tag with --run: ${known}.`,
  });
}

/** Of the latest runs of a checkpoint, as far as they created tickets with a tag. */
function runTagsOf(path: string): string[] {
  try {
    const reader = readCheckpoint(path);
    try {
      return reader.runs(MOST_RUNS).flatMap((run) => runTagOf(run) ?? []);
    } finally {
      reader.close();
    }
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

interface Job {
  readonly run: string;
  readonly isDry: boolean;
  readonly settings: Settings;
  readonly target: TargetAddress;
  readonly checkpoint: Checkpoint;
  readonly context: CliContext;
  readonly flags: Flags;
}

async function undo(job: Job, stop: ReturnType<typeof listenForStop>): Promise<number> {
  const { run, isDry, settings, target, checkpoint, context } = job;
  const ports = { ...portsOf(context, stop), emit: () => {} };
  const { api } = connect(target, settings, ports, checkpoint);
  const control = new RunControl(stop, context.clock, settings.run.timeout * 1000);
  const { identityTag } = settings.target;
  const deps = {
    api,
    facts: new TargetFacts({ api, control }, {}),
    hard: control.hard,
    now: () => context.clock.now(),
    ledger: checkpoint,
    undos: checkpoint.undos,
    links: checkpoint.links,
    run,
    source: identityTag ? checkpoint.meta.sourceName : undefined,
  };
  const most = Math.min(AT_ONCE, settings.run.concurrency);
  const each = (ids: readonly string[], what: string, work: (id: string) => Promise<UndoResult>) =>
    inTurn(ids, most, control, work, (done) => {
      if (done % TELL_EVERY === 0 && settings.output.quiet !== true)
        say(context, `${formatCount(done)} of ${countOf(ids.length, 'ticket')} ${what}.`);
    });
  try {
    const { ids, isDone } = await ticketsOf(job, api, control);
    const sorted = await each(ids, 'read', (id) => judge(id, deps));
    const untouched = sorted.filter(({ is }) => is === 'untouched');
    if (isDry || untouched.length === 0) return tell(job, sorted, isDone);
    await confirm(job, sorted, stop.soft);
    const emptied = await each(
      untouched.map(({ ticketId }) => ticketId),
      'undone',
      (id) => undoTicket(id, deps),
    );
    return tell(job, [...emptied, ...sorted.filter(({ is }) => is !== 'untouched')], isDone);
  } catch (error) {
    throw impossible(error, control);
  } finally {
    control.end();
    await endConnection(api, (event) => 'message' in event && say(context, event.message));
  }
}

/** The tickets that carry the tag of the run, but for those that were emptied before; and those of which that was begun. */
async function ticketsOf(
  { run, checkpoint }: Job,
  api: CoreApi,
  control: RunControl,
): Promise<{ ids: string[]; isDone: number }> {
  const listed = await api.findTickets({ tags: [run], fields: ['tags'] }, control.taking);
  const ids = new Set(checkpoint.undos.begun().flatMap((begun) => (begun.run === run ? begun.ticketId : [])));
  let isDone = 0;
  for (const { id, tags } of listed) {
    // A list may ignore the filter, or tell no tags: then the ticket itself is asked.
    if (Array.isArray(tags) ? !hasTag(tags, run) : checkpoint.ownerOf(id) === undefined) continue;
    const known = checkpoint.undos.get(id);
    if (known !== undefined && known.begun === undefined) isDone += 1;
    else ids.add(id);
  }
  if (ids.size + isDone > 0) return { ids: [...ids], isDone };
  throw new AppError('usage', `The target has no ticket with the tag ${run}.`, {
    hint: 'The tag of a run is in its summary, in status, and on the tickets that it created. A target that keeps no tags leaves none to find.',
  });
}

/** Several at a time; the first failure ends it, when what is in flight has ended. */
async function inTurn<T>(
  ids: readonly string[],
  most: number,
  control: RunControl,
  work: (id: string) => Promise<T>,
  reported: (done: number) => void,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  let failed: { readonly error: unknown } | undefined;
  const worker = async () => {
    while (failed === undefined && !control.isStopping && next < ids.length) {
      const id = ids[next] as string;
      next += 1;
      try {
        results.push(await work(id));
        reported(results.length);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, ids.length) }, worker));
  if (failed !== undefined) throw failed.error;
  if (control.isStopping) throw control.reason;
  return results;
}

function impossible(error: unknown, control: RunControl): unknown {
  if (error instanceof ReadingStopped) return error.stop.stop ?? control.reason ?? error;
  const stopped = error instanceof ApiFailure ? stopOfRun(error) : undefined;
  if (stopped !== undefined) return stopped;
  if (error instanceof ApiFailure && control.isStopping) return control.reason;
  if (error instanceof ApiFailure && error.code === 'target-unreadable')
    return new AppError('configuration', error.message, {
      hint: 'An undo needs a helpdesk that lists, shows and changes tickets (GET /tickets, PUT /tickets/{id}).',
      cause: error,
    });
  if (error instanceof ApiFailure)
    return new AppError('unreachable', error.message, {
      hint: 'Run the same command again: it continues where it stopped.',
    });
  return error;
}

async function confirm(
  { settings, target, context, run }: Job,
  sorted: readonly UndoResult[],
  signal: AbortSignal,
) {
  const { untouched, touched, unknown } = counts(sorted);
  if (settings.yes || settings.sandbox !== undefined) return;
  if (!isAsked(settings, context))
    throw new AppError(
      'usage',
      'Emptying these tickets needs a confirmation, and there is no terminal to ask in.',
      {
        hint: 'Look with --dry-run; then run it in a terminal, or with --yes.',
      },
    );
  const requests = `about ${countOf(untouched * REQUESTS, 'request')}`;
  const kept =
    touched + unknown > 0
      ? ` The others of the run (${formatCount(touched + unknown)}) stay as they are.`
      : '';
  say(context, `Nobody has touched ${countOf(untouched, 'ticket')} of ${run}.${kept}`);
  if (
    await askYesOrNo(
      `Close and empty ${untouched === 1 ? 'it' : 'them'} in ${target.baseUrl} (${requests})?`,
      context,
      signal,
    )
  )
    return;
  signal.throwIfAborted();
  throw new AppError('usage', 'Cancelled. Nothing was changed.', {
    hint: 'See every ticket with --dry-run.',
  });
}

function counts(results: readonly UndoResult[]): Record<UndoResult['is'], number> {
  const sums = { untouched: 0, undone: 0, touched: 0, unknown: 0 };
  for (const { is } of results) sums[is] += 1;
  return sums;
}

function tell(
  { run, isDry, checkpoint, context, flags }: Job,
  results: readonly UndoResult[],
  isDone: number,
): number {
  const sums = counts(results);
  const listed = results
    .filter(({ why }) => why !== undefined)
    .map(({ externalId, ticketId, is, why }) => ({ externalId, ticketId, state: is, why }));
  const tickets = { ...sums, undoneBefore: isDone };
  const json = () => ({ version: 1, checkpoint: checkpoint.path, run, dryRun: isDry, tickets, listed });
  answer(context, flags, json, (style) => {
    const rows: [number, string][] = [
      [isDone, 'undone before'],
      [sums.undone, 'undone: closed and emptied, to be imported again'],
      [sums.untouched, isDry ? 'unedited: an undo closes and empties them' : 'not undone yet'],
      [sums.touched, 'touched since: they stay as they are'],
      [sums.unknown, 'unknown whether people edited them: they are not changed'],
    ];
    const shown = listed.slice(0, SHOWN);
    return [
      style.bold(`${run}: ${countOf(results.length + isDone, 'ticket')} in the target`),
      ...rows.flatMap(([count, words]) =>
        count === 0 ? [] : `  ${formatCount(count).padStart(9)}  ${words}`,
      ),
      ...shown.flatMap(({ externalId, ticketId, why }) =>
        wrap(printable(`${externalId ?? '?'} (${ticketId}): ${why}`), style, { lead: '  ' }),
      ),
      ...(listed.length > shown.length
        ? [`  … and ${listed.length - shown.length} more; all of them with --json`]
        : []),
      ...(isDry && sums.untouched > 0
        ? [`To undo them: ${context.commands.again({ without: ['--dry-run'] })}`]
        : []),
    ];
  });
  return sums.unknown > 0 ? 4 : 0;
}

function say({ stderr }: CliContext, message: string): void {
  stderr.write(`${printable(message)}\n`);
}
