import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import type { Flags } from '../../src/cli/context.ts';
import { resolveCommand } from '../../src/commands/resolve/resolve-command.ts';
import { inProcess } from './in-process.ts';
import { openScene, type Scene } from './scene.ts';

const resolve = (scene: Scene, flags: Flags) =>
  inProcess(
    resolveCommand,
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
    expect(listed.stdout).toMatch(
      /e1\n\s+subject\s+Subject of e1\n\s+contact\s+e1@example\.com\n\s+opened\s+2024-01-02 03:04:05 UTC\n\s+sent\s+2025-06-02 08:00:00 UTC/,
    );
    expect(listed.stdout).toMatch(/resolve --checkpoint \S+ --adopt e1=<ticket id>/);
  });

  it('a wrong decision changes nothing, not by the right ones beside it either', async () => {
    await using scene = await doubtful();
    const refused = await resolve(scene, { skip: 'e1', retry: 'e9', adopt: ['e2=T1', 'e3=T1'] });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/knows no ticket e9/);
    expect(refused.stderr).toMatch(/T1 of the target cannot be both e2 and e3/);
    const reader = readCheckpoint(scene.checkpoint);
    expect(reader.counts()).toMatchObject({ inDoubt: 2, creating: 1, skipped: 0, pending: 0 });
    reader.close();
  });

  it('--to-file writes what is in doubt, grouped by reason, and --from-file takes it back when it is filled in', async () => {
    await using scene = await doubtful();
    const toFile = scene.folder.join('decisions.csv');
    const written = await resolve(scene, { toFile });
    expect(written.code).toBe(4);
    expect(written.stdout).toMatch(/lists 3 tickets in doubt/);
    expect(statSync(toFile).mode & 0o077).toBe(0);
    const lines = readFileSync(toFile, 'utf8').split('\r\n');
    expect(lines[0]).toBe('external_id,action,ticket_id,reason,subject,contact,created_at,sent_at');
    expect(
      lines
        .slice(1, 4)
        .map((line) => line.split(',')[0])
        .sort(),
    ).toEqual(['e1', 'e2', 'e3']);
    expect(lines[1]).toMatch(/,Subject of e\d,e\d@example\.com,/);
    const again = await resolve(scene, { toFile });
    expect([again.code, readFileSync(toFile, 'utf8')]).toEqual([2, lines.join('\r\n')]);
    expect((await resolve(scene, { fromFile: toFile })).code).toBe(4);
    writeFileSync(toFile, lines.join('\r\n').replace(/^(e\d),,/gm, '$1,skip,'));
    expect((await resolve(scene, { fromFile: toFile })).code).toBe(0);
  });

  it('decisions come from a file too, and every wrong line is named', async () => {
    await using scene = await doubtful();
    const fromFile = scene.folder.join('decisions.csv');
    const write = (rows: string) => writeFileSync(fromFile, `External ID,Action,Ticket ID\n${rows}`);
    write('e1,adpt,T1\ne2,retry,T2\n,skip,\ne3,adopt,\n');
    const refused = await resolve(scene, { fromFile });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/decisions\.csv:2: .*adpt.*Did you mean "adopt"/);
    expect(refused.stderr).toMatch(/decisions\.csv:3: a ticket_id goes with adopt/);
    expect(refused.stderr).toMatch(/decisions\.csv:4: there is no external_id/);
    expect(refused.stderr).toMatch(/decisions\.csv:5: adopt needs the ticket_id/);
    // A line without a decision is left for later.
    write(`e1,Adopt,${scene.ids[0]}\ne2,,\ne3,skip,\n`);
    const settled = await resolve(scene, { fromFile, json: true });
    expect(settled.code).toBe(4);
    expect(JSON.parse(settled.stdout)).toMatchObject({
      settled: [
        { externalId: 'e1', action: 'adopt', ticketId: scene.ids[0] },
        { externalId: 'e3', action: 'skip' },
      ],
      inDoubt: [{ externalId: 'e2' }],
      inDoubtTotal: 1,
    });
  });

  it('a file without the columns is refused with those that it needs', async () => {
    await using scene = await doubtful();
    const fromFile = scene.folder.join('decisions.csv');
    writeFileSync(fromFile, 'id,what\ne1,skip\n');
    const refused = await resolve(scene, { fromFile });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/no column external_id[\s\S]*external_id, action, ticket_id/);
  });

  it('--retry --all leaves none in doubt and warns of what that may do', async () => {
    await using scene = await doubtful();
    const settled = await resolve(scene, { retry: true, all: true });
    expect(settled.code).toBe(0);
    expect(settled.stdout).toMatch(/3 tickets to be created/);
    expect(settled.stdout).toMatch(/will be there twice/);
  });

  it('--lookup adopts what is there, leaves in doubt what it does not find, and sends no write', async () => {
    await using scene = await doubtful();
    const before = scene.sandbox.store.log.creates().length;
    const looked = await resolve(scene, { lookup: true, json: true });
    expect(looked.code, looked.stderr).toBe(4);
    expect(JSON.parse(looked.stdout).settled).toEqual([
      { externalId: 'e1', action: 'adopt', ticketId: scene.ids[0] },
      { externalId: 'e2', action: 'adopt', ticketId: scene.ids[1] },
    ]);
    expect(scene.sandbox.store.log.creates()).toHaveLength(before);
  });

  it('what was decided beside --lookup is not looked for', async () => {
    await using scene = await doubtful();
    const looked = await resolve(scene, { lookup: true, skip: 'e1', json: true });
    expect(JSON.parse(looked.stdout).settled[0]).toEqual({ externalId: 'e1', action: 'skip' });
    const searched = scene.sandbox.store.log.requests({ kind: 'list' }).map(({ path }) => path);
    expect(searched.some((path) => path.includes('e1'))).toBe(false);
    expect(searched.some((path) => path.includes('e2'))).toBe(true);
  });

  it('--lookup in a target that cannot be read leaves the doubts as they are', async () => {
    await using scene = await openScene({ readable: 405 });
    await scene.makeCheckpoint({ e1: 'inDoubt', e2: 'inDoubt' });
    const looked = await resolve(scene, { lookup: true });
    expect(looked.code).toBe(4);
    expect(looked.stderr).toMatch(/cannot be read, so a person has to look/);
    expect(looked.stdout).toMatch(/2 tickets are in doubt still/);
    expect(scene.sandbox.store.log.requests({ kind: 'list' })).toHaveLength(1);
  });

  it('--lookup with a refused token, or in another target, says so', async () => {
    await using scene = await doubtful();
    const other = await resolve(scene, { lookup: true, baseUrl: 'http://127.0.0.1:9' });
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/belongs to the target/);
    scene.env['HELPDESK_TOKEN'] = 'another-token';
    const refused = await resolve(scene, { lookup: true });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(/refuses the token/);
  });

  it('without a checkpoint it says so and makes none', async () => {
    await using scene = await openScene();
    const refused = await resolve(scene, { retry: 'e1' });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/There is no checkpoint at /);
    expect(existsSync(scene.checkpoint)).toBe(false);
  });
});
