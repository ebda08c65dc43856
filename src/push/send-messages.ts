/**
 * The messages of one ticket, in the fullest form that the target takes: with the ids of their mails, where it keeps them, and
 * by the ids of those that it has; without, where it refuses these.
 */
import type { MessagePayload } from '../domain/payload.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import { withoutMailIds } from './message-ids.ts';
import { putMessages, type ThreadNow } from './put-lists.ts';
import type { CarryDeps } from './ticket-job.ts';

/** A list of messages that is to be the thread. */
export interface Sending {
  readonly messages: readonly MessagePayload[];
  /** Those of them that are the export's; default: all. */
  readonly ours?: ReadonlySet<MessagePayload> | undefined;
  /** Instead, in a target that knows no ids of messages. */
  readonly withoutIds?: readonly MessagePayload[] | undefined;
  /** The thread as it was read before. */
  readonly before?: readonly Snapshot[] | undefined;
}

export async function sendMessages(
  externalId: string,
  ticketId: string,
  { messages, ours, withoutIds, before }: Sending,
  deps: CarryDeps,
): Promise<ThreadNow> {
  const { messageIds } = deps;
  const how = await messageIds.take(ticketId);
  let areKept: boolean | undefined;
  try {
    if (how !== 'without') {
      const identified = ours === undefined ? messageIds.identified(externalId, messages) : messages;
      const now = await unlessRefused(() => putMessages(ticketId, identified, before, deps));
      if (now !== undefined) {
        if (how === 'trial') areKept = await messageIds.areKept(ticketId, identified, now);
        return now;
      }
    }
    const bare = messages.map((message) =>
      ours?.has(message) === false ? message : withoutMailIds(message),
    );
    const now = await (withoutIds === undefined
      ? putMessages(ticketId, bare, before, deps)
      : ((await unlessRefused(() => putMessages(ticketId, bare, before, deps))) ??
        putMessages(ticketId, withoutIds, before, deps)));
    if (how === 'trial') areKept = false;
    return now;
  } finally {
    if (how === 'trial') messageIds.settle(areKept);
  }
}

async function unlessRefused<T>(send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'refused' && error.effect === 'none') return undefined;
    throw error;
  }
}
