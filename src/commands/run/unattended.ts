/** The log file of a run without a person at the screen: what happened, and how it ended. */
import type { CliContext } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { OUTCOMES } from '../../domain/ticket-state.ts';
import type { Settings } from '../../settings/settings.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import type { Summary } from '../../summary/summary.ts';
import { openRunLog } from './run-log.ts';

export interface Unattended {
  emit(event: RunEvent): void;
  /** The run has a result. */
  ended(summary: Summary): Promise<void>;
  /** It ended without one. */
  failed(error: unknown): Promise<void>;
}

/** Throws AppError `usage` where the log cannot be written. */
export async function openUnattended(
  path: string,
  { mode, output: { verbose, redact } }: Settings,
  { clock }: CliContext,
  warn: (message: string) => void,
  force: boolean,
): Promise<Unattended> {
  const hide = redact ? (await import('../../view/redact.ts')).redactProblem : undefined;
  const log = await openRunLog({ path, verbose, redact: hide, clock, warn, force });
  return {
    emit: (event) => log.emit(event),
    async ended({ tickets, exitCode }) {
      const counts = OUTCOMES.map((outcome) => `, ${tickets[outcome]} ${OUTCOME_VIEWS[outcome].word}`);
      log.write({
        level: exitCode === 0 ? 'info' : 'error',
        event: 'end',
        message: `${mode} ended with ${exitCode}: ${tickets.read} read${counts.join('')}`,
        fields: { mode, exitCode, tickets },
      });
      await log.close();
    },
    async failed(error) {
      const exitCode = error instanceof AppError ? error.exitCode : 1;
      const { message } = error instanceof Error ? error : { message: String(error) };
      log.write({
        level: 'error',
        event: 'end',
        message: redact && !(error instanceof AppError) ? 'an internal error' : message,
        fields: { mode, exitCode },
      });
      await log.close();
    },
  };
}
