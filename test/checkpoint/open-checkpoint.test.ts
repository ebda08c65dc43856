import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
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
import { APPLICATION_ID, MIGRATIONS, migrate } from '../../src/checkpoint/migrations.ts';
import { outcomesOf, readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { createFakeClock } from '../support/fake-clock.ts';
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
    ['an empty file', (path) => writeFileSync(path, ''), /is empty/],
    ['a short file', (path) => writeFileSync(path, 'x'), /is not a checkpoint/],
    ["another program's database", (path) => foreign(path, 'CREATE TABLE t (a)'), /is not a checkpoint/],
    [
      "another application's id",
      (path) => foreign(path, 'PRAGMA application_id = 7; CREATE TABLE t (a)'),
      /is not a checkpoint/,
    ],
    [
      'a newer schema',
      async (path) => {
        await opened(path).close();
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
    [
      'a database without a table',
      (path) => foreign(path, 'PRAGMA journal_mode = WAL'),
      /is not a checkpoint/,
    ],
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

describe('a checkpoint that was damaged is refused, to write and to read, whatever of it is damaged', () => {
  const cases: [what: string, script: string, says: RegExp][] = [
    ['its tickets deleted', 'DELETE FROM ticket', /has lost tickets: it lists 0, and it listed 2/],
    ['some of them deleted', "DELETE FROM ticket WHERE external_id = 'a'", /lists 1, and it listed 2/],
    [
      'all tables emptied but what it says of itself',
      'DELETE FROM ticket; DELETE FROM batch; DELETE FROM run; DELETE FROM intent',
      /has lost tickets/,
    ],
    [
      'all tables emptied',
      'DELETE FROM ticket; DELETE FROM batch; DELETE FROM run; DELETE FROM meta',
      /is damaged: it does not say which target it belongs to/,
    ],
    ...['ticket', 'meta', 'intent', 'batch'].map((table): [string, string, RegExp] => [
      `without the table ${table}`,
      `DROP TABLE ${table}`,
      new RegExp(`is damaged: it has no column "\\w+" in the table "${table}"`),
    ]),
    ['without a column', 'ALTER TABLE ticket DROP COLUMN thread', /no column "thread" in the table "ticket"/],
    ['of version 0', 'PRAGMA user_version = 0', /is damaged: its schema has the version 0/],
    ['of a version below 0', 'PRAGMA user_version = -3', /is damaged: its schema has the version -3/],
    [
      'of an older version than its tables',
      'PRAGMA user_version = 2',
      /is damaged: it has no column "intent"/,
    ],
    ['an entry that is no JSON', "UPDATE meta SET value = '{'", /what it says about itself cannot be read/],
    ['an entry of another form', "UPDATE meta SET value = '1'", /does not say which target/],
    ['a run that is no JSON', "UPDATE run SET summary = '{'", /its list of runs cannot be read/],
    ['an unknown state', 'UPDATE ticket SET state = 99', /2 of its tickets have an unknown state/],
    ['ids taken away', 'UPDATE ticket SET ticket_id = NULL', /2 tickets that are in the target have no id/],
    ['a problem that is no JSON', "UPDATE ticket SET problem = 'x'", /what is wrong with 2 of its tickets/],
  ];
  it.each(cases)('%s', async (_, script, says) => {
    const path = scratchPath();
    const checkpoint = opened(path);
    await checkpoint.startRun('run', {});
    await complete(checkpoint, 'a', 'T1');
    await complete(checkpoint, 'b', 'T2');
    await checkpoint.close();
    foreign(path, script);
    const before = readFileSync(path);
    for (const open of [() => openCheckpoint(path, OPTIONS), () => readCheckpoint(path)]) {
      expect(open).toThrow(expect.objectContaining({ code: 'checkpoint', exitCode: 2 }));
      expect(open).toThrow(says);
      expect(open).toThrow(expect.objectContaining({ hint: expect.stringContaining('checkpoint rebuild') }));
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('a run that never ended in order does not know how many there were, but an empty list is one', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    await checkpoint.startRun('run');
    await complete(checkpoint, 'a', 'T1');
    await checkpoint.endRun({ exitCode: 0, summary: { tickets: { done: 1 } } });
    await checkpoint.close();
    foreign(path, "DELETE FROM meta WHERE key = 'listed'; DELETE FROM ticket");
    expect(() => openCheckpoint(path, OPTIONS)).toThrow(/lists 0, and it listed 1/);
  });
});

describe('what cannot be a file is refused by its kind, and nothing is made beside it', () => {
  it.runIf(process.platform !== 'win32').each([
    ['a device', (path: string): void => symlinkSync('/dev/null', path), /is a pipe or a device/],
    ['a pipe', (path: string): void => void execFileSync('mkfifo', [path]), /is a pipe or a device/],
    [
      'a link to nothing',
      (path: string): void => symlinkSync('nowhere', path),
      /is a link to a file that does not exist/,
    ],
    [
      'a link to itself',
      (path: string): void => symlinkSync(path, path),
      /is a link that leads back to itself/,
    ],
  ] as const)('%s', (_, make, says) => {
    const path = scratchPath();
    make(path);
    for (const open of [(): unknown => openCheckpoint(path, OPTIONS), (): unknown => readCheckpoint(path)]) {
      expect(open).toThrow(expect.objectContaining({ code: 'checkpoint', exitCode: 2 }));
      expect(open).toThrow(says);
    }
    expect(readdirSync(dirname(path))).toHaveLength(1);
    expect(existsSync('/dev/null.lock')).toBe(false);
  });
});

describe('a checkpoint', () => {
  it('stands under its name only when it is whole: one that cannot be finished leaves nothing', async () => {
    const path = scratchPath();
    mkdirSync(`${path}.new`);
    expect(() => openCheckpoint(path, OPTIONS)).toThrow();
    expect(existsSync(path)).toBe(false);
    rmdirSync(`${path}.new`);
    writeFileSync(`${path}.new`, 'a process that died left this');
    await opened(path).close();
    expect(readCheckpoint(path).meta.target).toBe(TARGET);
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.new'))).toEqual([]);
  });

  it('that went, and its log stayed, is not made anew', async () => {
    const path = scratchPath();
    writeFileSync(`${path}-wal`, 'recorded last');
    expect(() => openCheckpoint(path, OPTIONS)).toThrow(/does not exist, but its log .*-wal does/);
    expect(existsSync(path)).toBe(false);
    writeFileSync(`${path}-wal`, '');
    await opened(path).close();
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
    const clock = createFakeClock();
    const checkpoint = openCheckpoint(path, { ...OPTIONS, clock, survives: 'process' });
    await complete(checkpoint, 'a', 'T1');
    change(path);
    expect(() => checkpoint.aboutToSend()).toThrow(/was deleted, moved or replaced while it was in use/);
    await expect(checkpoint.intend('b', INTENT, PRINTS)).rejects.toMatchObject({
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
    const reported = (i: number) => ({
      ...INTENT,
      subject: `Subject of ${id(i)} ${'and so on '.repeat(i % 40)}`,
    });
    for (let i = 0; i < 2_000; i += 1) {
      void checkpoint.intend(id(i), reported(i), PRINTS, '0011223344556677');
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
  const older = Array.from({ length: MIGRATIONS.length - 1 }, (_, version) => version + 1);
  const meta = `INSERT INTO meta VALUES ('checkpoint', '{"target":"${TARGET}","createdAt":1,"createdBy":"0"}')`;
  it.each(older)('a file of schema version %i opens, and is as a new one', async (version) => {
    const path = scratchPath();
    const db = new Database(path);
    db.pragma('journal_mode = WAL');
    migrate(db, path, MIGRATIONS.slice(0, version));
    db.exec(
      `${meta}; INSERT INTO ticket (external_id, state, reached, ticket_id, updated_at) VALUES ('old', 4, 3, 'T1', 0)`,
    );
    db.close();
    expect(() => readCheckpoint(path)).toThrow(/older version/);
    const checkpoint = opened(path);
    expect(checkpoint.get('old')?.ticketId).toBe('T1');
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
    migrate(db, path, MIGRATIONS.slice(0, 2));
    db.exec(meta);
    const insert = db.prepare("INSERT INTO ticket VALUES (?, ?, 0, NULL, x'00', NULL, ?, 7)");
    for (let i = 0; i < 300; i += 1)
      insert.run(`t${i}`, i % 2 === 0 ? 1 : 4, JSON.stringify({ ...INTENT, subject: `Old subject ${i}.` }));
    db.prepare('UPDATE ticket SET intent = NULL WHERE state = 4').run();
    db.prepare("UPDATE ticket SET state = 3, ticket_id = 'T', intent = NULL WHERE external_id <> 't0'").run();
    db.close();
    const checkpoint = opened(path);
    expect(checkpoint.get('t0')?.intent?.subject).toBe('Old subject 0.');
    expect(checkpoint.counts()).toMatchObject({ creating: 1, messaged: 299 });
    await checkpoint.close();
    const bytes = readFileSync(path).toString('latin1');
    expect([...new Set(bytes.match(/Old subject \d+/g))]).toEqual(['Old subject 0']);
  });

  it('steps that fail leave the file as it was', () => {
    const path = scratchPath();
    const db = new Database(path);
    const broken = [
      ...MIGRATIONS.slice(0, 1),
      'CREATE TABLE begun (a);',
      'CREATE TABLE extra (a); CREATE TABLE ticket (b);',
    ];
    migrate(db, path, broken.slice(0, 1));
    expect(() => migrate(db, path, broken)).toThrow();
    expect(db.pragma('user_version', { simple: true })).toBe(1);
    const made = db.prepare("SELECT count(*) FROM sqlite_master WHERE name IN ('begun', 'extra')");
    expect(made.pluck().get()).toBe(0);
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
