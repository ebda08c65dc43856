import { describe, expect, it } from 'vitest';
import { openScene, writeExport } from '../cli/scene.ts';
import { startCli } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

describe('status after SIGKILL', () => {
  it('tells the total, what is done, what is left, and the command that was typed', async () => {
    await using scene = await openScene({ faultTexts: ['slow=100:100@create'] });
    writeExport(scene.folder.join('export.jsonl'), 40);
    const options = { cwd: scene.folder.path, env: scene.env };
    const run = startCli(['run', 'export.jsonl', '--concurrency', '2', '--rate', '30/1'], options);
    while (scene.sandbox.store.log.creates().length < 6) await new Promise((turn) => setTimeout(turn, 5));
    run.kill('SIGKILL');
    await run.result;
    const { stdout } = await commandLine(['status'], options);
    const [, done, left] = /40 tickets \((\d+) done, (\d+) left\)/.exec(stdout) ?? [];
    const [, inDoubt = '0'] = /in doubt +(\d+)/.exec(stdout) ?? [];
    expect(Number(done), stdout).toBeGreaterThan(0);
    expect(Number(done) + Number(left) + Number(inDoubt), stdout).toBe(40);
    expect(stdout).toContain('    helpdesk-import run export.jsonl --concurrency 2 --rate 30/1\n');
    const { total } = JSON.parse((await commandLine(['status', '--json'], options)).stdout);
    expect(total).toMatchObject({ done: Number(done), inDoubt: Number(inDoubt) });
  });
});
