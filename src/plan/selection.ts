/** The selected part of the export: `--only`, `--shard`, `--since`, `--until`, `--limit`, and exclude rules. */
import { sha256 } from '../domain/hash.ts';
import type { Shard } from '../domain/limits.ts';

export interface SelectionRules {
  /** Created at or after, milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Created before, milliseconds since the epoch: exclusive, so that two runs share no ticket. */
  readonly until?: number | undefined;
  /** External ids. */
  readonly only?: readonly string[] | undefined;
  /** Only the first tickets that the other rules leave. */
  readonly limit?: number | undefined;
  readonly shard?: Shard | undefined;
}

export interface SelectableTicket extends ShardedTicket {
  /** Milliseconds since the epoch, if known. */
  readonly createdAt?: number | undefined;
  /** Why an exclude rule skips it. */
  readonly excluded?: string | undefined;
  /** Its file. */
  readonly file?: number | undefined;
}

export interface Selection {
  /**
   * Why a ticket is skipped, or undefined. Call once for every record in the order of the export, also for unreadable ones, which count for `--limit` and for
   * one shard. A ticket without a time is selected, so that its rejection is seen.
   */
  skip(ticket: SelectableTicket): string | undefined;
  /** IDs of `--only` that the export does not have. Call after the last ticket. */
  missing(): string[];
}

/**
 * @param ofShard files whose rows always belong to this shard: its rejects, as no other shard reads them
 */
export function createSelection(rules: SelectionRules, ofShard?: ReadonlySet<number>): Selection {
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, limit, shard } = rules;
  const only = rules.only === undefined ? undefined : new Set(rules.only);
  const missing = new Set(rules.only);
  let taken = 0;
  return {
    skip: (ticket) => {
      const { externalId, createdAt, excluded } = ticket;
      if (externalId !== undefined) missing.delete(externalId);
      if (excluded !== undefined) return excluded;
      if (only !== undefined && (externalId === undefined || !only.has(externalId))) return 'not in --only';
      const isOfShard = ticket.file !== undefined && ofShard?.has(ticket.file) === true;
      if (shard !== undefined && !isOfShard && shardOf(shardKey(ticket), shard.count) !== shard.index)
        return 'in another shard';
      if (createdAt !== undefined && createdAt < since) return 'created before --since';
      if (createdAt !== undefined && createdAt >= until) return 'created after --until';
      if (limit !== undefined && taken >= limit) return 'beyond --limit';
      taken++;
      return undefined;
    },
    missing: () => [...missing],
  };
}

// Shards: the parts of several processes.

/**
 * The shard of a key, from 1: the same on every machine and in every version. 48 bits of SHA-256 make even parts.
 */
export function shardOf(key: string, count: number): number {
  return (Number.parseInt(sha256(key).slice(0, 12), 16) % count) + 1;
}

/** The part of a ticket that decides its shard. */
interface ShardedTicket {
  readonly seq: number;
  readonly externalId?: string | undefined;
  /** The requester's normalized address. */
  readonly email?: string | undefined;
  readonly contactId?: string | undefined;
}

/**
 * All tickets of a requester are in one shard, so no two processes create one contact. The key is the address, else the contact's ID, else
 * the external ID, else the position. Its first letter keeps the kinds apart.
 */
export function shardKey({ seq, externalId, email, contactId }: ShardedTicket): string {
  if (email !== undefined) return `e:${email}`;
  if (contactId !== undefined) return `c:${contactId}`;
  return externalId === undefined ? `n:${seq}` : `i:${externalId}`;
}
