import { describe, expect, it } from 'vitest';
import type { Flags } from '../../src/cli/context.ts';
import { inProcess } from './in-process.ts';
import { openScene, type Scene } from './scene.ts';

const resolve = (scene: Scene, flags: Flags) =>
  inProcess(
    'resolve',
    [],
    { checkpoint: scene.checkpoint, ...flags },
    {
      cwd: scene.folder.path,
      env: scene.env,
    },
  );

/** `e1` and `e2` are in the target, `e3` is not; nobody knows. */
async function doubtful(): Promise<Scene & { readonly ids: readonly string[] }> {
  const scene = await openScene();
  const ids = [await scene.create('e1'), await scene.create('e2')];
  // A list that does not show what is done is not believed about what is in doubt.
  const e4 = await scene.create('e4');
  await scene.makeCheckpoint({ e1: 'inDoubt', e2: 'creating', e3: 'inDoubt', e4: 'done' }, { e4 });
  return { ...scene, ids };
}

describe('resolve', () => {
  it('lists what is in doubt with what to look for, and ends with 4', async () => {
    await using scene = await doubtful();
    const listed = await resolve(scene, {});
    expect(listed.code).toBe(4);
    expect(listed.stdout).toMatch(/3 tickets in doubt/);
    expect(listed.stdout).toMatch(/e1\n\s+tag\s+src-e1\n\s+sent\s+2025-06-02 08:00 UTC/);
    expect(listed.stdout).toMatch(/resolve --checkpoint \S+ --adopt e1=<ticket id>/);
  });

  it('--retry --all leaves none in doubt and warns of what that may do', async () => {
    await using scene = await doubtful();
    const settled = await resolve(scene, { retry: true, all: true });
    expect(settled.code).toBe(0);
    expect(settled.stdout).toMatch(/3 tickets to be created/);
    expect(settled.stdout).toMatch(/will be there twice/);
  });
});
