/** A new token in a token file may be another workspace's: it must show one known ticket before anything is sent with it. */
import { AppError } from '../domain/errors.ts';
import { hasTag } from '../domain/identity.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { isGone, isUnread } from './api.ts';

export interface TicketToShow {
  readonly ticketId: string;
  readonly tag: string;
}

/** People may delete a ticket, so one of several is enough. Throws AppError `checkpoint`. */
export async function requireSameWorkspace(
  known: readonly TicketToShow[],
  read: (ticketId: string) => Promise<Snapshot>,
): Promise<void> {
  for (const { ticketId, tag } of known) {
    try {
      const { tags } = await read(ticketId);
      if (!Array.isArray(tags) || hasTag(tags, tag)) return;
    } catch (error) {
      if (!isUnread(error)) throw error;
      if (isGone(error)) continue;
      if (error.code === 'target-unreadable') return;
      throw error;
    }
  }
  if (known.length === 0) return;
  throw new AppError(
    'checkpoint',
    'The new token in the token file belongs to another workspace: it does not show the tickets of this checkpoint.',
    {
      hint: 'Nothing was sent with it. Put a token of the first workspace into the file, then run the same command again.',
    },
  );
}
