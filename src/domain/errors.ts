import { BOUNDS } from './limits.ts';

/**
 * The one exception of the program: it stops the run. Its code decides the exit code. Anything else that is thrown is an internal
 * error: exit 1 and a stack.
 */
export const ERROR_CODES = {
  /** Wrong flags, files or settings; nothing was sent. */
  usage: 2,
  /** The settings file or the environment is wrong; nothing was sent. */
  configuration: 2,
  /** The export cannot be read (no file, unknown layout), or it changed while it was read. */
  source: 2,
  /** The checkpoint belongs to another target, source or version, is in use or damaged. */
  checkpoint: 2,
  /** The target refuses the token or its scopes. */
  auth: 5,
  /** The target cannot be reached, or not for long enough. */
  unreachable: 6,
  /** More rejected or failed tickets than the user allows. */
  'error-budget': 6,
  /** The checkpoint or another file cannot be written: disk full, I/O error, permissions. */
  'disk-write': 6,
  /** First signal: SIGINT. */
  interrupted: 130,
  /** First signal: SIGTERM. */
  terminated: 143,
  /** An internal error. */
  internal: 1,
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

interface AppErrorDetails {
  /** What to do, shown below the message. */
  hint?: string | undefined;
  /** Several complaints (settings), one a line, with file:line:column. */
  lines?: string[] | undefined;
  cause?: unknown | undefined;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly lines: readonly string[];

  constructor(code: ErrorCode, message: string, details: AppErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    const { lines = [] } = details;
    const more = lines.length - BOUNDS.complaints.most;
    this.lines =
      more <= 0 ? lines : [...lines.slice(0, BOUNDS.complaints.most), `… and ${more} more like these.`];
  }

  get exitCode(): number {
    return ERROR_CODES[this.code];
  }
}

/** The export changed since it was opened. Ends the run before anything wrong is sent. */
export function changedSource(names: readonly string[]): AppError {
  const [first = 'The export', ...others] = names;
  const more = others.length === 0 ? '' : ` and ${others.length === 1 ? others[0] : `${others.length} more`}`;
  return new AppError('source', `${first}${more} changed while the run was reading.`, {
    hint: 'Wait until the export is complete, and run the same command again.',
  });
}
