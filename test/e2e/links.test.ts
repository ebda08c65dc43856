/** Links between tickets, rewritten in the helpdesk: planned, sent and sent again, by the books of the service. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openScene, type Scene } from '../cli/scene.ts';
import { between } from '../support/between.ts';
import { startCli } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const OLD = 'https://acme.zendesk.com/agent/tickets';
const NEW = 'https://help.example.com/tickets';
const SETTINGS = `source:
  name: acme
  ticketUrl: ${OLD}/{id}
target:
  ticketUrl: ${NEW}/{id}
run:
  rate: 10000/1
`;

interface Message {
  readonly text: string;
  readonly type?: 'text' | 'html' | 'markdown';
}

const TICKETS: Record<string, readonly Message[]> = {
  '1041': [{ text: 'The first one.' }],
  '1042': [
    { text: `As in ticket #1041, see ${OLD}/1041.` },
    { text: 'My order #1041 is late.' },
    { text: `<p>See <a href="${OLD}/1041?x=1#c">there</a> and about #9999.</p>`, type: 'html' },
  ],
  '1043': [{ text: `[old](${OLD}/1042), duplicate of #1042`, type: 'markdown' }, { text: 'Thanks!' }],
  '1044': [{ text: 'Nothing at all.' }],
};

function writeExport(scene: Scene, tickets = TICKETS): void {
  const lines = Object.entries(tickets).map(([id, messages]) =>
    JSON.stringify({
      id,
      subject: `Subject ${id}`,
      contact: { email: `c${id}@example.com` },
      createdAt: '2024-01-01T00:00:00Z',
      messages: messages.map(({ text, type = 'text' }, at) => ({
        actorType: 'customer',
        contact: { email: `c${id}@example.com` },
        content: text,
        contentType: type,
        occurredAt: `2024-01-0${at + 1}T00:00:00Z`,
      })),
    }),
  );
  writeFileSync(scene.folder.join('tickets.jsonl'), lines.join('\n'));
  writeFileSync(scene.folder.join('set.yaml'), SETTINGS);
}

async function call(scene: Scene, ...args: string[]) {
  const [first, ...rest] = args;
  const words = first === 'run' ? ['run'] : first === 'verify' ? ['verify'] : ['links', first ?? ''];
  const typed = [...words, 'tickets.jsonl', '-c', 'set.yaml', '--json', ...rest];
  const { code, stdout, stderr } = await commandLine(typed, { cwd: scene.folder.path, env: scene.env });
  if (code === 1) throw new Error(stdout + stderr);
  return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
}

async function threads(scene: Scene): Promise<Record<string, string[]>> {
  const { tickets } = (await scene.ask('GET', '/tickets?take=100')) as {
    tickets: { id: string; subject: string }[];
  };
  const all: Record<string, string[]> = {};
  for (const { id, subject } of tickets) {
    const { messages } = (await scene.ask('GET', `/tickets/${id}/messages`)) as {
      messages: { content: string; fullContent?: string }[];
    };
    all[subject.replace('Subject ', '')] = messages.map((each) => each.fullContent ?? each.content);
  }
  return all;
}

async function idOf(scene: Scene, externalId: string): Promise<string> {
  const { tickets } = (await scene.ask('GET', `/tickets?tags=acme-${externalId}`)) as {
    tickets: { id: string }[];
  };
  return tickets[0]?.id ?? '';
}

const writes = (scene: Scene) => scene.sandbox.log.requests().filter(({ method }) => method !== 'GET');

describe('links between tickets', () => {
  it('are planned, and rewritten in the tickets that have some', async () => {
    await using scene = await openScene();
    writeExport(scene);
    expect(await call(scene, 'run', '--yes')).toMatchObject({ code: 0, tickets: { done: 4 } });
    const before = await threads(scene);
    const sent = writes(scene).length;

    const plan = await call(scene, 'plan');
    expect(plan).toMatchObject({ code: 0, tickets: 2 });
    expect(
      plan.links.map(({ externalId, written }: Record<string, string>) => `${externalId} ${written}`),
    ).toEqual([`1042 ${OLD}/1041`, `1042 ${OLD}/1041?x=1#c`, `1043 ${OLD}/1042`]);
    expect(writes(scene)).toHaveLength(sent);

    const applied = await call(scene, 'apply');
    expect(applied).toMatchObject({ code: 0, tickets: { done: 4 }, problems: [] });
    const [one, two] = [await idOf(scene, '1041'), await idOf(scene, '1042')];
    const after = await threads(scene);
    expect(after['1042']).toEqual([
      `As in ticket #1041, see ${NEW}/${one}.`,
      'My order #1041 is late.',
      `<p>See <a href="${NEW}/${one}">there</a> and about #9999.</p>`,
    ]);
    expect(after['1043']).toEqual([`[old](${NEW}/${two}), duplicate of #1042`, 'Thanks!']);
    expect([after['1041'], after['1044']]).toEqual([before['1041'], before['1044']]);
    expect(
      writes(scene)
        .slice(sent)
        .map(({ method, kind }) => `${method} ${kind}`),
    ).toEqual(['PUT messages', 'PUT messages']);

    // It is out of the way of a rerun, a delta and verify.
    const done = writes(scene).length;
    expect(await call(scene, 'apply')).toMatchObject({ code: 0, problems: [] });
    expect(await call(scene, 'run', '--delta', '--yes')).toMatchObject({ code: 0, problems: [] });
    expect(await call(scene, 'verify')).toMatchObject({ code: 0 });
    expect(writes(scene)).toHaveLength(done);
  });

  it('stay as people wrote or changed them, and replies of people stay in place', async () => {
    await using scene = await openScene();
    writeExport(scene);
    await call(scene, 'run', '--yes');
    const id = await idOf(scene, '1042');
    const { messages } = (await scene.ask('GET', `/tickets/${id}/messages`)) as {
      messages: Record<string, string | undefined>[];
    };
    const kept = messages.map(
      ({ id: own, actorType, contactId, content, contentType, occurredAt, messageId }) => ({
        id: own,
        actorType,
        contactId,
        content,
        contentType,
        occurredAt,
        ...(messageId && { messageId }),
      }),
    );
    await scene.ask('PUT', `/tickets/${id}/messages`, [
      { ...kept[0], content: 'People wrote: as in ticket #1041' },
      ...kept.slice(1),
      {
        actorType: 'customer',
        contact: { email: 'c1042@example.com' },
        content: `A reply about ticket #1041: ${OLD}/1041`,
        occurredAt: '2024-02-01T00:00:00Z',
      },
    ]);
    const applied = await call(scene, 'apply');
    expect(applied.problems.map(({ code }: { code: string }) => code).sort()).toEqual([
      'edited-in-target',
      'messages-kept',
    ]);
    const one = await idOf(scene, '1041');
    const thread = (await threads(scene))['1042'];
    expect(thread).toEqual([
      'People wrote: as in ticket #1041',
      'My order #1041 is late.',
      `<p>See <a href="${NEW}/${one}">there</a> and about #9999.</p>`,
      `A reply about ticket #1041: ${OLD}/1041`,
    ]);
  });

  it('wait for a delta if the export has changed, and for a thread that is shown whole', async () => {
    await using scene = await openScene();
    writeExport(scene);
    await call(scene, 'run', '--yes');
    writeExport(scene, { ...TICKETS, '1042': [...(TICKETS['1042'] ?? []), { text: 'New.' }] });
    const sent = writes(scene).length;
    const applied = await call(scene, 'apply', '--only', '1042');
    expect(applied.problems.map(({ code }: { code: string }) => code)).toEqual(['changed-since-import']);
    expect(writes(scene)).toHaveLength(sent);
  });

  it('are not touched in a helpdesk that cannot be read', async () => {
    await using scene = await openScene();
    writeExport(scene);
    await call(scene, 'run', '--yes');
    const asked: string[] = [];
    const port = Number(new URL(scene.sandbox.url).port);
    const blind = createServer((request, response) => {
      asked.push(request.method ?? '');
      if (request.method === 'GET')
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not_found"}');
      else response.writeHead(500).end();
    });
    await scene.sandbox.close();
    await new Promise<void>((done) => blind.listen(port, '127.0.0.1', done));
    const { code, error } = await call(scene, 'apply');
    blind.close();
    expect(code).toBe(2);
    expect(error.message).toContain('cannot be read');
    expect(asked.every((method) => method === 'GET')).toBe(true);
  });

  it.each([['PUT /tickets/{id}/messages', 1, 'after']] as const)(
    'are the same after links apply was killed at %s %i (%s) and run again',
    async (request, nth, moment) => {
      await using scene = await openScene();
      await using proxy = await between(scene.sandbox.url);
      const env = { ...scene.env, HELPDESK_BASE_URL: proxy.url };
      const viaProxy = { ...scene, env };
      writeExport(scene);
      await call(viaProxy, 'run', '--yes');
      const typed = ['links', 'apply', 'tickets.jsonl', '-c', 'set.yaml', '--yes'];
      const seen = new Map<string, number>();
      const running = startCli(typed, { cwd: scene.folder.path, env });
      proxy[moment] = async (kind) => {
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        if (kind !== request || seen.get(kind) !== nth) return;
        running.kill('SIGKILL');
        await running.result;
      };
      expect((await running.result).code).toBe('SIGKILL');
      proxy[moment] = () => {};
      expect(await call(viaProxy, 'apply')).toMatchObject({ code: 0, problems: [] });
      const after = await threads(scene);
      const [one, two] = [await idOf(scene, '1041'), await idOf(scene, '1042')];
      expect(after['1042']?.[0]).toBe(`As in ticket #1041, see ${NEW}/${one}.`);
      expect(after['1043']).toEqual([`[old](${NEW}/${two}), duplicate of #1042`, 'Thanks!']);
    },
  );

  it('need the address of tickets in the new helpdesk', async () => {
    await using scene = await openScene();
    writeExport(scene);
    await call(scene, 'run', '--yes');
    writeFileSync(scene.folder.join('set.yaml'), 'source: { name: acme }\n');
    const { code, error } = await call(scene, 'apply');
    expect(code).toBe(2);
    expect(error.message + error.hint).toContain('target.ticketUrl');
  });
});
