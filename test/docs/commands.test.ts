/**
 * Every command that the documentation shows: it parses with the program as it is, and what can run on the fixtures runs,
 * with the verdict that the page promises, on lines that a terminal of 80 columns does not break.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/command-list.ts';
import { buildProgram, runCli } from '../../src/cli/program.ts';
import { systemClock } from '../../src/system-clock.ts';
import { contextFor } from '../cli/in-process.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';
import { tickets } from '../support/tickets.ts';
import { blocksOf, inlineCode, pages } from './markdown.ts';
import { shownCommands } from './shown-commands.ts';

const COMMANDS = await allCommands();

const inFolder = (cwd: string, env: Record<string, string> = {}) => {
  const { context, shown } = contextFor('run', [], {}, { cwd, env });
  return { context: { ...context, clock: systemClock }, shown };
};

/** What is wrong with a command line, or undefined: the program with commands that do nothing. */
function complaint(args: readonly string[]): CommanderError | undefined {
  const program = buildProgram(inFolder('.').context, COMMANDS, () => undefined);
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
const whole = typed.filter(({ whole }) => whole).map(({ args }) => args.join(' '));

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
    const { context, shown } = inFolder('.');
    expect(await runCli([], context)).toBe(0);
    const steps = shownCommands(shown.stdout.split('First steps')[1] ?? '').map((args) => args.join(' '));
    expect(steps.slice(0, 2)).toEqual(['run export/ --sandbox --serve', 'run export/ --dry-run']);
    expect(steps.at(-1)).toBe('run export/');
    expect(shown.stdout.split('\n').length).toBeLessThan(20);
    for (const step of steps) expect(complaint(step.split(' '))?.message).toBeUndefined();
  });
});

/** Lines of the pages that run in a folder with the demo as export/ and a service behind HELPDESK_BASE_URL, in this order. */
const RUNS: readonly (readonly [line: string, verdict: RegExp])[] = [
  ['inspect export/', /^ {2}20 rows/m],
  ['run export/ --dry-run', /^✓ All 20 tickets are ready to import\.$/m],
  ['run export/ --dry-run --plan approved.plan', /^✓ All 20 tickets are ready to import\.$/m],
  ['run export/ --dry-run --report plan.html --redact --json', /^ {2}"exitCode": 0$/m],
  ['run export/ --sandbox', /^✓ All 20 tickets are in the helpdesk\.$/m],
  ['doctor', /^Everything is ready: an import/m],
  ['run export/ --trial', /^✓ The trial of 8 tickets passed all \d+ checks\.$/m],
  ['run export/', /^✓ All 20 tickets are in the helpdesk\.$/m],
  ['run export/ --delta --dry-run', /^0 to create, 0 to update, 20 unchanged\.$/m],
  ['run export/ --delta', /^0 created, 0 updated, 20 unchanged\. Already imported; nothing to send\.$/m],
  ['status', /^ {2}done +20 +100%/m],
  ['verify export/', /^✓ Equal to the export: all 20 imported tickets\.$/m],
  ['verify export/ --all', /^✓ Equal to the export: all 20 imported tickets\.$/m],
  ['report export/', /The report is in helpdesk-import\.report\.html/],
  ['resolve', /No ticket is in doubt\./],
  ['doctor --json', /^ {2}"ok": true/m],
];

/** Lines that a terminal of 80 columns breaks. An address or a path stays whole, and so does a line of a log. */
function tooWide(shown: string): string[] {
  return shown
    .split('\n')
    .filter((line) => line.length > 80 && !line.startsWith('[') && line.trim().includes(' '));
}

describe('what can run', () => {
  it('is shown on a page', () => {
    const lines = new Set(typed.map(({ args }) => args.join(' ')));
    expect(RUNS.map(([line]) => line).filter((line) => !lines.has(line))).toEqual([]);
    expect(whole.length).toBeGreaterThan(20);
  });

  it.each([['from a dry run to the report of an import', RUNS]])(
    'runs: %s',
    { timeout: 120_000 },
    async (_, lines) => {
      using folder = temporaryFolder();
      mkdirSync(folder.join('export'));
      cpSync(fixtures, folder.join('fixtures'), {
        recursive: true,
        filter: (path) => !path.includes('layouts'),
      });
      writeFileSync(folder.join('export/tickets.jsonl'), tickets(20));
      writeFileSync(folder.join('helpdesk-import.yaml'), 'run: { rate: [100000/1] }\n');
      const service = await running({ clock: systemClock });
      const env = { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: service.token, COLUMNS: '80' };
      const before = process.cwd();
      process.chdir(folder.path);
      try {
        for (const [line, verdict] of lines) {
          const { context, shown } = inFolder(folder.path, env);
          const code = await runCli(line.split(' '), context);
          const text = shown.stdout + shown.stderr;
          expect([code, text], line).toEqual([0, expect.stringMatching(verdict)]);
          if (!line.includes('--json')) expect(tooWide(text), line).toEqual([]);
        }
      } finally {
        process.chdir(before);
      }
      expect((await service.call('GET', '/tickets?take=50')).body.tickets).toHaveLength(20);
    },
  );
});
