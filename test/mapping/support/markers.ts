/** A word that nothing else holds, put into each filled cell of one column at a time. */
import { parse } from 'csv-parse/sync';

const EXTENSION = /\.(png|jpe?g|pdf|txt|gif|mp3|csv|docx?)(?:[?#]|$)/i;

/** A value of the same kind, and what to look for; undefined: only the change can be seen. */
export function markedValue(value: unknown, n: number): readonly [value: unknown, seek: string | undefined] {
  const word = `zqm${n}q`;
  if (typeof value === 'boolean') return [!value, undefined];
  if (typeof value === 'number') {
    if (value > 1e9 && value < 3e9) return [1_370_000_000 + n * 60, '2013-'];
    if (value > 1e12 && value < 3e12) return [1_370_000_000_000 + n * 60_000, '2013-'];
    return [77_000_000 + n, String(77_000_000 + n)];
  }
  const text = String(value);
  const bare = text.trim();
  if (/^(?:true|false)$/i.test(bare)) return [/true/i.test(bare) ? 'false' : 'true', undefined];
  if (/^\d{4}-\d\d-\d\d/.test(bare)) return [text.replace(/^\s*\d{4}/, '2013'), '2013-'];
  if (/^\d{10}$/.test(bare) && Number(bare) > 1e9) return [String(1_370_000_000 + n * 60), '2013-'];
  if (/^\d{13}$/.test(bare)) return [String(1_370_000_000_000 + n * 60_000), '2013-'];
  const day = /^(\d{1,2}[./-](?:\d{1,2}|[A-Za-z]{3})[./-])(\d{4}|\d{2})(?=\s|$)/.exec(bare);
  if (day) return [bare.replace(day[0], `${day[1]}${day[2]?.length === 4 ? '2013' : '13'}`), '2013-'];
  if (/^-?\d+$/.test(bare)) return [String(77_000_000 + n), String(77_000_000 + n)];
  if (/^(?:mailto:)?[^\s@<>]+@[^\s@<>]+\.[a-z]+$/i.test(bare)) return [`${word}@marker.example`, word];
  if (/^[^<>]*<[^\s@<>]+@[^\s@<>]+>$/.test(bare)) return [`Nn <${word}@marker.example>`, word];
  if (/^https?:\/\//i.test(bare))
    return [`https://marker.example/${word}${EXTENSION.exec(bare)?.[0] ?? ''}`, word];
  return [/^\s*<[a-z!]/i.test(bare) ? `<p>${word}</p>` : word, word];
}

type Change = (value: unknown, n: number) => unknown;

/** The columns of a file by path, and the file with one of them changed. */
export interface Columns {
  readonly names: readonly string[];
  written(column: string, change: Change): string;
}

export function columnsIn(name: string, text: string): Columns {
  if (/\.(?:jsonl|ndjson)$/.test(name)) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return ofDocuments(
      lines.map((line) => JSON.parse(line)),
      (all) => all.map((each) => JSON.stringify(each)).join('\n'),
    );
  }
  if (name.endsWith('.json')) return ofDocuments([JSON.parse(text)], ([all]) => JSON.stringify(all));
  return ofCsv(text);
}

function ofDocuments(all: readonly unknown[], written: (all: readonly unknown[]) => string): Columns {
  const names = new Set<string>();
  for (const each of all) pathsIn(each, '', names);
  return {
    names: [...names],
    written: (column, change) => {
      let n = 0;
      return written(all.map((each) => changed(each, '', column, (value) => change(value, n++))));
    },
  };
}

function ofCsv(text: string): Columns {
  const [first = ''] = text.split(/\r?\n/);
  const [delimiter = ','] = [',', ';', '\t', '|'].toSorted(
    (a, b) => first.split(b).length - first.split(a).length,
  );
  const rows: string[][] = parse(text, {
    delimiter,
    relax_column_count: true,
    bom: true,
    relax_quotes: true,
  });
  const [header = [], ...cells] = rows;
  const isFilled = (at: number) => cells.some((row) => row[at] !== undefined && row[at].trim() !== '');
  return {
    names: header.flatMap((name, at) => (isFilled(at) ? [`${at}#${name}`] : [])),
    written: (column, change) => {
      let n = 0;
      const place = Number(column.split('#')[0]);
      const quoted = (cell: string) => (/["\n\r,;\t|]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
      const marked = (cell: string) => {
        const held = /^\s*[[{]/.test(cell) ? JSON.parse(cell) : undefined;
        if (held === undefined) return String(change(cell, n++));
        return JSON.stringify(changed(held, '', '*', (value) => change(value, n++)));
      };
      return rows
        .map((row, line) =>
          row
            .map((cell, at) => quoted(line === 0 || at !== place || cell.trim() === '' ? cell : marked(cell)))
            .join(delimiter),
        )
        .join('\n');
    },
  };
}

function pathsIn(value: unknown, path: string, names: Set<string>): void {
  if (value === null || value === undefined || value === '') return;
  if (Array.isArray(value)) for (const each of value) pathsIn(each, `${path}[]`, names);
  else if (typeof value === 'object')
    for (const [key, inner] of Object.entries(value))
      pathsIn(inner, path === '' ? key : `${path}.${key}`, names);
  else names.add(path);
}

function changed(value: unknown, path: string, column: string, change: (value: unknown) => unknown): unknown {
  if (value === null || value === undefined || value === '') return value;
  if (Array.isArray(value)) return value.map((each) => changed(each, `${path}[]`, column, change));
  if (typeof value !== 'object') return column === '*' || path === column ? change(value) : value;
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, changed(inner, at(key), column, change)]),
  );
}
