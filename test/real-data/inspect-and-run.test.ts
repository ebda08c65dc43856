import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { inspectCommand } from '../../src/commands/inspect/inspect.ts';
import { runCommand } from '../../src/commands/run/run.ts';
import { inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';
import { DATA, hasData, REAL_EXPORTS } from './exports.ts';
import { errorsOf, type Summary } from './summary.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe.runIf(hasData)('a real export without any settings', { timeout: 60_000 }, () => {
  it.each(REAL_EXPORTS)('$folder: inspect says what is in it', async (real) => {
    const flags = { json: true };
    const ended = await inProcess(inspectCommand, [join(DATA, real.folder)], flags, { cwd: folder.path });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const { tables } = JSON.parse(ended.stdout) as { tables: { columns: unknown[] }[] };
    expect(tables.length).toBeGreaterThan(0);
    expect(tables.filter(({ columns }) => columns.length === 0)).toEqual([]);
  });

  it.each(REAL_EXPORTS)('$folder: a dry run says what it needs', async (real) => {
    const flags = { dryRun: true, json: true };
    const ended = await inProcess(runCommand, [join(DATA, real.folder)], flags, { cwd: folder.path });
    if (real.alone === undefined) {
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain('helpdesk-import init');
      return;
    }
    const summary = JSON.parse(ended.stdout) as Summary;
    expect({ rejected: summary.tickets['rejected'], errors: errorsOf(summary) }).toEqual(real.alone);
    expect(ended.code).toBe(real.alone.rejected > 0 ? 3 : 0);
  });
});
