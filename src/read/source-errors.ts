/** What a person reads when a file cannot be opened or a disk is full. */
import { AppError } from '../domain/errors.ts';

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
    hint: 'Compressed and transcoded input is unpacked there. Make room, or name another folder in TMPDIR.',
    cause,
  });
}
