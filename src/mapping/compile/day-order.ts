/**
 * Whether `03/04/2025` is the 3rd of April or the 4th of March: decided once for a whole column, from evidence, never
 * cell by cell. One value above 12 proves the order of its column, and that of undecided columns where all proven ones of the
 * export agree. Where nothing proves it, the person is asked.
 */

import { AppError } from '../../domain/errors.ts';
import { textOf } from '../../domain/source-file.ts';
import { readTime } from '../../time/written-time.ts';

export interface TimeColumn {
  /** As the layout writes it, e.g. `tickets: Created`. */
  readonly name: string;
  readonly evidence: OrderEvidence;
  dayFirst: boolean | undefined;
}

interface OrderEvidence {
  /** Values that can only be day first, month first, or either; with an example of each. */
  dayFirst: string | undefined;
  monthFirst: string | undefined;
  either: string | undefined;
}

export function noEvidence(): OrderEvidence {
  return { dayFirst: undefined, monthFirst: undefined, either: undefined };
}

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

/** What the evidence of one column proves; undefined where it proves nothing, or both. */
function proven({ evidence: { dayFirst, monthFirst } }: TimeColumn): boolean | undefined {
  return (dayFirst === undefined) === (monthFirst === undefined) ? undefined : dayFirst !== undefined;
}

function contradicts({ dayFirst, monthFirst }: OrderEvidence): boolean {
  return dayFirst !== undefined && monthFirst !== undefined;
}

/** Whether it holds such dates and waits for a proof: its own, or that of another column. */
function isOpen(column: TimeColumn): boolean {
  const { evidence } = column;
  return evidence.either !== undefined && proven(column) === undefined && !contradicts(evidence);
}

/** What these columns prove, where they agree. */
function agreed(columns: readonly TimeColumn[]): boolean | undefined {
  const orders = new Set(columns.map(proven).filter((order) => order !== undefined));
  return orders.size === 1 ? [...orders][0] : undefined;
}

/**
 * Decides every column, or throws a question. Proof comes first; `stated` (the `dayFirst` setting) decides what is left
 * open, and what the other columns prove, where they agree, does without it.
 */
function decideOrders(columns: readonly TimeColumn[], stated: boolean | undefined): void {
  const order = stated ?? agreed(columns);
  for (const column of stated === undefined ? columns : []) {
    const { evidence, name } = column;
    if (contradicts(evidence))
      throw new AppError(
        'configuration',
        `The column "${name}" has times with the day first (${evidence.dayFirst}) and with the month first (${evidence.monthFirst}).`,
        {
          hint: 'Split the export by how its times are written, or state dayFirst: true or false under source in helpdesk-import.yaml to reject the others.',
        },
      );
    if (order === undefined && isOpen(column))
      throw new AppError(
        'configuration',
        `In the column "${name}" dates like ${evidence.either} can be read with the day or with the month first.`,
        {
          hint: 'State which it is: dayFirst: true (3 April for 03/04) or dayFirst: false (4 March) under source in helpdesk-import.yaml.',
        },
      );
  }
  // also columns of which no sample had such a date: they may have one further on
  for (const column of columns) column.dayFirst = proven(column) ?? order;
}

/** Has pages of the export mapped until every column of times is decided; throws a question where nothing decides it. */
export async function settleDayOrder(
  {
    timeColumns,
    mode,
  }: { readonly timeColumns: readonly TimeColumn[]; readonly mode: { observing: boolean } },
  pages: () => AsyncIterable<unknown>,
  stated: boolean | undefined,
): Promise<void> {
  if (timeColumns.length === 0) return;
  mode.observing = true;
  for await (const _ of pages())
    if (stated !== undefined || agreed(timeColumns) !== undefined || !timeColumns.some(isOpen)) break;
  mode.observing = false;
  decideOrders(timeColumns, stated);
}
