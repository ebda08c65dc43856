import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

function has(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('completion', () => {
  it.runIf(has('bash'))('the script for bash, loaded, completes commands and options', async () => {
    using folder = temporaryFolder();
    const script = await commandLine(['completion', 'bash'], { cwd: folder.path });
    expect(script.code, script.stderr).toBe(0);
    writeFileSync(folder.join('script'), script.stdout);
    const offered = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '--norc',
          '-c',
          `source ./script; COMP_WORDS=(helpdesk-import "$@"); COMP_CWORD=$#; _helpdesk_import; echo "\${COMPREPLY[@]}"`,
          'bash',
          ...words,
        ],
        { cwd: folder.path, encoding: 'utf8' },
      )
        .trim()
        .split(' ');
    expect(offered('')).toEqual(
      expect.arrayContaining(['run', 'status', 'resolve', 'verify', 'doctor', 'sandbox']),
    );
    expect(offered('run', '--dry')).toEqual(['--dry-run']);
    expect(offered('billing', 'cust')).toEqual(['customer']);
    // Then bash completes files.
    expect(offered('run', 'exp')).toEqual(['']);
  });

  it.each(['zsh', 'fish'])('the script for %s is one, with commands and options', async (shell) => {
    using folder = temporaryFolder();
    const script = await commandLine(['completion', shell], { cwd: folder.path });
    expect(script.code, script.stderr).toBe(0);
    expect(script.stdout).toContain('--dry-run');
    expect(script.stdout).toContain('usage-events');
    writeFileSync(folder.join('script'), script.stdout);
    if (has(shell)) execFileSync(shell, ['-n', folder.join('script')]);
  });

  it('another shell is refused with the ones there are', async () => {
    using folder = temporaryFolder();
    const refused = await commandLine(['completion', 'fihs'], { cwd: folder.path });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/Did you mean "fish"\?/);
  });
});
