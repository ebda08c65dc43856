/** CSV files of two columns that the settings name: `agents` and `people`. */
import { type People, type PeopleRow, peopleOf } from '../check/people.ts';
import { checkRegular, whyUnread } from '../disk/small-file.ts';
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import { openExport } from '../source/open-export.ts';
import type { Options } from './options.ts';

const AGENTS =
  'A file of agents is a CSV with a header and two columns: the id or e-mail in the export, and the agent ID in the helpdesk.';
const PEOPLE =
  "A file of people is a CSV with two columns, address and same_as. A row says that both addresses are the same person's; the second one stays.";
const MOST_COMPLAINTS = 20;

export async function listedAgents(
  { agents = {} }: Pick<Options['reading'], 'agents'>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  if (typeof agents !== 'string') return agents;
  const ids: Record<string, string> = Object.create(null) as Record<string, string>;
  for await (const { place, cells, isHeader } of rowsOf(agents, 'agents', AGENTS, signal)) {
    const [who = '', id = ''] = cells;
    if (isHeader) continue;
    if (who === '' || id === '') throw wrong(`${place} needs an agent and an agent id.`, AGENTS);
    ids[who] = id;
  }
  return ids;
}

/** Throws AppError `configuration` with every complaint. */
export async function readPeople(file: string, signal: AbortSignal): Promise<People> {
  const rows: PeopleRow[] = [];
  let [address, sameAs] = [0, 1];
  for await (const { place, line, cells, isHeader } of rowsOf(file, 'people', PEOPLE, signal)) {
    if (isHeader) {
      const columns = cells.map((cell) => cell.toLowerCase());
      [address, sameAs] = [columns.indexOf('address'), columns.indexOf('same_as')];
      // A further column could hold a condition that nothing reads, such as "confirmed".
      if (columns.toSorted().join() !== 'address,same_as')
        throw wrong(`${place} must have the columns address and same_as, and no others.`, PEOPLE);
    } else if (cells.some((cell) => cell !== ''))
      rows.push({ line, address: cells[address] ?? '', sameAs: cells[sameAs] ?? '' });
  }
  const read = peopleOf(file, rows);
  if ('people' in read) return read.people;
  const left = read.complaints.length - MOST_COMPLAINTS;
  throw wrong(`The file of people ${file} has mistakes.`, PEOPLE, [
    ...read.complaints.slice(0, MOST_COMPLAINTS),
    ...(left > 0 ? [`and ${left} more`] : []),
  ]);
}

async function* rowsOf(file: string, of: string, form: string, signal: AbortSignal) {
  try {
    checkRegular(file, BOUNDS.team.most);
  } catch (error) {
    throw wrong(`The file of ${of} ${file} ${whyUnread(error)}.`, form);
  }
  await using opened = await openExport([file], { signal });
  for (const list of opened.files) {
    const { name, outline } = list;
    const trimmed = (cells: readonly string[]) => cells.map((cell) => cell.trim());
    yield { place: `${name}:1`, line: 1, cells: trimmed(outline.header ?? []), isHeader: true };
    for await (const batch of list.records(undefined, signal))
      for (const { cells = [], ref, error } of batch) {
        const place = `${name}:${ref.line}`;
        if (error !== undefined) throw wrong(`${place} cannot be read: ${error}`, form);
        yield { place, line: ref.line, cells: trimmed(cells), isHeader: false };
      }
  }
}

function wrong(message: string, hint: string, lines: string[] = []): AppError {
  return new AppError('configuration', message, { lines, hint });
}
