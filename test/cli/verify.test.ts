import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Flags } from '../../src/cli/context.ts';
import { isInSample } from '../../src/verify/read-all-back.ts';
import { between } from '../support/between.ts';
import { commandLine } from '../support/command-line.ts';
import { inProcess } from './in-process.ts';
import { openScene, type Scene, writeExport } from './scene.ts';

const verify = (scene: Scene, flags: Flags, args = [scene.folder.join('export.jsonl')]) =>
  inProcess('verify', args, { checkpoint: scene.checkpoint, ...flags }, scene.where);

/** An export of so many tickets that the checkpoint takes for imported, and that the helpdesk does not have. */
async function gone(count: number, options: Parameters<typeof openScene>[0]): Promise<Scene> {
  const scene = await openScene(options);
  writeExport(scene.folder.join('export.jsonl'), count);
  await scene.makeCheckpoint(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index + 1}`, 'done'])),
  );
  return scene;
}

describe('verify', () => {
  it.each([
    [404, 3],
    [405, 3],
    [403, 5],
  ] as const)('where reads answer %i nothing is claimed, and it ends with %i', async (status, code) => {
    await using scene = await gone(20, { faultTexts: [`unreadable=${status}`] });
    const verified = await verify(scene, { all: true, set: 'run.batchSize=1' });
    expect(verified.code).toBe(code);
    expect(verified.stdout).toMatch(/Nothing could be compared: the helpdesk cannot be read\./);
    // Not all twenty are asked for in vain.
    expect(scene.sandbox.log.requests().length).toBeLessThan(8);
  });

  it('a readable target without the tickets reports all as missing', async () => {
    await using scene = await gone(6, {});
    const verified = await verify(scene, { all: true, json: true });
    expect(verified.code).toBe(3);
    expect(JSON.parse(verified.stdout).findings).toMatchObject({
      compared: 0,
      missingTotal: 6,
      targetIsUnreadable: false,
    });
  });

  it('--combined has a line a ticket: equal, different, missing, only there', async () => {
    await using scene = await openScene();
    const file = scene.folder.join('export.jsonl');
    writeExport(file, 4);
    await commandLine(['run', file, '--yes', '--checkpoint', scene.checkpoint], scene.where);
    const change = scene.sandbox.store.sql;
    change.run("UPDATE tickets SET body = json_set(body, '$.subject', 'Other') WHERE seq = 2");
    change.run('DELETE FROM tickets WHERE seq = 3');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(file, `${lines.filter((line) => !line.includes('"id":"e4"')).join('\n')}\n`);
    const combined = scene.folder.join('combined.txt');
    expect((await verify(scene, { combined })).code).toBe(3);
    const signs = readFileSync(combined, 'utf8').trimEnd().split('\n').toSorted();
    expect(signs.map((line) => line.slice(0, 3))).toEqual(['* e', '+ e', '- e', '= e']);
    expect(signs).toContain('+ e4');
  });

  it('counts a ticket without its messages, and shows no green tick', async () => {
    await using scene = await openScene();
    const file = scene.folder.join('export.jsonl');
    writeExport(file, 3);
    const proxy = await between(scene.sandbox.url);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    proxy.answer = (asked, n) =>
      asked === 'PUT /tickets/{id}/messages' && n <= 2 ? { status: 422, body: { error: 'no' } } : undefined;
    scene.env['HELPDESK_BASE_URL'] = proxy.url;
    const run = ['run', file, '--yes', '--set', 'run.batchSize=1', '--checkpoint', scene.checkpoint];
    await commandLine(run, scene.where);
    const verified = await verify(scene, { all: true });
    expect(verified.stdout).toContain('2 of 3 tickets are equal, 1 is incomplete.');
    expect(verified.stdout).not.toContain('Equal to the export');
    expect(verified.code).toBe(3);
  });

  it.each<[string, { flags?: Flags; args?: string[]; url?: string }, RegExp]>([
    ['an export without anything imported', { flags: { only: 'e9' } }, /Nothing to verify/],
    [
      'no checkpoint',
      { flags: { checkpoint: '/nowhere/c.sqlite' } },
      /folder \/nowhere of .* does not exist/,
    ],
    ['another helpdesk', { url: 'http://127.0.0.1:9' }, /belongs to the helpdesk/],
    ['nothing to read', { args: [] }, /There is nothing to read/],
  ])('refuses %s', async (_, { flags = {}, args, url }, reason) => {
    await using scene = await gone(1, {});
    if (url !== undefined) scene.env['HELPDESK_BASE_URL'] = url;
    const refused = { code: 2, stderr: expect.stringMatching(reason) };
    expect(await verify(scene, flags, args)).toMatchObject(refused);
  });

  it('refuses another source, and ends with 5 for a refused token', async () => {
    await using scene = await gone(1, {});
    await scene.makeCheckpoint({ other: 'done' });
    scene.env['HELPDESK_TOKEN'] = 'another-token';
    const refused = { code: 5, stderr: expect.stringMatching(/refuses the token/) };
    expect(await verify(scene, {})).toMatchObject(refused);
    await using foreign = await openScene();
    writeExport(foreign.folder.join('export.jsonl'), 2);
    await foreign.makeCheckpoint({ other: 'done' });
    const other = { code: 2, stderr: expect.stringMatching(/belongs to another source/) };
    expect(await verify(foreign, {})).toMatchObject(other);
  });
});

it('the sample is as large as was asked for, and spread evenly over the export', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 120 }), (count, asked) => {
      const size = Math.min(asked, count);
      const chosen = Array.from({ length: count }, (_, nth) => nth).filter((nth) =>
        isInSample(nth, size, count),
      );
      expect(chosen).toHaveLength(size);
      for (const [at, nth] of chosen.entries()) expect(nth).toBe(Math.floor((at * count) / size));
    }),
  );
});
