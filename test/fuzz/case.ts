/** One case of the fuzzing: what lies in a folder, what is typed there, what becomes of the answers; and the oracle over how it ends. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canned } from '../support/canned.ts';
import { root } from '../support/cli.ts';
import { startUnfairTarget, TOKEN } from '../support/unfair-target.ts';
import { type AnswerDamage, startDamagingProxy } from './damaging-proxy.ts';

/** Plain data, so that what was found can be kept as a file. */
export interface FuzzCase {
  /** By name, base64. */
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** How the answers of the helpdesk are damaged. */
  readonly target?: readonly AnswerDamage[] | undefined;
  /** After a run to its end the checkpoint is damaged so, and the same is run again. */
  readonly checkpoint?: readonly Edit[] | undefined;
  /** Answers of a platform, in turns; what was exported is read by a dry run. */
  readonly platform?: readonly string[] | undefined;
}

/** `at`: where, as a share of the length. */
export type Edit =
  | { readonly op: 'flip'; readonly at: number; readonly byte: number }
  | { readonly op: 'insert'; readonly at: number; readonly text: string }
  | { readonly op: 'cut'; readonly at: number; readonly length: number }
  | { readonly op: 'end'; readonly at: number };

export function edited(bytes: Buffer, edits: readonly Edit[]): Buffer {
  return edits.reduce((before, edit): Buffer => {
    const at = Math.min(before.length, Math.floor(edit.at * (before.length + 1)));
    const [head, tail] = [before.subarray(0, at), before.subarray(at)];
    switch (edit.op) {
      case 'flip':
        return Buffer.concat([head, Buffer.from([edit.byte]), tail.subarray(1)]);
      case 'insert':
        return Buffer.concat([head, Buffer.from(edit.text, 'latin1'), tail]);
      case 'cut':
        return Buffer.concat([head, tail.subarray(edit.length)]);
      default:
        return Buffer.from(head);
    }
  }, bytes);
}

interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Of the processor, which others on the machine do not lengthen. */
  readonly milliseconds: number;
  /** Peak of resident memory, bytes; 0 where it cannot be read. */
  readonly memory: number;
}

const PROGRAM = join(root, 'bin/helpdesk-import.js');
/** No case of these sizes takes five seconds of processor time. */
const MOST_MS = 5000;
const GIVEN_UP_MS = 60_000;
const MOST_MEMORY = 500 * 1024 * 1024;
const MOST_OUTPUT = 256 * 1024;

async function runBuilt(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const reported = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      if (reported[name].length < 4 * MOST_OUTPUT) reported[name] += text;
    });
  let [memory, milliseconds] = [0, 0];
  const look = setInterval(() => {
    memory = Math.max(memory, peakMemory(child.pid));
    milliseconds = Math.max(milliseconds, processorTime(child.pid));
  }, 25);
  const limit = setTimeout(() => child.kill('SIGKILL'), GIVEN_UP_MS);
  try {
    const code = await new Promise<number | string | null>((resolve, reject) => {
      child.on('error', reject).on('close', (status, signal) => resolve(status ?? signal));
    });
    return { code, ...reported, milliseconds, memory };
  } finally {
    clearInterval(look);
    clearTimeout(limit);
  }
}

/** 0 where it has ended, or this system has no /proc. */
function peakMemory(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** A tick is a hundredth of a second. */
function processorTime(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return 0;
  }
}

/** A sentence for each broken promise. */
export async function faultsOf(fuzz: FuzzCase): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const target = fuzz.target === undefined ? undefined : await startUnfairTarget();
  const proxy = target && (await startDamagingProxy(target.url, fuzz.target ?? []));
  const { platform: answers = [] } = fuzz;
  const platform =
    fuzz.platform && (await canned((_, nth) => ({ body: answers[(nth - 1) % answers.length] })));
  const env = {
    ...(platform && { ACME_URL: platform.url, ACME_TOKEN: 'acme-token-77' }),
    ...(proxy && { HELPDESK_BASE_URL: proxy.url, HELPDESK_TOKEN: TOKEN }),
    ...fuzz.env,
  };
  try {
    for (const [name, content] of Object.entries(fuzz.files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), Buffer.from(content, 'base64'));
    }
    const faults: string[] = [];
    const ended = await runBuilt(fuzz.args, folder, env);
    faults.push(...judge(ended, fuzz.args));
    if (fuzz.checkpoint !== undefined) {
      const path = join(folder, 'helpdesk-import.checkpoint.sqlite');
      writeFileSync(path, edited(readFileSync(path), fuzz.checkpoint));
      faults.push(...judge(await runBuilt(fuzz.args, folder, env), fuzz.args));
    }
    if (platform !== undefined) {
      const args = ['run', 'out', '--dry-run', '--json'];
      faults.push(...judge(await runBuilt(args, folder, {}), args));
    }
    const twice = [...(target?.bySubject() ?? [])].filter(([, tickets]) => tickets.length > 1);
    for (const [subject, tickets] of twice)
      faults.push(`created ${tickets.length} times: ${subject.slice(0, 60)}`);
    return faults;
  } finally {
    await proxy?.close();
    await platform?.[Symbol.asyncDispose]();
    await target?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge({ code, stdout, stderr, milliseconds, memory }: Ended, args: readonly string[]): string[] {
  const said = stdout + stderr;
  const faults: string[] = [];
  const unless = (kept: boolean, fault: string) => {
    if (!kept) faults.push(fault);
  };
  const ending = (text: string) => JSON.stringify(text.slice(-600));
  unless(milliseconds < MOST_MS, `took ${Math.round(milliseconds)} ms`);
  unless([0, 2, 3, 4, 5, 6].includes(code as number), `ended with ${code}: ${ending(stderr)}`);
  unless(memory < MOST_MEMORY, `took ${Math.round(memory / 1024 / 1024)} MiB`);
  unless(Buffer.byteLength(said) <= MOST_OUTPUT, `wrote ${Buffer.byteLength(said)} bytes`);
  unless(!/^\s+at .*:\d+:\d+\)?$/m.test(said), `a stack trace: ${ending(said)}`);
  unless(!said.includes(TOKEN), 'wrote the token');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.exec(
    args.includes('--json') ? stderr : said,
  );
  if (steering !== null)
    faults.push(
      `a control character: ${JSON.stringify(said.slice(Math.max(0, steering.index - 60), steering.index + 20))}`,
    );
  unless(code === 0 || said.trim() !== '', 'failed without a word');
  if (args.includes('--json') && args[0] === 'run') faults.push(...judgeJson(stdout, code));
  return faults;
}

interface Problem {
  readonly severity: string;
  readonly code: string;
  readonly file?: string;
  readonly ticket?: string;
  /** Of the ticket, or the setting to change. */
  readonly field?: string;
}

interface Summary {
  readonly tickets?: Readonly<Record<string, number>>;
  readonly problems?: readonly Problem[];
  readonly error?: { readonly message?: string };
  readonly exitCode?: number;
  readonly mode?: string;
}

const OUTCOMES = ['done', 'rejected', 'failed', 'inDoubt', 'skipped', 'pending'];

function judgeJson(stdout: string, code: unknown): string[] {
  let summary: Summary;
  try {
    summary = JSON.parse(stdout) as Summary;
  } catch {
    return [`the result is not JSON: ${JSON.stringify(stdout.slice(0, 200))}`];
  }
  const faults: string[] = [];
  if (summary.exitCode !== code) faults.push(`ended with ${code} and says ${summary.exitCode}`);
  const { tickets, error } = summary;
  if (tickets === undefined) {
    if (!error?.message) faults.push('neither tickets nor an error');
    return faults;
  }
  const { read = 0, pending = 0 } = tickets;
  const sum = OUTCOMES.reduce((total, outcome) => total + (tickets[outcome] ?? 0), 0);
  if (summary.mode === 'run' && read !== sum)
    faults.push(`${read} tickets read and ${sum} accounted for: ${JSON.stringify(tickets)}`);
  if (code === 0 && summary.mode === 'run' && pending > 0) faults.push(`exit 0 with ${pending} pending`);
  const isPlaced = ({ file, ticket, field }: Problem) =>
    file !== undefined || ticket !== undefined || field?.startsWith('mapping.') === true;
  for (const problem of summary.problems ?? [])
    if (problem.severity === 'error' && !isPlaced(problem))
      faults.push(`an error without a place: ${problem.code}`);
  return faults;
}
