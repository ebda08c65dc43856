/** What the review of the mapped tickets found. */
export interface Finding {
  readonly code: ReviewCode;
  readonly severity: 'warning' | 'error';
  /** What was found, with numbers. */
  readonly message: string;
  /** Tickets, rows or messages that it is about. */
  readonly count: number;
  /** External ID of a ticket that shows it. */
  readonly ticket?: string | undefined;
  /** The line of the settings that changes it. */
  readonly setting: string;
}

export const REVIEW_CODES = [
  'no-conversation',
  'unread-text',
  'unread-field',
  'note-published',
  'one-author-type',
  'agent-writes-first',
  'agents-like-requesters',
  'repeated-text',
  'unjoined-rows',
  'odd-key',
  'odd-times',
  'incomplete-thread',
] as const;
export type ReviewCode = (typeof REVIEW_CODES)[number];

/** Tickets that have each field. */
export type Filled = Record<
  | 'tickets'
  | 'messages'
  | 'subject'
  | 'status'
  | 'priority'
  | 'tags'
  | 'requester'
  | 'assignee'
  | 'visibility',
  number
>;

export function many(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
}
