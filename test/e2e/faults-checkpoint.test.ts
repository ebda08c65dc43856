/** What lies on the disk after an import that met faults: what resume needs, and nothing that is anybody else's business. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/system-clock.ts';
import { canned } from '../support/canned.ts';
import { startCli } from '../support/cli.ts';
import { openDesk, openFolder, says, ticket } from '../support/desk.ts';

const quiet = (i: number, content: string, subject = `Subject ${i}`) => {
  const contact = { email: `person${i}@example.com`, name: 'Nora Nameless' };
  return ticket(`T-${i}`, { subject, contact, messages: [{ ...says(content), contact }] });
};

it('the checkpoint of an import whose target quotes what it was sent holds nothing of it', async () => {
  await using service = await canned(({ method, url, body }, nth) => {
    if (method === 'GET') return { status: 403, body: { error: 'forbidden' } };
    const status = method === 'PUT' ? 422 : ([500, 422, 201][nth % 3] ?? 201);
    if (status !== 201)
      return { status, body: { error: 'invalid', message: `Not valid: ${body}`, details: [body, url] } };
    return { status: 201, body: { id: `t${nth}` } };
  });
  const place = openFolder({ env: { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: 'abc' } });
  const tickets = Array.from({ length: 12 }, (_, i) =>
    quiet(i, `the-quiet-part\nof ${i} & "more"`, `A parcel that never came, no. ${i}`),
  );
  place.write('export.jsonl', tickets);
  const run = await place.type(...'run export.jsonl --set run.rate=1000/1 --set run.timeout=10'.split(' '));
  expect([3, 4]).toContain(run.code);
  const bytes = place.read('helpdesk-import.checkpoint.sqlite');
  for (const text of ['the-quiet-part', 'Nora Nameless', 'Not valid']) expect(bytes).not.toContain(text);
  expect(bytes).toContain('so it is not kept here');
});

it('the checkpoint of an import that was killed holds no message, no secret, and is readable by its owner only', async () => {
  const faultTexts = ['422:20@messages', '500-after:20@create', '400:5@create', 'unreadable'];
  const { write, where, folder, sandbox } = await openDesk({ clock: systemClock, faultTexts });
  write(
    'export.jsonl',
    Array.from({ length: 40 }, (_, i) => quiet(i, `the-quiet-part ${i}`)),
  );
  const run = startCli(['run', 'export.jsonl', '--set', 'run.rate=40/1', '--verbose'], where);
  await run.shown(/PUT/);
  run.kill('SIGKILL');
  const { stdout, stderr } = await run.result;
  const left = readdirSync(folder.path).filter((name) => name.includes('.checkpoint.sqlite'));
  expect(left.length).toBeGreaterThan(0);
  for (const name of left) {
    const bytes = readFileSync(folder.join(name)).toString('latin1');
    for (const secret of ['the-quiet-part', 'Nora Nameless', sandbox.token])
      expect(bytes).not.toContain(secret);
    if (process.platform !== 'win32') expect(statSync(folder.join(name)).mode & 0o077, name).toBe(0);
  }
  for (const secret of [sandbox.token, 'the-quiet-part']) expect(stderr + stdout).not.toContain(secret);
});
