/** What a proposal is not sure of is asked, whatever the columns are called: nothing comes in wrong without a question. */
import { describe, expect, it } from 'vitest';
import { proposalFor } from './support.ts';

const people = Array.from(
  { length: 24 },
  (_, n) => `${['Ana', 'Bo', 'Cleo'][n % 3]} ${['Ruiz', 'Lind', 'Marsh', 'Voss'][n % 4]}`,
);
const mail = (name: string) => `${name.toLowerCase().replace(' ', '.')}@example.org`;
const at = (n: number, hour: number) =>
  `2024-05-${String((n % 28) + 1).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;
const agents = ['kim@desk.example.com', 'raj@desk.example.com', 'dana@desk.example.com'];
const agentOf = (n: number) => agents[n % agents.length] as string;
const text = (n: number, k: number) => `I wrote about parcel ${n}.${k} before: please look at it again.`;

const tickets = (extra: string, cell: (n: number) => string) =>
  `ticket_id,subject,status,created_at,customer_email,${extra}\n${people
    .map((name, n) => `${5000 + n * 7},Late parcel ${n},open,${at(n, 8)},${mail(name)},${cell(n)}`)
    .join('\n')}\n`;

/** Two messages a ticket: the customer's and an answer, and a note in every third. */
const messages = (
  extra: string,
  cell: (kind: 'asked' | 'answer' | 'note', n: number) => string,
  key = 'ticket_id',
) =>
  `${key},sent_at,author_email,body,${extra}\n${people
    .flatMap((name, n) =>
      (['asked', 'answer', ...(n % 3 === 0 ? ['note'] : [])] as const).map((kind, k) =>
        [
          5000 + n * 7,
          at(n, 9 + k),
          kind === 'asked' ? mail(name) : agentOf(n),
          text(n, k),
          cell(kind as 'asked', n),
        ].join(','),
      ),
    )
    .join('\n')}\n`;

const codesOf = async (texts: Readonly<Record<string, string>>) =>
  (await proposalFor(texts))?.doubts.map(({ code, message }) => `${code}: ${message}`) ?? [];

describe('what may say who can see a message is asked', () => {
  it.each([
    ['Show to requester', (kind: string) => (kind === 'note' ? 'N' : 'Y')],
    ['type', (kind: string) => ({ asked: 'M', answer: 'R', note: 'N' })[kind] ?? ''],
    ['level', (kind: string) => (kind === 'note' ? 'team' : 'all')],
    ['seen by client', (kind: string) => (kind === 'note' ? '0' : '1')],
  ])('%s', async (header, cell) => {
    const asked = await codesOf({
      'tickets.csv': tickets('assigned_to', agentOf),
      'messages.csv': messages(header, cell),
    });
    expect(asked.filter((each) => each.startsWith('unsure-visibility')).join()).toContain(`"${header}"`);
  });

  it('the kinds of an event: a note among them is a question of its own', async () => {
    const proposal = await proposalFor({
      'tickets.csv': tickets('assigned_to', agentOf),
      'messages.csv': messages('event', (kind) => (kind === 'note' ? 'NoteAdded' : 'MessagePosted')),
    });
    expect(proposal?.decisions.map(({ path }) => path.join('.')).join()).toContain('NoteAdded');
  });
});

it('texts of the team alone in a table of their own are asked, whatever it is called', async () => {
  const table = (kind: number) =>
    `ticket_id,author_email,sent_at,text\n${people
      .map(
        (name, n) =>
          `${5000 + n * 7},${kind === 0 ? mail(name) : agentOf(n)},${at(n, 9 + kind)},${text(n, kind)}`,
      )
      .join('\n')}\n`;
  const asked = await codesOf({
    'tickets.csv': tickets('assigned_to', agentOf),
    'replies.csv': table(0),
    'team_comments.csv': table(1).replace('sent_at', 'written_at'),
  });
  expect(asked.join()).toContain('None of those who asked wrote in team_comments.csv');
});

describe('what the source itself has taken back is left out', () => {
  it.each([
    ['is_deleted', '1', '0', { in: ['1'] }],
    ['deleted_at', '2024-05-20T10:00:00Z', '', { empty: false }],
    ['Spam', 'yes', 'no', { in: ['yes'] }],
  ])('a ticket by %s', async (header, yes, no, when) => {
    const proposal = await proposalFor({
      'tickets.csv': tickets(`assigned_to,${header}`, (n) => `${agentOf(n)},${n % 5 === 4 ? yes : no}`),
    });
    expect(proposal?.mapping['exclude']).toMatchObject([{ when: { column: header, ...when } }]);
  });

  it('a message, and nothing where nothing is deleted', async () => {
    const rulesFor = async (deleted: string) =>
      (
        await proposalFor({
          'tickets.csv': tickets('assigned_to', agentOf),
          'messages.csv': messages('deleted', (kind) => (kind === 'note' ? deleted : 'false')),
        })
      )?.mapping['messages'];
    expect(await rulesFor('true')).toMatchObject([{ where: { column: 'deleted', notIn: ['true'] } }]);
    expect(JSON.stringify(await rulesFor('false'))).not.toContain('"where"');
  });
});

it.each([
  ['vip late parcel', 'TODO'],
  ['vip', ';'],
  ['vip;late', 'list'],
])('a single cell of tags, %j, is split by %j', async (cell, split) => {
  const proposal = await proposalFor({
    'tickets.csv': tickets('assigned_to,tags', (n) => `${agentOf(n)},${n === 3 ? cell : ''}`),
  });
  expect(proposal?.mapping['ticket']).toMatchObject({ tags: { column: 'tags', split } });
  expect(proposal?.decisions.map(({ path }) => path.join('.')).includes('mapping.ticket.tags.split')).toBe(
    split === 'TODO',
  );
});

describe('a field that nothing was found for is asked with what could hold it', () => {
  it.each([
    ['level', 'unsure-priority', (n: number) => ['low', 'normal', 'high', 'urgent'][n % 4] ?? ''],
    ['priority_id', 'unsure-priority', (n: number) => String((n % 4) + 1)],
  ])('%s: %s', async (header, code, cell) => {
    const asked = await codesOf({ 'tickets.csv': tickets(header, cell) });
    expect(asked.filter((each) => each.startsWith(code)).join()).toContain(`"${header}"`);
  });

  it('somebody in a list of people, each with a role', async () => {
    const lines = people.map((name, n) =>
      JSON.stringify({
        id: 5000 + n,
        subject: `Late parcel ${n}`,
        status: 'open',
        created_at: at(n, 8),
        customer_email: mail(name),
        participants: [
          { role: 'follower', email: agentOf(n + 1) },
          { role: 'assignee', email: agentOf(n) },
        ],
        messages: [{ author_email: mail(name), sent_at: at(n, 8), body: text(n, 0) }],
      }),
    );
    const asked = await codesOf({ 'tickets.jsonl': `${lines.join('\n')}\n` });
    expect(asked.filter((each) => each.startsWith('unsure-assignee')).join()).toContain(
      'participants[].email',
    );
  });

  it('an owner beside somebody who is responsible', async () => {
    const asked = await codesOf({
      'tickets.csv': tickets('Responsible,Owner', (n) => `vera@desk.example.com,${agentOf(n)}`),
    });
    expect(asked.filter((each) => each.startsWith('unsure-assignee')).join()).toContain('"Owner"');
  });
});

describe('who wrote', () => {
  it('is nobody whom the message went to, and an address may follow a name in quotes', async () => {
    const rows = people.flatMap((name, n) => [
      `${n},${n},"""${name}"" <${mail(name)}>",help@desk.example.com,${text(n, 0)},${at(n, 8)}`,
      `${n + 90},${n},"""Kim"" <${agentOf(n)}>",${mail(name)},${text(n, 1)},${at(n, 9)}`,
    ]);
    const proposal = await proposalFor({
      'tickets.csv': `TicketID,Title,State,CustomerUserID,Created\n${people
        .map((name, n) => `${n},Late parcel ${n},open,${mail(name)},${at(n, 8)}`)
        .join('\n')}\n`,
      'articles.csv': `ArticleID,TicketID,From,To,Body,CreateTime\n${rows.join('\n')}\n`,
    });
    expect(proposal?.mapping['messages']).toMatchObject([
      { author: { email: { column: 'From', as: 'email' } } },
    ]);
  });
});

describe('tables are joined', () => {
  it.each([
    ['res_id', 'mails.csv'],
    ['object_id', 'entries.csv'],
  ])('by %s, which says nothing, where its values are the ids of the tickets', async (key, file) => {
    const proposal = await proposalFor({
      'tickets.csv': tickets('assigned_to', agentOf),
      [file]: messages('is_public', (kind) => (kind === 'note' ? 'no' : 'yes'), key),
    });
    expect(proposal?.mapping['tables']).toMatchObject({ messages: { role: 'child', key } });
  });

  it('by a name that is one of several: segnalazione, segnalazioni', async () => {
    const proposal = await proposalFor({
      'segnalazioni.csv': tickets('Operatore', agentOf).replace(
        'ticket_id,subject,status,created_at,customer_email',
        'Codice,Oggetto,Stato,Data apertura,Email cliente',
      ),
      'messaggi.csv': messages(
        'Nota interna',
        (kind) => (kind === 'note' ? 'Sì' : 'No'),
        'Codice segnalazione',
      ).replace('sent_at,author_email,body', 'Data,Mittente,Testo'),
    });
    expect(proposal?.mapping).toMatchObject({
      tables: { tickets: { key: 'Codice' }, messages: { key: 'Codice segnalazione' } },
      ticket: { assignee: { email: 'Operatore' } },
      messages: [{ isInternal: { column: 'Nota interna', map: { No: false, Sì: true } } }],
    });
  });

  it('by another id than the one that people know: a key that a warehouse made', async () => {
    const sk = (n: number) => `${n + 7}f00aa`;
    const proposal = await proposalFor({
      'fct_tickets.csv': `ticket_sk,${tickets('assigned_to', agentOf)
        .trim()
        .split('\n')
        .map((line, row) => (row === 0 ? line : `${sk(row - 1)},${line}`))
        .join('\n')}\n`,
      'fct_comments.csv': `ticket_sk,sent_at,author_email,body\n${people
        .flatMap((name, n) => [
          `${sk(n)},${at(n, 9)},${mail(name)},${text(n, 0)}`,
          `${sk(n)},${at(n, 10)},${agentOf(n)},${text(n, 1)}`,
        ])
        .join('\n')}\n`,
    });
    expect(proposal?.mapping['tables']).toMatchObject({
      tickets: { key: 'ticket_id' },
      messages: { role: 'child', key: 'ticket_sk', parentKey: 'ticket_sk' },
    });
  });

  it('ids of a database of documents are ids', async () => {
    const lines = people.map((name, n) =>
      JSON.stringify({
        _id: { $oid: `65f0000000000000000000${10 + n}` },
        title: `Late parcel ${n}`,
        state: 'open',
        customer: { email: mail(name) },
        createdAt: { $date: at(n, 8) },
        replies: [{ _id: { $oid: `a${n}` }, at: { $date: at(n, 9) }, by: mail(name), text: text(n, 0) }],
      }),
    );
    const proposal = await proposalFor({ 'tickets.json': `${lines.join('\n')}\n` });
    expect(proposal?.mapping['tables']).toMatchObject({ tickets: { role: 'root', key: '_id.$oid' } });
  });
});

describe('rows that name another row as their ticket are not taken for tickets without a question', () => {
  const asked = async (extra: string, cell: (n: number) => string) =>
    (await proposalFor({ 'tickets.csv': tickets(extra, cell) }))?.doubts
      .filter(({ code }) => code === 'unsure-tickets')
      .map(({ message }) => message);

  it('tickets that were merged', async () => {
    expect(await asked('merged_into', (n) => (n % 8 === 3 ? String(5000 + (n - 1) * 7) : ''))).toEqual([
      'Rows of tickets.csv name another row of it in "merged_into" (3 of the first 24; 5021 names 5014), and each is read as a ticket of its own.',
    ]);
  });

  it('messages among the tickets', async () => {
    const rows = people.flatMap((name, n) => [
      `ticket,${100 + n * 10},,Late parcel ${n},open,${mail(name)},,${at(n, 8)}`,
      `message,${101 + n * 10},${100 + n * 10},,,${mail(name)},${text(n, 0)},${at(n, 9)}`,
      `note,${102 + n * 10},${100 + n * 10},,,${agentOf(n)},${text(n, 1)},${at(n, 10)}`,
    ]);
    const proposal = await proposalFor({
      'all.csv': `type,id,ticket_id,subject,status,from,body,created_at\n${rows.join('\n')}\n`,
    });
    expect(proposal?.doubts.map(({ code }) => code)).toContain('unsure-tickets');
  });

  it('not where a ticket only mentions another, nor where the number is of another system', async () => {
    expect(await asked('related_ticket', (n) => (n % 8 === 3 ? String(5000 + (n - 1) * 7) : ''))).toEqual([]);
    expect(await asked('parent_ticket', (n) => (n % 8 === 3 ? String(5000 + (n - 1) * 7) : ''))).toEqual([]);
    expect(await asked('legacy_ticket_no', (n) => String(90 + n))).toEqual([]);
  });
});
