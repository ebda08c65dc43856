/** A generator of cases for each surface: what customers, users, targets and disks may put before the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { everyOption } from '../../src/cli/command.ts';
import { allCommands } from '../../src/cli/command-list.ts';
import { settingsReference } from '../docs/settings-reference.ts';
import { root } from '../support/cli.ts';
import { csvRow } from '../support/csv-text.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { layoutExport, layoutNames } from '../support/layouts.ts';
import { type Edit, edited, type FuzzCase } from './case.ts';

/** Texts that cells, settings and flags may hold. */
const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(...hostileTexts('x')),
  fc.constantFrom(
    '',
    ' ',
    '-',
    '-1',
    '1e309',
    'NaN',
    '@',
    '..',
    'null',
    '{}',
    '[[',
    '__proto__',
    'constructor',
  ),
  fc.constantFrom('\u001b[31m', '\u0000', '\ud800', '\u202e', '\ufeff', '\r\n', '"', '2024-02-30T25:61:61Z'),
  fc.constantFrom('a@b', '@example.com', 'ä@ö.example', '/dev/zero', '@/dev/zero', 'http://[', 'data:,x'),
  fc.double().map(String),
  fc
    .tuple(
      fc.constantFrom(' ', 'a', '"', '\n', ',', '{"a":', 'é', '<b>', '> On wrote: '),
      fc.integer({ min: 1, max: 17 }),
    )
    .map(([unit, power]) => unit.repeat(Math.ceil(2 ** power / unit.length))),
);

const share = fc.double({ min: 0, max: 1, noNaN: true });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ op: fc.constant('flip' as const), at: share, byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({
    op: fc.constant('insert' as const),
    at: share,
    text: text.map((value) => Buffer.from(value.toWellFormed()).toString('latin1')),
  }),
  fc.record({ op: fc.constant('cut' as const), at: share, length: fc.integer({ min: 1, max: 5000 }) }),
  fc.record({ op: fc.constant('end' as const), at: share }),
);
const edits = fc.array(edit, { minLength: 1, maxLength: 6 });

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

const exports_ = layoutNames.map((name) =>
  Object.entries(layoutExport(name).texts).map(([file, text]) => ({ file, content: Buffer.from(text) })),
);
const anExport = fc.constantFrom(...exports_.filter((files) => files.length > 0));

const READING = [
  ['run', 'x', '--dry-run', '--json'],
  ['run', 'x', '--dry-run'],
  ['inspect', 'x'],
  ['init', 'x', '--yes', '--output', 'made.yaml'],
];
const reading = fc.constantFrom(...READING);

const fileBytes: fc.Arbitrary<FuzzCase> = fc
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
const cells: fc.Arbitrary<FuzzCase> = fc
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
/** Values at keys that there are. */
const settings: fc.Arbitrary<FuzzCase> = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), fc.oneof(text, fc.jsonValue())), { minLength: 1, maxLength: 4 })
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
    return {
      files: { 'x.jsonl': JSONL, 's.yaml': base64(JSON.stringify(tree)) },
      args: ['run', 'x.jsonl', '--dry-run', '--json', '-c', 's.yaml'],
    };
  });

/** They write files elsewhere, ask, wait, listen or send. */
const LEFT_OUT =
  /--(?:sandbox|serve|port|host|checkpoint|output|report|html|rejects|files-to|keep|base-url|app-url)\b/;
const COMMANDS = await allCommands();
const flagsOf = (name: string) =>
  everyOption(COMMANDS.find((command) => command.name === name) ?? { options: [] })
    .map(({ flags }) => /--[a-z-]+/.exec(flags)?.[0] ?? '')
    .filter((flag) => flag !== '' && !LEFT_OUT.test(flag));
const CALLS = ['run', 'inspect', 'init', 'status', 'verify', 'doctor', 'report', 'resolve'].flatMap((name) =>
  flagsOf(name).map((flag) => ({ name, flag })),
);

const flags: fc.Arbitrary<FuzzCase> = fc
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

const QUICK = base64('run: { timeout: 0.5 }');
const answers: fc.Arbitrary<FuzzCase> = fc
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

const checkpoints: fc.Arbitrary<FuzzCase> = fc.array(edit, { minLength: 1, maxLength: 4 }).map((changes) => ({
  files: { 'x.jsonl': JSONL, 's.yaml': QUICK },
  args: ['run', 'x.jsonl', '--yes', '--json', '-c', 's.yaml'],
  target: [],
  checkpoint: changes,
}));

const yamlsIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));
const LAYOUTS = yamlsIn('src/mapping/platforms');
const RECIPES = yamlsIn('src/export/recipes');

/** Tokens of YAML, of which a few thousand in a row are nested deeply. */
const yamlToken = fc
  .tuple(
    fc.constantFrom(
      ...[
        '&a ',
        '*a',
        '<<: ',
        '!!binary ',
        '? ',
        ': ',
        '- ',
        '|-\n',
        '>\n',
        '{',
        '}',
        '[',
        ']',
        '#',
        '"',
        "'",
      ],
      ...[
        'null',
        '---\n',
        '\t',
        '(a+)+$',
        'when: ',
        'any: ',
        'map: ',
        'extends: native',
        '__proto__: ',
        'TODO',
      ],
      ...['\u2028', '\u001b[2J', '{HELPDESK_TOKEN}', 'http://127.0.0.1:1/'],
    ),
    fc.constantFrom(1, 1, 1, 7, 1001, 5000, 30_000),
  )
  .map(([token, times]) => token.repeat(times));
const broken = (texts: readonly string[]) =>
  fc
    .tuple(
      fc.constantFrom(...texts),
      fc.array(fc.tuple(share, yamlToken, fc.nat(40)), { minLength: 1, maxLength: 5 }),
    )
    .map(([whole, changes]) =>
      changes.reduce((before, [at, token, gone]) => {
        const place = Math.floor(at * before.length);
        return before.slice(0, place) + token + before.slice(place + gone);
      }, whole),
    );

const mappings: fc.Arbitrary<FuzzCase> = fc
  .tuple(anExport, broken(LAYOUTS.map((layout) => `mapping:\n${layout.replaceAll(/^/gm, '  ')}`)))
  .map(([files, yaml]) => ({
    files: {
      ...Object.fromEntries(files.map(({ file, content }) => [`x/${file}`, base64(content)])),
      's.yaml': base64(yaml),
    },
    args: ['run', 'x', '--dry-run', '--json', '-c', 's.yaml'],
  }));

const names: fc.Arbitrary<FuzzCase> = text
  .map((name) => name.replaceAll(/[/\0]/g, '_').toWellFormed().slice(0, 50))
  .filter((name) => name !== '' && Buffer.byteLength(name) < 200)
  .map((name) => ({
    files: { [`x${name}.jsonl`]: JSONL },
    args: ['init', `x${name}.jsonl`, '--yes', '--force'],
  }));

/** Nobody listens at the address. */
const recipes: fc.Arbitrary<FuzzCase> = broken(RECIPES).map((recipe) => ({
  files: { 'r.yaml': base64(recipe) },
  args: ['export', 'mine', 'out', '--recipe', 'r.yaml', '--json'],
  env: { MINE_URL: 'http://127.0.0.1:1', ACME_URL: 'http://127.0.0.1:1' },
}));

const PAGES = [
  '{ number: page, size: 2 }',
  '{ offset: from, size: 2, last: meta.last }',
  '{ next: meta.next }',
  '{ cursor: after, from: meta.next, again: true }',
];
const acmeRecipe = (page: string, since: boolean) => `
name: acme
title: Acme Desk
address: { from: ACME_URL, example: https://acme.example }
auth: { headers: { authorization: "Bearer {ACME_TOKEN}" } }
limit: { requests: 10000, seconds: 1 }
resources:
  conversations:
    get: /c
    rows: rows
    total: meta.total
    page: ${page}
    ${since ? 'since: { column: created_at, start: 2000-01-01T00:00:00Z, sorted: true }' : ''}
    noun: ticket
    inside: { at: source, noun: message }
    declares: contacts
  parts: { of: conversations, get: "/c/{id}/parts", rows: rows, adds: { conversation_id: "{id}" }, page: ${page}, noun: message }
`;
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(1, 2, '1', '2', 'c1', '/c?p=2', null, 1_539_897_198) },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      ...[
        { toString: 1, valueOf: 2 },
        [[]],
        -0,
        1e300,
        '..',
        '//evil.example/x',
        'http://a:b@evil.example:1/',
      ],
      ...['2024-02-30', 'acme-token-77', true, { source: [null] }],
    ),
  },
);
const anyRow = fc.record(
  Object.fromEntries(
    ['id', 'source', 'contacts', 'state', 'created_at', 'body', 'author', 'part_type', '__proto__x'].map(
      (name) => [name, anything],
    ),
  ),
  { requiredKeys: ['id'] },
);
/** A page of rows, or something else. */
const platformAnswer = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      rows: fc.oneof(fc.array(anyRow, { maxLength: 3 }), anything),
      meta: fc.oneof(fc.record({ next: anything, last: anything, total: anything }), anything),
    }),
  },
  { weight: 1, arbitrary: anything },
);
const platforms: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    fc.constantFrom(...PAGES),
    fc.boolean(),
    fc.array(platformAnswer, { minLength: 1, maxLength: 6 }),
    edits,
    fc.boolean(),
  )
  .map(([page, since, answers, changes, isBroken]) => {
    const written = answers.map((one) => JSON.stringify(one).replaceAll('__proto__x', '__proto__'));
    const first = edited(Buffer.from(written[0] ?? ''), changes).toString();
    return {
      files: { 'acme.yaml': base64(acmeRecipe(page, since)) },
      args: ['export', 'acme', 'out', '--recipe', 'acme.yaml', '--json'],
      platform: isBroken ? [first, ...written.slice(1)] : written,
    };
  });

export const SURFACES = {
  platforms,
  fileBytes,
  cells,
  settings,
  flags,
  answers,
  checkpoints,
  mappings,
  names,
  recipes,
} as const;
