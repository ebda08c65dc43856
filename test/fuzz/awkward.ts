/** Inputs that no generator comes to: very large ones, special files, and what is known to have gone wrong. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storedZip } from '../e2e/stored-zip.ts';

export interface Awkward {
  readonly name: string;
  /** Puts it into the folder. */
  readonly make: (folder: string) => void;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** One of these. */
  readonly codes: readonly number[];
  readonly says?: string;
}

const MILLION = 1_000_000;
const TIME = '2024-01-02T03:04:05Z';
const ticket = (id: string, more: object = {}) =>
  JSON.stringify({ id, subject: 'Hello', createdAt: TIME, contact: { email: 'ann@example.com' }, ...more });
const put =
  (name: string, text: string) =>
  (folder: string): void =>
    writeFileSync(join(folder, name), text);
const both =
  (...makes: readonly ((folder: string) => void)[]) =>
  (folder: string): void => {
    for (const make of makes) make(folder);
  };
const fifo = (name: string) => (folder: string) => void execFileSync('mkfifo', [join(folder, name)]);
const one = put('x.jsonl', ticket('1'));
const DRY = ['run', 'x.jsonl', '--dry-run'];
const SEND = ['run', 'x.jsonl', '--yes'];
const AT_HOME = { HELPDESK_BASE_URL: 'http://127.0.0.1:9', HELPDESK_TOKEN: 'no-token-of-anybody' };

const small = [
  ['settings', [...DRY, '-c', 'PLACE'], {}],
  ['list of tickets', [...DRY, '--only', '@PLACE'], {}],
  ['file with a token', SEND, { ...AT_HOME, HELPDESK_TOKEN: '', HELPDESK_TOKEN_FILE: 'PLACE' }],
  ['billing data', ['sandbox', '--memory', '--port', '0', '--billing', 'PLACE'], {}],
  ['file of agents', [...DRY, '-c', 'agents.yaml'], {}],
  ['agents of the sandbox', ['sandbox', '--memory', '--port', '0', '--agents', 'PLACE'], {}],
] as const;
const special = ['/dev/zero', '/proc/self/mem', 'pipe', 'folder', 'loop'].flatMap((place) =>
  small.map(([what, args, env]): Awkward => {
    const at = (text: string) => text.replace('PLACE', place);
    return {
      name: `${place} as ${what}`,
      make: both(one, fifo('pipe'), (folder) => {
        mkdirSync(join(folder, 'folder'));
        symlinkSync('loop', join(folder, 'loop'));
        writeFileSync(join(folder, 'agents.yaml'), `agents: ${place}`);
      }),
      args: args.map(at),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, at(value)])),
      codes: [2],
    };
  }),
);

export const AWKWARD: readonly Awkward[] = [
  ...special,
  ...(['run', 'inspect', 'init'] as const).flatMap((command) => {
    const args = (file: string) =>
      command === 'run'
        ? ['run', file, '--dry-run']
        : command === 'init'
          ? ['init', file, '--propose', '--yes']
          : ['inspect', file];
    const cases: readonly (readonly [string, string, (folder: string) => void])[] = [
      ['a header of 5 MB', 'x.csv', put('x.csv', `id,${'h'.repeat(5 * MILLION)}\n1,2\n`)],
      ['a header of 50 KB of words', 'x.csv', put('x.csv', `id,${'some words '.repeat(5000)}\n1,2\n`)],
      ['20,000 columns', 'x.csv', put('x.csv', `${Array.from({ length: 20_000 }, (_, n) => `c${n}`)}\n1\n`)],
      [
        '40,000 columns of one name',
        'chat.tsv',
        put(
          'chat.tsv',
          [
            `conversationId\tsenderType\ttext${'\tsendTime'.repeat(40_000)}`,
            `c1\tvisitor\tHello${`\t${TIME}`.repeat(40_000)}\n`,
          ].join('\n'),
        ),
      ],
      ['a key of 5 MB', 'x.jsonl', put('x.jsonl', ticket('1', { ['k'.repeat(5 * MILLION)]: 1 }))],
      ['an id of 5 MB', 'x.jsonl', put('x.jsonl', `${ticket('i'.repeat(5 * MILLION))}\n${ticket('2')}`)],
      ['an odd status of 5 MB', 'x.jsonl', put('x.jsonl', ticket('1', { status: 's'.repeat(5 * MILLION) }))],
      ['20,000 joined emoji', 'x.jsonl', put('x.jsonl', ticket('1', { status: '👩‍'.repeat(20_000) }))],
      [
        'an address of 60,000 letters',
        'x.jsonl',
        put('x.jsonl', ticket('1', { contact: { email: `${'a'.repeat(60_000)}@example.com` } })),
      ],
      [
        'a name of 60,000 letters',
        'x.jsonl',
        put('x.jsonl', ticket('1', { contact: { email: 'ann@example.com', name: 'a'.repeat(60_000) } })),
      ],
      [
        '20,000 odd statuses',
        'x.jsonl',
        put(
          'x.jsonl',
          Array.from({ length: 20_000 }, (_, n) => ticket(`${n}`, { status: `s${n}`.repeat(20) })).join('\n'),
        ),
      ],
      [
        '20,000 other fields',
        'x.jsonl',
        put(
          'x.jsonl',
          ticket('1', Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n]))),
        ),
      ],
      [
        '50,000 status changes without what they changed from',
        'x.jsonl',
        put(
          'x.jsonl',
          ticket('1', {
            events: Array.from({ length: 50_000 }, () => ({
              type: 'status_change',
              newValue: { status: 'open' },
              actorType: 'system',
              occurredAt: TIME,
            })),
          }),
        ),
      ],
      ['lists in lists, 100,000 deep', 'x.jsonl', put('x.jsonl', `${ticket('1')}\n${'['.repeat(100_000)}`)],
      ['a pipe as the export', 'pipe', fifo('pipe')],
      ['/dev/zero as the export', '/dev/zero', () => undefined],
      [
        '60,000 files',
        'all',
        (folder) => {
          mkdirSync(join(folder, 'all'));
          for (let n = 0; n < 60_000; n++) writeFileSync(join(folder, 'all', `${n}.json`), '{}');
        },
      ],
      [
        '60,000 members of an archive',
        'x.zip',
        (folder) =>
          writeFileSync(
            join(folder, 'x.zip'),
            storedZip(Array.from({ length: 60_000 }, (_, n) => [`${n}.json`, '{}'] as const)),
          ),
      ],
    ];
    return cases.map(
      ([name, file, make]): Awkward => ({
        name: `${name}: ${command}`,
        make,
        args: args(file),
        codes: [0, 2, 3],
      }),
    );
  }),
  {
    name: '20,000 agents',
    make: both(
      one,
      put(
        's.yaml',
        `agents:\n${Array.from({ length: 20_000 }, (_, n) => `  agent${n}@example.com: agt_${n}\n`).join('')}`,
      ),
    ),
    args: [...DRY, '-c', 's.yaml'],
    codes: [0],
  },
  {
    name: 'a list of 130,000 tickets',
    make: both(one, put('ids', Array.from({ length: 130_000 }, (_, n) => `t-${n}`).join('\n'))),
    args: [...DRY, '--only', '@ids'],
    codes: [0, 2, 3],
  },
  {
    name: 'a settings file of 20,000 mistakes',
    make: both(one, put('s.yaml', Array.from({ length: 20_000 }, (_, n) => `wrong${n}: 1`).join('\n'))),
    args: [...DRY, '-c', 's.yaml'],
    codes: [2],
    says: 's.yaml:1',
  },
  {
    name: 'a pattern of 120 KB',
    make: both(
      one,
      put(
        's.yaml',
        `mapping: { extends: native, ticket: { subject: { column: subject, match: "${'(a|b)'.repeat(24_000)}" } } }`,
      ),
    ),
    args: [...DRY, '-c', 's.yaml'],
    codes: [0, 2, 3],
  },
  {
    name: 'an alias that contains itself',
    make: both(one, put('s.yaml', 'mapping: &a { extends: native, ticket: *a }\n')),
    args: [...DRY, '-c', 's.yaml'],
    codes: [2],
    says: 's.yaml:1',
  },
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'http_proxy', 'https_proxy'].flatMap((name) =>
    ['::', 'http://[', 'nonsense', 'ftp://x', 'http://u:p@', '\u001b[31m', 'http://x:99999'].map(
      (value): Awkward => ({
        name: `${name}=${JSON.stringify(value)}`,
        make: both(
          one,
          put('helpdesk-import.yaml', 'run: { giveUpAfter: 3, timeout: 2, allowPlainHttp: true }'),
        ),
        args: SEND,
        env: {
          HELPDESK_BASE_URL: `${name.toLowerCase().slice(0, -6)}://192.0.2.1`,
          HELPDESK_TOKEN: 'no-token-of-anybody',
          [name]: value,
        },
        codes: [2, 6],
      }),
    ),
  ),
  {
    name: 'a checkpoint that links to itself',
    make: both(one, (folder) => symlinkSync('loop.sqlite', join(folder, 'loop.sqlite'))),
    args: [...SEND, '--checkpoint', 'loop.sqlite'],
    env: AT_HOME,
    codes: [2],
  },
  ...['-wal', '-shm', '.lock', '.new'].flatMap((ending) =>
    ['a folder', 'a loop'].map(
      (what): Awkward => ({
        name: `${what} in the place of c.sqlite${ending}`,
        make: both(one, (folder) => {
          const place = join(folder, `c.sqlite${ending}`);
          if (what === 'a folder') mkdirSync(place);
          else symlinkSync(`c.sqlite${ending}`, place);
        }),
        args: [...SEND, '--checkpoint', 'c.sqlite'],
        env: AT_HOME,
        codes: [2],
        says: `c.sqlite${ending}`,
      }),
    ),
  ),
  ...['/dev/null', '/dev/zero', 'pipe', 'folder'].map(
    (place): Awkward => ({
      name: `${place} as checkpoint`,
      make: both(one, fifo('pipe'), (folder) => mkdirSync(join(folder, 'folder'))),
      args: [...SEND, '--checkpoint', place],
      env: AT_HOME,
      codes: [2],
    }),
  ),
];
