/** What an export writes where nothing is known, and what it says only in some rows. */
import { describe, expect, it } from 'vitest';
import { proposalFor } from './support.ts';

const ROWS = Array.from({ length: 24 }, (_, n) => n);
const day = (n: number, hour = 8) => `2024-05-${String((n % 28) + 1).padStart(2, '0')}T0${hour}:00:00Z`;
const proposed = async (texts: Readonly<Record<string, string>>) => {
  const proposal = await proposalFor(texts);
  const { ticket, nulls, tables } = (proposal?.mapping ?? {}) as unknown as {
    ticket: Record<string, unknown>;
    nulls?: string[];
    tables: Record<string, { key: string }>;
  };
  return {
    ticket,
    nulls: nulls ?? [],
    tables,
    asked: proposal?.doubts.map(({ code, message }) => `${code}: ${message}`) ?? [],
  };
};

/** `cell`: what stands in the columns that are empty for some. */
const tickets = (nothing: string) =>
  `ticket_id,subject,status,created_at,customer_email,assignee_email,closed_at,tags\n${ROWS.map((n) =>
    [
      5000 + n,
      `Late parcel ${n}`,
      n % 2 === 0 ? 'closed' : 'open',
      day(n),
      `c${n}@example.org`,
      n % 3 === 0 ? nothing : 'kim@desk.example.com',
      n % 2 === 0 ? day(n, 9) : nothing,
      n % 4 === 0 ? nothing : 'vip;late',
    ].join(','),
  ).join('\n')}\n`;

describe('a word that stands where nothing is known', () => {
  it.each(['not given', 'sin dato', 'ej angivet', 'xx'])(
    '%s: told by the times and addresses among which it stands',
    async (nothing) => {
      const { nulls, ticket } = await proposed({ 'tickets.csv': tickets(nothing) });
      expect(nulls).toEqual([nothing]);
      expect(ticket).toMatchObject({ closedAt: 'closed_at', tags: expect.anything() });
    },
  );

  it('is an answer where it means something: a status, a part in the ticket, yes or no', async () => {
    for (const word of ['open', 'system', 'yes'])
      expect((await proposed({ 'tickets.csv': tickets(word) })).nulls).toEqual([]);
  });

  it('is an answer where one column alone has it among times, and others as one word of several', async () => {
    const table = `ticket_id,subject,status,created_at,customer_email,delivered,reason\n${ROWS.map((n) =>
      [
        5000 + n,
        `Late parcel ${n}`,
        'open',
        day(n),
        `c${n}@example.org`,
        n % 2 === 0 ? day(n, 9) : 'other',
        n % 3 === 0 ? 'other' : 'damage',
      ].join(','),
    ).join('\n')}\n`;
    expect((await proposed({ 'tickets.csv': table })).nulls).toEqual([]);
  });
});

describe('rows of messages, several a ticket', () => {
  const rows = (header: string, cells: (n: number, k: number) => string) =>
    `ticket_id,${header},sent_at,author_email,body\n${ROWS.flatMap((n) =>
      [0, 1].map((k) =>
        [
          5000 + n,
          cells(n, k),
          day(n, k + 1),
          k === 0 ? `c${n}@example.org` : 'kim@desk.example.com',
          `I wrote about parcel ${n}.${k} before: please look at it again.`,
        ].join(','),
      ),
    ).join('\n')}\n`;

  it('one row of several names the assignee: that one counts, and it is asked', async () => {
    const { ticket, asked } = await proposed({
      'rows.csv': rows('subject,status,assignee_email', (n, k) =>
        [`Late parcel ${n}`, 'open', k === 0 ? '' : 'kim@desk.example.com'].join(','),
      ),
    });
    expect(ticket['assignee']).toMatchObject({
      email: { where: { column: 'assignee_email', empty: false }, take: 'first' },
    });
    expect(asked.filter((each) => each.startsWith('unsure-assignee')).join()).toContain(
      'differs between the rows',
    );
  });

  it('a subject that no word names is asked, though each ticket repeats it', async () => {
    const { asked } = await proposed({
      'rows.csv': rows('quint,status', (n) => [`Late parcel number ${n}`, 'open'].join(',')),
    });
    expect(asked.filter((each) => /^(?:unsure-subject|guessed-columns)/.test(each)).join()).toContain(
      'quint',
    );
  });
});

it('the first assignee is another person than the assignee', async () => {
  const { ticket } = await proposed({
    'tickets.csv': `ticket_id,subject,status,created_at,customer_email,assignee_email,first_assignee\n${ROWS.map(
      (n) =>
        [
          5000 + n,
          `Late parcel ${n}`,
          'open',
          day(n),
          `c${n}@example.org`,
          'kim@desk.example.com',
          'Raj Patel',
        ].join(','),
    ).join('\n')}\n`,
  });
  expect(ticket['assignee']).toEqual({ email: 'assignee_email' });
});

it('a file a ticket, named after a part of its id: the whole id counts', async () => {
  const { tables } = await proposed(
    Object.fromEntries(
      ROWS.map((n) => [
        `${5000 + n}.json`,
        JSON.stringify({
          zorb: `${5000 + n}-2024`,
          subject: `Late parcel ${n}`,
          status: 'open',
          created_at: day(n),
          customer: { email: `c${n}@example.org` },
          messages: [
            {
              author: { email: `c${n}@example.org` },
              body: `Where is parcel ${n}? It is late.`,
              sent_at: day(n),
            },
          ],
        }),
      ]),
    ),
  );
  expect(tables['tickets']?.key).toBe('zorb');
});

describe('what is no id of a ticket', () => {
  const record = (n: number) => ({
    subject: `Late parcel ${n}`,
    status: 'open',
    created_at: day(n),
    organization_id: 700 + n,
    issue_text: `Where is parcel number ${n}? It is late.`,
    customer: { email: `c${n}@example.org` },
    _links: { self: { href: `https://desk.example.com/api/tickets/${1041 + n * 3}` } },
  });

  it('that of an organization, or a text: the address of the record has it', async () => {
    const { tables } = await proposed({ 'tickets.json': JSON.stringify(ROWS.map(record)) });
    expect(tables['tickets']?.key).toBe('(id in _links.self.href)');
  });
});

it('lists of a document that differ by a number are one table', async () => {
  const list = (rows: readonly number[]) =>
    rows.map((n) => ({
      ticket_id: 5000 + n,
      subject: `Late parcel ${n}`,
      status: 'open',
      created_at: day(n),
      updated_at: day(n, 9),
      customer: { email: `c${n}@example.org` },
      messages: [
        {
          author: { email: `c${n}@example.org` },
          body: `Where is parcel ${n}? It is late.`,
          sent_at: day(n),
        },
      ],
    }));
  const { tables } = await proposed({
    'export.json': JSON.stringify({ tickets_1: list(ROWS.slice(0, 14)), tickets_2: list(ROWS.slice(10)) }),
  });
  expect(Object.keys(tables)).toEqual(['tickets']);
  expect(tables['tickets']).toMatchObject({
    recognise: [{ path: 'tickets_1' }, { path: 'tickets_2' }],
  });
});

describe('a document whose keys are the ids of tickets', () => {
  const record = (n: number) => ({
    subject: `Late parcel ${n}`,
    status: 'open',
    created_at: day(n),
    customer: { email: `c${n}@example.org` },
    messages: [
      { author: { email: `c${n}@example.org` }, body: `Where is parcel ${n}? It is late.`, sent_at: day(n) },
    ],
  });
  const keyed = (records: (n: number) => object, key = (n: number) => `${1041 + n}`) =>
    Object.fromEntries(ROWS.map((n) => [key(n), records(n)]));

  it.each([
    ['*', keyed(record)],
    ['*', keyed(record, (n) => `SUP-${n}`)],
    ['data.tickets.*', { data: { tickets: keyed(record) } }],
  ])('at %s: the key is the id', async (path, document) => {
    const { tables, asked } = await proposed({ 'tickets.json': JSON.stringify(document) });
    expect(Object.keys(tables)).toEqual(['tickets']);
    expect(tables['tickets']).toMatchObject({ key: '(key)', recognise: { path } });
    expect(asked.filter((each) => each.startsWith('unsure-tickets'))).toEqual([]);
  });

  it('an id in the record itself goes before the key', async () => {
    const { tables } = await proposed({
      'tickets.json': JSON.stringify(keyed((n) => ({ ticket_id: 7000 + n, ...record(n) }))),
    });
    expect(tables['tickets']?.key).toBe('ticket_id');
  });

  it('people under numbered names beside other values of a ticket are none', async () => {
    const files = ROWS.map((n) => [
      `${1041 + n}.json`,
      JSON.stringify({
        c1: `#${1041 + n}`,
        c2: `Late parcel ${n}`,
        c3: 'open',
        c4: day(n),
        c5: { name: `Ann ${n}`, mail: `c${n}@example.org` },
        c6: { name: `Bo ${n % 2}`, mail: `team${n % 2}@desk.example` },
        c7: record(n).messages,
      }),
    ]);
    const { tables, asked } = await proposed(Object.fromEntries(files));
    expect(JSON.stringify([tables, asked])).not.toContain('(key)');
  });

  it('lines of an address are none, and neither are members that have little in common', async () => {
    const { tables } = await proposed({
      'tickets.json': JSON.stringify(
        ROWS.map((n) => ({ id: 7000 + n, ...record(n), address: { line1: { a: 1 }, line2: { b: 2 } } })),
      ),
    });
    expect(tables['tickets']).toMatchObject({ key: 'id' });
  });
});

it('messages join the tickets, and not the calls about them, though tickets stand twice', async () => {
  const tickets = ROWS.flatMap((n) => {
    const row = `T-${5000 + n},Late parcel ${n},open,${day(n)},c${n}@example.org`;
    return n % 2 === 0 ? [row, row] : [row];
  });
  const proposal = await proposalFor({
    'cases.csv': `case_number,title,state,opened,customer_email\n${tickets.join('\n')}\n`,
    'calls.csv': `entry,case_number,started,seconds\n${ROWS.map((n) => `${n},T-${5000 + n},${day(n, 3)},12`).join('\n')}\n`,
    'replies.csv': `reply_no,case_number,sender,content,posted\n${ROWS.map(
      (n) => `${n},T-${5000 + n},c${n}@example.org,Where is parcel ${n}? It is late.,${day(n, 2)}`,
    ).join('\n')}\n`,
  });
  expect(proposal?.mapping['messages']).toMatchObject([{ content: 'content', occurredAt: 'posted' }]);
});

/** Two tables; a message is the customer's or, as the second one, that of the team. */
const pair = (header: string, cells: (n: number, k: number) => string, messages = 'messages.csv') => ({
  'tickets.csv': `ticket_id,subject,status,created_at,customer_email\n${ROWS.map(
    (n) => `${5000 + n},Late parcel ${n},open,${day(n)},c${n}@example.org`,
  ).join('\n')}\n`,
  [messages]: `ticket_id,${header},body\n${ROWS.flatMap((n) =>
    [0, 1].map(
      (k) => `${5000 + n},${cells(n, k)},I wrote about parcel ${n}.${k} before: please look at it again.`,
    ),
  ).join('\n')}\n`,
});

it('a time that cannot be read is asked where nothing else is the time', async () => {
  const { asked } = await proposed(
    pair('author_email,sent_at', (n, k) =>
      [k === 0 ? `c${n}@example.org` : 'kim@desk.example.com', `week ${n} of 2024`].join(','),
    ),
  );
  expect(asked.filter((each) => each.startsWith('unsure-times')).join()).toContain('"sent_at" (week 0');
});

it('a program in C wrote the times: they are read', async () => {
  const proposal = await proposalFor(
    pair('author_email,sent_at', (n, k) =>
      [`c${n}@example.org`, `Mon Jan  ${1 + (n % 9)} 08:2${k}:40 2024`].join(','),
    ),
  );
  expect(proposal?.mapping['messages']).toMatchObject([{ occurredAt: 'sent_at' }]);
});

describe('texts that may be for the team alone', () => {
  it('rows of messages of which few are notes: the kind of those is asked', async () => {
    const rows = ROWS.flatMap((n) =>
      [0, 1].map((k) =>
        JSON.stringify({
          conversation_id: `cv${n}`,
          timestamp: day(n, k + 1),
          from: k === 0 ? `c${n}@example.org` : 'kim@desk.example.com',
          content: {
            type: k === 1 && n < 3 ? 'CONVERSATION_NOTE' : 'EMAIL',
            subject: `Late parcel ${n}`,
            body: `I wrote about parcel ${n}.${k} before: please look at it again.`,
          },
        }),
      ),
    );
    const proposal = await proposalFor({ 'items.jsonl': `${rows.join('\n')}\n` });
    expect(proposal?.decisions.map(({ path }) => path.join('.')).join()).toContain('CONVERSATION_NOTE');
  });

  it.each(['notes.csv', 'work_notes.csv', 'ticket_notes.csv'])('%s: its name is a doubt', async (file) => {
    const { asked } = await proposed(
      pair('author_id,sent_at', (n, k) => [`${700 + k}`, day(n, k + 1)].join(','), file),
    );
    expect(asked.filter((each) => each.startsWith('unsure-visibility')).join()).toContain(file);
  });

  it('what customers wrote is none of the team, whatever the table is called', async () => {
    const { asked } = await proposed(
      pair(
        'author_email,sent_at',
        (n, k) => [k === 0 ? `c${n}@example.org` : 'kim@desk.example.com', day(n, k + 1)].join(','),
        'notes.csv',
      ),
    );
    expect(asked.filter((each) => each.startsWith('unsure-visibility'))).toEqual([]);
  });
});

it('a log of changed fields: what it has beside changes of the status is named', async () => {
  const changes = ROWS.flatMap((n) => [
    `${5000 + n},status,open,closed,${day(n, 5)}`,
    `${5000 + n},priority,low,high,${day(n, 6)}`,
    `${5000 + n},assignee,,kim@desk.example.com,${day(n, 7)}`,
  ]);
  const { asked } = await proposed({
    ...pair('author_email,sent_at', (n, k) => [`c${n}@example.org`, day(n, k + 1)].join(',')),
    'activity_log.csv': `ticket_id,field,old_value,new_value,changed_at\n${changes.join('\n')}\n`,
  });
  expect(asked.filter((each) => each.startsWith('unsure-tables')).join()).toContain(
    'those of assignee (24), priority (24) are not',
  );
});

it('messages name their conversation, and that its ticket', async () => {
  const { 'tickets.csv': tickets = '' } = pair('author_email', () => '');
  const proposal = await proposalFor({
    'tickets.csv': tickets,
    'conversations.csv': `conversation_id,ticket_id,channel\n${ROWS.map((n) => `${90_000 + n * 3},${5000 + n},chat`).join('\n')}\n`,
    'messages.csv': `conversation_id,author_email,sent_at,body\n${ROWS.map(
      (n) => `${90_000 + n * 3},c${n}@example.org,${day(n, 2)},Where is parcel ${n}? It is late.`,
    ).join('\n')}\n`,
  });
  expect(proposal?.mapping['tables']).toMatchObject({
    messages: { key: 'conversation_id', via: { table: 'conversations', get: 'ticket_id' } },
    conversations: { role: 'lookup', key: 'conversation_id' },
  });
  expect(proposal?.doubts.filter(({ code }) => code === 'unsure-tables')).toEqual([]);
});

it('the requester has an address in a list beside the name: that is asked', async () => {
  const { asked } = await proposed({
    'tickets.json': JSON.stringify(
      ROWS.map((n) => ({
        id: 5000 + n,
        subject: `Late parcel ${n}`,
        status: 'open',
        created_at: day(n),
        requester: { id: 70 + n, full_name: `Ana Ruiz ${n}`, identities: [{ email: `c${n}@example.org` }] },
      })),
    ),
  });
  expect(asked.filter((each) => each.startsWith('unsure-requester')).join()).toContain(
    'requester.identities[].email',
  );
});

it('a column of one name in both tables joins them, whatever language it is in', async () => {
  const proposal = await proposalFor({
    'vorgaenge.csv': `Vorgang,Betreff,Status,Angelegt,Kundenmail\n${ROWS.map(
      (n) => `${5000 + n},Late parcel ${n},offen,${day(n)},c${n}@example.org`,
    ).join('\n')}\n`,
    'schriftverkehr.csv': `Vorgang,Zeitpunkt,Verfasser,Text\n${ROWS.map(
      (n) => `${5000 + n},${day(n, 2)},c${n}@example.org,Where is parcel ${n}? It is late.`,
    ).join('\n')}\n`,
  });
  expect(proposal?.mapping['tables']).toMatchObject({ messages: { key: 'Vorgang' } });
});

describe('what says in few messages that the team alone reads them is asked', () => {
  it('a letter in rows of messages', async () => {
    const { asked } = await proposed({
      'threads.csv': `thread_id,subject,status,direction,Msg Scope,sent_at,from_email,body\n${ROWS.flatMap(
        (n) =>
          [0, 1, 2].map((k) =>
            [
              5000 + n,
              `Late parcel ${n}`,
              'open',
              k === 0 ? 'in' : 'out',
              k === 2 && n < 3 ? 'T' : 'A',
              day(n, k + 1),
              k === 0 ? `c${n}@example.org` : 'kim@desk.example.com',
              `I wrote about parcel ${n}.${k} before: please look at it again.`,
            ].join(','),
          ),
      ).join('\n')}\n`,
    });
    expect(asked.filter((each) => each.startsWith('unsure-visibility')).join()).toContain('"Msg Scope"');
  });

  it('a list of those who read it', async () => {
    const { asked } = await proposed({
      'dump.json': JSON.stringify(
        ROWS.map((n) => ({
          id: 5000 + n,
          subject: `Late parcel ${n}`,
          status: 'open',
          created_at: day(n),
          customer: { email: `c${n}@example.org` },
          entries: [0, 1, 2].map((k) => ({
            text: `I wrote about parcel ${n}.${k} before: please look at it again.`,
            sent_at: day(n, k + 1),
            sender: { email: k === 0 ? `c${n}@example.org` : 'kim@desk.example.com' },
            readers: k === 2 && n < 5 ? ['team'] : ['customer', 'team'],
          })),
        })),
      ),
    });
    expect(asked.filter((each) => each.startsWith('unsure-visibility')).join()).toContain('"readers"');
  });
});
