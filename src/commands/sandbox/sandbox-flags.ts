/** The flags of `sandbox` as options of the service; all complaints at once. Pure. */
import type { Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { parseFaults } from '../../sandbox/faults/fault-plan.ts';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import { isLoopbackName } from '../../sandbox/service-app.ts';
import { wholeNumber } from '../../settings/parsers.ts';
import { SANDBOX_FOLDER } from '../../settings/table/run.ts';

export interface SandboxFlags {
  /** Everything but the clock, the port and the team members. */
  readonly options: Omit<SandboxOptions, 'clock' | 'port' | 'agents'>;
  /** Undefined: the usual one. */
  readonly port: number | undefined;
  readonly dir: string;
  /** Whether other machines may reach it. */
  readonly isOpen: boolean;
  /** The file of team members. */
  readonly agents: string | undefined;
  /** As they were written. */
  readonly faults: readonly string[];
}

/** The same faults for the same order of requests at every start. */
const SEED = 1;

/** Throws AppError `usage`. */
export function readSandboxFlags(args: readonly string[], flags: Flags): SandboxFlags {
  const complaints: string[] = [];
  const text = (name: string) => {
    const value = flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  const port = text('port') === undefined ? undefined : wholeNumber(0, 65_535)(text('port') ?? '');
  if (port !== undefined && 'problem' in port) complaints.push(`--port ${port.problem}.`);
  const faults = [flags['fault'] ?? []].flat().filter((fault) => typeof fault === 'string');
  const plan = faultsOf(faults, complaints);
  const [dir = SANDBOX_FOLDER, ...more] = args;
  if (more.length > 0) complaints.push(`A sandbox has one folder, not ${args.length}.`);
  if (complaints.length > 0)
    throw new AppError('usage', 'The sandbox cannot be started like this.', {
      lines: complaints,
      hint: 'See helpdesk-import sandbox --help.',
    });
  const host = text('host') ?? '127.0.0.1';
  return {
    options: {
      host,
      dir,
      ...(plan === undefined ? {} : { faults: plan }),
      strict: flags['strict'] === true,
    },
    port: port !== undefined && 'value' in port ? port.value : undefined,
    dir,
    isOpen: !isLoopbackName(host),
    agents: text('agents'),
    faults,
  };
}

function faultsOf(texts: readonly string[], complaints: string[]): SandboxOptions['faults'] {
  try {
    return texts.length === 0 ? undefined : parseFaults(texts, SEED);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'usage') throw error;
    complaints.push(...error.lines.map((line) => `--fault ${line}`));
    return undefined;
  }
}
