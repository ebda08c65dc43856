import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

function hasBash(): boolean {
  try {
    execFileSync('bash', ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('completion', () => {
  it.runIf(hasBash())('the script for bash, loaded, completes what the program knows', async () => {
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
    expect(offered('run', '--on-in-doubt', '')).toEqual(['hold', 'lookup', 'retry']);
    expect(offered('run', '--dry')).toEqual(['--dry-run']);
    expect(offered('run', '--from', 'zen')).toContain('zendesk');
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish', 'install']);
  });

  it.each([
    ['zsh', '#compdef helpdesk-import'],
    ['fish', 'complete -c helpdesk-import -f'],
  ])('%s has a script as well', async (shell, line) => {
    using folder = temporaryFolder();
    const script = await commandLine(['completion', shell], { cwd: folder.path });
    expect(script.code, script.stderr).toBe(0);
    expect(script.stdout.split('\n')).toContain(line);
    expect(script.stdout).toContain('on-in-doubt');
  });

  it.each([
    ['/bin/bash', [], '.local/share/bash-completion/completions/helpdesk-import'],
    ['/bin/bash', ['fish'], '.config/fish/completions/helpdesk-import.fish'],
    ['/usr/bin/zsh', [], '.local/share/zsh/site-functions/_helpdesk-import'],
  ])('install with SHELL=%s %s puts the script where that shell looks', async (SHELL, named, place) => {
    using folder = temporaryFolder();
    const env = { SHELL, HOME: folder.path, XDG_DATA_HOME: '', XDG_CONFIG_HOME: '' };
    const installed = await commandLine(['completion', 'install', ...named], { cwd: folder.path, env });
    expect(installed.code, installed.stderr).toBe(0);
    expect(installed.stdout).toContain(folder.join(place));
    expect(readFileSync(folder.join(place), 'utf8')).toContain('on-in-doubt');
  });

  it('another shell is refused with the ones there are', async () => {
    using folder = temporaryFolder();
    const refused = await commandLine(['completion', 'fihs'], { cwd: folder.path });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/Did you mean "fish"\?/);
  });
});
