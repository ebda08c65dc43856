/**
 * Several checkpoints of one import, as shards make them: is each ticket in one of them only, and is any part missing?
 * Constant memory: the checkpoints are read side by side in the order of their keys.
 */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import { TICKET_STATES } from '../../domain/ticket-state.ts';
import { type CheckpointStatus, latestSummary, summaryCount } from '../../import/checkpoint-status.ts';

export interface Union {
  /** Different tickets in all checkpoints together. */
  readonly tickets: number;
  /** Tickets that more than one checkpoint knows; each should be in one. */
  readonly overlap: { readonly count: number; readonly examples: readonly string[] };
  /** More than one target: these are no parts of one import. */
  readonly targets: readonly string[];
  /** Tickets of the export, where all of them say the same. */
  readonly read?: number;
  /** Tickets that some shard took on, by what their latest runs say: less than `read` means that filters or parts are missing. */
  readonly takenOn?: number;
  /** Parts that no checkpoint is of, as `3/4`; only where the runs say which part they were. */
  readonly missingShards: readonly string[];
}

type Summary = ReturnType<typeof latestSummary>;

const EXAMPLES = 5;

/** `readers` and `statuses` are of the same checkpoints, in the same order. */
export function unionOf(readers: readonly CheckpointReader[], statuses: readonly CheckpointStatus[]): Union {
  const { tickets, overlap } = compareTickets(readers);
  const summaries = statuses.map(latestSummary);
  const reads = summaries.map((summary) => summaryCount(summary, 'read'));
  const [read] = reads;
  const isSame = read !== undefined && reads.every((other) => other === read);
  const skipped = summaries.map((summary) => summaryCount(summary, 'skipped'));
  const takenOn = isSame
    ? skipped.reduce<number | undefined>(
        (sum, left) => (sum === undefined || left === undefined ? undefined : sum + read - left),
        0,
      )
    : undefined;
  return {
    tickets,
    overlap,
    targets: [...new Set(statuses.map(({ target }) => target))],
    ...(isSame ? { read } : {}),
    ...(takenOn === undefined ? {} : { takenOn }),
    missingShards: missingShards(summaries),
  };
}

function compareTickets(readers: readonly CheckpointReader[]): Pick<Union, 'tickets' | 'overlap'> {
  const streams = readers.map((reader) => {
    const records = reader.inStates(TICKET_STATES);
    const next = () => {
      const { value, done } = records.next();
      return done === true ? undefined : { id: value.externalId, key: keyOf(value.externalId) };
    };
    return { next, head: next() };
  });
  let tickets = 0;
  let count = 0;
  const examples: string[] = [];
  for (;;) {
    let least: { id: string; key: Buffer } | undefined;
    for (const { head } of streams) {
      if (head !== undefined && (least === undefined || head.key.compare(least.key) < 0)) least = head;
    }
    if (least === undefined) return { tickets, overlap: { count, examples } };
    let holders = 0;
    for (const stream of streams) {
      if (stream.head?.id !== least.id) continue;
      holders++;
      stream.head = stream.next();
    }
    tickets++;
    if (holders < 2) continue;
    count++;
    if (examples.length < EXAMPLES) examples.push(least.id);
  }
}

/** The order of a checkpoint: bytes of UTF-8. Ids with lone surrogates stand apart there, under a key of their own. */
function keyOf(externalId: string): Buffer {
  const escaped = '\u0000json:';
  const isPlain = externalId.isWellFormed() && !externalId.startsWith(escaped);
  return Buffer.from(isPlain ? externalId : escaped + JSON.stringify(externalId));
}

function missingShards(summaries: readonly Summary[]): string[] {
  const shards = summaries.map(shardOf);
  const count = shards[0]?.count;
  if (count === undefined || shards.some((shard) => shard?.count !== count)) return [];
  const there = new Set(shards.map((shard) => shard?.index));
  return Array.from({ length: count }, (_, at) => at + 1)
    .filter((index) => !there.has(index))
    .map((index) => `${index}/${count}`);
}

function shardOf(summary: Summary) {
  const shard = summary?.['shard'];
  if (typeof shard !== 'object' || shard === null || !('index' in shard) || !('count' in shard))
    return undefined;
  const { index, count } = shard;
  return typeof index === 'number' && typeof count === 'number' ? { index, count } : undefined;
}
