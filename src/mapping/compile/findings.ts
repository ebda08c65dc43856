/** Problems of a whole mapping, found while its tickets were mapped. */

import { isDeepStrictEqual } from 'node:util';
import { didYouMean } from '../../domain/nearest.ts';
import { countOf } from '../../domain/printable.ts';
import type { Problem } from '../../domain/problem.ts';
import { plainHeader } from '../../domain/source.ts';
import type { LeftRows } from '../../domain/source-file.ts';
import { problemOf } from '../../domain/text/problem-words.ts';
import { yamlLine } from '../../domain/text/yaml.ts';
import { mainColumn } from '../language/expression.ts';
import type { ActorRules } from '../people/actors.ts';
import type { WordCount } from './aside.ts';
import type { CompileContext } from './context.ts';
import type { UnusedColumn } from './ledger.ts';
import { columnPatterns, type Place } from './paths.ts';
import { referencesOf } from './rules.ts';

type Counted = readonly { readonly value: string; readonly count: number }[];

export function findingsOf(
  context: CompileContext,
  actors: ActorRules,
  { olderRows, equalRows }: { readonly olderRows: readonly LeftRows[]; readonly equalRows: number },
  unused: readonly UnusedColumn[],
): Problem[] {
  const { entries } = actors;
  const told = (kind: string, count: number, field: string, data: Parameters<typeof problemOf>[1] = {}) =>
    count === 0 ? [] : problemOf(kind, data, { field, count });
  const people = (kind: string, found: Counted, field: string, count = sum(found)) =>
    told(kind, count, field, {
      people: found.length,
      names: firstOf(
        found.map(({ value }) => value),
        3,
      ),
    });
  const named = entries.counts('byName').filter(({ count }) => count > 1);
  const names = named.map(({ value, count }) => ({ value: `${value} (${count} tickets)`, count }));
  return [
    ...missingColumns(context),
    ...repeatedHeaders(context),
    people('customers-notes', entries.counts('customersNote'), 'actorType'),
    ...unknownVisibility(entries.unknownWords('visibility')),
    ...unknownExclusions(entries.unknownWords('exclusion')),
    ...unreadAudience(actors, context),
    told('third-party', sum(entries.counts('strangers')), 'to'),
    told('typed-by-agents', sum(entries.counts('typed')), 'public'),
    entries
      .counts('ends')
      .map(({ value, count }) => told('shortened-text', count, 'content', { request: value })),
    cutLists(sum(entries.counts('cutList')), context),
    olderRows.map((rows) => olderVersions(rows, context)),
    told('equal-rows:tickets', equalRows, 'tickets'),
    told('equal-rows:messages', sum(entries.counts('equal')), 'messages'),
    told('same-message-id', sum(entries.counts('other')), 'messages'),
    people('same-name', names, 'contact', named.length),
    people('agents-as-customers', entries.counts('agentAsks'), 'contact'),
    unused.map((column) => columnProblem(column, context)),
  ].flat(2);
}

function sum(found: readonly { readonly count: number }[]): number {
  return found.reduce((all, { count }) => all + count, 0);
}

function firstOf(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}

function olderVersions(
  { table, file, rows: count }: LeftRows,
  { tables, fileName }: CompileContext,
): Problem {
  const column = tables.get(table)?.table.key.join(', ');
  return problemOf('older-version', { table }, { file: fileName({ file }), column, field: table, count });
}

function missingColumns({ layout, tables, fileName }: CompileContext): Problem[] {
  return (layout.ownColumns ?? []).flatMap(({ table, column }): Problem[] => {
    const columns = tables.get(table);
    const [input] = columns?.table.inputs ?? [];
    if (columns === undefined || input === undefined || columns.has(column)) return [];
    const headers = [...columns.headers.values()].flatMap(({ written }) => written);
    const place = { file: fileName(input), column, line: 1, field: `${table}: ${column}` };
    return [problemOf('missing-column', { near: didYouMean(column, headers) }, place)];
  });
}

function listOfWords(words: readonly WordCount[], what: string): string {
  return firstOf(
    words.map(({ word = '', count }) => {
      return `${word === '' ? 'nothing' : quoted(word)} (${countOf(count, what)})`;
    }),
    5,
  );
}

/** One warning a column. */
function unknownVisibility(found: ReadonlyMap<string, readonly WordCount[]>): Problem[] {
  return [...found].map(([column, words]) => {
    const kind = words.some(({ word }) => word !== undefined) ? 'word' : 'unsaid';
    const data = { words: listOfWords(words, 'message'), line: wordsLine(column, words, 'public') };
    return problemOf(`unknown-visibility:${kind}`, data, { column, field: 'public', count: sum(words) });
  });
}

/** Nothing is sent before this is decided. */
function unknownExclusions(found: ReadonlyMap<string, readonly WordCount[]>): Problem[] {
  return [...found].map(([column, words]) => {
    const data = { words: listOfWords(words, 'ticket'), line: wordsLine(column, words, 'keep') };
    return problemOf('unknown-exclusion', data, { column, field: 'mapping.exclude', count: sum(words) });
  });
}

/** Nobody said who saw these messages, and an unread column may. A mapping of one's own that says "public" is obeyed. */
function unreadAudience({ entries }: ActorRules, { layout, tables }: CompileContext): Problem[] {
  const { reads } = referencesOf(layout);
  const isRead = ({ table, inItem, paths }: Place, column: string) => {
    const places: readonly (Place['paths'][number] | undefined)[] = inItem ? paths : [undefined];
    const own = reads.filter(
      (read) => read.table === table && places.some((path) => isDeepStrictEqual(path, read.list)),
    );
    return own.some((read) => {
      const names = inItem ? [read.column] : (tables.get(table)?.names(read.column) ?? [read.column]);
      return names.some((name) => plainHeader(name.split('.')[0] ?? name) === plainHeader(column));
    });
  };
  const severity = layout.isProposed === true || layout.name === 'native' ? 'error' : 'warning';
  const isIgnored = columnPatterns(layout.ignore ?? []);
  const found = [...entries.asides].flatMap((aside) =>
    aside.audience((place, column) => isRead(place, column) || isIgnored(place.table, column)),
  );
  const [hints, others] = [found.filter(({ isHint }) => isHint), found.filter(({ isHint }) => !isHint)];
  const asked = hints.map(({ column, words }) => {
    const data = { words: listOfWords(words, 'message'), line: wordsLine(column, words, 'internal') };
    return problemOf('unread-visibility:hint', data, {
      severity,
      column,
      field: 'public',
      count: sum(words),
    });
  });
  const [first] = others;
  if (first === undefined || (layout.isOwn ?? layout.isProposed) !== true) return asked;
  const columns = others.map(({ column, words }) => `${quoted(column)}: ${listOfWords(words, 'message')}`);
  const data = { columns: columns.join('; '), line: wordsLine(first.column, first.words, 'internal') };
  const place = { column: first.column, field: 'public', count: others.length };
  return [...asked, problemOf('unread-visibility:words', data, { severity: 'warning', ...place })];
}

function wordsLine(column: string, words: readonly WordCount[], meaning: string): string {
  const named = words.flatMap(({ word }) => (word === undefined || word === '(other values)' ? [] : word));
  const own = named.length === 0 ? meaning : new Map(named.map((word) => [word, meaning]));
  return yamlLine({ words: new Map([[column, own]]) });
}

function cutLists(count: number, { layout: { embeds, title } }: CompileContext): Problem[] {
  if (count === 0 || embeds === undefined) return [];
  const place = { column: mainColumn(embeds.list), field: 'messages', count };
  return [problemOf('incomplete-thread:list', { most: embeds.most, platform: title }, place)];
}

function repeatedHeaders({ tables, fileName }: CompileContext): Problem[] {
  const repeats = [...tables.values()].flatMap((columns) => [...columns.repeats.values()]);
  return repeats.map(({ ref, header, taken, left }) => {
    const place = { file: fileName(ref), line: ref.line, column: header };
    return problemOf('repeated-header', { taken: quoted(taken), left: quoted(left) }, place);
  });
}

function columnProblem(unused: UnusedColumn, context: CompileContext): Problem {
  const { table, column, filled: rows } = unused;
  const field = table === context.rootTable ? column : `${table}[].${column}`;
  const place = { file: context.fileName(unused), line: 1, column, field };
  return context.layout.unknownFields === true
    ? problemOf('unknown-field', { rows, near: meantField(unused, context) }, place)
    : problemOf('unused-column', { rows }, place);
}

/** A missing field with a similar name. */
function meantField({ table, column }: UnusedColumn, { tables, layout }: CompileContext): string {
  const headers = [...(tables.get(table)?.headers.values() ?? [])];
  if (headers.length === 0) return '';
  const there = new Set(headers.flatMap(({ written }) => written.map(plainHeader)));
  const fields = referencesOf(layout)
    .reads.filter((read) => read.table === table && read.list === undefined)
    .flatMap((read) => read.pick?.map((key) => `${read.column}.${key}`) ?? [read.column])
    .filter((field) => !there.has(plainHeader(field)));
  return didYouMean(column, fields);
}
