import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { systemClock } from '../../src/system-clock.ts';
import { openScene, type Scene, writeExport } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';
import { rejected } from '../support/ledger-steps.ts';

describe('verify', () => {
  it('an import that arrived is equal, a sample reads no more than asked for, and what is changed is found', async () => {
    await using scene = await openScene();
    const { sandbox, folder, env } = scene;
    const desk = (...args: string[]) => commandLine(args, { cwd: folder.path, env });
    writeExport(folder.join('export.jsonl'), 12);
    const run = await desk('run', 'export.jsonl', '--limit', '10', '--quiet');
    expect(run.code, run.stderr).toBe(0);

    const files = () =>
      readdirSync(folder.path).map((name) => [name, readFileSync(folder.join(name)).toString('latin1')]);
    for (const name of readdirSync(folder.path)) if (name.endsWith('.lock')) rmSync(folder.join(name));
    const asItWas = files();
    const all = await desk('verify', 'export.jsonl', '--all');
    expect(files()).toEqual(asItWas);
    expect(all.code, all.stderr).toBe(0);
    expect(all.stdout).toMatch(/Equal to the export: all 10 imported tickets\./);
    for (const name of ['subject', 'contact matching', 'timestamps', 'message content', 'events'])
      expect(all.stdout).toMatch(new RegExp(`${name}\\s+10 equal`));
    expect(all.stderr).not.toMatch(/importing/);

    const read = () => sandbox.store.log.requests({ kind: 'read' }).map(({ path }) => path);
    const before = read().length;
    const sample = await desk('verify', 'export.jsonl', '--sample', '4', '--json');
    expect(sample.code, sample.stderr).toBe(0);
    expect(JSON.parse(sample.stdout)).toMatchObject({
      tickets: { read: 12, imported: 10, chosen: 4 },
      findings: { compared: 4, equal: 4 },
    });
    const asked = read().slice(before);
    expect(asked).toHaveLength(4 * 3);

    const ids = sandbox.store.log.creates().map(({ ticketId }) => ticketId);
    const other = { actorType: 'system', content: 'Other', occurredAt: '2024-01-02T08:00:00Z' };
    await scene.ask('PUT', `/tickets/${ids[1]}/messages`, [other]);
    await scene.ask('PUT', `/tickets/${ids[2]}/events`, []);
    const changed = await desk('verify', 'export.jsonl', '--all', '--json');
    expect(changed.code, changed.stderr).toBe(3);
    const { findings } = JSON.parse(changed.stdout);
    expect(findings).toMatchObject({ compared: 10, equal: 8, different: 2 });
    const differing = new Map(
      findings.checks.map((check: { name: string; examples: { ticketId: string }[] }) => [
        check.name,
        check.examples.map(({ ticketId }) => ticketId),
      ]),
    );
    expect(differing.get('message count')).toEqual([ids[1]]);
    expect(differing.get('events')).toEqual([ids[2]]);
  });
});

describe('verify with a copy of the checkpoint', () => {
  const imported = async (scene: Scene) => {
    writeExport(scene.folder.join('export.jsonl'), 4);
    const desk = (...args: string[]) => commandLine(args, { cwd: scene.folder.path, env: scene.env });
    const run = await desk('run', 'export.jsonl', '--quiet');
    expect(run.code, run.stderr).toBe(0);
    return (checkpoint: string) =>
      desk('verify', 'export.jsonl', '--all', '--json', '--checkpoint', checkpoint);
  };

  it('that was made after the end of the run is as good as the checkpoint, and stays a whole file', async () => {
    await using scene = await openScene();
    const verify = await imported(scene);
    expect(existsSync(`${scene.checkpoint}-wal`)).toBe(false);
    const copy = scene.folder.join('copy.sqlite');
    copyFileSync(scene.checkpoint, copy);
    const verified = await verify(copy);
    expect(verified.code, verified.stderr).toBe(0);
    expect(JSON.parse(verified.stdout).findings).toMatchObject({ compared: 4, equal: 4 });
    expect(readdirSync(scene.folder.path).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });

  it('that was made while a run goes on, without its -wal, is refused, and the target is not asked; with it, it is whole', async () => {
    await using scene = await openScene();
    const verify = await imported(scene);
    const reader = readCheckpoint(scene.checkpoint);
    const { target } = reader.meta;
    reader.close();
    const run = openCheckpoint(scene.checkpoint, { target, clock: systemClock, programVersion: '0' });
    await rejected(run, 'e9', { code: 'invalid-email', message: 'The address is none.' });
    await run.flush();
    const [alone, whole] = [scene.folder.join('alone.sqlite'), scene.folder.join('whole.sqlite')];
    copyFileSync(scene.checkpoint, alone);
    for (const part of ['', '-wal']) copyFileSync(scene.checkpoint + part, whole + part);
    const bytes = readFileSync(alone);
    const asked = scene.sandbox.store.log.requests().length;

    const refused = await verify(alone);
    expect(refused.code).toBe(2);
    const said = refused.stderr.replace(/\s+/g, ' ');
    expect(said).toMatch(/alone\.sqlite is incomplete: .*alone\.sqlite-wal, .* is missing/);
    expect(said).toContain('checkpoint rebuild');
    expect(scene.sandbox.store.log.requests().length).toBe(asked);
    expect(readFileSync(alone).equals(bytes)).toBe(true);
    expect(readdirSync(scene.folder.path).filter((name) => name.startsWith('alone'))).toEqual([
      'alone.sqlite',
    ]);

    const inUse = await verify(scene.checkpoint);
    expect(inUse.code).toBe(2);
    expect(inUse.stderr).toMatch(/is in use/);
    const verified = await verify(whole);
    expect(verified.code, verified.stderr).toBe(0);
    expect(JSON.parse(verified.stdout).findings).toMatchObject({ compared: 4, equal: 4 });
    await run.close();
    expect((await verify(scene.checkpoint)).code).toBe(0);
  });
});
