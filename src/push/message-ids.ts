/**
 * Whether messages carry the ids of their mails (`messageId`, `inReplyToId`, `referencesIds`), by which a delta recognises them
 * and a late reply finds its ticket. The specification does not have them, so the first ticket with messages tries: kept when
 * read back, all others carry them; refused or dropped, none does. The others wait for that, a request or two.
 * A target that cannot be read gets none.
 */

import { sha256 } from '../domain/hash.ts';
import type { MessageIdsMode } from '../domain/limits.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { bareId, reportedString } from '../domain/snapshot.ts';
import type { TargetReader, ThreadNow } from './target-reader.ts';
import { keysOf } from './thread-record.ts';

export class MessageIds {
  /** Whether a thread may be sent by the ids that the target gave its messages, once a ticket showed it: where not, none tries again. */
  takesOwn: boolean | undefined;
  readonly #reader: TargetReader;
  readonly #source: string;
  #mode: MessageIdsMode;
  #trial: PromiseWithResolvers<void> | undefined;

  readonly #learnt: (mode: 'on' | 'off') => void;

  /** `learnt` is told what the trial showed. */
  constructor(
    mode: MessageIdsMode,
    source: string,
    reader: TargetReader,
    learnt: (mode: 'on' | 'off') => void,
  ) {
    this.#learnt = learnt;
    this.#mode = mode;
    this.#source = source;
    this.#reader = reader;
  }

  /** Whether a ticket's messages go out with their ids; `trial`: with them, and `settle` has to follow. */
  async take(ticketId: string): Promise<'with' | 'without' | 'trial'> {
    while (this.#mode === 'auto') {
      if (this.#trial === undefined) {
        this.#trial = Promise.withResolvers();
        const reading = await this.#reader.readIfShown('messages', ticketId);
        if ('found' in reading) return 'trial';
        // What cannot be read back cannot be known to be kept.
        if (reading.failure.outcome === 'unreadable') this.#mode = 'off';
        this.#endTrial();
        return 'without';
      }
      await this.#trial.promise;
    }
    return this.#mode === 'on' ? 'with' : 'without';
  }

  /** Whether the target has the messages of the trial with their ids; `now` is what it told of them. */
  async areKept(ticketId: string, sent: readonly MessagePayload[], now: ThreadNow): Promise<boolean> {
    let thread = now.echo ?? now.read;
    if (thread?.some((message) => typeof message['messageId'] === 'string') !== true) {
      const reading = await this.#reader.readIfShown('messages', ticketId);
      thread = 'found' in reading ? reading.found : undefined;
    }
    const kept = new Set(thread?.map((message) => bareId(reportedString(message, 'messageId') ?? '')));
    return sent.every(({ messageId }) => messageId === undefined || kept.has(bareId(messageId)));
  }

  /** The trial has ended; undefined: it said nothing of whether they are kept. */
  settle(areKept: boolean | undefined): void {
    if (areKept !== undefined && this.#mode === 'auto') {
      this.#mode = areKept ? 'on' : 'off';
      this.#learnt(this.#mode);
    }
    this.#endTrial();
  }

  #endTrial(): void {
    this.#trial?.resolve();
    this.#trial = undefined;
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
