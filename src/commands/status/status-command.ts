/**
 * `helpdesk-import status`: what checkpoints hold. Changes nothing, and needs no connection. A checkpoint of
 * usage events is shown as such where it is named, by the command line or the settings, or lies beside that of the tickets.
 */
import { existsSync } from 'node:fs';
import { type UsageStatus, usageStatus } from '../../billing/usage-checkpoint.ts';
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { answer, numberFlag } from '../../cli/answer.ts';
import { checkpointPaths, usageCheckpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import {
  addCounts,
  type CheckpointStatus,
  checkpointStatus,
  type KnownCounts,
} from '../../import/checkpoint-status.ts';
import type { NextStep } from '../../present/terminal/next-steps.ts';
import type { Style } from '../../present/terminal/style.ts';
import { wholeNumber } from '../../settings/parsers.ts';
import { usageStatusLines } from '../billing/usage-view.ts';
import { failureReasons, listDoubts, listFailed } from './status-lists.ts';
import { statusSteps } from './status-next.ts';
import { doubtLines, failedLines, nextLines, shardLines, statusLines } from './status-view.ts';

const LIMIT = 50;

export async function statusCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const limit = numberFlag(flags, 'limit', wholeNumber(1, 1_000_000)) ?? LIMIT;
  const readers: CheckpointReader[] = [];
  try {
    const paths = await checkpointPaths(args, flags, context);
    const isNamed = args.length > 0 && paths.length === args.length;
    const usage = isNamed ? [] : usageOf(await usageCheckpointPaths(paths[0], flags, context), context);
    for (const path of paths) {
      // Whoever sends usage events only has no tickets to show.
      if (usage.length > 0 && !existsSync(path)) continue;
      const events = existsSync(path) ? usageStatus(path) : undefined;
      if (events === undefined) readers.push(readCheckpoint(path));
      else usage.push(events);
    }
    show(readers, usage, { limit, flags, isNamed: isNamed || readers.length > 1 }, context);
    return 0;
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** One that cannot be read is told of, and does not hide the tickets. */
function usageOf(paths: readonly string[], { stderr }: CliContext): UsageStatus[] {
  return paths.flatMap((path) => {
    try {
      return usageStatus(path) ?? [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      stderr.write(`Warning: ${error.message}\n`);
      return [];
    }
  });
}

interface ShowOptions {
  readonly limit: number;
  readonly flags: Flags;
  /** Commands that are shown have to name the checkpoint. */
  readonly isNamed: boolean;
}

function show(
  readers: readonly CheckpointReader[],
  usage: readonly UsageStatus[],
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
    usageEvents: usage.length === 0 ? undefined : usage,
    ...(failed && { failed: failed.rows, failedTotal: failed.total, reasons: failureReasons(readers) }),
    ...(doubts && { inDoubt: doubts.rows, inDoubtTotal: doubts.total }),
  });
  const lines = (style: Style) => {
    const more = context.commands.again({ without: ['--limit'], more: ['--limit', String(limit * 10)] });
    const parts = [
      failed && failedLines({ ...failed, more }, failureReasons(readers), style),
      doubts && doubtLines({ ...doubts, more }, style),
    ].filter((part) => part !== undefined);
    if (parts.length === 0)
      parts.push(
        overview(statuses, steps, total, style),
        ...usage.map((status) => usageStatusLines(status, style)),
      );
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
