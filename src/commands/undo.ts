/** Exit 4 if it is unknown whether people edited a ticket. */

import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { openExisting } from '../checkpoint/checkpoint.ts';
import { type RunInfo, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { runTagOf } from '../checkpoint/status.ts';
import { type CommandSpec, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY, sending } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer, askYesOrNo, sayLine, shouldConfirm } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import { hasTag, isRunTag } from '../domain/identity.ts';
import { countOf, formatCount, printable } from '../domain/printable.ts';
import { stop } from '../domain/text/stops.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { connect, endConnection, openTarget } from '../import/target.ts';
import { RunEnds, stopOfRun } from '../push/failure-meaning.ts';
import { RunControl } from '../push/run-control.ts';
import { TargetFacts } from '../push/target-facts.ts';
import { judge, type UndoDeps, type UndoResult, undoTicket } from '../push/undo.ts';
import { option } from '../settings/option-spec.ts';
import { version } from '../version.ts';
import { heading, list } from '../view/blocks.ts';
import { formatMinute } from '../view/format.ts';
import { stepBlocks } from '../view/next-steps.ts';

export const command: CommandSpec = {
  options: [
    option('What to do', '--run <tag>', 'the tag of the run, as its summary and its tickets show it', {
      byDefault: 'the only run of the checkpoint',
    }),
    option('What to do', '--last', 'the last run that created tickets', { conflicts: ['--run'] }),
    option(
      'What to do',
      '-n, --dry-run',
      'read its tickets and say what happens to each; nothing is changed',
    ),
    shared('--yes', { description: 'do not ask; needed without a terminal' }),
    shared('--base-url'),
    shared('--sandbox', { description: 'the imports into the local sandbox' }),
    shared('--checkpoint'),
  ],
  examples: [
    ['undo --last --dry-run', 'what happens to each ticket'],
    ['undo --last', 'undo the last run'],
    ['undo --run run-20261122-205507', 'undo another one'],
  ],
  help: () =>
    [
      'The helpdesk cannot delete tickets. Tickets that no one edited since are closed and emptied: one internal note says why, and the tag',
      'import-undone marks them. Subject and history stay, and the ID can be imported again. The others are listed and not changed.',
      'If an undo is stopped, run it again.',
    ].join('\n'),
  run: undoCommand,
};

const SHOWN = 50;
const MOST_RUNS = 10;

async function undoCommand(
  _args: readonly string[],
  { run: typed, last, dryRun, ...flags }: Flags,
  context: CliContext,
): Promise<number> {
  const isDry = dryRun === true;
  const known = await loadSettings([], flags, [], { ...context, env: {} });
  const name = typeof typed === 'string' ? typed.trim() : undefined;
  const run = runTag(name, last === true, known.settings.output.checkpoint);
  const { settings } = await loadSettings([], flags, ['target', 'credentials'], context);
  const say = (message: string) => sayLine(message, context);
  using stop = listenForStop(context, say, isDry ? READ_ONLY : sending('the next undo reads it again'));
  await using target = await openTarget(settings);
  const ports = { clock: context.clock, version: version() };
  const checkpoint = openExisting(
    settings.output.checkpoint,
    { clock: ports.clock, programVersion: ports.version },
    target.key,
  );
  const api = connect(target, settings.run, { ...portsOf(context, stop), emit: () => {} }, checkpoint);
  const control = new RunControl(stop, context.clock, settings.run.timeout * 1000);
  const { undos, meta } = checkpoint;
  const source = meta.sourceName ?? 'import';
  const deps: UndoDeps = {
    api,
    facts: new TargetFacts({ api, control }, {}, source),
    hard: control.hard,
    clock: context.clock,
    ledger: checkpoint,
    undos,
    run,
    source,
  };
  try {
    const { ids, isDone } = await ticketsOf(deps, checkpoint, control);
    let results = await inTurn(ids, control, (id) => judge(id, deps));
    const untouched = results.filter(({ is }) => is === 'untouched');
    if (!isDry && untouched.length > 0) {
      const isSure = settings.yes || settings.sandbox !== undefined;
      if (!isSure && !shouldConfirm(settings, context))
        throw new AppError(
          'usage',
          'Emptying these tickets needs a confirmation, and no terminal can ask for it.',
          { hint: 'Look with --dry-run; then run it in a terminal, or with --yes.' },
        );
      const others = results.filter(({ is }) => is !== 'untouched');
      const question = `Close and empty ${others.length === 0 ? 'all ' : ''}${countOf(untouched.length, 'ticket')} of ${run} in ${target.baseUrl}?${others.length === 0 ? '' : ` The other ${formatCount(others.length)} stay as they are.`}`;
      if (!isSure && !(await askYesOrNo(question, context, stop.soft)))
        throw new AppError('usage', 'Cancelled. Nothing was changed.', {
          hint: 'See every ticket with --dry-run.',
        });
      const emptied = await inTurn(
        untouched.map(({ ticketId }) => ticketId),
        control,
        (id) => undoTicket(id, deps),
      );
      results = [...emptied, ...others];
    }
    if (!isDry) {
      // An earlier undo began with these and people wrote meanwhile: it is taken back.
      const left = results.filter(({ ticketId }) => undos.get(ticketId)?.begun !== undefined);
      const ids = left.map(({ ticketId }) => ticketId);
      const settled = await inTurn(ids, control, (id) => undoTicket(id, deps));
      results = [...settled, ...results.filter((each) => !left.includes(each))];
    }
    return show(results, isDone, { run, isDry, checkpoint: checkpoint.path, context, flags });
  } catch (error) {
    throw meaningOf(error, control);
  } finally {
    control.end();
    await endConnection(api, (event) => 'message' in event && say(event.message));
    await checkpoint.close();
  }
}

function latestRuns(checkpoint: string, mayBeMissing: boolean) {
  try {
    using reader = readCheckpoint(checkpoint);
    return reader.runs(MOST_RUNS);
  } catch (error) {
    if (error instanceof AppError && mayBeMissing) return [];
    throw error;
  }
}

/** The typed tag, the last run's, or the only one. Throws AppError `usage`. */
function runTag(typed: string | undefined, isLast: boolean, checkpoint: string): string {
  if (typed !== undefined && isRunTag(typed)) return typed;
  const runs = latestRuns(checkpoint, typed !== undefined);
  const tagged = runs.flatMap((run) => {
    const tag = runTagOf(run);
    return tag === undefined || createdBy(run) === 0
      ? []
      : [[tag, `${tag} · ${formatMinute(new Date(run.startedAt).toISOString())} · ${madeBy(run)}`] as const];
  });
  const [first, ...others] = new Map(tagged);
  if (typed === undefined && first !== undefined && (isLast || others.length === 0)) return first[0];
  const what =
    typed !== undefined
      ? `"${printable(typed)}" is not the tag of a run.`
      : first === undefined
        ? 'No run of this checkpoint created tickets.'
        : 'Several runs created tickets. Name the run to undo.';
  throw new AppError('usage', what, {
    lines: [...new Map(tagged).values()],
    hint: 'Give its tag with --run, or --last for the last one.',
  });
}

const createdBy = ({ summary }: RunInfo) =>
  (summary?.['tickets'] as { created?: unknown } | undefined)?.created;

/** "import, 399 tickets" */
function madeBy(run: RunInfo): string {
  const made = createdBy(run);
  const kind = run.mode === 'trial' ? 'trial' : 'import';
  return typeof made === 'number' ? `${kind}, ${countOf(made, 'ticket')}` : kind;
}

/** Tickets of the run that are not undone yet. */
async function ticketsOf({ api, run, undos }: UndoDeps, checkpoint: Checkpoint, control: RunControl) {
  const listed = await api.findTickets({ tags: [run], fields: ['tags'] }, control.taking);
  const begun = [...undos.values()].filter((each) => each.begun !== undefined && each.run === run);
  const ids = new Set(begun.map(({ ticketId }) => ticketId));
  let isDone = 0;
  for (const { id, tags } of listed) {
    // A list may ignore the filter or show no tags.
    if (Array.isArray(tags) ? !hasTag(tags, run) : checkpoint.ownerOf(id) === undefined) continue;
    const known = undos.get(id);
    if (known !== undefined && known.begun === undefined) isDone += 1;
    else ids.add(id);
  }
  if (ids.size + isDone > 0) return { ids: [...ids], isDone };
  throw stop('no-ticket-of-run', { run });
}

async function inTurn(
  ids: readonly string[],
  control: RunControl,
  work: (id: string) => Promise<UndoResult>,
) {
  const results: UndoResult[] = [];
  for (const id of ids) {
    if (control.isStopping) throw control.reason;
    results.push(await work(id));
  }
  return results;
}

function meaningOf(error: unknown, control: RunControl): unknown {
  if (error instanceof RunEnds) return error.reason ?? control.reason ?? error;
  if (!(error instanceof ApiFailure)) return error;
  const isUnreadable = error.code === 'target-unreadable';
  const hint = isUnreadable
    ? 'An undo needs a helpdesk that lists, shows and changes tickets (GET /tickets, PUT /tickets/{id}).'
    : 'Run the same command again: it continues where it stopped.';
  const failed = new AppError(isUnreadable ? 'configuration' : 'unreachable', error.message, { hint });
  return stopOfRun(error) ?? (control.isStopping ? control.reason : failed);
}

function show(
  results: readonly UndoResult[],
  undoneBefore: number,
  job: { run: string; isDry: boolean; checkpoint: string; context: CliContext; flags: Flags },
): number {
  const { run, isDry, checkpoint, context, flags } = job;
  const countIs = (wanted: UndoResult['is']) => results.filter(({ is }) => is === wanted).length;
  const sums = {
    untouched: countIs('untouched'),
    undone: countIs('undone'),
    touched: countIs('touched'),
    unknown: countIs('unknown'),
  };
  const listed = results.flatMap(({ externalId, ticketId, is, why }) =>
    why === undefined ? [] : [{ externalId, ticketId, state: is, why }],
  );
  const tickets = { ...sums, undoneBefore };
  const result = { version: 1, checkpoint, run, dryRun: isDry, tickets, listed };
  const rows: [number, string][] = [
    [undoneBefore, 'undone before'],
    [sums.undone, 'undone: closed and emptied, to be imported again'],
    [sums.untouched, isDry ? 'not edited since: an undo closes and empties them' : 'not undone yet'],
    [sums.touched, 'edited since: not changed'],
    [sums.unknown, 'unknown whether they were edited: not changed'],
  ];
  const next = context.commands.again({ without: ['--dry-run'] });
  answer(context, flags, result, [
    heading(`${run}: ${countOf(results.length + undoneBefore, 'ticket')} in the helpdesk`),
    list(
      'counts',
      rows.flatMap(([count, text]) => (count === 0 ? [] : { lead: formatCount(count), text })),
    ),
    list(
      'bullets',
      listed
        .slice(0, SHOWN)
        .map(({ externalId, ticketId, why }) => `${externalId ?? '?'} (${ticketId}): ${why}`),
      { more: Math.max(0, listed.length - SHOWN) },
    ),
    ...stepBlocks(isDry && sums.untouched > 0 ? [{ text: 'To undo them:', command: next }] : []),
  ]);
  return sums.unknown > 0 ? 4 : 0;
}
