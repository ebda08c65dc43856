/** A ticket's messages and events in one line of time. Pure. */
import {
  type EventRow,
  type EventView,
  eventView,
  type MessageRow,
  type MessageView,
  messageView,
} from '../store/thread.ts';

export type TimelineEntry =
  | { kind: 'message'; at: number; message: MessageView }
  | { kind: 'event'; at: number; event: EventView };

/** By time; at the same time messages first, then in the order in which they were sent. */
export function timeline(messages: readonly MessageRow[], events: readonly EventRow[]): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...messages.map(
      (row): TimelineEntry => ({ kind: 'message', at: row.occurred_ms, message: messageView(row) }),
    ),
    ...events.map((row): TimelineEntry => ({ kind: 'event', at: row.occurred_ms, event: eventView(row) })),
  ];
  // The sort is stable, which keeps the order within equal times.
  return entries.sort((one, other) => one.at - other.at);
}
