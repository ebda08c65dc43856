/** Plain tables for a terminal, which read as Markdown too. */

export type Cell = string | number;

export function printTable(header: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const texts = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const [first, ...rest] = texts;
  console.log(line(first ?? []));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const row of rest) console.log(line(row));
  console.log('');
}

export function title(text: string): void {
  console.log(`\n## ${text}\n`);
}

export function fixed(figure: number, digits = 2): string {
  return Number.isFinite(figure) ? figure.toFixed(digits) : '–';
}

export function whole(figure: number): string {
  return Number.isFinite(figure) ? Math.round(figure).toLocaleString('en') : '–';
}

export function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}
