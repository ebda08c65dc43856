/** A run undone: unedited tickets are closed and emptied, all others stay, and messages that arrive meanwhile are never lost. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startCli } from '../support/cli.ts';
import { asItWas, openDeskBehind, type Row, says, ticket as simple } from '../support/desk.ts';
import { hurriedClock } from '../support/hurried-clock.ts';

interface TicketShown {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly tags: readonly string[];
}

const IDS = ['1041', '1042', '1043', '1044'];

const exported = IDS.map((id, index) => {
  const contact = { email: `c${id}@example.com` };
  const content = `<p>Answer &amp; more to <b>${id}</b>, see https://old.example.com/t/1041</p>`;
  const change = { oldValue: { status: 'open' }, newValue: { status: 'pending' } };
  const byAgent = { actorType: 'agent', agentId: 'agt_1', occurredAt: '2024-01-02T00:00:00Z' };
  return simple(id, {
    ...{ contact, status: index === 3 ? 'closed' : 'open', createdAt: '2024-01-01T00:00:00Z' },
    leftover: `value ${id}`,
    messages: [
      { ...says(`Hello from ${id}`), contact },
      { ...byAgent, content, contentType: 'html' },
    ],
    events: [{ type: 'status_change', ...byAgent, ...change }],
  });
});

async function imported() {
  const desk = await openDeskBehind({ strict: false, inventAgents: true });
  const { proxy, ask, folder, env, type } = desk;
  desk.write('tickets.jsonl', exported);
  desk.write('set.yaml', 'source: { name: acme }\nunmapped: note\nrun: { rate: 10000/1, timeout: 3 }\n');
  const call = async (...args: string[]) => {
    const typed = args[0] === 'undo' ? args : [...args, 'tickets.jsonl'];
    const { code, stdout, stderr } = await type(...typed, '-c', 'set.yaml', '--json');
    if (code === 1) throw new Error(stdout + stderr);
    const said = stdout === '' ? {} : JSON.parse(stdout);
    return { code, stderr, ...said } as Record<string, never> & { code: number; stderr: string };
  };
  const first = await call('run', '--yes');
  expect(first).toMatchObject({ code: 0, tickets: { done: 4 } });
  const all = async () => (await ask('GET', '/tickets?take=100')) as unknown as TicketShown[];
  const thread = (id: string) => ask('GET', `/tickets/${id}/messages`);
  return {
    ...{ proxy, ask, folder, env, type, call, all, thread, run: String(first['runTag']) },
    /** By old number: those that carry its identity. */
    ticket: async (id: string) => {
      const found = (await all()).filter(({ tags }) => tags.includes(`acme-${id}`));
      expect(found).toHaveLength(1);
      return found[0] as TicketShown;
    },
    reply: async (id: string, content: string) => {
      const reply = { actorType: 'customer', contact: { email: 'customer@example.com' }, content };
      return await ask('PUT', `/tickets/${id}/messages`, [...(await thread(id)).map(asItWas), reply]);
    },
  };
}

const words = (thread: readonly Row[]) => thread.map((each) => each['fullContent'] ?? each['content']);

describe('a run that is undone', () => {
  it('leaves closed tickets with one internal note, and its ids can be imported anew', async () => {
    const it = await imported();
    const writes = () => it.proxy.asked.filter((each) => !each.startsWith('GET')).length;
    const sent = writes();
    expect(await it.call('undo', '--run', it.run, '--dry-run')).toMatchObject({
      code: 0,
      tickets: { untouched: 4, undone: 0, touched: 0, unknown: 0 },
    });
    const dry = ['undo', '--run', it.run, '--dry-run', '-c', 'set.yaml'];
    const { stdout } = await it.type(...dry);
    expect(stdout).toMatch(/Next\n +To undo them:\n +helpdesk-import undo --run run-\S+ --config set.yaml\n/);
    expect(writes()).toBe(sent);
    const before = await it.all();
    expect(await it.call('undo', '--run', it.run, '--yes')).toMatchObject({
      code: 0,
      tickets: { untouched: 0, undone: 4, touched: 0, unknown: 0 },
      listed: [],
    });
    expect(writes()).toBe(sent + 8);
    for (const { id, status, tags } of await it.all()) {
      expect({ status, tags }).toEqual({ status: 'closed', tags: ['import-undone', it.run] });
      const thread = await it.thread(id);
      expect(thread).toMatchObject([{ isInternal: true }]);
      expect(words(thread)[0]).toMatch(/^Undone by helpdesk-import on .*ticket 104\d of acme.*run-/);
    }
    // Once more changes nothing.
    expect(await it.call('undo', '--run', it.run, '--yes')).toMatchObject({
      code: 0,
      tickets: { undoneBefore: 4, undone: 0 },
    });
    expect(writes()).toBe(sent + 8);

    expect(await it.call('run', '--yes')).toMatchObject({
      code: 0,
      tickets: { done: 4 },
      problems: [{ code: 'unknown-field' }],
    });
    expect(await it.all()).toHaveLength(8);
    for (const id of IDS) {
      const { id: own } = await it.ticket(id);
      expect(before.map((each) => each.id)).not.toContain(own);
      expect(await it.thread(own)).toHaveLength(3);
    }
    expect(await it.call('verify')).toMatchObject({ code: 0 });
    expect(await it.call('run', '--delta', '--yes')).toMatchObject({
      code: 0,
      problems: [{ code: 'unknown-field' }],
    });
    const { stderr, code } = await it.type(
      ...['checkpoint', 'rebuild', 'tickets.jsonl', '-c', 'set.yaml', '--checkpoint', 'rebuilt.sqlite'],
    );
    expect(code, stderr).toBe(0);
    const rebuilt = ['--checkpoint', 'rebuilt.sqlite'];
    expect(await it.call('run', '--yes', ...rebuilt)).toMatchObject({ code: 0, tickets: { done: 4 } });
    expect(await it.all()).toHaveLength(8);
  });

  // Each ticket by itself: look (2 reads), look, PUT ticket, look, PUT messages, look.
  it.each([
    ['GET /tickets/{id}/messages', 2, 'before', 'touched'],
    ['PUT /tickets/{id}', 1, 'after', 'touched'],
    ['PUT /tickets/{id}/messages', 1, 'after', 'undone'],
  ] as const)('loses no reply that comes at %s %i (%s)', async (request, nth, moment, expected) => {
    const it = await imported();
    const [first] = await it.all();
    const id = first?.id ?? '';
    const thread = await it.thread(id);
    // Only this one has the tag of the run.
    for (const { id: other, tags } of (await it.all()).slice(1))
      await it.ask('PUT', `/tickets/${other}`, { tags: tags.filter((tag) => tag !== it.run) });
    const seen = new Map<string, number>();
    it.proxy.asked.splice(0);
    it.proxy[moment] = async (kind: string) => {
      if (kind.startsWith('GET /tickets?') || kind === 'GET /tickets') return;
      const n = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, n);
      if (kind === request && n === nth) await it.reply(id, 'I have a question');
    };
    const undone = await it.call('undo', '--run', it.run, '--yes');
    expect(undone).toMatchObject({ code: 0, tickets: { [expected]: 1 }, listed: [{ ticketId: id }] });
    const after = await it.thread(id);
    const now = (await it.all()).find((each) => each.id === id);
    if (expected === 'touched') {
      expect(after.slice(0, -1)).toEqual(thread);
      expect(now).toMatchObject({ status: first?.status, tags: first?.tags });
    }
    expect(words(after).at(-1)).toBe('I have a question');
    it.proxy[moment] = () => {};
    expect((await it.call('run', '--yes')).code).toBe(0);
    expect(words(await it.thread(id)).at(-1)).toBe('I have a question');
  });

  it.each([['PUT /tickets/{id}/messages', 2, 'after']] as const)(
    'is finished by the next one where it is killed at %s %i (%s)',
    async (request, nth, moment) => {
      const it = await imported();
      const seen = new Map<string, number>();
      const args = ['undo', '--run', it.run, '-c', 'set.yaml', '--yes'];
      const running = startCli(args, { cwd: it.folder.path, env: it.env });
      it.proxy[moment] = async (kind: string) => {
        const n = (seen.get(kind) ?? 0) + 1;
        seen.set(kind, n);
        if (kind !== request || n !== nth) return;
        running.kill('SIGKILL');
        await running.result;
      };
      expect((await running.result).code).toBe('SIGKILL');
      it.proxy[moment] = () => {};
      // Nothing is imported into tickets that are half emptied.
      const blocked = await it.call('run', '--yes', '--delta');
      if (blocked.code !== 0)
        expect(blocked).toMatchObject({ code: 2, error: { message: expect.stringContaining('undo') } });
      const { tickets, code } = await it.call('undo', '--run', it.run, '--yes');
      expect(code).toBe(0);
      expect(tickets).toMatchObject({ touched: 0, unknown: 0, untouched: 0 });
      for (const { id, status, tags } of await it.all())
        if (tags.includes('import-undone')) {
          expect(status).toBe('closed');
          expect(await it.thread(id)).toHaveLength(1);
        }
      expect(await it.call('run', '--yes')).toMatchObject({ code: 0, tickets: { done: 4 } });
      for (const id of IDS) await it.ticket(id);
    },
  );

  it.each([
    ['cannot be read', (kind: string) => (kind.startsWith('GET') ? 404 : undefined)],
    ['refuses the note', (kind: string) => (kind === 'PUT /tickets/{id}/messages' ? 422 : undefined)],
  ] as const)('changes nothing in a helpdesk that %s', async (_what, answer) => {
    const it = await imported();
    const before = await it.all();
    const threads = await Promise.all(before.map(({ id }) => it.thread(id)));
    it.proxy.answer = answer;
    const { code } = await it.call('undo', '--run', it.run, '--yes');
    expect([2, 4]).toContain(code);
    const now = await it.all();
    expect(now.map(({ status, tags }) => ({ status, tags }))).toEqual(
      before.map(({ status, tags }) => ({ status, tags })),
    );
    expect(await Promise.all(now.map(({ id }) => it.thread(id)))).toEqual(threads);
    it.proxy.answer = undefined;
    expect(await it.call('run', '--yes')).toMatchObject({ code: 0, tickets: { done: 4 } });
    expect(await it.all()).toHaveLength(4);
  });

  it('takes the only run without its tag, names several, and takes the newest with --last', async () => {
    const it = await imported();
    const undone = (...args: string[]) => it.call('undo', ...args, '--dry-run');
    expect(await undone()).toMatchObject({ code: 0, run: it.run, tickets: { untouched: 4 } });
    const file = it.folder.join('tickets.jsonl');
    // The tag of a run names its second.
    await hurriedClock.sleep(1_500);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"1041"', '"1051"'));
    const later = (await it.call('run', '--yes')) as unknown as { runTag: string };
    expect(await undone()).toMatchObject({
      code: 2,
      error: { lines: [expect.stringContaining(later.runTag), expect.stringContaining(it.run)] },
    });
    expect(await undone('--last')).toMatchObject({ code: 0, run: later.runTag, tickets: { untouched: 1 } });
  });

  it('asks for confirmation, and does not begin without a terminal to ask in', async () => {
    const it = await imported();
    const sent = it.proxy.asked.filter((each) => !each.startsWith('GET')).length;
    expect(await it.call('undo', '--run', it.run)).toMatchObject({
      code: 2,
      error: { hint: expect.stringContaining('--yes') },
    });
    expect(await it.call('undo', '--run', 'imported', '--yes')).toMatchObject({
      code: 2,
      error: { lines: [expect.stringContaining(it.run)], hint: expect.stringContaining('--last') },
    });
    const shown = await it.type('status');
    expect(shown.stdout + shown.stderr).toContain(it.run);
    expect(await it.call('undo', '--run', 'run-20200101-000000', '--yes')).toMatchObject({ code: 2 });
    expect(it.proxy.asked.filter((each) => !each.startsWith('GET'))).toHaveLength(sent);
  });
});
