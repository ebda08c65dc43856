/**
 * `helpdesk-import status`: what checkpoints hold, once or live. Changes nothing, and needs no connection. A checkpoint of
 * usage events is shown as such where it is named, by the command line or the settings, or lies beside that of the tickets.
 */
import { existsSync } from 'node:fs';
import { type UsageStatus, usageStatus } from '../../billing/usage-checkpoint.ts';
import { type CheckpointReader, readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { answer, numberFlag } from '../../cli/answer.ts';
import { checkpointPaths, usageCheckpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { addCounts, type CheckpointStatus, checkpointStatus } from '../../import/checkpoint-status.ts';
import { quoteArgument } from '../../present/terminal/command-line.ts';
import type { NextStep } from '../../present/terminal/next-steps.ts';
import type { Style } from '../../present/terminal/style.ts';
import { durationInSeconds, wholeNumber } from '../../settings/parsers.ts';
import { usageStatusLines } from '../billing/usage-view.ts';
import { failureReasons, listDoubts, listFailed, unionOf } from './status-lists.ts';
import { type StatusAsked, statusSteps } from './status-next.ts';
import { doubtLines, failedLines, nextLines, statusLines, unionLines } from './status-view.ts';
import { watchStatus } from './status-watch.ts';

const LIMIT = 50;

export async function statusCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const limit = numberFlag(flags, 'limit', wholeNumber(1, 1_000_000)) ?? LIMIT;
  const interval = numberFlag(flags, 'interval', durationInSeconds(0.1, 3600));
  const readers: CheckpointReader[] = [];
  try {
    const now = context.clock.now();
    const paths = await checkpointPaths(args, flags, context);
    const isNamed = args.length > 0 && paths.length === args.length;
    const usage = isNamed ? [] : usageOf(await usageCheckpointPaths(paths[0], flags, context), now, context);
    for (const path of paths) {
      // Whoever sends usage events only has no tickets to show.
      if (usage.length > 0 && !existsSync(path)) continue;
      const events = existsSync(path) ? usageStatus(path, now) : undefined;
      if (events === undefined) readers.push(readCheckpoint(path));
      else usage.push(events);
    }
    if (flags['watch'] === true) {
      await watchStatus(
        readers,
        { interval, color: flags['color'] !== false, json: flags['json'] === true },
        context,
      );
    }
    show(readers, usage, { limit, flags, isNamed: isNamed || readers.length > 1 }, context);
    return 0;
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** One that cannot be read is told of, and does not hide the tickets. */
function usageOf(paths: readonly string[], now: number, { stderr }: CliContext): UsageStatus[] {
  return paths.flatMap((path) => {
    try {
      return usageStatus(path, now) ?? [];
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
  const after = typeof flags['after'] === 'string' ? flags['after'] : undefined;
  const statuses = readers.map((reader) => checkpointStatus(reader, context.clock.now()));
  const total = addCounts(statuses.map(({ tickets }) => tickets));
  const asked = { commands: context.commands, folder: context.cwd, isNamed };
  const steps = statuses.map((status) => statusSteps(status, asked));
  const union = readers.length > 1 ? unionOf(readers, statuses) : undefined;
  const failed =
    flags['failed'] === true
      ? {
          rows: readers.flatMap((reader) => listFailed(reader, limit, after)).slice(0, limit),
          total: total.failed + total.rejected,
        }
      : undefined;
  const doubts =
    flags['inDoubt'] === true
      ? {
          rows: readers.flatMap((reader) => listDoubts(reader, limit, after)).slice(0, limit),
          total: total.inDoubt,
        }
      : undefined;

  const json = () => ({
    version: 1,
    checkpoints: statuses.map((status, at) => ({ ...status, next: steps[at] })),
    total,
    union,
    usageEvents: usage.length === 0 ? undefined : usage,
    ...(failed && { failed: failed.rows, failedTotal: failed.total, reasons: failureReasons(readers) }),
    ...(doubts && { inDoubt: doubts.rows, inDoubtTotal: doubts.total }),
  });
  const lines = (style: Style) => {
    const more = (flag: string, rows: readonly { readonly externalId: string }[]) =>
      nextPage(flag, rows.at(-1)?.externalId, statuses, limit, asked);
    const parts = [
      failed &&
        failedLines({ ...failed, more: more('--failed', failed.rows) }, failureReasons(readers), style),
      doubts && doubtLines({ ...doubts, more: more('--in-doubt', doubts.rows) }, style),
    ].filter((part) => part !== undefined);
    if (parts.length === 0)
      parts.push(
        overview(statuses, steps, { total, union }, style),
        ...usage.map((status) => usageStatusLines(status, style)),
      );
    return parts.filter((part) => part.length > 0).flatMap((part, at) => (at === 0 ? part : ['', ...part]));
  };
  answer(context, flags, json, lines);
}

function overview(
  statuses: readonly CheckpointStatus[],
  steps: readonly (readonly NextStep[])[],
  { total, union }: { total: ReturnType<typeof addCounts>; union: ReturnType<typeof unionOf> | undefined },
  style: Style,
): string[] {
  if (union !== undefined)
    return [...unionLines(statuses, total, union, style), ...nextLines(steps.flat(), style)];
  return statuses.flatMap((status, at) => statusLines(status, steps[at] ?? [], style));
}

function nextPage(
  flag: string,
  last: string | undefined,
  statuses: readonly CheckpointStatus[],
  limit: number,
  { commands, isNamed }: StatusAsked,
): string {
  const [first, ...others] = statuses;
  if (others.length > 0 || last === undefined)
    return commands.again({ without: ['--limit'], more: ['--limit', String(limit * 10)] });
  return commands.about('status', {
    checkpoint: isNamed ? first?.checkpoint : undefined,
    more: [flag, ...(limit === LIMIT ? [] : ['--limit', String(limit)]), '--after', quoteArgument(last)],
  });
}
