import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { changedSections } from '../../src/checkpoint/meta.ts';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { outcomesOf } from '../../src/checkpoint/status.ts';
import type { TicketRecord } from '../../src/domain/ledger.ts';
import { failed, intend } from '../support/ledger-steps.ts';
import { CLOCK, complete, OPTIONS, opened, PROBLEM, scratchFolder, scratchPath, TARGET } from './scratch.ts';

const run = (path: string, script: string) => {
  const db = new Database(path);
  db.exec(script);
  db.close();
};

/** An undamaged one with two tickets, changed. */
const damagedBy = (script: string) => async (path: string) => {
  const checkpoint = opened(path);
  await complete(checkpoint, 'a', 'T1');
  await complete(checkpoint, 'b', 'T2');
  await checkpoint.close();
  run(path, script);
};

const withBytes = (change: (bytes: Buffer) => Buffer) => async (path: string) => {
  const checkpoint = opened(path);
  for (let i = 0; i < 500; i += 1) void intend(checkpoint, `t${i}`);
  await checkpoint.close();
  writeFileSync(path, change(readFileSync(path)));
};

const overwritten = (bytes: Buffer) => {
  for (let at = 4096 * 5; at + 200 < bytes.length; at += 4096) bytes.fill(0xab, at, at + 200);
  return bytes;
};

describe('a damaged or foreign file is refused with exit 2, to write and to read, and left unchanged', () => {
  const cases: [what: string, make: (path: string) => unknown, says: RegExp][] = [
    ['a text file', (path) => writeFileSync(path, 'id,subject\n1,Hello\n'.repeat(100)), /not a checkpoint/],
    ['an empty file', (path) => writeFileSync(path, ''), /is not a checkpoint/],
    ['a short file', (path) => writeFileSync(path, 'x'), /is not a checkpoint/],
    ["another program's database", (path) => run(path, 'CREATE TABLE t (a)'), /is not a checkpoint/],
    ['another version', damagedBy('PRAGMA user_version = 99'), /written by another version/],
    ['a folder', (path) => mkdirSync(path), /cannot be opened: it is not a file/],
    ['a device', (path) => symlinkSync('/dev/null', path), /cannot be opened: it is not a file/],
    ['a link to nothing', (path) => symlinkSync('nowhere', path), /a link to a file that does not exist/],
    ['a link to itself', (path) => symlinkSync(path, path), /cannot be opened: ELOOP/],
    ['its tickets deleted', damagedBy('DELETE FROM ticket'), /damaged: it lists 0 tickets, and listed 2/],
    ['one ticket deleted', damagedBy("DELETE FROM ticket WHERE external_id = 'a'"), /damaged: it lists 1/],
    ['without a table', damagedBy('DROP TABLE run'), /is damaged: no such table: run/],
    ['without its target', damagedBy('DELETE FROM meta'), /does not say which target/],
    ['an entry that is no JSON', damagedBy("UPDATE meta SET value = '{'"), /is damaged/],
    ['pages that were overwritten', withBytes(overwritten), /is damaged/],
    ['a file that was cut short', withBytes((bytes) => bytes.subarray(0, 4096 * 3)), /is damaged/],
  ];
  it.each(cases)('%s', async (_, make, says) => {
    const path = scratchPath();
    await make(path);
    const bytes = () => (existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined);
    const before = bytes();
    for (const open of [() => openCheckpoint(path, OPTIONS), () => readCheckpoint(path)]) {
      expect(open).toThrow(expect.objectContaining({ code: 'checkpoint', exitCode: 2 }));
      expect(open).toThrow(says);
      expect(open).toThrow(expect.objectContaining({ hint: expect.stringMatching(/\.$/) }));
    }
    expect(bytes()).toEqual(before);
  });

  it('refuses a checkpoint of another helpdesk', async () => {
    const path = scratchPath();
    await openCheckpoint(path, { ...OPTIONS, target: 'https://other.example.org/v1' }).close();
    const says =
      /belongs to the helpdesk https:\/\/other\.example\.org\/v1, not to https:\/\/helpdesk\.example\.com/;
    expect(() => openCheckpoint(path, OPTIONS)).toThrow(says);
    expect(() => readCheckpoint(path, TARGET)).toThrow(says);
    readCheckpoint(path).close();
  });

  it('in a folder that does not exist', () => {
    const open = () => openCheckpoint(join(scratchFolder(), 'none', 'c.sqlite'), OPTIONS);
    expect(open).toThrow(/does not exist/);
  });
});

describe('a checkpoint', () => {
  it('has its name only when it is whole, beside any leftovers of a dead process', async () => {
    const path = scratchPath();
    writeFileSync(`${path}.new`, 'a process that died left this');
    await opened(path).close();
    expect(readdirSync(dirname(path)).sort()).toEqual([
      'import.checkpoint.sqlite',
      'import.checkpoint.sqlite.lock',
    ]);
  });

  it('that went, and its log stayed, is not made anew', () => {
    const path = scratchPath();
    writeFileSync(`${path}-wal`, 'recorded last');
    expect(() => openCheckpoint(path, OPTIONS)).toThrow(/is incomplete: .* the file itself is missing/);
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ['deleted', (path: string) => rmSync(path)],
    ['moved', (path: string) => renameSync(path, `${path}.moved`)],
    [
      'replaced by a copy',
      (path: string) => {
        writeFileSync(`${path}.copy`, readFileSync(path));
        renameSync(`${path}.copy`, path);
      },
    ],
  ])('that is %s while it is used records nothing more, and lets nothing be sent', async (_, change) => {
    const path = scratchPath();
    const checkpoint = opened(path);
    await complete(checkpoint, 'a', 'T1');
    change(path);
    expect(() => checkpoint.aboutToSend()).toThrow(/was deleted, moved or replaced while it was in use/);
    await expect(intend(checkpoint, 'b')).rejects.toMatchObject({
      code: 'checkpoint',
      exitCode: 2,
      hint: expect.stringContaining('checkpoint rebuild'),
    });
    const left = existsSync(path) ? readFileSync(path) : undefined;
    await checkpoint.close();
    expect(existsSync(path) ? readFileSync(path) : undefined).toEqual(left);
  });

  it('that cannot be written stops with disk-write, exit 6', () => {
    const folder = scratchFolder();
    chmodSync(folder, 0o500);
    // A superuser may write anywhere; then there is nothing to refuse.
    const isRefused = process.getuid?.() !== 0;
    const open = () => void openCheckpoint(join(folder, 'c.sqlite'), OPTIONS).close();
    if (isRefused) expect(open).toThrow(expect.objectContaining({ code: 'disk-write' }));
    else expect(open).not.toThrow();
  });

  it.runIf(process.platform !== 'win32')('and its other files are readable by their owner only', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    await complete(checkpoint, 'a', 'T1');
    const names = readdirSync(dirname(path));
    expect(names).toHaveLength(4);
    for (const name of names) expect(statSync(join(dirname(path), name)).mode & 0o777, name).toBe(0o600);
    await checkpoint.close();
    chmodSync(path, 0o644);
    await opened(path).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('remembers its target, its runs, and what it was used with', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    expect(checkpoint.meta).toEqual({ target: TARGET, createdAt: CLOCK.now(), createdBy: '0.1.0' });
    await checkpoint.usedWith({ sourceKey: 'native', settings: { mapping: '1', target: '2' } });
    const first = await checkpoint.startRun('trial');
    await checkpoint.endRun({ exitCode: 0, summary: { read: 8, done: 8 } });
    const second = await checkpoint.startRun('run');
    await checkpoint.close();
    await checkpoint.close();
    const reader = readCheckpoint(path, TARGET);
    expect(reader.meta.settings).toEqual({ mapping: '1', target: '2' });
    const at = CLOCK.now();
    const common = { startedAt: at, version: '0.1.0', pid: process.pid };
    expect(reader.runs(10)).toEqual([
      { id: second, mode: 'run', ...common },
      {
        ...{ id: first, mode: 'trial', ...common, endedAt: at, exitCode: 0 },
        summary: { read: 8, done: 8 },
      },
    ]);
    reader.close();
  });

  it('that does not exist cannot be read, and reading does not make it', () => {
    const path = scratchPath();
    expect(() => readCheckpoint(path)).toThrow(expect.objectContaining({ code: 'checkpoint' }));
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('is read page by page while it is being written', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    for (let i = 0; i < 7; i += 1) await complete(checkpoint, `t${i}`, `T${i}`);
    const reader = readCheckpoint(path);
    expect(reader.page(['done'], 3).map((record) => record.externalId)).toEqual(['t0', 't1', 't2']);
    expect(reader.page(['done'], 3, 't5').map((record) => record.externalId)).toEqual(['t6']);
    expect(reader.writer()?.pid).toBe(process.pid);
    await intend(checkpoint, 'u');
    await failed(checkpoint, 'u', PROBLEM);
    expect(reader.counts()).toMatchObject({ done: 7, refused: 1 });
    await checkpoint.close();
    expect(reader.writer()).toBeUndefined();
    reader.close();
  });
});

it('a checkpoint of earlier runs, which recorded less, is read as it is and gets the rest once it is written to', async () => {
  const path = scratchPath();
  const checkpoint = opened(path);
  await complete(checkpoint, 'done', 'T1');
  await checkpoint.close();
  run(path, 'ALTER TABLE ticket DROP COLUMN shown');
  const before = readFileSync(path);
  const reader = readCheckpoint(path);
  expect(reader.get('done')).toMatchObject({ state: 'done', ticketId: 'T1', shown: undefined });
  expect(reader.page(['done'], 3)).toHaveLength(1);
  reader.close();
  expect(readFileSync(path)).toEqual(before);
  const written = opened(path);
  await written.put({ ...(written.get('done') as TicketRecord), shown: 'ab' });
  expect(written.get('done')?.shown).toBe('ab');
  await written.close();
});

it('a checkpoint of the first version is refused', async () => {
  const path = scratchPath();
  await opened(path).close();
  run(path, 'PRAGMA user_version = 1');
  expect(() => readCheckpoint(path)).toThrow('version');
});

describe('what changed between two runs', () => {
  it.each([
    [undefined, { a: '1' }, []],
    [{ a: '1', b: '2' }, { a: '1', b: '2' }, []],
    [{ a: '1', b: '2' }, { b: '3', c: '4' }, ['a', 'b', 'c']],
  ])('%j → %j: %j', (before, now, expected) => {
    expect(changedSections(before, now)).toEqual(expected);
  });
});

it('a create that no process carries out is in doubt; unfinished tickets are pending', () => {
  const rest = { done: 16, rejected: 32, skipped: 256 };
  const counts = { ...rest, refused: 20, incomplete: 44, pending: 1, creating: 2, created: 12, inDoubt: 128 };
  expect(outcomesOf(counts, false)).toEqual({ ...rest, failed: 64, inDoubt: 130, pending: 13 });
  expect(outcomesOf(counts, true)).toEqual({ ...rest, failed: 64, inDoubt: 128, pending: 15 });
});
