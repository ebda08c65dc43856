/** The flags of `sandbox` as what the service takes; all complaints at once. Pure. */

import type { Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { parseFaults } from '../../sandbox/faults/fault-plan.ts';
import type { RateLimit } from '../../sandbox/faults/sliding-window.ts';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import { isLoopbackName } from '../../sandbox/service-app.ts';
import { oneOf, type Parser, parseRate, wholeNumber } from '../../settings/parsers.ts';
import { SANDBOX_FOLDER } from '../../settings/table/run.ts';

export interface SandboxFlags {
  /** Everything but the clock, the port and what is read from files. */
  readonly options: Omit<SandboxOptions, 'clock' | 'port' | 'agents' | 'billing'>;
  /** Undefined: the usual one. */
  readonly port: number | undefined;
  /** Undefined: in memory. */
  readonly dir: string | undefined;
  /** Whether other machines may reach it. */
  readonly isOpen: boolean;
  /** The file of team members. */
  readonly agents: string | undefined;
  /** The file of metrics, plans and customers. */
  readonly billing: string | undefined;
  /** As they were written. */
  readonly faults: readonly string[];
}

const RACY_MS = 5;
/** The service remembers the time of every request of a window. */
const MOST_REQUESTS = 1_000_000;

/** Throws AppError `usage`. */
export function readSandboxFlags(args: readonly string[], flags: Flags): SandboxFlags {
  const complaints: string[] = [];
  const text = (name: string) => {
    const value = flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  const list = (name: string): readonly string[] => {
    const value = flags[name];
    return Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
  };
  const read = <T>(flag: string, value: string | undefined, parse: Parser<T>): T | undefined => {
    const parsed = value === undefined ? undefined : parse(value);
    if (parsed === undefined || 'value' in parsed) return parsed?.value;
    complaints.push(`${flag} ${parsed.problem}.`);
    return undefined;
  };

  const port = read('--port', text('port'), wholeNumber(0, 65_535));
  const seed = read('--seed', text('seed'), wholeNumber(0, 2 ** 32 - 1)) ?? 1;
  const rateLimits = list('rateLimit').flatMap((value): RateLimit[] => {
    const rate = read('--rate-limit', value, parseRate);
    if (rate !== undefined && rate.requests > MOST_REQUESTS)
      complaints.push(`--rate-limit takes at most ${MOST_REQUESTS} requests, not "${value}".`);
    return rate === undefined ? [] : [rate];
  });
  const unreadable = read('--unreadable', text('unreadable'), oneOf(UNREADABLE));
  const racyMs = read('--racy-contacts', text('racyContacts'), wholeNumber(0, 60_000));
  const faultTexts = list('fault');
  const faults = faultsOf(faultTexts, seed, complaints);
  const memory = flags['memory'] === true;
  const [dir = SANDBOX_FOLDER, ...more] = args;
  if (more.length > 0) complaints.push(`A sandbox has one folder, and ${args.length} are named.`);
  if (memory && args.length > 0)
    complaints.push(`--memory keeps nothing, and ${dir} is named as the folder: leave out one of them.`);
  if (complaints.length > 0)
    throw new AppError('usage', 'The sandbox cannot be started like this.', {
      lines: complaints,
      hint: 'See helpdesk-import sandbox --help.',
    });

  const host = text('host') ?? '127.0.0.1';
  return {
    options: {
      host,
      ...(memory ? {} : { dir }),
      ...(faults === undefined ? {} : { faults }),
      rateLimits,
      readable: flags['unreadable'] === undefined ? true : statusOf(unreadable),
      racyContacts: flags['racyContacts'] === undefined ? false : (racyMs ?? RACY_MS),
      bareTicket: flags['bare'] === true,
      strict: flags['strict'] === true,
    },
    port,
    dir: memory ? undefined : dir,
    isOpen: !isLoopbackName(host),
    agents: text('agents'),
    billing: text('billing'),
    faults: faultTexts,
  };
}

const UNREADABLE = ['403', '404', '405'] as const;

function statusOf(status: (typeof UNREADABLE)[number] | undefined): 403 | 404 | 405 {
  if (status === '403') return 403;
  return status === '405' ? 405 : 404;
}

function faultsOf(texts: readonly string[], seed: number, complaints: string[]): SandboxOptions['faults'] {
  try {
    return texts.length === 0 ? undefined : parseFaults(texts, seed);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'usage') throw error;
    complaints.push(...error.lines.map((line) => `--fault ${line}`));
    return undefined;
  }
}
