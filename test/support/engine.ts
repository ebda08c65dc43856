/** An import in this process below the command line, for tests that act on its events or need its result as an object. */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { loadSettings } from '../../src/cli/load-settings.ts';
import type { RunEvent } from '../../src/domain/ports.ts';
import { type ImportResult, runImport as runEngine } from '../../src/import/run-import.ts';
import { addressToLookAt, openTarget } from '../../src/import/target.ts';
import type { FileSettings } from '../../src/settings/table/table.ts';
import { systemClock } from '../../src/system-clock.ts';
import { commandLines } from '../../src/view/command-line.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from './cli.ts';

export interface EngineOptions {
  /** Absolute. */
  readonly files: string | readonly string[];
  readonly target: { readonly baseUrl: string; readonly credentials: { readonly token: string } };
  readonly checkpoint: string;
  readonly rejects?: string | undefined;
  readonly mode?: 'run' | 'dry-run';
  readonly only?: readonly string[] | undefined;
  /** The contents of the settings file. */
  readonly settings?: FileSettings | undefined;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

let settingsFiles = 0;

export async function runImport(options: EngineOptions): Promise<ImportResult> {
  const { mode = 'run', only, target, signal = new AbortController().signal } = options;
  const files = [options.files].flat();
  const config = join(tmpdir(), `engine-${process.pid}-${settingsFiles++}.yaml`);
  writeFileSync(config, JSON.stringify(options.settings ?? {}));
  try {
    const context = {
      env: { HELPDESK_BASE_URL: target.baseUrl, HELPDESK_TOKEN: target.credentials.token },
      cwd: process.cwd(),
      stdin: Readable.from([]),
      stdout: process.stdout,
      stderr: process.stderr,
      clock: systemClock,
      onSignal: () => () => undefined,
      commands: commandLines({ command: 'run', files, options: [] }),
    };
    const flags = {
      config,
      checkpoint: options.checkpoint,
      ...(options.rejects === undefined ? {} : { set: `run.rejects=${options.rejects}` }),
      ...(mode === 'dry-run' ? { dryRun: true } : {}),
      ...(only === undefined ? {} : { only: only.join(',') }),
    };
    const { settings } = await loadSettings(files, flags, ['files', 'target', 'credentials'], context);
    const address =
      mode === 'run' ? await openTarget(settings) : await addressToLookAt(settings, () => undefined);
    return await runEngine(settings, address, {
      emit: options.onEvent ?? (() => undefined),
      soft: signal,
      hard: new AbortController().signal,
      clock: systemClock,
      random: Math.random,
      env: {},
      version: '0.0.0',
    });
  } finally {
    rmSync(config, { force: true });
  }
}

/** A folder with an export, and imports of it into a service of its own, until the test ends. */
export async function importDesk(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const service = await running();
  const write = (name: string, text: string) => writeFileSync(folder.join(name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    service,
    write,
    path: (name: string) => folder.join(name),
    run: (more: Partial<EngineOptions> = {}) =>
      runImport({
        files: Object.keys(files).map((name) => folder.join(name)),
        checkpoint: folder.join('checkpoint.sqlite'),
        rejects: folder.join('rejects'),
        settings: { run: { rate: ['100000/1'] } },
        target: { baseUrl: service.url, credentials: { token: service.token } },
        ...more,
      }),
    /** Subjects of the created tickets. */
    subjects: () => service.log.requests({ effect: 'created' }).map(({ subject }) => subject),
  };
}
