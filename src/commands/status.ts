/** `helpdesk-import status`: what checkpoints hold. Changes nothing, and needs no connection. */

import {
  addCounts,
  type CheckpointStatus,
  checkpointStatus,
  type KnownCounts,
  runTagOf,
} from '../checkpoint/status.ts';
import { type CommandSpec, shared, WHICH_CHECKPOINT } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { answer } from '../cli/screen.ts';
import { OUTCOMES } from '../domain/ticket-state.ts';
import { option } from '../settings/option-spec.ts';
import { OUTCOME_VIEWS } from '../summary/summary.ts';
import {
  type Block,
  blocks,
  counts,
  type Fact,
  facts,
  flexible,
  heading,
  type Line,
  paragraph,
  section,
  table,
} from '../view/blocks.ts';
import { countOf, formatBytes, formatCount, formatMinute } from '../view/format.ts';
import { stepBlocks } from '../view/next-steps.ts';
import { runTable } from '../view/report.ts';
import { outcomeTable } from '../view/summary.ts';
import {
  ALL_TICKETS,
  checkpointPaths,
  doubtBlocks,
  failedBlocks,
  failureReasons,
  listDoubts,
  listFailed,
  statusSteps,
  withReaders,
} from './checkpoint-view.ts';

export const command: CommandSpec = {
  arguments: [['[checkpoints...]', 'checkpoint files; several (of shards) are added up']],
  options: [
    option('What to do', '--failed', 'list the tickets that failed or were rejected, with their reasons'),
    option(
      'What to do',
      '--in-doubt',
      'list the tickets whose create has an unknown outcome; resolve settles them',
    ),
    ...WHICH_CHECKPOINT,
    shared('--config', { description: 'settings file, which may name the checkpoint' }),
    shared('--json', {
      description: 'one JSON object on standard output, with every ticket of a list',
    }),
  ],
  examples: [
    ['status', 'how far the import is, and what to do next'],
    ['status --failed', 'list the tickets that failed, with the reasons'],
    ['status 1.sqlite 2.sqlite', 'the sum of several shards'],
  ],
  run: statusCommand,
};

/** Tickets of a list on screen; `--json` has all. */
const SHOWN = 50;

async function statusCommand(args: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const paths = await checkpointPaths(args, flags, context);
  await withReaders(paths, (readers) => {
    const { failed: withFailed, inDoubt: withDoubts, json: isJson } = flags;
    const { commands, cwd: folder } = context;
    const limit = isJson === true ? ALL_TICKETS : SHOWN;
    const statuses = readers.map((reader) => checkpointStatus(reader));
    const total = addCounts(statuses.map(({ tickets }) => tickets));
    const asked = { commands, folder, isNamed: args.length > 0 || paths.length > 1 };
    const checkpoints = statuses.map((status) => ({ ...status, next: statusSteps(status, asked) }));
    const failed = withFailed === true && {
      failed: listFailed(readers, limit),
      failedTotal: total.failed + total.rejected,
      reasons: failureReasons(readers),
    };
    const doubts = withDoubts === true && {
      inDoubt: listDoubts(readers, limit),
      inDoubtTotal: total.inDoubt,
    };
    const more = commands.again({ more: ['--json'] });
    const lists = blocks(
      failed && failedBlocks({ rows: failed.failed, total: failed.failedTotal }, failed.reasons, more),
      doubts && doubtBlocks({ rows: doubts.inDoubt, total: doubts.inDoubtTotal }, more),
    );
    const [first] = statuses;
    const overview = () =>
      first === undefined || statuses.length > 1 ? shardBlocks(statuses, total) : statusBlocks(first);
    const shown =
      lists.length > 0 ? lists : [...overview(), ...stepBlocks(checkpoints.flatMap(({ next }) => next))];
    answer(context, flags, { version: 1, checkpoints, total, ...failed, ...doubts }, shown);
  });
  return 0;
}

const MISSING_FILES = 5;

function statusBlocks(status: CheckpointStatus): Block[] {
  const { tickets, runs, checkpoint } = status;
  const shown = runs.map((run) => {
    return { ...run, checkpoint, tickets: run.batches.tickets, runTag: runTagOf(run) };
  });
  return blocks(
    heading(checkpoint),
    facts(statusFacts(status)),
    outcomeTable({ counts: tickets, total: { label: 'known', count: tickets.known } }),
    section('Latest runs', shown.length > 0 && runTable(shown)),
  );
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
function shardBlocks(statuses: readonly CheckpointStatus[], total: KnownCounts): Block[] {
  const strong = (count: number): Line => ({ text: formatCount(count), tone: 'strong' });
  const targets = [...new Set(statuses.map(({ target }) => target))];
  const [read, ...others] = new Set(statuses.map((status) => status.export?.total));
  return blocks(
    heading(`${formatCount(statuses.length)} checkpoints`),
    table({
      columns: [
        flexible('checkpoint'),
        ...OUTCOMES.map((outcome) => counts(OUTCOME_VIEWS[outcome].word)),
        counts('known'),
        '',
      ],
      rows: statuses.map(({ checkpoint, tickets, writer }): Line[] => [
        checkpoint,
        ...OUTCOMES.map((outcome) => formatCount(tickets[outcome])),
        formatCount(tickets.known),
        { text: writer === undefined ? '' : 'run in progress', tone: 'good' },
      ]),
      sum: ['all', ...OUTCOMES.map((outcome) => strong(total[outcome])), strong(total.known), ''],
    }),
    targets.length > 1 && paragraph(`They are of different targets: ${targets.join(', ')}.`),
    read !== undefined &&
      others.length === 0 &&
      paragraph(
        `The export has ${countOf(read, 'ticket')}; the checkpoints have ${formatCount(total.known)}.`,
      ),
  );
}
