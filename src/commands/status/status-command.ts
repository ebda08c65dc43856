/** `helpdesk-import status`: what checkpoints hold. Changes nothing, and needs no connection. */
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { answer } from '../../cli/answer.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import {
  addCounts,
  type CheckpointStatus,
  checkpointStatus,
  type KnownCounts,
} from '../../import/checkpoint-status.ts';
import type { NextStep } from '../../view/next-steps.ts';
import type { Style } from '../../view/terminal/style.ts';
import { ALL_TICKETS, failureReasons, listDoubts, listFailed } from './status-lists.ts';
import { statusSteps } from './status-next.ts';
import { doubtLines, failedLines, nextLines, shardLines, statusLines } from './status-view.ts';

/** Tickets of a list on screen; `--json` has all. */
const SHOWN = 50;

export async function statusCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const limit = flags['json'] === true ? ALL_TICKETS : SHOWN;
  const readers: CheckpointReader[] = [];
  try {
    const paths = await checkpointPaths(args, flags, context);
    const isNamed = args.length > 0 && paths.length === args.length;
    for (const path of paths) readers.push(readCheckpoint(path));
    show(readers, { limit, flags, isNamed: isNamed || readers.length > 1 }, context);
    return 0;
  } finally {
    for (const reader of readers) reader.close();
  }
}

interface ShowOptions {
  readonly limit: number;
  readonly flags: Flags;
  /** Commands that are shown have to name the checkpoint. */
  readonly isNamed: boolean;
}

function show(
  readers: readonly CheckpointReader[],
  { limit, flags, isNamed }: ShowOptions,
  context: CliContext,
): void {
  const statuses = readers.map((reader) => checkpointStatus(reader));
  const total = addCounts(statuses.map(({ tickets }) => tickets));
  const asked = { commands: context.commands, folder: context.cwd, isNamed };
  const steps = statuses.map((status) => statusSteps(status, asked));
  const failed =
    flags['failed'] === true
      ? {
          rows: readers.flatMap((reader) => listFailed(reader, limit)).slice(0, limit),
          total: total.failed + total.rejected,
        }
      : undefined;
  const doubts =
    flags['inDoubt'] === true
      ? {
          rows: readers.flatMap((reader) => listDoubts(reader, limit)).slice(0, limit),
          total: total.inDoubt,
        }
      : undefined;

  const json = () => ({
    version: 1,
    checkpoints: statuses.map((status, at) => ({ ...status, next: steps[at] })),
    total,
    ...(failed && { failed: failed.rows, failedTotal: failed.total, reasons: failureReasons(readers) }),
    ...(doubts && { inDoubt: doubts.rows, inDoubtTotal: doubts.total }),
  });
  const lines = (style: Style) => {
    const more = context.commands.again({ more: ['--json'] });
    const parts = [
      failed && failedLines({ ...failed, more }, failureReasons(readers), style),
      doubts && doubtLines({ ...doubts, more }, style),
    ].filter((part) => part !== undefined);
    if (parts.length === 0) parts.push(overview(statuses, steps, total, style));
    return parts.filter((part) => part.length > 0).flatMap((part, at) => (at === 0 ? part : ['', ...part]));
  };
  answer(context, flags, json, lines);
}

function overview(
  statuses: readonly CheckpointStatus[],
  steps: readonly (readonly NextStep[])[],
  total: KnownCounts,
  style: Style,
): string[] {
  if (statuses.length > 1) return [...shardLines(statuses, total, style), ...nextLines(steps.flat(), style)];
  return statuses.flatMap((status, at) => statusLines(status, steps[at] ?? [], style));
}
