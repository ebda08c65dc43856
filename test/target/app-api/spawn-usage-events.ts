/** Starts `usage-events` as a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export interface UsageProcess {
  readonly result: Promise<{ code: number | NodeJS.Signals | null; stdout: string; stderr: string }>;
  kill(signal: NodeJS.Signals): void;
}

export function spawnUsageEvents(
  files: readonly string[],
  flags: Readonly<Record<string, string | boolean | readonly string[]>>,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): UsageProcess {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'usage-events.script.ts'), JSON.stringify({ files, flags })],
    {
      cwd: options.cwd,
      env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    result: new Promise((done, fail) => {
      child.on('error', fail);
      child.on('close', (code, signal) => done({ code: code ?? signal, stdout, stderr }));
    }),
    kill: (signal) => child.kill(signal),
  };
}
