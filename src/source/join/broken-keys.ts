/** Which tickets a row names that cannot be read: enough of it often can, and its ticket must not go without it. */
import type { SourceFile } from '../../domain/source-file.ts';
import type { KeySpec } from '../../domain/stage-plan.ts';
import { columnIndex, joinKey, keyText } from './key-reader.ts';

/**
 * The key of a CSV record is looked for in each of its lines: a stray quote makes one record of several. None where the
 * defect stands before the key.
 */
export function keysInBroken(text: string, columns: KeySpec, file: SourceFile): string[] {
  const keys =
    file.format === 'csv'
      ? text.split(/\r\n|\r|\n/).map((line) => csvKey(line, columns, file))
      : [jsonKey(text, columns)];
  return [...new Set(keys.filter((key) => key !== ''))];
}

function csvKey(line: string, columns: KeySpec, file: SourceFile): string {
  const indexes = columns.map((column) => columnIndex(file.shape.header ?? [], column));
  const cells = leadingCells(line, file.delimiter ?? ',', Math.max(...indexes) + 1);
  return joinKey(indexes.map((index) => cells[index]?.trim() ?? ''));
}

/** The cells before the first one that is not well-formed, at most `count`. */
function leadingCells(line: string, delimiter: string, count: number): string[] {
  const cells: string[] = [];
  for (let at = 0; cells.length < count && at <= line.length; ) {
    const quoted = line[at] === '"' ? /"((?:[^"]|"")*)"/y : undefined;
    if (quoted !== undefined) {
      quoted.lastIndex = at;
      const [whole, inner = ''] = quoted.exec(line) ?? [];
      if (whole === undefined) break;
      at += whole.length;
      if (at < line.length && line[at] !== delimiter) break;
      cells.push(inner.replaceAll('""', '"'));
    } else {
      const end = line.indexOf(delimiter, at);
      const cell = line.slice(at, end < 0 ? line.length : end);
      if (cell.includes('"')) break;
      cells.push(cell);
      at += cell.length;
    }
    at++;
  }
  return cells;
}

/** By the names of its keys, wherever they stand in the record. */
function jsonKey(text: string, columns: KeySpec): string {
  const parts = columns.map((column) => {
    const name = JSON.stringify(column.split('.').at(-1)).replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
    const found = new RegExp(`${name}\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"|-?\\d+)\\s*[,}\\]\\n]`).exec(text)?.[1];
    if (found === undefined) return '';
    try {
      return keyText(JSON.parse(found));
    } catch {
      return '';
    }
  });
  return joinKey(parts);
}
