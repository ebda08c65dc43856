import { describe, expect, it } from 'vitest';
import { openScene, writeExport } from '../cli/scene.ts';
import { startCli } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

describe('status --watch', () => {
  it('follows a run in another process to its end, with plain lines in a log', async () => {
    await using scene = await openScene({ faultTexts: ['slow=300:100@create'] });
    writeExport(scene.folder.join('export.jsonl'), 12);
    const options = { cwd: scene.folder.path, env: scene.env };
    const run = startCli(['run', 'export.jsonl', '--concurrency', '2'], options);
    await run.shown(/importing/);
    const watch = await commandLine(['status', '--watch', '--interval', '0.2'], options);
    expect((await run.result).code).toBe(0);
    expect(watch.code, watch.stderr).toBe(0);
    expect(watch.stdout).toMatch(/^\d+:\d\d {2}\d+ tickets? done/m);
    expect(watch.stdout).toMatch(/The run has ended\./);
    expect(watch.stdout).toMatch(/done\s+12\s+100 %/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
    expect(watch.stdout).not.toMatch(/[\r\u001b]/);
  });
});
