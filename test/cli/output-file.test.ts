/** What a command writes never takes the place of a file that it did not write. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireOutput } from '../../src/cli/output-file.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { tickets } from '../support/tickets.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const SANDBOX = ['--sandbox', 'desk'];
const CHECKPOINT = 'desk/checkpoint.sqlite';

/** Of every command that writes a file: what it is typed with, up to the name of the file. */
const OUTPUTS: readonly (readonly [command: string, typed: readonly string[]])[] = [
  ['run --report', ['run', 'export.jsonl', '--dry-run', '--report']],
  ['report -o', ['report', ...SANDBOX, '-o']],
  ['init -o', ['init', 'export.jsonl', '--yes', '-o']],
];

const NOTES = 'id,subject\n1,my own notes\n';

const typed = async (args: readonly string[]) => {
  const { code, stdout, stderr } = await commandLine(args, { cwd: folder.path });
  return { code, stdout, stderr: stderr.replaceAll(/\s+/g, ' ') };
};

beforeAll(async () => {
  writeFileSync(folder.join('export.jsonl'), tickets(2));
  const { code, stderr } = await typed(['run', 'export.jsonl', ...SANDBOX, '--yes']);
  expect(code, stderr).toBe(0);
});

it.each([...OUTPUTS, ['checkpoint backup', ['checkpoint', 'backup', '--checkpoint', CHECKPOINT]] as const])(
  '%s leaves a file that it did not write, and says how to replace it',
  async (_, args) => {
    writeFileSync(folder.join('notes.csv'), NOTES);
    const { code, stderr } = await typed([...args, 'notes.csv']);
    expect(code).toBe(2);
    expect(stderr).toContain('notes.csv already exists.');
    expect(stderr).toMatch(args[0] === 'init' ? /--force/ : /delete this one|Name another file/);
    expect(readFileSync(folder.join('notes.csv'), 'utf8')).toBe(NOTES);
  },
);

it.each(OUTPUTS.filter(([command]) => command !== 'init -o'))(
  '%s replaces its own earlier file',
  async (_, args) => {
    using own = temporaryFolder();
    const file = own.join('output');
    for (let time = 0; time < 2; time++) {
      const { code, stderr } = await typed([...args, file]);
      expect(code, stderr).toBe(0);
    }
    expect(readFileSync(file, 'utf8')).not.toBe('');
  },
);

it.each([...OUTPUTS, ['init --force -o', ['init', 'export.jsonl', '--yes', '--force', '-o']]] as const)(
  '%s leaves a database as it is',
  async (_, args) => {
    using own = temporaryFolder();
    const database = own.join('own.sqlite');
    copyFileSync(folder.join(CHECKPOINT), database);
    const before = readFileSync(database);
    const { code, stderr } = await typed([...args, database]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a database, perhaps a checkpoint.')]);
    expect(readFileSync(database)).toEqual(before);
  },
);

it('init leaves a file of another origin that has the name of its schema', async () => {
  using own = temporaryFolder();
  const schema = own.join('helpdesk-import.schema.json');
  writeFileSync(schema, '{"mine": true}');
  const init = ['init', 'export.jsonl', '--yes', '-o', own.join('settings.yaml')];
  expect((await typed(init)).code).toBe(2);
  expect(readFileSync(schema, 'utf8')).toBe('{"mine": true}');
  expect((await typed([...init, '--force'])).code).toBe(0);
  expect(readFileSync(schema, 'utf8')).toContain('"title"');
});

it('rejects replace no folder of another origin', async () => {
  using own = temporaryFolder();
  mkdirSync(own.join('photos'));
  writeFileSync(own.join('photos/one.txt'), 'one');
  writeFileSync(own.join('bad.jsonl'), `${tickets(1)}{"id": "T9"}\n`);
  const run = ['run', own.join('bad.jsonl'), '--dry-run', '--set', `run.rejects=${own.join('photos')}`];
  const { code, stderr } = await typed(run);
  expect(code).not.toBe(0);
  expect(stderr).toContain('is not a folder of rejects, so it is not replaced.');
  expect(readdirSync(own.join('photos'))).toEqual(['one.txt']);
});

it('sandbox leaves a database of another origin', async () => {
  using own = temporaryFolder();
  copyFileSync(folder.join(CHECKPOINT), own.join('service.sqlite'));
  const before = readFileSync(own.join('service.sqlite'));
  const { code } = await typed(['run', 'export.jsonl', '--yes', '--sandbox', own.path]);
  expect(code).toBe(2);
  expect(readFileSync(own.join('service.sqlite'))).toEqual(before);
});

it.skipIf(process.platform === 'win32')('an output is no stream, folder, export or database', async () => {
  using own = temporaryFolder();
  execFileSync('mkfifo', [own.join('pipe')]);
  const socket = createServer();
  await new Promise<void>((listening) => socket.listen(own.join('socket'), listening));
  const asked = (path: string, isOurs: boolean, mayBeStream = false) =>
    requireOutput({ path, name: 'It', isOurs: () => isOurs, mayBeStream });
  for (const name of [own.join('pipe'), own.join('socket'), '/dev/null', '/dev/stdout', '/dev/new'])
    expect(() => asked(name, true)).toThrow('It is a pipe or a device');
  await new Promise((closed) => socket.close(closed));
  asked('/dev/null', true, true);
  expect(() => asked('-', true)).toThrow('It is a file, not standard output.');
  expect(() => asked(own.join('none/x'), true)).toThrow('/none/x does not exist');
  expect(() => asked(own.path, true)).toThrow('It is a folder');
  expect(() => asked(folder.join('export.jsonl'), false)).toThrow('It already exists');
  expect(() => asked(folder.join(CHECKPOINT), true)).toThrow('It is a database, perhaps a checkpoint');
});

it.skipIf(process.platform === 'win32')(
  'an output behind a link is replaced, and the link stays one',
  async () => {
    using own = temporaryFolder();
    writeFileSync(own.join('real.html'), '');
    symlinkSync('real.html', own.join('link.html'));
    const { code, stderr } = await typed([
      'run',
      'export.jsonl',
      '--dry-run',
      '--report',
      own.join('link.html'),
    ]);
    expect(code, stderr).toBe(0);
    expect(lstatSync(own.join('link.html')).isSymbolicLink()).toBe(true);
    expect(readFileSync(own.join('real.html'), 'utf8')).toContain('<!doctype html>');
    expect(readdirSync(own.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  },
);
