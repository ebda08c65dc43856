/** The tickets behind the counts of checkpoints: failed or rejected and why, in doubt, and in more than one of them. */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { TicketRecord } from '../../domain/ledger.ts';
import { TICKET_STATES } from '../../domain/ticket-state.ts';
import { type CheckpointStatus, latestSummary, summaryCount } from '../../import/checkpoint-status.ts';
import type { DoubtfulTicket, FailedTicket as Refused } from '../../present/html/report-data.ts';

export interface FailedTicket extends Refused {
  readonly outcome: 'failed' | 'rejected';
}

/** One reason with the number of tickets that have it. */
export interface Reason extends Pick<FailedTicket, 'outcome' | 'code' | 'reason'> {
  readonly count: number;
  readonly example: string;
}

const STATES = ['failed', 'rejected'] as const;
/** Different reasons that are told apart; further ones are counted together. */
const MOST_REASONS = 1000;

/** At most `limit` tickets, by external id, behind `after`. */
export function listFailed(
  reader: Pick<CheckpointReader, 'page'>,
  limit: number,
  after?: string,
  states: readonly ('failed' | 'rejected')[] = STATES,
): FailedTicket[] {
  return reader.page(states, limit, after).map(failedTicket);
}

/** Why tickets failed or were rejected, most frequent first. Constant memory. */
export function failureReasons(readers: readonly Pick<CheckpointReader, 'inStates'>[]): Reason[] {
  const reasons = new Map<string, { -readonly [K in keyof Reason]: Reason[K] }>();
  for (const reader of readers) {
    for (const record of reader.inStates(STATES)) {
      const { outcome, code, reason, externalId } = failedTicket(record);
      const own = `${outcome}\u0000${code}\u0000${reason}`;
      const isFull = reasons.size >= MOST_REASONS && !reasons.has(own);
      const key = isFull ? outcome : own;
      const known = reasons.get(key);
      if (known !== undefined) known.count++;
      else
        reasons.set(key, {
          outcome,
          code: isFull ? 'other' : code,
          reason: isFull ? 'Other reasons.' : reason,
          count: 1,
          example: externalId,
        });
    }
  }
  return [...reasons.values()].sort((a, b) => b.count - a.count);
}

function failedTicket({ externalId, state, ticketId, problem }: TicketRecord): FailedTicket {
  return {
    externalId,
    outcome: state === 'rejected' ? 'rejected' : 'failed',
    ticketId,
    code: problem?.code ?? 'unknown',
    status: problem?.status,
    reason: problem?.message ?? 'The reason is not recorded.',
  };
}

/** A ticket in doubt as a person needs it: what to look for in the target, since when, and why its outcome is not known. */
export interface Doubt extends DoubtfulTicket {
  readonly contactId?: string | undefined;
  readonly reason: string;
}

export const INTERRUPTED = 'An earlier run ended while this ticket was being created.';

/** At most `limit` tickets in doubt, by external id, behind `after`. */
export function listDoubts(
  reader: Pick<CheckpointReader, 'page' | 'writer'>,
  limit: number,
  after?: string,
): Doubt[] {
  // A create that no process is carrying out was interrupted; while a process writes, it may just wait for its answer.
  const states = reader.writer() === undefined ? (['creating', 'inDoubt'] as const) : (['inDoubt'] as const);
  return reader.page(states, limit, after).map(({ externalId, intent, problem }) => ({
    externalId,
    subject: intent?.subject,
    createdAt: intent?.createdAt,
    email: intent?.email,
    contactId: intent?.contactId,
    sentAt: intent && new Date(intent.at).toISOString(),
    reason: problem?.message ?? INTERRUPTED,
  }));
}

/**
 * Several checkpoints of one import, as shards make them: is each ticket in one of them only, and is any part missing?
 * Constant memory: the checkpoints are read side by side in the order of their keys.
 */
export interface Union {
  /** Different tickets in all checkpoints together. */
  readonly tickets: number;
  /** Tickets that more than one checkpoint knows; each should be in one. */
  readonly overlap: { readonly count: number; readonly examples: readonly string[] };
  /** More than one target: these are no parts of one import. */
  readonly targets: readonly string[];
  /** Tickets of the export, where all of them say the same. */
  readonly read?: number | undefined;
  /** Tickets that some shard took on, by what their latest runs say: less than `read` means that filters or parts are missing. */
  readonly takenOn?: number | undefined;
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
    read: isSame ? read : undefined,
    takenOn,
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
