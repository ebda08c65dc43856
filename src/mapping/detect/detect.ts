/**
 * Which layout an export has, from columns and shape, never from file names alone, and how its tables join. Without one, or
 * with two, the run stops with what to do.
 */

import { AppError } from '../../domain/errors.ts';
import type { JoinPlan, SourceFile } from '../../domain/source-file.ts';
import { stop } from '../../domain/text/stops.ts';
import { type Layout, rootTableOf } from '../language/layout.ts';
import { type Collection, collectionsOf, spelledAs } from './collections.ts';
import {
  joinPlan,
  knownShare,
  lackingColumns,
  type Recognised,
  recogniseTable,
  unknownColumns,
  wordsOf,
} from './recognise.ts';

export interface Detection {
  readonly layout: Layout;
  readonly confidence: number;
  readonly reasons: readonly string[];
  readonly plan: JoinPlan;
  readonly tables: readonly {
    readonly name: string;
    readonly role: string;
    readonly files: readonly string[];
  }[];
  readonly unknown: readonly string[];
  readonly unused: readonly { readonly file: number; readonly name: string }[];
}

interface Fit extends Pick<Detection, 'layout' | 'confidence' | 'unused'> {
  readonly matches: ReadonlyMap<string, readonly Recognised[]>;
}

const TIE = 0.02;

/** No layout reads the export. */
export class UnknownLayout extends AppError {}

/** `from`: the user's layout, which has to fit. Throws AppError `source`. */
export function detectLayout(
  files: readonly SourceFile[],
  layouts: readonly Layout[],
  from?: string,
): Detection {
  const collections = files.flatMap(collectionsOf);
  const fits = layouts
    .flatMap((layout) => fitLayout(layout, collections, files) ?? [])
    .sort((a, b) => b.confidence - a.confidence);
  const [best, second] = from === undefined ? fits.filter((fit) => isAnswer(fit, files)) : fits;
  if (best === undefined)
    throw collections.length === 0 ? noRecords(files) : unknownLayout(collections, layouts, from, fits[0]);
  if (second !== undefined && best.confidence - second.confidence < TIE) {
    const names = [best, second].map(({ layout: { name, title } }) => `${name} (${title})`);
    throw stop('two-layouts', {
      layouts: names.join(' and '),
      one: best.layout.name,
      other: second.layout.name,
    });
  }
  return describe(best);
}

/** A layout of tickets alone is no answer while most files are left over: they may be the messages. */
function isAnswer({ matches, unused }: Fit, { length }: readonly SourceFile[]): boolean {
  return matches.size > 1 || unused.length <= length / 2;
}

function fitLayout(
  layout: Layout,
  collections: readonly Collection[],
  files: readonly SourceFile[],
): Fit | undefined {
  const matches = new Map<string, Recognised[]>();
  let taken: Collection[] = [];
  for (const written of collections) {
    const collection = spelledAs(wordsOf(layout), written);
    if (taken[0]?.file !== collection.file) taken = [];
    // Lists inside these records are no tables of their own.
    if (taken.some((outer) => contains(outer, collection))) continue;
    const found = Object.keys(layout.tables).flatMap((name) =>
      recogniseTable(layout, name, collection).map((match) => ({ name, match })),
    );
    // Tables that name their records share a collection; else the best one gets it.
    const sharing = found.filter(
      ({ match }) => match.collection.selector?.where !== collection.selector?.where,
    );
    const best = found.toSorted((a, b) => b.match.points - a.match.points).slice(0, 1);
    if (best.length > 0) taken.push(collection);
    for (const { name, match } of sharing.length > 0 ? sharing : best)
      if (matches.get(name)?.push(match) === undefined) matches.set(name, [match]);
  }
  const roots = matches.get(rootTableOf(layout));
  if (roots === undefined) return undefined;
  const used = new Set([...matches.values()].flat().map((match) => match.collection.file));
  const unused = files.filter(({ id }) => !used.has(id)).map(({ id, name }) => ({ file: id, name }));
  // How specific the ticket columns are, the share of known columns, and the number of files used.
  const points = Math.max(...roots.map((match) => match.points));
  const shares = roots.map(({ collection }) => knownShare(layout, rootTableOf(layout), collection));
  const known = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const fit = 0.4 + 0.35 * known + Math.min(0.2, 0.04 * points) + Math.min(0.05, 0.02 * (matches.size - 1));
  const covered = 1 - unused.length / files.length;
  const confidence = fit * (0.7 + 0.3 * covered);
  return { layout, matches, unused, confidence: Math.round(confidence * 1000) / 1000 };
}

function contains(outer: Collection, inner: Collection): boolean {
  if (outer === inner || outer.stream !== undefined || inner.stream !== undefined) return false;
  if (inner.path === undefined || outer.path === undefined) return outer.path === undefined;
  return inner.path.length > outer.path.length && outer.path.every((key, at) => inner.path?.[at] === key);
}

function describe({ layout, confidence, matches, unused }: Fit): Detection {
  const tables = [...matches].map(([name, found]) => {
    const files = [...new Set(found.map(({ collection }) => collection.name))];
    return { name, role: layout.tables[name]?.role ?? 'child', files };
  });
  const reasons = tables.map(({ name, files }) => {
    const found = matches.get(name) ?? [];
    const columns = found[0]?.columns ?? [];
    const by = columns.length === 0 ? 'by its place' : `by ${columns.join(', ')}`;
    const stream = found.flatMap((match) => match.collection.stream ?? [])[0];
    const where = files.length <= 3 ? files.join(', ') : `${files.length} files`;
    return `${name}: ${where}${stream === undefined ? '' : ` (stream ${stream})`}, known ${by}`;
  });
  const root = rootTableOf(layout);
  const unknown = (matches.get(root) ?? []).flatMap(({ collection }) =>
    unknownColumns(layout, root, collection),
  );
  const plan = joinPlan(layout, matches);
  return { layout, confidence, reasons, plan, tables, unknown: [...new Set(unknown)], unused };
}

function noRecords(files: readonly SourceFile[]): AppError {
  const [first, ...others] = files.filter(({ unreadable }) => unreadable !== undefined);
  if (first === undefined) return new AppError('source', 'The export has no records.');
  return stop(
    'no-readable-record',
    { file: first.name, why: first.unreadable },
    { lines: others.map(({ name, unreadable }) => `${name}: ${unreadable}`) },
  );
}

const OF_ERRORS =
  /^(?:errors?|error_\w+|code|status|message|title|details?|description|type|documentation_url|request_id)(?:$|\.)/i;

const SHOWN = 12;

/** The files found, the gaps of the nearest layouts, and the advice. */
function unknownLayout(
  collections: readonly Collection[],
  layouts: readonly Layout[],
  from: string | undefined,
  fit: Fit | undefined,
): UnknownLayout {
  const lines = collections.slice(0, SHOWN).map(({ name, columns, stream, path }) => {
    const more = columns.length > SHOWN ? `, … (${columns.length})` : '';
    const at = stream ?? path?.join('.') ?? '';
    const shown = `${name}${at === '' ? '' : ` at ${at}`}: ${columns.slice(0, SHOWN).join(', ')}${more}`;
    const isError =
      columns.every((column) => OF_ERRORS.test(column)) && columns.some((column) => /^err/i.test(column));
    return isError
      ? `${shown}. This is an error of the old helpdesk's API, and no data: export it again`
      : shown;
  });
  if (fit !== undefined) {
    const { name, title } = fit.layout;
    const files = fit.unused.slice(0, 3).map((file) => file.name);
    const more = fit.unused.length > 3 ? ', …' : '';
    lines.push(
      `${name} (${title}) would leave ${files.join(', ')}${more} unread; --from ${name} takes it all the same`,
    );
  }
  const near = layouts.flatMap((layout) => {
    const lacking = collections.map((collection) => lackingColumns(layout, collection));
    const [missing] = lacking.filter(({ length }) => length > 0).toSorted((a, b) => a.length - b.length);
    return missing === undefined ? [] : [{ layout, missing }];
  });
  const needs = near
    .toSorted((a, b) => a.missing.length - b.missing.length)
    .slice(0, 3)
    .map(({ layout, missing }) => `${layout.name} (${layout.title}) would need ${missing.join(', ')}`);
  const message =
    from === undefined ? 'This export has no known layout.' : `This export does not fit the layout ${from}.`;
  return new UnknownLayout('source', message, {
    lines: [...lines, ...needs],
    hint: 'Run `helpdesk-import init` with these files: it proposes a mapping for them.',
  });
}
