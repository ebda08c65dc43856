import { describe, expect, it } from 'vitest';
import { openScene, writeExport } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';

describe('verify', () => {
  it('an import that arrived is equal, a sample reads no more than asked for, and what is changed is found', async () => {
    await using scene = await openScene();
    const { sandbox, folder, env } = scene;
    const desk = (...args: string[]) => commandLine(args, { cwd: folder.path, env });
    writeExport(folder.join('export.jsonl'), 12);
    const run = await desk('run', 'export.jsonl', '--limit', '10', '--quiet');
    expect(run.code, run.stderr).toBe(0);

    const all = await desk('verify', 'export.jsonl', '--all');
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
