import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Flags } from '../../src/cli/context.ts';
import { systemClock } from '../../src/system-clock.ts';
import { commandLine } from '../support/command-line.ts';
import { inProcess } from './in-process.ts';
import { openScene, type Scene, writeExport } from './scene.ts';

const doctor = (scene: Scene, flags: Flags, args: readonly string[] = []) =>
  inProcess(
    'doctor',
    args,
    { checkpoint: scene.checkpoint, ...flags },
    {
      cwd: scene.folder.path,
      env: scene.env,
    },
  );

describe('doctor', () => {
  it('finds nothing to complain about where all is well, changes nothing, and repeats no secret', async () => {
    await using scene = await openScene();
    const { sandbox, folder, env } = scene;
    writeExport(folder.join('export.jsonl'), 2);
    const looked = await commandLine(['doctor', 'export.jsonl'], {
      cwd: folder.path,
      env,
      // The helpdesk's answers carry the real time.
      clock: systemClock,
    });
    expect(looked.code, looked.stdout + looked.stderr).toBe(0);
    for (const name of ['settings', 'helpdesk', 'token', 'clock', 'checkpoint', 'export'])
      expect(looked.stdout).toMatch(new RegExp(`✓ ${name} `));
    expect(looked.stdout).toMatch(/the layout is native/);
    expect(looked.stdout).not.toContain(sandbox.token);
    // What the helpdesk is, its channels and its agents.
    expect(sandbox.log.requests().map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
    expect(existsSync(scene.checkpoint)).toBe(false);
  });

  it('a refused token ends with 5, and is not repeated', async () => {
    await using scene = await openScene();
    scene.env['HELPDESK_TOKEN'] = 'another-token';
    const looked = await doctor(scene, { json: true });
    expect(looked.code).toBe(5);
    const { checks, ok, exitCode } = JSON.parse(looked.stdout);
    expect({ ok, exitCode }).toEqual({ ok: false, exitCode: 5 });
    expect(checks).toContainEqual(expect.objectContaining({ name: 'token', status: 'failed', exitCode: 5 }));
    expect(looked.stdout).not.toContain('another-token');
  });

  it('a token that may not read is a remark: an import works without', async () => {
    await using scene = await openScene({ auth: { scopes: ['write:tickets'] } });
    const looked = await doctor(scene, {});
    expect(looked.code).toBe(0);
    expect(looked.stdout).toMatch(/! token .*may not read/);
    expect(looked.stdout).toMatch(/read:tickets/);
  });

  it('if a ticket can be seen, it is read back as verify would', async () => {
    await using scene = await openScene();
    await scene.create('e1');
    const looked = await doctor(scene, {});
    expect(looked.stdout).toMatch(/✓ reading .*A ticket and its messages can be read back/);
  });

  it('a helpdesk that is not there ends with 6, a missing one with 2', async () => {
    await using scene = await openScene();
    scene.env['HELPDESK_BASE_URL'] = 'http://127.0.0.1:9';
    const down = await doctor(scene, {});
    expect(down.code).toBe(6);
    expect(down.stdout).toMatch(/✗ helpdesk .*cannot be reached: connection refused/);
    delete scene.env['HELPDESK_BASE_URL'];
    const missing = await doctor(scene, {});
    expect(missing.code).toBe(2);
    expect(missing.stdout).toMatch(/✗ helpdesk .*No helpdesk is configured/);
  });

  it('shows the mistake in a settings file', async () => {
    await using scene = await openScene();
    writeFileSync(scene.folder.join('helpdesk-import.yaml'), 'run:\n  batchsize: 50\n');
    const wrong = await doctor(scene, {});
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toMatch(/helpdesk-import\.yaml:2:3: "batchsize".*Did you mean "batchSize"\?/);
    expect(wrong.stdout).toMatch(/2 \| {3}batchsize: 50\n\s+\| {3}\^+/);
  });

  it('an export of an unknown layout fails, and a missing sandbox is not made', async () => {
    await using scene = await openScene();
    const odd = scene.folder.join('odd.csv');
    writeFileSync(odd, 'colour,shape\nred,round\n');
    const looked = await doctor(scene, {}, [odd]);
    expect(looked.code).toBe(2);
    expect(looked.stdout).toMatch(/✗ export /);
    const sandbox = scene.folder.join('desk');
    const none = await doctor(scene, { sandbox });
    expect(none.code).toBe(0);
    expect(none.stdout).toMatch(/There is no sandbox in/);
    expect(existsSync(sandbox)).toBe(false);
  });
});
