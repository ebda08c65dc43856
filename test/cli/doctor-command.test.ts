import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Flags } from '../../src/cli/context.ts';
import { systemClock } from '../../src/system-clock.ts';
import { commandLine } from '../support/command-line.ts';
import { inProcess } from './in-process.ts';
import { openScene, type Scene, writeExport } from './scene.ts';

const doctor = (scene: Scene, flags: Flags = {}, args: readonly string[] = []) =>
  inProcess('doctor', args, { checkpoint: scene.checkpoint, ...flags }, scene.where);

describe('doctor', () => {
  it('finds nothing to complain about where all is well, changes nothing, and repeats no secret', async () => {
    await using scene = await openScene();
    writeExport(scene.folder.join('export.jsonl'), 2);
    // The helpdesk's answers carry the real time.
    const looked = await commandLine(['doctor', 'export.jsonl'], { ...scene.where, clock: systemClock });
    expect(looked.code, looked.stdout + looked.stderr).toBe(0);
    for (const name of ['settings', 'helpdesk', 'token', 'clock', 'checkpoint', 'export'])
      expect(looked.stdout).toMatch(new RegExp(`✓ ${name} `));
    expect(looked.stdout).toMatch(/the layout is native/);
    expect(looked.stdout).not.toContain(scene.sandbox.token);
    // What the helpdesk is, its channels and its agents.
    expect(scene.sandbox.log.requests().map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
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
    expect((await doctor(scene)).stdout).toMatch(/✓ reading .*A ticket and its messages can be read back/);
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
});
