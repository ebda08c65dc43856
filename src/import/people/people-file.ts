/** The file that says which addresses are one person's (`people`): a CSV with address, same as, reason, confirmed. */

import { PEOPLE_COLUMNS, type People, type PeopleRow, peopleOf } from '../../check/people.ts';
import { checkRegular, whyUnread } from '../../disk/small-file.ts';
import { AppError } from '../../domain/errors.ts';
import { BOUNDS } from '../../domain/limits.ts';
import { openExport } from '../../source/open-export.ts';

export const PEOPLE_FORM =
  'A file of people is a CSV with the columns address, same as, reason and confirmed: a row says that the address is the same person\'s as the other one, and counts where confirmed is yes. "helpdesk-import people" writes one.';
const MOST_COMPLAINTS = 20;

/** Throws AppError `configuration` with every complaint, each with its line. */
export async function readPeople(file: string, signal: AbortSignal): Promise<People> {
  const read = peopleOf(file, await readPeopleRows(file, signal));
  if ('people' in read) return read.people;
  const { complaints } = read;
  throw new AppError('configuration', `The file of people ${file} has mistakes.`, {
    lines: [
      ...complaints.slice(0, MOST_COMPLAINTS),
      ...(complaints.length > MOST_COMPLAINTS ? [`and ${complaints.length - MOST_COMPLAINTS} more`] : []),
    ],
    hint: PEOPLE_FORM,
  });
}

/** As they are written. */
export async function readPeopleRows(
  file: string,
  signal: AbortSignal,
): Promise<(PeopleRow & { readonly reason: string })[]> {
  try {
    checkRegular(file, BOUNDS.team.most);
  } catch (error) {
    throw new AppError('configuration', `The file of people ${file} ${whyUnread(error)}.`, {
      hint: PEOPLE_FORM,
    });
  }
  await using opened = await openExport([file], { signal });
  const rows: (PeopleRow & { readonly reason: string })[] = [];
  for (const list of opened.files) {
    const header = (list.outline.header ?? []).map((cell) => cell.trim().toLowerCase().replaceAll('_', ' '));
    const [address = -1, sameAs = -1, reason = -1, confirmed = -1] = PEOPLE_COLUMNS.map((name) =>
      header.indexOf(name),
    );
    const missing = [
      ['address', address],
      ['same as', sameAs],
      ['confirmed', confirmed],
    ].find(([, at]) => at === -1);
    if (missing !== undefined)
      throw new AppError('configuration', `${list.name}:1 has no column "${missing[0]}".`, {
        hint: PEOPLE_FORM,
      });
    for await (const records of list.records(undefined, signal))
      for (const { cells = [], ref, error } of records) {
        if (error !== undefined)
          throw new AppError('configuration', `${list.name}:${ref.line} cannot be read: ${error}`, {
            hint: PEOPLE_FORM,
          });
        const cell = (at: number) => cells[at]?.trim() ?? '';
        if (cells.every((text) => text.trim() === '')) continue;
        rows.push({
          line: ref.line,
          address: cell(address),
          sameAs: cell(sameAs),
          reason: cell(reason),
          confirmed: cell(confirmed),
        });
      }
  }
  return rows;
}
