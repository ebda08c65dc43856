/** The way of a support lead: every command of two pages, in their order, each with its exit code and its verdict, in 80 columns. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shownCommands } from '../docs/shown-commands.ts';
import { fixtures, root } from '../support/cli.ts';
import { startCommandLine } from '../support/command-line.ts';
import { type Desk, LENIENT, openDesk } from '../support/desk.ts';

/** The commands of a page by its sections, from blocks, tables and sentences. */
function commandsOf(page: string): Map<string, string[][]> {
  const text = readFileSync(join(root, 'docs', page), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  const sections = text.split(/^#+ /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [title = ''] = section.split('\n');
      const lines = section.split('\n').flatMap((line) => {
        if (line.startsWith('    ')) return [line];
        // Of prose the numbered steps and the tables are commands to type; other sentences only name them.
        if (!/^(?:\||\d+\. )/.test(line)) return [];
        return [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
      });
      // What an API gives is fetched in test/export.
      const commands = lines.flatMap((line) => shownCommands(line));
      return [title, commands.filter(([name]) => name !== 'export')];
    }),
  );
}

const OLD = 'https://acme.zendesk.com/agent/tickets/{id}';

/** Lines that a terminal of 80 columns breaks. An address or a path stays whole, and so does a line of a log. */
const tooWide = (shown: string) =>
  shown.split('\n').filter((line) => line.length > 80 && !/^\[|http:|^\s*\S+$/.test(line));

type Expected = readonly [command: string, code: number, verdict: RegExp];

/** Runs the commands of a section; its table must have each of them, in the order of the page. */
async function walk(
  { folder, env }: Pick<Desk, 'folder' | 'env'>,
  shown: readonly (readonly string[])[] | undefined,
  expected: readonly Expected[],
  given: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  expect(shown?.map((args) => args.join(' '))).toEqual(expected.map(([command]) => command));
  const screens: string[] = [];
  for (const [at, [command, code, verdict]] of expected.entries()) {
    const args = (shown?.[at] ?? []).map((arg) => given[arg] ?? arg);
    const run = startCommandLine([...args, ...(command.startsWith('undo') ? ['--yes'] : [])], {
      cwd: folder.path,
      env: { COLUMNS: '80', ...env },
    });
    if (args.includes('--serve')) {
      await run.shown('Press Ctrl-C to stop');
      run.kill('SIGINT');
    }
    const { stdout, stderr, ...ended } = await run.result;
    const screen = `${stdout} ${stderr}`.replaceAll(/\s+/g, ' ');
    screens.push(screen);
    expect([command, ended.code], stdout + stderr).toEqual([command, code]);
    expect(screen, command).toMatch(verdict);
    if (!args.includes('--json')) expect(tooWide(stdout + stderr), command).toEqual([]);
  }
  return screens;
}

async function openWalk(): Promise<Desk> {
  const desk = await openDesk(LENIENT);
  cpSync(join(fixtures, 'zendesk-export'), desk.folder.join('export'), { recursive: true });
  return desk;
}

/** The export of the day: one ticket is new, and one has a new message. */
function exportAgain({ read, write }: Desk): void {
  const { tickets } = JSON.parse(read('export/tickets.json')) as { tickets: Record<string, unknown>[] };
  const last = tickets.at(-1) ?? {};
  const fresh = { ...last, id: 99, subject: 'New this morning', description: 'Is the shop open?' };
  write('export/tickets.json', JSON.stringify({ tickets: [...tickets, fresh] }));
  const comments = read('export/comments.jsonl').trimEnd();
  const [first = ''] = comments.split('\n');
  const said = { id: 990, body: 'One more thing.', html_body: null, created_at: '2024-05-01T08:00:00Z' };
  write('export/comments.jsonl', `${comments}\n${JSON.stringify({ ...JSON.parse(first), ...said })}\n`);
}

describe('the commands of docs/start.md', () => {
  it('lead from an export to an import that is verified', async () => {
    const desk = await openWalk();
    const page = commandsOf('start.md');
    // The address comes with the fourth step.
    let env: Desk['env'] = {};
    const step = (title: string, ...expected: Expected[]) =>
      walk({ ...desk, env }, page.get(title), expected);
    await step('1. Look', ['run export/ --sandbox --serve', 0, /All 4 tickets are in the helpdesk\./]);
    await step(
      '2. Correct',
      ['run export/ --dry-run', 0, /All 4 tickets are ready to import\./],
      ['init export/', 0, /zendesk/],
    );
    await step('3. Sign off', ['run export/ --dry-run --report report.html', 0, /ready to import\./]);
    expect(desk.read('report.html')).toContain('What happens to each ticket');
    env = desk.env;
    await step(
      '4. Try the real helpdesk',
      ['doctor', 0, /Everything is ready|Ready to import, with 1 warning/],
      ['doctor --mail you@example.com', 0, /Nothing should arrive/],
      ['run export/ --trial --serve', 0, /The trial of 4 tickets passed all \d+ checks\./],
    );
    await step(
      '5. Import',
      ['run export/', 0, /All 4 tickets are in the helpdesk\..*Already imported/],
      ['verify export/', 0, /Equal to the export/],
    );
  });
});

describe('the commands of docs/cutover.md and docs/after-import.md', () => {
  it('lead from the first look to the new inbox, and back', async () => {
    const desk = await openWalk();
    const page = new Map([...commandsOf('cutover.md'), ...commandsOf('after-import.md')]);
    const step = (title: string, expected: readonly Expected[], given = {}) =>
      walk(desk, page.get(title), expected, given);
    const plan = page.get('The plan') ?? [];
    const day = plan.findIndex((args) => args.includes('--delta'));
    await walk(desk, plan.slice(0, day), [
      ['run export/ --dry-run', 0, /All 4 tickets are ready to import\./],
      ['run export/ --dry-run --plan approved.plan', 0, /All 4 tickets are ready to import\./],
      ['run export/ --sandbox', 0, /All 4 tickets are in the helpdesk\./],
      ['run export/ --trial', 0, /The trial of 4 tickets passed all \d+ checks\./],
      ['run export/ --approved approved.plan', 0, /All 4 tickets are in the helpdesk\./],
    ]);
    await step('Before the day: will customers get mail?', [
      ['doctor --mail you@example.com', 0, /Nothing should arrive/],
    ]);
    exportAgain(desk);
    const [, brought = ''] = await step('The day, step by step', [
      [
        'run export/ --delta --dry-run',
        0,
        /1 to create, 1 to update, 3 unchanged\..*new and changed tickets: helpdesk-import run export\/ --delta /,
      ],
      ['run export/ --delta', 0, /All 5 tickets are in the helpdesk\..*1 created, 1 updated, 3 unchanged\./],
      ['status', 0, /done +5 +100%/],
      ['verify export/ --all', 0, /Equal to the export/],
    ]);
    await walk(desk, plan.slice(day), [
      ['run export/ --delta', 0, /All 5 tickets are in the helpdesk\./],
      ['verify export/', 0, /Equal to the export/],
      ['report export/', 0, /The report is in helpdesk-import\.report\.html/],
    ]);
    expect(existsSync(desk.folder.join('helpdesk-import.report.html'))).toBe(true);
    await step('Old links and old numbers', [
      [`links --json --set source.ticketUrl=${OLD}`, 0, /"oldAddress":"https:\/\/acme\.zendesk\.com/],
    ]);
    const [, run = ''] = /run tag (run-\d+-\d+)/.exec(brought) ?? [];
    const given = { 'run-20261122-205507': run };
    await step(
      'Undo a run',
      [
        ['undo --run run-20261122-205507 --dry-run', 0, /1 ticket in the helpdesk 1 × not edited since/],
        ['undo --run run-20261122-205507', 0, /closed and emptied/],
      ],
      given,
    );
  });
});
