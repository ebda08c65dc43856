/** The whole screen of a dry run, to the letter: fixtures/native/<fixture>/expected-dry-run.txt. */
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
});
