import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RUN_OPTIONS } from '../../src/cli/options.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { systemClock } from '../../src/system-clock.ts';
import { GENERATED, GENERATED_IN, pathOf, regenerate } from './tables.ts';

const program = buildProgram(
  {
    env: {},
    cwd: '.',
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    onSignal: () => () => undefined,
  },
  () => undefined,
);

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

  it.each(Object.entries(GENERATED))('%s is made from the code (npm run docs writes it)', (file, make) => {
    expect(readFileSync(pathOf(file), 'utf8')).toBe(make());
  });

  it('every option of run stands in --help, with its example', () => {
    const run = program.commands.find((command) => command.name() === 'run');
    const help = run?.helpInformation() ?? '';
    const lines = help.replaceAll(/\s+/g, ' ');
    for (const { flags, description } of RUN_OPTIONS) {
      expect(lines).toContain(flags);
      expect(lines).toContain(description.replaceAll(/\s+/g, ' '));
    }
  });

  it('every option has an example, and the example uses it', () => {
    for (const { flags, example } of RUN_OPTIONS) {
      expect(example).toMatch(/^helpdesk-import run /);
      const short = /^-([a-z]),/.exec(flags)?.[0].slice(0, 2);
      expect(
        [longName(flags), short].some((name) => name !== undefined && example?.includes(`${name}`)),
      ).toBe(true);
    }
  });

  const contract = pathOf('../shared/design/contract.md');
  it.runIf(existsSync(contract))('the options and defaults that were agreed are all there', () => {
    const rows = readFileSync(contract, 'utf8')
      .split('\n')
      .filter((line) => /^\| `-/.test(line))
      .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
    expect(rows.length).toBeGreaterThan(20);
    const ours = new Map(RUN_OPTIONS.map((spec) => [longName(spec.flags), spec]));
    const missing: string[] = [];
    for (const [, flags = '', , agreed = ''] of rows)
      for (const name of flags.match(/--(?!no-)?[a-z-]+/g) ?? []) {
        const spec = ours.get(name);
        if (spec === undefined) missing.push(name);
        else if (agreed !== '')
          for (const value of agreed.match(/`([^`]+)`|\b\d+\b/g) ?? [])
            expect(spec.byDefault, name).toContain(value.replaceAll('`', ''));
      }
    expect(missing).toEqual([]);
  });
});
