import { BOUNDS } from './limits.ts';

/** The one exception that stops the run. Anything else that is thrown is an internal error: exit 1 and a stack. */
export const ERROR_CODES = {
  usage: 2,
  configuration: 2,
  source: 2,
  checkpoint: 2,
  auth: 5,
  unreachable: 6,
  'error-budget': 6,
  'disk-write': 6,
  interrupted: 130,
  terminated: 143,
  internal: 1,
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

interface AppErrorDetails {
  hint?: string | undefined;
  /** Several complaints, one a line, with file:line:column. */
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

export function changedSource(names: readonly string[]): AppError {
  const [first = 'The export', ...others] = names;
  const more = others.length === 0 ? '' : ` and ${others.length === 1 ? others[0] : `${others.length} more`}`;
  return new AppError('source', `${first}${more} changed while the run was reading.`, {
    hint: 'Wait until the export is complete, and run the same command again.',
  });
}
