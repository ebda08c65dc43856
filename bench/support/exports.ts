/** Generated exports on disk, kept between runs of the benchmarks: the same options, the same bytes. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type GeneratedExport,
  type GenerateOptions,
  generateExport,
} from '../../test/support/generate-export.ts';

/** `BENCH_DIR` names another folder than the system's temporary one. */
export const BENCH_DIR = process.env['BENCH_DIR'] ?? join(tmpdir(), 'helpdesk-import-bench');

export type Shape = Omit<GenerateOptions, 'dir'>;
export type KeptExport = Pick<GeneratedExport, 'files' | 'tickets' | 'messages' | 'events' | 'bytes'>;

/** Longer bodies than the generator's default: a message of a real helpdesk has 500 to 1,000 characters. */
export const ORDINARY_BODY = 600;

export async function exportOf(shape: Shape): Promise<KeptExport> {
  const name = Object.entries(shape)
    .map(([key, value]) => `${key}-${value}`)
    .join('_');
  const dir = join(BENCH_DIR, name);
  const note = join(dir, 'done.txt');
  if (existsSync(note)) return JSON.parse(await readFile(note, 'utf8')) as KeptExport;
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  console.log(`… generating ${name}`);
  const { files, tickets, messages, events, bytes } = await generateExport({ dir, ...shape });
  const kept = { files, tickets, messages, events, bytes };
  await writeFile(note, JSON.stringify(kept));
  return kept;
}
