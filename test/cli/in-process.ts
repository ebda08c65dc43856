/** A command run in this process: what it wrote and how it ended, without the time that a process takes to start. */
import { Readable } from 'node:stream';
import { allCommands, type LoadedCommand } from '../../src/cli/command-list.ts';
import type { CliContext, Flags } from '../../src/cli/context.ts';
import { typedCommand } from '../../src/cli/program.ts';
import { AppError } from '../../src/domain/errors.ts';
import { collectedOutput } from '../support/command-line.ts';
import { hurriedClock } from '../support/hurried-clock.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  /** With the sentence, the lines and the hint of the error that stopped it. */
  readonly stderr: string;
}

const LOADED: ReadonlyMap<string, LoadedCommand> = new Map(
  (await allCommands()).map((command) => [command.name, command]),
);

export function commandOf(name: string): LoadedCommand {
  const command = LOADED.get(name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return command;
}

/** What was typed, as the program takes it. */
export function typed(name: string, args: readonly string[], flags: Flags) {
  return typedCommand(commandOf(name), args, flags, {});
}

interface Where {
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

/** What a command gets, and what it has written so far. */
export function contextFor(name: string, args: readonly string[], flags: Flags, { cwd, env = {} }: Where) {
  const { said: shown, stream } = collectedOutput();
  const context: CliContext = {
    env,
    cwd,
    stdin: Readable.from([]),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    clock: hurriedClock,
    commands: typed(name, args, flags),
    onSignal: () => () => undefined,
  };
  return { context, shown };
}

/** Paths in `args` and `flags` must be absolute. */
export async function inProcess(
  name: string,
  args: readonly string[],
  flags: Flags,
  where: Where,
  run = commandOf(name).run,
): Promise<Ended> {
  const { context, shown } = contextFor(name, args, flags, where);
  try {
    const code = await run(args, flags, context);
    return { code, ...shown };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const reported = [error.message, ...error.lines, error.hint ?? ''].join('\n');
    return { code: error.exitCode, stdout: shown.stdout, stderr: `${shown.stderr}${reported}` };
  }
}
