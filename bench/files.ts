/**
 * Files of tickets, fetched into a folder: beside `rclone copy` from the same server over loopback, in turn, with many small
 * files and few large ones, eight at a time both; and the memory that one file of 2 GiB takes. Needs rclone, which is the server
 * as well. What is fetched here is hashed and flushed to the disk before it counts, which `rclone copy` does not do: the second
 * column of rclone is the same work, its copy with SHA-256 (`hasher`) and a flush of its files behind it. Every run has a folder of its
 * own, since ext4 is slow to make files right after others were deleted.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CLI, runNode } from './support/child.ts';
import { ratio, sideBySide } from './support/rounds.ts';
import { fixed, mib, printTable, title, whole } from './support/table.ts';

const KINDS = [
  { name: 'many small', files: Number(process.env['BENCH_FILES'] ?? 5_000), least: 1_000, most: 60_000 },
  { name: 'few large', files: 4, least: 256 * 1024 * 1024, most: 256 * 1024 * 1024 },
] as const;
const GIB = 1024 ** 3;

export async function files(): Promise<void> {
  title('Files into a folder, over loopback');
  if (spawnSync('rclone', ['version']).error !== undefined) {
    console.log('rclone is not installed: nothing to compare with.\n');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-bench-'));
  let server: ChildProcess | undefined;
  try {
    const source = join(folder, 'source');
    const rows: (string | number)[][] = [];
    const names = KINDS.map(({ name, ...kind }) => write(join(source, name.replace(' ', '-')), kind));
    const port = await freePort();
    server = spawn(
      'rclone',
      ['serve', 'http', '--addr', `127.0.0.1:${port}`, '--config', '/dev/null', source],
      {
        stdio: 'ignore',
      },
    );
    const origin = `http://127.0.0.1:${port}`;
    await answering(origin);
    for (const [index, { name }] of KINDS.entries()) {
      const { bytes, list } = names[index] ?? { bytes: 0, list: [] };
      const path = name.replace(' ', '-');
      let run = 0;
      const own = (name: string) => join(folder, `${name}-${index}-${run++}`);
      const rate = (ms: number) => bytes / 1e6 / (ms / 1000);
      const [ours, rclone, same] = await sideBySide([
        {
          name: 'ours',
          run: async () =>
            rate(
              await fetched(
                own('ours'),
                list.map((one) => `${origin}/${path}/${one}`),
              ),
            ),
        },
        { name: 'rclone copy', run: async () => rate(copied(origin, path, own('copied'))) },
        { name: 'the same work', run: async () => rate(copied(origin, path, own('kept'), true)) },
      ]);
      rows.push([
        `${name} (${whole(list.length)}, ${whole(bytes / 1e6)} MB)`,
        whole(ours?.median ?? Number.NaN),
        whole(rclone?.median ?? Number.NaN),
        fixed(ratio(ours, rclone)),
        whole(same?.median ?? Number.NaN),
        fixed(ratio(ours, same)),
      ]);
    }
    printTable(
      ['', 'ours, MB/s', 'rclone copy, MB/s', 'ratio', 'with SHA-256 and flush, MB/s', 'ratio'],
      rows,
    );
    const huge = openSync(join(source, 'huge.bin'), 'w');
    ftruncateSync(huge, 2 * GIB);
    closeSync(huge);
    const cwd = prepared(join(folder, 'ours'), [`${origin}/huge.bin`]);
    const { peakBytes } = await runNode(CLI, FETCH, { cwd }, false);
    console.log(`One file of 2 GiB: ${mib(peakBytes)} at the peak.\n`);
  } finally {
    server?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const FETCH = [
  'files',
  'fetch',
  'export.jsonl',
  '--files',
  'kept',
  '--files-url',
  'http://127.0.0.1:9',
  '--quiet',
];

async function fetched(cwd: string, urls: readonly string[]): Promise<number> {
  prepared(cwd, urls);
  const { wallMs, code } = await runNode(CLI, FETCH, { cwd }, false);
  if (code !== 0) throw new Error(`files fetch ended with ${code}`);
  return wallMs;
}

function copied(origin: string, path: string, to: string, isSame = false): number {
  const begun = performance.now();
  const args = ['copy', '--config', '/dev/null', '--transfers', '8', '--http-url', origin, `:http:${path}`];
  const cache = ['--cache-dir', `${to}.cache`];
  const end = isSame ? [...cache, `:hasher,remote='${to}',hashes=sha256:`] : [to];
  if (spawnSync('rclone', [...args, ...end], { stdio: 'ignore' }).status !== 0)
    throw new Error('rclone copy failed');
  if (isSame) spawnSync('find', [to, '-type', 'f', '-exec', 'sync', '-d', '{}', '+']);
  return performance.now() - begun;
}

/** An export with one ticket for each file, in a folder of its own. */
function prepared(cwd: string, urls: readonly string[]): string {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'helpdesk-import.yaml'), 'run:\n  allowPrivateHosts: true\n');
  const contact = { email: 'ann@example.com' };
  const at = '2024-05-06T07:08:09Z';
  const lines = urls.map((url, index) => {
    const message = {
      actorType: 'customer',
      contact,
      content: 'See it.',
      occurredAt: at,
      attachments: [{ url }],
    };
    return JSON.stringify({
      id: String(index),
      subject: 'File',
      contact,
      createdAt: at,
      messages: [message],
    });
  });
  writeFileSync(join(cwd, 'export.jsonl'), lines.join('\n'));
  return cwd;
}

interface Files {
  readonly files: number;
  readonly least: number;
  readonly most: number;
}

/** No two are the same. */
function write(folder: string, { files, least, most }: Files): { bytes: number; list: string[] } {
  mkdirSync(folder, { recursive: true });
  const block = randomFillSync(Buffer.alloc(most));
  let bytes = 0;
  const list = Array.from({ length: files }, (_, index) => {
    block.writeUInt32BE(index, 0);
    const size = least + Math.floor(((most - least) * ((index * 7919) % 1000)) / 1000);
    bytes += size;
    writeFileSync(join(folder, `${index}.bin`), block.subarray(0, size));
    return `${index}.bin`;
  });
  return { bytes, list };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function answering(origin: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(origin).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await pause(100);
  }
  throw new Error('rclone does not serve');
}
