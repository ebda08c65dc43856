/** Malicious and broken exports: bounded time and memory, a clear problem, no stack trace. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type CliResult, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { storedZip } from './stored-zip.ts';

const TIME = '2024-03-01T08:00:00Z';
const good = (id: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    id,
    subject: `Ticket ${id}`,
    contact: { email: 'ann@example.com' },
    createdAt: TIME,
    messages: [
      { actorType: 'customer', contact: { email: 'ann@example.com' }, content: 'Hello', occurredAt: TIME },
    ],
    ...more,
  });
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

interface Ended extends CliResult {
  readonly reported: {
    readonly tickets: Record<string, number>;
    readonly problems: { code: string; severity: string; file?: string; line?: number; message: string }[];
  };
}

/** A dry run over these files. Whatever they hold, it ends by itself, with no defect and no stack. */
async function dryRun(files: Record<string, string | Buffer>, more: readonly string[] = []): Promise<Ended> {
  using folder = temporaryFolder();
  mkdirSync(folder.join('in'));
  for (const [name, content] of Object.entries(files)) writeFileSync(folder.join('in', name), content);
  return await dryRunIn(folder.path, ['in', ...more]);
}

async function dryRunIn(cwd: string, args: readonly string[]): Promise<Ended> {
  const result = await commandLine(['run', ...args, '--dry-run', '--json'], { cwd });
  expect([0, 2, 3], result.stderr).toContain(result.code);
  expect(result.stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
  expect(result.stderr).not.toContain('defect');
  // Nothing that came from a file may steer the terminal.
  expect(result.stderr).not.toContain('\u001b]');
  const reported =
    result.stdout === '' ? { tickets: {}, problems: [] } : (JSON.parse(result.stdout) as Ended['reported']);
  return { ...result, reported };
}

describe('hostile records', () => {
  it.each<[string, string, Record<string, number>, string[]]>([
    [
      '__proto__ and constructor as keys',
      lines(`{"__proto__":{"subject":"x"},"constructor":{"prototype":{"subject":"y"}},"id":"A"}`, good('B')),
      { read: 2, rejected: 1, pending: 1 },
      ['missing-subject'],
    ],
    [
      '__proto__ as an id',
      lines(good('__proto__'), good('constructor'), good('toString')),
      { read: 3, pending: 3 },
      [],
    ],
    [
      'lone surrogates',
      lines(good('A').replace('Hello', 'Hi \\ud800 there')),
      { read: 1, pending: 1 },
      ['invalid-unicode'],
    ],
    ['NUL bytes', lines(good('A').replace('Hello', 'Hi\\u0000')), { read: 1, pending: 1 }, []],
    [
      'nesting a hundred thousand deep',
      lines(`{"id":"A","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, good('B')),
      { read: 2, rejected: 1, pending: 1 },
      [],
    ],
    [
      'nesting that never ends',
      lines(good('B'), `{"id":"A","x":${'{"a":'.repeat(50_000)}`),
      { read: 2, rejected: 1, pending: 1 },
      ['unreadable'],
    ],
    [
      'terminal escapes',
      lines(good('\u001b]0;owned\u0007\u001b[2J'), 'no json \u001b]0;x\u0007'),
      { read: 2, rejected: 1, pending: 1 },
      ['unreadable'],
    ],
    [
      'numbers beyond numbers',
      lines(`{"id":1e999,"subject":"x"}`, good('B')),
      { read: 2, rejected: 1, pending: 1 },
      [],
    ],
  ])('%s', async (_, content, tickets, codes) => {
    const { reported, stderr } = await dryRun({ 'tickets.jsonl': content });
    expect(reported.tickets, stderr).toMatchObject(tickets);
    expect(reported.problems.map(({ code }) => code)).toEqual(expect.arrayContaining(codes));
  });

  it('10,000 columns', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `column ${i}`);
    const csv = [
      `id,subject,contact.email,createdAt,${names.join(',')}`,
      `A,Hello,ann@example.com,${TIME},${names.join(',')}`,
    ].join('\n');
    const { reported, stderr } = await dryRun({ 'tickets.csv': csv });
    expect(reported.tickets, stderr).toMatchObject({ read: 1, pending: 1 });
    expect(stderr.length).toBeLessThan(200_000);
  });
});

describe('hostile files', () => {
  const noise = Buffer.from(Array.from({ length: 65_536 }, (_, i) => (i * 7919 + (i >> 3)) & 255));

  it.each<[string, Record<string, string | Buffer>]>([
    [
      'a picture that calls itself JSONL',
      { 'tickets.jsonl': Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), noise]) },
    ],
    ['noise that calls itself CSV', { 'tickets.csv': noise }],
    [
      'noise that calls itself a zip',
      { 'tickets.zip': Buffer.concat([Buffer.from('PK\u0003\u0004'), noise]) },
    ],
    [
      'noise that calls itself gzip',
      { 'tickets.jsonl.gz': Buffer.concat([Buffer.from([0x1f, 0x8b]), noise]) },
    ],
    ['a gzip that is cut off', { 'tickets.jsonl.gz': gzipSync(lines(good('A'), good('B'))).subarray(0, 60) }],
    ['an empty file', { 'tickets.jsonl': '' }],
  ])('%s: one clear sentence with its name', async (_, files) => {
    const { reported, stderr } = await dryRun(files);
    const [name = ''] = Object.keys(files);
    const isReported = stderr.includes(name) || reported.problems?.some(({ file }) => file?.includes(name));
    expect(isReported, stderr).toBe(true);
    // An unreadable export is an error, without counts.
    expect(reported.tickets?.['pending'] ?? 0).toBe(0);
  });

  it('a text without a line end and without JSON is named with its defect', async () => {
    const { code, stderr } = await dryRun({ 'tickets.jsonl': 'x'.repeat(1_000_000) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/No record of \S+ can be read\. Line 1:/);
    expect(stderr.length).toBeLessThan(2_000);
  });

  it('a gzip bomb is refused before it fills the disk', async () => {
    // 1,100 MB of zeros in 1 MB.
    const piece = gzipSync(Buffer.alloc(50_000_000), { level: 9 });
    const { code, stderr } = await dryRun({
      'tickets.jsonl.gz': Buffer.concat(Array.from({ length: 22 }, () => piece)),
    });
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('tickets.jsonl.gz');
  }, 60_000);

  it('paths in a zip lead nowhere: nothing is written outside', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.join('deep/in'), { recursive: true });
    const zip = storedZip([
      ['../../escaped.jsonl', lines(good('A'))],
      ['/tmp/absolute.jsonl', lines(good('B'))],
      ['tickets.jsonl', lines(good('C'))],
    ]);
    writeFileSync(folder.join('deep/in/export.zip'), zip);
    await dryRunIn(folder.join('deep'), ['in']);
    expect(readdirSync(folder.path)).toEqual(['deep']);
    expect(readdirSync(folder.join('deep')).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  });

  it.runIf(process.platform !== 'win32')(
    'links that go in circles, or nowhere, end with a sentence',
    async () => {
      using folder = temporaryFolder();
      mkdirSync(folder.join('in'));
      writeFileSync(folder.join('in/tickets.jsonl'), lines(good('A')));
      symlinkSync('..', folder.join('in/up'));
      symlinkSync('self', folder.join('in/self'));
      symlinkSync('gone.jsonl', folder.join('in/nowhere.jsonl'));
      const { stderr, code } = await dryRunIn(folder.path, ['in']);
      expect([0, 2], stderr).toContain(code);
      const alone = await dryRunIn(folder.path, [join('in', 'self')]);
      expect(alone.code).toBe(2);
      expect(alone.stderr).toContain('self');
    },
  );
});
