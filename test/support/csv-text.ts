/** Writing CSV for tests: a cell is quoted only where it must be, as spreadsheets do. */

interface CsvStyle {
  readonly delimiter?: string;
  readonly lineEnd?: string;
}

function csvCell(value: string, delimiter = ','): string {
  return value.includes(delimiter) || /["\r\n]|^\s|\s$/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : value;
}

/** One row with its line end. */
export function csvRow(cells: readonly string[], { delimiter = ',', lineEnd = '\n' }: CsvStyle = {}): string {
  return cells.map((cell) => csvCell(cell, delimiter)).join(delimiter) + lineEnd;
}
