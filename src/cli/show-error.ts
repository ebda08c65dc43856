/** What stopped the program, told to a person and, with `--json`, to a script. */
import { AppError } from '../domain/errors.ts';
import type { CliContext } from './context.ts';
import { hasJson, writeJson } from './json-output.ts';

/** What shows errors; most starts need none of it. */
export const loadErrorView = () => import('../present/terminal/error-view.ts');

export interface ErrorOptions {
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
  const { errorJson, renderError } = await loadErrorView();
  const { env, stdout, stderr, commands } = context;
  const exitCode = error instanceof AppError ? error.exitCode : 1;
  if (jsonMode !== undefined && !hasJson(stdout))
    writeJson(stdout, errorJson(error, jsonMode, exitCode, commands));
  stderr.write(`${renderError(error, { verbose, env, stream: stderr, commands })}\n`);
  return exitCode;
}
