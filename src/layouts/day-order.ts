/**
 * Whether `03/04/2025` is the 3rd of April or the 4th of March: decided once for a whole column, from evidence, never
 * cell by cell. One value above 12 proves the order of its column, and with it that of undecided columns of the same
 * export, provided all proven ones agree. Where nothing proves it, the person is asked.
 */
import { AppError } from '../domain/errors.ts';
import { textOf } from './plain-value.ts';
import { readTime } from './time-text.ts';

export interface TimeColumn {
  /** As the layout writes it, e.g. `tickets: Created`. */
  readonly name: string;
  /** Table whose rows have it. */
  readonly table: string;
  readonly evidence: OrderEvidence;
  dayFirst: boolean | undefined;
}

export interface OrderEvidence {
  /** Values that can only be day first, month first, or either; with an example of each. */
  dayFirst: string | undefined;
  monthFirst: string | undefined;
  either: string | undefined;
}

export const noEvidence = (): OrderEvidence => ({
  dayFirst: undefined,
  monthFirst: undefined,
  either: undefined,
});

/** Weighs one value. */
export function weigh(evidence: OrderEvidence, value: unknown): void {
  if (Array.isArray(value)) {
    for (const element of value) weigh(evidence, element);
    return;
  }
  const text = textOf(value).trim();
  const time = text === '' ? undefined : readTime(text);
  if (time?.kind !== 'unordered' || time.date.dots) return;
  const { first, second } = time.date;
  if (first > 12 && second <= 12) evidence.dayFirst ??= text;
  else if (second > 12 && first <= 12) evidence.monthFirst ??= text;
  else if (first <= 12 && second <= 12) evidence.either ??= text;
}

/** What the evidence of one column proves; undefined where it proves nothing. Throws where it contradicts itself. */
export function proven(column: TimeColumn): boolean | undefined {
  const { dayFirst, monthFirst } = column.evidence;
  if (dayFirst !== undefined && monthFirst !== undefined) {
    throw new AppError(
      'configuration',
      `The column "${column.name}" has times with the day first (${dayFirst}) and with the month first (${monthFirst}).`,
      {
        hint: 'Split the export by how its times are written, or state dayFirst: true or false to reject the others.',
      },
    );
  }
  return dayFirst !== undefined ? true : monthFirst !== undefined ? false : undefined;
}

/** Columns that hold such dates and whose order is not yet proven. */
export function undecided(columns: readonly TimeColumn[]): TimeColumn[] {
  return columns.filter((column) => column.evidence.either !== undefined && proven(column) === undefined);
}

/** Decides every column, or throws a question. `stated` (the `dayFirst` setting) settles all of them. */
export function decideOrders(columns: readonly TimeColumn[], stated: boolean | undefined): void {
  if (stated !== undefined) {
    for (const column of columns) column.dayFirst = stated;
    return;
  }
  for (const column of columns) column.dayFirst = proven(column);
  const orders = new Set(
    columns.flatMap((column) => (column.dayFirst === undefined ? [] : [column.dayFirst])),
  );
  const common = orders.size === 1 ? [...orders][0] : undefined;
  const open = undecided(columns);
  // also columns of which no sample had such a date: they may have one further on
  if (common !== undefined) for (const column of columns) column.dayFirst = common;
  else if (open.length > 0) {
    const [first] = open;
    throw new AppError(
      'configuration',
      `In the column "${first?.name}" dates like ${first?.evidence.either} can be read with the day or with the month first.`,
      {
        hint: 'State which it is: dayFirst: true (3 April for 03/04) or dayFirst: false (4 March) under source in helpdesk-import.yaml.',
      },
    );
  }
}
