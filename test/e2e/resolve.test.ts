import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NO_FAULTS } from '../../src/sandbox/faults/fault-plan.ts';
import { openScene, writeExport } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';

describe('resolve', () => {
  it('what was adopted gets its messages and events by the next run, and no ticket is there twice', async () => {
    await using scene = await openScene({
      faultTexts: ['unreadable', 'reset-after@create#1-2', 'reset-before@create#3'],
    });
    const { sandbox, folder, env } = scene;
    const desk = (...args: string[]) => commandLine(args, { cwd: folder.path, env });
    writeExport(folder.join('export.jsonl'), 3);
    writeFileSync(folder.join('helpdesk-import.yaml'), 'run: { timeout: 3 }');
    const first = await desk('run', 'export.jsonl', '--concurrency', '1', '--quiet');
    expect(first.code, first.stderr).toBe(4);
    sandbox.setFaults(NO_FAULTS);

    const idOf = (subject: string) =>
      sandbox.store.log.creates().find((create) => create.subject === subject)?.ticketId ?? '';
    const settled = await desk(
      'resolve',
      ...['--adopt', `e1=${idOf('Subject of e1')}`],
      ...['--adopt', `e2=${idOf('Subject of e2')}`],
      ...['--retry', 'e3'],
    );
    expect(settled.code, settled.stderr).toBe(0);
    expect(settled.stdout).toMatch(/2 tickets adopted/);
    expect(settled.stdout).toMatch(/1 ticket to be created by the next run/);

    const second = await desk('run', 'export.jsonl', '--json');
    expect(second.code, second.stderr).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({
      tickets: { read: 3, done: 3, inDoubt: 0 },
      messages: { sent: 6 },
      events: { sent: 3 },
    });
    expect(sandbox.store.log.creates().map(({ subject }) => subject)).toHaveLength(3);
    expect(sandbox.store.log.duplicates()).toEqual([]);
    expect((await desk('resolve')).stdout).toMatch(/No ticket is in doubt/);
  });
});
