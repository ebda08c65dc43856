/** What looks like a mistake in a mapping, told by the tickets that came out of it. */

/** So that a person can look at it and decide: `confirm: { <code>: true }` in the settings says that it is as it should be. */
export interface Finding {
  readonly code: FindingCode;
  /** What was seen, with numbers. */
  readonly message: string;
  /** External id of a ticket that shows it. */
  readonly ticket?: string | undefined;
  /** Line of the settings that would change it. */
  readonly setting: string;
  /** A column that nothing reads, called as if it were this field of the ticket, which is empty. */
  readonly unread?: {
    readonly field: 'status' | 'priority' | 'tags' | 'subject' | 'requester' | 'assignee';
    readonly column: string;
  };
}

interface Kind {
  /** Not a word of the conversation is there: an error also where a layout is a known one. */
  readonly always?: true;
  /** Words in the wrong mouth, notes published, or text lost: nothing is sent until somebody has looked. */
  readonly grave: boolean;
  /** For the settings file and the terminal: one question that yes answers when all is well. */
  readonly question: string;
}

/** The order is that of the questions. */
export const FINDINGS = {
  'guessed-columns': { grave: true, question: 'Are these columns what they were taken for?' },
  'unsure-tables': { grave: true, question: 'Are they not needed?' },
  'unsure-tickets': { grave: true, question: 'Is each of these rows a ticket?' },
  'unsure-requester': { grave: true, question: 'Is the requester right?' },
  'unsure-assignee': { grave: true, question: 'Is the assignee right?' },
  'unsure-author': { grave: true, question: 'Is it right who wrote each message?' },
  'unsure-visibility': { grave: true, question: 'Is it right which messages are internal?' },
  'unsure-text': { grave: true, question: 'Is this all that was said?' },
  'unsure-status': { grave: true, question: 'Is the status right?' },
  'unsure-priority': { grave: true, question: 'Is the priority right?' },
  'unsure-subject': { grave: true, question: 'Is the subject right?' },
  'unsure-tags': { grave: true, question: 'Are the tags right?' },
  'unsure-times': { grave: true, question: 'Are the times right?' },
  'unsure-attachments': { grave: true, question: 'Are the attachments right?' },
  'shared-rows': { grave: true, question: 'Is each of these rows a separate ticket?' },
  'no-id': { grave: true, question: 'Is each row a ticket that stays as it is?' },
  'few-tickets': { grave: true, question: 'Are there so few tickets?' },
  'odd-key': { grave: true, question: 'Does this name tickets?' },
  'no-conversation': { grave: true, always: true, question: 'Do the tickets have no messages?' },
  'unjoined-rows': { grave: true, question: 'Do these rows belong to no ticket?' },
  'unread-text': { grave: true, question: 'Is this text not part of the tickets?' },
  'one-author-type': { grave: true, question: 'Did only these people write?' },
  'agent-writes-first': { grave: true, question: 'Did the team write first?' },
  'agents-like-requesters': { grave: true, question: 'Are these people agents of the team?' },
  'requester-is-agent': { grave: true, question: 'Did these people ask for themselves?' },
  'few-requesters': { grave: true, question: 'Did so few people ask?' },
  'many-customers': { grave: true, question: 'Is each of these one conversation?' },
  'not-the-requester': { grave: true, question: 'Did other people than the requester write?' },
  'unread-visibility': { grave: true, question: 'Is every message public?' },
  'customer-notes': { grave: true, question: 'Did customers write these for the team only?' },
  'note-published': { grave: true, question: 'Are these texts public?' },
  'several-speakers': { grave: true, question: 'Did one person write each of these?' },
  'row-versions': { grave: true, question: 'Is each of these rows a message?' },
  'repeated-text': { grave: true, question: 'Was this said twice?' },
  'nothing-said': { grave: true, question: 'Did somebody write exactly this?' },
  conversations: { grave: true, question: 'Are the conversations right?' },
  'status-not-latest': { grave: false, question: 'Is the status of these tickets right?' },
  'unread-records': { grave: false, question: 'Are these records not needed?' },
  'unread-field': { grave: false, question: 'Is this column not needed?' },
  'no-requester': { grave: false, question: 'Is it not known who asked?' },
  'joined-tags': { grave: false, question: 'Is each of these one tag?' },
  'same-times': { grave: false, question: 'Do these times say when the messages were written?' },
  'odd-times': { grave: false, question: 'Are these times right?' },
  'line-breaks': { grave: false, question: 'Shall \\n stay as it is?' },
} as const satisfies Record<string, Kind>;

export type FindingCode = keyof typeof FINDINGS;

/** What is told by the columns of an export alone, when a mapping is proposed: a run finds none of it again. */
export const TOLD_BY_COLUMNS = (Object.keys(FINDINGS) as FindingCode[]).filter(
  (code) => code.startsWith('unsure-') || code === 'guessed-columns',
);

/** Whether it stops a run; `isProposal`: the mapping is one that nobody has confirmed as a whole. */
export function stops({ code }: Finding, isProposal: boolean): boolean {
  const kind: Kind = FINDINGS[code];
  return kind.always === true || (isProposal && kind.grave);
}

/** Where in the settings the rules stand that findings speak about. */
export interface Places {
  readonly key: string;
  readonly requester: string;
  readonly status: string;
  readonly messages: string;
  readonly description: string;
}

export function baseName(file: string): string {
  return file.replace(/^.*[\\/]/, '');
}

export function many(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
}

/** How many tickets show something, and the first of them. */
export class Count {
  count = 0;
  ticket: string | undefined;

  add(ticket: string): void {
    this.count++;
    this.ticket ??= ticket;
  }
}
