export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `isRegular`: quotes open and close the cell, or are doubled. */
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

/** -1 if the cell stays open. */
function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}

export interface Cells {
  readonly cells: string[];
  /** Quotes of a regular record: as `csvLine` writes it (null), around every cell (1), or otherwise. */
  readonly quoting?: 1 | null | 'mixed' | undefined;
}

/** With its line end; undefined for a stray quote. */
export function regularRecord(
  text: string,
  start: number,
  { delimiter, lineEnd }: { readonly delimiter: string; readonly lineEnd: string },
): (Cells & { readonly end: number }) | undefined {
  const cells: string[] = [];
  let [isNeeded, isEach] = [true, true];
  let line = text.indexOf(lineEnd, start);
  for (let at = start; ; at++) {
    let end: number;
    if (text[at] === '"') {
      const close = closingQuote(text, at);
      if (close < 0) return undefined;
      if (line >= 0 && line < close) line = text.indexOf(lineEnd, close);
      const cell = text.slice(at + 1, close);
      isNeeded &&= needsQuotes(cell, delimiter);
      cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell);
      end = close + 1;
    } else {
      const rest = text.slice(at, line < 0 ? text.length : line);
      const next = rest.indexOf(delimiter);
      end = at + (next < 0 ? rest.length : next);
      if (end === line && lineEnd === '\n' && end > at && text[end - 1] === '\r') end--;
      const cell = text.slice(at, end);
      if (cell.includes('"')) return undefined;
      isEach = false;
      isNeeded &&= !cell.includes('\r');
      cells.push(cell);
    }
    if (text[end] === delimiter) {
      at = end;
      continue;
    }
    if (lineEnd === '\n' && text[end] === '\r' && end + 1 === line) end = line;
    if (end !== text.length && end !== line) return undefined;
    return { cells, quoting: isNeeded ? null : isEach ? 1 : 'mixed', end: end === line ? end + 1 : end };
  }
}

export function isRegular(record: string, delimiter: string): boolean {
  if (!record.includes('"')) return true;
  for (const cell of cellsIn(record, delimiter)) if (!cell.isRegular) return false;
  return true;
}

export function cellSpan(text: string, delimiter: string, index: number): Span | undefined {
  let at = 0;
  for (const { start, end } of cellsIn(text, delimiter)) if (at++ === index) return { start, end };
  return undefined;
}

/** To the end of its line; undefined without a stray quote. */
export function strayQuote(text: string, delimiter: string): Span | undefined {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  for (const { start, isRegular } of cellsIn(line, delimiter))
    if (!isRegular && line[start] === '"') return { start, end: line.length };
  return undefined;
}

export function csvLine(cells: readonly string[], delimiter: string): string {
  return cells.map((cell) => (needsQuotes(cell, delimiter) ? quoted(cell) : cell)).join(delimiter);
}

function needsQuotes(cell: string, delimiter: string): boolean {
  return /["\r\n]/.test(cell) || cell.includes(delimiter);
}

export function quotedLine(cells: readonly string[], delimiter: string): string {
  return cells.map(quoted).join(delimiter);
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

/** By LF, CRLF or a CR alone, as editors count them. */
export function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  if (!text.includes('\r')) return count;
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1))
    if (text[at + 1] !== '\n') count++;
  return count;
}
