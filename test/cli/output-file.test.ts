/** What a command writes never takes the place of a file that it did not write. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const read = (name: string) => readFileSync(folder.join(name), 'utf8');

beforeAll(async () => {
  writeFileSync(folder.join('export.jsonl'), tickets(2));
  const { code, stderr } = await typed(['run', 'export.jsonl', ...SANDBOX, '--yes']);
  expect(code, stderr).toBe(0);
});

it.each(OUTPUTS)('%s - is refused', async (_, args) => {
  const { code, stderr } = await typed([...args, '-']);
  expect(code).toBe(2);
  expect(stderr).toContain('is a file, not standard output. → Name a file.');
  expect(existsSync(folder.join('-'))).toBe(false);
});

describe.each(OUTPUTS)('%s', (_, args) => {
  it('leaves a file that it did not write, and says how to replace it', async () => {
    writeFileSync(folder.join('notes.csv'), NOTES);
    const { code, stderr } = await typed([...args, 'notes.csv']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/notes\.csv already exists\. It is not replaced\./);
    expect(stderr).toContain(args[0] === 'init' ? '--force' : 'delete this one');
    expect(read('notes.csv')).toBe(NOTES);
  });

  it('leaves the export', async () => {
    const { code } = await typed([...args, 'export.jsonl']);
    expect(code).toBe(2);
    expect(read('export.jsonl')).toBe(tickets(2));
  });

  it('leaves a checkpoint', async () => {
    copyFileSync(folder.join(CHECKPOINT), folder.join('kept.sqlite'));
    const { code, stderr } = await typed([...args, 'kept.sqlite']);
    expect(code).toBe(2);
    expect(stderr).toContain('kept.sqlite is a database, perhaps a checkpoint. It is not replaced.');
    expect(readFileSync(folder.join('kept.sqlite'))).toEqual(readFileSync(folder.join(CHECKPOINT)));
  });

  it('names a folder that is not there', async () => {
    const { code, stderr } = await typed([...args, 'none/notes.csv']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/none\/notes\.csv does not exist/);
  });

  it.skipIf(process.platform === 'win32')('waits for no pipe', async () => {
    using pipes = temporaryFolder();
    execFileSync('mkfifo', [pipes.join('pipe')]);
    const { code, stderr } = await typed([...args, pipes.join('pipe')]);
    expect(code).toBe(2);
    expect(stderr).toContain('is a pipe or a device, so it cannot be written as a file.');
    expect(lstatSync(pipes.join('pipe')).isFIFO()).toBe(true);
  });
});

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

it('checkpoint backup replaces no file', async () => {
  writeFileSync(folder.join('notes.csv'), NOTES);
  const { code, stderr } = await typed(['checkpoint', 'backup', 'notes.csv', '--checkpoint', CHECKPOINT]);
  expect(code).toBe(2);
  expect(stderr).toContain('notes.csv already exists');
  expect(read('notes.csv')).toBe(NOTES);
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

describe.skipIf(process.platform === 'win32')('what is written as a file', () => {
  it('is not a pipe, a socket or a device', async () => {
    using own = temporaryFolder();
    execFileSync('mkfifo', [own.join('pipe')]);
    const socket = createServer();
    await new Promise<void>((listening) => socket.listen(own.join('socket'), listening));
    const asked = (path: string, mayBeStream = false) =>
      requireOutput({ path, name: 'It', isOurs: () => true, mayBeStream });
    for (const name of [own.join('pipe'), own.join('socket'), '/dev/null', '/dev/stdout', '/dev/new'])
      expect(() => asked(name)).toThrow('It is a pipe or a device');
    await new Promise((closed) => socket.close(closed));
    asked('/dev/null', true);
  });

  it('is replaced behind a link, which stays one', async () => {
    using own = temporaryFolder();
    writeFileSync(own.join('real.html'), '');
    symlinkSync('real.html', own.join('link.html'));
    const run = ['run', 'export.jsonl', '--dry-run', '--report', own.join('link.html')];
    const { code, stderr } = await typed(run);
    expect(code, stderr).toBe(0);
    expect(lstatSync(own.join('link.html')).isSymbolicLink()).toBe(true);
    expect(readFileSync(own.join('real.html'), 'utf8')).toContain('<!doctype html>');
    expect(readdirSync(own.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
