/** What a checkpoint of usage events holds, as data: for `status`. Reads only, also while events are being sent. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { APP_API_DEFAULTS } from '../settings/app-api-settings.ts';
import { type CheckpointStatus, checkpointStatus } from './status.ts';
import { readUsageCounts } from './usage-checkpoint.ts';

/** Counts are of events that were sent: what no run has reached, or what was rejected, is in no checkpoint. */
export type UsageStatus = Pick<
  CheckpointStatus,
  'checkpoint' | 'target' | 'createdAt' | 'createdBy' | 'bytes' | 'writer' | 'runs'
> & {
  readonly events: {
    readonly known: number;
    readonly done: number;
    readonly failed: number;
    readonly inDoubt: number;
  };
};

/** Undefined where the file is a checkpoint of tickets. Throws AppError `checkpoint` where it is none at all. */
export function usageStatus(path: string, now: number): UsageStatus | undefined {
  const counts = readUsageCounts(path);
  if (counts === undefined) return undefined;
  const reader = readCheckpoint(path);
  try {
    const { tickets: _, rate: __, ...status } = checkpointStatus(reader, now);
    const known = counts.done + counts.failed + counts.inDoubt;
    return { ...status, events: { known, ...counts } };
  } finally {
    reader.close();
  }
}

/**
 * The checkpoints of usage events that go with one of tickets, each once: what the settings name, and what lies beside it
 * under the names that the program gives.
 */
export function usageCheckpointsWith(checkpoint: string, named: string | undefined): string[] {
  const { checkpoint: own, sandboxCheckpoint } = APP_API_DEFAULTS;
  const beside = [own, sandboxCheckpoint].map((name) => join(dirname(checkpoint), name));
  const paths = [...(named === undefined ? [] : [named]), ...beside].filter(
    (path) => resolve(path) !== resolve(checkpoint) && existsSync(path),
  );
  return [...new Map(paths.map((path) => [resolve(path), path] as const)).values()];
}
