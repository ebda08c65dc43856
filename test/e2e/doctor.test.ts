import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/system-clock.ts';
import { openScene, writeExport } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';

describe('doctor', () => {
  it('finds nothing to complain about where all is well, changes nothing, and repeats no secret', async () => {
    await using scene = await openScene();
    const { sandbox, folder, env } = scene;
    writeExport(folder.join('export.jsonl'), 2);
    const looked = await commandLine(['doctor', 'export.jsonl'], {
      cwd: folder.path,
      env,
      // The target's answers carry the real time.
      clock: systemClock,
    });
    expect(looked.code, looked.stdout + looked.stderr).toBe(0);
    for (const name of ['settings', 'target', 'token', 'clock', 'checkpoint', 'export'])
      expect(looked.stdout).toMatch(new RegExp(`✓ ${name} `));
    expect(looked.stdout).toMatch(/the layout is native/);
    expect(looked.stdout).not.toContain(sandbox.token);
    // What the target is, its channels and its agents.
    expect(sandbox.store.log.requests().map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
    expect(existsSync(scene.checkpoint)).toBe(false);
  });
});
