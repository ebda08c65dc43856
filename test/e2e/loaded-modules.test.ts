/**
 * What a command loads before it can say anything: half of its start is loading, so whatever only another command, another
 * format or a rare record needs comes later, when there is use for it. Libraries are named exactly: a new one shows here.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { ONE_TICKET } from '../support/one-ticket.ts';

const root = resolve(import.meta.dirname, '../..');
const TELL = join(root, 'test/support/tell-modules.ts');
const CLI = join(root, 'bin/helpdesk-import.js');

const UNNAMED = { ...ONE_TICKET, messages: [{ ...ONE_TICKET.messages[0], attachments: [{ name: 'x' }] }] };
const CSV = 'id,subject,email,created_at\nT-1,Where is it?,ann@example.com,2024-05-06T07:08:09Z\n';

interface Loaded {
  readonly code: number | null;
  /** Of libraries, those that are not Node's own. */
  readonly libraries: readonly string[];
  /** Folders of the program, `report/html`. */
  readonly folders: readonly string[];
}

function load(args: readonly string[]): Loaded {
  using folder = temporaryFolder();
  const { path } = folder;
  writeFileSync(join(path, 'one.jsonl'), `${JSON.stringify(ONE_TICKET)}\n`);
  writeFileSync(join(path, 'rejected.jsonl'), `${JSON.stringify(UNNAMED)}\n`);
  writeFileSync(join(path, 'one.csv'), CSV);
  writeFileSync(join(path, 'set.yaml'), 'run: { timeout: 20 }\n');
  const reported = join(path, 'loaded.txt');
  const { status } = spawnSync(process.execPath, ['--import', TELL, CLI, ...args], {
    cwd: path,
    env: { ...process.env, LOADED_MODULES: reported },
  });
  const paths = readFileSync(reported, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:'));
  const named = (pattern: RegExp) =>
    [...new Set(paths.flatMap((url) => pattern.exec(url)?.[1] ?? []))].sort();
  return {
    code: status,
    libraries: named(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/),
    folders: named(/\/dist\/((?!.*node_modules)[^.]*)\//),
  };
}

const FIRST = ['commander', 'fast-string-truncated-width', 'fast-string-width'];
const BASE = [...FIRST, 'chalk'];
/** Rows are joined, and ids and contacts kept apart, in a temporary database. */
const JOIN = [...BASE, 'better-sqlite3'];

it.each<[what: string, args: string[], code: number, libraries: string[]]>([
  ['--version', ['--version'], 0, FIRST],
  ['--help', ['--help'], 0, FIRST],
  ['a dry run of JSONL', ['run', 'one.jsonl', '--dry-run'], 0, JOIN],
  ['a dry run with a rejected record', ['run', 'rejected.jsonl', '--dry-run'], 3, JOIN],
  ['a dry run of CSV', ['run', 'one.csv', '--dry-run'], 0, [...JOIN, 'csv-parse']],
  [
    'a dry run with settings',
    ['run', 'one.jsonl', '--dry-run', '-c', 'set.yaml'],
    0,
    [...JOIN, 'yaml', 'zod'],
  ],
  ['inspect', ['inspect', 'one.jsonl'], 0, [...JOIN, 'yaml', 'zod']],
])('%s loads these libraries and no other', (_what, args, code, libraries) => {
  expect(load(args)).toMatchObject({ code, libraries: libraries.toSorted() });
});

it('a dry run loads no stage that it does not come to', () => {
  expect(load(['run', 'one.jsonl', '--dry-run']).folders).toEqual(
    [
      ...[
        'cli',
        'disk',
        'domain',
        'import',
        'import/dry-run',
        'import/files',
        'import/links',
        // How texts are compared.
        'present/conversation',
        'present/terminal',
        'settings',
        'settings/table',
        'summary',
      ],
      // The options of every command, for the help.
      ...[
        'run',
        'verify',
        'status',
        'resolve',
        'map',
        'links',
        'undo',
        'report',
        'doctor',
        'init',
        'inspect',
        'sandbox',
        'billing',
        'checkpoint',
        'files',
      ].map((name) => `commands/${name}`),
      ...[
        'source',
        'source/files',
        'source/join',
        'source/json',
        'sqlite',
        'time',
        'check',
        'memory',
        'plan',
        'rejects',
      ],
      ...[
        'mapping/compile',
        'mapping/detect',
        'mapping/language',
        'mapping/people',
        'mapping/platforms',
        'mapping/time',
      ],
      // The names of faults, for the options of the sandbox.
      ...['sandbox/core', 'sandbox/faults'],
    ].toSorted(),
  );
});

it('an import into the sandbox loads nothing that draws a page, a report or a bar', () => {
  const { code, libraries } = load(['run', 'one.jsonl', '--sandbox']);
  expect(code).toBe(0);
  for (const name of ['sanitize-html', 'markdown-it', 'yaml', 'csv-parse', 'cli-progress', '@clack/prompts'])
    expect(libraries).not.toContain(name);
});
