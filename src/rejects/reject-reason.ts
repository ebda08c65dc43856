/**
 * A reason as it stands in a `_reason` column: one line, and never a formula. People open rejects in spreadsheets, where
 * a cell that begins with `=`, `+`, `-` or `@` is computed; reasons quote values of the export, so they are disarmed by
 * a word before them. The source's own cells stay as they are, byte for byte, because the folder is read again and must
 * give the same tickets; a cell of the source that looks like a formula was one in the export as well.
 */
const MAX_LENGTH = 1000;

export function reasonText(reason: string): string {
  const line = reason.replaceAll(/\p{Cc}+/gu, ' ').trim();
  const short = line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1).trimEnd()}…` : line;
  return /^[=+\-@]/.test(short) ? `Reason: ${short}` : short;
}
