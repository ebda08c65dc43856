/** A dry run that asks the helpdesk: by reading alone, a bounded number of times, and whatever the helpdesk does. */
import { describe, expect, it } from 'vitest';
import { agentRows } from '../support/agent-rows.ts';
import { type CannedAnswer, canned } from '../support/canned.ts';
import { type Desk, LENIENT, openDesk, openFolder, type Place } from '../support/desk.ts';
import { hurried } from '../support/hurried-clock.ts';

const SETTINGS = agentRows({ requester: 'email: email, name: name', author: 'email: agent' });
const AGENTS = ['ana@team.example', 'ben@team.example'];

function writeExport({ write }: Place): void {
  const rows = Array.from({ length: 30 }, (_, at) => {
    const day = String(at + 1).padStart(2, '0');
    return `${at},Subject ${at},Text ${at},c${at}@example.com,Name ${at},${AGENTS[at % 2]},2024-01-${day}T00:00:00Z`;
  });
  write('tickets.csv', ['id,subject,text,email,name,agent,at', ...rows].join('\n'));
  write('own.yaml', SETTINGS);
}

const ARGS = ['run', 'tickets.csv', '-c', 'own.yaml', '--set', 'source.name=acme'];

async function dry({ typeWith }: Place, env: Record<string, string>, around = {}) {
  const { code, stdout, stderr } = await typeWith({ env, ...around }, ...ARGS, '--dry-run', '--json');
  return { code, stderr, ...JSON.parse(stdout) };
}

/** Without a token there is no helpdesk to ask. */
const withoutToken = ({ env: { HELPDESK_TOKEN: _, ...env } }: Desk) => env;

const codes = (reported: { problemGroups: { code: string }[] }) =>
  reported.problemGroups.map(({ code }) => code);

describe('a dry run without a helpdesk', () => {
  it('rejects no ticket for an agent who is looked up at import, and says so', async () => {
    const place = openFolder();
    writeExport(place);
    const reported = await dry(place, {});
    expect(reported).toMatchObject({
      code: 0,
      tickets: { rejected: 0, pending: 30 },
      requests: { sent: 0 },
      people: { later: 2 },
    });
    const asked = reported.problemGroups.find(({ code: one }: { code: string }) => one === 'agents-asked');
    expect(asked).toMatchObject({ severity: 'warning' });
    expect(asked.example.message).toContain('looked up at import');
  });

  it('tells no change of what an earlier run sent with the IDs that the helpdesk gave', async () => {
    const desk = await openDesk(LENIENT);
    writeExport(desk);
    await desk.type(...ARGS, '--yes');
    const reported = await dry(desk, withoutToken(desk));
    expect(reported).toMatchObject({ code: 0, tickets: { done: 30 } });
    expect(codes(reported)).not.toContain('changed-since-import');
  });
});

describe('a dry run that may ask the helpdesk', () => {
  it('resolves agents as the run does, finds existing contacts and tickets, and writes nothing', async () => {
    const desk = await openDesk({ strict: false });
    writeExport(desk);
    const { log } = desk.sandbox;
    const { agents, contacts } = desk.sandbox.store;
    agents.add({ email: AGENTS[0] ?? '', name: 'Ana' });
    for (const [email, name] of [
      ['c2@example.com', 'Name 2'],
      ['c4@example.com', 'Called otherwise'],
    ] as const)
      contacts.matchOrCreate({ email, name }, 0);
    await desk.ask('POST', '/tickets', {
      subject: 'Subject 8',
      createdAt: '2024-01-01T00:00:00Z',
      tags: ['imported', 'acme-8', 'from-acme'],
    });
    const before = log.requests().length;
    const reported = await dry(desk, desk.env);
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

    const shown = await desk.type(...ARGS, '--dry-run');
    expect(shown.stdout).toContain('In the helpdesk');
    expect(shown.stdout).toMatch(/1 of 2 \(found by their address, not ben@team\.example\)/);
    expect(shown.stdout).toMatch(/2 of the first 15/);

    const off = log.requests().length;
    await dry(desk, withoutToken(desk));
    expect(log.requests()).toHaveLength(off);
  });
});

describe('a helpdesk that fails', () => {
  it.each<[what: string, answer: CannedAnswer]>([
    ['refuses the token', { status: 401, body: { error: 'token_invalid' } }],
    ['asks to wait for an hour', { status: 429, headers: { 'retry-after': '3600' } }],
    ['is a web page', { body: '<html>Hello</html>' }],
  ])('and %s never fails the dry run, and gets a handful of requests', async (_, answer) => {
    const place = openFolder();
    writeExport(place);
    place.write('own.yaml', `run: { timeout: 0.5 }\n${SETTINGS}`);
    await using server = await canned(() => answer);
    const env = { HELPDESK_BASE_URL: server.url, HELPDESK_TOKEN: 'sesame' };
    const { code, ...reported } = await dry(place, env, { clock: hurried(20) });
    expect([0, 3]).toContain(code);
    expect(reported.tickets.read).toBe(30);
    // A token that may not read agents cannot look them up at import either.
    if (code === 3) expect(reported.tickets.rejected).toBe(30);
    else expect(codes(reported)).toContain('target-not-asked');
    expect(server.seen.every(({ method }) => method === 'GET')).toBe(true);
    expect(server.seen.length).toBeLessThan(12);
  });
});
