/** What of the source will not arrive, on screen. */
import type { LossReport } from '../../domain/survey.ts';
import { countOf, formatCount } from './format.ts';
import type { Style } from './style.ts';
import { type Cell, type Column, tableLines } from './table.ts';
import { heading } from './text-block.ts';

/** Rows of each part that are shown. */
const MOST_ROWS = 10;

/** Lines; none where nothing is lost. */
export function lossLines(loss: LossReport, style: Style): string[] {
  const parts = [
    part(
      'Columns that no rule uses',
      [{ flexible: true }, { align: 'right' }, { flexible: true }],
      loss.unusedColumns
        .toSorted((a, b) => b.filled - a.filled)
        .map(({ column, filled, file }) => [
          column,
          `${formatCount(filled)} filled`,
          { text: file, paint: style.dim },
        ]),
      style,
    ),
    part(
      'Values that are in no value map',
      [{}, { flexible: true }, { align: 'right' }, { flexible: true }],
      loss.unmappedValues
        .toSorted((a, b) => b.count - a.count)
        .map(({ field, value, count, action }) => [
          field,
          `"${value}"`,
          formatCount(count),
          { text: action, paint: style.dim },
        ]),
      style,
    ),
    part(
      'Agents without an agent id',
      [{ flexible: true }, { align: 'right' }, { flexible: true }],
      loss.agentsWithoutId
        .toSorted((a, b) => b.count - a.count)
        .map(({ agent, count, fallback }) => [
          agent,
          formatCount(count),
          fallback === undefined
            ? { text: 'no fallback agent', paint: style.yellow }
            : { text: `${style.symbols.arrow} ${fallback}`, paint: style.dim },
        ]),
      style,
    ),
    part(
      'Authors known neither as agent nor as customer',
      [{ flexible: true }, { align: 'right' }],
      loss.unknownAuthors
        .toSorted((a, b) => b.count - a.count)
        .map(({ author, count }) => [author, formatCount(count)]),
      style,
    ),
    part(
      'Fields that the service has no place for',
      [{ flexible: true }, { align: 'right' }],
      loss.notHeld.toSorted((a, b) => b.count - a.count).map(({ what, count }) => [what, formatCount(count)]),
      style,
    ),
  ].flat();
  return parts.length === 0 ? [] : [...heading('What will not arrive', style), ...parts];
}

function part(
  title: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  style: Style,
): string[] {
  if (rows.length === 0) return [];
  const hidden = rows.length - MOST_ROWS;
  return [
    `  ${style.yellow(title)}`,
    ...tableLines(rows.slice(0, MOST_ROWS), columns, style, 4),
    ...(hidden > 0 ? [style.dim(`    and ${countOf(hidden, 'more', 'more')}`)] : []),
  ];
}
