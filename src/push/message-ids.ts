/**
 * Whether messages carry the ids of their mails (`messageId`, `inReplyToId`, `referencesIds`), by which a delta recognises them
 * and a late reply finds its ticket. The specification does not have them: a target that refuses them gets the messages without,
 * and from then on no ticket tries. A target that cannot be read gets none.
 */

import { sha256 } from '../domain/hash.ts';
import type { MessagePayload } from '../domain/payload.ts';
import type { TargetReader } from './target-reader.ts';
import { keysOf } from './thread-record.ts';

export class MessageIds {
  /** Whether a thread may be sent by the ids that the target gave its messages, once a ticket showed it: where not, none tries again. */
  takesOwn: boolean | undefined;
  #areSent: Promise<boolean> | undefined;
  /** The target has taken some. */
  areTaken = false;
  readonly #source: string;
  readonly #reader: TargetReader;

  /** `isReadable`: it is known already that the target can be read. */
  constructor(isOn: boolean, source: string, reader: TargetReader, isReadable: boolean) {
    if (!isOn || isReadable) this.#areSent = Promise.resolve(isOn);
    this.#source = source;
    this.#reader = reader;
  }

  /** Whether messages go out with the ids of their mails. The first one who asks finds out. */
  areSent(ticketId: string): Promise<boolean> {
    this.#areSent ??= this.#reader
      .readIfShown('messages', ticketId)
      .then((reading) => 'found' in reading || reading.failure.outcome !== 'unreadable');
    return this.#areSent;
  }

  refused(): void {
    this.#areSent = Promise.resolve(false);
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
