import { describe, expect, it } from 'vitest';
import type { MappingSettings } from '../../src/mapping/compile/compile-layout.ts';
import { contactOf } from '../../src/mapping/people/people.ts';
import { layoutFrom, mapExport, payloads } from './support/map-export.ts';

const layout = (more = '') =>
  layoutFrom(`
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { file: 't*' } }
  comments: { role: child, key: ticket_id, recognise: { file: 'c*' } }
  users: { role: lookup, key: id, recognise: { file: 'u*' } }
people:
  users: { table: users, email: email, name: name, role: { column: role, map: { end-user: customer, admin: agent }, unlisted: drop } }
${more}
ticket:
  subject: title
  requester: { person: users, id: requester_id }
  assignee: { person: users, id: assignee_id }
messages:
  - from: comments
    content: body
    author: { person: users, id: author_id }
    public: true
`);

/** A layout without a table of people: what the ticket says of its assignee, and a message of its author. */
const named = (assignee: string, author: string) =>
  layoutFrom(`
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { file: 't*' } }
  comments: { role: child, key: ticket_id, recognise: { file: 'c*' } }
otherAuthors: agent
ticket:
  subject: title
  requester: { email: asker }
  assignee: { ${assignee} }
messages:
  - { from: comments, content: body, author: { ${author} }, public: true }
`);

const USERS =
  'id,email,name,role\n1,Ann@example.com,Ann,end-user\n2,bob@team.example,Bob,admin\n3,,Cy,\n4,dee@Team.EXAMPLE,Dee,\n5,eve@example.org,Eve,\n';
const texts = (authors: string) => ({
  't.csv': 'id,title,requester_id,assignee_id\n1,a,1,2\n',
  'c.csv': `ticket_id,body,author_id\n${authors
    .split(' ')
    .map((author) => `1,hi,${author}\n`)
    .join('')}`,
  'u.csv': USERS,
});

describe('the author of a message', () => {
  it('The plan shows the source’s own word for a role, each once', async () => {
    const { tickets } = await mapExport(texts('1 2 4'), layout(), {
      agents: { 4: 'agt_4' },
      fallbackAgent: 'f',
    });
    expect(tickets[0]?.values).toEqual([
      { kind: 'actor', from: 'end-user', to: 'customer', count: 1 },
      { kind: 'actor', from: 'admin', to: 'agent', count: 1 },
      { kind: 'actor', from: 'listed under agents', to: 'agent', count: 1 },
    ]);
  });

  it('is counted in the loss report if an agent has no id or the person is unknown', async () => {
    const { mapper } = await mapExport(texts('2 2 5'), layout(), { fallbackAgent: 'agt_0' });
    const { agents, entries } = mapper.account();
    expect(agents).toMatchObject([
      { agent: 'bob@team.example', how: 'fallback', id: 'agt_0', messages: 2, events: 0, assigned: 1 },
    ]);
    expect(entries).toContainEqual({ kind: 'authors', what: 'eve@example.org', count: 1 });
  });
});

it('a ticket and a message that name nobody have a contact of their own each, if addresses may be made up', async () => {
  const mapped = async (settings: Partial<MappingSettings>) => {
    const anonymous = {
      't.csv': 'id,title\n7,a\n8,b\n',
      'c.csv': 'ticket_id,body,author_id\n7,hi,\n8,hi,\n',
    };
    const { tickets } = await mapExport(anonymous, layout('otherAuthors: customer'), settings);
    return tickets.map(({ ticket, messages }) => [ticket['contact'], messages[0]?.value['contact']]);
  };
  expect(await mapped({})).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
  const contact = (id: number) => ({ email: `customer-of-ticket-${id}@import.example` });
  const deleted = (id: number) => ({
    email: `customer-deleted-account-of-ticket-${id}@import.example`,
    name: 'Deleted account',
  });
  expect(await mapped({ customersWithoutEmail: { synthesize: 'import.example' } })).toEqual([
    [contact(7), deleted(7)],
    [contact(8), deleted(8)],
  ]);
});

it('the helpdesk is asked once for each address of an agent that has no id', async () => {
  const asked: string[] = [];
  const findAgent = async (email: string) => {
    asked.push(email);
    return email.startsWith('bob') ? 'agt_bob' : undefined;
  };
  const { tickets, mapper } = await mapExport(
    texts('2 2 4'),
    layout('agentDomains: [team.example]'),
    {},
    { findAgent },
  );
  expect(asked).toEqual(['bob@team.example', 'dee@Team.EXAMPLE']);
  expect(payloads(tickets[0]!)).toMatchObject({
    ticket: { assignedToId: 'agt_bob' },
    messages: [{ agentId: 'agt_bob' }, { agentId: 'agt_bob' }, { actorType: 'agent' }],
  });
  expect(mapper.account().agents).toMatchObject([
    { agent: 'bob@team.example', how: 'found', id: 'agt_bob', messages: 2, assigned: 1 },
    { agent: 'dee@Team.EXAMPLE', how: 'none', messages: 1 },
  ]);
});

it.each([
  [
    'an author though other rules name none and no ticket an assignee',
    {
      't.csv': 'id,title,asker,text,answer,agent\n1,a,ann@example.com,hi,hello,bob@team.example\n',
    },
    layoutFrom(`
name: test
title: Test
tables: { tickets: { role: root, key: id, recognise: { file: 't*' } } }
agentDomains: [team.example]
ticket: { subject: title, requester: { email: asker } }
messages:
  - { content: text, actorType: { const: customer }, public: true }
  - { content: answer, author: { email: agent }, public: true }
`),
  ],
  [
    'the address that a message gives, though the ticket has but the name of who is in charge',
    {
      't.csv': 'id,title,asker,agent_name\n1,a,ann@example.com,Bob Low\n',
      'c.csv': 'ticket_id,body,who,called\n1,hi,bob@team.example,Bob Low\n',
    },
    named('name: agent_name', 'email: who, name: called'),
  ],
])('the helpdesk is asked for %s', async (_, files, rules) => {
  const asked: string[] = [];
  const findAgent = async (email: string) => {
    asked.push(email);
    return 'agt_bob';
  };
  const { tickets } = await mapExport(files, rules, {}, { findAgent });
  expect(asked).toEqual(['bob@team.example']);
  expect(payloads(tickets[0]!).messages.at(-1)).toMatchObject({ agentId: 'agt_bob' });
});

describe('a customer without an address', () => {
  const person = (id?: string, name?: string) => ({
    id,
    name,
    email: undefined,
    role: undefined,
    roleFrom: undefined,
  });
  const email = (id?: string, name?: string) =>
    contactOf(person(id, name), { synthesize: '@import.example' })?.email;

  it('always gets the same address, another one than everybody else', () => {
    expect(email('42')).toBe('customer-42@import.example');
    expect(email(undefined, 'Ann Lee')).toBe(email(undefined, 'Ann Lee'));
    expect(email(undefined, 'Ann Lee')).toMatch(/^customer-ann-lee-[0-9a-f]{8}@import\.example$/);
    const addresses = ['Ann Lee', 'ann lee', 'Ann  Lee', 'Änn Lee', '安', '李', 'x'.repeat(200)].map((name) =>
      email(undefined, name),
    );
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const address of addresses) expect(address?.split('@')[0]?.length).toBeLessThanOrEqual(64);
  });

  it('gets no contact if nothing names the customer', () => {
    expect(email()).toBeUndefined();
  });
});
