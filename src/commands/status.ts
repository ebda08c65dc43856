/** `helpdesk-import status`: what a checkpoint holds. Changes nothing, and needs no connection. */

import { type CheckpointStatus, checkpointStatus } from '../checkpoint/status.ts';
import { type CommandSpec, WHICH_CHECKPOINT } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { answer } from '../cli/screen.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import type { Facts } from '../facts/facts.ts';
import { factsOfCheckpoint } from '../facts/recorded.ts';
import { option } from '../settings/option-spec.ts';
import { type Block, blocks, type Fact, facts as factList, heading, section } from '../view/blocks.ts';
import { formatBytes, formatMinute } from '../view/format.ts';
import { stepBlocks } from '../view/next-steps.ts';
import { runTable } from '../view/report.ts';
import { outcomeTable } from '../view/summary.ts';
import {
  ALL_TICKETS,
  checkpointPath,
  doubtBlocks,
  failedBlocks,
  failureReasons,
  listDoubts,
  listFailed,
  statusSteps,
  withReader,
} from './checkpoint-view.ts';

export const command: CommandSpec = {
  arguments: [['[checkpoint]', 'the checkpoint file']],
  options: [
    option('What to do', '--failed', 'list the tickets that failed or were rejected, with their reasons'),
    option(
      'What to do',
      '--in-doubt',
      'list the tickets whose create has an unknown outcome; resolve settles them',
    ),
    ...WHICH_CHECKPOINT,
  ],
  examples: [
    ['status', 'how far the import is, and what to do next'],
    ['status --failed', 'list the tickets that failed, with the reasons'],
  ],
  run: statusCommand,
};

/** Tickets of a list on screen; `--json` has all. */
const SHOWN = 50;

async function statusCommand([named]: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  await withReader(await checkpointPath(named, flags, context), (reader) => {
    const { failed: withFailed, inDoubt: withDoubts, json: isJson } = flags;
    const { commands, cwd: folder } = context;
    const limit = isJson === true ? ALL_TICKETS : SHOWN;
    const status = checkpointStatus(reader);
    const facts = factsOfCheckpoint(reader, status);
    const { tickets } = status;
    const next = statusSteps(status, { commands, folder, isNamed: named !== undefined });
    const failed = withFailed === true && {
      failed: listFailed(reader, limit),
      failedTotal: tickets.failed + tickets.rejected,
      reasons: failureReasons(reader),
    };
    const doubts = withDoubts === true && {
      inDoubt: listDoubts(reader, limit),
      inDoubtTotal: tickets.inDoubt,
    };
    const more = commands.again({ more: ['--json'] });
    const lists = blocks(
      failed && failedBlocks({ rows: failed.failed, total: failed.failedTotal }, failed.reasons, more),
      doubts && doubtBlocks({ rows: doubts.inDoubt, total: doubts.inDoubtTotal }, more),
    );
    const shown = lists.length > 0 ? lists : [...statusBlocks(status, facts), ...stepBlocks(next)];
    const result = {
      ...facts,
      ...status,
      tickets: { ...facts.tickets, known: tickets.known },
      export: { ...facts.export, ...status.export },
    };
    answer(context, flags, { ...result, next, ...failed, ...doubts }, shown);
  });
  return 0;
}

const MISSING_FILES = 5;

function statusBlocks(status: CheckpointStatus, { tickets }: Facts): Block[] {
  const { runs, checkpoint } = status;
  return blocks(
    heading(checkpoint),
    factList(statusFacts(status)),
    outcomeTable({ counts: tickets, total: { label: 'all', count: tickets.read } }),
    section('Latest runs', runs.length > 0 && runTable(runs)),
  );
}

function statusFacts(status: CheckpointStatus): (Fact | false)[] {
  const { target, createdAt, createdBy, bytes, writer, undo, files, export: progress } = status;
  const more = (files?.missing.length ?? 0) - MISSING_FILES;
  return [
    { label: 'helpdesk', value: target },
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
