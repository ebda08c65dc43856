import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRunReport, type RunReport } from '../../../src/commands/report/run-report.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { RunEvent } from '../../../src/domain/run-events.ts';
import { type ImportResult, runImport } from '../../../src/import/run-import.ts';
import { openSandbox, type TargetAddress } from '../../../src/import/target.ts';
import { givenBy, resolveSettings } from '../../../src/settings/resolve-settings.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { systemClock } from '../../../src/system-clock.ts';
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

function settingsOf(flags: Record<string, string | boolean>, files: readonly string[]): Settings {
  const checkpoint = folder.join('checkpoint.sqlite');
  return resolveSettings({
    given: givenBy({
      report: folder.join('report.html'),
      checkpoint,
      rejects: folder.join('rejects'),
      ...flags,
    }),
    env: {},
    files,
  }).settings;
}

async function reporting(settings: Settings, redact = false): Promise<RunReport> {
  const next = { commands: commandLines({ command: 'run', files: ['x'], options: [] }) };
  const report = openRunReport({ settings, clock: systemClock, version: '9.9.9', redact, next });
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
    settingsFolder: folder.path,
    frames: true,
    beforeClose: report.look,
  });
}

async function withTarget<T>(work: (target: TargetAddress) => Promise<T>): Promise<T> {
  const dir = folder.join('sandbox');
  const target = await openSandbox(dir, settingsOf({ sandbox: dir }, []), systemClock);
  try {
    return await work(target);
  } finally {
    await target.sandbox?.close();
  }
}

const page = () => readFileSync(folder.join('report.html'), 'utf8');

describe('--report', () => {
  it('a dry run writes a report with its problems, its samples and a line to sign, for its owner alone; nothing else is written', async () => {
    const settings = settingsOf({ dryRun: true }, [bad]);
    const report = await reporting(settings);
    const { result, failure } = await report.write(await run(settings, report));
    expect(failure).toBeUndefined();
    expect(result.summary).toMatchObject({ report: folder.join('report.html'), exitCode: 3 });
    const text = textOf(page());
    expect(text).toContain('3 of 32 tickets are ready to import.');
    expect(text).toContain('29 tickets would not be imported.');
    expect(text).toContain('Before you sign this off');
    expect(text).toContain('Sample conversations 3');
    expect(text).toContain('Made by helpdesk-import 9.9.9');
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

  it('with --redact it has no address of the export', async () => {
    const settings = settingsOf({ dryRun: true }, [good]);
    const addresses = [
      ...readFileSync(join(good, 'tickets.jsonl'), 'utf8').matchAll(/[\w.+-]+@[\w.-]+\.\w+/g),
    ];
    expect(addresses.length).toBeGreaterThan(5);
    const open = await reporting(settings);
    await open.write(await run(settings, open));
    expect(page()).toContain('@');
    const redacted = await reporting(settings, true);
    await redacted.write(await run(settings, redacted));
    for (const [address] of addresses) expect(page().toLowerCase()).not.toContain(address.toLowerCase());
  });

  it('a run shows its speed, its end, and what it sent', async () => {
    await withTarget(async (target) => {
      const settings = settingsOf({ rate: '100000/1' }, [good]);
      const report = await reporting(settings);
      const result = await run(settings, report, { target });
      await report.write(result);
      const { done, read, failed } = result.summary.tickets;
      expect({ done, read, failed }).toEqual({ done: 13, read: 14, failed: 1 });
      const text = textOf(page());
      expect(text).toContain('13 of 14 tickets are in the helpdesk.');
      expect(text).toContain('Tickets that the helpdesk refused 1');
      expect(text).toMatch(new RegExp(`requests\\s+${result.summary.requests.sent}`));
      expect(text).toContain('Runs 1');
      expect(text).toContain(target.baseUrl);
      expect(text).not.toContain('sign this off');
    });
  });

  it('a trial shows its tickets with what the checks found', async () => {
    await withTarget(async (target) => {
      const settings = settingsOf({ trial: '5', rate: '100000/1' }, [good]);
      const report = await reporting(settings);
      await report.write(await run(settings, report, { target }));
      const text = textOf(page());
      expect(text).toMatch(/The trial of 5 tickets (passed|failed|is over)/);
      expect(text).toContain('The tickets of the trial 5');
      expect(text).toMatch(/\d+ checks passed/);
      expect(text).toMatch(/In the helpdesk\s+tkt_/);
    });
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
      expect(result.summary.exitCode).toBe(130);
      await report.write(result);
      const text = textOf(page());
      expect(text).toContain('The import stopped early:');
      expect(text).toContain('Stopped.');
      expect(text).toContain('the conversations were not read again');
    });
  });
});

describe('where a report may go', () => {
  const refusal = async (path: string) => {
    try {
      await openRunReport({
        settings: settingsOf({ report: path }, []),
        clock: systemClock,
        version: '1',
        redact: false,
        next: { commands: commandLines({ command: 'run', files: ['x'], options: [] }) },
      });
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
