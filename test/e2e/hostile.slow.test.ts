/** The largest of the hostile exports, with what they cost. */
import { createWriteStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startCli, temporaryFolder } from '../support/cli.ts';

const MB = 1_000_000;
const GOOD =
  '{"id":"B","subject":"Good","contact":{"email":"ann@example.com"},"createdAt":"2024-03-01T08:00:00Z","messages":[]}\n';

async function writeAll(path: string, pieces: Iterable<string>, compressed = false): Promise<void> {
  const file = createWriteStream(path);
  const packer = compressed ? createGzip({ level: 9 }) : undefined;
  packer?.pipe(file);
  const into: Writable = packer ?? file;
  for (const piece of pieces) if (!into.write(piece)) await new Promise((go) => into.once('drain', go));
  into.end();
  await finished(file);
}

function* repeated(begin: string, piece: string, times: number, end: string): Generator<string> {
  yield begin;
  for (let n = 0; n < times; n += 1) yield piece;
  yield end;
}

/** A dry run, with the most memory that the program held at once (where the system tells), in MB. */
async function measured(cwd: string, name: string) {
  const started = performance.now();
  const run = startCli(['run', name, '--dry-run', '--json'], { cwd });
  let peak = 0;
  const watch = setInterval(() => {
    const path = `/proc/${run.pid}/status`;
    if (!existsSync(path)) return;
    const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'));
    peak = Math.max(peak, Number(found?.[1] ?? 0) / 1000);
  }, 25);
  const result = await run.result.finally(() => clearInterval(watch));
  expect(result.stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
  expect([0, 2, 3], result.stderr).toContain(result.code);
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(`${name}: exit ${result.code}, ${seconds.toFixed(1)} s, ${peak.toFixed(0)} MB\n`);
  const reported =
    result.stdout === '' ? undefined : (JSON.parse(result.stdout) as { tickets: Record<string, number> });
  return { ...result, reported, peak, seconds };
}

const text = 'x'.repeat(MB);

describe('a dry run of', () => {
  it.each<[string, string, Iterable<string>, Record<string, number> | undefined]>([
    [
      'a line of 100 MB that is a ticket',
      'long.jsonl',
      repeated('{"id":"A","subject":"', text, 100, `"}\n${GOOD}`),
      { read: 2 },
    ],
    [
      'a line of 100 MB that is nothing',
      'noise.jsonl',
      repeated(GOOD, text, 100, '\n'),
      { read: 2, rejected: 1, pending: 1 },
    ],
    [
      'a cell of 100 MB that never ends',
      'cell.csv',
      repeated('id,subject,createdAt\nA,"', text, 100, '\n'),
      undefined,
    ],
    [
      'nesting of a million levels',
      'deep.jsonl',
      repeated(`${GOOD}{"id":"A","x":`, '['.repeat(1000), 1000, '\n'),
      { read: 2, rejected: 1 },
    ],
    [
      'a hundred thousand columns',
      'wide.csv',
      repeated('id,subject,createdAt', ',column with a name', MB / 10, '\n'),
      undefined,
    ],
  ])('%s', async (_, name, pieces, tickets) => {
    using folder = temporaryFolder();
    await writeAll(folder.join(name), pieces);
    const { reported, peak, seconds, stderr } = await measured(folder.path, name);
    if (tickets !== undefined) expect(reported?.tickets, stderr).toMatchObject(tickets);
    expect(peak).toBeLessThan(1500);
    expect(seconds).toBeLessThan(60);
  });

  it('a gzip bomb of 10 GB stops at its limit', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.join('in'));
    await writeAll(folder.join('bomb.jsonl.gz'), repeated('', '0'.repeat(MB), 10_000, ''), true);
    expect(statSync(folder.join('bomb.jsonl.gz')).size).toBeLessThan(20 * MB);
    const { code, peak, stderr } = await measured(folder.path, 'bomb.jsonl.gz');
    expect(code, stderr).toBe(2);
    expect(peak).toBeLessThan(600);
  });
});
