/**
 * Which layout an export has, told from its columns and shape, never from file names alone; and with it how its tables
 * join. An export that fits no layout, or two equally well, stops the run with what was found and what to do.
 */
import { AppError } from '../../domain/errors.ts';
import type { JoinPlan } from '../../domain/join-plan.ts';
import { didYouMean } from '../../domain/nearest.ts';
import type { Problem } from '../../domain/problem.ts';
import type { FileOutline } from '../../domain/source-file.ts';
import type { Layout } from '../language/layout.ts';
import { referencesOf } from '../language/references.ts';
import { type Collection, collectionsOf, hasColumn } from './collections.ts';
import { joinPlan } from './plan-tables.ts';
import {
  isRecognised,
  knownShare,
  mayBeTable,
  type Recognised,
  recogniseKinds,
  recogniseTable,
  unknownColumns,
} from './recognise.ts';

export interface DetectedTable {
  readonly name: string;
  readonly role: string;
  readonly files: readonly string[];
}

export interface Detection {
  readonly layout: Layout;
  /** 0 to 1. */
  readonly confidence: number;
  /** Why, in words: one sentence a table. */
  readonly reasons: readonly string[];
  readonly plan: JoinPlan;
  readonly tables: readonly DetectedTable[];
  /** Columns of the tickets that the layout does not know. */
  readonly unknown: readonly string[];
  /** Files that no table of the layout is in. */
  readonly unused: readonly { file: number; name: string }[];
  /** A warning for each of them. */
  readonly problems: readonly Problem[];
  readonly runnerUp:
    | { readonly name: string; readonly title: string; readonly confidence: number }
    | undefined;
}

/** A layout as it fits an export. */
interface Fit {
  readonly layout: Layout;
  readonly confidence: number;
  readonly matches: ReadonlyMap<string, readonly Recognised[]>;
}

/** Two layouts nearer to each other than this are a tie. */
const TIE = 0.02;

/** `from` names the layout, which then only has to fit. Throws AppError `source`, or `usage` for an unknown name. */
export function detectLayout(
  outlines: readonly FileOutline[],
  layouts: readonly Layout[],
  from?: string,
): Detection {
  const candidates = from === undefined ? layouts : [named(layouts, from)];
  const collections = outlines.flatMap(collectionsOf);
  const fits = candidates
    .flatMap((layout) => fitLayout(layout, collections, outlines) ?? [])
    .sort((a, b) => b.confidence - a.confidence);
  const answers = from === undefined ? fits.filter((fit) => isAnswer(fit, outlines)) : fits;
  const [best, second] = answers;
  if (best === undefined && collections.length === 0) throw noRecords(outlines);
  if (best === undefined) throw unknownLayout(collections, candidates, from, unread(fits, outlines));
  if (second !== undefined && best.confidence - second.confidence < TIE)
    throw tie(best.layout, second.layout);
  return describe(best, second, outlines);
}

/**
 * A layout that knows the tickets alone is no answer while most files are left over, and one that fits anything while any
 * is: they may well be the messages.
 */
function isAnswer(fit: Fit, outlines: readonly FileOutline[]): boolean {
  const left = leftOver(fit, outlines).length;
  if (fit.layout.generic === true) return left === 0;
  return fit.matches.size > 1 || left <= outlines.length / 2;
}

function leftOver({ matches }: Fit, outlines: readonly FileOutline[]): FileOutline[] {
  const files = new Set([...matches.values()].flat().map((match) => match.collection.file));
  return outlines.filter((outline) => !files.has(outline.file));
}

/** The nearest layout that leaves too much unread, in a line. */
function unread([fit]: readonly Fit[], outlines: readonly FileOutline[]): string[] {
  if (fit === undefined || fit.layout.generic === true) return [];
  const files = leftOver(fit, outlines).map(({ name }) => name);
  const { name, title } = fit.layout;
  return [
    `${name} (${title}) would leave ${files.slice(0, 3).join(', ')}${files.length > 3 ? ', …' : ''} unread; --from ${name} takes it all the same`,
  ];
}

/** How well every layout fits, best first: for `inspect`. */
export function rankLayouts(
  outlines: readonly FileOutline[],
  layouts: readonly Layout[],
): { name: string; title: string; confidence: number }[] {
  const collections = outlines.flatMap(collectionsOf);
  return layouts
    .flatMap((layout) => fitLayout(layout, collections, outlines) ?? [])
    .sort((a, b) => b.confidence - a.confidence)
    .map(({ layout, confidence }) => ({ name: layout.name, title: layout.title, confidence }));
}

function named(layouts: readonly Layout[], from: string): Layout {
  const layout = layouts.find(({ name }) => name === from);
  if (layout !== undefined) return layout;
  const names = layouts.map(({ name }) => name);
  throw new AppError('usage', `There is no layout "${from}".${didYouMean(from, names)}`, {
    hint: `Known layouts: ${names.join(', ')}.`,
  });
}

function fitLayout(
  layout: Layout,
  collections: readonly Collection[],
  outlines: readonly FileOutline[],
): Fit | undefined {
  const matches = new Map<string, Recognised[]>();
  const tables = Object.entries(layout.tables);
  const byFile = Map.groupBy(collections, (collection) => collection.file);
  for (const inFile of byFile.values()) {
    const taken: Collection[] = [];
    for (const collection of inFile) {
      // what stands inside records of this file is no table of its own
      if (taken.some((outer) => contains(outer, collection))) continue;
      const found = tables.flatMap(([name, rule]) => {
        if (!mayBeTable(layout, name, collection)) return [];
        const kinds = recogniseKinds(layout, name, rule, collection);
        if (kinds.length > 1) return kinds.map((match) => ({ name, match }));
        const match = recogniseTable(layout, name, rule, collection);
        return isRecognised(match) ? [{ name, match }] : [];
      });
      // tables that name the records that are theirs share a collection; else it is the best one's
      const sharing = found.filter(
        ({ match }) => match.collection.selector?.where !== collection.selector?.where,
      );
      const [best] = found.sort((a, b) => b.match.points - a.match.points);
      if (best === undefined) continue;
      taken.push(collection);
      for (const { name, match } of sharing.length > 0 ? sharing : [best])
        if (matches.get(name)?.push(match) === undefined) matches.set(name, [match]);
    }
  }
  const root = tables.find(([, rule]) => rule.role === 'root' || rule.role === 'group')?.[0] ?? '';
  const roots = matches.get(root);
  if (roots === undefined) return undefined;
  return { layout, matches, confidence: confidenceOf(layout, root, roots, matches, outlines) };
}

/**
 * How sure: how telling the columns are by which the tickets are known, how many of their columns the layout knows, how
 * many of the columns that it reads are there, and how many of the files it has a use for.
 */
function confidenceOf(
  layout: Layout,
  root: string,
  roots: readonly Recognised[],
  matches: Fit['matches'],
  outlines: readonly FileOutline[],
): number {
  const points = roots.reduce((most, match) => Math.max(most, match.points), 0);
  const known = average(roots.map((match) => knownShare(layout, root, match.collection)));
  const read = [...referencesOf(layout).ticketColumns].filter((column) => column !== '.');
  const present = average(
    roots.map(
      (match) =>
        read.filter((column) => hasColumn(match.collection, column)).length / Math.max(1, read.length),
    ),
  );
  const files = new Set([...matches.values()].flat().map((match) => match.collection.file));
  const covered = files.size / Math.max(1, outlines.length);
  const tables = Math.min(0.06, 0.02 * (matches.size - 1));
  const fit = 0.35 + 0.35 * known + 0.1 * present + Math.min(0.2, 0.04 * points) + tables;
  const confidence = fit * (0.7 + 0.3 * covered) * (layout.generic === true ? 0.7 : 1);
  return Math.round(Math.min(1, confidence) * 1000) / 1000;
}

function describe(best: Fit, second: Fit | undefined, outlines: readonly FileOutline[]): Detection {
  const { layout, confidence, matches } = best;
  const unused = leftOver(best, outlines).map(({ file, name }) => ({ file, name }));
  const tables = [...matches].map(([name, found]) => ({
    name,
    role: layout.tables[name]?.role ?? 'child',
    files: [...new Set(found.map((match) => match.collection.name))],
  }));
  const roots = tables.flatMap(({ name, role }) =>
    role === 'child' || role === 'lookup'
      ? []
      : (matches.get(name) ?? []).map((match) => [name, match] as const),
  );
  return {
    layout,
    confidence,
    reasons: [...matches].map(([name, found]) => reason(name, found)),
    plan: joinPlan(layout, matches),
    tables,
    unknown: [
      ...new Set(roots.flatMap(([name, { collection }]) => unknownColumns(layout, name, collection))),
    ],
    unused,
    problems: unused.map(({ name }) => ({
      severity: 'warning',
      code: 'ignored-file',
      file: name,
      message: `The file ${name} is not a table of the layout ${layout.name}, so nothing of it is imported.`,
      count: 1,
    })),
    runnerUp:
      second === undefined
        ? undefined
        : { name: second.layout.name, title: second.layout.title, confidence: second.confidence },
  };
}

function reason(table: string, found: readonly Recognised[]): string {
  const files = [...new Set(found.map((match) => match.collection.name))];
  const columns = found[0]?.columns ?? [];
  const by = columns.length === 0 ? 'by its place' : `by ${columns.join(', ')}`;
  const stream = found.flatMap((match) => match.collection.stream ?? [])[0];
  const where = files.length <= 3 ? files.join(', ') : `${files.length} files`;
  return `${table}: ${where}${stream === undefined ? '' : ` (stream ${stream})`}, known ${by}`;
}

/** Whether records of `inner` stand inside records of `outer`. */
function contains(outer: Collection, inner: Collection): boolean {
  if (outer === inner || outer.stream !== undefined || inner.stream !== undefined) return false;
  if (outer.path === undefined) return inner.path !== undefined;
  const path = outer.path;
  return (
    inner.path !== undefined &&
    inner.path.length > path.length &&
    path.every((key, at) => inner.path?.[at] === key)
  );
}

function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Nothing in any file is a record. */
function noRecords(outlines: readonly FileOutline[]): AppError {
  const [first, ...others] = outlines.filter(({ unreadable }) => unreadable !== undefined);
  if (first === undefined) return new AppError('source', 'The export has no records.');
  return new AppError('source', `No record of ${first.name} can be read. ${first.unreadable}`, {
    lines: others.map(({ name, unreadable }) => `${name}: ${unreadable}`),
    hint: 'Check that the file was exported completely.',
  });
}

/** Two layouts fit equally well: the person has to say which one it is. */
function tie(best: Layout, second: Layout): AppError {
  const names = [best, second].map(({ name, title }) => `${name} (${title})`);
  return new AppError('source', `This export fits two layouts equally well: ${names.join(' and ')}.`, {
    hint: `Say which it is: --from ${best.name} or --from ${second.name}.`,
  });
}

/** Columns that are shown of a file, and layouts that are named. */
const SHOWN = 12;

/** No layout fits: what was found, what the nearest layouts lack, and the way on. */
function unknownLayout(
  collections: readonly Collection[],
  layouts: readonly Layout[],
  from: string | undefined,
  unreadFiles: readonly string[],
): AppError {
  const lines = collections.slice(0, SHOWN).map((collection) => {
    const more = collection.columns.length > SHOWN ? `, … (${collection.columns.length})` : '';
    const at = collection.stream ?? collection.path?.join('.');
    return `${collection.name}${at === undefined || at === '' ? '' : ` at ${at}`}: ${collection.columns.slice(0, SHOWN).join(', ')}${more}`;
  });
  const near = nearestLayouts(collections, layouts).map(
    ({ layout, missing }) => `${layout.name} (${layout.title}) would need ${missing.join(', ')}`,
  );
  const message =
    from === undefined ? 'This export has no known layout.' : `This export does not fit the layout ${from}.`;
  return new AppError('source', message, {
    lines: [...lines, ...unreadFiles, ...near],
    hint: 'Run "helpdesk-import init" with these files: it proposes a mapping for them.',
  });
}

function nearestLayouts(
  collections: readonly Collection[],
  layouts: readonly Layout[],
): { layout: Layout; missing: readonly string[] }[] {
  return layouts
    .flatMap((layout) => {
      const [name, rule] =
        Object.entries(layout.tables).find(([, { role }]) => role === 'root' || role === 'group') ?? [];
      if (name === undefined || rule === undefined) return [];
      const tries = collections
        .map((collection) => recogniseTable(layout, name, rule, collection))
        .flatMap((result) =>
          isRecognised(result) || result.found <= 0 || result.missing.length === 0 ? [] : [result],
        )
        .sort((a, b) => a.missing.length - b.missing.length || b.found - a.found);
      const [near] = tries;
      return near === undefined ? [] : [{ layout, missing: near.missing, found: near.found }];
    })
    .sort((a, b) => a.missing.length - b.missing.length || b.found - a.found)
    .slice(0, 3);
}
