/** `run` as a person uses it: the built program, a real service, a real checkpoint. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/system-clock.ts';
import { cli, fixtures, startCli, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { reported as summaryFor, summaryOf, type Told } from './service-run.ts';

const demo = join(fixtures, 'demo');
/** The default budget would make the demo take most of a minute. */
const fast = ['--rate', '100000/1'];

async function withSandbox<T>(
  work: (sandbox: Awaited<ReturnType<typeof startSandbox>>, env: Record<string, string>) => Promise<T>,
  options: Partial<Parameters<typeof startSandbox>[0]> = {},
): Promise<T> {
  const sandbox = await startSandbox({ clock: systemClock, strict: true, ...options });
  try {
    return await work(sandbox, { HELPDESK_BASE_URL: sandbox.url, HELPDESK_TOKEN: sandbox.token });
  } finally {
    await sandbox.close();
  }
}

it('the JSON of a dry run says what a run would send, how long that takes, and what filters leave out', async () => {
  using folder = temporaryFolder();
  const { plan, tickets } = (await summaryFor(
    ['run', demo, '--dry-run', '--since', '2025-06-01', '--rate', '60/60'],
    folder.path,
  )) as Told & { plan: { requests: Record<string, number>; durationMs: number; skipped: unknown } };
  const { creates = 0, messages = 0, events = 0, total = 0 } = plan.requests;
  expect(creates).toBe(tickets['pending']);
  expect(total).toBe(creates + messages + events);
  // Sixty at once, and then one a second.
  expect(plan.durationMs).toBeGreaterThanOrEqual((total - 60) * 1000);
  expect(plan.skipped).toEqual([{ reason: 'created before --since', count: tickets['skipped'] }]);
});

describe('run --sandbox', () => {
  it('imports the demo completely, and a second time says that all is done and only asks whether the target is still the one', async () => {
    using folder = temporaryFolder();
    const run = async () => summaryOf(await cli(['run', demo, '--sandbox', '--json'], { cwd: folder.path }));
    const first = await run();
    expect(first).toMatchObject({
      mode: 'run',
      layout: 'native',
      tickets: { read: 257, done: 257, rejected: 0, failed: 0, inDoubt: 0, skipped: 0, pending: 0 },
      messages: { read: 1145, sent: 1145 },
      events: { read: 732, sent: 732 },
      problemsTotal: 0,
      exitCode: 0,
    });
    const again = await run();
    // Some of the tickets are read back, the organization is asked for, and the tickets are counted: nothing grows with the export.
    expect(again.requests['sent']).toBeLessThanOrEqual(12);
    expect(again).toMatchObject({
      tickets: { read: 257, done: 257 },
      messages: { read: 1145, sent: 1145 },
      exitCode: 0,
    });
  });

  it('takes an export behind --sandbox for the export, not for the folder of the service', async () => {
    using folder = temporaryFolder();
    const reported = await summaryFor(['run', '--sandbox', join(demo, 'tickets.csv')], folder.path);
    expect(reported.tickets['read']).toBe(257);
    expect(existsSync(folder.join('helpdesk-import.sandbox/service.sqlite'))).toBe(true);
  });

  it('reads JSONL from standard input', async () => {
    using folder = temporaryFolder();
    const input = readFileSync(join(fixtures, 'native/good/jsonl/tickets.jsonl'));
    const result = await cli(['run', '-', '--sandbox', '--json'], { cwd: folder.path, input });
    expect((JSON.parse(result.stdout) as Told).tickets['read']).toBeGreaterThan(10);
  });
});

describe('a trial', () => {
  it('imports the picks, checks them, and a later run goes on from there', async () => {
    using folder = temporaryFolder();
    const trial = await summaryFor(['run', demo, '--trial', '5', '--sandbox'], folder.path);
    expect(trial.tickets).toMatchObject({ read: 257, done: 5, pending: 252 });
    expect(trial.trial?.tickets).toHaveLength(5);
    for (const ticket of trial.trial?.tickets ?? []) {
      expect(ticket.why.length).toBeGreaterThan(0);
      expect(ticket.ticketId).toBeDefined();
      const checks = new Map(ticket.checks.map(({ name, ok }) => [name, ok]));
      expect(checks.get('message order')).toBe(true);
      expect(checks.get('contact matching')).toBe(true);
      expect(checks.get('timestamps')).toBe(true);
    }
    const run = await summaryFor(['run', demo, '--sandbox'], folder.path);
    expect(run.tickets).toMatchObject({ read: 257, done: 257, pending: 0 });
    // Without those of the trial's tickets, and with the questions to the target at its beginning and end.
    expect(run.requests['sent']).toBeLessThan(770 - 12 + 12);
  });

  it('takes the same tickets when it is called again, and creates none of them twice', async () => {
    using folder = temporaryFolder();
    const args = ['run', demo, '--trial', '--sandbox'];
    const first = await summaryFor(args, folder.path);
    const second = await summaryFor(args, folder.path);
    const ids = (reported: Told) =>
      reported.trial?.tickets.map(({ externalId, ticketId }) => [externalId, ticketId]);
    expect(ids(second)).toEqual(ids(first));
    expect(second.tickets['done']).toBe(8);
  });
});

describe('a dry run', () => {
  it('sends nothing, writes nothing, and needs no target', async () => {
    using folder = temporaryFolder();
    const reported = await summaryFor(['run', demo, '--dry-run'], folder.path);
    expect(reported).toMatchObject({
      mode: 'dry-run',
      tickets: { read: 257, done: 0, pending: 257 },
      requests: { sent: 0 },
      exitCode: 0,
    });
    expect(reported.target).toBeUndefined();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('changes no checkpoint, and knows what an earlier run has done', async () => {
    using folder = temporaryFolder();
    await withSandbox(async (_, env) => {
      await summaryFor(['run', demo, '--limit', '100', ...fast], folder.path, env);
      const checkpoint = folder.join('helpdesk-import.checkpoint.sqlite');
      const before = readFileSync(checkpoint);
      const reported = await summaryFor(['run', demo, '--dry-run'], folder.path);
      expect(reported.tickets).toMatchObject({ read: 257, done: 100, pending: 157 });
      expect(readFileSync(checkpoint).equals(before)).toBe(true);
    });
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

  it('is refused, with the option that leaves it out; lines are those of the file', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('tickets.csv'), ['Report generated 2024-05-06', '', ...rows, ''].join('\n'));
    const refused = await commandLine(['run', 'tickets.csv', '--dry-run'], { cwd: folder.path });
    expect(refused.code).toBe(2);
    expect(refused.stderr.replace(/\s+/g, ' ')).toContain(
      'The header of tickets.csv (line 1) has one cell, and the rows below it have 5. → If titles precede the header, skip them: --skip-lines 2.',
    );
    const skipping = ['run', 'tickets.csv', '--dry-run', '--skip-lines', '2'];
    const reported = await summaryFor(skipping, folder.path);
    expect(reported.tickets).toMatchObject({ read: 2, rejected: 1, pending: 1 });
    expect(reported.problems.map(({ code, line }) => [code, line])).toContainEqual(['invalid-status', 5]);
  });
});

describe('rejects', () => {
  it('what is fixed in the rejects folder is imported from there, leaves it, and totals reconcile', async () => {
    using folder = temporaryFolder();
    await withSandbox(async (sandbox, env) => {
      const line = (id: string, status: string) =>
        JSON.stringify({
          id,
          subject: `Ticket ${id}`,
          status,
          createdAt: '2024-01-01T00:00:00Z',
          contact: { email: 'ann@example.com' },
          messages: [
            {
              actorType: 'customer',
              content: 'Hello',
              occurredAt: '2024-01-01T00:00:00Z',
              contact: { email: 'ann@example.com' },
            },
          ],
        });
      const lines = [line('a', 'open'), line('b', 'opne'), line('c', 'clsoed'), '{"id": "d", '];
      writeFileSync(folder.join('export.jsonl'), `${lines.join('\n')}\n`);
      const first = await summaryFor(['run', 'export.jsonl'], folder.path, env);
      expect(first.tickets).toMatchObject({ read: 4, done: 1, rejected: 3 });
      const rejects = folder.join('helpdesk-import.rejects');
      expect(statSync(rejects).mode & 0o777).toBe(0o700);
      const rejected = join(rejects, 'export.jsonl');
      const text = readFileSync(rejected, 'utf8');
      expect(text).toContain('_reason');
      writeFileSync(rejected, text.replace('"opne"', '"open"'));

      const second = await summaryFor(['run', 'helpdesk-import.rejects'], folder.path, env);
      expect(second.tickets).toMatchObject({ done: 1 });
      expect(readFileSync(rejected, 'utf8')).not.toContain('Ticket b');
      expect(readFileSync(rejected, 'utf8')).toContain('Ticket c');

      const whole = await summaryFor(['run', 'export.jsonl'], folder.path, env);
      expect(whole.tickets).toMatchObject({ read: 4, done: 2, rejected: 2 });
      expect(sandbox.store.log.duplicates()).toEqual([]);
      expect(sandbox.store.log.creates()).toHaveLength(2);
    });
  });
});

describe('refusals', () => {
  it('a wrong token ends with 5, and nothing is lost', async () => {
    using folder = temporaryFolder();
    await withSandbox(async (_, env) => {
      const refused = await commandLine(['run', demo, ...fast], {
        cwd: folder.path,
        env: { ...env, HELPDESK_TOKEN: 'wrong' },
      });
      expect(refused.code).toBe(5);
      const after = await summaryFor(['run', demo, ...fast], folder.path, env);
      expect(after).toMatchObject({ exitCode: 0, tickets: { done: 257 } });
    });
  });

  it('a token without the scope to write ends with 5 and names it', async () => {
    using folder = temporaryFolder();
    await withSandbox(
      async (_, env) => {
        const result = await commandLine(['run', demo, ...fast], { cwd: folder.path, env });
        expect(result.code).toBe(5);
        expect(result.stdout + result.stderr).toContain('write:tickets');
        // Nobody misses the reason who asked for little to read.
        const quiet = await commandLine(['run', demo, ...fast, '--json', '--quiet'], {
          cwd: folder.path,
          env,
        });
        expect(JSON.parse(quiet.stdout)).toMatchObject({ exitCode: 5 });
        expect(quiet.stderr).toMatch(/^Error: [\s\S]*scope\s+write:tickets/);
      },
      { auth: { scopes: ['read:tickets'] } },
    );
  });

  it('a checkpoint of another target, and an export of another source, end with 2', async () => {
    using folder = temporaryFolder();
    await withSandbox(async (_, env) => {
      await summaryFor(['run', demo, '--limit', '5', ...fast], folder.path, env);
      await withSandbox(async (_other, env) => {
        const other = await commandLine(['run', demo], { cwd: folder.path, env });
        expect(other.code).toBe(2);
        expect(other.stderr).toMatch(/belongs to the target/);
      });
      const source = await commandLine(['run', join(fixtures, 'native/good/jsonl')], {
        cwd: folder.path,
        env,
      });
      expect(source.code).toBe(2);
      expect(source.stderr).toMatch(/another source/);
    });
  });

  it('the token is in no file and on no screen', async () => {
    using folder = temporaryFolder();
    await withSandbox(async (_, env) => {
      const secret = 'a-very-secret-token-0123456789';
      const result = await cli(['run', demo, '--verbose', ...fast], {
        cwd: folder.path,
        env: { ...env, HELPDESK_TOKEN: secret },
      });
      expect(result.code).toBe(5);
      const everything = [
        result.stdout,
        result.stderr,
        ...readdirSync(folder.path).map((name) => readFileSync(folder.join(name), 'latin1')),
      ].join('\n');
      expect(everything).not.toContain(secret);
    });
  });
});

describe('one thing at a time', () => {
  it('two processes never use one checkpoint at once', async () => {
    using folder = temporaryFolder();
    await withSandbox(async (_, env) => {
      const first = startCli(['run', demo, '--no-progress', '--rate', '30/1'], { cwd: folder.path, env });
      await first.shown('importing:');
      const second = await cli(['run', demo], { cwd: folder.path, env });
      expect(second.code).toBe(2);
      expect(second.stderr).toMatch(/in use by process \d+/);
      first.kill('SIGINT');
      expect((await first.result).code).toBe(130);
    }, {});
  });

  it('a first Ctrl-C finishes what is in flight and says how to go on; the next run sends the rest once', async () => {
    using folder = temporaryFolder();
    await withSandbox(async (sandbox, env) => {
      const first = startCli(['run', demo, '--no-progress', '--rate', '100/1'], { cwd: folder.path, env });
      await first.shown('importing:');
      first.kill('SIGINT');
      const stopped = await first.result;
      expect(stopped.code).toBe(130);
      expect(stopped.stdout + stopped.stderr).toMatch(/[Rr]un the same command again/);
      const rest = await summaryFor(['run', demo, ...fast], folder.path, env);
      expect(rest.tickets).toMatchObject({ read: 257, done: 257 });
      expect(sandbox.store.log.duplicates()).toEqual([]);
    });
  });
});

describe('--redact', () => {
  it('no address of the export is on the screen, in the JSON or in the report', async () => {
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
