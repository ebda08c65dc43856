import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { changedSections } from '../../src/checkpoint/meta.ts';
import { APPLICATION_ID, MIGRATIONS, migrate } from '../../src/checkpoint/migrations.ts';
import { openForWriting } from '../../src/checkpoint/open-database.ts';
import { outcomesOf, readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import {
  CLOCK,
  complete,
  INTENT,
  OPTIONS,
  opened,
  PRINTS,
  PROBLEM,
  scratchFolder,
  scratchPath,
  TARGET,
} from './scratch.ts';

const foreign = (path: string, script: string) => {
  const db = new Database(path);
  db.exec(script);
  db.close();
};

describe('a file that cannot be this checkpoint is refused with exit 2, and left as it is', () => {
  const cases: [what: string, make: (path: string) => unknown, says: RegExp][] = [
    [
      'a text file',
      (path) => writeFileSync(path, 'id,subject\n1,Hello\n'.repeat(100)),
      /is not a checkpoint/,
    ],
    ['an empty file', (path) => writeFileSync(path, ''), /is empty: it holds nothing at all/],
    [
      'one whose tickets somebody deleted',
      async (path) => {
        const checkpoint = openCheckpoint(path, OPTIONS);
        await checkpoint.startRun('run');
        await complete(checkpoint, 'a', 'T1');
        await checkpoint.endRun({ exitCode: 0, summary: { tickets: { done: 1 } } });
        await checkpoint.close();
        foreign(path, 'DELETE FROM ticket');
      },
      /has lost its tickets/,
    ],
    ['a short file', (path) => writeFileSync(path, 'x'), /is not a checkpoint/],
    ["another program's database", (path) => foreign(path, 'CREATE TABLE t (a)'), /is not a checkpoint/],
    [
      "another application's id",
      (path) => foreign(path, 'PRAGMA application_id = 7; CREATE TABLE t (a)'),
      /is not a checkpoint/,
    ],
    [
      'a newer schema',
      (path) => {
        openForWriting(path, 'process').close();
        foreign(path, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
      },
      /newer version/,
    ],
    [
      'another target',
      (path) => openCheckpoint(path, { ...OPTIONS, target: 'https://other.example.org/v1' }).close(),
      /belongs to the target https:\/\/other\.example\.org\/v1, not to https:\/\/helpdesk\.example\.com/,
    ],
    ['a folder', (path) => mkdirSync(path), /is a folder/],
  ];
  it.each(cases)('%s', async (_, make, says) => {
    const path = scratchPath();
    await make(path);
    const before = statSync(path).isFile() ? readFileSync(path) : undefined;
    const open = () => openCheckpoint(path, OPTIONS);
    expect(open).toThrow(expect.objectContaining({ code: 'checkpoint', exitCode: 2 }));
    expect(open).toThrow(says);
    expect(open).toThrow(expect.objectContaining({ hint: expect.stringMatching(/\.$/) }));
    if (before !== undefined) expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('a folder that does not exist', () => {
    const open = () => openCheckpoint(join(scratchFolder(), 'none', 'c.sqlite'), OPTIONS);
    expect(open).toThrow(expect.objectContaining({ code: 'checkpoint' }));
    expect(open).toThrow(/does not exist/);
  });

  it('pages that were overwritten', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    for (let i = 0; i < 500; i += 1) void checkpoint.intend(`t${i}`, INTENT, PRINTS);
    await checkpoint.close();
    const bytes = readFileSync(path);
    for (let at = 4096 * 5; at + 200 < bytes.length; at += 4096) bytes.fill(0xab, at, at + 200);
    writeFileSync(path, bytes);
    expect(() => openCheckpoint(path, OPTIONS)).toThrow(expect.objectContaining({ code: 'checkpoint' }));
    expect(() => openCheckpoint(path, OPTIONS)).toThrow(/is damaged/);
    expect(() => readCheckpoint(path)).toThrow(/is damaged/);
  });

  it('a file that was cut short', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    for (let i = 0; i < 500; i += 1) void checkpoint.intend(`t${i}`, INTENT, PRINTS);
    await checkpoint.close();
    writeFileSync(path, readFileSync(path).subarray(0, 4096 * 3));
    expect(() => openCheckpoint(path, OPTIONS)).toThrow(/is damaged/);
  });
});

describe('a checkpoint', () => {
  it('whose making was interrupted is made anew', async () => {
    const begun = scratchPath();
    foreign(begun, 'PRAGMA journal_mode = WAL');
    await opened(begun).close();
    expect(readCheckpoint(begun).meta.target).toBe(TARGET);
  });

  it('that cannot be written stops with disk-write, exit 6', () => {
    const folder = scratchFolder();
    const path = join(folder, 'c.sqlite');
    chmodSync(folder, 0o500);
    // A superuser may write anywhere; then there is nothing to refuse.
    const refused = process.getuid?.() !== 0;
    const open = () => void openCheckpoint(path, OPTIONS).close();
    if (refused) expect(open).toThrow(expect.objectContaining({ code: 'disk-write' }));
    else expect(open).not.toThrow();
  });

  it.runIf(process.platform !== 'win32')(
    'and the files beside it are readable by their owner only',
    async () => {
      const path = scratchPath();
      const checkpoint = opened(path);
      await complete(checkpoint, 'a', 'T1');
      const modes = () =>
        readdirSync(dirname(path)).map((name) => [name, statSync(join(dirname(path), name)).mode & 0o777]);
      expect(modes()).toHaveLength(4);
      expect(modes().every(([, mode]) => mode === 0o600)).toBe(true);
      await checkpoint.close();
      chmodSync(path, 0o644);
      await opened(path).close();
      expect(statSync(path).mode & 0o777).toBe(0o600);
    },
  );

  it('leaves neither a log nor the subject and address of a settled create behind', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    const names = Array.from({ length: 300 }, (_, i) => `t${i}`);
    await Promise.all(names.map((id) => checkpoint.intend(id, INTENT, PRINTS)));
    await checkpoint.flush();
    expect(readFileSync(`${path}-wal`).includes(INTENT.subject)).toBe(true);
    await Promise.all(names.map((id) => checkpoint.created(id, `T-${id}`)));
    await checkpoint.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    const bytes = readFileSync(path);
    expect(bytes.includes('T-t299')).toBe(true);
    expect(bytes.includes(INTENT.subject)).toBe(false);
    expect(bytes.includes(INTENT.email ?? '')).toBe(false);
  });

  it('keeps the text of creates that are still open, and of no other', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    const id = (i: number) => `t${String((i * 7_919) % 2_000).padStart(5, '0')}`;
    const told = (i: number) => ({
      ...INTENT,
      subject: `Subject of ${id(i)} ${'and so on '.repeat(i % 40)}`,
    });
    for (let i = 0; i < 2_000; i += 1) {
      void checkpoint.intend(id(i), told(i), PRINTS, '0011223344556677');
      if (i % 50 === 49) await checkpoint.flush();
      if (i >= 60 && i % 100 !== 0) {
        void checkpoint.created(id(i - 60), `T${i}`);
        void checkpoint.eventsSent(id(i - 60), undefined, 'a1b2c3'.repeat(2 * (i % 9)));
      }
    }
    const open = [...checkpoint.inStates(['creating'])].map((record) => record.externalId);
    expect(open.length).toBeGreaterThan(60);
    await checkpoint.close();
    const bytes = readFileSync(path).toString('latin1');
    const left = new Set([...bytes.matchAll(/Subject of (t\d+)/g)].map((match) => match[1]));
    expect([...left].sort()).toEqual(open.sort());
    const reader = readCheckpoint(path);
    expect(reader.get(open[0] ?? '')?.intent?.subject).toContain(`Subject of ${open[0]}`);
    expect(reader.get(id(1))).toMatchObject({ origin: '0011223344556677', thread: 'a1b2c3'.repeat(14) });
    reader.close();
  });

  it('remembers its target, its runs with their batches, and what it was used with', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    expect(checkpoint.meta).toEqual({ target: TARGET, createdAt: CLOCK.now(), createdBy: '0.1.0' });
    await checkpoint.usedWith({ sourceKey: 'native', settings: { mapping: '1', target: '2' } });
    const first = await checkpoint.startRun('trial');
    await checkpoint.batchSettled(1, 8);
    await checkpoint.endRun({ exitCode: 0, summary: { read: 8, done: 8 } });
    const second = await checkpoint.startRun('run');
    await checkpoint.batchSettled(1, 100);
    await checkpoint.batchSettled(2, 37);
    await checkpoint.close();
    const reader = readCheckpoint(path, TARGET);
    expect(reader.meta.settings).toEqual({ mapping: '1', target: '2' });
    const at = CLOCK.now();
    const common = { startedAt: at, version: '0.1.0', pid: process.pid };
    expect(reader.runs(10)).toEqual([
      { id: second, mode: 'run', ...common },
      { id: first, mode: 'trial', ...common, endedAt: at, exitCode: 0, summary: { read: 8, done: 8 } },
    ]);
    expect(reader.batches(second)).toEqual([
      { run: second, number: 1, tickets: 100, settledAt: at },
      { run: second, number: 2, tickets: 37, settledAt: at },
    ]);
    reader.close();
    expect(() => readCheckpoint(path, 'https://other.example.org')).toThrow(/belongs to the target/);
  });

  it('closes twice without complaint', async () => {
    const checkpoint = opened();
    await checkpoint.close();
    await checkpoint.close();
  });

  it('that does not exist cannot be read, and reading makes none', () => {
    const path = scratchPath();
    expect(() => readCheckpoint(path)).toThrow(expect.objectContaining({ code: 'checkpoint' }));
    expect(existsSync(path)).toBe(false);
  });

  it('is read page by page while it is being written', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    for (let i = 0; i < 7; i += 1) await complete(checkpoint, `t${i}`, `T${i}`);
    const reader = readCheckpoint(path);
    expect(reader.page(['done'], 3).map((record) => record.externalId)).toEqual(['t0', 't1', 't2']);
    expect(reader.page(['done'], 3, 't5').map((record) => record.externalId)).toEqual(['t6']);
    expect(reader.writer()?.pid).toBe(process.pid);
    await checkpoint.intend('u', INTENT, PRINTS);
    await checkpoint.refused('u', PROBLEM);
    expect(reader.counts()).toMatchObject({ done: 7, failed: 1 });
    expect(reader.changesBySecond(['done'])).toEqual([
      { second: Math.floor(CLOCK.now() / 1000), tickets: 7 },
    ]);
    await checkpoint.close();
    expect(reader.writer()).toBeUndefined();
    reader.close();
  });
});

describe('migrations', () => {
  const older = Array.from({ length: MIGRATIONS.length }, (_, version) => version);
  it.each(older)('a file of schema version %i opens, and is as a new one', async (version) => {
    const path = scratchPath();
    const db = new Database(path);
    db.pragma('journal_mode = WAL');
    migrate(db, path, MIGRATIONS.slice(0, version));
    if (version > 0) db.exec("INSERT INTO ticket VALUES ('old', 4, 3, 'T1', NULL, NULL, NULL, 0)");
    db.close();
    if (version > 0) expect(() => readCheckpoint(path)).toThrow(/older version/);
    const checkpoint = opened(path);
    expect(checkpoint.get('old')?.ticketId).toBe(version > 0 ? 'T1' : undefined);
    await complete(checkpoint, 'new', 'T2');
    await checkpoint.startRun('run');
    await checkpoint.close();
    const schemaOf = (file: string) => {
      const opened = new Database(file, { readonly: true });
      const schema = opened.prepare('SELECT sql FROM sqlite_master ORDER BY name').pluck().all();
      expect(opened.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
      expect(opened.pragma('application_id', { simple: true })).toBe(APPLICATION_ID);
      opened.close();
      return schema;
    };
    const fresh = scratchPath();
    await opened(fresh).close();
    expect(schemaOf(path)).toEqual(schemaOf(fresh));
  });

  it('texts that an older version left in the file are gone, and open creates keep theirs', async () => {
    const path = scratchPath();
    const db = new Database(path);
    migrate(db, path, MIGRATIONS.slice(0, 3));
    const insert = db.prepare("INSERT INTO ticket VALUES (?, ?, 0, NULL, x'00', NULL, ?, 7)");
    for (let i = 0; i < 300; i += 1)
      insert.run(`t${i}`, i % 2 === 0 ? 1 : 4, JSON.stringify({ ...INTENT, subject: `Old subject ${i}.` }));
    db.prepare('UPDATE ticket SET intent = NULL WHERE state = 4').run();
    db.prepare("UPDATE ticket SET state = 3, intent = NULL WHERE external_id <> 't0'").run();
    db.close();
    const checkpoint = opened(path);
    expect(checkpoint.get('t0')?.intent?.subject).toBe('Old subject 0.');
    expect(checkpoint.counts()).toMatchObject({ creating: 1, messaged: 299 });
    await checkpoint.close();
    const bytes = readFileSync(path).toString('latin1');
    expect([...new Set(bytes.match(/Old subject \d+/g))]).toEqual(['Old subject 0']);
  });

  it('a step that fails leaves the file at the step before', () => {
    const path = scratchPath();
    const db = new Database(path);
    const broken = [...MIGRATIONS.slice(0, 1), 'CREATE TABLE extra (a); CREATE TABLE ticket (b);'];
    expect(() => migrate(db, path, broken)).toThrow();
    expect(db.pragma('user_version', { simple: true })).toBe(1);
    expect(db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'extra'").pluck().get()).toBe(0);
    db.close();
  });
});

describe('one checkpoint under two names', () => {
  it.runIf(process.platform !== 'win32')('is one checkpoint', () => {
    const path = scratchPath();
    opened(path);
    const link = join(dirname(path), 'link.sqlite');
    symlinkSync(path, link);
    expect(() => openCheckpoint(link, OPTIONS)).toThrow(/is in use by process/);
  });
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

describe('tickets by outcome', () => {
  const counts = {
    pending: 1,
    creating: 2,
    created: 4,
    messaged: 8,
    done: 16,
    rejected: 32,
    failed: 64,
    inDoubt: 128,
    skipped: 256,
  };
  it('a create that nobody carries out is in doubt; unfinished tickets are pending', () => {
    const rest = { done: 16, rejected: 32, failed: 64, skipped: 256 };
    expect(outcomesOf(counts, false)).toEqual({ ...rest, inDoubt: 130, pending: 13 });
    expect(outcomesOf(counts, true)).toEqual({ ...rest, inDoubt: 128, pending: 15 });
  });
});
