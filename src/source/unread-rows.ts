/** Rows that no table of the plan reads: of whole files, of lists beside others, of streams and kinds among others. */
import type { Database } from '../domain/database.ts';
import type { JoinInput, JoinPlan, SourceFile, UnreadRows } from '../domain/source-file.ts';
import type { StagedExport } from './open-export.ts';
import { LINES, pathName, type Stage, type Stretch } from './stage.ts';

type Path = readonly string[] | undefined;

const LOOKED_AT = 200;
const SENTENCE = '*? ?* ?* ?*';
const LEAST_SENTENCE = 30;

/** Unread rows by kind, once the rows of other tables have their keys. */
export function unreadRows(
  { files, stage }: StagedExport,
  plan: JoinPlan,
  signal: AbortSignal,
): UnreadRows[] {
  const inputs = Map.groupBy(
    plan.tables.flatMap((table) => table.inputs),
    ({ file }) => file,
  );
  return files.flatMap((file) => {
    const taken = inputs.get(file.id) ?? [];
    const lists = pathsOf(file, taken).flatMap((path) => {
      // Lists of paged lines are staged when they are first asked for.
      if (path !== undefined) for (const _ of file.records({ path }, signal)) break;
      const stretch = stage.stretch(file.id, pathName(path));
      return stretch === undefined ? [] : rowsAt(path, file, taken, stage.database, stretch);
    });
    return [...lists, ...framesOf(file, taken, stage)];
  });
}

const isWithin = (path: Path, outer: Path) => (outer ?? []).every((key, at) => path?.[at] === key);

function pathsOf({ format, collections = [] }: SourceFile, taken: readonly JoinInput[]): Path[] {
  const paths: Path[] = collections.map(({ path }) => path);
  const lists = paths.filter((path) => path !== undefined);
  if (taken.length === 0)
    return format === 'json' && lists.length > 0
      ? lists.filter((path) => !lists.some((outer) => outer !== path && isWithin(path, outer)))
      : [undefined];
  return [undefined, ...lists].filter((path) => {
    const same = taken.filter(({ selector }) => pathName(selector?.path) === pathName(path));
    if (same.length > 0) return same.every(({ selector }) => selector?.where !== undefined);
    return (
      path !== undefined &&
      !taken.some(({ selector }) => isWithin(path, selector?.path) || isWithin(selector?.path, path))
    );
  });
}

function rowsAt(
  path: Path,
  { name: file }: SourceFile,
  taken: readonly JoinInput[],
  database: Database,
  stretch: Stretch,
): UnreadRows[] {
  const same = taken.find(({ selector }) => pathName(selector?.path) === pathName(path));
  const { type = null, where } = same?.selector ?? {};
  const kind = where === undefined ? 'NULL' : `${READABLE} ->> $kind`;
  const isUnread =
    where === undefined
      ? ''
      : `AND ($type IS NULL OR ${READABLE} ->> 'type' = $type) AND id NOT IN (SELECT row FROM key)`;
  const found = database
    .prepare<[object], { kind: string | null; rows: number; first: string }>(
      `SELECT kind, count(*) AS rows, json_group_array(id) FILTER (WHERE place <= ${LOOKED_AT}) AS first
      FROM (SELECT id, kind, row_number() OVER (PARTITION BY kind ORDER BY id) AS place FROM (
        SELECT id, ${kind} AS kind FROM row WHERE id BETWEEN $first AND $last AND file = $file AND path = $path ${isUnread}))
      GROUP BY kind`,
    )
    .all({ ...stretch, ...(where && { type, kind: jsonPath(where.path) }) });
  return found.map(({ kind, rows, first }) => {
    return { file, list: kind ?? path?.join('.') ?? '', rows, ...looked(database, first) };
  });
}

/** Words, a name or an address: no number, link, code, token or time. */
const SAID = /\p{L}\s+\p{L}|^\p{Lu}\p{Ll}+$|^[^\s@/]+@[^\s@/]+$|[^\x20-\x7e]/u;

/** Values of documents beside the lists that tables read. */
function framesOf(
  { id: file, name, format }: SourceFile,
  taken: readonly JoinInput[],
  stage: Stage,
): UnreadRows[] {
  const lists = taken.flatMap(({ selector }) => selector?.path ?? []);
  const stretch = stage.stretch(file, LINES);
  if (format === 'csv' || stretch === undefined || lists.length === 0 || lists.length < taken.length)
    return [];
  const found = stage.database
    .prepare<[object], { key: string; text: string; rows: number }>(
      `SELECT substr(fullkey, 3) AS key, substr(atom, 1, ${LOOKED_AT}) AS text, count(*) AS rows
      FROM row, json_tree(${READABLE}) AS cell
      WHERE row.id BETWEEN $first AND $last AND row.file = $file AND row.path = $path
        AND cell.type = 'text' AND fullkey NOT GLOB '*[[]*' GROUP BY 1, 2 LIMIT ${LOOKED_AT}`,
    )
    .all(stretch)
    .filter(({ text }) => SAID.test(text));
  return [...Map.groupBy(found, ({ key }) => key)].map(([list, texts]) => {
    const rows = texts.reduce((sum, each) => sum + each.rows, 0);
    return { file: name, list, rows, text: 0, joins: false, isFrame: true };
  });
}

const READABLE = `iif(json_valid(row.text), row.text, 'null')`;

const jsonPath = (keys: readonly string[]) => `$${keys.map((key) => `.${JSON.stringify(key)}`).join('')}`;

function looked(database: Database, rows: string): Pick<UnreadRows, 'text' | 'joins'> {
  const cells = `SELECT sum(iif(length(atom) >= ${LEAST_SENTENCE} AND atom GLOB '${SENTENCE}', length(atom), 0)) AS text,
    count(DISTINCT atom) AS words,
    count(DISTINCT iif(EXISTS (SELECT 1 FROM joined WHERE key = CAST(atom AS TEXT)), atom, NULL)) AS tickets
    FROM row, json_tree(${READABLE}) AS cell
    WHERE row.id IN (SELECT value FROM json_each(?)) AND cell.type IN ('text', 'integer', 'real') AND atom <> ''
      AND substr(fullkey, 3) NOT GLOB '*[[]*' GROUP BY fullkey`;
  const found = database
    .prepare<[string], { text: number; joins: number }>(
      `SELECT total(text) AS text, coalesce(max(tickets >= 2 AND 2 * tickets >= words), 0) AS joins FROM (${cells})`,
    )
    .get(rows);
  return { text: found?.text ?? 0, joins: found?.joins === 1 };
}
