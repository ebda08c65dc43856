/**
 * Whether messages carry the ids of their mails (`messageId`, `inReplyToId`, `referencesIds`), by which a delta recognises them
 * and a late reply finds its ticket. The specification does not have them: a target that refuses them to the first
 * ticket gets the messages without, and no other ticket tries, now or in later runs. A target that cannot be read gets none.
 */

import { sha256 } from '../domain/hash.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { ApiFailure, type TargetFacts } from '../domain/ticket-api.ts';
import type { TargetReader, ThreadNow } from './target-reader.ts';
import { keysOf } from './thread-record.ts';

export class MessageIds {
  readonly #reader: TargetReader;
  readonly #source: string;
  readonly #isReadable: boolean;
  readonly #learnt: (takesMessageIds: boolean) => void;
  #areTaken: boolean | undefined;
  #trial: Promise<ThreadNow> | undefined;

  /** `learnt` hears what the trial showed. */
  constructor(
    { takesMessageIds, isReadable = false }: TargetFacts,
    source: string,
    reader: TargetReader,
    learnt: (takesMessageIds: boolean) => void,
  ) {
    this.#areTaken = takesMessageIds;
    this.#isReadable = isReadable;
    this.#learnt = learnt;
    this.#source = source;
    this.#reader = reader;
  }

  /** `put` sends a thread with all ids or without any. The first one tries, and the others wait for that. */
  async send(ticketId: string, put: (withIds: boolean) => Promise<ThreadNow>): Promise<ThreadNow> {
    while (this.#areTaken === undefined) {
      if (this.#trial === undefined) {
        this.#trial = this.#try(ticketId, put).finally(() => {
          this.#trial = undefined;
        });
        return this.#trial;
      }
      await this.#trial.catch(() => undefined);
    }
    return put(this.#areTaken);
  }

  async #try(ticketId: string, put: (withIds: boolean) => Promise<ThreadNow>): Promise<ThreadNow> {
    const reading = this.#isReadable ? undefined : await this.#reader.readIfShown('messages', ticketId);
    if (reading !== undefined && 'failure' in reading && reading.failure.outcome === 'unreadable') {
      this.#areTaken = false;
      return put(false);
    }
    try {
      const now = await put(true);
      this.#settle(true);
      return now;
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'refused' || error.effect !== 'none') throw error;
    }
    const now = await put(false);
    this.#settle(false);
    return now;
  }

  #settle(areTaken: boolean): void {
    this.#areTaken = areTaken;
    this.#learnt(areTaken);
  }

  /** With an id each: its own, or one made of the source and the message. */
  identified(externalId: string, messages: readonly MessagePayload[]): readonly MessagePayload[] {
    const keys = keysOf(messages);
    return messages.map((message, index) =>
      message.messageId === undefined
        ? { ...message, messageId: madeId(this.#source, externalId, keys[index] as number) }
        : message,
    );
  }
}

export function madeId(source: string, externalId: string, key: number): string {
  const message = key.toString(16).padStart(8, '0');
  return `<${source}.${sha256(externalId).slice(0, 12)}.${message}@import.invalid>`;
}

export function withoutMailIds(message: MessagePayload): MessagePayload {
  if (
    message.messageId === undefined &&
    message.inReplyToId === undefined &&
    message.referencesIds === undefined
  )
    return message;
  const { messageId: _, inReplyToId: __, referencesIds: ___, ...rest } = message;
  return rest;
}
