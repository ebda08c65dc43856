/**
 * Reads tickets back, several at a time, as many as the limiter allows. Whether a target that hides its tickets cannot be read
 * or has lost them is settled early: by asking for its list, before a thousand reads are refused one by one.
 */

import type { Limiter } from '../../domain/limiter.ts';
import type { Emit } from '../../domain/run-events.ts';
import type { CheckedTicket } from '../../domain/ticket.ts';
import type { CoreApi } from '../../target/core-api/client.ts';
import { createContactIds } from '../../verify/contact-ids.ts';
import type { FindingsLog } from './verify-findings.ts';
import { verifyTicket } from './verify-ticket.ts';

/** So many hidden tickets and none that was read: then the list is asked for. */
const SUSPICIOUS = 3;

export class TicketReader {
  readonly #api: CoreApi;
  readonly #limiter: Limiter;
  readonly #log: FindingsLog;
  readonly #emit: Emit;
  readonly #hard: AbortSignal;
  readonly #contactIds = createContactIds();
  readonly #reading = new Set<Promise<void>>();
  /** The first failure that concerns all of them. */
  #failure: { readonly error: unknown } | undefined;
  #judged = false;
  #isUnreadable = false;

  constructor(api: CoreApi, limiter: Limiter, log: FindingsLog, emit: Emit, hard: AbortSignal) {
    this.#api = api;
    this.#limiter = limiter;
    this.#log = log;
    this.#emit = emit;
    this.#hard = hard;
  }

  /** Begins to read one ticket once there is room for it. False: the target cannot be read, so no more need be asked. */
  async read(sent: CheckedTicket, ticketId: string): Promise<boolean> {
    await this.#limiter.acquire(this.#hard);
    if (this.#failure !== undefined) {
      this.#limiter.release({ outcome: 'ignore' });
      throw this.#failure.error;
    }
    const reading = this.#readOne(sent, ticketId).finally(() => void this.#reading.delete(reading));
    this.#reading.add(reading);
    if (!this.#log.hasRead && this.#log.hidden >= SUSPICIOUS) await this.judge();
    return !this.#isUnreadable;
  }

  /** Waits for what is being read. Throws what concerns all tickets. */
  async finish(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Settles whether a target that has shown no ticket can be read at all. */
  async judge(): Promise<void> {
    if (this.#judged || this.#log.hasRead || this.#log.hidden === 0) return;
    this.#judged = true;
    const reply = await this.#api.look(this.#hard);
    if (reply.type === 'answer' && reply.status >= 200 && reply.status < 300) this.#log.targetShowsItsList();
    else this.#isUnreadable = true;
  }

  async #readOne(sent: CheckedTicket, ticketId: string): Promise<void> {
    let outcome: 'ok' | 'ignore' = 'ignore';
    try {
      const verdict = await verifyTicket(sent, ticketId, this.#api, this.#contactIds, this.#hard);
      this.#log.add(sent.externalId, ticketId, verdict);
      this.#emit({ type: 'ticket', externalId: sent.externalId, outcome: 'done', ticketId });
      outcome = 'ok';
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#limiter.release({ outcome });
    }
  }
}
