import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { stop } from '../domain/text/stops.ts';

export function ignoredFile(file: string, why: string, kind = 'ignored-file'): Problem {
  return problemOf(kind, { why }, { file });
}

export function emptyFile(file: string): Problem {
  return problemOf('empty-file:none', {}, { file });
}

const MAX_LINES = 100;
const LONGEST_CELLS = 200;

/** At most 100 lines a kind; the last one counts the others. */
export class LineProblems {
  readonly #file: string;
  readonly #problems: Problem[];
  readonly #counts = new Map<string, { count: number; last: Problem }>();

  constructor(file: string, problems: Problem[]) {
    this.#file = file;
    this.#problems = problems;
  }

  add(
    kind: string,
    data: Parameters<typeof problemOf>[1] = {},
    more: { line?: number; count?: number } = {},
  ): Problem {
    const problem = problemOf(kind, data, { file: this.#file, ...more });
    this.#problems.push(problem);
    return problem;
  }

  addLine(kind: string, line: number, data: Parameters<typeof problemOf>[1] = {}): void {
    const known = this.#counts.get(kind);
    if (known !== undefined && known.count >= MAX_LINES) {
      known.last.count++;
      return;
    }
    this.#counts.set(kind, { count: (known?.count ?? 0) + 1, last: this.add(kind, data, { line }) });
  }

  extraCells(line: number, count: number, beyond: readonly string[]): void {
    const shown = JSON.stringify(beyond.slice(0, 5)).slice(1, -1);
    const isCut = shown.length > LONGEST_CELLS || beyond.length > 5;
    const cut = `${shown.slice(0, LONGEST_CELLS).toWellFormed()}${isCut ? '…' : ''}`;
    this.addLine('extra-cells', line, { cells: count, width: count - beyond.length, beyond: cut });
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

const FORBIDDEN = ['@ may not be read.', 'Check its permissions.'];
const FILE_ERRORS = new Map([
  [
    'ENOENT',
    ['There is no file or folder @.', 'Check the spelling; paths are relative to the current folder.'],
  ],
  ['EACCES', FORBIDDEN],
  ['EPERM', FORBIDDEN],
  ['EMFILE', ['@ cannot be opened: too many files are open.', 'Raise the limit (ulimit -n) and run again.']],
]);

export function unreadableFile(name: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const code = codeOf(cause);
  const why = code === '' ? String(cause) : code;
  const [message = `@ cannot be read (${why}).`, hint = 'Check the file and its disk.'] =
    FILE_ERRORS.get(code) ?? [];
  const named = message.replace('@', () => name);
  return new AppError('source', named, { hint, cause });
}

export function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw temporaryFailure(error);
  }
}

/** Other errors are returned unchanged. */
export function temporaryFailure(error: unknown): unknown {
  const code = codeOf(error);
  if (!/^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM)/.test(code)) return error;
  const why = code === 'SQLITE_FULL' ? 'the disk is full' : code;
  return stop('temporary-unwritable', { why }, { cause: error });
}
