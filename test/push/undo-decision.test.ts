/** Whether a ticket may be emptied by an undo: only where everything that it shows is what the import wrote. */
import { expect, it } from 'vitest';
import type { TicketRecord } from '../../src/domain/ledger.ts';
import type { MessagePayload, TicketPayload } from '../../src/domain/payload.ts';
import type { Snapshot } from '../../src/domain/ticket-api.ts';
import { fieldsOf, shownFields } from '../../src/domain/ticket-fields.ts';
import { recordOfSending, withNote } from '../../src/push/thread-record.ts';
import { undoNote, verdictOf } from '../../src/push/undo-verdict.ts';

const RUN = 'run-20261122-205507';
const at = '2024-01-01T00:00:00Z';
const file = { url: 'https://x.example/a.pdf', name: 'a.pdf' };
const MESSAGES: MessagePayload[] = [
  { actorType: 'customer', content: 'Hello', occurredAt: at },
  {
    actorType: 'agent',
    content: '<p>One &amp; two</p>',
    contentType: 'html',
    occurredAt: at,
    attachments: [file],
  },
  { actorType: 'agent', content: 'Between us', occurredAt: at, isInternal: true },
];
const NOTE: MessagePayload = {
  actorType: 'system',
  content: '<p><strong>Kept by helpdesk-import</strong>: a</p>',
  occurredAt: at,
  isInternal: true,
};
const MARKS = ['imported', 'from-acme', 'acme-7', RUN];
const PAYLOAD: TicketPayload = { subject: 'S', createdAt: at, status: 'open', tags: ['imported'] };
const RECORD: TicketRecord = {
  externalId: '7',
  state: 'done',
  ticketId: 'T',
  fingerprints: { ticket: '', messages: '', events: '', fields: fieldsOf(PAYLOAD) },
  thread: withNote(recordOfSending(MESSAGES)(undefined), NOTE, undefined, undefined),
};
const TICKET: Snapshot = { id: 'T', status: 'open', priority: 'normal', tags: MARKS, assignedTo: null };
const WITH: Snapshot = {
  ...TICKET,
  ...{ subject: 'S', contact: { id: 'con_1' }, customer: { id: 'cus_1' }, app: { id: 'app_1' } },
  ...{ channel: { id: 'cha_1' }, readOnly: true },
};
const COPIES = [{ url: 'https://y/1', name: 'a.pdf' }];
const ANSWERED: TicketRecord = {
  ...RECORD,
  thread: withNote(
    recordOfSending(MESSAGES)(
      MESSAGES.map((each, nth) => ({ ...each, id: `m${nth}`, ...(nth === 1 && { attachments: COPIES }) })),
    ),
    NOTE,
    undefined,
    undefined,
  ),
};
/** 12 bytes a message: key, sent and seen. */
const asBefore = (thread = '') =>
  (thread.slice(2).match(/.{48}/g) ?? []).map((entry) => entry.slice(0, 16) + entry.slice(24, 32)).join('');
const UNDONE = { ...TICKET, status: 'closed', tags: ['import-undone', RUN] };
const THREAD: Snapshot[] = [NOTE, ...MESSAGES].map((each, index) => ({ ...each, id: `m${index}` }));
const reply: Snapshot = { id: 'r', actorType: 'customer', content: 'And now?', isInternal: false };
const tombstone: Snapshot = { ...undoNote(RUN, 'ticket 7', 0, 'texts'), id: 'n' };
const without = (index: number) => THREAD.filter((_, each) => each !== index);
const edited = (index: number, change: object) =>
  THREAD.map((each, nth) => (nth === index ? { ...each, ...change } : each));

interface Case {
  readonly record?: TicketRecord | undefined;
  readonly ticket?: Snapshot;
  readonly thread?: readonly Snapshot[];
  readonly isBegun?: boolean;
}

const record = (
  more: Partial<TicketRecord> & { fingerprints?: undefined; thread?: string | undefined },
): Case => ({
  record: { ...RECORD, ...more } as TicketRecord,
});
const ticket = (more: object): Case => ({ ticket: { ...TICKET, ...more } });
const thread = (...messages: Snapshot[]): Case => ({ thread: messages });
const change = (index: number, more: object): Case => ({ thread: edited(index, more) });
const begun = (...messages: Snapshot[]): Case => ({ isBegun: true, ticket: UNDONE, thread: messages });
const OTHER_LINK = '<p><a href="https://y/2">One</a> &amp; two</p>';
const QUESTION = { run: RUN, source: 'acme', record: RECORD, ticket: TICKET, thread: THREAD, isBegun: false };
const KNOWN = { record: { ...RECORD, shown: shownFields(WITH) } };
const OTHERS = {
  subject: 'T',
  contact: { id: 'con_2' },
  customer: { id: 'cus_2' },
  app: { id: 'app_2' },
  channel: { id: 'cha_2' },
  readOnly: false,
};

it.each<[what: string, expected: string, shown: Case]>([
  ['shows what was sent', 'untouched', {}],
  ['shows it without markup', 'untouched', change(2, { content: 'One & two' })],
  ['shows it in another order', 'untouched', thread(...[...THREAD].reverse())],
  ['does not tell which messages are notes', 'untouched', change(3, { isInternal: undefined })],
  [
    'had copies of the files when it answered',
    'untouched',
    { record: ANSWERED, ...change(2, { attachments: COPIES }) },
  ],
  ['has another file of the same name', 'touched', { record: ANSWERED }],
  ['has another link', 'touched', change(2, { content: OTHER_LINK })],
  ['was recorded by an earlier version', 'untouched', record({ thread: asBefore(RECORD.thread) })],
  ['shows the fields of the create', 'untouched', { ...KNOWN, ticket: WITH }],
  ...Object.entries(OTHERS).map(([field, value]): [string, string, Case] => [
    `has another ${field}`,
    'touched',
    { ...KNOWN, ticket: { ...WITH, [field]: value } },
  ]),
  ['tells no fields', 'untouched', { ticket: { id: 'T', tags: MARKS } }],
  ['has a reply', 'touched', thread(...THREAD, reply)],
  ['has a reply in the words of the import', 'touched', thread(...THREAD, { ...reply, content: 'Hello' })],
  ['has one message in the place of another', 'touched', thread(...without(1), reply)],
  ['lacks a message', 'touched', thread(...without(1))],
  ['lacks the note of the import', 'touched', thread(...without(0))],
  ['has a text that was changed', 'touched', change(1, { content: 'Hello!' })],
  ['has more in the note of the import', 'touched', change(0, { content: `${NOTE.content} called back` })],
  ['has a note that is public now', 'touched', change(3, { isInternal: false })],
  ['has a further file', 'touched', change(2, { attachments: [file, file] })],
  ['has another status', 'touched', ticket({ status: 'pending' })],
  ['was closed by people', 'touched', ticket({ status: 'closed' })],
  ['has an assignee', 'touched', ticket({ assignedTo: { id: 'agt_2' } })],
  ['has a further tag', 'touched', ticket({ tags: [...MARKS, 'vip'] })],
  ['is not of this checkpoint', 'unknown', { record: undefined }],
  ['lost the tag of the run', 'unknown', ticket({ tags: MARKS.slice(0, 3) })],
  ['tells no tags', 'unknown', { ticket: { id: 'T', status: 'open' } }],
  ['carries the identity of another ticket', 'unknown', ticket({ tags: ['from-acme', 'acme-8', RUN] })],
  ['was emptied, unknown to the checkpoint', 'unknown', { ticket: UNDONE, thread: [tombstone] }],
  ['is in the middle of a delta', 'unknown', record({ reopened: true })],
  ['has messages of which nothing is recorded', 'unknown', record({ thread: undefined })],
  ['never got its messages', 'untouched', { ...record({ thread: undefined }), thread: [] }],
  ['has fields of which nothing is recorded', 'unknown', record({ fingerprints: undefined })],
  ['was begun: nothing arrived', 'untouched', { isBegun: true }],
  ['was begun: it is closed', 'untouched', begun(...THREAD)],
  ['was begun: it is closed, and has a reply', 'touched', begun(...THREAD, reply)],
  [
    'was begun: it is open again',
    'touched',
    { ...begun(...THREAD), ...ticket({ ...UNDONE, status: 'pending' }) },
  ],
  ['was begun: it is empty', 'emptied', begun(tombstone)],
  ['was begun: it is empty, and answered', 'emptied, answered', begun(tombstone, reply)],
  [
    'was begun: it is empty, and open',
    'emptied, answered',
    { ...begun(tombstone), ticket: { ...UNDONE, status: 'open' } },
  ],
  ['was begun: the note was added to all', 'unknown', begun(...THREAD, tombstone)],
  [
    'has a customer who quotes the note',
    'touched',
    thread(...THREAD, { ...tombstone, actorType: 'customer' }),
  ],
])('a ticket that %s is %s', (_what, expected, shown) => {
  const verdict = verdictOf({ ...QUESTION, ...shown });
  expect('isAnswered' in verdict && verdict.isAnswered ? `${verdict.is}, answered` : verdict.is).toBe(
    expected,
  );
});

it.each<[what: string, Case, compared: string]>([
  ['what was recorded', {}, 'messages with their links and files, status, priority, tags, assignee'],
  [
    'what an earlier version recorded',
    { record: { ...RECORD, thread: asBefore(RECORD.thread) }, ticket: { id: 'T', tags: MARKS } },
    'texts of messages (not their links and files), tags',
  ],
  [
    'what the helpdesk shows',
    { record: { ...RECORD, shown: shownFields(WITH) }, ticket: { ...WITH, app: undefined } },
    'messages with their links and files, status, priority, tags, assignee, subject, contact, customer, channel, read-only mark',
  ],
])('the note of an undo names only %s', (_, shown, compared) => {
  expect(verdictOf({ ...QUESTION, ...shown })).toEqual({ is: 'untouched', compared });
});
