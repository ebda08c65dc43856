/** Memory does not follow the size of the export: measured on the built program, as a user starts it. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CLI, runNode } from '../../bench/support/child.ts';
import { temporaryFolder } from '../support/cli.ts';
import { type GenerateOptions, generateExport } from '../support/generate-export.ts';

const MIB = 1024 * 1024;

async function peak(options: GenerateOptions): Promise<number> {
  const { files } = await generateExport(options);
  const { peakBytes, code } = await runNode(CLI, ['run', ...files, '--dry-run', '--json']);
  expect(code).toBe(0);
  return peakBytes;
}

it.each([
  ['JSONL', {}],
  ['CSV with its rows shuffled', { format: 'csv', shuffle: true }],
] as const)(
  'a dry run of ten times the tickets takes half as much memory again at most: %s',
  async (_name, shape) => {
    using folder = temporaryFolder();
    const small = await peak({ ...shape, dir: join(folder.path, 'small'), tickets: 20_000 });
    const large = await peak({ ...shape, dir: join(folder.path, 'large'), tickets: 200_000 });
    expect(large / small).toBeLessThan(1.5);
    expect(large).toBeLessThan(400 * MIB);
  },
);
