/** `helpdesk-import status`: what checkpoints hold. Changes nothing, and needs no connection. */
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import {
  addCounts,
  type CheckpointStatus,
  checkpointStatus,
  type KnownCounts,
  runTagOf,
} from '../../checkpoint/status.ts';
import { answer } from '../../cli/answer.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { OUTCOMES } from '../../domain/ticket-state.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import {
  type Block,
  type Fact,
  facts,
  heading,
  type Line,
  paragraph,
  present,
  table,
} from '../../view/blocks.ts';
import { countOf, formatBytes, formatCount, formatMinute } from '../../view/format.ts';
import { type NextStep, stepBlocks } from '../../view/next-steps.ts';
import { outcomeTable } from '../../view/outcomes.ts';
import { runTable } from '../../view/report.ts';
import { blockLines } from '../../view/terminal/blocks.ts';
import { doubtBlocks, failedBlocks } from './list-view.ts';
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
  const [first] = statuses;
  const overview = () =>
    first === undefined || statuses.length > 1
      ? shardBlocks(statuses, total, steps.flat())
      : statusBlocks(first, steps.flat());
  const lists = [...(failed ? failedBlocks(failed) : []), ...(doubts ? doubtBlocks(doubts) : [])];
  answer(context, flags, json, (style) => blockLines(failed || doubts ? lists : overview(), style));
}

const MISSING_FILES = 5;

export function statusBlocks(status: CheckpointStatus, steps: readonly NextStep[]): Block[] {
  const { tickets, runs, checkpoint } = status;
  const shown = runs.map((run) => ({
    ...run,
    checkpoint,
    tickets: run.batches.tickets,
    runTag: runTagOf(run),
  }));
  return [
    heading(checkpoint),
    facts(statusFacts(status)),
    outcomeTable({ counts: tickets, total: { label: 'known', count: tickets.known } }),
    ...(runs.length === 0 ? [] : [heading('Latest runs'), runTable(shown)]),
    ...stepBlocks(steps),
  ];
}

/** Whose checkpoint it is and who uses it. */
function statusFacts(status: CheckpointStatus): (Fact | false)[] {
  const { target, createdAt, createdBy, bytes, writer, undo, files, export: progress } = status;
  const more = (files?.missing.length ?? 0) - MISSING_FILES;
  return [
    { label: 'target', value: target },
    { label: 'made', value: formatMinute(createdAt), remarks: [`version ${createdBy}`] },
    { label: 'size', value: formatBytes(bytes) },
    progress !== undefined && {
      label: 'export',
      value: countOf(progress.total, 'ticket'),
      remarks: [`${formatCount(progress.done)} done`, `${formatCount(progress.left)} left`],
    },
    ...(files === undefined
      ? []
      : [
          {
            label: 'files',
            value: `${formatCount(files.contents)} fetched`,
            remarks: [formatBytes(files.bytes), `${formatCount(files.missing.length)} missing`],
          },
          ...files.missing.slice(0, MISSING_FILES).map(({ detail }) => ({ label: '', value: detail })),
          more > 0 && { label: '', value: 'All missing files: --json' },
        ]),
    undo !== undefined && {
      label: 'undone',
      value: `${countOf(undo.undone, 'ticket')} closed and emptied in the helpdesk`,
      remarks: undo.begun === 0 ? [] : [`${formatCount(undo.begun)} begun`],
    },
    { label: 'now', value: nowSentence(status), tone: writer === undefined ? undefined : 'good' },
  ];
}

function nowSentence({ writer, runs }: Pick<CheckpointStatus, 'writer' | 'runs'>): string {
  if (writer !== undefined) {
    const who = writer.pid === undefined ? 'a process' : `process ${writer.pid}`;
    return `${who} writes to it${writer.since === undefined ? '' : ` since ${formatMinute(writer.since)}`}`;
  }
  const [latest] = runs;
  return latest !== undefined && latest.endedAt === undefined
    ? 'no run in progress; the latest one was cut off'
    : 'no run in progress';
}

/** Checkpoints of shards and their sum, to compare with the tickets of the export. */
export function shardBlocks(
  statuses: readonly CheckpointStatus[],
  total: KnownCounts,
  steps: readonly NextStep[],
): Block[] {
  const strong = (count: number): Line => ({ text: formatCount(count), tone: 'strong' });
  const targets = [...new Set(statuses.map(({ target }) => target))];
  const [read, ...others] = new Set(statuses.map((status) => status.export?.total));
  return [
    heading(`${formatCount(statuses.length)} checkpoints`),
    table({
      caption: 'Checkpoints',
      hideCaption: true,
      columns: [
        { title: 'checkpoint', flexible: true },
        ...OUTCOMES.map((outcome) => ({ title: OUTCOME_VIEWS[outcome].word, align: 'right' as const })),
        { title: 'known', align: 'right' },
        { title: '' },
      ],
      rows: statuses.map(({ checkpoint, tickets, writer }): Line[] => [
        checkpoint,
        ...OUTCOMES.map((outcome) => formatCount(tickets[outcome])),
        formatCount(tickets.known),
        { text: writer === undefined ? '' : 'run in progress', tone: 'good' },
      ]),
      sum: ['all', ...OUTCOMES.map((outcome) => strong(total[outcome])), strong(total.known), ''],
    }),
    ...present<Block>([
      targets.length > 1 && paragraph(`They are of different targets: ${targets.join(', ')}.`),
      read !== undefined &&
        others.length === 0 &&
        paragraph(
          `The export has ${countOf(read, 'ticket')}; the checkpoints have ${formatCount(total.known)}.`,
        ),
    ]),
    ...stepBlocks(steps),
  ];
}
