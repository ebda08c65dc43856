/** The file of rejects: rows that were not taken, in the source's own columns, each with its event ID and the reason. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { REASON } from '../domain/source.ts';
import { csvLine } from '../source/csv.ts';
import { EVENT_ID, MADE } from './usage-event.ts';
import type { UsageList } from './usage-list.ts';
import type { UsageRows } from './usage-rows.ts';

/**
 * Returns the path of the rejects; undefined where no row is wrong. People correct rows there, so an existing file is never
 * replaced: with the same content it stays, else a number is added to the name. Throws AppError `disk-write`.
 */
export function writeRejects(path: string, rows: UsageRows, list: UsageList): string | undefined {
  const draft = join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    fs.mkdirSync(dirname(path), { recursive: true });
    const file = fs.openSync(draft, 'wx', 0o600);
    let isEmpty = true;
    try {
      for (const line of isCsv(rows) ? csvLines(rows, list) : jsonLines(rows, list)) {
        fs.writeSync(file, `${line}\n`);
        isEmpty = false;
      }
    } finally {
      fs.closeSync(file);
    }
    if (isEmpty) return undefined;
    const end = extname(path);
    let name = path;
    for (
      let number = 2;
      fs.existsSync(name) && !fs.readFileSync(name).equals(fs.readFileSync(draft));
      number++
    )
      name = `${path.slice(0, path.length - end.length)}-${number}${end}`;
    fs.renameSync(draft, name);
    return name;
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error && 'code' in error)) throw error;
    throw new AppError('disk-write', `The rejects cannot be written to ${path} (${String(error.code)}).`, {
      hint: 'Free up space or name another file with --rejects, then run the same command again.',
      cause: error,
    });
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** Else the rejects are JSONL. */
export function isCsv({ files }: UsageRows): boolean {
  return files.every(({ format }) => format === 'csv');
}

/** With the columns of all files; a name that a header repeats is as many columns. */
function* csvLines({ files, again }: UsageRows, list: UsageList): Generator<string> {
  const keysOf = (header: readonly string[]) =>
    header.map((name, at) => `${header.slice(0, at).filter((other) => other === name).length} ${name}`);
  const byFile = files.map(({ outline }) => keysOf(outline.header ?? []));
  const own = [...new Set(byFile.flat())].filter((key) => key !== `0 ${EVENT_ID}`);
  let start = `\ufeff${csvLine([...own.map((key) => key.slice(key.indexOf(' ') + 1)), EVENT_ID, REASON], ',')}\n`;
  for (const { id, reason, ...ref } of list.wrong()) {
    const cells = again(ref)?.cells ?? [];
    const found = new Map(byFile[ref.file]?.map((key, at) => [key, cells[at] ?? '']));
    yield start + csvLine([...own.map((key) => found.get(key) ?? ''), made(id), reason ?? ''], ',');
    start = '';
  }
}

function* jsonLines({ again }: UsageRows, list: UsageList): Generator<string> {
  for (const { id, reason, ...ref } of list.wrong())
    yield JSON.stringify({ ...again(ref)?.object, [EVENT_ID]: made(id) || undefined, [REASON]: reason });
}

/** Other IDs are in the row. */
function made(id: string | null): string {
  return id?.startsWith(MADE) === true ? id : '';
}
