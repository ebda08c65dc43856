/** Qualities that one ticket of an export has most of, for a trial to show. */
import type { CheckedTicket } from '../domain/ticket.ts';

/** The greater `measure` wins, the earlier ticket a tie. */
export interface Extreme {
  readonly key: string;
  /** Undefined for a ticket that cannot have the quality. */
  readonly measure: (ticket: CheckedTicket) => number | undefined;
  readonly words: (ticket: { readonly measure: number }) => string;
}

/** A body of this many characters or more is worth being seen as the longest. */
const LONG_BODY = 2000;

export const EXTREMES: readonly Extreme[] = [
  {
    key: 'longest thread',
    measure: ({ messages }) => (messages.length > 1 ? messages.length : undefined),
    words: ({ measure }) => `the longest thread: ${measure} messages`,
  },
  {
    key: 'longest message',
    measure: ({ messages }) => {
      let longest = 0;
      for (const { content } of messages) longest = Math.max(longest, content.length);
      return longest >= LONG_BODY ? longest : undefined;
    },
    words: ({ measure }) => `the longest message: ${measure} characters`,
  },
  {
    key: 'oldest',
    measure: ({ ticket }) => -Date.parse(ticket.createdAt),
    words: ({ measure }) => `the oldest ticket: ${new Date(-measure).toISOString().slice(0, 10)}`,
  },
  {
    key: 'newest',
    measure: ({ ticket }) => Date.parse(ticket.createdAt),
    words: ({ measure }) => `the newest ticket: ${new Date(measure).toISOString().slice(0, 10)}`,
  },
];
