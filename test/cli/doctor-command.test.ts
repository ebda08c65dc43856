import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Flags } from '../../src/cli/context.ts';
import { checkCheckpoint } from '../../src/commands/doctor.ts';
import { systemClock } from '../../src/system-clock.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { makeCheckpoint, TARGET } from './checkpoints.ts';
import { inProcess } from './in-process.ts';
import { openScene, type Scene, writeExport } from './scene.ts';

const doctor = (scene: Scene, flags: Flags = {}, args: readonly string[] = []) =>
  inProcess('doctor', args, { checkpoint: scene.checkpoint, ...flags }, scene.where);

const ME = 'lead@mine.example';
const all = <Row>({ sandbox }: Scene, sql: string) => sandbox.store.database.prepare<[], Row>(sql).all();

describe('doctor', () => {
  it('finds nothing to complain about where all is well, changes nothing, and repeats no secret', async () => {
    await using scene = await openScene();
    writeExport(scene.folder.join('export.jsonl'), 2);
    // The helpdesk's answers carry the real time.
    const looked = await commandLine(['doctor', 'export.jsonl'], { ...scene.where, clock: systemClock });
    expect(looked.code, looked.stdout + looked.stderr).toBe(0);
    for (const name of ['settings', 'helpdesk', 'token', 'checkpoint', 'export'])
      expect(looked.stdout).toMatch(new RegExp(`✓ ${name} `));
    expect(looked.stdout).toMatch(/the layout is native/);
    expect(looked.stdout).not.toContain(scene.sandbox.token);
    expect(scene.sandbox.log.requests().map(({ method }) => method)).not.toContain('POST');
    expect(existsSync(scene.checkpoint)).toBe(false);
  });

  it('ends with 5 for a refused token, which is not repeated', async () => {
    await using scene = await openScene();
    scene.env['HELPDESK_TOKEN'] = 'another-token';
    const { stdout } = await doctor(scene, { json: true });
    const token = expect.objectContaining({ name: 'token', status: 'failed', exitCode: 5 });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      exitCode: 5,
      checks: expect.arrayContaining([token]),
    });
    expect(stdout).not.toContain('another-token');
  });

  it('reads a ticket back as verify would, if one can be seen', async () => {
    await using scene = await openScene();
    await scene.create('e1');
    expect((await doctor(scene)).stdout).toMatch(/✓ token .*read:tickets/);
  });

  it.each([
    [
      'a helpdesk that is not there',
      'http://127.0.0.1:9',
      6,
      /✗ helpdesk .*cannot be reached: connection refused/,
    ],
    ['no helpdesk', '', 2, /✗ helpdesk .*No helpdesk is configured/],
  ])('names %s', async (_, url, code, says) => {
    await using scene = await openScene();
    scene.env['HELPDESK_BASE_URL'] = url;
    expect(await doctor(scene)).toMatchObject({ code, stdout: expect.stringMatching(says) });
  });

  it('shows the mistake in a settings file', async () => {
    await using scene = await openScene();
    writeFileSync(scene.folder.join('helpdesk-import.yaml'), 'run:\n  batchsize: 50\n');
    const wrong = await doctor(scene);
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toMatch(/helpdesk-import\.yaml:2:3: "batchsize".*Did you mean "batchSize"\?/);
    expect(wrong.stdout).toMatch(/2 \| {3}batchsize: 50\n\s+\| {3}\^+/);
  });

  it('fails for an export of an unknown layout, and makes no sandbox that is missing', async () => {
    await using scene = await openScene();
    const odd = scene.folder.join('odd.csv');
    writeFileSync(odd, 'colour,shape\nred,round\n');
    const failed = { code: 2, stdout: expect.stringMatching(/✗ export /) };
    expect(await doctor(scene, {}, [odd])).toMatchObject(failed);
    const sandbox = scene.folder.join('desk');
    const none = { code: 0, stdout: expect.stringMatching(/There is no sandbox in/) };
    expect(await doctor(scene, { sandbox })).toMatchObject(none);
    expect(existsSync(sandbox)).toBe(false);
  });

  it('a checkpoint of another helpdesk fails, one with doubts has a remark, a missing one is fine', async () => {
    using folder = temporaryFolder();
    const path = folder.join('c.sqlite');
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
    await using scene = await openScene();
    writeFileSync(scene.folder.join('helpdesk-import.yaml'), 'fallbackAgent: agt_1\n');
    const made = await doctor(scene, { mail: ME });
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain(`Check the inbox and spam folder of ${ME}`);
    expect(all(scene, "SELECT status, body -> 'tags' AS tags FROM tickets")).toEqual([
      { status: 'open', tags: '["import-mail-test"]' },
    ]);
    expect(all(scene, "SELECT body ->> 'actorType' AS actor FROM messages ORDER BY position")).toEqual([
      { actor: 'customer' },
      { actor: 'agent' },
    ]);
  });

  it('--mail says that the ticket may be there when its answer was lost', async () => {
    await using scene = await openScene({ faultTexts: ['reset-after@create#1'] });
    const lost = await doctor(scene, { mail: ME });
    expect(lost.code).toBe(6);
    expect(lost.stderr).toContain('may have been created');
    expect(all(scene, 'SELECT 1 FROM tickets')).toHaveLength(1);
  });

  it('--mail refuses a wrong address and a wrong token, and creates nothing', async () => {
    await using scene = await openScene();
    const wrong = { code: 2, stderr: expect.stringContaining('address') };
    expect(await doctor(scene, { mail: 'nobody' })).toMatchObject(wrong);
    scene.env['HELPDESK_TOKEN'] = 'wrong';
    expect((await doctor(scene, { mail: ME })).code).toBe(5);
    expect(all(scene, 'SELECT 1 FROM tickets')).toEqual([]);
  });
});
