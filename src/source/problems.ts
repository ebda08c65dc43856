import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';

export function ignoredFile(file: string, why: string, code = 'ignored-file'): Problem {
  return warning(code, file, `${file} was not read: ${why}.`);
}

export function emptyFile(file: string): Problem {
  return warning('empty-file', file, `${file} is empty; check that it was exported completely.`);
}

function warning(code: string, file: string, message: string): Problem {
  return { severity: 'warning', code, file, message, count: 1 };
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

  #add(code: string, message: string, line?: number): Problem {
    const problem = { ...warning(code, this.#file, message), ...(line === undefined ? {} : { line }) };
    this.#problems.push(problem);
    return problem;
  }

  /** A cut-off export of tickets looks like this. */
  onlyHeader(line: number): void {
    const message = `${this.#file} has a header and no rows; check that it was exported completely.`;
    this.#add('empty-file', message, line);
  }

  shortRows(of: { count: number; line: number; cells: number; rows: number; width: number }): void {
    const rows = `${of.count} of ${of.rows} ${of.rows === 1 ? 'row' : 'rows'}`;
    const message = `${rows} ${of.count === 1 ? 'has' : 'have'} fewer cells than the header: line ${of.line} has ${of.cells}, the header ${of.width}. Look whether values are in the wrong columns.`;
    this.#add('short-rows', message, of.line).count = of.count;
  }

  lostCharacters(encoding: string, count: number): void {
    const characters = count === 1 ? '1 character' : `${count.toLocaleString('en-US')} characters`;
    this.#add(
      'invalid-unicode',
      `${characters} of ${this.#file} cannot be read as ${encoding} and became \ufffd: the file is damaged, or in another encoding, which --set source.encoding=… names.`,
    );
  }

  unreadableShare(share: number): void {
    this.#add('unreadable-share', `${share}% of ${this.#file} cannot be read, by its size.`);
  }

  invalidText(line: number): void {
    this.#addLine(
      'invalid-unicode',
      line,
      'Some bytes are not valid UTF-8 and were replaced by \ufffd; if letters are missing, say which encoding the file is in with --set source.encoding=….',
    );
  }

  extraCells(line: number, count: number, beyond: readonly string[]): void {
    const shown = JSON.stringify(beyond.slice(0, 5)).slice(1, -1).toWellFormed();
    const isCut = shown.length > LONGEST_CELLS || beyond.length > 5;
    this.#addLine(
      'extra-cells',
      line,
      `The row has ${count} cells and the header ${count - beyond.length}: the rest is not imported (${shown.slice(0, LONGEST_CELLS)}${isCut ? '…' : ''}). Quote text that contains the delimiter, or add the column names.`,
    );
  }

  repeatedHeader(line: number): void {
    this.#addLine('lines-skipped', line, 'The line repeats the header and was skipped.');
  }

  #addLine(code: string, line: number, message: string): void {
    const known = this.#counts.get(code);
    if (known !== undefined && known.count >= MAX_LINES) {
      known.last.count++;
      return;
    }
    this.#counts.set(code, { count: (known?.count ?? 0) + 1, last: this.#add(code, message, line) });
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
  return new AppError('disk-write', `The temporary file of the export's rows cannot be written: ${why}.`, {
    hint: 'It takes up to 2.2 times the unpacked export. Free up space, or name another folder in SQLITE_TMPDIR, and run again.',
    cause: error,
  });
}
