/**
 * Decides `03/04/2025` once for a whole column, from evidence. A value above 12 proves the order of its column, and of
 * undecided columns if all proven ones agree. Without proof the person is asked.
 */

import { textOf } from '../../domain/source-file.ts';
import { stop } from '../../domain/text/stops.ts';
import { readTime } from '../../domain/written-time.ts';

export interface TimeColumn {
  readonly name: string;
  readonly evidence: OrderEvidence;
  dayFirst: boolean | undefined;
}

interface OrderEvidence {
  dayFirst: string | undefined;
  monthFirst: string | undefined;
  either: string | undefined;
}

export function noEvidence(): OrderEvidence {
  return { dayFirst: undefined, monthFirst: undefined, either: undefined };
}

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

function proven({ evidence: { dayFirst, monthFirst } }: TimeColumn): boolean | undefined {
  return (dayFirst === undefined) === (monthFirst === undefined) ? undefined : dayFirst !== undefined;
}

function contradicts({ dayFirst, monthFirst }: OrderEvidence): boolean {
  return dayFirst !== undefined && monthFirst !== undefined;
}

function isOpen(column: TimeColumn): boolean {
  const { evidence } = column;
  return evidence.either !== undefined && proven(column) === undefined && !contradicts(evidence);
}

function agreed(columns: readonly TimeColumn[]): boolean | undefined {
  const orders = new Set(columns.map(proven).filter((order) => order !== undefined));
  return orders.size === 1 ? [...orders][0] : undefined;
}

/** Proof first, then `stated` (the `dayFirst` setting), then the other columns if they agree. */
function decideOrders(columns: readonly TimeColumn[], stated: boolean | undefined): void {
  const order = stated ?? agreed(columns);
  for (const column of stated === undefined ? columns : []) {
    const { evidence, name } = column;
    if (contradicts(evidence))
      throw stop('mixed-day-order', { name, dayFirst: evidence.dayFirst, monthFirst: evidence.monthFirst });
    if (order === undefined && isOpen(column))
      throw stop('open-day-order', { name, either: evidence.either });
  }
  // A column without such a date in the sample may have one later.
  for (const column of columns) column.dayFirst = proven(column) ?? order;
}

/**
 * Weighs pages of tickets until no column is open, then rows from anywhere that may hold such a date. Throws a question if a
 * column stays open.
 */
export function settleDayOrder(
  timeColumns: readonly TimeColumn[],
  pages: () => Iterable<unknown>,
  dated: () => Iterable<unknown>,
  stated: boolean | undefined,
): void {
  if (timeColumns.length === 0) return;
  const isDecided = () => stated !== undefined || agreed(timeColumns) !== undefined;
  for (const _ of pages()) if (isDecided() || !timeColumns.some(isOpen)) break;
  if (!isDecided()) for (const _ of dated()) if (isDecided()) break;
  decideOrders(timeColumns, stated);
}
