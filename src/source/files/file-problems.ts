/** Warnings about files as a whole. */

import { AppError } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import type { Preamble } from '../csv/csv-dialect.ts';

export function ignoredFile(file: string, why: string): Problem {
  return {
    severity: 'warning',
    code: 'ignored-file',
    file,
    message: `${file} was not read: ${why}.`,
    count: 1,
  };
}

export function ignoredFolder(folder: string): Problem {
  const why = 'folders beside files are not entered; name it to read it too';
  return { ...ignoredFile(folder, why), code: 'ignored-folder' };
}

export function emptyFile(file: string): Problem {
  return {
    severity: 'warning',
    code: 'empty-file',
    file,
    message: `${file} is empty; check that it was exported completely.`,
    count: 1,
  };
}

export function guessedEncoding(file: string, encoding: string): Problem {
  return {
    severity: 'warning',
    code: 'encoding-guessed',
    file,
    message: `${file} was read as ${encoding}, which is a guess; if letters look wrong, say which encoding it is with --encoding.`,
    count: 1,
  };
}

export function lostCharacters(file: string, encoding: string, count: number): Problem {
  return {
    severity: 'warning',
    code: 'invalid-unicode',
    file,
    message: `${count === 1 ? '1 character' : `${count.toLocaleString('en-US')} characters`} of ${file} cannot be read as ${encoding} and became \ufffd: the file is damaged, or in another encoding, which --encoding names.`,
    count: 1,
  };
}

/** Above the header. */
export function linesSkipped(file: string, { lines, text }: Preamble): Problem {
  const shown = text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text;
  return {
    severity: 'warning',
    code: 'lines-skipped',
    file,
    line: 1,
    message: `${lines === 1 ? 'Line 1' : `Lines 1 to ${lines}`} of ${file} (${JSON.stringify(shown)}) preceded the header and ${lines === 1 ? 'was' : 'were'} skipped; the header is line ${lines + 1}.`,
    count: 1,
  };
}

/** It has one cell, and the rows below have several. */
export function titleForHeader(file: string, line: number): Problem {
  return {
    severity: 'warning',
    code: 'title-for-header',
    file,
    line,
    message: `Line ${line} of ${file} was read as the header and has one cell, while the rows below it have more; if it is a title, remove the lines above the header and try again.`,
    count: 1,
  };
}

/** Nothing but the header: an export of tickets that was cut off looks like this. */
export function onlyHeader(file: string, line: number): Problem {
  return {
    severity: 'warning',
    code: 'empty-file',
    file,
    line,
    message: `${file} has a header and no rows; check that it was exported completely.`,
    count: 1,
  };
}

const MAX_LINES = 100;
const LONGEST_CELLS = 200;

interface ReportedLines {
  readonly lines: Set<number>;
  highest: number;
  last: Problem;
}

/**
 * What is wrong with lines of a file, each line once however often it is read: at most 100 problems a file and kind,
 * then the last one counts the others.
 */
export class LineProblems {
  readonly #file: string;
  readonly #problems: Problem[];
  readonly #reported = new Map<string, ReportedLines>();

  constructor(file: string, problems: Problem[]) {
    this.#file = file;
    this.#problems = problems;
  }

  invalidText(line: number): void {
    this.#tell(
      'invalid-unicode',
      line,
      () =>
        'Some bytes are not valid UTF-8 and were replaced by \ufffd; if letters are missing, say which encoding the file is in with --encoding.',
    );
  }

  /** Cells of a row beyond its header: no column is there to read them. */
  extraCells(line: number, count: number, beyond: readonly string[]): void {
    this.#tell('extra-cells', line, () => {
      const shown = JSON.stringify(beyond.slice(0, 5)).slice(1, -1).toWellFormed();
      const cut = shown.length > LONGEST_CELLS || beyond.length > 5;
      return `The row has ${count} cells and the header ${count - beyond.length}: what is beyond it is not imported (${shown.slice(0, LONGEST_CELLS)}${cut ? '…' : ''}). Put a text that holds the delimiter in quotes, or name the columns in the header.`;
    });
  }

  repeatedHeader(line: number): void {
    this.#tell('lines-skipped', line, () => 'The line repeats the header and was skipped.');
  }

  #tell(code: string, line: number, say: () => string): void {
    const reported = this.#reported.get(code);
    if (reported?.lines.has(line)) return;
    if (reported !== undefined && reported.lines.size >= MAX_LINES) {
      if (line <= reported.highest) return;
      reported.highest = line;
      reported.last.count++;
      return;
    }
    const last: Problem = {
      severity: 'warning',
      code,
      file: this.#file,
      line,
      message: say(),
      count: 1,
    };
    this.#reported.set(code, {
      lines: (reported?.lines ?? new Set<number>()).add(line),
      highest: Math.max(reported?.highest ?? 0, line),
      last,
    });
    this.#problems.push(last);
  }
}

// What a person reads when a file cannot be opened or a disk is full.

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

export function unreadableFile(name: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const code = codeOf(cause);
  const [message, hint] =
    code === 'ENOENT'
      ? [
          `There is no file or folder ${name}.`,
          'Check the spelling; paths are relative to the current folder.',
        ]
      : code === 'EACCES' || code === 'EPERM'
        ? [`${name} may not be read.`, 'Check its permissions.']
        : code === 'EMFILE' || code === 'ENFILE'
          ? [
              `${name} cannot be opened: too many files are open.`,
              'Raise the limit (ulimit -n) and run again.',
            ]
          : [
              `${name} cannot be read (${code === '' ? String(cause) : code}).`,
              'Check the file and its disk.',
            ];
  return new AppError('source', message, { hint, cause });
}

/** A failure to write the temporary file that holds unpacked and transcoded input. */
export function unwritableSpool(folder: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const code = codeOf(cause);
  const why =
    code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : code === '' ? String(cause) : code;
  return new AppError('disk-write', `The temporary file in ${folder} cannot be written: ${why}.`, {
    hint: 'Compressed and transcoded input is unpacked there. Free up space, or name another folder in TMPDIR.',
    cause,
  });
}
