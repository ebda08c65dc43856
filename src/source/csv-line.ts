/** One record of a CSV as it is written: its cells, their places, and stray quotes. */

/** Indexes into the text of a record; where both are the same, a value is missing there. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Cells with their quotes; `isRegular`: its quotes open and close it, or are doubled in it. */
function* cellsIn(text: string, delimiter: string): Generator<Span & { readonly isRegular: boolean }> {
  for (let start = 0; ; ) {
    const isQuoted = text[start] === '"';
    const close = isQuoted ? closingQuote(text, start) : start;
    const found = close < 0 ? -1 : text.indexOf(delimiter, close);
    const end = found < 0 ? text.length : found;
    const isRegular = isQuoted ? close >= 0 && end === close + 1 : !text.slice(start, end).includes('"');
    yield { start, end, isRegular };
    if (end === text.length) return;
    start = end + 1;
  }
}

/** Index of the quote that closes the cell which `open` opens; a doubled one does not. -1 if the cell stays open. */
function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}

/** Whether every quote opens or closes a cell, or is doubled in one. */
export function isRegular(record: string, delimiter: string): boolean {
  if (!record.includes('"')) return true;
  for (const cell of cellsIn(record, delimiter)) if (!cell.isRegular) return false;
  return true;
}

/** Where the cell with this index is in a record; undefined if the record is shorter. */
export function cellSpan(text: string, delimiter: string, index: number): Span | undefined {
  let at = 0;
  for (const { start, end } of cellsIn(text, delimiter)) if (at++ === index) return { start, end };
  return undefined;
}

/** The quote that opens a cell and is not closed properly, to the end of its line; undefined where every quote is. */
export function strayQuote(text: string, delimiter: string): Span | undefined {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  for (const { start, isRegular } of cellsIn(line, delimiter))
    if (!isRegular && line[start] === '"') return { start, end: line.length };
  return undefined;
}

/** A record as it is written: a cell in quotes where it has to be. */
export function csvLine(cells: readonly string[], delimiter: string): string {
  const needsQuotes = (cell: string) => /["\r\n]/.test(cell) || cell.includes(delimiter);
  return cells.map((cell) => (needsQuotes(cell) ? quoted(cell) : cell)).join(delimiter);
}

export function quotedLine(cells: readonly string[], delimiter: string): string {
  return cells.map(quoted).join(delimiter);
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

/** Physical lines that end in a text: by LF, CRLF or a CR alone, as editors count them. */
export function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  if (!text.includes('\r')) return count;
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1))
    if (text[at + 1] !== '\n') count++;
  return count;
}
