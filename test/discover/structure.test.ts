/** What a proposal tells from the structure of an export, where names say nothing or the wrong thing. */
import { describe, expect, it } from 'vitest';
import type { Proposal } from '../../src/discover/propose/proposal.ts';
import { proposalFor } from './support.ts';

const people = ['Ana Ruiz', 'Bo Lind', 'Cleo Marsh', 'Dirk Voss', 'Eva Koch', 'Finn Berg'];
const mail = (name: string) => `${name.toLowerCase().replace(' ', '.')}@example.org`;
const at = (n: number, hour: number) =>
  `2024-05-${String(n + 1).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;
const said = (n: number) =>
  `Hello: order A-${7000 + 13 * n} has not arrived and nobody answers the phone number ${n}.`;

const mappingOf = (proposal: Proposal | undefined) =>
  (proposal?.mapping ?? {}) as {
    tables: Record<string, Record<string, unknown>>;
    ticket: Record<string, unknown>;
    messages: Record<string, unknown>[];
  };

/** Tickets in one table, their messages in another, columns called c1, c2, … */
function nameless(): Record<string, string> {
  const tickets = people.map(
    (name, n) =>
      `${4001 + n * 3},Order A-${7000 + 13 * n} is late,${['open', 'pending', 'closed'][n % 3]},${['high', 'low', 'normal'][n % 3]},${mail(name)},${n % 2 === 0 ? 'greta@example.com' : 'paul@example.com'},${at(n, 8)},${n % 3 === 2 ? at(n, 20) : ''}`,
  );
  const messages = people.flatMap((name, n) => [
    `9${n}01,${4001 + n * 3},${mail(name)},${said(n)},true,${at(n, 8)}`,
    `9${n}02,${4001 + n * 3},${n % 2 === 0 ? 'greta@example.com' : 'paul@example.com'},Thank you: it leaves the warehouse number ${n} today and is with you soon.,${n % 3 !== 0},${at(n, 9)}`,
    `9${n}03,${4001 + n * 3},${n % 2 === 0 ? 'greta@example.com' : 'paul@example.com'},It has left the warehouse number ${n} and will be there tomorrow.,true,${at(n, 12)}`,
  ]);
  return {
    'a.csv': `c1,c2,c3,c4,c5,c6,c7,c8\n${tickets.join('\n')}\n`,
    'b.csv': `d1,d2,d3,d4,d5,d6\n${messages.join('\n')}\n`,
  };
}

describe('columns whose names say nothing', () => {
  it('are told by their values and by how these go together', async () => {
    const { tables, ticket, messages } = mappingOf(await proposalFor(nameless()));
    expect(tables['tickets']).toMatchObject({ role: 'root', key: 'c1' });
    expect(tables['messages']).toMatchObject({ role: 'child', key: 'd2' });
    expect(ticket).toMatchObject({
      status: { column: 'c3' },
      priority: { column: 'c4' },
      createdAt: 'c7',
      closedAt: 'c8',
      requester: { email: 'c5' },
      assignee: { email: 'c6' },
    });
    expect(ticket['subject']).toEqual(expect.arrayContaining(['c2']));
    expect(messages).toMatchObject([
      { content: 'd4', occurredAt: 'd6', author: { email: 'd3' }, isInternal: { column: 'd5' } },
    ]);
  });

  it('are asked, each with what it was taken for', async () => {
    const proposal = await proposalFor(nameless());
    expect(proposal?.doubts).toMatchObject([{ code: 'guessed-columns' }, { code: 'unsure-author' }]);
    expect(proposal?.doubts[0]?.message).toContain('c2 as subject (Order A-7000 is late)');
  });

  it('are not asked where the others have names', async () => {
    const { doubts } = (await proposalFor({
      't.csv': `id,subject,status,created_at,requester_email,zz\n${people.map((name, n) => `${n},Late ${n},open,${at(n, 8)},${mail(name)},x${n}`).join('\n')}\n`,
    })) ?? { doubts: undefined };
    expect(doubts).toEqual([]);
  });
});

describe('records of several kinds in one file', () => {
  const lines = (wrap: (kind: string, record: object) => object) =>
    `${people
      .flatMap((name, n) => [
        wrap('ticket', {
          id: 1041 + n,
          subject: `Late ${n}`,
          status: 'open',
          requester: mail(name),
          created_at: at(n, 8),
        }),
        wrap('comment', { ticket_id: 1041 + n, author: mail(name), body: said(n), sent_at: at(n, 8) }),
      ])
      .map((line) => JSON.stringify(line))
      .join('\n')}\n`;

  it.each([
    ['wrapped', lines((type, data) => ({ type, data })), { where: { column: 'type' }, unwrap: 'data' }],
    ['flat', lines((kind, record) => ({ kind, ...record })), { where: { column: 'kind' } }],
  ])('are tables of their own: %s', async (_, text, recognise) => {
    const { tables, messages } = mappingOf(await proposalFor({ 'export.jsonl': text }));
    expect(tables['tickets']).toMatchObject({ key: 'id', recognise });
    expect(tables['messages']).toMatchObject({ role: 'child', key: 'ticket_id', recognise });
    expect(messages).toMatchObject([{ from: 'messages', content: 'body' }]);
  });

  it('a field of a few words in records of one kind makes no kinds', async () => {
    const text = people.map((name, n) => ({
      id: 1041 + n,
      type: n % 2 === 0 ? 'question' : 'problem',
      subject: `Late ${n}`,
      status: 'open',
      requester: mail(name),
      created_at: at(n, 8),
    }));
    const { tables } = mappingOf(
      await proposalFor({ 'tickets.jsonl': `${text.map((line) => JSON.stringify(line)).join('\n')}\n` }),
    );
    expect(JSON.stringify(tables)).not.toContain('where');
  });
});

describe('people', () => {
  it('are looked up in all tables of people there are, whatever these are called', async () => {
    const { tables } = mappingOf(
      await proposalFor({
        'chamados.csv': `id,assunto,status,cliente_id,agente_id,criado_em\n${people.map((_, n) => `${n + 1},Pedido ${n},aberto,${500 + n},${900 + (n % 2)},${at(n, 8)}`).join('\n')}\n`,
        'quem.csv': `id,nome,email\n${people.map((name, n) => `${500 + n},${name},${mail(name)}`).join('\n')}\n`,
        'equipe.csv': `id,nome,email\n900,Greta Weber,greta@example.com\n901,Paul Brandt,paul@example.com\n`,
      }),
    );
    expect(Object.values(tables).filter(({ role }) => role === 'lookup')).toHaveLength(2);
  });
});

describe('single values', () => {
  const withColumn = async (name: string, values: readonly string[]) =>
    mappingOf(
      await proposalFor({
        't.csv': `id,subject,status,created_at,requester_email,${name}\n${people.map((person, n) => `${n},Late ${n},open,${at(n, 8)},${mail(person)},"${values[n] ?? ''}"`).join('\n')}\n`,
      }),
    );

  it('tags with spaces between are told from tags of several words', async () => {
    expect(
      (await withColumn('tags', ['vip api', 'api', 'refund vip', 'vip', '', 'api refund'])).ticket['tags'],
    ).toMatchObject({ split: ' ' });
    const often = ['needs reply', 'needs info', 'needs reply', 'needs reply', 'needs info', 'needs reply'];
    expect((await withColumn('tags', often)).ticket['tags']).toMatchObject({ split: ';' });
    const seldom = ['needs reply', 'needs info', 'needs refund', 'needs reply', '', ''];
    expect((await withColumn('tags', seldom)).ticket['tags']).toMatchObject({ split: 'TODO' });
  });

  it('\\n as two characters is a line break where no text has another', async () => {
    const texts = people.map((_, n) => `Hello,\\n\\norder ${n} is late.\\nThanks`);
    expect((await withColumn('description', texts)).messages).toMatchObject([
      { content: { column: 'description', as: 'line-breaks' } },
    ]);
    const broken = texts.map((text, n) => (n === 0 ? 'Hello,\n\nit is late.\nThanks' : text));
    expect((await withColumn('description', broken)).messages).toMatchObject([{ content: 'description' }]);
  });

  it('seconds, milliseconds and microseconds are times', async () => {
    for (const unit of [1, 1e3, 1e6])
      expect(
        (
          await withColumn(
            'closed_at',
            people.map((_, n) => String((1_714_000_000 + n * 90_000) * unit)),
          )
        ).ticket,
      ).toMatchObject({ closedAt: 'closed_at' });
  });
});

describe('a person is one person', () => {
  it('whatever the columns name them by: a number in the ticket, an address in its messages', async () => {
    const customers = people.map((name, n) => `${101 + n},${name},${mail(name)}`);
    const proposal = await proposalFor({
      'tickets.csv': `ticket_id,subject,status,customer_id,agent_id,created_at\n${people.map((_, n) => `${5000 + n * 7},Order ${n} is late,open,${101 + n},${(n % 2) + 1},${at(n, 8)}`).join('\n')}\n`,
      'messages.csv': `ticket_id,sent_at,sender,body\n${people.flatMap((name, n) => [`${5000 + n * 7},${at(n, 8)},${mail(name)},${said(n)}`, `${5000 + n * 7},${at(n, 9)},${n % 2 === 0 ? 'greta@example.com' : 'paul@example.com'},It leaves the warehouse number ${n} today.`]).join('\n')}\n`,
      'customers.csv': `customer_id,name,e_mail\n${customers.join('\n')}\n`,
      'agents.csv': 'agent_id,name,e_mail\n1,Greta Holm,greta@example.com\n2,Paul Ney,paul@example.com\n',
    });
    const {
      ticket,
      messages,
      people: tables,
    } = mappingOf(proposal) as ReturnType<typeof mappingOf> & {
      people: Record<string, { table: string; key?: string; role?: unknown }>;
    };
    const { person: author } = messages[0]!['author'] as { person: string[] };
    expect(author.map((name) => tables[name])).toMatchObject([
      { table: 'customers', role: { const: 'customer' } },
      { table: 'agents', role: { const: 'agent' } },
    ]);
    expect(ticket['requester']).toMatchObject({ person: 'customers', id: 'customer_id' });
    const { person } = ticket['assignee'] as { person: string };
    expect([tables[person]?.table, tables[person]?.key ?? 'agent_id']).toEqual(['agents', 'agent_id']);
    expect(proposal?.doubts).toEqual([]);
  });
});

describe('fields of a ticket that stand in the first row of it alone', () => {
  it('are its fields, and no question', async () => {
    const rows = people.flatMap((name, n) => [
      `${5000 + n * 7},Order ${n} is late,${['open', 'closed'][n % 2]},${mail(name)},${at(n, 8)},customer,${said(n)}`,
      `${5000 + n * 7},,,,${at(n, 9)},agent,It leaves the warehouse number ${n} today.`,
      `${5000 + n * 7},,,,${at(n, 10)},customer,Thank you very much for number ${n}!`,
    ]);
    const proposal = await proposalFor({
      'rows.csv': `ticket_id,subject,status,requester_email,sent_at,role,body\n${rows.join('\n')}\n`,
    });
    const { tables, ticket } = mappingOf(proposal);
    expect(tables['tickets']).toMatchObject({ role: 'group', key: 'ticket_id' });
    expect(ticket).toMatchObject({
      subject: expect.arrayContaining(['subject']),
      status: { column: 'status' },
      requester: { email: 'requester_email' },
    });
    expect(proposal?.doubts).toEqual([]);
  });
});

describe('kinds of records in one stream', () => {
  it('of nearly the same fields are one table', async () => {
    const lines = people.flatMap((name, n) => [
      { type: 'customer', id: 101 + n, name, email: mail(name) },
      {
        type: 'ticket',
        id: 5000 + n * 7,
        subject: `Order ${n} is late`,
        status: 'open',
        customer_id: 101 + n,
        created_at: at(n, 8),
      },
      {
        type: 'reply',
        ticket_id: 5000 + n * 7,
        author_type: 'customer',
        author_id: 101 + n,
        text: said(n),
        created_at: at(n, 8),
      },
      {
        type: 'note',
        ticket_id: 5000 + n * 7,
        author_type: 'agent',
        author_id: 7,
        text: `The carrier lost number ${n}.`,
        created_at: at(n, 9),
      },
    ]);
    const agent = { type: 'agent', id: 7, name: 'Greta Holm', email: 'greta@example.com' };
    const proposal = await proposalFor({
      'all.ndjson': `${[agent, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`,
    });
    const { tables, ticket, messages } = mappingOf(proposal);
    const kinds = Object.values(tables).map(
      ({ recognise }) => (recognise as { where: { in: string[] } }).where.in,
    );
    expect(kinds.map((words) => words.toSorted())).toEqual(
      expect.arrayContaining([['ticket'], ['note', 'reply'], ['agent', 'customer']]),
    );
    expect(ticket).toMatchObject({ requester: { id: 'customer_id' } });
    expect(messages).toMatchObject([{ content: 'text', isInternal: { column: 'type' } }]);
  });
});

describe('rows of a join', () => {
  it('are the messages of the tickets whose columns they repeat, though each has an id of its own', async () => {
    const rows = people.flatMap((name, n) => [
      `${5000 + n * 7},Order ${n} is late,${['open', 'closed'][n % 2]},${mail(name)},${90_000 + 2 * n},${at(n, 8)},${mail(name)},end-user,${said(n)},t`,
      `${5000 + n * 7},Order ${n} is late,${['open', 'closed'][n % 2]},${mail(name)},${90_001 + 2 * n},${at(n, 9)},greta@example.com,agent,It leaves the warehouse number ${n} today.,f`,
    ]);
    const { tables, ticket, messages } = mappingOf(
      await proposalFor({
        'q.csv': `t_id,t_subject,t_status_name,requester_email,m_id,m_created_at,m_author_email,m_author_role,m_body,m_is_public\n${rows.join('\n')}\n`,
      }),
    );
    expect(tables['tickets']).toMatchObject({ role: 'group', key: 't_id' });
    expect(ticket).toMatchObject({
      status: { column: 't_status_name' },
      requester: { email: 'requester_email' },
    });
    expect(messages).toMatchObject([
      {
        content: 'm_body',
        author: { email: 'm_author_email' },
        isInternal: { column: 'm_is_public', map: { t: false, f: true } },
      },
    ]);
  });

  it('are tickets where what they repeat is a customer', async () => {
    const rows = people.flatMap((name, n) =>
      [0, 1].map(
        (k) =>
          `${7000 + 2 * n + k},${101 + n},${mail(name)},Order ${n}-${k} is late,open,${at(n, 8 + k)},${said(2 * n + k)}`,
      ),
    );
    const { tables } = mappingOf(
      await proposalFor({
        'q.csv': `ref_id,customer_id,customer_email,subject,status,created_at,body\n${rows.join('\n')}\n`,
      }),
    );
    expect(tables['tickets']).toMatchObject({ role: 'root', key: 'ref_id' });
  });
});

describe('a text for the team alone', () => {
  const rows = people.map(
    (name, n) =>
      `${5000 + n * 7},${at(n, 8)},${mail(name)},${said(n)},It leaves the warehouse number ${n} today.,greta@example.com,${n % 2 === 0 ? `The customer of ${n} has called twice: be quick and friendly with everything here.` : ''},${n % 2 === 0 ? 'open' : 'closed'}`,
  );
  it.each(['Internal remark', 'work_notes', 'Interne Notiz'])('is an internal note: %s', async (name) => {
    const proposal = await proposalFor({
      'faq.csv': `Ticket,Date,Customer e-mail,Question,Answer,Answered by,${name},Status\n${rows.join('\n')}\n`,
    });
    expect(mappingOf(proposal).messages).toMatchObject([
      { content: 'Question', actorType: { const: 'customer' } },
      { content: 'Answer', actorType: { const: 'agent' }, author: { email: 'Answered by' } },
      { content: name, actorType: { const: 'agent' }, isInternal: { const: true } },
    ]);
    expect(proposal?.doubts).toEqual([]);
  });
});

describe('mails as rows of their conversation', () => {
  it('have the subject of the first one, whatever mail programs write before those of answers', async () => {
    const rows = people.flatMap((name, n) => [
      `thr_${5000 + n * 7},${at(n, 8)},${mail(name)},customer,Order ${n} is late,${said(n)}`,
      `thr_${5000 + n * 7},${at(n, 9)},greta@example.com,agent,Re: Order ${n} is late,It leaves the warehouse number ${n} today.`,
      `thr_${5000 + n * 7},${at(n, 10)},${mail(name)},customer,AW: Re: Order ${n} is late,Thank you very much for number ${n}!`,
    ]);
    const { tables, ticket } = mappingOf(
      await proposalFor({ 'mails.csv': `thread_id,date,from,role,subject,body\n${rows.join('\n')}\n` }),
    );
    expect(tables['tickets']).toMatchObject({ role: 'group', key: 'thread_id' });
    expect(ticket['subject']).toEqual(expect.arrayContaining(['subject']));
  });
});

describe('a conversation of typed messages', () => {
  const proposal = () =>
    proposalFor({
      'conv.jsonl': `${people
        .map((name, n) =>
          JSON.stringify({
            id: 5000 + n * 7,
            subject: `Order ${n} is late`,
            status: n % 2 === 0 ? 'open' : 'closed',
            priorityScore: 10 * n + 3,
            customer: { email: mail(name), first: name.split(' ')[0], last: name.split(' ')[1] },
            createdAt: at(n, 8),
            threads: [
              {
                type: 'customer',
                createdBy: { email: mail(name), type: 'customer' },
                body: said(n),
                createdAt: at(n, 8),
              },
              {
                type: 'note',
                createdBy: { email: 'greta@example.com', type: 'user' },
                body: `The carrier lost number ${n}.`,
                createdAt: at(n, 9),
              },
              {
                type: 'message',
                createdBy: { email: 'greta@example.com', type: 'user' },
                body: `It leaves the warehouse number ${n} today.`,
                createdAt: at(n, 10),
              },
            ],
          }),
        )
        .join('\n')}\n`,
    });

  it('is asked which kinds are internal, and who the user beside the customer is', async () => {
    const { messages } = mappingOf(await proposal());
    expect(messages).toMatchObject([
      {
        actorType: { column: 'createdBy.type', map: { customer: 'customer', user: 'TODO' } },
        isInternal: { column: 'type', map: { customer: false, message: false, note: 'TODO' } },
      },
    ]);
  });

  it('has people by their whole name, and no score for a priority', async () => {
    const { ticket } = mappingOf(await proposal());
    expect(ticket['requester']).toEqual({
      email: 'customer.email',
      name: { template: '{customer.first} {customer.last}' },
    });
    expect(ticket['priority']).toBeUndefined();
  });
});

describe('versions of tickets', () => {
  it('are one ticket with the last of its states, and its comments join', async () => {
    const tickets = people.flatMap((name, n) =>
      ['open', 'pending', 'pending', 'closed'].map(
        (status, k) =>
          `${5000 + n * 7},${at(n, 8 + k)},Order ${n} is late,${status},${mail(name)},${at(n, 7)}`,
      ),
    );
    const comments = people.map((name, n) => `${n + 1},${5000 + n * 7},${mail(name)},${said(n)},${at(n, 8)}`);
    const { tables, messages } = mappingOf(
      await proposalFor({
        'tickets.csv': `id,updated_at,subject,status,requester_email,created_at\n${tickets.join('\n')}\n`,
        'ticket_comments.csv': `id,ticket_id,author_email,body,created\n${comments.join('\n')}\n`,
      }),
    );
    expect(tables['tickets']).toMatchObject({ role: 'root', key: 'id', latest: 'updated_at' });
    expect(messages).toMatchObject([{ from: expect.any(String), content: 'body' }]);
  });
});

describe('messages in files called by their ticket', () => {
  it('join by the name of the file', async () => {
    const threads = people.map((name, n) => [
      `${n + 1}.json`,
      JSON.stringify([
        { from: mail(name), at: at(n, 8), message: said(n) },
        { from: 'greta@example.com', at: at(n, 9), message: `It leaves the warehouse number ${n} today.` },
      ]),
    ]);
    const { tables, messages } = mappingOf(
      await proposalFor({
        'tickets.csv': `ref,title,status,mail,opened\n${people.map((name, n) => `${n + 1},Order ${n} is late,open,${mail(name)},${at(n, 8)}`).join('\n')}\n`,
        ...Object.fromEntries(threads),
      }),
    );
    expect(tables['messages']).toMatchObject({ role: 'child', key: '(file)' });
    expect(messages).toMatchObject([{ from: 'messages', content: 'message', author: { email: 'from' } }]);
  });
});

describe('a history beside tickets and messages', () => {
  it('is not what messages belong to, though it repeats the ids of the tickets', async () => {
    const history = people.flatMap((name, n) => [
      `${5000 + n * 7},${at(n, 8)},open,${mail(name)}`,
      ...(n % 2 === 0 ? [`${5000 + n * 7},${at(n, 9)},closed,greta@example.com`] : []),
    ]);
    const { tables, messages } = mappingOf(
      await proposalFor({
        'messages.csv': `ticket_id,sender,sent_at,content\n${people.map((name, n) => `${5000 + n * 7},${mail(name)},${at(n, 8)},${said(n)}`).join('\n')}\n`,
        'status_history.csv': `ticket_id,changed_at,new_status,changed_by\n${history.join('\n')}\n`,
        'tickets.csv': `ticket_id,subject,requester,created_at\n${people.map((name, n) => `${5000 + n * 7},Order ${n} is late,${mail(name)},${at(n, 8)}`).join('\n')}\n`,
      }),
    );
    expect(tables['tickets']).toMatchObject({ role: 'root', key: 'ticket_id' });
    expect(messages).toMatchObject([{ from: 'messages', content: 'content' }]);
  });
});

describe('two columns of a case, what either side says', () => {
  it('are its messages, with the agent who said it, and a dash says nothing', async () => {
    const rows = people.flatMap((name, n) => [
      `${5000 + n * 7},Order ${n} is late,open,${mail(name)},${said(n)},-,N/A,${at(n, 8)}`,
      `${5000 + n * 7},Order ${n} is late,open,${mail(name)},-,It leaves the warehouse number ${n} today; please wait a little.,greta@example.com,${at(n, 9)}`,
    ]);
    const { tables, messages } = mappingOf(
      await proposalFor({
        'log.csv': `Case,Subject,State,Customer,Customer says,Agent says,Agent,When\n${rows.join('\n')}\n`,
      }),
    );
    expect(tables['tickets']).toMatchObject({ role: 'group', key: 'Case' });
    expect(messages).toMatchObject([
      { content: 'Customer says', actorType: { const: 'customer' }, author: { email: 'Customer' } },
      { content: 'Agent says', actorType: { const: 'agent' }, author: { email: 'Agent' } },
    ]);
  });
});

describe('two columns of logins, of which each message fills one', () => {
  it('are looked up in the table of people, as the one in charge is', async () => {
    const login = (name: string) => `${name.toLowerCase().replaceAll(' ', '')}55`;
    const agents = ['gebert02', 'rduarte04'];
    const rows = people.flatMap((name, n) => {
      const agent = agents[n % 2];
      const about = `${5000 + n * 7},Order ${n} is late,${n % 3 === 0 ? 'open' : 'closed'},${agent},${at(n, 7)}`;
      return [
        `${about},${login(name)},,${said(n)},${at(n, 8)}`,
        `${about},,${agent},It leaves the warehouse number ${n} today.,${at(n, 9)}`,
        `${about},${login(name)},,Thank you for the answer number ${n}.,${at(n, 10)}`,
      ];
    });
    const users = [
      ...people.map((name) => `${login(name)},${name},${mail(name)}`),
      ...agents.map((name) => `${name},Somebody,${name}@team.example`),
    ];
    const { messages, ticket } = mappingOf(
      await proposalFor({
        'messages.csv': `ticket_id,subject,status,assignee,created_at,by_customer,by_agent,body,sent_at\n${rows.join('\n')}\n`,
        'users.csv': `login,name,email\n${users.join('\n')}\n`,
      }),
    );
    expect(messages).toMatchObject([{ author: { person: ['users'], id: ['by_customer', 'by_agent'] } }]);
    expect(ticket['requester']).toMatchObject({ person: ['users'] });
  });
});

describe('fields that stand where few look for them', () => {
  const head = 'id,subject,status,requester_email,created_at';
  const row = (n: number, name: string) =>
    `${4001 + n},Order A-${7000 + 13 * n} is late,${['open', 'pending', 'closed'][n % 3]},${mail(name)},${at(n, 8)}`;
  const table = (columns: string, cells: (n: number) => string) => ({
    'tickets.csv': `${head},${columns}\n${people.map((name, n) => `${row(n, name)},${cells(n)}`).join('\n')}\n`,
  });
  const fields = async (columns: string, cells: (n: number) => string) =>
    mappingOf(await proposalFor(table(columns, cells))).ticket;

  it('a tag in each of several columns with a number', async () => {
    const ticket = await fields('tag_1,tag_2,tag_3', (n) => `billing,${n % 2 === 0 ? 'vip' : ''},`);
    expect(ticket['tags']).toEqual({ template: '{tag_1};{tag_2};{tag_3}', split: ';' });
  });

  it.each([
    ['words between slashes', 'billing / vip', { column: 'tags', split: '/\\s[/·•>]\\s/' }],
    ['an array of a database', '"{billing,vip}"', { column: 'tags', split: 'list' }],
  ])('tags as %s', async (_, written, rule) => {
    expect((await fields('tags', (n) => (n % 2 === 0 ? written : 'vip')))['tags']).toEqual(rule);
  });

  it('a person as a name with an address in brackets', async () => {
    const ticket = await fields(
      'assignee',
      (n) => ['Eva Koch (eva@example.com)', 'Bo Ek (bo@example.com)'][n % 2] ?? '',
    );
    expect(ticket['assignee']).toEqual({
      email: { column: 'assignee', as: 'email' },
      name: { column: 'assignee', as: 'name' },
    });
  });

  it('who was in charge first is not who is', async () => {
    const ticket = await fields('first_assignee,assignee_email', (n) =>
      n % 2 === 0 ? 'Eva Koch,bo@example.com' : 'Bo Ek,eva@example.com',
    );
    expect(ticket['assignee']).toEqual({ email: 'assignee_email' });
  });

  it('a row of totals is left out', async () => {
    const files = table('priority', (n) => ['high', 'low', 'normal'][n % 3] ?? '');
    const text = `${files['tickets.csv']}Total,6,,,,\n`;
    expect((await proposalFor({ 'tickets.csv': text }))?.mapping['exclude']).toEqual([
      { when: { column: 'id', in: ['Total'] }, reason: 'a row of totals in the source' },
    ]);
  });

  it('tickets that are known by a link', async () => {
    const files = table('priority', () => 'low');
    const text = (files['tickets.csv'] ?? '').replace(/^(\d{4})/gm, 'https://desk.example.com/tickets/$1');
    expect(mappingOf(await proposalFor({ 'tickets.csv': text })).tables['tickets']).toMatchObject({
      key: 'id',
    });
  });

  it('a state of yes and no is asked value by value', async () => {
    const files = table('priority', () => 'low');
    const text = (files['tickets.csv'] ?? '').replace(
      /,(open|pending|closed),/g,
      (_, word) => `,${word !== 'closed'},`,
    );
    const proposal = await proposalFor({ 'tickets.csv': text });
    expect(proposal?.mapping['maps']).toMatchObject({ status: { values: { true: 'TODO', false: 'TODO' } } });
  });
});

describe('an array of records in an object each', () => {
  it('is a table of these', async () => {
    const tickets = people.map((name, n) => ({
      ticket: {
        id: 4001 + n,
        subject: `Order A-${7000 + 13 * n} is late`,
        status: 'open',
        requester_email: mail(name),
        description: said(n),
      },
    }));
    const { tables } = mappingOf(await proposalFor({ 'tickets.json': JSON.stringify(tickets) }));
    expect(tables['tickets']).toMatchObject({ key: 'id', recognise: { unwrap: 'ticket' } });
    expect(tables['tickets']?.['recognise']).not.toHaveProperty('path');
  });

  it('so are the nodes of edges', async () => {
    const edges = people.map((name, n) => ({
      cursor: `c${n}`,
      node: {
        id: 4001 + n,
        subject: `Order A-${7000 + 13 * n} is late`,
        status: 'open',
        requester_email: mail(name),
        description: said(n),
      },
    }));
    const { ticket } = mappingOf(
      await proposalFor({ 'tickets.json': JSON.stringify({ data: { tickets: { edges } } }) }),
    );
    expect(ticket).toMatchObject({ status: { column: 'status' }, requester: { email: 'requester_email' } });
  });
});

describe('who may see a message, in words of the house', () => {
  it('is asked word by word where the column says what it is', async () => {
    const rows = people.flatMap((name, n) => [
      `${4001 + n},Order A-${7000 + 13 * n} is late,open,${mail(name)},${mail(name)},customer,${said(n)},everyone,${at(n, 8)}`,
      `${4001 + n},Order A-${7000 + 13 * n} is late,open,${mail(name)},eva@example.com,agent,The warehouse number ${n} has lost it again.,team only,${at(n, 9)}`,
    ]);
    const { messages } = mappingOf(
      await proposalFor({
        'messages.csv': `ticket_id,subject,status,requester_email,author_email,author_type,body,visibility,sent_at\n${rows.join('\n')}\n`,
      }),
    );
    expect(messages[0]?.['isInternal']).toEqual({
      column: 'visibility',
      map: { everyone: 'TODO', 'team only': 'TODO' },
    });
  });
});

describe('columns without a name for what was not found', () => {
  it('are asked for the field that they could hold', async () => {
    const rows = people.map(
      (name, n) =>
        `${4001 + n},Order A-${7000 + 13 * n} is late,${['open', 'pending', 'closed'][n % 3]},${mail(name)},${said(n)},${at(n, 8)},${['L', 'M', 'H'][n % 3]}`,
    );
    const proposal = await proposalFor({ 'a.csv': `c1,c2,c3,c4,c5,c6,c7\n${rows.join('\n')}\n` });
    expect(proposal?.doubts.find(({ code }) => code === 'unsure-priority')?.message).toContain(
      'No column was found for the priority, and nothing reads "c7" (L)',
    );
  });
});
