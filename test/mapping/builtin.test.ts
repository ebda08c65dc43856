import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MappingSettings } from '../../src/mapping/compile/compile-layout.ts';
import {
  builtinLayoutNames,
  builtinLayouts,
  detectBuiltin,
} from '../../src/mapping/detect/builtin-layouts.ts';
import { rankLayouts } from '../../src/mapping/detect/detect.ts';
import { mapExport, openTexts, payloads, type Texts } from './support/map-export.ts';

const folder = resolve(import.meta.dirname, '../../fixtures/layouts');
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** One folder a layout: its input files, settings.json, and expected.json, which `vitest -u` writes anew. */
describe('the built-in layout', () => {
  it.each(names)('%s is recognised among all others and gives the expected payloads', async (name) => {
    const files = readdirSync(join(folder, name)).filter(
      (file) => file !== 'expected.json' && file !== 'settings.json',
    );
    const texts = Object.fromEntries(
      files.map((file) => [file, readFileSync(join(folder, name, file), 'utf8')]),
    );
    const settings = JSON.parse(
      readFileSync(join(folder, name, 'settings.json'), 'utf8'),
    ) as Partial<MappingSettings>;
    const { detection, tickets, mapper } = await mapExport(texts, builtinLayouts(), settings);
    expect(detection.layout.name).toBe(name);
    const shown = { tickets: tickets.map(payloads), loss: mapper.loss() };
    await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot(
      join(folder, name, 'expected.json'),
    );
    // an assignee without an agent id is among the losses above
    const problems = tickets.flatMap((ticket) => ticket.problems);
    expect(problems.filter(({ code }) => code !== 'lost-assignee')).toEqual([]);
    expect(JSON.stringify(shown.tickets)).not.toContain('secret"');
  });

  it('is in the built program as its YAML file says', () => {
    const built = readFileSync(resolve(folder, '../../dist/mapping/platforms/builtin.json'), 'utf8');
    expect(JSON.parse(built)).toEqual(builtinLayouts());
  });

  it('each has a fixture', () => {
    const without = builtinLayoutNames().filter(
      (name) => name !== 'native' && !existsSync(join(folder, name)),
    );
    expect(without).toEqual([]);
  });
});

it('a Freshdesk ticket with as many conversations inside as the API gives may have more, and is named', async () => {
  const ticket = (id: number, count: number) => ({
    ...{
      id,
      subject: 'Stock',
      description: 'Is it in?',
      description_text: 'Is it in?',
      status: 2,
      priority: 1,
      requester_id: 5,
      responder_id: 6,
      fr_escalated: false,
    },
    ...{
      created_at: '2024-01-01T00:00:00Z',
      updated_at: '2024-01-02T00:00:00Z',
      is_escalated: false,
      fr_escalated: false,
    },
    conversations: Array.from({ length: count }, (_, n) => ({
      id: id * 100 + n,
      body: `<p>${n}</p>`,
      private: false,
      incoming: true,
      user_id: 5,
    })),
  });
  const { mapper } = await mapExport(
    { 't.json': JSON.stringify([ticket(1, 10), ticket(2, 9)]) },
    builtinLayouts(),
  );
  const said = mapper.problems().filter(({ code }) => code === 'incomplete-thread');
  expect(said).toMatchObject([{ count: 1, message: expect.stringContaining('10 conversations') }]);
});

it('threads of Help Scout in a file of their own give what embedded ones give', async () => {
  const createdBy = { id: 1, type: 'customer', email: 'ann@example.com', first: 'Ann', last: 'Lee' };
  const thread = {
    id: 5,
    type: 'customer',
    state: 'published',
    body: 'Is it in?',
    createdAt: '2024-01-01T00:00:00Z',
    createdBy,
    customer: createdBy,
  };
  const conversation = {
    id: 9,
    number: 1,
    subject: 'Stock',
    status: 'active',
    state: 'published',
    primaryCustomer: createdBy,
    createdAt: '2024-01-01T00:00:00Z',
  };
  const planned = async (files: Record<string, unknown>) => {
    const texts = Object.fromEntries(
      Object.entries(files).map(([name, value]) => [`${name}.json`, JSON.stringify(value)]),
    );
    return (await mapExport(texts, builtinLayouts())).tickets.map(payloads);
  };
  const embedded = await planned({ page: [{ ...conversation, _embedded: { threads: [thread] } }] });
  expect(embedded).toMatchObject([{ messages: [{ content: 'Is it in?', actorType: 'customer' }] }]);
  expect(await planned({ page: [conversation], threads: [{ ...thread, conversationId: 9 }] })).toEqual(
    embedded,
  );
});

it('a conversation in the form of Intercom’s first API gives what the present form gives', async () => {
  const author = { type: 'user', id: 'u1' };
  const part = {
    id: '1',
    part_type: 'comment',
    body: '<p>Yes</p>',
    created_at: 1571353900,
    author: { type: 'admin', id: '7' },
  };
  const first = { body: '<p>Is it in?</p>', subject: '<p>Stock</p>', author, attachments: [] };
  const same = {
    id: '9',
    created_at: 1571353688,
    updated_at: 1571353999,
    conversation_parts: { conversation_parts: [part] },
  };
  const people = {
    users: [{ id: 'u1', role: 'user', email: 'ann@example.com', name: 'Ann', workspace_id: 'w' }],
  };
  const admins = {
    admins: [{ id: '7', email: 'mia@team.example', name: 'Mia', job_title: '', away_mode_enabled: false }],
  };
  const planned = async (conversation: object) => {
    const files = { conversations: { conversations: [conversation] }, people, admins };
    const texts = Object.fromEntries(
      Object.entries(files).map(([name, value]) => [`${name}.json`, JSON.stringify(value)]),
    );
    const { detection, tickets } = await mapExport(texts, builtinLayouts(), {
      agents: { 'mia@team.example': 'agt_1' },
    });
    return [detection.layout.name, ...tickets.map(payloads)];
  };
  const now = await planned({
    ...same,
    source: first,
    contacts: { contacts: [author] },
    admin_assignee_id: 7,
    state: 'open',
  });
  expect(now).toMatchObject(['intercom', { messages: [{ actorType: 'customer' }, { actorType: 'agent' }] }]);
  expect(
    await planned({
      ...same,
      conversation_message: first,
      customers: [author],
      user: author,
      assignee: { type: 'admin', id: '7' },
      open: true,
    }),
  ).toEqual(now);
});

describe('the native layout', () => {
  const outlinesOf = async (texts: Texts) => (await openTexts(texts)).files.map(({ outline }) => outline);
  const texts = {
    't.csv': 'id,subject,status,createdAt,contact.email\n1,a,open,x,y\n',
    'm.csv': 'ticketId,content,actorType\n',
  };

  it('is the surest of all for native files', async () => {
    const outlines = await outlinesOf(texts);
    expect(rankLayouts(outlines, builtinLayouts())[0]).toMatchObject({
      name: 'native',
      confidence: expect.closeTo(0.9, 1),
    });
    expect(detectBuiltin(outlines).layout.name).toBe('native');
  });

  it('gives way if a file is left over', async () => {
    const more = await outlinesOf({ 't.csv': 'id,subject,createdAt\n', 'x.csv': 'a,b\n' });
    expect(detectBuiltin(more).unused).toEqual([{ file: 1, name: 'x.csv' }]);
  });

  it('is not looked at where another one is named', async () => {
    const outlines = await outlinesOf(texts);
    expect(() => detectBuiltin(outlines, 'zendesk')).toThrow(expect.objectContaining({ code: 'source' }));
    expect(() => detectBuiltin(outlines, 'zendsk')).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
