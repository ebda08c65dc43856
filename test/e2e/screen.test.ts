/** The whole screen of a dry run, to the letter: fixtures/native/<fixture>/expected-dry-run.txt. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

describe('the screen of a dry run', () => {
  it.each(['good/csv', 'bad/csv'])('of %s', async (fixture) => {
    const [quality = '', form = ''] = fixture.split('/');
    const cwd = join(fixtures, 'native', quality);
    const { stdout } = await commandLine(['run', form, '--dry-run'], { cwd });
    // The one line that differs from run to run.
    const screen = stdout.replace(/^( {2}time +)\d.*$/m, '$1…');
    await expect(screen).toMatchFileSnapshot(join(cwd, 'expected-dry-run.txt'));
  });

  it('with --quiet keeps the errors, with their lines and the cell marked, and the counts', async () => {
    const cwd = join(fixtures, 'native', 'bad');
    const { code, stdout, stderr } = await commandLine(['run', 'csv', '--dry-run', '--quiet'], { cwd });
    expect(code).toBe(3);
    const whole = readFileSync(join(cwd, 'expected-dry-run.txt'), 'utf8');
    const errors = /\nErrors: [\s\S]*?(?=\n\n(?:Warnings|Next))/.exec(whole)?.[0] ?? '';
    expect(errors).toMatch(/ \| .*\n +\| +\^/);
    expect(stdout).toContain(errors);
    expect(stdout).toMatch(/^! 2 of 32 tickets are ready to import\.\n\n {2}rejected /);
    expect(stdout).not.toMatch(/Warnings|Next|What was read/);
    expect(stderr).toBe('');
  });

  it('with --quiet and --json is empty', async () => {
    const cwd = join(fixtures, 'native', 'bad');
    const { stdout, stderr } = await commandLine(['run', 'csv', '--dry-run', '--quiet', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 3 });
    expect(stderr).toBe('');
  });
});
