/** A program as a process of its own: how long it took, by the clock and by the processor, and how much memory. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
const TELL_USAGE = join(import.meta.dirname, 'tell-usage.ts');

export interface Usage {
  /** From the start of the process to its end. */
  readonly wallMs: number;
  /** Of all threads, user and system. */
  readonly cpuMs: number;
  /** Greatest resident size. */
  readonly peakBytes: number;
  /** Greatest size of open files without a name. */
  readonly diskBytes: number;
  readonly code: number | null;
  readonly stdout: string;
  /** From the start of the process to the first byte on either stream. */
  readonly firstByteMs: number;
}

interface Told {
  readonly cpuMs: number;
  readonly peakBytes: number;
}

export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Of node itself. */
  readonly flags?: readonly string[];
}

/** Runs a script of node. Without `measured` nothing is preloaded, so that the start-up is that of a user. */
export function runNode(
  script: string,
  args: readonly string[],
  { cwd = ROOT, env = {}, flags = [] }: ChildOptions = {},
  measured = true,
): Promise<Usage> {
  return new Promise((done, fail) => {
    const begun = performance.now();
    const child = spawn(
      process.execPath,
      [...flags, ...(measured ? ['--import', TELL_USAGE] : []), script, ...args],
      {
        cwd,
        env: { ...process.env, NO_COLOR: '1', ...env },
        stdio: ['ignore', 'pipe', 'pipe', ...(measured ? (['ipc'] as const) : [])],
      },
    );
    let reported: Told = { cpuMs: Number.NaN, peakBytes: Number.NaN };
    let firstByteMs = Number.NaN;
    let diskBytes = 0;
    let stdout = '';
    let stderr = '';
    const first = () => {
      if (Number.isNaN(firstByteMs)) firstByteMs = performance.now() - begun;
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      first();
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      first();
      stderr = (stderr + text).slice(-4000);
    });
    // The kernel keeps the greatest size itself: the last look before the end misses next to nothing.
    const watch = setInterval(() => {
      const seen = peakOf(child.pid);
      if (seen !== undefined) reported = { ...reported, peakBytes: seen };
      diskBytes = Math.max(diskBytes, temporaryOf(child.pid));
    }, 50);
    child.on('message', (message) => {
      reported = message as Told;
    });
    child.on('error', fail);
    child.on('close', (code) => {
      const wallMs = performance.now() - begun;
      clearInterval(watch);
      if (code !== 0) process.stderr.write(stderr);
      done({ wallMs, ...reported, diskBytes, code, stdout, firstByteMs });
    });
  });
}

/** Greatest resident size of a running process so far, bytes; only Linux tells. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const kib = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}

function temporaryOf(pid: number | undefined): number {
  const sizeOf = (name: string) => {
    try {
      const file = `/proc/${pid}/fd/${name}`;
      return readlinkSync(file).endsWith(' (deleted)') ? statSync(file).size : 0;
    } catch {
      return 0;
    }
  };
  try {
    return readdirSync(`/proc/${pid}/fd`).reduce((sum, name) => sum + sizeOf(name), 0);
  } catch {
    return 0;
  }
}

export const CLI = join(ROOT, 'bin/helpdesk-import.js');
