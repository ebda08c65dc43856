import { AppError } from '../domain/errors.ts';
import type { CliContext } from './context.ts';

/** What shows errors; most starts need none of it. */
export const loadErrorView = () => import('../report/error-view.ts');

/** Tells a person what stopped the program and gives the exit code. A defect shows its stack; a user's mistake never. */
export async function showError(error: unknown, context: CliContext, verbose: boolean): Promise<number> {
  const { renderError } = await loadErrorView();
  context.stderr.write(`${renderError(error, { verbose, env: context.env, stream: context.stderr })}\n`);
  return error instanceof AppError ? error.exitCode : 1;
}
