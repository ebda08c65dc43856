import { BOUNDS } from './limits.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from './ticket-state.ts';

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

export interface AppErrorDetails {
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

/** The disk has no part in these: the statement is wrong. */
const OWN_FAULTS = /^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|MISUSE|RANGE|TOOBIG)/;

/** The code of the system or of SQLite. Undefined: a defect, which no sentence about the disk may hide. */
export function diskCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string' || OWN_FAULTS.test(code)) return undefined;
  return /^(?:E[A-Z0-9]+|SQLITE_\w+)$/.test(code) ? code : undefined;
}

export const isDiskFull = (code: string | undefined): boolean => /^SQLITE_FULL|^ENOSPC$/.test(code ?? '');

/** AppError `disk-write` for a failure of the disk; another error unchanged. `what`: what cannot be done. */
export function diskFailure(cause: unknown, what: string, hint: string): unknown {
  const code = diskCode(cause);
  if (code === undefined) return cause;
  const why = isDiskFull(code) ? ': the disk is full' : ` (${code})`;
  return new AppError('disk-write', `${what}${why}.`, { hint, cause });
}

/** An error that is none of the disk, where only an AppError can be kept. */
export function defect(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', error instanceof Error ? error.message : String(error), { cause: error });
}

export function changedSource(names: readonly string[]): AppError {
  const [first = 'The export', ...others] = names;
  const more = others.length === 0 ? '' : ` and ${others.length === 1 ? others[0] : `${others.length} more`}`;
  return new AppError('source', `${first}${more} changed while the run was reading.`, {
    hint: 'Wait until the export is complete, and run the same command again.',
  });
}

interface RunResult {
  readonly tickets: OutcomeCounts;
  /** One may lead to another. */
  readonly stoppedBy?: readonly Pick<AppError, 'code'>[];
  /** A check of the trial failed, rows were lost, or the export is older than the import. */
  readonly isFlawed?: boolean;
  readonly duplicates?: boolean;
  readonly mustReachAll?: boolean;
}

const CODES: Partial<Readonly<Record<Outcome, number>>> = { rejected: 3, failed: 3, inDoubt: 4 };

/** If several apply, the first. After an internal error nothing else is reliable; after 2 the counts are incomplete. */
const PRECEDENCE: readonly number[] = [1, 2, 130, 143, 5, 6, 4, 3];

export function exitCodeOf({
  tickets,
  stoppedBy = [],
  isFlawed,
  duplicates,
  mustReachAll,
}: RunResult): number {
  const codes = new Set<number>(stoppedBy.map(({ code }) => ERROR_CODES[code]));
  for (const outcome of OUTCOMES) if (tickets[outcome] > 0) codes.add(CODES[outcome] ?? 0);
  if (duplicates) codes.add(4);
  if (isFlawed) codes.add(3);
  if (mustReachAll && tickets.pending > 0) codes.add(ERROR_CODES.unreachable);
  return PRECEDENCE.find((code) => codes.has(code)) ?? 0;
}
