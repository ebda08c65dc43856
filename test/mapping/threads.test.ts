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
  it('the columns of the ticket’s own row', async () => {
    expect(
      await contents(
        { 't.csv': 'id,User Message,Tech Message\n1,help,done\n2,help,\n' },
        '  - { content: User Message }\n  - { content: Tech Message }\n',
      ),
    ).toEqual([['help', 'done'], ['help']]);
  });

  it('columns that repeat, each cell taken apart', async () => {
    const { tickets } = await mapExport(
      { 't.csv': 'id,Comment,Comment\n1,22/Sep/25 9:26 AM;u1;Hello; you,23/Sep/25 10:00 AM;u2;Bye\n' },
      layoutFrom(`${HEAD}messages:
  - each: Comment
    content: { column: ., match: '^[^;]*;[^;]*;(.*)' }
    occurredAt: { column: ., match: '^([^;]*)' }
    agentId: { column: ., match: '^[^;]*;([^;]*)' }`),
    );
    expect(tickets[0]?.messages.map(({ value }) => value)).toEqual([
      { content: 'Hello; you', occurredAt: '2025-09-22T09:26:00.000Z', agentId: 'u1' },
      { content: 'Bye', occurredAt: '2025-09-23T10:00:00.000Z', agentId: 'u2' },
    ]);
  });

  it('a list in a cell, in JSON or with separators', async () => {
    expect(
      await contents(
        { 't.csv': 'id,log\n1,"[{""t"":""a""}]"\n2,"[{""t"": ""b""}, {""t"": ""c""}]"\n' },
        '  - { each: { column: log, split: list }, content: t }\n',
      ),
    ).toEqual([['a'], ['b', 'c']]);
    expect(
      await contents(
        { 't.csv': 'id,log\n1,x|y\n' },
        '  - { each: { column: log, split: list }, content: . }\n',
      ),
    ).toEqual([['x', 'y']]);
  });

  it('pairs in nested JSON whose key is the role', async () => {
    const { tickets } = await mapExport(
      {
        't.json': JSON.stringify([
          {
            id: 1,
            turns: [
              { client: 'x', message: 'a' },
              { agent: 'y', message: 'b' },
            ],
            lines: [['agent', 'c']],
          },
        ]),
      },
      layoutFrom(`${HEAD}messages:
  - each: turns
    content: message
    actorType: { when: [{ if: { column: client, empty: false }, then: { const: customer } }, { else: { const: agent } }] }
  - { each: lines, content: "[1]", actorType: "[0]" }`),
    );
    expect(tickets[0]?.messages.map(({ value }) => value)).toEqual([
      { content: 'a', actorType: 'customer' },
      { content: 'b', actorType: 'agent' },
      { content: 'c', actorType: 'agent' },
    ]);
  });

  it('only the rows for which a condition holds', async () => {
    expect(
      await contents(
        { 't.csv': 'id\n1\n', 'r.csv': 'ticket,kind,text\n1,note,a\n1,log,b\n1,note,\n' },
        '  - { from: rows, where: { column: kind, is: note }, content: text }\n',
      ),
    ).toEqual([['a']]);
  });
});

describe('a message that the export has more than once', () => {
  const HEAD_JSON = HEAD.replace("file: 't*'", 'columns: [subject]').replace(
    "file: 'r*'",
    'columns: [ticket]',
  );
  const RULE = '  - { places: [{ each: rows }, { from: rows }], content: text, once: id }\n';
  const mapped = async (tickets: unknown[], rows: unknown[]) => {
    const texts = { 't.json': JSON.stringify(tickets), 'r.json': JSON.stringify(rows) };
    const { tickets: made, mapper } = await mapExport(texts, layoutFrom(`${HEAD_JSON}messages:\n${RULE}`));
    return {
      contents: made.map(({ messages }) => messages.map(({ value }) => value['content'])),
      notHeld: mapper.loss().notHeld,
    };
  };

  it('nested and in a table counts once, the first one, and is told', async () => {
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

  it('does not take what has no id for the same, nor the same id in two tickets', async () => {
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

  it('is not hidden by an empty row with its id, and other rules have ids of their own', async () => {
    expect(
      await contents(
        { 't.csv': 'id,subject\n1,a\n', 'r.csv': 'ticket,n,text,note\n1,4,,n\n1,4,full,\n' },
        '  - { from: rows, content: text, once: n }\n  - { from: rows, content: note, once: n }\n',
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
    `  - { content: description, use: ${use} }\n  - { from: rows, content: text, occurredAt: at }\n`;

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

  it('that says something else stays, before the others', async () => {
    expect(await contents(texts('other', 'Hi'), rules('unless-repeated'))).toEqual([
      ['other', 'later', 'Hi'],
      ['alone'],
    ]);
    expect(await contents(texts('later', 'Hi'), rules('unless-repeated'))).toEqual([
      ['later', 'later', 'Hi'],
      ['alone'],
    ]);
  });

  it('can be meant for tickets without comments only', async () => {
    expect(await contents(texts('other', 'Hi'), rules('if-no-other'))).toEqual([['later', 'Hi'], ['alone']]);
  });
});

it('problems and explanations of messages carry the index that the message has in the end', async () => {
  const { tickets, mapper, source } = await mapExport(
    { 't.csv': 'id,description\n1,d\n', 'r.csv': 'ticket,text,kind\n1,a,x\n1,,\n1,b,nope\n' },
    layoutFrom(`${HEAD}messages:
  - { content: description, use: unless-repeated }
  - { from: rows, content: text, contentType: { column: kind, map: { x: text } } }`),
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
  const history = layoutFrom(`${HEAD}events:
  - from: rows
    history: true
    where: { column: field, is: status }
    newValue: { status: { column: value, map: { new: open, open: open, hold: pending, done: closed } } }
    occurredAt: at
    actorType: { const: system }`);
  const rows =
    'ticket,field,value,at\n1,status,done,2025-01-04 00:00:00\n1,status,new,2025-01-01 00:00:00\n1,priority,x,2025-01-01 00:00:00\n1,status,open,2025-01-02 00:00:00\n1,status,hold,2025-01-03 00:00:00\n';

  it('have the status before, in order of time; the creation and rows that change nothing are no events', async () => {
    const { tickets } = await mapExport({ 't.csv': 'id\n1\n', 'r.csv': rows }, history);
    expect(
      tickets[0]?.events.map(({ value, ref }) => [
        value['oldValue'],
        value['newValue'],
        value['occurredAt'],
        ref.line,
      ]),
    ).toEqual([
      [{ status: 'open' }, { status: 'pending' }, '2025-01-03T00:00:00.000Z', 6],
      [{ status: 'pending' }, { status: 'closed' }, '2025-01-04T00:00:00.000Z', 2],
    ]);
  });

  it('begin with the status that the layout knows to be the first', async () => {
    const { tickets } = await mapExport(
      { 't.csv': 'id\n1\n', 'r.csv': 'ticket,value,at\n1,done,2025-01-04 00:00:00\n' },
      layoutFrom(
        `${HEAD}events: [{ from: rows, history: true, initial: { const: open }, newValue: { status: { column: value, map: { done: closed } } }, occurredAt: at }]`,
      ),
    );
    expect(tickets[0]?.events.map(({ value }) => [value['oldValue'], value['newValue']])).toEqual([
      [{ status: 'open' }, { status: 'closed' }],
    ]);
  });

  it('pass over a status that the map drops', async () => {
    const { tickets } = await mapExport(
      {
        't.csv': 'id\n1\n',
        'r.csv':
          'ticket,value,at\n1,new,2025-01-01 00:00:00\n1,odd,2025-01-02 00:00:00\n1,done,2025-01-04 00:00:00\n',
      },
      layoutFrom(
        `${HEAD}events: [{ from: rows, history: true, newValue: { status: { column: value, map: { new: open, done: closed }, unlisted: drop } }, occurredAt: at }]`,
      ),
    );
    expect(tickets[0]?.events.map(({ value }) => [value['oldValue'], value['newValue']])).toEqual([
      [{ status: 'open' }, { status: 'closed' }],
    ]);
  });

  it('that the export has twice count once; those without an id all count', async () => {
    const { tickets } = await mapExport(
      {
        't.csv': 'id\n1\n',
        'r.csv':
          'ticket,n,value,at\n1,7,done,2025-01-04 00:00:00\n1,7,done,2025-01-04 00:00:00\n1,,open,2025-01-05 00:00:00\n1,,open,2025-01-05 00:00:00\n',
      },
      layoutFrom(
        `${HEAD}events: [{ from: rows, once: n, newValue: { status: { column: value, map: { open: open, done: closed } } }, occurredAt: at }]`,
      ),
    );
    expect(tickets[0]?.events.map(({ value }) => value['newValue'])).toEqual(
      ['closed', 'open', 'open'].map((status) => ({ status })),
    );
  });

  it('reject the ticket, once, for a status that is not in the value map', async () => {
    const { tickets } = await mapExport(
      { 't.csv': 'id\n1\n', 'r.csv': `${rows}1,status,lost,2025-01-05 00:00:00\n` },
      history,
    );
    expect(payloads(tickets[0]!).problems).toEqual([
      {
        code: 'unmapped-value',
        field: 'events[4].newValue.status',
        line: 7,
        message: expect.stringContaining('"lost"'),
      },
    ]);
    expect(tickets[0]?.events).toHaveLength(2);
  });
});

it('a customer’s event becomes the system’s, as no contact id is known, and this is told', async () => {
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
messages: [{ from: log, content: text, occurredAt: at, actorType: who }]
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
    `${HEAD.replace('ticket: { subject: subject }', 'ticket: { createdAt: a, closedAt: b }')}messages: [{ each: log, content: t, occurredAt: at }]`,
  );
  const created = async (texts: Record<string, string>, dayFirst?: boolean) =>
    (await mapExport(texts, layout, { dayFirst })).tickets.map(({ ticket }) => ticket['createdAt']);

  it.each([
    ['the day is first', '03/04/2025\n2,13/04/2025', '2025-04-03T00:00:00.000Z'],
    ['the month is first', '03/04/2025\n2,03/14/2025', '2025-03-04T00:00:00.000Z'],
  ])('one value decides for its column: %s', async (_, rows, first) => {
    expect((await created({ 't.csv': `id,a,b\n1,${rows}\n` }))[0]).toBe(first);
  });

  it('a proof in another column of the export decides too', async () => {
    expect((await created({ 't.csv': 'id,a,b\n1,03/04/2025,14/04/2025\n' }))[0]).toBe(
      '2025-04-03T00:00:00.000Z',
    );
  });

  it('a proof far behind the sample is found', async () => {
    const rows = Array.from({ length: 400 }, (_, index) => `${index},03/04/2025,`).join('\n');
    expect((await created({ 't.csv': `id,a,b\n${rows}\n999,03/28/2025,\n` }))[0]).toBe(
      '2025-03-04T00:00:00.000Z',
    );
  });

  it('the setting decides what nothing proves, and what contradicts itself', async () => {
    expect(await created({ 't.csv': 'id,a,b\n1,03/04/2025,\n' }, false)).toEqual([
      '2025-03-04T00:00:00.000Z',
    ]);
    expect(await created({ 't.csv': 'id,a,b\n1,13/04/2025,\n2,04/13/2025,\n' }, false)).toEqual([
      '13/04/2025',
      '2025-04-13T00:00:00.000Z',
    ]);
  });

  it('proof comes before the setting', async () => {
    expect((await created({ 't.csv': 'id,a,b\n1,03/04/2025,\n2,13/04/2025,\n' }, false))[0]).toBe(
      '2025-04-03T00:00:00.000Z',
    );
  });

  it('is a question where nothing proves it', async () => {
    await expect(created({ 't.csv': 'id,a,b\n1,03/04/2025,\n' })).rejects.toMatchObject({
      code: 'configuration',
      message:
        'In the column "tickets: a" dates like 03/04/2025 can be read with the day or with the month first.',
      hint: expect.stringContaining('dayFirst: true'),
    });
  });

  it('is a question where a column contradicts itself', async () => {
    await expect(created({ 't.csv': 'id,a,b\n1,13/04/2025,\n2,04/13/2025,\n' })).rejects.toMatchObject({
      code: 'configuration',
    });
  });

  it('is asked inside lists too', async () => {
    await expect(
      mapExport({ 't.json': JSON.stringify([{ id: 1, log: [{ t: 'x', at: '03/04/2025' }] }]) }, layout),
    ).rejects.toMatchObject({ code: 'configuration' });
  });
});
