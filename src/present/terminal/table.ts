/** Small tables that fit the terminal: columns as wide as needed, long texts shortened, numbers to the right. */
import { padText, printable, shorten, textWidth } from '../../domain/printable.ts';
import type { Style } from './style.ts';

export interface Column {
  readonly header?: string;
  readonly align?: 'left' | 'right';
  /** May be shortened where the line is too long; columns without it never are. */
  readonly flexible?: boolean;
}

/** A cell's text, and how to colour it once it has its width. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

const GAP = 2;
/** No flexible column gets narrower than this. */
const LEAST = 6;

/** Lines without line ends. Texts are made printable. `indent`: columns before the first cell. */
export function tableLines(
  rows: readonly (readonly Cell[])[],
  columns: readonly Column[],
  style: Style,
  indent = 2,
): string[] {
  const texts = rows.map((row) => columns.map((_, index) => printable(textOf(row[index] ?? ''))));
  const wanted = columns.map((column, index) =>
    Math.max(textWidth(column.header ?? ''), ...texts.map((row) => textWidth(row[index] ?? ''))),
  );
  const widths = fitWidths(wanted, columns, style.width - indent - GAP * (columns.length - 1));
  const margin = ' '.repeat(indent);
  const line = (cells: readonly string[], paints: readonly ((text: string) => string)[]) =>
    (
      margin +
      cells
        .map((cell, index) => {
          const width = widths[index] ?? 0;
          const short = shorten(cell, width, style.symbols.ellipsis);
          const isLast = index === cells.length - 1;
          const align = columns[index]?.align ?? 'left';
          const padded = isLast && align === 'left' ? short : padText(short, width, align);
          return (paints[index] ?? same)(padded);
        })
        .join(' '.repeat(GAP))
    ).trimEnd();

  const lines = rows.map((row, at) =>
    line(
      texts[at] ?? [],
      columns.map((_, index) => paintOf(row[index] ?? '')),
    ),
  );
  if (columns.every(({ header }) => header === undefined)) return lines;
  const headers = columns.map(({ header }) => header ?? '');
  return [
    line(
      headers,
      columns.map(() => style.dim),
    ),
    ...lines,
  ];
}

/** Takes what is too much from the widest flexible columns. */
function fitWidths(wanted: readonly number[], columns: readonly Column[], room: number): number[] {
  const widths = [...wanted];
  const sum = () => widths.reduce((total, width) => total + width, 0);
  while (sum() > room) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const width = widths[index] ?? 0;
      if (column.flexible === true && width > LEAST && width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

const same = (text: string) => text;

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function paintOf(cell: Cell): (text: string) => string {
  return typeof cell === 'string' ? same : cell.paint;
}
