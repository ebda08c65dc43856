/** `--canary`: one ticket for a person's own address first, with a true mail server behind the target, so that the check can fail. */
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { describe, expect, it } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults/fault-plan.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { count, reported, type Service, withService } from './service-run.ts';

const ME = 'lead@mine.example';
const LINES = ['t1', 't2'].map((id) => ({
  id,
  subject: `Subject of ${id}`,
  contact: { email: `${id}@example.com` },
  createdAt: '2024-01-01T00:00:00Z',
  messages: [
    {
      actorType: 'agent',
      agentId: 'agt_1',
      content: `Words to ${id}`,
      occurredAt: '2024-01-01T00:00:00Z',
    },
  ],
}));

interface MailServer extends AsyncDisposable {
  readonly port: number;
  /** Addresses to which mail came, in order. */
  readonly to: string[];
}

async function mailServer(): Promise<MailServer> {
  const to: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      stream.resume().on('end', () => {
        to.push(...session.envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as AddressInfo;
  return { port, to, [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())) };
}

const canaries = (service: Service) =>
  count(service, "SELECT count(*) FROM tickets WHERE tags LIKE '%import-canary-%'");
const all = (service: Service) => count(service, 'SELECT count(*) FROM tickets');

async function against(
  faults: readonly string[],
  work: (
    run: (...flags: string[]) => ReturnType<typeof commandLine>,
    service: Service,
    cwd: string,
  ) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'export.jsonl'), LINES.map((line) => JSON.stringify(line)).join('\n'));
  await withService({ faults: parseFaults([...faults], 7) }, async (service) => {
    const run = (...flags: string[]) =>
      commandLine(['run', 'export.jsonl', ...flags], { cwd: folder.path, env: service.env });
    await work(run, service, folder.path);
  });
}

describe('a target that writes to customers', () => {
  it('is found out by the canary, before any ticket of the export is there', async () => {
    await using mail = await mailServer();
    await against([`mails-customers=${mail.port}`], async (run, service) => {
      const first = await run('--canary', ME);
      expect(first).toMatchObject({ code: 2, stderr: expect.stringContaining('--canary-answer quiet') });
      expect(mail.to).toEqual([ME, ME]);
      expect([canaries(service), all(service)]).toEqual([1, 1]);
      const stopped = await run('--canary', ME, '--canary-answer', 'mailed');
      expect(stopped).toMatchObject({ code: 2, stderr: expect.stringContaining('writes to customers') });
      // what was said stays said
      expect((await run('--canary', ME)).code).toBe(2);
      expect((await run()).code).toBe(2);
      expect([canaries(service), all(service), mail.to.length]).toEqual([1, 1, 2]);
    });
  });

  it('is tried anew when it was put right', async () => {
    await using mail = await mailServer();
    await against([`mails-customers=${mail.port}#1`], async (run, service) => {
      await run('--canary', ME);
      await run('--canary-answer', 'mailed');
      const again = await run('--canary-answer', 'again');
      expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--canary-answer quiet') });
      expect(canaries(service)).toBe(2);
      expect((await run('--canary-answer', 'quiet')).code).toBe(0);
      expect(all(service)).toBe(4);
    });
  });
});

describe('a silent target', () => {
  it('gets the export when no mail came, and no second canary', async () => {
    await against([], async (run, service, cwd) => {
      expect((await run('--canary', ME)).code).toBe(2);
      const summary = (await reported(
        ['run', 'export.jsonl', '--canary', ME, '--canary-answer', 'quiet'],
        cwd,
        service.env,
      )) as unknown as { canary: object; tickets: object };
      expect(summary).toMatchObject({ tickets: { done: 2 }, canary: { address: ME, answer: 'quiet' } });
      expect((await run('--canary', ME)).code).toBe(0);
      expect([canaries(service), all(service)]).toEqual([1, 3]);
      const status = await commandLine(['status'], { cwd, env: {} });
      expect(status.stdout).toContain(`for ${ME}: no mail came`);
      // It came late, when nothing was left to send: that is recorded, and said.
      const late = await run('--canary-answer', 'mailed');
      expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining('writes to customers') });
      const after = await commandLine(['status'], { cwd, env: {} });
      expect(after.stdout).toContain('mail came: the target writes to customers');
      expect([canaries(service), all(service)]).toEqual([1, 3]);
    });
  });

  it('has the words of both sides in it, open, and no tag of the import', async () => {
    await against([], async (run, service) => {
      await run('--canary', ME);
      const actors = service.store.database
        .prepare('SELECT actor_type FROM messages ORDER BY position')
        .pluck()
        .all();
      expect(actors).toEqual(['customer', 'agent']);
      const [{ status, tags }] = service.store.database.prepare('SELECT status, tags FROM tickets').all() as [
        { status: string; tags: string },
      ];
      expect([status, (JSON.parse(tags) as string[]).includes('imported')]).toEqual(['open', false]);
    });
  });

  it('has one canary, also where the answer to its create was lost', async () => {
    await against(['reset-after@create#1'], async (run, service) => {
      expect(await run('--canary', ME)).toMatchObject({
        code: expect.any(Number),
        stderr: expect.stringContaining('not known'),
      });
      expect([canaries(service), all(service)]).toEqual([1, 1]);
      await run('--canary', ME);
      expect((await run('--canary-answer', 'quiet')).code).toBe(0);
      expect([canaries(service), all(service)]).toEqual([1, 3]);
    });
  });
});

it('a dry run says that there will be one, and makes none', async () => {
  await against([], async (run, service) => {
    const dry = await run('--canary', ME, '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining(`a canary is made for ${ME}`) });
    expect(all(service)).toBe(0);
  });
});

it.each([
  [['--canary', 'nobody'], 'e-mail address'],
  [['--canary-answer', 'quiet'], 'no canary to answer for'],
  [['--canary', ME, '--canary-answer', 'perhaps'], 'quiet'],
])('%j is refused in one sentence, and nothing is sent', async (flags, said) => {
  await against([], async (run, service) => {
    expect(await run(...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
    expect(all(service)).toBe(0);
  });
});
