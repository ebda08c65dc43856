import { describe, expect, it } from 'vitest';
import type { EventPayload, MessagePayload, TicketPayload } from '../../src/domain/payload.ts';
import type { Snapshot } from '../../src/domain/ticket-api.ts';
import { compareEvents, compareMessages } from '../../src/verify/compare-messages.ts';
import { compareTicket } from '../../src/verify/compare-ticket.ts';

const sent: TicketPayload = {
  subject: 'Grinder jams on fine settings',
  contact: { email: 'mira.holt@example.com', name: 'Mira Holt' },
  status: 'closed',
  priority: 'high',
  tags: ['hardware', 'imported'],
  assignedToId: 'agt_03',
  createdAt: '2025-03-04T09:15:00.250Z',
  closedAt: '2025-03-09T10:00:00.000Z',
  readOnly: true,
  managedBy: 'Old Desk',
};
const reported: Snapshot = { id: 'tkt_1', ...sent };
const failures = (checks: readonly { name: string; ok: boolean }[]) =>
  checks.filter((check) => !check.ok).map((check) => check.name);

describe('comparing a ticket', () => {
  it('a ticket that came over whole passes every check', () => {
    const checks = compareTicket(sent, reported);
    expect(failures(checks)).toEqual([]);
    expect(checks.map((check) => check.name)).toEqual([
      'subject',
      'status and priority',
      'tags',
      'customer',
      'timestamps',
      'assignment and ownership',
    ]);
    expect(checks.every((check) => check.detail !== 'Not reported by the helpdesk.')).toBe(true);
  });

  it('what the helpdesk does not tell is said so and fails nothing', () => {
    const checks = compareTicket(sent, { id: 'tkt_1' });
    expect(failures(checks)).toEqual([]);
    expect(new Set(checks.map((check) => check.detail))).toEqual(new Set(['Not reported by the helpdesk.']));
  });

  const same: [string, Partial<Record<string, unknown>>][] = [
    ['the same instant in another zone', { createdAt: '2025-03-04T10:15:00.250+01:00' }],
    ['a time kept in whole seconds', { createdAt: '2025-03-04T09:15:00Z' }],
    ['a time in milliseconds', { createdAt: Date.parse('2025-03-04T09:15:00.250Z') }],
    ['an address that differs in case and white space', { contact: { email: ' Mira.Holt@Example.com' } }],
    ['a contact as an id only', { contact: undefined, contactId: 'con_7' }],
    ['a contact as an object with its id', { contact: { id: 'con_7' } }],
    ['further tags', { tags: ['imported', 'auto', 'hardware'] }],
    ['tags as objects', { tags: [{ name: 'hardware' }, { name: 'imported' }] }],
    ['an assignee in an object', { assignedToId: undefined, assignedTo: { id: 'agt_03' } }],
    ['a closing time that is not kept', { closedAt: null }],
    ['fields of unknown form', { subject: 7, tags: 'hardware', createdAt: 'yesterday', contact: 'x' }],
  ];
  it.each(same)('%s is no difference', (_, change) => {
    expect(failures(compareTicket(sent, { ...reported, ...change }))).toEqual([]);
  });

  const different: [string, Record<string, unknown>, string, RegExp][] = [
    ['another subject', { subject: 'Grinder' }, 'subject', /a different subject/],
    ['another status', { status: 'open' }, 'status and priority', /open instead of closed/],
    ['another priority', { priority: null }, 'status and priority', /nothing instead of high/],
    ['a lost tag', { tags: ['imported'] }, 'tags', /missing: hardware/],
    ['no tags', { tags: null }, 'tags', /hardware and imported/],
    ['another contact', { contact: { email: 'jo@example.com' } }, 'customer', /jo@example\.com/],
    ['no contact', { contact: null }, 'customer', /no customer/],
    ['the time of the import', { createdAt: '2025-06-01T00:00:00Z' }, 'timestamps', /2025-06-01T00:00/],
    ['no time', { createdAt: null }, 'timestamps', /no creation time/],
    ['another closing time', { closedAt: '2025-06-01T00:00:00Z' }, 'timestamps', /closedAt/],
    ['another assignee', { assignedToId: 'agt_09' }, 'assignment and ownership', /agt_09/],
    ['a ticket that can be edited', { readOnly: false }, 'assignment and ownership', /readOnly/],
    ['no managing system', { managedBy: null }, 'assignment and ownership', /managedBy is empty/],
  ];
  it.each(different)('%s is found', (_, change, name, detail) => {
    const checks = compareTicket(sent, { ...reported, ...change });
    expect(failures(checks)).toEqual([name]);
    expect(checks.find((check) => check.name === name)?.detail).toMatch(detail);
  });

  it('a field that was not sent has the default of the specification', () => {
    const bare: TicketPayload = { subject: 's', createdAt: sent.createdAt };
    expect(failures(compareTicket(bare, { id: '1', status: 'open', priority: 'normal' }))).toEqual([]);
    expect(failures(compareTicket(bare, { id: '1', status: 'closed' }))).toEqual(['status and priority']);
  });

  it('a contact named by its id is compared by its id', () => {
    const byId: TicketPayload = { subject: 's', contactId: 'con_1', createdAt: sent.createdAt };
    expect(failures(compareTicket(byId, { id: '1', contactId: 'con_1' }))).toEqual([]);
    expect(failures(compareTicket(byId, { id: '1', contact: { id: 'con_2' } }))).toEqual(['customer']);
  });
});

const thread: MessagePayload[] = [
  {
    actorType: 'customer',
    content: 'It jams.',
    occurredAt: '2025-03-04T09:15:00.000Z',
    contact: { email: 'mira.holt@example.com' },
    attachments: [
      { url: 'https://files.example.com/a.jpg', name: 'a.jpg' },
      { url: 'https://files.example.com/b.jpg', name: 'b.jpg' },
    ],
  },
  {
    actorType: 'agent',
    agentId: 'agt_03',
    content: '<p>Try a <b>coarser</b> setting &amp; clean it.</p>',
    contentType: 'html',
    occurredAt: '2025-03-04T10:00:00.000Z',
  },
  {
    actorType: 'agent',
    agentId: 'agt_03',
    content: 'Known batch, offer a burr.',
    occurredAt: '2025-03-04T10:00:00.000Z',
    isInternal: true,
  },
  {
    actorType: 'customer',
    content: 'It jams.',
    occurredAt: '2025-03-05T08:00:00.000Z',
    contact: { email: 'mira.holt@example.com' },
  },
];
const snapshots = (): Record<string, unknown>[] => thread.map((message, n) => ({ id: `m${n}`, ...message }));
const asRead = (messages: Record<string, unknown>[]) => messages as unknown as Snapshot[];
const edit = (index: number, change: Record<string, unknown>) =>
  asRead(snapshots().map((message, n) => (n === index ? { ...message, ...change } : message)));

describe('comparing messages', () => {
  it('a thread that came over whole passes every check', () => {
    const checks = compareMessages(thread, asRead(snapshots()));
    expect(failures(checks)).toEqual([]);
    expect(checks.map((check) => check.name)).toEqual([
      'customer',
      'timestamps',
      'message count',
      'message order',
      'message content',
      'authors',
      'internal notes',
      'attachments',
    ]);
  });

  it('a ticket without messages has no messages in the helpdesk', () => {
    expect(failures(compareMessages([], []))).toEqual([]);
    expect(failures(compareMessages([], asRead(snapshots())))).toEqual(['message count']);
  });

  it('a helpdesk that tells only that there are messages fails nothing', () => {
    const bare = asRead(thread.map((_, n) => ({ id: String(n) })));
    expect(failures(compareMessages(thread, bare))).toEqual([]);
  });

  it('a list with the newest message first passes', () => {
    const checks = compareMessages(thread, asRead(snapshots().reverse()));
    expect(failures(checks)).toEqual([]);
    expect(checks.find((check) => check.name === 'message order')?.detail).toMatch(/newest message first/);
    const two = [thread[0], thread[3]] as MessagePayload[];
    const backwards = asRead([snapshots()[3], snapshots()[0]] as Record<string, unknown>[]);
    expect(failures(compareMessages(two, backwards))).toEqual([]);
  });

  const cleaned = '<p>Try a <strong>coarser</strong> setting &#38; clean it.</p>';
  const elsewhere = ['b.jpg', 'a.jpg'].map((name, n) => ({ url: `https://cdn.example.net/${n}`, name }));
  const same: [string, Snapshot[]][] = [
    ['line ends', edit(0, { content: 'It jams.\r\n' })],
    ['html that was cleaned', edit(1, { content: cleaned })],
    ['isInternal left out where it is false', edit(0, { isInternal: undefined })],
    ['an agent in an object', edit(1, { agentId: undefined, agent: { id: 'agt_03' } })],
    ['files under other addresses', edit(0, { attachments: elsewhere })],
  ];
  it.each(same)('%s is no difference', (_, read) => {
    expect(failures(compareMessages(thread, read))).toEqual([]);
  });

  const swap = (a: number, b: number) => {
    const list = snapshots();
    const [left, right] = [list[a], list[b]] as [Record<string, unknown>, Record<string, unknown>];
    list[a] = right;
    list[b] = left;
    return asRead(list);
  };
  const late = { occurredAt: '2025-06-01T00:00:00Z' };
  const files = (...urls: string[]) => ({ attachments: urls.map((url) => ({ url })) });
  const different: [string, Snapshot[], name: string, RegExp][] = [
    ['a lost message', asRead(snapshots().slice(0, 3)), 'message count', /Missing: number 4/],
    [
      'a doubled message',
      asRead([...snapshots(), { ...snapshots()[0] }]),
      'message count',
      /Only in the helpdesk: 1/,
    ],
    ['messages of one time that changed places', swap(1, 2), 'message order', /From message 3 on/],
    ['a message at the wrong place', swap(0, 1), 'message order', /From message 2 on/],
    [
      'a cut text',
      edit(2, { content: 'Known batch' }),
      'message content',
      /3 differs from character 12 on \(11 char/,
    ],
    [
      'html shown as text',
      edit(1, { contentType: 'text' }),
      'message content',
      /message 2 is text instead of html/,
    ],
    ['another time of one message', edit(1, late), 'timestamps', /Message 2 has 2025-06-01/],
    [
      'one time for all',
      asRead(snapshots().map((m) => ({ ...m, ...late }))),
      'timestamps',
      /Message 1 has 2025-06-01/,
    ],
    [
      'a message by the wrong side',
      edit(3, { actorType: 'agent' }),
      'authors',
      /4 is by agent instead of customer/,
    ],
    ['a message by another agent', edit(1, { agentId: 'agt_01' }), 'authors', /agt_01/],
    [
      'a note that the customer sees',
      edit(2, { isInternal: false }),
      'internal notes',
      /shows it to the customer/,
    ],
    ['a hidden answer', edit(1, { isInternal: true }), 'internal notes', /hidden from the customer/],
    ['another contact', edit(3, { contact: { email: 'a@x.org' } }), 'customer', /message 4 to a@x.org/],
    ['a lost attachment', edit(0, files('https://files.example.com/a.jpg')), 'attachments', /1 of 2 missing/],
    ['no attachments', edit(0, { attachments: null }), 'attachments', /2 of 2 missing/],
    ['a foreign attachment', edit(3, files('https://x.example.com/')), 'attachments', /1 that was not sent/],
  ];
  it.each(different)('%s is found', (_, read, name, detail) => {
    const checks = compareMessages(thread, read);
    expect(failures(checks)).toEqual([name]);
    expect(checks.find((check) => !check.ok)?.detail).toMatch(detail);
  });

  it('no detail repeats what a message says', () => {
    const read = asRead(
      thread.map((_, n) => ({ id: String(n), content: 'secret text', occurredAt: '2020-01-01T00:00:00Z' })),
    );
    const details = compareMessages(thread, read)
      .map((check) => check.detail)
      .join(' ');
    expect(details).not.toMatch(/secret|jams|batch/);
  });

  it('a thread of 20,000 equal messages is compared in linear time, with a short detail', () => {
    const long = Array.from({ length: 20_000 }, (): MessagePayload => ({ ...thread[3] }) as MessagePayload);
    const read = asRead(long.map((message, n) => ({ ...message, id: String(n), actorType: 'system' })));
    const author = compareMessages(long, read).find((check) => check.name === 'authors');
    expect(author?.ok).toBe(false);
    expect(author?.detail).toMatch(/And 19997 more\.$/);
    expect(author?.detail.length).toBeLessThan(300);
  });
});

describe('comparing events', () => {
  const events: EventPayload[] = [
    {
      type: 'status_change',
      oldValue: { status: 'open' },
      newValue: { status: 'pending' },
      actorType: 'agent',
      agentId: 'agt_03',
      occurredAt: '2025-03-04T10:00:00.000Z',
    },
    {
      type: 'status_change',
      oldValue: { status: 'pending' },
      newValue: { status: 'open' },
      actorType: 'system',
      occurredAt: '2025-03-05T08:00:00.000Z',
    },
  ];
  const read = (change: Record<string, unknown> = {}) =>
    asRead(events.map((event, n) => ({ id: `e${n}`, ...event, ...(n === 1 ? change : {}) })));

  const cases: [string, Snapshot[], boolean][] = [
    ['all of them', read(), true],
    [
      'all of them, in another order and among others',
      [...read(), { id: 'x', type: 'created' }].reverse(),
      true,
    ],
    ['the other spelling of the type', read({ type: 'status_changed' }), true],
    ['without values', read({ oldValue: undefined, newValue: undefined }), true],
    ['one missing', read().slice(1), false],
    ['another new status', read({ newValue: { status: 'closed' } }), false],
    ['another time', read({ occurredAt: '2025-06-01T00:00:00Z' }), false],
    ['another actor', read({ actorType: 'customer' }), false],
    ['one reported twice, the other missing', [read()[0], read()[0]] as Snapshot[], false],
  ];
  it.each(cases)('%s', (_, reported, ok) => {
    expect(compareEvents(events, reported).map((check) => check.ok)).toEqual([ok]);
  });

  it('a ticket without events has nothing to compare', () => {
    expect(compareEvents([], read())).toEqual([]);
  });
});
