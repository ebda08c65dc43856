/** A dry run that asks the helpdesk: by reading alone, a bounded number of times, and whatever the helpdesk does. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openScene, type Scene } from '../cli/scene.ts';
import { agentRows } from '../support/agent-rows.ts';
import { type CannedAnswer, canned } from '../support/canned.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { hurried } from '../support/hurried-clock.ts';

const SETTINGS = agentRows({ requester: 'email: email, name: name', author: 'email: agent' });
const AGENTS = ['ana@team.example', 'ben@team.example'];

function writeExport(folder: string, count = 30): void {
  const rows = Array.from(
    { length: count },
    (_, at) =>
      `${at},Subject ${at},Text ${at},c${at}@example.com,Name ${at},${AGENTS[at % 2]},2024-01-${String(at + 1).padStart(2, '0')}T00:00:00Z`,
  );
  writeFileSync(`${folder}/tickets.csv`, ['id,subject,text,email,name,agent,at', ...rows].join('\n'));
  writeFileSync(`${folder}/own.yaml`, SETTINGS);
}

const ARGS = ['run', 'tickets.csv', '-c', 'own.yaml', '--set', 'source.name=acme'];

async function dry(scene: Pick<Scene, 'folder' | 'env'>, ...flags: string[]) {
  const { code, stdout, stderr } = await commandLine([...ARGS, '--dry-run', '--json', ...flags], {
    cwd: scene.folder.path,
    env: scene.env,
  });
  return { code, stderr, ...JSON.parse(stdout) };
}

/** Without a token there is no helpdesk to ask. */
function withoutToken({ folder, env: { HELPDESK_TOKEN: _, ...env } }: Scene) {
  return { folder, env };
}

const codes = (reported: { problemGroups: { code: string }[] }) =>
  reported.problemGroups.map(({ code }) => code);

describe('a dry run without a helpdesk', () => {
  it('rejects no ticket for an agent who is looked up at import, and says so', async () => {
    using folder = temporaryFolder();
    writeExport(folder.path);
    const { code, stdout } = await commandLine([...ARGS, '--dry-run', '--json'], { cwd: folder.path });
    const reported = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(reported).toMatchObject({
      tickets: { rejected: 0, pending: 30 },
      requests: { sent: 0 },
      people: { later: 2 },
    });
    const asked = reported.problemGroups.find(({ code: one }: { code: string }) => one === 'agents-asked');
    expect(asked).toMatchObject({ severity: 'warning' });
    expect(asked.example.message).toContain('looked up at import');
  });

  it('tells no change of what an earlier run sent with the IDs that the helpdesk gave', async () => {
    await using scene = await openScene();
    writeExport(scene.folder.path);
    await commandLine([...ARGS, '--yes'], { cwd: scene.folder.path, env: scene.env });
    const reported = await dry(withoutToken(scene));
    expect(reported).toMatchObject({ code: 0, tickets: { done: 30 } });
    expect(codes(reported)).not.toContain('changed-since-import');
  });
});

describe('a dry run that may ask the helpdesk', () => {
  it('resolves agents as the run does, finds existing contacts and tickets, and writes nothing', async () => {
    await using scene = await openScene({ inventAgents: false });
    writeExport(scene.folder.path);
    const { log } = scene.sandbox;
    const { agents, contacts } = scene.sandbox.store;
    agents.add({ email: AGENTS[0] ?? '', name: 'Ana' });
    for (const [email, name] of [
      ['c2@example.com', 'Name 2'],
      ['c4@example.com', 'Called otherwise'],
    ] as const)
      contacts.matchOrCreate({ email, name }, 0);
    await scene.ask('POST', '/tickets', {
      subject: 'Subject 8',
      createdAt: '2024-01-01T00:00:00Z',
      tags: ['imported', 'acme-8', 'from-acme'],
    });
    const before = log.requests().length;
    const reported = await dry(scene);
    expect(reported.people.look).toMatchObject({
      agents: { asked: 2, found: 1, unknown: [AGENTS[1]] },
      contacts: { asked: 15, found: 2, renamed: 1 },
      tickets: { ofSource: 1, unknown: 1, example: { externalId: '8' } },
    });
    // Those of the agent whom the helpdesk does not know are what a run rejects.
    expect(reported).toMatchObject({ code: 3, tickets: { rejected: 15, pending: 15 } });
    expect(codes(reported)).toContain('already-in-target');
    const asked = log.requests().slice(before);
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(asked.filter(({ effect }) => effect !== 'read')).toEqual([]);
    expect(reported.requests.sent).toBe(asked.length);
    expect(asked.length).toBeLessThan(10);

    const shown = await commandLine([...ARGS, '--dry-run'], { cwd: scene.folder.path, env: scene.env });
    expect(shown.stdout).toContain('In the helpdesk');
    expect(shown.stdout).toMatch(/1 of 2 \(found by their address, not ben@team\.example\)/);
    expect(shown.stdout).toMatch(/2 of the first 15/);

    const off = log.requests().length;
    await dry(withoutToken(scene));
    expect(log.requests()).toHaveLength(off);
  });
});

describe('a helpdesk that fails', () => {
  it.each<[what: string, answer: CannedAnswer]>([
    ['refuses the token', { status: 401, body: { error: 'token_invalid' } }],
    ['asks to wait for an hour', { status: 429, headers: { 'retry-after': '3600' } }],
    ['is a web page', { body: '<html>Hello</html>' }],
  ])('and %s never fails the dry run, and gets a handful of requests', async (_, answer) => {
    using folder = temporaryFolder();
    writeExport(folder.path);
    await using server = await canned(() => answer);
    const env = { HELPDESK_BASE_URL: server.url, HELPDESK_TOKEN: 'sesame' };
    writeFileSync(
      folder.join('own.yaml'),
      `run: { timeout: 0.5 }\n${readFileSync(folder.join('own.yaml'), 'utf8')}`,
    );
    const { code, stdout } = await commandLine([...ARGS, '--dry-run', '--json'], {
      cwd: folder.path,
      clock: hurried(20),
      env,
    });
    const reported = JSON.parse(stdout);
    expect([0, 3]).toContain(code);
    expect(reported.tickets.read).toBe(30);
    // A token that may not read agents cannot look them up at import either.
    if (code === 3) expect(reported.tickets.rejected).toBe(30);
    else expect(codes(reported)).toContain('target-not-asked');
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
    expect(server.seen.length).toBeLessThan(12);
  });
});
