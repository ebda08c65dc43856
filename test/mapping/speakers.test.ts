/** Who speaks: decided once for a person, in every layout; and a first text that is there twice is imported once. */
import { describe, expect, it } from 'vitest';
import type { MappingSettings } from '../../src/mapping/compile/compile-layout.ts';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { layoutFrom, mapExport, type Texts } from './support/map-export.ts';

const SETTINGS: Partial<MappingSettings> = {
  timezone: 'UTC',
  fallbackAgent: 'agt_0',
  customersWithoutEmail: { synthesize: 'import.example' },
};

/** Role, address and visibility of each message of the first ticket; and the warnings of the whole export. */
async function spoken(texts: Texts, settings: Partial<MappingSettings> = {}) {
  const { tickets, mapper } = await mapExport(texts, builtinLayouts(), { ...SETTINGS, ...settings });
  const messages = tickets[0]?.messages.map(({ value }) => {
    const { email } = (value['contact'] ?? {}) as { email?: string };
    return [
      value['actorType'],
      email ?? value['agentId'],
      value['isInternal'] === true ? 'internal' : 'public',
    ].join(' ');
  });
  return { messages, problems: [...(tickets[0]?.problems ?? []), ...mapper.problems()] };
}

const json = JSON.stringify;
const AT = '2024-03-01T08:00:00Z';
const LATER = '2024-03-01T09:00:00Z';

/** A former agent, who is an end user today, answers in ticket 1; `WHO` is assigned to ticket 2. */
const USERS = 'id,email,name,role\n9,kay@example.org,Kay,end-user\n14,lee@team.example,Lee,end-user\n';
const KAY = '{"accountId":"kay","emailAddress":"kay@example.org"}';
const LEE = '{"accountId":"14","emailAddress":"lee@team.example"}';
const FORMER: Readonly<Record<string, Texts>> = {
  zendesk: {
    't.csv': `id,subject,description,requester_id,submitter_id,assignee_id,via,status,created_at\n1,a,x,9,9,,web,open,${AT}\n2,a,x,9,9,WHO,web,open,${AT}\n`,
    'c.jsonl': `{"id":5,"ticket_id":1,"author_id":14,"body":"y","public":true,"created_at":"${AT}"}\n`,
    'u.csv': USERS,
  },
  'zendesk-tables': {
    't.csv': `id,subject,description,requester_id,submitter_id,assignee_id,via_channel,status,created_at\n1,a,x,9,9,,web,open,${AT}\n2,a,x,9,9,WHO,web,open,${AT}\n`,
    'c.csv': `id,ticket_id,user_id,body,created,public\n5,1,14,y,${AT},true\n`,
    'u.csv': USERS,
  },
  'freshdesk-v1': {
    't1.json': `{"helpdesk_ticket":{"id":1,"display_id":1,"subject":"a","description":"x","description_html":"x","requester_id":9,"responder_id":null,"status_name":"Open","priority_name":"Low","created_at":"${AT}","notes":[{"note":{"id":5,"body":"y","user_id":14,"private":false,"created_at":"${AT}"}}]}}`,
    't2.json': `{"helpdesk_ticket":{"id":2,"display_id":2,"subject":"a","description":"x","description_html":"x","requester_id":9,"responder_id":"WHO","status_name":"Open","priority_name":"Low","created_at":"${AT}","notes":[]}}`,
    'c.json': `[{"user":{"id":9,"email":"kay@example.org","name":"Kay","helpdesk_agent":false}},{"user":{"id":14,"email":"lee@team.example","name":"Lee","helpdesk_agent":false}}]`,
  },
  jira: {
    'i.jsonl': `{"id":"1","key":"S-1","fields":{"summary":"a","description":"x","issuetype":{},"status":{"name":"Open"},"created":"${AT}","reporter":${KAY},"comment":{"comments":[{"id":"5","body":"y","author":${LEE},"created":"${AT}","jsdPublic":true}]}}}
{"id":"2","key":"S-2","fields":{"summary":"a","description":"x","issuetype":{},"status":{"name":"Open"},"created":"${AT}","reporter":${KAY},"assignee":{"accountId":"WHO"},"comment":{"comments":[]}}}`,
  },
};
const former = (name: string, who: string): Texts =>
  Object.fromEntries(
    Object.entries(FORMER[name] ?? {}).map(([file, text]) => [file, String(text).replace('WHO', who)]),
  );

describe('a former agent is an agent', () => {
  describe.each(Object.keys(FORMER))('%s', (name) => {
    it.each<[string, string, Partial<MappingSettings>]>([
      ['who is in charge of another ticket', '14', {}],
      ['who is listed by address', '', { agents: { 'lee@team.example': 'agt_lee' } }],
    ])('%s', async (_, who, settings) => {
      const { messages } = await spoken(former(name, who), settings);
      expect(messages?.at(-1)).toBe(`agent ${who === '' ? 'agt_lee' : 'agt_0'} public`);
    });
  });

  it.each(['zendesk', 'zendesk-tables'])(
    'and of %s an end user without any of this is none',
    async (name) => {
      const { messages } = await spoken(former(name, ''));
      expect(messages?.at(-1)).toBe('customer lee@team.example public');
    },
  );
});

describe('a Zendesk ticket', () => {
  const comments = (of: readonly object[]): Texts => ({
    ...former('zendesk', ''),
    'c.jsonl': of
      .map(
        (more, at) =>
          `${json({ id: at, ticket_id: 1, body: `y${at}`, public: false, created_at: AT, ...more })}\n`,
      )
      .join(''),
  });

  it('leaves the private comment of an end user to the end user, and says so once', async () => {
    const { messages, problems } = await spoken(
      comments([{ author_id: 14 }, { author_id: 14 }, { author_id: 9 }]),
    );
    expect(messages).toEqual([
      'customer lee@team.example internal',
      'customer lee@team.example internal',
      'customer kay@example.org internal',
    ]);
    expect(problems.filter(({ code }) => code === 'customers-notes')).toMatchObject([
      {
        count: 3,
        message: expect.stringContaining(
          '2 customers (lee@team.example, kay@example.org) wrote private comments',
        ),
      },
    ]);
  });

  it('gives a private comment of an unknown author to the team', async () => {
    expect((await spoken(comments([{ author_id: 99 }]))).messages?.at(-1)).toBe('agent agt_0 internal');
  });

  it.each([-1, '-1'])('has the author %j: Zendesk itself', async (author_id) => {
    const { messages } = await spoken(comments([{ author_id, public: true }, { author_id }]));
    expect(messages).toEqual(['system  public', 'system  internal']);
  });
});

describe('a deleted account', () => {
  const issue = { id: 1, number: 7, url: 'u/7', title: 'a', state: 'open', created_at: AT, body: 'x' };
  const said = (id: number, user: object | null) => ({
    id,
    issue_url: 'u/7',
    body: `Same here ${id}`,
    created_at: AT,
    user,
  });
  const ghost: Texts = {
    'i.json': json([{ ...issue, user: { login: 'kay' } }]),
    'c.json': json([said(9, null), said(10, { login: 'bo' })]),
  };

  it('is never the requester', async () => {
    expect((await spoken(ghost)).messages).toEqual([
      'customer customer-kay@import.example public',
      'customer customer-deleted-account-of-ticket-1@import.example public',
      'customer customer-bo@import.example public',
    ]);
  });

  it('is the requester of the ticket that it opened', async () => {
    const { messages } = await spoken({
      'i.json': json([
        { ...issue, user: null },
        { ...issue, id: 2, user: { login: 'kay' } },
      ]),
    });
    expect(messages).toEqual(['customer customer-of-ticket-1@import.example public']);
  });
});

it('a customer whose ID is also that of an agent in another table stays a customer', async () => {
  const layout = layoutFrom(`
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { file: 't*' } }
  contacts: { role: lookup, key: id, recognise: { file: 'c*' } }
people:
  contacts: { table: contacts, email: email, role: { const: customer } }
ticket: { subject: title, requester: { person: contacts, id: asker }, assignee: { id: owner } }
messages:
  - { content: body, author: { person: contacts, id: asker }, public: true }
`);
  const texts = {
    't.csv': 'id,title,asker,owner,body\n1,a,60,60,hi\n',
    'c.csv': 'id,email\n60,ann@example.org\n',
  };
  const { tickets } = await mapExport(texts, layout, { agents: { 60: 'agt_60' } });
  expect(tickets[0]?.messages[0]?.value).toMatchObject({
    actorType: 'customer',
    contact: { email: 'ann@example.org' },
  });
});

it.each([
  [false, ['customer kay@example.org public', 'agent agt_0 public']],
  [true, ['agent agt_0 public']],
])(
  'what a customer wrote by mail stays with a conversation: from a messaging channel %s',
  async (is, messages) => {
    const ticket = { id: 1, subject: 'a', description: 'My lamp', requester_id: 9, submitter_id: 9 };
    const author = { type: 'agent', 'zen:support:user_id': 14 };
    const answer = {
      id: 'm1',
      ticket_id: 1,
      type: 'Messaging::ConversationMessage',
      created_at: LATER,
      author,
    };
    const found = await spoken({
      'tickets.jsonl': json({
        ...ticket,
        from_messaging_channel: is,
        via: {},
        status: 'open',
        created_at: AT,
      }),
      'conversation_log.jsonl': json({ ...answer, content: { type: 'text', text: 'Hello' } }),
      'users.csv': USERS,
    });
    expect(found.messages).toEqual(messages);
  },
);

describe('a first text that repeats the first message in most tickets', () => {
  const said = (other: string) => ({ A: 'The lamp in our kitchen is broken.', B: other });
  const texts = (rows: readonly (readonly [first: string, message: string])[]): Texts => ({
    'ticket.csv': `id,title,body\n${rows.map(([first], id) => `${id},a,${first}\n`).join('')}`,
    'comment.csv': `ticket_id,text,public\n${rows.map(([, text], id) => `${id},${text},false\n`).join('')}`,
  });
  const layout = (use = '') =>
    layoutFrom(`
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { file: 't*' } }
  comments: { role: child, key: ticket_id, recognise: { file: 'c*' } }
ticket: { subject: title }
messages:
  - { content: body, actorType: { const: customer }${use}, public: true }
  - { from: comments, content: text, actorType: { const: agent }, public: true }
`);
  const { A, B } = said('It was the bulb.');

  it.each(['', ', use: unless-repeated', ', use: unless-first'])(
    'is dropped in every ticket%s',
    async (use) => {
      const { tickets, mapper } = await mapExport(
        texts([
          [A, A],
          [A, A],
          [A, 'Unsere Lampe geht nicht.'],
        ]),
        layout(use),
      );
      expect(tickets.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
      expect(mapper.loss().notHeld).toEqual([
        { what: 'first messages that the ticket repeats in other words', count: 1 },
      ]);
    },
  );

  it('is kept if it does not', async () => {
    const { tickets } = await mapExport(
      texts([
        [A, B],
        [A, B],
        [A, A],
      ]),
      layout(', use: unless-repeated'),
    );
    expect(tickets.map(({ messages }) => messages.length)).toEqual([2, 2, 1]);
  });

  it('is kept if the ticket has no other message', async () => {
    const { tickets } = await mapExport(
      texts([
        [A, A],
        [A, A],
        [A, ''],
      ]),
      layout(),
    );
    expect(tickets.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  });
});

/** A line of a Zendesk account export, with its people in it. */
const ann = { id: 1, name: 'Ann', email: 'ann@example.com', role: 'end-user' };
const carl = { id: 3, name: 'Carl', email: 'carl@example.com', role: 'end-user' };
const mia = { id: 52, name: 'Mia', email: 'mia@team.example', role: 'agent' };

const line = (id: number, said: readonly object[], more: object = {}) => ({
  ...{ id, subject: 'a', description: LONG, via: {}, requester: ann, submitter: ann, assignee: null },
  ...{ organization: null, metric_set: { id: 7 }, status: 'open', created_at: AT, ...more },
  comments: said.map((comment, at) => ({ id: 10 * id + at, public: true, created_at: AT, ...comment })),
});
const lines = (...all: readonly object[]): Texts => ({
  't.jsonl': all.map((each) => `${json(each)}\n`).join(''),
});
const LONG = 'Our **blue lamp** is broken since yesterday evening.';
const HTML = '<p>Our <b>blue lamp</b> is broken since yesterday evening.</p>';

describe('a person in a ticket is known in every ticket', () => {
  it.each([
    ['assignee', mia, 'agent agt_mia public'],
    ['collaborator', [carl], 'customer carl@example.com public'],
    ['requester', carl, 'customer carl@example.com public'],
    ['submitter', carl, 'customer carl@example.com public'],
  ])('as %s of another one', async (place, person, said) => {
    const { id } = [person].flat()[0] ?? {};
    const { messages } = await spoken(
      lines(line(11, [{ author_id: id, body: 'y' }]), line(12, [], { [place]: person })),
      { agents: { 52: 'agt_mia' } },
    );
    expect(messages).toEqual([said]);
  });

  it('and is unknown if no ticket has it', async () => {
    const { problems } = await spoken(lines(line(11, [{ author_id: 99, body: 'y' }])));
    expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'unknown-author', message: expect.stringContaining('99') },
    ]);
  });
});

describe('the description of a Zendesk ticket is its first comment', () => {
  const answer = { author_id: 52, body: 'Done.', created_at: '2024-03-05T10:00:00Z' };
  const contents = async (texts: Texts) =>
    (await mapExport(texts, builtinLayouts(), SETTINGS)).tickets[0]?.messages.map(
      ({ value }) => value['content'],
    );

  it.each([
    ['in bold', { html_body: HTML }],
    ['with a link and a signature', { html_body: `${HTML}<p>Ann, <a href="https://x.example">ACME</a></p>` }],
    ['as an internal note of an agent', { author_id: 52, html_body: HTML, public: false }],
    ['in other words', { html_body: '<p>(redacted)</p>' }],
    ['some minutes later', { html_body: HTML, created_at: '2024-03-01T08:20:00Z' }],
  ])('%s', async (_, said) => {
    const first = { author_id: 1, body: LONG, ...said };
    expect(await contents(lines(line(11, [first, answer])))).toEqual([said.html_body, 'Done.']);
  });

  it('but if the comments of the only ticket begin later, in other words', async () => {
    expect(await contents(lines(line(11, [answer])))).toEqual([LONG, 'Done.']);
  });

  it('also where only audits hold the comments', async () => {
    const { requester: _, submitter: __, comments: ___, ...rest } = line(11, []);
    const event = { id: 6, type: 'Comment', body: LONG, html_body: HTML, public: true, author_id: 1 };
    const audit = { id: 5, ticket_id: 11, author_id: 1, created_at: AT, events: [event] };
    const ticket = { ...rest, requester_id: 1, submitter_id: 1 };
    const texts = { 't.json': json([ticket]), 'a.json': json([audit]), 'u.json': json([ann]) };
    expect(await contents(texts)).toEqual([HTML]);
  });
});
