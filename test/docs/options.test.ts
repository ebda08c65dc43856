import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMON, everyOption, RUN_OPTIONS } from '../../src/cli/command.ts';
import { allCommands, titleOf } from '../../src/cli/command-list.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { contextFor } from '../cli/in-process.ts';
import { GENERATED_IN, pathOf, regenerate } from './tables.ts';

const COMMANDS = await allCommands();
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

/** What a command line that asks for help prints. */
function shownBy(...argv: string[]): string {
  const { context, shown } = contextFor('run', [], {}, { cwd: '.' });
  const program = buildProgram(context, COMMANDS, () => undefined);
  expect(() => program.parse(argv, { from: 'user' })).toThrow(CommanderError);
  return shown.stdout + shown.stderr;
}

/** `-c, --config <file>` → `--config`. */
const longName = (flags: string) => /--[a-z-]+/.exec(flags)?.[0] ?? flags;

describe('options', () => {
  it.each(Object.entries(GENERATED_IN))(
    'the tables in %s are those of the code (npm run docs writes them)',
    (file, blocks) => {
      const text = readFileSync(pathOf(file), 'utf8');
      for (const name of blocks) expect(text).toContain(`<!-- begin: ${name} -->`);
      expect(text).toBe(regenerate(text));
    },
  );

  it('run --help fits on one screen: usual options explained, the others named, six examples', () => {
    const help = shownBy('run', '--help');
    expect(help.split('\n').length).toBeLessThan(56);
    for (const { flags, description, advanced } of [...COMMON, ...RUN_OPTIONS]) {
      expect(help).toContain(longName(flags));
      expect(oneLine(help).includes(oneLine(description)), flags).toBe(advanced !== true);
    }
    expect(help.split('Examples:\n')[1]?.trim().split('\n')).toHaveLength(6);
  });

  it.each(COMMANDS.map((spec) => [titleOf(spec), spec] as const))(
    '%s --help shows at most six examples, each of options that there are, and what it is for',
    (title, { examples }) => {
      const shown = shownBy(...title.split(' '), '--help')
        .split('Examples:\n')[1]
        ?.split('\n');
      expect(examples.length).toBeGreaterThan(0);
      expect(examples.length).toBeLessThanOrEqual(6);
      for (const [index, [command, purpose]] of examples.entries()) {
        expect(shown?.[index]?.replace(/ {3,}/, ' : ')).toBe(`  helpdesk-import ${command} : ${purpose}`);
        const used = COMMANDS.find((spec) => `${command} `.startsWith(`${titleOf(spec)} `));
        const known =
          used && everyOption(used).flatMap(({ flags }) => flags.match(/(?<![\w-])--?[a-z-]+/g) ?? []);
        for (const typed of command.match(/(?<= )--?[a-z-]+/g) ?? []) expect(known).toContain(typed);
      }
    },
  );
});
