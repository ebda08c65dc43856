/** `run` as a person uses it, against a service of its own and a real checkpoint. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { answeredTickets, openDesk, openFolder, type Ran, summaryOf } from '../support/desk.ts';

const demo = join(fixtures, 'demo');
const COUNT = 24;
const run = ['run', 'export.jsonl', '--set', 'run.rate=100000/1'];

function placeWithExport() {
  const place = openFolder();
  place.write('export.jsonl', answeredTickets(COUNT));
  return place;
}

async function deskWithExport(options = {}) {
  const desk = await openDesk({ inventAgents: true, ...options });
  desk.write('export.jsonl', answeredTickets(COUNT));
  return desk;
}

describe('run --sandbox', () => {
  it('the sample passes its own trial', async () => {
    const { code, stdout } = await openFolder().type('run', demo, '--sandbox', '--trial');
    expect(code, stdout).toBe(0);
  });

  it('takes an export behind --sandbox for the export, not for the folder of the service', async () => {
    const { run: typed, folder } = placeWithExport();
    const { tickets } = await typed('run', '--sandbox', folder.join('export.jsonl'));
    expect(tickets['read']).toBe(COUNT);
    expect(existsSync(folder.join('helpdesk-import.sandbox/service.sqlite'))).toBe(true);
  });

  it('reads JSONL from standard input', async () => {
    const { read, typeWith } = placeWithExport();
    const result = await typeWith({ input: read('export.jsonl') }, 'run', '-', '--sandbox', '--json');
    expect(summaryOf(result).tickets['done']).toBe(COUNT);
  });
});

it('a trial imports its picks and checks them, takes the same ones when typed again, and a run goes on from there', async () => {
  const { run: typed, sandbox } = await deskWithExport();
  const trial = await typed(...run, '--trial', '5');
  expect(trial.tickets).toMatchObject({ read: COUNT, done: 5, pending: COUNT - 5 });
  const picks = (ran: Ran) => ran.trial?.tickets.map(({ externalId, ticketId }) => [externalId, ticketId]);
  expect(picks(trial)).toHaveLength(5);
  for (const { why, ticketId, checks } of trial.trial?.tickets ?? []) {
    expect(why.length).toBeGreaterThan(0);
    expect(ticketId).toBeDefined();
    const passed = checks.filter(({ ok }) => ok).map(({ name }) => name);
    expect(passed).toEqual(expect.arrayContaining(['message order', 'customer', 'timestamps']));
  }
  const again = await typed(...run, '--trial', '5');
  expect(picks(again)).toEqual(picks(trial));
  expect(again.tickets['done']).toBe(5);
  expect(await typed(...run)).toMatchObject({ tickets: { done: COUNT, pending: 0 } });
  expect(sandbox.log.requests({ effect: 'created' })).toHaveLength(COUNT);
});

it('a dry run sends nothing, writes nothing, and counts what an earlier run has done', async () => {
  const alone = placeWithExport();
  const before = await alone.run(...run, '--dry-run');
  expect(before).toMatchObject({ mode: 'dry-run', exitCode: 0, requests: { sent: 0 } });
  expect(before.tickets).toMatchObject({ read: COUNT, done: 0, pending: COUNT });
  expect(before.target).toBeUndefined();
  expect(readdirSync(alone.folder.path)).toEqual(['export.jsonl']);
  const desk = await deskWithExport();
  await desk.run(...run, '--limit', '10');
  const held = readFileSync(desk.checkpoint);
  const after = await desk.run(...run, '--dry-run');
  expect(after.tickets).toMatchObject({ read: COUNT, done: 10, pending: COUNT - 10 });
  expect(readFileSync(desk.checkpoint).equals(held)).toBe(true);
});

interface Expected {
  tickets: { read: number; rejected: number; pending: number };
  problems: {
    severity: string;
    code: string;
    ticket?: string;
    file?: string;
    line?: number;
    field?: string;
  }[];
}

/** As fixtures/README.md explains: the base name of the file, and order does not matter. */
function comparable(problems: Expected['problems']): string[] {
  return problems
    .map(({ severity, code, ticket, file, line, field }) =>
      [severity, code, ticket, file?.split('/').at(-1), line, field].map((part) => part ?? '-').join(' '),
    )
    .sort();
}

describe.each(['bad', 'good'])('a dry run over fixtures/native/%s', (quality) => {
  const base = join(fixtures, 'native', quality);
  const expected = JSON.parse(readFileSync(join(base, 'expected-problems.json'), 'utf8')) as Record<
    string,
    Expected
  >;
  it.each(Object.keys(expected))(
    '%s: every problem in one pass, with file, line, field and what to do',
    async (name) => {
      const reported = await openFolder().run('run', join(base, name), '--dry-run');
      const wanted = expected[name]!;
      expect(reported.tickets).toMatchObject(wanted.tickets);
      expect(comparable(reported.problems)).toEqual(comparable(wanted.problems));
      expect(reported.exitCode).toBe(wanted.tickets.rejected === 0 ? 0 : 3);
      for (const problem of reported.problems)
        expect((problem as { message?: string }).message).toMatch(/\S+ \S+.*\.$|\?$/s);
    },
  );
});

describe('a title above the header of a CSV', () => {
  const rows = [
    'id,subject,status,createdAt,contact.email',
    '1,Kettle,open,2024-05-01T00:00:00Z,ann@example.com',
    '2,Late,opne,2024-05-01T00:00:00Z,ann@example.com',
  ];

  it.each([
    ['one line', ['Report generated 2024-05-06', '']],
    ['two lines', ['Report', 'generated 2024-05-06']],
  ])(
    '%s of it are refused, with the setting that leaves them out; lines are those of the file',
    async (_, title) => {
      const { write, type, run: typed } = openFolder();
      write('tickets.csv', [...title, ...rows, ''].join('\n'));
      const refused = await type('run', 'tickets.csv', '--dry-run');
      expect(refused.code).toBe(2);
      expect(refused.stderr.replace(/\s+/g, ' ')).toContain(
        'The header of tickets.csv (line 1) has one cell, and the rows below it have 5. → If titles precede the header, set source.skipLines: 2.',
      );
      const reported = await typed('run', 'tickets.csv', '--dry-run', '--set', 'source.skipLines=2');
      expect(reported.tickets).toMatchObject({ read: 2, rejected: 1, pending: 1 });
      expect(reported.problems.map(({ code, line }) => [code, line])).toContainEqual(['invalid-status', 5]);
    },
  );
});

it('--redact keeps addresses of the export off the screen, the JSON and the report', async () => {
  const { type, read } = openFolder();
  const dry = ['run', join(fixtures, 'native/bad/jsonl'), '--dry-run', '--json'];
  const redacted = await type(...dry, '--redact', '--report', 'report.html');
  expect(redacted.code).toBe(3);
  const shown = [redacted.stdout, redacted.stderr, read('report.html')].join('\n');
  expect(shown).toContain('invalid-email');
  expect(shown).not.toMatch(/mira\.holt|a@example\.com/);
  expect((await type(...dry)).stdout).toMatch(/mira\.holt/);
});
