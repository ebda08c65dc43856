/** Reads the file that says which addresses are one person's (`people`): a CSV with the columns address and same_as. */
import { type People, type PeopleRow, peopleOf } from '../../check/people.ts';
import { checkRegular, whyUnread } from '../../disk/small-file.ts';
import { AppError } from '../../domain/errors.ts';
import { BOUNDS } from '../../domain/limits.ts';
import { openExport } from '../../source/open-export.ts';

const FORM =
  "A file of people is a CSV with two columns, address and same_as. A row says that both addresses are the same person's; the second one stays.";
const MOST_COMPLAINTS = 20;

/** Throws AppError `configuration` with every complaint, each with its line. */
export async function readPeople(file: string, signal: AbortSignal): Promise<People> {
  const read = peopleOf(file, await readRows(file, signal));
  if ('people' in read) return read.people;
  const left = read.complaints.length - MOST_COMPLAINTS;
  throw wrong(`The file of people ${file} has mistakes.`, [
    ...read.complaints.slice(0, MOST_COMPLAINTS),
    ...(left > 0 ? [`and ${left} more`] : []),
  ]);
}

async function readRows(file: string, signal: AbortSignal): Promise<PeopleRow[]> {
  try {
    checkRegular(file, BOUNDS.team.most);
  } catch (error) {
    throw wrong(`The file of people ${file} ${whyUnread(error)}.`);
  }
  await using opened = await openExport([file], { signal });
  const rows: PeopleRow[] = [];
  for (const list of opened.files) {
    const { name, outline } = list;
    const header = (outline.header ?? []).map((cell) => cell.trim().toLowerCase());
    // Another column could hold a condition that nothing reads, such as "confirmed".
    if (header.toSorted().join() !== 'address,same_as')
      throw wrong(`${name}:1 must have the columns address and same_as, and no others.`);
    const [address, sameAs] = [header.indexOf('address'), header.indexOf('same_as')];
    for await (const batch of list.records(undefined, signal))
      for (const { cells = [], ref, error } of batch) {
        if (error !== undefined) throw wrong(`${name}:${ref.line} cannot be read: ${error}`);
        if (cells.some((cell) => cell.trim() !== ''))
          rows.push({ line: ref.line, address: cells[address] ?? '', sameAs: cells[sameAs] ?? '' });
      }
  }
  return rows;
}

function wrong(message: string, lines: string[] = []): AppError {
  return new AppError('configuration', message, { lines, hint: FORM });
}
