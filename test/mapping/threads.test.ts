import { describe, expect, it } from 'vitest';
import { layoutFrom, mapExport, payloads } from './support/map-export.ts';

const HEAD = `
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { file: 't*' } }
  rows: { role: child, key: ticket, recognise: { file: 'r*' } }
times: { zone: UTC }
ticket: { subject: subject }
`;
const contents = async (texts: Record<string, string>, messages: string) => {
  const { tickets } = await mapExport(texts, layoutFrom(`${HEAD}messages:\n${messages}`));
  return tickets.map((ticket) => ticket.messages.map(({ value }) => value['content']));
};

describe('messages come from', () => {
  const LOG = '  - { public: true, each: { column: log, split: list }, content: ';
  it.each<[string, Record<string, string>, string, string[][]]>([
    [
      'the columns of the ticket’s own row',
      { 't.csv': 'id,User Message,Tech Message\n1,help,done\n2,help,\n' },
      '  - { public: true, content: User Message }\n  - { public: true, content: Tech Message }\n',
      [['help', 'done'], ['help']],
    ],
    [
      'a list in a cell as JSON',
      { 't.csv': 'id,log\n1,"[{""t"":""a""}]"\n2,"[{""t"": ""b""}, {""t"": ""c""}]"\n' },
      `${LOG} t }\n`,
      [['a'], ['b', 'c']],
    ],
    ['a list in a cell with separators', { 't.csv': 'id,log\n1,x|y\n' }, `${LOG} . }\n`, [['x', 'y']]],
    [
      'only the rows for which a condition holds',
      { 't.csv': 'id\n1\n', 'r.csv': 'ticket,kind,text\n1,note,a\n1,log,b\n1,note,\n' },
      '  - { public: true, from: rows, where: { column: kind, is: note }, content: text }\n',
      [['a']],
    ],
  ])('%s', async (_, texts, rules, expected) => {
    expect(await contents(texts, rules)).toEqual(expected);
  });

  it('columns that repeat, each cell taken apart', async () => {
    const { tickets } = await mapExport(
      { 't.csv': 'id,Comment,Comment\n1,22/Sep/25 9:26 AM;u1;Hello; you,23/Sep/25 10:00 AM;u2;Bye\n' },
      layoutFrom(`${HEAD}messages:
  - public: true
    each: Comment
    content: { column: ., match: '^[^;]*;[^;]*;(.*)' }
    occurredAt: { column: ., match: '^([^;]*)' }
    agentId: { column: ., match: '^[^;]*;([^;]*)' }`),
    );
    expect(tickets[0]?.messages.map(({ value }) => value)).toEqual([
      { content: 'Hello; you', occurredAt: '2025-09-22T09:26:00.000Z', agentId: 'u1' },
      { content: 'Bye', occurredAt: '2025-09-23T10:00:00.000Z', agentId: 'u2' },
    ]);
  });

  it('pairs in nested JSON whose key is the role', async () => {
    const turns = '[{"client":"x","message":"a"},{"agent":"y","message":"b"}]';
    const { tickets } = await mapExport(
      { 't.json': `[{"id":1,"turns":${turns},"lines":[["agent","c"]]}]` },
      layoutFrom(`${HEAD}messages:
  - public: true
    each: turns
    content: message
    actorType: { when: [{ if: { column: client, empty: false }, then: { const: customer } }, { else: { const: agent } }] }
  - { public: true, each: lines, content: "[1]", actorType: "[0]" }`),
    );
    expect(tickets[0]?.messages.map(({ value }) => `${value['actorType']}: ${value['content']}`)).toEqual([
      'customer: a',
      'agent: b',
      'agent: c',
    ]);
  });
});

describe('a message that the export has more than once', () => {
  const HEAD_JSON = HEAD.replace("file: 't*'", 'columns: [subject]').replace(
    "file: 'r*'",
    'columns: [ticket]',
  );
  const RULE = '  - { public: true, places: [{ each: rows }, { from: rows }], content: text, once: id }\n';
  const mapped = async (tickets: unknown[], rows: unknown[]) => {
    const texts = { 't.json': JSON.stringify(tickets), 'r.json': JSON.stringify(rows) };
    const { tickets: made, mapper } = await mapExport(texts, layoutFrom(`${HEAD_JSON}messages:\n${RULE}`));
    return {
      contents: made.map(({ messages }) => messages.map(({ value }) => value['content'])),
      notHeld: mapper.loss().notHeld,
    };
  };

  it('nested and in a table counts once, the first one, and is reported', async () => {
    const { contents, notHeld } = await mapped(
      [{ id: 1, subject: 'a', rows: [{ id: 7, text: 'first' }] }],
      [
        { ticket: 1, id: 7, text: 'again' },
        { ticket: 1, id: 8, text: 'second' },
      ],
    );
    expect(contents).toEqual([['first', 'second']]);
    expect(notHeld).toEqual([{ what: 'messages that the export has more than once', count: 1 }]);
  });

  it('does not merge messages without an ID, nor one ID in two tickets', async () => {
    const { contents, notHeld } = await mapped(
      [
        { id: 1, subject: 'a' },
        { id: 2, subject: 'b' },
      ],
      [
        { ticket: 1, text: 'yes' },
        { ticket: 1, text: 'yes' },
        { ticket: 1, id: 5, text: 'x' },
        { ticket: 2, id: 5, text: 'x' },
      ],
    );
    expect(contents).toEqual([['yes', 'yes', 'x'], ['x']]);
    expect(notHeld).toEqual([]);
  });

  it('is not hidden by an empty row with its id, and other rules have IDs of their own', async () => {
    expect(
      await contents(
        { 't.csv': 'id,subject\n1,a\n', 'r.csv': 'ticket,n,text,note\n1,4,,n\n1,4,full,\n' },
        '  - { public: true, from: rows, content: text, once: n }\n  - { public: true, from: rows, content: note, once: n }\n',
      ),
    ).toEqual([['full', 'n']]);
  });
});

describe('a description', () => {
  const texts = (description: string, first: string) => ({
    't.csv': `id,description\n1,"${description}"\n2,alone\n`,
    'r.csv': `ticket,text,at\n1,later,2025-01-02 00:00:00\n1,"${first}",2025-01-01 00:00:00\n`,
  });
  const rules = (use: string) =>
    `  - { public: true, content: description, use: ${use} }\n  - { public: true, from: rows, content: text, occurredAt: at }\n`;

  it.each([
    ['the same text', 'Hi  there', 'Hi there'],
    ['the same as html', '<p>Hi&nbsp;&amp; there</p>', 'Hi & there'],
    ['the beginning of it', 'x'.repeat(50), `${'x'.repeat(50)} and more`],
  ])('that the first comment repeats is dropped once: %s', async (_, description, first) => {
    expect(await contents(texts(description, first), rules('unless-repeated'))).toEqual([
      ['later', first],
      ['alone'],
    ]);
  });

  it.each([
    ['the subject, which the ticket has, is dropped', 'Broken kettle', ['It leaks since Monday.']],
    ['another line stays', 'Kettle', ['Broken kettle\n\nIt leaks since Monday.', 'It leaks since Monday.']],
  ])('that has the first comment below %s', async (_, subject, expected) => {
    const files = {
      't.csv': `id,subject,description\n1,${subject},"Broken kettle\n\nIt leaks since Monday."\n`,
      'r.csv': 'ticket,text,at\n1,It leaks since Monday.,2025-01-01 00:00:00\n',
    };
    expect(await contents(files, rules('unless-repeated'))).toEqual([expected]);
  });

  it('can be meant for tickets without comments only', async () => {
    expect(await contents(texts('other', 'Hi'), rules('if-no-other'))).toEqual([['later', 'Hi'], ['alone']]);
  });
});

it('problems and explanations of messages carry the index that the message has in the end', async () => {
  const { tickets, mapper, source } = await mapExport(
    { 't.csv': 'id,description\n1,d\n', 'r.csv': 'ticket,text,kind\n1,a,x\n1,,\n1,b,nope\n' },
    layoutFrom(`${HEAD}messages:
  - { public: true, content: description, use: unless-repeated }
  - { public: true, from: rows, content: text, contentType: { column: kind, map: { x: text } } }`),
  );
  expect(tickets[0]?.messages.map(({ value }) => value['content'])).toEqual(['d', 'a', 'b']);
  expect(tickets[0]?.problems.map(({ field, line, file }) => ({ field, line, file }))).toEqual([
    { field: 'messages[2].contentType', line: 4, file: 'r.csv' },
  ]);
  expect(mapper.explain(source[0]!).map(({ field, value }) => [field, value])).toEqual([
    ['messages[0].content', 'd'],
    ['messages[1].content', 'a'],
    ['messages[1].contentType', 'text'],
    ['messages[2].content', 'b'],
  ]);
});

describe('events from a history', () => {
  const RULE =
    'occurredAt: at, newValue: { status: { column: value, map: { new: open, open: open, hold: pending, done: closed } } }';
  /** `day status` a row; what the events say. */
  const history = async (rows: string, rule: string) => {
    const lines = rows.split(', ').map((row) => {
      const [day, value] = row.split(' ');
      return `1,${value},2025-01-0${day} 00:00:00\n`;
    });
    const texts = { 't.csv': 'id\n1\n', 'r.csv': `ticket,value,at\n${lines.join('')}` };
    const { tickets } = await mapExport(texts, layoutFrom(`${HEAD}events: [{ from: rows, ${rule} }]`));
    const events = (tickets[0]?.events ?? []).map(({ value, ref }) => {
      const [from, to] = [value['oldValue'], value['newValue']] as { status: string }[];
      return `${ref.line}: ${from?.status} → ${to?.status}`;
    });
    return { events, problems: payloads(tickets[0]!).problems };
  };

  it.each([
    [
      'have the status before, oldest first; the creation and rows that change nothing are no events',
      '4 done, 1 new, 2 open, 3 hold',
      `history: true, ${RULE}`,
      ['5: open → pending', '2: pending → closed'],
    ],
    [
      'begin with the first status of the layout',
      '4 done',
      `history: true, initial: { const: open }, ${RULE}`,
      ['2: open → closed'],
    ],
    [
      'pass over a status that the map drops',
      '1 new, 2 odd, 4 done',
      `history: true, ${RULE.replace('} } }', '}, unlisted: drop } }')}`,
      ['4: open → closed'],
    ],
    [
      'that the export has twice count once; those without an id all count',
      '4 done, 4 done, 5 open, 5 open',
      `once: { column: value, map: { done: 7 }, unlisted: drop }, ${RULE}`,
      ['2: undefined → closed', '4: undefined → open', '5: undefined → open'],
    ],
  ])('%s', async (_, rows, rule, expected) => {
    expect((await history(rows, rule)).events).toEqual(expected);
  });

  it('reject the ticket, once, for a status that is not in the value map', async () => {
    const { events, problems } = await history('1 new, 3 hold, 5 lost', `history: true, ${RULE}`);
    const message = expect.stringContaining('"lost"');
    expect(problems).toEqual([
      { code: 'unmapped-value', field: 'events[2].newValue.status', line: 4, message },
    ]);
    expect(events).toHaveLength(1);
  });
});

it('a customer’s event becomes the system’s, as no contact id is known, and this is reported', async () => {
  const { tickets, mapper } = await mapExport(
    {
      't.csv': 'id,email\n1,ann@example.com\n',
      'r.csv':
        'ticket,old,new,who\n1,open,closed,ann@example.com\n1,closed,open,bob@example.com\n1,open,closed,\n',
    },
    layoutFrom(`${HEAD.replace('ticket: { subject: subject }', 'ticket: { contact: { email: email } }')}events:
  - { from: rows, oldValue: { status: old }, newValue: { status: new }, actor: { email: who } }`),
    { agents: { 'bob@example.com': 'agt_1' } },
  );
  expect(tickets[0]?.events.map(({ value }) => [value['actorType'], value['agentId']])).toEqual([
    ['system', undefined],
    ['agent', 'agt_1'],
    ['system', undefined],
  ]);
  expect(mapper.loss().notHeld).toEqual([{ what: expect.stringContaining('customer'), count: 1 }]);
});

it('one row a message makes one ticket of all rows with its key, and one row an update its history', async () => {
  const { tickets } = await mapExport(
    {
      't.tsv':
        'conv\tat\twho\ttext\tstate\na\t2025-01-01 00:00:00\tcustomer\tHi\tnew\nb\t2025-01-01 00:00:00\tcustomer\tYo\tnew\na\t2025-01-02 00:00:00\tsystem\tBye\tdone\n',
    },
    layoutFrom(`
name: test
title: Test
tables: { log: { role: group, key: conv, recognise: { columns: [conv, text] } } }
times: { zone: UTC }
ticket: { subject: { template: "Chat {conv}" }, createdAt: at }
messages: [{ from: log, content: text, occurredAt: at, actorType: who, public: true }]
events: [{ from: log, history: true, newValue: { status: { column: state, map: { new: open, done: closed } } }, occurredAt: at, actorType: { const: system } }]`),
  );
  expect(
    tickets.map(payloads).map(({ id, messages, events }) => [id, messages.length, events.length]),
  ).toEqual([
    ['a', 2, 1],
    ['b', 1, 0],
  ]);
  expect(tickets.map(({ rows }) => rows.length)).toEqual([2, 1]);
});

describe('day and month', () => {
  const layout = layoutFrom(
    `${HEAD.replace('ticket: { subject: subject }', 'ticket: { createdAt: a, closedAt: b }')}messages: [{ each: log, content: t, occurredAt: at, public: true }]`,
  );
  /** Times of creation and of closing, a ticket a line; what the times of creation become. */
  const created = async (rows: string, dayFirst?: boolean) => {
    const lines = rows.split(' ').map((row, at) => `${at},${row.includes(',') ? row : `${row},`}\n`);
    const { tickets } = await mapExport({ 't.csv': `id,a,b\n${lines.join('')}` }, layout, { dayFirst });
    return tickets.map(({ ticket }) => String(ticket['createdAt']).replace('T00:00:00.000Z', ''));
  };

  it.each<[string, string, boolean | undefined, string[]]>([
    [
      'one value decides for its column: the day',
      '03/04/2025 13/04/2025',
      undefined,
      ['2025-04-03', '2025-04-13'],
    ],
    [
      'one value decides for its column: the month',
      '03/04/2025 03/14/2025',
      undefined,
      ['2025-03-04', '2025-03-14'],
    ],
    [
      'a proof in another column of the export decides too',
      '03/04/2025,14/04/2025',
      undefined,
      ['2025-04-03'],
    ],
    ['the setting decides what nothing proves', '03/04/2025', false, ['2025-03-04']],
    ['and what contradicts itself', '13/04/2025 04/13/2025', false, ['13/04/2025', '2025-04-13']],
    ['proof comes before the setting', '03/04/2025 13/04/2025', false, ['2025-04-03', '2025-04-13']],
  ])('%s', async (_, rows, dayFirst, expected) => {
    expect(await created(rows, dayFirst)).toEqual(expected);
  });

  it('a proof far behind the sample is found', async () => {
    const rows = `${'03/04/2025 '.repeat(400)}03/28/2025`;
    expect((await created(rows))[0]).toBe('2025-03-04');
  });

  it('is a question if nothing proves it, wherever the first such date is', async () => {
    await expect(created(`${'2025-04-03T00:00:00Z '.repeat(400)}03/04/2025`)).rejects.toMatchObject({
      code: 'configuration',
    });
    await expect(created('03/04/2025')).rejects.toMatchObject({
      code: 'configuration',
      message:
        'In the column "tickets: a" dates like 03/04/2025 can be read with the day or with the month first.',
      hint: expect.stringContaining('dayFirst: true'),
    });
  });

  it('is a question if a column contradicts itself, and inside lists too', async () => {
    await expect(created('13/04/2025 04/13/2025')).rejects.toMatchObject({ code: 'configuration' });
    const texts = { 't.json': JSON.stringify([{ id: 1, log: [{ t: 'x', at: '03/04/2025' }] }]) };
    await expect(mapExport(texts, layout)).rejects.toMatchObject({ code: 'configuration' });
  });
});

it('a description is internal if it is the copy of an internal note, and public if it is that of a public one', async () => {
  const rules = `${HEAD}messages:
  - { public: true, content: description }
  - { from: rows, content: text, public: { column: kind, in: [reply], internal: [note] } }`;
  const texts = {
    't.csv': 'id,description\n1,A remark for us alone\n2,A question of a customer\n',
    'r.csv':
      'ticket,kind,text\n1,note,A remark for us alone\n2,note,Ours\n2,reply,A question of a customer\n',
  };
  const { tickets } = await mapExport(texts, layoutFrom(rules));
  const internal = tickets.map(({ messages }) => messages.map(({ value }) => value['isInternal'] === true));
  expect(internal).toEqual([
    [true, true],
    [false, true, false],
  ]);
});
