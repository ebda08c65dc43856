/** Pages of an API that say themselves that there are more, or how many records there are in all. */
import type { Problem } from '../domain/problem.ts';
import type { JsonObject } from '../domain/source.ts';
import { isJsonObject, valueAt } from '../domain/source-file.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { ReviewedSource } from './findings.ts';
import { baseName } from './staged-tables.ts';

const HOLDERS = /^_?(?:meta|metadata|links?|page|paging|pagination|pageinfo|responsemetadata|cursor)$/;
const MORE = /^(?:has)?(?:more|next)(?:page)?s?$/;
const LAST = /^(?:is)?(?:last|lastpage|done|endofstream)$/;
const NEXT =
  /^(?:next|nextpage|nextpageurl|nexturl|nextlink|nextcursor|nextpagetoken|nextrecordsurl|odatanextlink)$/;
const TOTAL = /^(?:count|total|(?:total|count)(?:count|size|elements|results|records|items)|odatacount)$/;

interface Said {
  /** Undefined if it does not say. */
  more: boolean | undefined;
  total: number;
}

function saidBy(document: JsonObject, said: Said = { more: undefined, total: 0 }, depth = 0): Said {
  let flag: boolean | undefined;
  for (const [key, value] of Object.entries(document)) {
    const name = key.toLowerCase().replace(/[^a-z]/g, '');
    const isEmpty =
      value === null || value === '' || (isJsonObject(value) && Object.keys(value).length === 0);
    if (typeof value === 'boolean' && (MORE.test(name) || LAST.test(name))) flag = value === MORE.test(name);
    else if (NEXT.test(name) && typeof value !== 'number' && !Array.isArray(value)) said.more ??= !isEmpty;
    else if (TOTAL.test(name) && typeof value === 'number') said.total = Math.max(said.total, value);
    else if (isJsonObject(value) && HOLDERS.test(name) && depth === 0) saidBy(value, said, 1);
  }
  if (flag !== undefined) said.more = flag;
  return said;
}

/** Lists of a kind of document; the longest one is counted, as others are records that belong to it. */
export function missingPages({ files, detection }: Pick<ReviewedSource, 'files' | 'detection'>): Problem[] {
  const kinds = new Map<string, { name: string; pages: number; more: number; rows: number; total: number }>();
  const inputs = detection.plan.tables.flatMap((table) => table.inputs);
  for (const { id, name, collections } of files.files) {
    const paths = inputs.flatMap(({ file, selector }) =>
      file === id && selector?.path ? [selector.path] : [],
    );
    const documents = collections?.find(({ path }) => path === undefined)?.sample ?? [];
    for (const document of paths.length === 0 ? [] : documents) {
      const lists = paths.map((path) => valueAt(document, path));
      const rows = Math.max(...lists.map((list) => (Array.isArray(list) ? list.length : -1)));
      if (rows < 0) continue;
      const kind = paths.map((path) => path.join('.')).join(' ');
      const known = kinds.get(kind) ?? { name: baseName(name), pages: 0, more: 0, rows: 0, total: 0 };
      const { more, total } = saidBy(document);
      kinds.set(kind, known);
      known.pages++;
      known.more += Number(more === true);
      known.rows += rows;
      known.total = Math.max(known.total, total);
    }
  }
  return [...kinds.values()].flatMap(({ name, pages, more, rows, total }) => {
    if (rows >= total && more < pages) return [];
    const kind = rows < total ? 'pages' : 'next-page';
    return [
      problemOf(`incomplete-thread:${kind}`, { name, total, has: rows }, { count: 1, field: 'source.files' }),
    ];
  });
}
