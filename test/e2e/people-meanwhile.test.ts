/**
 * People work in the new helpdesk while an import goes on, and its requests are refused, lost or late. What they wrote, edited or
 * deleted is kept, and a ticket that is called done reads as the export.
 */
import { describe, expect, it } from 'vitest';
import type { Fault } from '../support/between.ts';
import { openDeskBehind } from '../support/desk.ts';
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
  const kept = ({ id, actorType, content, contentType, occurredAt, contactId, isInternal }: Message) => ({
    ...{ id, actorType, content, contentType, occurredAt, isInternal },
    ...(contactId === null ? {} : { contactId }),
  });
  /** Replaces the thread as a person does who works in the helpdesk itself. */
  const person = async (change: (messages: object[]) => object[]) => {
    const [first] = await tickets();
    if (first === undefined) throw new Error('no ticket yet');
    await ask('PUT', `/tickets/${first.id}/messages`, change((await thread(first.id)).map(kept)));
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

const FAULTS: Readonly<Record<string, Fault>> = {
  'a 429 with a pause': { status: 429, headers: { 'retry-after': '3' } },
  'a 429 with a pause in which a reading stays fresh': { status: 429, headers: { 'retry-after': '1' } },
  'a 502 before its effect': { status: 502 },
  'a 502 after its effect': { status: 502, afterEffect: true },
  'a 503 before its effect': { status: 503 },
};
const ACTS: Readonly<Record<string, (messages: object[]) => object[]>> = {
  answers: (messages) => [...messages, ANSWER],
  edits: (messages) =>
    messages.map((each, at) => (at === 0 ? { ...each, content: 'Edited by a person.' } : each)),
  deletes: (messages) => messages.slice(1),
};

describe.each(Object.entries(FAULTS))('a PUT of messages that meets %s', (_, fault) => {
  it('of a fresh ticket keeps the answer of a person, and all of its own messages arrive', async () => {
    const { proxy, run, texts, person } = await desk();
    proxy.answer = (kind, n) => (kind === PUT && n === 1 ? fault : undefined);
    let isDone = false;
    // Between the fault and the next look.
    proxy.before = async (kind) => {
      if (isDone || kind !== 'GET /tickets/{id}/messages') return;
      isDone = true;
      await person((messages) => [...messages, ANSWER]);
    };
    expect(await run(ticket(['One', 'Two']))).toMatchObject({ code: 0, tickets: { done: 1 } });
    expect((await texts()).toSorted()).toEqual(['One', 'Two', ANSWER.content].toSorted());
    expect(isDone).toBe(true);
  });

  it.each(Object.entries(ACTS))('of a delta keeps what a person %s', async (_name, act) => {
    const { proxy, run, texts, person } = await desk();
    expect((await run(ticket(['One', 'Two']))).code).toBe(0);
    let isDone = false;
    proxy.answer = (kind, n) => (kind === PUT && n === 2 ? fault : undefined);
    proxy.before = async (kind, n) => {
      if (isDone || kind !== PUT || n !== 2) return;
      isDone = true;
      await person(act);
    };
    const { code } = await run(ticket(['One', 'Two', 'Three']), '--delta');
    const shown = await texts();
    // A PUT that had its effect at once replaced what was written in the same moment: no client can see that.
    if (fault.afterEffect !== true) {
      const wanted = act([{ content: 'One' }, { content: 'Two' }]).map((each) => (each as Message).content);
      expect(shown).toEqual(expect.arrayContaining(wanted));
      expect(shown).not.toContain(act === ACTS['edits'] || act === ACTS['deletes'] ? 'One' : 'nothing');
    }
    expect(shown.filter((text) => text === 'Three')).toHaveLength(1);
    expect([0, 3]).toContain(code);
  });
});

it('a delta that waits for the pacer keeps the answer that a person gave meanwhile', async () => {
  const { proxy, run, texts, person } = await desk();
  await run(ticket(['One']));
  proxy.answer = (kind, n) =>
    kind === PUT && n === 2 ? { status: 429, headers: { 'retry-after': '1' } } : undefined;
  let reads = 0;
  proxy.after = async (kind) => {
    if (kind === 'GET /tickets/{id}/messages') reads += 1;
    if (kind === 'GET /tickets/{id}/messages' && reads === 1)
      await person((messages) => [...messages, ANSWER]);
  };
  expect((await run(ticket(['One', 'Two']), '--delta')).code).toBe(0);
  expect((await texts()).toSorted()).toEqual(['One', 'Two', ANSWER.content].toSorted());
});

it.each(Object.entries(FAULTS).filter(([, { afterEffect }]) => afterEffect !== true))(
  'an undo that meets %s leaves the ticket that a person answers meanwhile',
  async (_, fault) => {
    const { proxy, program, run, texts, person } = await desk();
    await run(ticket(['One']));
    proxy.answer = (kind, n) => (kind === PUT && n === 2 ? fault : undefined);
    proxy.before = async (kind, n) => {
      if (kind === PUT && n === 2) await person((messages) => [...messages, ANSWER]);
    };
    const { code, stdout } = await program('undo');
    expect(await texts(), stdout).toEqual(['One', ANSWER.content]);
    expect(code).toBe(0);
  },
);

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
  it('a line of the helpdesk itself does not stand in for a message that was lost', async () => {
    const { proxy, run, texts, person } = await desk();
    proxy.answer = (kind, n) => (kind === PUT && n === 1 ? { status: 502 } : undefined);
    proxy.before = async (kind, n) => {
      if (kind === PUT && n === 1)
        await person(() => [
          {
            actorType: 'system',
            content: 'Ticket opened.',
            contentType: 'text',
            occurredAt: '2026-01-01T00:00:00Z',
          },
        ]);
    };
    expect(await run(ticket(['One']))).toMatchObject({ code: 0, tickets: { done: 1 } });
    expect(await texts()).toContain('One');
  });

  it('an answer that lists a line of the helpdesk in place of ours is no arrival: a read decides', async () => {
    const { proxy, run, texts } = await desk();
    const line = { id: 'm1', actorType: 'system', content: 'Opened.', occurredAt: '2026-01-01T00:00:00Z' };
    proxy.answer = (kind, n) =>
      kind === PUT && n === 1 ? { status: 200, body: { messages: [line] } } : undefined;
    expect(await run(ticket(['One']))).toMatchObject({ code: 0, tickets: { done: 1 } });
    expect(await texts()).toEqual(['One']);
  });

  it('202 is no arrival: a read decides', async () => {
    const { proxy, run, texts } = await desk();
    proxy.answer = (kind, n) =>
      kind === PUT && n === 1 ? { status: 202, body: { success: true } } : undefined;
    expect(await run(ticket(['One']))).toMatchObject({ code: 0, tickets: { done: 1 } });
    expect(await texts()).toEqual(['One']);
  });
});

it('an answer that shows another ticket is no answer: nothing is written into that ticket', async () => {
  const { proxy, run, tickets, thread, scene } = await desk();
  const other = {
    subject: 'A question of somebody else',
    createdAt: '2020-05-05T00:00:00Z',
    contact: { email: 'x@example.org' },
  };
  const [made] = (await scene.ask('POST', '/tickets', other)) as unknown as { id: string }[];
  await scene.ask('PUT', `/tickets/${made?.id}/messages`, [
    { ...CUSTOMER, content: 'Mine', occurredAt: '2020-05-05T00:00:00Z' },
  ]);
  proxy.answer = (kind, n) =>
    kind === 'POST /tickets' && n === 1
      ? { status: 201, body: { ticket: made }, afterEffect: true }
      : undefined;
  const { code } = await run(ticket(['One']));
  expect((await thread(made?.id ?? '')).map(({ content }) => content)).toEqual(['Mine']);
  const ours = (await tickets()).filter(({ subject }) => subject === 'The lamp is broken');
  expect(ours).toHaveLength(1);
  expect([0, 4]).toContain(code);
});

it('a create that is refused after its effect is found by the next run', async () => {
  const { proxy, run, tickets } = await desk();
  proxy.answer = (kind) =>
    kind === 'POST /tickets'
      ? { status: 422, body: { error: 'A hook failed.' }, afterEffect: true }
      : undefined;
  for (let times = 0; times < 3; times += 1) await run(ticket(['One']));
  expect(await tickets()).toHaveLength(1);
});

describe('a delta in a helpdesk without a call that reads one message', () => {
  const noMessageCall = (kind: string) => (kind.startsWith('GET /tickets/{id}/messages/') ? 404 : undefined);
  const withNote = (texts: readonly string[]) => ticket(texts, { region: 'North' });

  it('brings changes in beside the note of the import, which reads as it was sent', async () => {
    const { proxy, run, texts } = await desk('unmapped: note\n');
    proxy.answer = noMessageCall;
    expect((await run(withNote(['One']))).code).toBe(0);
    expect(await texts()).toEqual(['One', expect.stringContaining('North')]);
    const delta = await run(withNote(['One', 'Two']), '--delta');
    expect(delta).toMatchObject({ code: 0, updates: { notUpdated: 0 } });
    expect(await texts()).toEqual(['One', 'Two', expect.stringContaining('North')]);
  });

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
