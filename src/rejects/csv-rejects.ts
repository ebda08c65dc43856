/** Rows of a CSV with a reason behind the source's own columns. */
const QUOTE = 34;

/** A header as CSV. Its cells are quoted where they must be. */
export function csvHeader(header: readonly string[], delimiter: string): string {
  return [...header, '_reason'].map((cell) => csvCell(cell, delimiter)).join(delimiter);
}

/**
 * The record with its reason in the column behind the header: a row that is too short is filled up, and in one that is
 * too long the reason stands before the cells that have no column. Every other byte is the source's own.
 */
export function csvRowWithReason(raw: Buffer, reason: string, delimiter: string, columns: number): Buffer {
  const ends = cellEnds(raw, delimiter.charCodeAt(0));
  const cell = csvCell(reason, delimiter);
  if (ends.length <= columns) {
    return Buffer.concat([raw, Buffer.from(delimiter.repeat(columns - ends.length + 1) + cell, 'utf8')]);
  }
  const at = ends[columns - 1] ?? 0;
  return Buffer.concat([raw.subarray(0, at), Buffer.from(delimiter + cell, 'utf8'), raw.subarray(at)]);
}

function csvCell(text: string, delimiter: string): string {
  if (!text.includes(delimiter) && !/["\r\n]/.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}

/** Index behind the last byte of each cell. A quote opens at the beginning of a cell only; a doubled one is a character. */
function cellEnds(raw: Buffer, delimiter: number): number[] {
  const ends: number[] = [];
  for (let at = 0; ; at++) {
    if (raw[at] === QUOTE) {
      at++;
      while (at < raw.length && !(raw[at] === QUOTE && raw[at + 1] !== QUOTE))
        at += raw[at] === QUOTE ? 2 : 1;
    }
    const found = at < raw.length ? raw.indexOf(delimiter, at) : -1;
    if (found < 0) {
      ends.push(raw.length);
      return ends;
    }
    ends.push(found);
    at = found;
  }
}
