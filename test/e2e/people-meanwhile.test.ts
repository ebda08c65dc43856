/**
 * People work in the new helpdesk while an import goes on, and its requests are refused, lost or late. What they wrote, edited or
 * deleted is kept, and a ticket that is called done reads as the export. The simulation has the other faults and acts.
 */
import { describe, expect, it } from 'vitest';
import type { Fault } from '../support/between.ts';
import { asItWas, openDeskBehind } from '../support/desk.ts';
import { hurried } from '../support/hurried-clock.ts';

interface Message {
  readonly id: string;
  readonly actorType: string;
  readonly content: string;
  readonly contentType: string;
  readonly occurredAt: string;
  readonly contactId: string | null;
  readonly isInternal: boolean;
}

const KAY = { email: 'kay@example.org' };
const CUSTOMER = { actorType: 'customer', contact: KAY };

const ticket = (texts: readonly string[], more: object = {}) => ({
  ...{ id: 'A-1', subject: 'The lamp is broken', contact: KAY, status: 'open' },
  createdAt: '2024-01-01T00:00:00Z',
  messages: texts.map((content, at) => ({
    ...CUSTOMER,
    content,
    occurredAt: `2024-01-0${at + 1}T00:00:00Z`,
  })),
  ...more,
});

async function desk(settings = '') {
  // A second of the machine is longer than any answer here takes.
  const scene = await openDeskBehind({ strict: false, inventAgents: true }, hurried(20));
  const { proxy, ask } = scene;
  scene.write('set.yaml', `source: { name: acme }\nrun: { rate: 10000/1, timeout: 20 }\n${settings}`);
  const run = async (exported: object | readonly object[], ...more: string[]) => {
    scene.write('t.jsonl', [exported].flat());
    const ended = await scene.run('run', 't.jsonl', '-c', 'set.yaml', ...more);
    expect(ended.code, ended.stderr).not.toBe(1);
    return ended;
  };
  const program = (...words: string[]) => scene.type(...words, '-c', 'set.yaml', '--yes', '--json');
  const tickets = async () =>
    (await ask('GET', '/tickets?take=50')) as unknown as { id: string; status: string; subject: string }[];
  const thread = async (id: string) => (await ask('GET', `/tickets/${id}/messages`)) as unknown as Message[];
  /** Replaces the thread as a person does who works in the helpdesk itself. */
  const person = async (change: (messages: object[]) => object[]) => {
    const [first] = await tickets();
    if (first === undefined) throw new Error('no ticket yet');
    await ask(
      'PUT',
      `/tickets/${first.id}/messages`,
      change((await ask('GET', `/tickets/${first.id}/messages`)).map(asItWas)),
    );
  };
  const texts = async (at = 0) =>
    (await thread((await tickets())[at]?.id ?? '')).map(({ content }) => content);
  return { proxy, program, run, tickets, thread, texts, person, scene };
}

const PUT = 'PUT /tickets/{id}/messages';
const ANSWER = {
  actorType: 'agent',
  agentId: 'agt_1',
  content: 'We send a new one.',
  contentType: 'text',
  occurredAt: '2026-01-01T00:00:00Z',
};

it('an undo that has to wait leaves the ticket that a person answers meanwhile', async () => {
  const { proxy, program, run, texts, person } = await desk();
  await run(ticket(['One']));
  const wait = { status: 429, headers: { 'retry-after': '1' } };
  proxy.answer = (kind, n) => (kind === PUT && n === 2 ? wait : undefined);
  proxy.before = async (kind, n) => {
    if (kind === PUT && n === 2) await person((messages) => [...messages, ANSWER]);
  };
  const { code, stdout } = await program('undo');
  expect([code, await texts()], stdout).toEqual([0, ['One', ANSWER.content]]);
});

describe('a status that a delta changes', () => {
  it.each<[string, Fault]>([
    ['504 after its effect', { status: 504, afterEffect: true }],
    ['429 with a pause', { status: 429, headers: { 'retry-after': '3' } }],
  ])('is not set over the one that a person chose after a %s', async (_, fault) => {
    const { proxy, run, tickets, scene } = await desk();
    await run(ticket(['One']));
    const [{ id } = { id: '' }] = await tickets();
    let isDone = false;
    proxy.answer = (kind, n) => (kind === 'PUT /tickets/{id}' && n === 1 ? fault : undefined);
    const closes = async () => {
      if (isDone) return;
      isDone = true;
      await scene.ask('PUT', `/tickets/${id}`, { status: 'closed' });
    };
    let puts = 0;
    proxy.before = async (kind) => {
      if (puts > 0 && kind === 'GET /tickets/{id}') await closes();
      if (kind === 'PUT /tickets/{id}') puts += 1;
    };
    await run(ticket(['One'], { status: 'pending' }), '--delta');
    expect(isDone).toBe(true);
    expect((await tickets())[0]?.status).toBe('closed');
  });

  it('does not replace fields that people chose while other tickets held the pacer', async () => {
    const { proxy, run, tickets, scene } = await desk();
    const four = (status: string) =>
      [1, 2, 3, 4].map((n) => ticket([], { id: `A-${n}`, contact: { email: `kay${n}@x.org` }, status }));
    await run(four('open'));
    proxy.before = async (kind, n) => {
      if (kind !== 'PUT /tickets/{id}' || n !== 1) return;
      scene.sandbox.store.sql.run("UPDATE tickets SET body = json_set(body, '$.status', 'closed')");
    };
    await run(four('pending'), '--delta', '--set', 'run.rate=1/1');
    // The first request was on its way already, and on a busy machine the next one: no client can see that.
    const closed = (await tickets()).filter(({ status }) => status === 'closed');
    expect([2, 3]).toContain(closed.length);
  });
});

describe('a done ticket is complete in the helpdesk', () => {
  it('an answer that lists a line of the helpdesk in place of ours is no arrival: a read decides', async () => {
    const { proxy, run, texts } = await desk();
    const line = { id: 'm1', actorType: 'system', content: 'Opened.', occurredAt: '2026-01-01T00:00:00Z' };
    proxy.answer = (kind, n) =>
      kind === PUT && n === 1 ? { status: 200, body: { messages: [line] } } : undefined;
    expect(await run(ticket(['One']))).toMatchObject({ code: 0, tickets: { done: 1 } });
    expect(await texts()).toEqual(['One']);
  });
});

describe('a delta in a helpdesk without a call that reads one message', () => {
  const noMessageCall = (kind: string) => (kind.startsWith('GET /tickets/{id}/messages/') ? 404 : undefined);
  const withNote = (texts: readonly string[]) => ticket(texts, { region: 'North' });

  it('is no success while changes are held, the second time neither', async () => {
    const { proxy, run, texts, person } = await desk('unmapped: note\n');
    proxy.answer = noMessageCall;
    await run(withNote(['One']));
    await person((messages) => [...messages, ANSWER]);
    for (let time = 0; time < 2; time += 1) {
      const delta = await run(withNote(['One', 'Two']), '--delta');
      expect(delta).toMatchObject({ code: 3, tickets: { done: 1 }, updates: { notUpdated: 1 } });
    }
    expect(await texts()).not.toContain('Two');
  });
});
