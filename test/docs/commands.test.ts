/** Every command that the documentation shows parses with the program as it is. */
import { type Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/command-list.ts';
import { buildProgram, runCli } from '../../src/cli/program.ts';
import { contextFor } from '../cli/in-process.ts';
import { blocksOf, inlineCode, pages } from './markdown.ts';
import { shownCommands } from './shown-commands.ts';

const COMMANDS = await allCommands();

const inFolder = () => contextFor('run', [], {}, { cwd: '.' });

/** What is wrong with a command line, or undefined: the program with commands that do nothing. */
function complaint(args: readonly string[]): CommanderError | undefined {
  const program = buildProgram(inFolder().context, COMMANDS, () => undefined);
  for (const command of program.commands as Command[])
    for (const each of [command, ...command.commands])
      if (each.commands.length === 0) each.action(() => undefined);
  try {
    program.parse([...args], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : error;
  }
}

/** The list of commands shows what each takes; the program's name alone is no command. */
const isSyntax = (args: readonly string[]) => args.length === 0 || args.some((arg) => /^[[<]/.test(arg));

const shown = pages().flatMap((page) => [
  ...blocksOf(page)
    .filter(({ language }) => ['', 'sh', 'bash', 'console', 'yaml', 'text', 'dockerfile'].includes(language))
    .flatMap(({ text }) => shownCommands(text))
    .map((args) => ({ file: page.file, args, whole: true })),
  ...inlineCode(page)
    .flatMap((code) => shownCommands(code))
    .map((args) => ({ file: page.file, args, whole: false })),
]);
const typed = shown.filter(({ args }) => !isSyntax(args));

describe('a shell line is taken apart', () => {
  it.each<[string, string[][]]>([
    [
      '    npx helpdesk-import run export/ --dry-run     # 1. what is in it',
      [['run', 'export/', '--dry-run']],
    ],
    ["HELPDESK_TOKEN=x helpdesk-import run 'a b.csv' --json > out.json", [['run', 'a b.csv', '--json']]],
    ['helpdesk-import sandbox                         … and look at it there', [['sandbox']]],
    ['npx helpdesk-import run export/ --dry-run || [ $? -eq 3 ]', [['run', 'export/', '--dry-run']]],
    ['docker run --rm -v "$PWD:/work" \\\n  helpdesk-import run export/', [['run', 'export/']]],
    ['npm install helpdesk-import', []],
    ['# helpdesk-import run', []],
  ])('%s', (line, calls) => expect(shownCommands(line)).toEqual(calls));
});

describe('every command that is shown', () => {
  it('is read from the pages, more than sixty of them', () => expect(typed.length).toBeGreaterThan(60));

  it.each(typed.map(({ file, args, whole }) => [file, args.join(' '), args, whole] as const))(
    '%s: helpdesk-import %s',
    (_file, _line, args, whole) => {
      const found = complaint(args);
      // In a sentence a command may be named without what it needs.
      const isPart = !whole && /^commander\.(missingArgument|optionMissingArgument)$/.test(found?.code ?? '');
      expect(isPart ? undefined : found?.message).toBeUndefined();
    },
  );
});

describe('the program without arguments', () => {
  it('says what to do first, in commands that there are', async () => {
    const { context, shown } = inFolder();
    expect(await runCli([], context)).toBe(0);
    const steps = shownCommands(shown.stdout.split('First steps')[1] ?? '').map((args) => args.join(' '));
    expect(steps.slice(0, 2)).toEqual(['run export/ --sandbox --serve', 'run export/ --dry-run']);
    expect(steps.at(-1)).toBe('run export/');
    expect(shown.stdout.split('\n').length).toBeLessThan(20);
    for (const step of steps) expect(complaint(step.split(' '))?.message).toBeUndefined();
  });
});
