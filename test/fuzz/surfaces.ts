/** A generator of cases for each surface: what customers, users, targets and disks may put before the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { COMMANDS } from '../../src/cli/command-list.ts';
import { settingsReference } from '../docs/settings-reference.ts';
import { root } from '../support/cli.ts';
import { csvRow } from '../support/csv-text.ts';
import { edited, type FuzzCase } from './case.ts';
import { requests } from './sandbox-requests.ts';
import { edit, edits, text } from './texts.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

const layouts = join(root, 'fixtures/layouts');
const exports_ = readdirSync(layouts).map((name) =>
  readdirSync(join(layouts, name))
    .filter((file) => file !== 'settings.json' && file !== 'expected.json')
    .map((file) => ({ file, content: readFileSync(join(layouts, name, file)) })),
);
const anExport = fc.constantFrom(...exports_.filter((files) => files.length > 0));

const READING = [
  ['run', 'x', '--dry-run', '--json'],
  ['run', 'x', '--dry-run'],
  ['inspect', 'x'],
  ['init', 'x', '--propose', '--yes', '--output', 'made.yaml'],
];
const reading = fc.constantFrom(...READING);

export const fileBytes: fc.Arbitrary<FuzzCase> = fc
  .tuple(anExport, fc.nat(), edits, reading, fc.boolean())
  .map(([files, which, changes, args, packed]) => ({
    args,
    files: Object.fromEntries(
      files.map(({ file, content }, index) => {
        if (index !== which % files.length) return [`x/${file}`, base64(content)];
        return packed
          ? [`x/${file}.gz`, base64(edited(gzipSync(content), changes))]
          : [`x/${file}`, base64(edited(content, changes))];
      }),
    ),
  }));

/** Other texts in cells, each of them named by its file, column and row. */
export const cells: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    anExport,
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), text), { minLength: 1, maxLength: 5 }),
    reading,
  )
  .map(([files, changes, args]) => ({
    args,
    files: Object.fromEntries(
      files.map(({ file, content }, index) => {
        const mine = changes.filter(([which]) => which % files.length === index);
        return [
          `x/${file}`,
          base64(file.endsWith('.csv') ? otherCells(content, mine) : otherValues(String(content), mine)),
        ];
      }),
    ),
  }));

type Change = readonly [file: number, row: number, column: number, value: string];

function otherCells(content: Buffer, changes: readonly Change[]): string | Buffer {
  if (changes.length === 0) return content;
  const rows = parse(content, { relax_column_count: true, relax_quotes: true, bom: true }) as string[][];
  for (const [, row, column, value] of changes) {
    const cellsOf = rows[row % rows.length] ?? [];
    cellsOf[column % Math.max(1, cellsOf.length)] = value;
  }
  return rows.map((row) => csvRow(row)).join('');
}

/** The value at the nth quoted text or number of a JSON text. */
function otherValues(content: string, changes: readonly Change[]): string {
  const pattern = /"(?:[^"\\]|\\.)*"|-?\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b/g;
  const count = content.match(pattern)?.length ?? 1;
  return changes.reduce((before, [, row, , value]) => {
    let nth = 0;
    const wanted = row % count;
    return before.replace(pattern, (old) => (nth++ === wanted ? JSON.stringify(value) : old));
  }, content);
}

const TICKETS = Array.from({ length: 5 }, (_, n) => ({
  id: `t-${n}`,
  subject: `Ticket ${n}`,
  createdAt: `2024-01-0${n + 1}T03:04:05Z`,
  contact: { email: `c${n % 2}@example.com` },
  messages: [
    {
      actorType: 'customer',
      content: 'x',
      occurredAt: `2024-01-0${n + 1}T03:04:05Z`,
      contact: { email: `c${n % 2}@example.com` },
    },
  ],
  events: [{ type: 'note', actorType: 'system', occurredAt: `2024-01-0${n + 1}T03:04:06Z` }],
}));
const JSONL = base64(TICKETS.map((ticket) => JSON.stringify(ticket)).join('\n'));

const KEYS = settingsReference().map(({ key }) => key);
/** A value at a key that there is, or text that is hardly YAML. */
export const settings: fc.Arbitrary<FuzzCase> = fc
  .oneof(
    fc
      .array(fc.tuple(fc.constantFrom(...KEYS), fc.oneof(text, fc.jsonValue())), {
        minLength: 1,
        maxLength: 4,
      })
      .map((entries) => {
        const tree: Record<string, unknown> = {};
        for (const [key, value] of entries) {
          const steps = key.split('.').map((step) => step.replace(/[<>[\]]/g, ''));
          let at = tree;
          for (const step of steps.slice(0, -1)) {
            if (typeof at[step] !== 'object' || at[step] === null) at[step] = {};
            at = at[step] as Record<string, unknown>;
          }
          at[steps.at(-1) ?? key] = value;
        }
        return JSON.stringify(tree);
      }),
    fc
      .array(
        fc.oneof(
          {
            weight: 4,
            arbitrary: fc.constantFrom(
              ...[
                'source:',
                'mapping:',
                'target:',
                'run:',
                'ticket:',
                'tables:',
                'agents:',
                '- ',
                '  ',
                '    ',
                '&a',
                '*a',
                '<<:',
                '!!binary',
                'match: "(a+)+b"',
                'column: ',
                '[',
                ']',
                '{',
                '}',
                '"',
                ':',
                '\n',
                '\t',
                '? ',
                '|',
                '>',
                '%',
                '---',
              ],
            ),
          },
          text,
        ),
        { maxLength: 25 },
      )
      .map((words) => words.join('')),
  )
  .map((yaml) => ({
    files: { 'x.jsonl': JSONL, 's.yaml': base64(yaml) },
    args: ['run', 'x.jsonl', '--dry-run', '--json', '-c', 's.yaml'],
  }));

/** They write files elsewhere, ask, wait, listen or send. */
const LEFT_OUT =
  /--(?:sandbox|serve|port|host|checkpoint|output|report|html|rejects|files-to|keep|base-url|app-url)\b/;
const flagsOf = (name: string) =>
  (COMMANDS.find((command) => command.name === name)?.options ?? [])
    .map(({ flags }) => /--[a-z-]+/.exec(flags)?.[0] ?? '')
    .filter((flag) => flag !== '' && !LEFT_OUT.test(flag));
const CALLS = ['run', 'inspect', 'init', 'status', 'verify', 'doctor', 'report', 'resolve', 'map'].flatMap(
  (name) => flagsOf(name).map((flag) => ({ name, flag })),
);

export const flags: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.constantFrom(...CALLS), text, fc.boolean())
  .filter(([, value]) => !value.includes('\0') && value.length < 100_000)
  .map(([{ name, flag }, value, joined]) => ({
    files: { 'x.jsonl': JSONL },
    args: [
      name,
      ...(/^(?:run|inspect|init|doctor)$/.test(name) ? ['x.jsonl'] : []),
      ...(name === 'run' ? ['--dry-run'] : []),
      ...(joined ? [`${flag}=${value}`] : [flag, value]),
    ],
  }));

/** Without LANG: Node itself crashes with a language of more than eleven letters, before it reads a line of any program. */
const VARIABLES = [
  ...settingsReference().flatMap(({ env }) => env ?? []),
  ...[
    'HELPDESK_TOKEN',
    'HELPDESK_TOKEN_FILE',
    'HELPDESK_TOKEN_URL',
    'HELPDESK_CLIENT_ID',
    'HELPDESK_CLIENT_SECRET',
    'HELPDESK_REFRESH_TOKEN',
  ],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'COLUMNS',
    'TZ',
    'TMPDIR',
    'CI',
    'TERM',
  ],
];
export const variables: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...VARIABLES), text), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(
      ['run', 'x.jsonl', '--dry-run'],
      ['run', 'x.jsonl', '--yes', '--json'],
      ['doctor'],
      ['status'],
    ),
  )
  .filter(([set]) => set.every(([, value]) => !value.includes('\0') && value.length < 100_000))
  .map(([set, args]) => ({
    files: { 'x.jsonl': JSONL, 's.yaml': base64('run: { giveUpAfter: 5, timeout: 2 }') },
    args: [...args, '-c', 's.yaml'],
    env: { HELPDESK_BASE_URL: 'http://127.0.0.1:9', ...Object.fromEntries(set) },
  }));

const QUICK = base64('run: { giveUpAfter: 5, timeout: 2, doubtMargin: 0 }');
export const answers: fc.Arbitrary<FuzzCase> = fc
  .array(
    fc.record({
      answer: fc.integer({ min: 0, max: 40 }),
      edits: fc.array(edit, { maxLength: 3 }),
      after: fc.constantFrom('go on', 'end', 'reset', 'silence'),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((damages) => ({
    files: { 'x.jsonl': JSONL, 's.yaml': QUICK },
    args: ['run', 'x.jsonl', '--yes', '--json', '-c', 's.yaml'],
    target: damages,
  }));

export const checkpoints: fc.Arbitrary<FuzzCase> = fc
  .array(edit, { minLength: 1, maxLength: 4 })
  .map((changes) => ({
    files: { 'x.jsonl': JSONL, 's.yaml': QUICK },
    args: ['run', 'x.jsonl', '--yes', '--json', '-c', 's.yaml'],
    target: [],
    checkpoint: changes,
  }));

export const sandboxRequests: fc.Arbitrary<FuzzCase> = requests.map((sent) => ({
  files: {},
  args: ['sandbox'],
  requests: sent,
}));

export const SURFACES = {
  fileBytes,
  cells,
  settings,
  flags,
  variables,
  answers,
  checkpoints,
  sandboxRequests,
} as const;
