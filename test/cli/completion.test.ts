import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { bashScript } from '../../src/commands/completion/completion-bash.ts';
import { fishScript } from '../../src/commands/completion/completion-fish.ts';
import { completionModel } from '../../src/commands/completion/completion-model.ts';
import { zshScript } from '../../src/commands/completion/completion-zsh.ts';
import { temporaryFolder } from '../support/cli.ts';

function hasShell(name: string): boolean {
  try {
    execFileSync(name, ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function program(): Command {
  const made = new Command('desk-tool').description('A tool').version('1.0.0');
  made
    .command('run')
    .description("import: it's [the] main thing")
    .argument('[files...]', 'files')
    .addOption(new Option('-c, --config <file>', 'configuration: file'))
    .addOption(new Option('--from <layout>', 'the layout'))
    .addOption(new Option('--in-doubt <hold|lookup>', 'what to do (default: lookup)'))
    .addOption(new Option('--sandbox [dir]', 'local service'))
    .addOption(new Option('--limit <n>', 'a number'))
    .addOption(new Option('--speed <n|auto>', 'a number or auto'))
    .addOption(new Option('--rare', 'named by the help, and explained by --help-all').hideHelp());
  made.command('look').description('look at it').argument('[dir]', 'folder');
  made.command('completion').argument('<shell>');
  return made;
}

const model = () => completionModel(program(), { layout: ['native', 'zendesk'], shell: ['bash', 'zsh'] });

describe('what the shells are told', () => {
  it('is the program itself: commands, options, and what their values are', () => {
    const [run, look] = model().commands;
    expect(model().commands.map(({ name }) => name)).toEqual(['run', 'look', 'completion', 'help']);
    const value = (long: string) => run?.options.find((option) => option.long === long)?.value;
    expect(value('--config')).toMatchObject({ kind: 'file' });
    expect(value('--from')).toMatchObject({ kind: 'words', words: ['native', 'zendesk'] });
    expect(value('--in-doubt')).toMatchObject({ kind: 'words', words: ['hold', 'lookup'] });
    expect(value('--sandbox')).toMatchObject({ kind: 'dir' });
    expect(value('--limit')).toMatchObject({ kind: 'text' });
    expect(value('--speed')).toMatchObject({ kind: 'words', words: ['auto'] });
    expect(value('--help')).toBeUndefined();
    expect(run?.options.filter(({ long }) => long === '--rare')).toHaveLength(1);
    expect(run?.arguments).toMatchObject([{ kind: 'file' }]);
    expect(look?.arguments).toMatchObject([{ kind: 'dir' }]);
  });
});

describe('bash', () => {
  /** What bash would offer for the last word, with the script really loaded. */
  function offered(...words: string[]): string[] {
    using folder = temporaryFolder();
    mkdirSync(folder.join('inbox'));
    writeFileSync(folder.join('in.csv'), '');
    writeFileSync(folder.join('script'), bashScript(model()));
    const probe = `source ./script
COMP_WORDS=(desk-tool "$@"); COMP_CWORD=$#
_desk_tool
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const text = execFileSync('bash', ['--norc', '-c', probe, 'bash', ...words], {
      cwd: folder.path,
      encoding: 'utf8',
    });
    return text.split('\n').filter((line) => line !== '');
  }

  it.runIf(hasShell('bash')).each<[string[], string[]]>([
    [[''], ['run', 'look', 'completion', 'help', '-V', '--version', '-h', '--help']],
    [['r'], ['run']],
    [['run', '--i'], ['--in-doubt']],
    [
      ['run', '--in-doubt', ''],
      ['hold', 'lookup'],
    ],
    [['run', '--in-doubt', 'l'], ['lookup']],
    [['run', '--in-doubt', '=', 'h'], ['hold']],
    [
      ['run', '--in-doubt', '='],
      ['hold', 'lookup'],
    ],
    [['run', '--from', 'z'], ['zendesk']],
    [['run', '--speed', ''], ['auto']],
    [['run', '--sandbox', 'i'], ['inbox']],
    [['run', '--sandbox', '--l'], ['--limit']],
    // Nothing of ours: bash itself offers files for these, and nothing for a number.
    [['run', 'i'], []],
    [['run', '--config', 'i'], []],
    [['run', '--limit', ''], []],
    [['look', 'i'], ['inbox']],
    [
      ['completion', ''],
      ['bash', 'zsh'],
    ],
    [['help', 'l'], ['look']],
  ])('%j offers %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  it.runIf(hasShell('bash'))('loads under strict settings and registers itself', () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('script'), bashScript(model()));
    const text = execFileSync('bash', ['--norc', '-euc', 'source ./script; complete -p desk-tool'], {
      cwd: folder.path,
      encoding: 'utf8',
    });
    expect(text).toMatch(/-F _desk_tool desk-tool/);
  });
});

describe('zsh', () => {
  it('every option stands in the form of _arguments, with what has a meaning there escaped', () => {
    const script = zshScript(model());
    expect(script.startsWith('#compdef desk-tool\n')).toBe(true);
    expect(script).toContain(`'run:import: it'\\''s [the] main thing'`);
    expect(script).toContain(`'(-c --config)'{-c,--config}'[configuration\\: file]:file:_files'`);
    expect(script).toContain(`'--in-doubt[what to do]:hold|lookup:(hold lookup)'`);
    expect(script).toContain(`'--sandbox[local service]::dir:_files -/'`);
    expect(script).toContain(`'--limit[a number]:n: '`);
    expect(script).toContain(`'*:files:_files'`);
    expect(script).toContain('compdef _desk_tool desk-tool');
  });

  it.runIf(hasShell('zsh'))('is read by zsh without a complaint', () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('script'), zshScript(model()));
    expect(execFileSync('zsh', ['-n', folder.join('script')], { encoding: 'utf8' })).toBe('');
  });
});

describe('fish', () => {
  it('every option is one line, offered within its command only', () => {
    const lines = fishScript(model()).split('\n');
    const within = "complete -c desk-tool -n '__fish_seen_subcommand_from run'";
    expect(lines).toContain('complete -c desk-tool -f');
    expect(lines).toContain(`${within} -F`);
    expect(lines).toContain(`${within} -s c -l config -r -F -d 'configuration: file'`);
    expect(lines).toContain(`${within} -l in-doubt -x -a 'hold lookup' -d 'what to do'`);
    expect(lines).toContain(`${within} -l sandbox -d 'local service'`);
    expect(lines).toContain(`${within} -l limit -x -d 'a number'`);
    expect(lines.some((line) => line.includes(`-a run -d 'import: it\\'s [the] main thing'`))).toBe(true);
  });

  it.runIf(hasShell('fish'))('is read by fish without a complaint', () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('script'), fishScript(model()));
    expect(execFileSync('fish', ['--no-execute', folder.join('script')], { encoding: 'utf8' })).toBe('');
  });
});
