/** Command lines on screens continue the same import when typed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../../src/cli/command-list.ts';
import { longFlag } from '../../../src/settings/option-spec.ts';
import { commandLines, importAll, importRejects, quoteArgument } from '../../../src/view/command-line.ts';
import { typed } from '../../cli/in-process.ts';

const COMMANDS = await allCommands();
const TYPED = {
  config: 'zendesk.yaml',
  checkpoint: 'acme.sqlite',
  baseUrl: 'https://helpdesk.example.com',
  from: 'zendesk',
  since: '2024-01-01',
  limit: '50',
  set: ['run.rate=250/5', 'run.rate=1000/60', 'run.rejects=left over'],
  yes: true,
  quiet: true,
};
const WHERE = '--config zendesk.yaml --from zendesk';
const run = (flags = {}, files = ['export/']) => typed('run', files, { ...TYPED, ...flags });

describe('the typed command', () => {
  it('again: every file and every option, quoted for a shell', () => {
    expect(run({ trial: '5' }, ["it's.csv", '-x.csv']).again()).toBe(
      `helpdesk-import run 'it'\\''s.csv' ./-x.csv --trial 5 --yes ${WHERE} --since 2024-01-01 --limit 50 ` +
        "--set run.rate=250/5 --set run.rate=1000/60 --set 'run.rejects=left over' --base-url https://helpdesk.example.com --checkpoint acme.sqlite --quiet",
    );
  });

  it.each<[string, string]>([
    ['resolve', 'helpdesk-import resolve --config zendesk.yaml --checkpoint acme.sqlite'],
    ['status', 'helpdesk-import status --config zendesk.yaml --checkpoint acme.sqlite'],
    [
      'verify',
      '--config zendesk.yaml --set source.from=zendesk --base-url https://helpdesk.example.com --checkpoint acme.sqlite',
    ],
  ])('%s is about the same import', (command, expected) => {
    const words = expected.split(' ');
    expect(run().about(command).split(' ')).toEqual(expect.arrayContaining(words));
  });

  it('options of source, destination and pace go to every command that has them', () => {
    const carried = ['What to read', 'Where to send it', 'How to send it'];
    const [first, ...others] = COMMANDS;
    if (first === undefined) throw new Error('no commands');
    for (const spec of first.options.filter(({ group }) => carried.includes(group))) {
      const flag = longFlag(spec.flags);
      const name = flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      const shown = typed('run', ['x'], { [name]: 'a b' });
      for (const other of others) {
        const has = other.options.some(
          (option) => longFlag(option.flags) === flag && carried.includes(option.group),
        );
        expect(shown.about(other.name).includes(`${flag} 'a b'`), `${other.name} ${flag}`).toBe(has);
      }
    }
  });

  it('the whole import: without the modes that look or take a part', () => {
    expect(importAll(typed('run', ['x'], { trial: true, sandbox: 'box', serve: true, yes: true }))).toBe(
      'helpdesk-import run x --sandbox box --yes',
    );
    expect(importAll(typed('run', ['x'], { dryRun: true, limit: '9' }), ['--trial'])).toBe(
      'helpdesk-import run x --limit 9 --trial',
    );
  });

  it('the rejects: all that are in the folder, into the same target and checkpoint', () => {
    const line = importRejects(run({ delta: true, trial: true }), 'run', 'left over');
    expect(line).toMatch(/^helpdesk-import run 'left over' --delta --config zendesk.yaml /);
    expect(line).toContain('--checkpoint acme.sqlite');
    expect(line).toContain("--set 'run.rejects=left over'");
    expect(line).not.toMatch(/--(since|limit|trial|yes|no-progress)/);
  });

  it('what came through a pipe has to come again', () => {
    expect(typed('run', ['-'], {}).again()).toBe('… | helpdesk-import run -');
  });

  it('a checkpoint that was named as a file replaces the flag', () => {
    const shown = typed('status', ['b.sqlite'], { checkpoint: 'a.sqlite' });
    expect(shown.about('resolve', { checkpoint: 'b.sqlite' })).toBe(
      'helpdesk-import resolve --checkpoint b.sqlite',
    );
  });
});

describe('a sentence that names commands', () => {
  const { complete, inText } = typed('run', ['x'], { checkpoint: 'a b.sqlite', sandbox: 'box' });
  it.each<[string, string]>([
    [
      'Settle it with `helpdesk-import resolve`.',
      `Settle it with "helpdesk-import resolve --sandbox box --checkpoint 'a b.sqlite'".`,
    ],
    [
      'See: `helpdesk-import status --checkpoint other.sqlite`',
      'See: helpdesk-import status --sandbox box --checkpoint other.sqlite',
    ],
    [
      'rebuild it with `helpdesk-import checkpoint rebuild`, or',
      `rebuild it with "helpdesk-import checkpoint rebuild x --checkpoint 'a b.sqlite'", or`,
    ],
    ["(for example: `helpdesk-import export 'a`b'`)", "(for example: helpdesk-import export 'a`b')"],
    ['`x` of a ticket, and helpdesk-import run', '`x` of a ticket, and helpdesk-import run'],
  ])('%s', (text, expected) => {
    expect(inText(text)).toBe(expected);
    expect(inText(complete(text))).toBe(expected);
  });

  it('names npx where npm runs the program, as each command does', () => {
    const lines = commandLines({ command: 'run', files: ['x'], options: [] }, { npm_command: 'exec' });
    const text = 'See `helpdesk-import doctor`, or `helpdesk-import status`.';
    expect(lines.inText(lines.complete(text))).toBe(
      'See "npx helpdesk-import doctor", or "npx helpdesk-import status".',
    );
    expect([lines.again(), lines.about('doctor')]).toEqual([
      'npx helpdesk-import run x',
      'npx helpdesk-import doctor',
    ]);
  });

  it('has a mark for each of them', () => {
    const names = COMMANDS.map(({ name }) => name).join('|');
    const bare = new RegExp(
      `(?<![\`\\w./-])helpdesk-import (?:billing |checkpoint )?(?:${names}|help|--help)\\b`,
    );
    const root = join(import.meta.dirname, '../../../src');
    // Texts that are no sentences of a screen.
    const others = ['view/command-line.ts', 'view/html/report.ts', 'sandbox/pages.ts'];
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.(?:ts|yaml)$/.test(file) && !others.includes(file),
    );
    const found = files.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => !/^ *(?:\/\*\*|\/\/|\*|#)/.test(line) && bare.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
});

it.each([
  ['plain/path-1.jsonl', 'plain/path-1.jsonl'],
  ["it's here", `'it'\\''s here'`],
  ['$(x)', "'$(x)'"],
  ['', "''"],
  ['~/x', "'~/x'"],
])('%j is quoted for a shell', (argument, quoted) => {
  expect(quoteArgument(argument)).toBe(quoted);
});
