/** What a run without a person at the screen leaves behind: its log file, and a notice when it has ended. */
import type { CliContext } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { Secret } from '../../domain/secret.ts';
import { OUTCOMES } from '../../domain/ticket-state.ts';
import { errorJson } from '../../present/terminal/error-view.ts';
import type { Settings } from '../../settings/settings.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import type { Summary } from '../../summary/summary.ts';

export interface Unattended {
  emit(event: RunEvent): void;
  /** The run has a result: `json` is what `--json` prints of it. */
  ended(summary: Summary, json: object): Promise<void>;
  /** It ended without one. */
  failed(error: unknown): Promise<void>;
}

interface Options {
  readonly settings: Settings;
  readonly context: CliContext;
  readonly warn: (message: string) => void;
  /** Append to a file that is no log (`--force`). */
  readonly force: boolean;
  /** Ends a notice that is under way. */
  readonly signal: AbortSignal;
}

/** Throws AppError `usage` where the log cannot be written. */
export async function openUnattended({
  settings,
  context,
  warn,
  force,
  signal,
}: Options): Promise<Unattended> {
  const { logFile, logFormat, notify, verbose, redact } = settings.output;
  const { clock, env, commands } = context;
  const hide = redact ? (await import('../../present/html/redact-report.ts')).redactProblem : undefined;
  const log =
    logFile === undefined
      ? undefined
      : await (await import('./run-log.ts')).openRunLog({
          path: logFile,
          format: logFormat,
          verbose,
          redact: hide,
          clock,
          warn,
          force,
        });
  const key = env['HELPDESK_NOTIFY_SECRET'];
  const secret = key === undefined || key === '' ? undefined : new Secret(key);
  const send = async (body: object) => {
    if (notify === undefined) return;
    const { sendNotice } = await import('./notice.ts');
    const problem = await sendNotice(body, { url: notify, secret, clock, env, signal });
    if (problem !== undefined) warn(problem);
  };
  return {
    emit: (event) => log?.emit(event),
    async ended({ mode, tickets, exitCode }, json) {
      const counts = OUTCOMES.map((outcome) => `, ${tickets[outcome]} ${OUTCOME_VIEWS[outcome].word}`);
      const message = `${mode} ended with ${exitCode}: ${tickets.read} read${counts.join('')}`;
      log?.write({
        level: exitCode === 0 ? 'info' : 'error',
        event: 'end',
        message,
        fields: { mode, exitCode, tickets },
      });
      await log?.close();
      await send(json);
    },
    async failed(error) {
      const exitCode = error instanceof AppError ? error.exitCode : 1;
      const { message } = error instanceof Error ? error : { message: String(error) };
      const sentence = redact && !(error instanceof AppError) ? 'an internal error' : message;
      log?.write({
        level: 'error',
        event: 'end',
        message: sentence,
        fields: { mode: settings.mode, exitCode },
      });
      await log?.close();
      await send(errorJson(error, settings.mode, exitCode, commands));
    },
  };
}
