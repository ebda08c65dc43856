/** What the columns of tickets and of messages are, by the values in them and by how these go together. Pure. */

import type { KeySketch } from '../findings/key-sketch.ts';
import { mailbox } from '../mapping/compile/text-forms.ts';
import { roughInstant } from '../time/rough-instant.ts';
import { type ColumnProfile, isTimeColumn } from './column-profile.ts';
import { priorityOf, statusOf } from './propose/propose-values.ts';
import { nullText } from './value-kind.ts';

export interface NamedColumn {
  readonly path: string;
  readonly profile: ColumnProfile;
  /** Holds keys of a table of people. */
  readonly isPersonId: boolean;
}

/** The first rows of a table, or items of its lists, and which of them belong together. */
export interface Items {
  readonly rows: readonly ReadonlyMap<string, string>[];
  thread(row: ReadonlyMap<string, string>): string | undefined;
  /** Tickets. */
  readonly units: number;
  /** No other table and no list has messages. */
  readonly isAlone: boolean;
}

type Names = Map<string, string>;

/** Different people who asked, to a ticket at least. */
const MANY = 0.35;

/** Share of the keys of one column that the other has. */
export function byValue(column: KeySketch, key: KeySketch): number {
  const { found, compared } = column.matches(key);
  return compared === 0 ? 0 : found / compared;
}

/** `all`: also the columns that differ within a ticket, for a status that changes. */
export function nameTicket(
  columns: readonly NamedColumn[],
  items: Items,
  all: readonly NamedColumn[],
): Names {
  const given: Names = new Map();
  const closed = nameTimes(columns, items, given, all.length === columns.length);
  const people = peopleIn(columns, items).sort((a, b) => b.distinct - a.distinct);
  // many people ask, few answer
  const requester = people.find(({ distinct }) => distinct >= MANY * items.units);
  const others = people.filter((person) => person !== requester);
  const assignee =
    others.filter(({ distinct }) => distinct > 1).sort((a, b) => a.filled - b.filled)[0] ?? others[0];
  if (requester !== undefined) callPerson('requester', requester, given);
  if (assignee !== undefined) callPerson('assignee', assignee, given);
  for (const other of others) if (other !== assignee) callPerson('manager', other, given);
  const taken = new Set(people.flatMap((person) => person.columns.map(({ path }) => path)));
  const rest = (from: readonly NamedColumn[]) =>
    from.filter(({ path }) => !given.has(path) && !taken.has(path));
  const words = rest(all).filter(({ profile }) => isWord(profile));
  const priority = best(words, ({ profile }) => knownShare(profile, priorityOf));
  if (priority !== undefined) given.set(priority.path, 'priority');
  const status = best(
    words.filter((column) => column !== priority),
    (column) => (knownShare(column.profile, statusOf) + ends(column, closed, items)) / 1.6,
  );
  if (status !== undefined) given.set(status.path, 'status');
  const tags = best(rest(columns), ({ profile }) => tagPoints(profile) + 0.2);
  if (tags !== undefined) given.set(tags.path, 'tags');
  else for (const { path } of tagEach(rest(columns))) given.set(path, 'tags');
  nameTexts(rest(columns), given, items);
  return given;
}

export function nameMessage(columns: readonly NamedColumn[], items: Items, isLog: boolean): Names {
  const given: Names = new Map();
  const texts = columns
    .filter(({ profile }) => isText(profile) && profile.averageLength >= 20)
    .sort((a, b) => b.profile.averageLength - a.profile.averageLength);
  const [body] = texts;
  if (body === undefined) return given;
  given.set(body.path, 'body');
  const time = columns
    .filter(({ profile }) => isTimeColumn(profile))
    .sort((a, b) => b.profile.filled - a.profile.filled)[0];
  if (time !== undefined) given.set(time.path, isLog ? 'updated_at' : 'sent_at');
  const author = peopleIn(columns, items).sort((a, b) => b.filled - a.filled || b.distinct - a.distinct)[0];
  if (author !== undefined) callPerson(isLog ? 'updated_by' : 'author', author, given);
  const file = columns.find(({ profile }) => profile.type === 'url');
  if (file !== undefined) given.set(file.path, 'attachment');
  const flags = columns.filter(({ path, profile }) => !given.has(path) && isFlag(profile));
  for (const flag of flags) {
    const said = sides(flag, items, time, author);
    if (said !== undefined) given.set(flag.path, said);
  }
  return given;
}

/** What is yes or no for each message: whether the customer wrote it, or whether the customer may read it. */
function sides(
  { path }: NamedColumn,
  items: Items,
  time: NamedColumn | undefined,
  author: Person | undefined,
): string | undefined {
  const at = (row: ReadonlyMap<string, string>) => roughInstant(row.get(time?.path ?? '') ?? '') ?? 0;
  const rows = items.rows.filter((row) => isFilled(row.get(path)));
  const threads = [...Map.groupBy(rows, (row) => items.thread(row) ?? '').values()].map((some) =>
    some.toSorted((a, b) => at(a) - at(b)),
  );
  const first = modeOf(threads.map(([first]) => first?.get(path)));
  if (first === undefined) return undefined;
  const yes = /^(?:true|yes|y|1)$/i.test(first);
  const key = author?.columns[0]?.path;
  // who is always on one side is told by it; the team writes both what is public and what is not
  const byAuthor = Map.groupBy(rows, (row) => (key === undefined ? '' : (row.get(key) ?? '')));
  const mixed = [...byAuthor.values()].filter((some) => new Set(some.map((row) => row.get(path))).size > 1);
  const isRole = key !== undefined && mixed.length === 0;
  return isRole ? (yes ? 'incoming' : 'from_agent') : yes ? 'is_public' : 'is_private';
}

/** Earliest, and the one that is not always there. */
function nameTimes(
  columns: readonly NamedColumn[],
  items: Items,
  given: Names,
  areAll: boolean,
): NamedColumn | undefined {
  const times = columns.filter(({ profile }) => isTimeColumn(profile));
  const most = Math.max(0, ...times.map(({ profile }) => profile.filled));
  const full = times.filter(({ profile }) => profile.filled >= 0.95 * most);
  const earliest = (column: NamedColumn) =>
    items.rows.filter((row) => {
      const mine = instantIn(row, column);
      return mine !== undefined && full.every((other) => (instantIn(row, other) ?? mine) >= mine);
    }).length;
  const [created, ...others] = full.toSorted((a, b) => earliest(b) - earliest(a));
  if (created !== undefined) given.set(created.path, 'created_at');
  const updated = others.toSorted((a, b) => earliest(b) - earliest(a))[0];
  if (updated !== undefined && areAll) given.set(updated.path, 'updated_at');
  const closed = times.find((column) => !full.includes(column));
  if (closed !== undefined) given.set(closed.path, 'closed_at');
  return closed;
}

function instantIn(row: ReadonlyMap<string, string>, { path }: NamedColumn): number | undefined {
  return roughInstant(row.get(path) ?? '');
}

function nameTexts(columns: readonly NamedColumn[], given: Names, { isAlone, units }: Items): void {
  const texts = columns.filter(
    ({ profile }) => isText(profile) && profile.averageLength >= 8 && profile.distinct > 3,
  );
  const subject = texts
    .filter(({ profile }) => profile.longest <= 300 && profile.lines.broken + profile.lines.escaped === 0)
    .filter(
      ({ profile }) =>
        profile.filled >= 0.8 * Math.min(units, profile.rows) &&
        profile.examples.some((text) => /\S\s\S/.test(text)),
    )
    .sort((a, b) => a.profile.averageLength - b.profile.averageLength)[0];
  if (subject !== undefined) given.set(subject.path, 'subject');
  const long = texts
    .filter((column) => column !== subject && column.profile.averageLength >= 30)
    .sort((a, b) => b.profile.filled - a.profile.filled);
  const [description, ...others] = long;
  // beside messages every ticket has one
  const isSeldom = description !== undefined && description.profile.filled < 0.8 * description.profile.rows;
  if (description === undefined || (isSeldom && !isAlone)) return;
  given.set(description.path, 'description');
  if (!isAlone) return;
  const answer = others
    .filter(({ profile }) => profile.averageLength >= 0.5 * description.profile.averageLength)
    .sort((a, b) => b.profile.averageLength - a.profile.averageLength)[0];
  if (answer !== undefined) given.set(answer.path, 'answer');
}

function isText({ type }: ColumnProfile): boolean {
  return ['text', 'html', 'mixed'].includes(type);
}

/** A few words, again and again. */
function isWord({ type, distinct, filled, averageLength }: ColumnProfile): boolean {
  return (
    ['text', 'integer', 'mixed'].includes(type) &&
    distinct >= 2 &&
    distinct <= 12 &&
    averageLength <= 30 &&
    filled > distinct
  );
}

function isFlag({ type, values = [] }: ColumnProfile): boolean {
  return (
    values.length === 2 && (type === 'boolean' || values.every(({ value }) => /^(?:[01]|y|n)$/i.test(value)))
  );
}

function knownShare(
  { values = [], filled }: ColumnProfile,
  meaning: (value: string) => string | undefined,
): number {
  const known = values.filter(({ value }) => meaning(value) !== undefined);
  return known.reduce((sum, { count }) => sum + count, 0) / Math.max(1, filled);
}

/** 1 where the value tells whether the ticket has ended: some values always have a time of closing, the others never. */
function ends({ path }: NamedColumn, closed: NamedColumn | undefined, { rows }: Items): number {
  if (closed === undefined) return 0;
  const isClosed = (row: ReadonlyMap<string, string>) => isFilled(row.get(closed.path));
  const byWord = [
    ...Map.groupBy(
      rows.filter((row) => isFilled(row.get(path))),
      (row) => row.get(path),
    ).values(),
  ];
  const ended = byWord.filter((some) => some.every(isClosed));
  const open = byWord.filter((some) => !some.some(isClosed));
  const reported = [...ended, ...open].reduce((sum, { length }) => sum + length, 0);
  return ended.length > 0 && open.length > 0 ? reported / Math.max(1, rows.length) : 0;
}

/** How surely these are lists of a few words: in so many values each word stands in others too. */
export function tagPoints({ type, values = [], averageLength, examples, distinct }: ColumnProfile): number {
  if (type === 'list') return 1;
  if (!['text', 'mixed'].includes(type) || averageLength > 60 || distinct < 2) return 0;
  const written = [...new Set([...values.map(({ value }) => value), ...examples])];
  const lists = written.map((text) => text.split(/[,;|\s[\]{}"'/]+/).filter((part) => part !== ''));
  const counts = new Map<string, number>();
  for (const word of lists.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const isTag = (word: string) => word.length <= 25 && !word.includes('@') && /\p{L}/u.test(word);
  if (!lists.some(({ length }) => length > 1) || ![...counts.keys()].every(isTag)) return 0;
  const known = lists.filter((words) => words.every((word) => (counts.get(word) ?? 0) > 1));
  return known.length / lists.length;
}

/** `Tag 1` and `tags[0]` without the number; undefined where nothing separates it from the name. */
export function stemOf(path: string): string | undefined {
  return /^(.+[\s_./[-])\d{1,2}\]?$/.exec(path)?.[1];
}

/** Columns of one name with a number, a word in each, that have words in common. */
function tagEach(columns: readonly NamedColumn[]): readonly NamedColumn[] {
  const groups = Map.groupBy(columns, ({ path }) => stemOf(path));
  groups.delete(undefined);
  return (
    [...groups.values()].find(([first, ...others]) => {
      const words = new Set(first?.profile.values?.map(({ value }) => value));
      return (
        others.length > 0 &&
        others.every(({ profile: { values = [] } }) => values.some(({ value }) => words.has(value)))
      );
    }) ?? []
  );
}

interface Person {
  readonly columns: readonly NamedColumn[];
  readonly distinct: number;
  readonly filled: number;
}

/** Columns that name people: keys of a table of people, addresses, names; those below one path are of one person. */
function peopleIn(columns: readonly NamedColumn[], { rows }: Items): Person[] {
  const named = columns.filter(
    ({ profile, isPersonId }) =>
      isPersonId || profile.type === 'email' || isName(profile) || isMailbox(profile),
  );
  const nested = columns.filter(({ path }) => path.includes('.') && /(?:^|\.)id$/.test(path));
  const groups = [
    ...Map.groupBy([...new Set([...named, ...nested])], ({ path }) =>
      path.includes('.') ? path.replace(/\.[^.]*$/, '.') : path,
    ).values(),
  ].filter((group) => group.some((column) => named.includes(column)));
  const merged: NamedColumn[][] = [];
  for (const group of groups) {
    const twin = merged.find(
      (other) => group.length === 1 && other.length === 1 && isOneToOne(group[0], other[0], rows),
    );
    if (twin === undefined) merged.push([...group]);
    else twin.push(...group);
  }
  return merged.map((group) => ({
    columns: group,
    distinct: Math.max(...group.map(({ profile }) => profile.distinct)),
    filled: Math.max(...group.map(({ profile }) => profile.filled)),
  }));
}

const NAME = /^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}?[\p{L}'’.-]+){1,3}$/u;

export function isName({ type, values, examples, averageLength }: ColumnProfile): boolean {
  const written = values?.map(({ value }) => value) ?? examples;
  return (
    type === 'text' && averageLength <= 30 && written.length > 0 && written.every((text) => NAME.test(text))
  );
}

function isMailbox({ examples }: ColumnProfile): boolean {
  return (
    examples.length > 0 &&
    examples.every((text) => mailbox(text).name !== undefined && mailbox(text).email?.includes('@') === true)
  );
}

/** A name and an address of which each has the other beside it, always. */
function isOneToOne(
  one: NamedColumn | undefined,
  other: NamedColumn | undefined,
  rows: Items['rows'],
): boolean {
  if (one === undefined || other === undefined || one.profile.type === other.profile.type) return false;
  const pairs = new Set(rows.map((row) => `${row.get(one.path) ?? ''}\u0000${row.get(other.path) ?? ''}`));
  return (
    pairs.size === one.profile.distinct && one.profile.distinct === other.profile.distinct && pairs.size > 1
  );
}

function callPerson(concept: string, { columns }: Person, given: Names): void {
  for (const { path, profile, isPersonId } of columns) {
    const aspect =
      profile.type === 'email' || isMailbox(profile)
        ? 'email'
        : isPersonId || profile.type === 'integer'
          ? 'id'
          : 'name';
    given.set(path, `${concept}_${aspect}`);
  }
}

/** So much must speak for a column. */
const LEAST = 0.6;

function best(
  columns: readonly NamedColumn[],
  points: (column: NamedColumn) => number,
): NamedColumn | undefined {
  const [first] = columns
    .map((column) => ({ column, points: points(column) }))
    .sort((a, b) => b.points - a.points);
  return first === undefined || first.points < LEAST ? undefined : first.column;
}

function modeOf(values: readonly (string | undefined)[]): string | undefined {
  const counts = [...Map.groupBy(values, (value) => value)].sort((a, b) => b[1].length - a[1].length);
  return counts[0]?.[0];
}

function isFilled(text: string | undefined): boolean {
  return text !== undefined && text !== '' && nullText(text) === undefined;
}
