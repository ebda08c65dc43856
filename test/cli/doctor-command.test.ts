import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkCheckpoint } from '../../src/commands/doctor.ts';
import { systemClock } from '../../src/system-clock.ts';
import { answeredTickets, LENIENT, openDesk, ticket } from '../support/desk.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { makeCheckpoint, TARGET } from './checkpoints.ts';

/** With these variables in place of its own. */
async function doctorWith(variables: Record<string, string> = {}, options = {}) {
  const desk = await openDesk({ ...LENIENT, ...options });
  const env = { ...desk.env, ...variables };
  return { ...desk, doctor: (...words: string[]) => desk.typeWith({ env }, 'doctor', ...words) };
}

const ME = 'lead@mine.example';

describe('doctor', () => {
  it('finds nothing to complain about where all is well, changes nothing, and repeats no secret', async () => {
    const { write, typeWith, sandbox, checkpoint } = await openDesk(LENIENT);
    write('export.jsonl', answeredTickets(2));
    // The helpdesk's answers carry the real time.
    const looked = await typeWith({ clock: systemClock }, 'doctor', 'export.jsonl');
    expect(looked.code, looked.stdout + looked.stderr).toBe(0);
    for (const name of ['settings', 'helpdesk', 'token', 'checkpoint', 'export'])
      expect(looked.stdout).toMatch(new RegExp(`✓ ${name} `));
    expect(looked.stdout).toMatch(/the layout is native/);
    expect(looked.stdout).not.toContain(sandbox.token);
    expect(sandbox.log.requests().map(({ method }) => method)).not.toContain('POST');
    expect(existsSync(checkpoint)).toBe(false);
  });

  it('ends with 5 for a refused token, which is not repeated', async () => {
    const { doctor } = await doctorWith({ HELPDESK_TOKEN: 'another-token' });
    const { stdout } = await doctor('--json');
    const token = expect.objectContaining({ name: 'token', status: 'failed', exitCode: 5 });
    const checks = expect.arrayContaining([token]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, exitCode: 5, checks });
    expect(stdout).not.toContain('another-token');
  });

  it('reads a ticket back as verify would, if one can be seen', async () => {
    const { doctor, ask } = await doctorWith();
    const { messages: _, id: __, ...one } = ticket('e1');
    await ask('POST', '/tickets', one);
    expect((await doctor()).stdout).toMatch(/✓ token .*read:tickets/);
  });

  it.each([
    ['http://127.0.0.1:9', 6, /✗ helpdesk .*cannot be reached: connection refused/],
    ['', 2, /✗ helpdesk .*No helpdesk is configured/],
  ])('names a helpdesk that is not there or not given: "%s"', async (url, code, says) => {
    const { doctor } = await doctorWith({ HELPDESK_BASE_URL: url });
    expect(await doctor()).toMatchObject({ code, stdout: expect.stringMatching(says) });
  });

  it('shows the mistake in a settings file', async () => {
    const { doctor, write } = await doctorWith();
    write('helpdesk-import.yaml', 'run:\n  batchsize: 50\n');
    const wrong = await doctor();
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toMatch(/helpdesk-import\.yaml:2:3: "batchsize".*Did you mean "batchSize"\?/);
    expect(wrong.stdout).toMatch(/2 \| {3}batchsize: 50\n\s+\| {3}\^+/);
  });

  it('fails for an export of an unknown layout, and makes no sandbox that is missing', async () => {
    const { doctor, write, folder } = await doctorWith();
    write('odd.csv', 'colour,shape\nred,round\n');
    const failed = { code: 2, stdout: expect.stringMatching(/✗ export /) };
    expect(await doctor('odd.csv')).toMatchObject(failed);
    const none = { code: 0, stdout: expect.stringMatching(/There is no sandbox in/) };
    expect(await doctor('--sandbox', 'desk')).toMatchObject(none);
    expect(existsSync(folder.join('desk'))).toBe(false);
  });

  it('a checkpoint of another helpdesk fails, one with doubts has a remark, a missing one is fine', async () => {
    const path = folderOfTest().join('c.sqlite');
    expect(checkCheckpoint(path, TARGET)).toMatchObject({ status: 'ok' });
    await makeCheckpoint(path, { tickets: { a: 'done', b: 'inDoubt' } });
    expect(checkCheckpoint(path, TARGET)).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/2 tickets, 1 of them in doubt/),
    });
    expect(checkCheckpoint(path, 'https://other.example')).toMatchObject({
      status: 'failed',
      exitCode: 2,
      message: expect.stringMatching(/belongs to the helpdesk/),
    });
  });

  it('--mail makes one open ticket with words of both sides, and says to check the inbox', async () => {
    const { doctor, write, rows } = await doctorWith();
    write('helpdesk-import.yaml', 'fallbackAgent: agt_1\n');
    const made = await doctor('--mail', ME);
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain(`Check the inbox and spam folder of ${ME}`);
    const tickets = rows("SELECT status, body -> 'tags' AS tags FROM tickets");
    expect(tickets).toEqual([{ status: 'open', tags: '["import-mail-test"]' }]);
    const actors = rows("SELECT body ->> 'actorType' AS actor FROM messages ORDER BY position");
    expect(actors).toEqual([{ actor: 'customer' }, { actor: 'agent' }]);
  });

  it('--mail says that the ticket may be there when its answer was lost', async () => {
    const { doctor, count } = await doctorWith({}, { faultTexts: ['reset-after@create#1'] });
    const lost = { code: 6, stderr: expect.stringContaining('may have been created') };
    expect(await doctor('--mail', ME)).toMatchObject(lost);
    expect(count('tickets')).toBe(1);
  });

  it('--mail refuses a wrong address and a wrong token, and creates nothing', async () => {
    const { doctor, type, count } = await doctorWith({ HELPDESK_TOKEN: 'wrong' });
    const wrong = { code: 2, stderr: expect.stringContaining('address') };
    expect(await type('doctor', '--mail', 'nobody')).toMatchObject(wrong);
    expect((await doctor('--mail', ME)).code).toBe(5);
    expect(count('tickets')).toBe(0);
  });
});
