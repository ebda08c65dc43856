/** Writing CSV for tests: a cell is quoted only where it must be, as spreadsheets do. */

export interface CsvStyle {
  readonly delimiter?: string;
  readonly lineEnd?: string;
}

export function csvCell(value: string, delimiter = ','): string {
  return value.includes(delimiter) || /["\r\n]|^\s|\s$/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : value;
}

/** One row with its line end. */
export function csvRow(cells: readonly string[], { delimiter = ',', lineEnd = '\n' }: CsvStyle = {}): string {
  return cells.map((cell) => csvCell(cell, delimiter)).join(delimiter) + lineEnd;
}

/** A table of records; a column that a record does not have is an empty cell. */
export function csvTable(
  columns: readonly string[],
  records: readonly Readonly<Record<string, string | undefined>>[],
  style: CsvStyle = {},
): string {
  return [columns, ...records.map((record) => columns.map((column) => record[column] ?? ''))]
    .map((cells) => csvRow(cells, style))
    .join('');
}
