/** Which part of the export a run is about: `--only`, `--shard`, `--since`, `--until`, `--limit`, and exclude rules. */
import { sha256 } from '../domain/hash.ts';
import type { Shard } from '../domain/limits.ts';

export interface SelectionRules {
  /** Created at or after, milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Created before, milliseconds since the epoch: two runs, until and since the same time, share no ticket. */
  readonly until?: number | undefined;
  /** External ids. */
  readonly only?: readonly string[] | undefined;
  /** The first so many tickets that the other rules leave. */
  readonly limit?: number | undefined;
  readonly shard?: Shard | undefined;
}

export interface SelectableTicket extends ShardedTicket {
  /** Milliseconds since the epoch, where it is known. */
  readonly createdAt?: number | undefined;
  /** Why an exclude rule leaves it out. */
  readonly excluded?: string | undefined;
  /** The file that it stands in. */
  readonly file?: number | undefined;
}

export interface Selection {
  /**
   * Why a ticket is left out, in words for a person, or undefined where it is not. To be asked once for every record of
   * the export, in its order; unreadable ones too, as they count for `--limit`, and for exactly one shard.
   * A ticket whose time is not known is left in: it is rejected for that, which must not go unnoticed.
   */
  skip(ticket: SelectableTicket): string | undefined;
  /** Ids of `--only` that have not come, in the user's order: asked after the last ticket. */
  missing(): string[];
}

/** Of records that were selected before. */
export const ALL_SELECTED: Selection = { skip: () => undefined, missing: () => [] };

/**
 * @param ofShard files whose rows are this shard's whatever they say: its rejects, where a corrected address would else belong to
 * another shard, which never reads them
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

// Which part of the export belongs to which of several processes.

/**
 * The shard of a key, from 1: the same on every machine and in every version. 48 bits of SHA-256, so that parts are even
 * whatever addresses look like; the remainder favours no part by more than one in 2^38 for up to 1,024 parts.
 */
export function shardOf(key: string, count: number): number {
  return (Number.parseInt(sha256(key).slice(0, 12), 16) % count) + 1;
}

/** What of a ticket decides its shard. */
interface ShardedTicket {
  readonly seq: number;
  readonly externalId?: string | undefined;
  /** The requester's normalized address. */
  readonly email?: string | undefined;
  readonly contactId?: string | undefined;
}

/**
 * All tickets of a requester are in one shard, so no two processes create one contact. Without an address the contact's
 * id keeps them together, without either the external id decides, and a record without any id goes by its position.
 * The letter before keeps the kinds apart.
 */
export function shardKey({ seq, externalId, email, contactId }: ShardedTicket): string {
  if (email !== undefined) return `e:${email}`;
  if (contactId !== undefined) return `c:${contactId}`;
  return externalId === undefined ? `n:${seq}` : `i:${externalId}`;
}
