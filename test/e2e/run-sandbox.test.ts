/** `run` as a person uses it, against a service of its own and a real checkpoint. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/system-clock.ts';
import { writeExport } from '../cli/scene.ts';
import { fixtures, startCli, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { type RunSummary, reported as summaryFor, summaryOf, withService } from './service-run.ts';

const demo = join(fixtures, 'demo');
const COUNT = 24;
const run = ['run', 'export.jsonl', '--set', 'run.rate=100000/1'];

function folderWithExport() {
  const folder = temporaryFolder();
  writeExport(folder.join('export.jsonl'), COUNT);
  return folder;
}

it('the JSON of a dry run says what a run would send, how long that takes, and what filters leave out', async () => {
  using folder = temporaryFolder();
  const { plan, skipped, tickets } = (await summaryFor(
    ['run', demo, '--dry-run', '--since', '2025-06-01', '--set', 'run.rate=60/60'],
    folder.path,
  )) as RunSummary & {
    plan: { requests: Record<string, number>; estimatedSeconds: number };
    skipped: unknown;
  };
  const { creates = 0, messages = 0, events = 0, total = 0 } = plan.requests;
  expect(creates).toBe(tickets['pending']);
  expect(total).toBe(creates + messages + events);
  // Sixty at once, and then one a second.
  expect(plan.estimatedSeconds).toBeGreaterThanOrEqual(total - 60);
  expect(skipped).toEqual([{ reason: 'created before --since', count: tickets['skipped'] }]);
});

describe('run --sandbox', () => {
  it('the sample passes its own trial', async () => {
    using folder = temporaryFolder();
    const { code, stdout } = await commandLine(['run', demo, '--sandbox', '--trial'], { cwd: folder.path });
    expect(code, stdout).toBe(0);
  });

  it('takes an export behind --sandbox for the export, not for the folder of the service', async () => {
    using folder = folderWithExport();
    const reported = await summaryFor(['run', '--sandbox', folder.join('export.jsonl')], folder.path);
    expect(reported.tickets['read']).toBe(COUNT);
    expect(existsSync(folder.join('helpdesk-import.sandbox/service.sqlite'))).toBe(true);
  });

  it('reads JSONL from standard input', async () => {
    using folder = folderWithExport();
    const input = readFileSync(folder.join('export.jsonl'));
    const result = await commandLine(['run', '-', '--sandbox', '--json'], { cwd: folder.path, input });
    expect(summaryOf(result).tickets['done']).toBe(COUNT);
  });
});

it('a trial imports its picks and checks them, takes the same ones when typed again, and a run goes on from there', async () => {
  using folder = folderWithExport();
  await withService({ inventAgents: true }, async ({ env, log }) => {
    const trial = await summaryFor([...run, '--trial', '5'], folder.path, env);
    expect(trial.tickets).toMatchObject({ read: COUNT, done: 5, pending: COUNT - 5 });
    const picks = (reported: RunSummary) =>
      reported.trial?.tickets.map(({ externalId, ticketId }) => [externalId, ticketId]);
    expect(picks(trial)).toHaveLength(5);
    for (const { why, ticketId, checks } of trial.trial?.tickets ?? []) {
      expect(why.length).toBeGreaterThan(0);
      expect(ticketId).toBeDefined();
      const passed = checks.filter(({ ok }) => ok).map(({ name }) => name);
      expect(passed).toEqual(expect.arrayContaining(['message order', 'customer', 'timestamps']));
    }
    const again = await summaryFor([...run, '--trial', '5'], folder.path, env);
    expect(picks(again)).toEqual(picks(trial));
    expect(again.tickets['done']).toBe(5);
    expect(await summaryFor(run, folder.path, env)).toMatchObject({ tickets: { done: COUNT, pending: 0 } });
    expect(log.requests({ effect: 'created' })).toHaveLength(COUNT);
  });
});

it('a dry run sends nothing, writes nothing, and counts what an earlier run has done', async () => {
  using folder = folderWithExport();
  const dry = [...run, '--dry-run'];
  const before = await summaryFor(dry, folder.path);
  expect(before).toMatchObject({
    mode: 'dry-run',
    tickets: { read: COUNT, done: 0, pending: COUNT },
    requests: { sent: 0 },
    exitCode: 0,
  });
  expect(before.target).toBeUndefined();
  expect(readdirSync(folder.path)).toEqual(['export.jsonl']);
  await withService({ inventAgents: true }, async ({ env }) => {
    await summaryFor([...run, '--limit', '10'], folder.path, env);
    const checkpoint = folder.join('helpdesk-import.checkpoint.sqlite');
    const held = readFileSync(checkpoint);
    const after = await summaryFor(dry, folder.path);
    expect(after.tickets).toMatchObject({ read: COUNT, done: 10, pending: COUNT - 10 });
    expect(readFileSync(checkpoint).equals(held)).toBe(true);
  });
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
      using folder = temporaryFolder();
      const reported = await summaryFor(['run', join(base, name), '--dry-run'], folder.path);
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
      using folder = temporaryFolder();
      writeFileSync(folder.join('tickets.csv'), [...title, ...rows, ''].join('\n'));
      const refused = await commandLine(['run', 'tickets.csv', '--dry-run'], { cwd: folder.path });
      expect(refused.code).toBe(2);
      expect(refused.stderr.replace(/\s+/g, ' ')).toContain(
        'The header of tickets.csv (line 1) has one cell, and the rows below it have 5. → If titles precede the header, set source.skipLines: 2.',
      );
      writeFileSync(folder.join('titled.yaml'), 'source: { skipLines: 2 }\n');
      const skipping = ['run', 'tickets.csv', '--dry-run', '-c', 'titled.yaml'];
      const reported = await summaryFor(skipping, folder.path);
      expect(reported.tickets).toMatchObject({ read: 2, rejected: 1, pending: 1 });
      expect(reported.problems.map(({ code, line }) => [code, line])).toContainEqual(['invalid-status', 5]);
    },
  );
});

describe('refusals', () => {
  it('a token without the scope to write ends with 5 and names it, in a quiet run too', async () => {
    using folder = folderWithExport();
    await withService({ auth: { scopes: ['read:tickets'] } }, async ({ env }) => {
      for (const more of [[], ['--json', '--quiet']]) {
        const result = await commandLine([...run, ...more], { cwd: folder.path, env });
        expect(result.code).toBe(5);
        expect(result.stdout + result.stderr).toMatch(/scope\s+write:tickets/);
      }
    });
  });
});

it('a second process is refused the checkpoint of a running import; Ctrl-C finishes requests in flight, and the next run sends the rest once', async () => {
  using folder = folderWithExport();
  await withService({ inventAgents: true, clock: systemClock }, async ({ env, log }) => {
    const slow = ['run', 'export.jsonl', '--set', 'run.rate=20/1'];
    const first = startCli(slow, { cwd: folder.path, env });
    await first.shown('importing:');
    const second = await commandLine(run, { cwd: folder.path, env });
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(/in use by process \d+/);
    first.kill('SIGINT');
    const stopped = await first.result;
    expect(stopped.code).toBe(130);
    expect(stopped.stdout + stopped.stderr).toMatch(/[Rr]un the same command again/);
    const rest = await summaryFor(run, folder.path, env);
    expect(rest.tickets).toMatchObject({ read: COUNT, done: COUNT });
    expect(log.duplicates()).toEqual([]);
  });
});

describe('--redact', () => {
  it('keeps addresses of the export off the screen, the JSON and the report', async () => {
    using folder = temporaryFolder();
    const bad = join(fixtures, 'native/bad/jsonl');
    const args = ['run', bad, '--dry-run', '--redact', '--report', 'report.html'];
    const reported = await commandLine([...args, '--json'], { cwd: folder.path });
    expect(reported.code).toBe(3);
    const shown = [reported.stdout, reported.stderr, readFileSync(folder.join('report.html'), 'utf8')].join(
      '\n',
    );
    expect(shown).toContain('invalid-email');
    expect(shown).not.toMatch(/mira\.holt|a@example\.com/);
    const open = await commandLine(['run', bad, '--dry-run', '--json'], { cwd: folder.path });
    expect(open.stdout).toMatch(/mira\.holt/);
  });
});
