/** `resolve --to-file`: the tickets in doubt as a CSV to fill in and to hand back with `--from-file`. */
import { writeFile } from 'node:fs/promises';
import { AppError } from '../../domain/errors.ts';
import { csvCell, printable } from '../../domain/printable.ts';
import type { Doubt } from '../status/status-lists.ts';

const HEADER = 'external_id,action,ticket_id,reason,subject,contact,created_at,sent_at';

/** Tickets of one reason are together, the most frequent reason first: most groups need one decision. */
export function doubtsCsv(doubts: readonly Doubt[], inText: (reason: string) => string): string {
  const groups = [...Map.groupBy(doubts, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);
  const rows = groups.flatMap(([reason, those]) =>
    those.map(({ externalId, subject, email, contactId, createdAt, sentAt }) =>
      [
        externalId,
        '',
        '',
        ...[inText(reason), subject, email ?? contactId, createdAt, sentAt].map((text) =>
          harmless(text ?? ''),
        ),
      ]
        .map((text) => csvCell(text))
        .join(','),
    ),
  );
  return `${[HEADER, ...rows].join('\r\n')}\r\n`;
}

/** A spreadsheet would calculate what begins so; nothing of these columns is read back. */
function harmless(text: string): string {
  const line = printable(text);
  return /^[=+\-@]/.test(line) ? `'${line}` : line;
}

/** It holds subjects and addresses, so it is its owner's alone; a list that somebody is filling in is not replaced. */
export async function writeDoubts(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new AppError('usage', `The file ${path} already exists.`, {
        hint: 'Name another file with --to-file; a list that was filled in is not replaced.',
      });
    throw new AppError('disk-write', `${path} cannot be written (${code}).`, {
      hint: 'Check its folder and its permissions.',
    });
  }
}
