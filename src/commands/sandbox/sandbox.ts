/**
 * `helpdesk-import sandbox`: the local helpdesk service, until Ctrl-C. That is its normal end, so it exits with 0.
 *
 * It listens on the same port each time where it can: a checkpoint belongs to one address, and an import into a sandbox
 * that was started anew shall go on where it stopped.
 */

import type { CliContext, Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { SANDBOX_PORT } from '../../settings/table/run.ts';
import { readAgents } from './sandbox-agents.ts';
import { readSandboxFlags, type SandboxFlags } from './sandbox-flags.ts';
import { showSandbox } from './sandbox-screen.ts';

export async function sandboxCommand(
  args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const asked = readSandboxFlags(args, flags);
  // From the first moment on: a signal that comes while it starts ends it as well.
  const end = new AbortController();
  const stopListening = context.onSignal(() => end.abort());
  try {
    const agents = asked.agents === undefined ? undefined : readAgents(asked.agents);
    const { sandbox, wasTaken } = await start(
      {
        ...asked.options,
        ...(agents === undefined ? { inventAgents: true } : { agents }),
        clock: context.clock,
        onDefect: (error) => {
          const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
          context.stderr.write(`The sandbox has a defect: ${what}\n`);
        },
      },
      asked,
    );
    try {
      showSandbox(sandbox, { ...asked, wasTaken, json: flags['json'] === true }, context);
      await aborted(end.signal);
    } finally {
      await sandbox.close();
    }
    if (flags['json'] !== true) context.stdout.write('The sandbox has ended.\n');
    return 0;
  } finally {
    stopListening();
  }
}

/** On the usual port, and on any that is free where another program has that one and nobody asked for it. */
async function start(
  options: SandboxOptions,
  { port }: SandboxFlags,
): Promise<{ sandbox: Sandbox; wasTaken: boolean }> {
  try {
    return { sandbox: await startSandbox({ ...options, port: port ?? SANDBOX_PORT }), wasTaken: false };
  } catch (error) {
    if (port !== undefined || !isTaken(error)) throw error;
    return { sandbox: await startSandbox({ ...options, port: 0 }), wasTaken: true };
  }
}

function isTaken(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
