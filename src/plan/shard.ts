/** Which part of the export belongs to which of several processes. */
import { sha256 } from '../domain/hash.ts';

/** Part `index` of `count`, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * The shard of a key, from 1: the same on every machine and in every version. 48 bits of SHA-256, so that parts are even
 * whatever addresses look like; the remainder favours no part by more than one in 2^38 for up to 1,024 parts.
 */
export function shardOf(key: string, count: number): number {
  return (Number.parseInt(sha256(key).slice(0, 12), 16) % count) + 1;
}

/** What of a ticket decides its shard. */
export interface ShardedTicket {
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
