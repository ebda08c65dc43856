/** Advice is typed before it ships: each command of each end of a run, in the folder where it was printed. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allProblemWords } from '../../src/domain/text/problem-words.ts';
import { typed } from '../cli/in-process.ts';
import { words } from '../support/command-line.ts';
import { type Desk, openDesk, ticket } from '../support/desk.ts';
import { textOf } from '../view/sample.ts';

const RUN = ['run', 'export.jsonl', '--set', 'run.rate=100000/1'];

interface Outcome {
  readonly rows?: readonly object[];
  readonly flags?: readonly string[];
  readonly faults?: readonly string[];
  /** What happened before the end that is looked at. */
  readonly before?: (desk: Desk) => Promise<unknown>;
  readonly command?: readonly string[];
}

const IMPORTED = async (desk: Desk) => await desk.type(...RUN);
const untimed = ticket('A', { createdAt: undefined, messages: [] });
const invalid = ticket('B', { contact: { email: 'nobody' } });

const OUTCOMES: readonly [string, Outcome][] = [
  ['all done', {}],
  ['all done before', { before: IMPORTED }],
  ['a dry run', { flags: ['--dry-run'] }],
  ['a trial', { flags: ['--trial'] }],
  ['a part', { flags: ['--limit', '1'] }],
  ['some rejected', { rows: [ticket('A'), invalid] }],
  ['all rejected, in a dry run', { rows: [invalid], flags: ['--dry-run'] }],
  ['all rejected for a time', { rows: [untimed] }],
  ['times without a zone', { rows: [ticket('A', { createdAt: '2024-03-01 08:00:00' }), ticket('B')] }],
  ['words without a meaning', { rows: [ticket('A', { status: 'waiting for Bob' }), ticket('B')] }],
  ['refused tickets', { faults: ['422@create#1'] }],
  ['creates without an answer', { faults: ['no-answer-after@create#1'], flags: ['--set', 'run.timeout=1'] }],
  ['a token without rights', { faults: ['403@create#1-9'] }],
  ['a helpdesk that stays away', { faults: ['503@create#1-999'] }],
  ['an export that changed', { before: IMPORTED, rows: [ticket('A', { status: 'closed' }), ticket('B')] }],
  [
    'a change that the API cannot carry',
    { before: IMPORTED, rows: [ticket('A', { subject: 'Another' }), ticket('B')], flags: ['--delta'] },
  ],
  [
    'a delta',
    { before: IMPORTED, rows: [ticket('A', { status: 'closed' }), ticket('C')], flags: ['--delta'] },
  ],
  [
    'corrected rejects',
    {
      rows: [ticket('A'), invalid],
      before: async (desk) => {
        await desk.type(...RUN);
        const folder = desk.folder.join('helpdesk-import.rejects');
        for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl'))) {
          const text = readFileSync(`${folder}/${name}`, 'utf8');
          writeFileSync(`${folder}/${name}`, text.replace('"nobody"', '"no@example.com"'));
        }
      },
      command: ['run', 'helpdesk-import.rejects', '--delta', '--set', 'run.rate=100000/1'],
    },
  ],
];

/** Lines to type, and commands within sentences. */
function commandsIn(text: string): string[] {
  const whole = text.replaceAll(/ \\\n +/g, ' ');
  const lines = [...whole.matchAll(/^ {4}(?:npx )?(helpdesk-import .*)$/gm)].map(([, line = '']) => line);
  const inSentences = [...whole.matchAll(/"(helpdesk-import [^"\n]+)"/g)].map(([, line = '']) => line);
  return [...new Set([...lines, ...inSentences])].filter((line) => !line.includes('<'));
}

const GONE = /There is no (?:file|folder|checkpoint)|unknown (?:option|command)|missing required|no such/i;

/** Those that cannot be typed here, with what they answered. */
async function wrongIn(desk: Desk, commands: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  // Settings that init wrote change what the others do, and a run takes a folder of rejects away.
  const turn = (command: string) =>
    ['status', 'doctor', 'rejects', 'run', 'init', 'rebuild'].findIndex((word) => command.includes(word));
  for (const command of commands.toSorted((a, b) => turn(a) - turn(b))) {
    const [, name = '', ...rest] = words(command);
    // It is advised where the checkpoint is lost.
    if (rest.includes('rebuild')) rmSync(desk.checkpoint, { force: true });
    // It serves until it is stopped.
    const { code, stdout, stderr } = await desk.type(
      name,
      ...(name === 'sandbox' ? ['--help'] : rest.filter((word) => word !== '--serve')),
    );
    if (code === 2 || GONE.test(stdout + stderr)) wrong.push(`${command}\n${stdout}${stderr}`);
  }
  return wrong;
}

let typedCommands = 0;

describe('each command that is printed can be typed in its folder', () => {
  it.each(OUTCOMES)('%s', async (_, { rows, flags = [], faults = [], before, command }) => {
    const desk = await openDesk({ strict: false, faultTexts: faults });
    desk.write(
      'export.jsonl',
      before === undefined || command ? (rows ?? [ticket('A'), ticket('B')]) : [ticket('A'), ticket('B')],
    );
    await before?.(desk);
    if (rows !== undefined && command === undefined) desk.write('export.jsonl', rows);
    const screens = [await desk.type(...(command ?? [...RUN, ...flags]))];
    if (!flags.includes('--dry-run')) {
      screens.push(
        await desk.type('status'),
        await desk.type('status', '--failed'),
        await desk.type('report'),
      );
      screens.push({
        ...screens[0],
        stdout: textOf(readFileSync(desk.folder.join('helpdesk-import.report.html'), 'utf8')),
      } as never);
    }
    const commands = [...new Set(screens.flatMap(({ stdout, stderr }) => commandsIn(stdout + stderr)))];
    typedCommands += commands.length;
    expect(await wrongIn(desk, commands)).toEqual([]);
    const [held] = desk.rows('SELECT count(*) AS n, count(DISTINCT subject) AS different FROM tickets');
    expect(held?.['n'], 'tickets that are there twice').toBe(held?.['different']);
  });

  it('and there are some to type', () => expect(typedCommands).toBeGreaterThan(30));

  it('notices a command that names a missing folder', async () => {
    const desk = await openDesk();
    desk.write('export.jsonl', [ticket('A')]);
    await desk.type(...RUN);
    expect(await wrongIn(desk, ['helpdesk-import verify helpdesk-import.rejects'])).toHaveLength(1);
    expect(await wrongIn(desk, ['helpdesk-import resolve --nothing'])).toHaveLength(1);
  });

  it('of each kind of problem', async () => {
    const desk = await openDesk();
    desk.write('export.jsonl', [ticket('A'), ticket('B')]);
    await desk.type(...RUN);
    const { inText } = typed('run', ['export.jsonl'], {});
    const texts = Object.values(allProblemWords()).flatMap(({ says = '', todo }) => [
      todo,
      ...(typeof says === 'string' ? [says] : Object.values(says)),
    ]);
    const commands = texts.flatMap((text) =>
      [...inText(text).matchAll(/helpdesk-import (?:[a-z]+)(?: rebuild)?(?: (?:--)?[\w./]*\.jsonl)?/g)].map(
        ([line]) => line,
      ),
    );
    expect(new Set(commands)).toEqual(new Set(commands.filter((line) => !/yaml|<|--/.test(line))));
    expect(await wrongIn(desk, [...new Set(commands)])).toEqual([]);
  });
});

describe('"run again"', () => {
  it.each(OUTCOMES.filter(([, { command }]) => command === undefined))(
    '%s: a second run changes something, or is not advised',
    async (_, { rows, flags = [], faults = [], before }) => {
      const desk = await openDesk({ strict: false, faultTexts: faults });
      desk.write('export.jsonl', [ticket('A'), ticket('B')]);
      await before?.(desk);
      if (rows !== undefined) desk.write('export.jsonl', rows);
      const isAgain = ({ text }: { readonly text: string }) =>
        /^(?!Once).*run the same command again/i.test(text) &&
        !/Correct|Set it|check the token|Then run/i.test(text);
      const first = await desk.run(...RUN, ...flags);
      const step = first.next.find((one) => isAgain(one) && one.command !== undefined);
      if (step?.command === undefined) return;
      const [, ...line] = words(step.command);
      const second = await desk.run(...line);
      const isSame = second.next.some(({ command }) => command === step.command);
      expect(isSame && second.requests['changing'] === 0 ? [step, second.next] : []).toEqual([]);
    },
  );
});
