/** What a command says at its end to a script: one JSON object; and what stopped the program, to a person and to a script. */
import { AppError } from '../domain/errors.ts';
import type { CliContext, OutputStream } from './context.ts';

const told = new WeakSet<OutputStream>();

/** The one JSON object on standard output that `--json` promises: the result, or why there is none. */
export function writeJson(stdout: OutputStream, value: unknown): void {
  told.add(stdout);
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

interface ErrorOptions {
  readonly verbose: boolean;
  /** The mode of the command where it was to write JSON. */
  readonly jsonMode?: string | undefined;
}

/** Tells what stopped the program and gives the exit code. A defect shows its stack; a user's mistake never. */
export async function showError(
  error: unknown,
  context: CliContext,
  { verbose, jsonMode }: ErrorOptions,
): Promise<number> {
  const { errorJson, renderError } = await import('../present/terminal/error-view.ts');
  const { env, stdout, stderr, commands } = context;
  const exitCode = error instanceof AppError ? error.exitCode : 1;
  // An error that comes after the result must not follow it with a second one.
  if (jsonMode !== undefined && !told.has(stdout))
    writeJson(stdout, errorJson(error, jsonMode, exitCode, commands));
  stderr.write(`${renderError(error, { verbose, env, stream: stderr, commands })}\n`);
  return exitCode;
}
