import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRunReport, type RunReport } from '../../../src/commands/report.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { RunEvent } from '../../../src/domain/ports.ts';
import { type ImportResult, runImport } from '../../../src/import/run-import.ts';
import { openSandbox, type TargetAddress } from '../../../src/import/target.ts';
import { resolveSettings } from '../../../src/settings/resolve-settings.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { systemClock } from '../../../src/system-clock.ts';
import { version } from '../../../src/version.ts';
import { commandLines } from '../../../src/view/command-line.ts';
import { fixtures, temporaryFolder } from '../../support/cli.ts';
import { textOf } from '../sample.ts';

const bad = join(fixtures, 'native/bad/csv');
const good = join(fixtures, 'native/good/jsonl');
const noSignal = new AbortController().signal;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

function settingsOf(flags: Readonly<Record<string, string | boolean>>, files: readonly string[]): Settings {
  const checkpoint = folder.join('checkpoint.sqlite');
  const { settings } = resolveSettings({
    flags: {
      report: folder.join('report.html'),
      checkpoint,
      set: [`run.rejects=${folder.join('rejects')}`],
      ...flags,
    },
    env: {},
    files,
  });
  return settings;
}

async function reporting(settings: Settings, redact = false): Promise<RunReport> {
  const next = { commands: commandLines({ command: 'run', files: ['x'], options: [] }) };
  const report = openRunReport({ ...settings, output: { ...settings.output, redact } }, systemClock, next);
  if (report === undefined) throw new Error('no report was asked for');
  return report;
}

async function run(
  settings: Settings,
  report: RunReport,
  options: { target?: TargetAddress; soft?: AbortSignal; onEvent?: (event: RunEvent) => void } = {},
): Promise<ImportResult> {
  const { target, soft = noSignal, onEvent = () => undefined } = options;
  return await runImport(settings, target, {
    clock: systemClock,
    random: Math.random,
    emit: onEvent,
    env: {},
    soft,
    hard: noSignal,
    version: '9.9.9',
    frames: true,
    beforeClose: report.look,
  });
}

async function withTarget<T>(work: (target: TargetAddress) => Promise<T>): Promise<T> {
  const dir = folder.join('sandbox');
  const target = await openSandbox(dir, settingsOf({ sandbox: dir }, []).target);
  try {
    return await work(target);
  } finally {
    await target.sandbox?.close();
  }
}

const page = () => readFileSync(folder.join('report.html'), 'utf8');

describe('--report', () => {
  it('a dry run writes a report with its problems and its samples, for its owner alone; nothing else is written', async () => {
    const settings = settingsOf({ dryRun: true }, [bad]);
    const report = await reporting(settings);
    const { result, failure } = await report.write(await run(settings, report));
    expect(failure).toBeUndefined();
    expect(result.facts).toMatchObject({ report: folder.join('report.html'), exitCode: 3 });
    const text = textOf(page());
    expect(text).toContain('2 of 32 tickets are ready to import.');
    expect(text).toContain('30 rejected tickets, until corrected');
    expect(text).toContain('Sample conversations 2');
    expect(text).toContain(`Made by helpdesk-import ${version()}`);
    expect(statSync(folder.join('report.html')).mode & 0o777).toBe(0o600);
    expect(existsSync(folder.join('checkpoint.sqlite'))).toBe(false);
  });

  it('each kind of problem shows its line of the export, with the bad value marked', async () => {
    const settings = settingsOf({ dryRun: true }, [bad]);
    const report = await reporting(settings);
    await report.write(await run(settings, report));
    expect(page()).toContain(
      '<code dir="ltr">in a cell of two lines&quot;,<mark>mira.holt(at)example.com</mark>,,,,,2024-04-01T10:00:00Z,,,</code>',
    );
    expect(textOf(page())).toContain('tickets.csv:12:25, ticket email');
    const redacted = await reporting(settings, true);
    await redacted.write(await run(settings, redacted));
    expect(page()).not.toContain('<mark>');
    expect(page()).not.toContain('in a cell of two lines');
  });

  it('a run that is stopped half-way has its report all the same, and does not read the export again for it', async () => {
    await withTarget(async (target) => {
      const stop = new AbortController();
      const settings = settingsOf({ rate: '100000/1', concurrency: '1' }, [good]);
      const report = await reporting(settings);
      const result = await run(settings, report, {
        target,
        soft: stop.signal,
        onEvent: ({ type }) => {
          if (type === 'ticket') stop.abort(new AppError('interrupted', 'Stopped.'));
        },
      });
      expect(result.facts.exitCode).toBe(130);
      await report.write(result);
      const text = textOf(page());
      expect(text).toContain('The import stopped early:');
      expect(text).toContain('Stopped.');
      expect(text).toContain('the conversations were not read again');
    });
  });
});

describe('allowed paths of a report', () => {
  const refusal = async (path: string) => {
    try {
      await reporting(settingsOf({ report: path }, []));
      return 'accepted';
    } catch (error) {
      return error instanceof AppError ? `${error.code}: ${error.message}` : error;
    }
  };

  it('not into a folder that is not there: said before the run', async () => {
    expect(await refusal(folder.join('none/report.html'))).toMatch(
      /^usage: The folder of .* does not exist\.$/,
    );
  });

  it('not in the place of a folder, and never over a file that is no report', async () => {
    mkdirSync(folder.join('dir'));
    writeFileSync(folder.join('export.csv'), 'id,subject\n1,x\n');
    expect(await refusal(folder.join('dir'))).toMatch(/^usage: .* is a folder,/);
    expect(await refusal(folder.join('export.csv'))).toMatch(
      /^usage: .* already exists\. It is not replaced\.$/,
    );
    expect(readFileSync(folder.join('export.csv'), 'utf8')).toBe('id,subject\n1,x\n');
  });

  it('over an older report, and over an empty file', async () => {
    const settings = settingsOf({ dryRun: true }, [good]);
    for (let time = 0; time < 2; time++) {
      const report = await reporting(settings);
      await report.write(await run(settings, report));
    }
    writeFileSync(folder.join('empty.html'), '');
    expect(await refusal(folder.join('report.html'))).toBe('accepted');
    expect(await refusal(folder.join('empty.html'))).toBe('accepted');
  });

  it('a folder that is gone at the end costs the report, and not the result', async () => {
    mkdirSync(folder.join('gone'));
    const settings = settingsOf({ dryRun: true, report: folder.join('gone/report.html') }, [good]);
    const report = await reporting(settings);
    const result = await run(settings, report);
    rmSync(folder.join('gone'), { recursive: true });
    const written = await report.write(result);
    expect(written.failure).toMatchObject({ code: 'disk-write' });
    expect(written.result).toBe(result);
  });
});
