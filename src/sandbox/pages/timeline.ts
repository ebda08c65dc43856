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

/** What an event says, in words. */
export function eventWords(event: EventView): string {
  const [before, after] = [shown(event.oldValue), shown(event.newValue)];
  if (event.type === 'status_change' || event.type === 'status_changed') return `Status ${before} → ${after}`;
  const name = event.type.replaceAll('_', ' ');
  const words = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (event.oldValue === null && event.newValue === null) return words;
  return `${words}: ${before} → ${after}`;
}

/** A value of one field is shown as that field; what has more is shown as it is. */
function shown(value: Record<string, unknown> | null): string {
  if (value === null) return '–';
  const fields = Object.values(value);
  const [only] = fields;
  const text = fields.length === 1 && typeof only !== 'object' ? String(only) : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
