/** `helpdesk-import status`: what checkpoints hold. Changes nothing, and needs no connection. */
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { answer } from '../../cli/answer.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { printable } from '../../domain/printable.ts';
import { OUTCOMES } from '../../domain/ticket-state.ts';
import {
  addCounts,
  type CheckpointStatus,
  checkpointStatus,
  type KnownCounts,
  type RunStatus,
  runTagOf,
} from '../../import/checkpoint-status.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { END_WORDS } from '../../summary/summary.ts';
import { countOf, formatBytes, formatCount, formatDuration } from '../../view/format.ts';
import { type NextStep, stepLines } from '../../view/next-steps.ts';
import { outcomeTableLines } from '../../view/terminal/outcome-table.ts';
import type { Style } from '../../view/terminal/style.ts';
import {
  type Cell,
  type Fact,
  factLines,
  heading,
  tableLines,
  wrap,
} from '../../view/terminal/text-block.ts';
import { doubtLines, failedLines } from './list-view.ts';
import { ALL_TICKETS, failureReasons, listDoubts, listFailed } from './status-lists.ts';
import { statusSteps } from './status-next.ts';

/** Tickets of a list on screen; `--json` has all. */
const SHOWN = 50;

export async function statusCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const readers: CheckpointReader[] = [];
  try {
    const paths = await checkpointPaths(args, flags, context);
    for (const path of paths) readers.push(readCheckpoint(path));
    show(readers, flags, args.length > 0 || paths.length > 1, context);
    return 0;
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** `isNamed`: commands that are shown have to name the checkpoint. */
function show(
  readers: readonly CheckpointReader[],
  flags: Flags,
  isNamed: boolean,
  context: CliContext,
): void {
  const { commands, cwd } = context;
  const limit = flags['json'] === true ? ALL_TICKETS : SHOWN;
  const statuses = readers.map((reader) => checkpointStatus(reader));
  const total = addCounts(statuses.map(({ tickets }) => tickets));
  const steps = statuses.map((status) => statusSteps(status, { commands, folder: cwd, isNamed }));
  const more = commands.again({ more: ['--json'] });
  const failed = flags['failed'] === true && {
    rows: readers.flatMap((reader) => listFailed(reader, limit)).slice(0, limit),
    total: total.failed + total.rejected,
    reasons: failureReasons(readers),
    more,
  };
  const doubts = flags['inDoubt'] === true && {
    rows: readers.flatMap((reader) => listDoubts(reader, limit)).slice(0, limit),
    total: total.inDoubt,
    more,
  };
  const json = () => ({
    version: 1,
    checkpoints: statuses.map((status, at) => ({ ...status, next: steps[at] })),
    total,
    ...(failed && { failed: failed.rows, failedTotal: failed.total, reasons: failed.reasons }),
    ...(doubts && { inDoubt: doubts.rows, inDoubtTotal: doubts.total }),
  });
  answer(context, flags, json, (style) => {
    if (!failed && !doubts) return overview(statuses, steps.flat(), total, style);
    return [
      ...(failed ? failedLines(failed, style) : []),
      ...(failed && doubts ? [''] : []),
      ...(doubts ? doubtLines(doubts, style) : []),
    ];
  });
}

function overview(
  statuses: readonly CheckpointStatus[],
  steps: readonly NextStep[],
  total: KnownCounts,
  style: Style,
): string[] {
  const [first] = statuses;
  return [
    ...(first === undefined || statuses.length > 1
      ? shardLines(statuses, total, style)
      : checkpointLines(first, style)),
    ...(steps.length === 0 ? [] : [...heading('Next', style), ...stepLines(steps, style)]),
  ];
}

export function checkpointLines(status: CheckpointStatus, style: Style): string[] {
  const { checkpoint, target, createdAt, createdBy, bytes, writer, tickets, runs } = status;
  const facts: Fact[] = [
    { label: 'target', text: target },
    { label: 'made', text: `${timeOf(createdAt)} by version ${createdBy}` },
    { label: 'size', text: formatBytes(bytes) },
    ...progressFacts(status),
    { label: 'now', text: nowSentence(status), paint: writer === undefined ? String : style.green },
  ];
  return [
    style.bold(printable(checkpoint)),
    ...factLines(facts, style),
    '',
    ...outcomeTableLines(
      {
        counts: tickets,
        meaning: (outcome) => OUTCOME_VIEWS[outcome].meaningInCheckpoint,
        total: { label: 'known', count: tickets.known },
      },
      style,
    ),
    ...(runs.length === 0 ? [] : runLines(runs, style)),
  ];
}

/** Missing files that are named. */
const MISSING_FILES = 5;

function progressFacts({ export: progress, files, undo }: CheckpointStatus): Fact[] {
  const facts: Fact[] = [];
  if (progress !== undefined) {
    const { total, done, left } = progress;
    const text = `${countOf(total, 'ticket')}: ${formatCount(done)} done, ${formatCount(left)} left`;
    facts.push({ label: 'export', text });
  }
  if (files !== undefined) {
    const { contents, bytes, missing } = files;
    const fetched = `${formatCount(contents)} fetched (${formatBytes(bytes)})`;
    facts.push({ label: 'files', text: `${fetched}, ${formatCount(missing.length)} missing` });
    for (const { detail } of missing.slice(0, MISSING_FILES)) facts.push({ label: '', text: detail });
    if (missing.length > MISSING_FILES) facts.push({ label: '', text: 'All missing files: --json' });
  }
  if (undo !== undefined) {
    const text = `${countOf(undo.undone, 'ticket')} closed and emptied in the target`;
    const begun = undo.begun === 0 ? '' : `, ${formatCount(undo.begun)} begun`;
    facts.push({ label: 'undone', text: `${text}${begun}` });
  }
  return facts;
}

function nowSentence({ writer, runs }: CheckpointStatus): string {
  if (writer !== undefined) {
    const who = writer.pid === undefined ? 'a process' : `process ${writer.pid}`;
    return `${who} writes to it${writer.since === undefined ? '' : ` since ${timeOf(writer.since)}`}`;
  }
  const [latest] = runs;
  const isCutOff = latest !== undefined && latest.endedAt === undefined;
  return isCutOff ? 'no run is going on; the latest one was cut off' : 'no run is going on';
}

function runLines(runs: readonly RunStatus[], style: Style): string[] {
  const rows = runs.map((run): Cell[] => {
    const { mode, startedAt, endedAt, exitCode, isGoingOn, batches } = run;
    const took = endedAt === undefined ? '' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt));
    const ended =
      exitCode === undefined ? 'cut off' : `${exitCode} ${END_WORDS[exitCode] ?? 'ended with an error'}`;
    return [
      timeOf(startedAt),
      mode,
      took,
      formatCount(batches.count),
      runTagOf(run) ?? '',
      {
        text: isGoingOn ? 'going on' : ended,
        paint: isGoingOn || exitCode === 0 ? style.green : style.yellow,
      },
    ];
  });
  const columns = [
    { header: 'began' },
    { header: 'mode' },
    { header: 'took', align: 'right' as const },
    { header: 'batches', align: 'right' as const },
    { header: 'run tag' },
    { header: 'end' },
  ];
  return [...heading('Latest runs', style), ...tableLines(rows, columns, style)];
}

/** `2025-06-02 08:00:12 UTC`. */
function timeOf(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** Checkpoints of shards and their sum, to compare with the tickets of the export. */
function shardLines(statuses: readonly CheckpointStatus[], total: KnownCounts, style: Style): string[] {
  const counts = ({ known, ...outcomes }: KnownCounts) => [
    ...OUTCOMES.map((outcome) => formatCount(outcomes[outcome])),
    formatCount(known),
  ];
  const rows = statuses.map(({ checkpoint, tickets, writer }): Cell[] => [
    checkpoint,
    ...counts(tickets),
    writer === undefined ? '' : 'run going on',
  ]);
  const columns = [
    { header: 'checkpoint', flexible: true },
    ...[...OUTCOMES.map((outcome) => OUTCOME_VIEWS[outcome].word), 'known'].map((header) => ({
      header,
      align: 'right' as const,
    })),
    {},
  ];
  const targets = [...new Set(statuses.map(({ target }) => target))];
  const [read, ...others] = new Set(statuses.map((status) => status.export?.total));
  const notes = [
    ...(targets.length > 1 ? [`They are of different targets: ${targets.join(', ')}.`] : []),
    ...(read !== undefined && others.length === 0
      ? [`The export has ${countOf(read, 'ticket')}; the checkpoints have ${formatCount(total.known)}.`]
      : []),
  ];
  return [
    style.bold(countOf(statuses.length, 'checkpoint')),
    ...tableLines([...rows, ['all', ...counts(total)]], columns, style),
    ...notes.flatMap((text) => wrap(printable(text), style, { indent: 2 })),
  ];
}
