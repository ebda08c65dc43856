/** People work in the helpdesk during a troubled import: what they wrote, edited or deleted is kept. */
import { describe, expect, it } from 'vitest';
import type { Fault } from '../support/between.ts';
import { asItWas, LENIENT, openDeskBehind, says, ticket } from '../support/desk.ts';
import { hurried } from '../support/hurried-clock.ts';

const lamp = (texts: readonly string[], more: object = {}) =>
  ticket('A-1', { status: 'open', messages: texts.map((text, at) => says(text, at + 1)), ...more });

async function openBusy(settings = '') {
  // A second of the machine is longer than any answer here takes.
  const { proxy, ask, write, run, type, sandbox } = await openDeskBehind(LENIENT, hurried(20));
  write('set.yaml', `source: { name: acme }\nrun: { rate: 10000/1, timeout: 20 }\n${settings}`);
  const tickets = () => ask('GET', '/tickets?take=50');
  const thread = async () => `/tickets/${(await tickets())[0]?.['id']}/messages`;
  return {
    ...{ proxy, ask, tickets, sandbox },
    program: (...words: string[]) => type(...words, '-c', 'set.yaml', '--yes', '--json'),
    run: async (exported: object | readonly object[], ...more: string[]) => {
      write('t.jsonl', [exported].flat());
      const ended = await run('run', 't.jsonl', '-c', 'set.yaml', ...more);
      expect(ended.code, ended.stderr).not.toBe(1);
      return ended;
    },
    texts: async () => (await ask('GET', await thread())).map(({ content }) => content),
    /** A person answers in the helpdesk itself. */
    person: async () => {
      const at = await thread();
      await ask('PUT', at, [...(await ask('GET', at)).map(asItWas), ANSWER]);
    },
  };
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
  const { proxy, program, run, texts, person } = await openBusy();
  await run(lamp(['One']));
  const wait = { status: 429, headers: { 'retry-after': '1' } };
  proxy.answer = (kind, n) => (kind === PUT && n === 2 ? wait : undefined);
  proxy.before = async (kind, n) => {
    if (kind === PUT && n === 2) await person();
  };
  const { code, stdout } = await program('undo');
  expect([code, await texts()], stdout).toEqual([0, ['One', ANSWER.content]]);
});

describe('a status that a delta changes', () => {
  it.each<[string, Fault]>([
    ['504 after its effect', { status: 504, afterEffect: true }],
    ['429 with a pause', { status: 429, headers: { 'retry-after': '3' } }],
  ])('is not set over the one that a person chose after a %s', async (_, fault) => {
    const { proxy, run, tickets, ask } = await openBusy();
    await run(lamp(['One']));
    const [found] = await tickets();
    let isDone = false;
    proxy.answer = (kind, n) => (kind === 'PUT /tickets/{id}' && n === 1 ? fault : undefined);
    const closes = async () => {
      if (isDone) return;
      isDone = true;
      await ask('PUT', `/tickets/${found?.['id']}`, { status: 'closed' });
    };
    let puts = 0;
    proxy.before = async (kind) => {
      if (puts > 0 && kind === 'GET /tickets/{id}') await closes();
      if (kind === 'PUT /tickets/{id}') puts += 1;
    };
    await run(lamp(['One'], { status: 'pending' }), '--delta');
    expect(isDone).toBe(true);
    expect((await tickets())[0]?.['status']).toBe('closed');
  });

  it('does not replace fields that people chose while other tickets held the pacer', async () => {
    const { proxy, run, tickets, sandbox } = await openBusy();
    const four = (status: string) =>
      [1, 2, 3, 4].map((n) => lamp([], { id: `A-${n}`, contact: { email: `kay${n}@x.org` }, status }));
    await run(four('open'));
    proxy.before = async (kind, n) => {
      if (kind !== 'PUT /tickets/{id}' || n !== 1) return;
      sandbox.store.sql.run("UPDATE tickets SET body = json_set(body, '$.status', 'closed')");
    };
    await run(four('pending'), '--delta', '--set', 'run.rate=1/1');
    // The first request was on its way already, and on a busy machine the next one: no client can see that.
    const closed = (await tickets()).filter(({ status }) => status === 'closed');
    expect([2, 3]).toContain(closed.length);
  });
});

describe('a done ticket is complete in the helpdesk', () => {
  it('an answer that lists a line of the helpdesk in place of ours is no arrival: a read decides', async () => {
    const { proxy, run, texts } = await openBusy();
    const line = { id: 'm1', actorType: 'system', content: 'Opened.', occurredAt: '2026-01-01T00:00:00Z' };
    proxy.answer = (kind, n) =>
      kind === PUT && n === 1 ? { status: 200, body: { messages: [line] } } : undefined;
    expect(await run(lamp(['One']))).toMatchObject({ code: 0, tickets: { done: 1 } });
    expect(await texts()).toEqual(['One']);
  });
});

describe('a delta in a helpdesk without a call that reads one message', () => {
  const noMessageCall = (kind: string) => (kind.startsWith('GET /tickets/{id}/messages/') ? 404 : undefined);
  const withNote = (texts: readonly string[]) => lamp(texts, { region: 'North' });

  it('is no success while changes are held, the second time neither', async () => {
    const { proxy, run, texts, person } = await openBusy('unmapped: note\n');
    proxy.answer = noMessageCall;
    await run(withNote(['One']));
    await person();
    for (let time = 0; time < 2; time += 1) {
      const delta = await run(withNote(['One', 'Two']), '--delta');
      expect(delta).toMatchObject({ code: 3, tickets: { done: 1 }, updates: { notUpdated: 1 } });
    }
    expect(await texts()).not.toContain('Two');
  });
});
