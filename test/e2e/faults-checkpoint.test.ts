/** What lies on the disk after an import that met faults: what resume needs, and nothing that is anybody else's business. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canned } from '../support/canned.ts';
import { startCli, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { says, ticket } from '../support/desk.ts';
import { parseFaults } from '../support/double/faults.ts';
import { withServiceOfProcesses } from './service-run.ts';

const quiet = (i: number, content: string, subject = `Subject ${i}`) => {
  const contact = { email: `person${i}@example.com`, name: 'Nora Nameless' };
  return ticket(`T-${i}`, { subject, contact, messages: [{ ...says(content), contact }] });
};

describe('the checkpoint of an import whose target quotes what it was sent', () => {
  it('holds nothing of it', async () => {
    using folder = temporaryFolder();
    const tickets = Array.from({ length: 12 }, (_, i) =>
      quiet(i, `the-quiet-part\nof ${i} & "more"`, `A parcel that never came, no. ${i}`),
    );
    writeFileSync(folder.join('export.jsonl'), tickets.map((one) => `${JSON.stringify(one)}\n`).join(''));
    await using service = await canned(({ method, url, body }, nth) => {
      if (method === 'GET') return { status: 403, body: { error: 'forbidden' } };
      const status = method === 'PUT' ? 422 : ([500, 422, 201][nth % 3] ?? 201);
      if (status !== 201)
        return { status, body: { error: 'invalid', message: `Not valid: ${body}`, details: [body, url] } };
      return { status: 201, body: { id: `t${nth}` } };
    });
    const env = { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: 'abc' };
    const args = ['run', 'export.jsonl', '--set', 'run.rate=1000/1', '--set', 'run.timeout=10'];
    const run = await commandLine(args, { cwd: folder.path, env });
    expect([3, 4]).toContain(run.code);
    const name = readdirSync(folder.path).find((file) => file.endsWith('.checkpoint.sqlite')) ?? '';
    const bytes = readFileSync(folder.join(name)).toString('utf8');
    for (const text of ['the-quiet-part', 'Nora Nameless', 'Not valid']) expect(bytes).not.toContain(text);
    expect(bytes).toContain('so it is not kept here');
  });
});

describe('the checkpoint of an import that was killed', () => {
  it('holds no message, no secret, and is readable by its owner only', async () => {
    using folder = temporaryFolder();
    const tickets = Array.from({ length: 40 }, (_, i) => quiet(i, `the-quiet-part ${i}`));
    writeFileSync(folder.join('export.jsonl'), tickets.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const faults = parseFaults(['422:20@messages', '500-after:20@create', '400:5@create', 'unreadable'], 2);
    await withServiceOfProcesses({ faults }, async (service) => {
      const args = ['run', 'export.jsonl', '--set', 'run.rate=40/1', '--verbose'];
      const run = startCli(args, { cwd: folder.path, env: service.env });
      await run.shown(/PUT/);
      run.kill('SIGKILL');
      const { stdout, stderr } = await run.result;
      const left = readdirSync(folder.path).filter((name) => name.includes('.checkpoint.sqlite'));
      expect(left.length).toBeGreaterThan(0);
      for (const name of left) {
        const bytes = readFileSync(folder.join(name)).toString('latin1');
        for (const secret of ['the-quiet-part', 'Nora Nameless', service.token])
          expect(bytes).not.toContain(secret);
        if (process.platform !== 'win32') expect(statSync(folder.join(name)).mode & 0o077, name).toBe(0);
      }
      for (const shown of [stdout, stderr]) expect(shown).not.toContain(service.token);
      expect(stderr + stdout).not.toContain('the-quiet-part');
    });
  });
});
