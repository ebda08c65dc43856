/**
 * Which column of one table holds the keys of another. That the values agree proves little where ids count from 1 in
 * every table, so the name must speak for it, or values that do not agree by chance.
 */
import { ownColumn } from '../domain/join-plan.ts';
import { type ColumnProfile, isTimeColumn } from './column-profile.ts';
import {
  BESIDE_WORDS,
  EMAIL_WORDS,
  ID_WORDS,
  isOtherName,
  NAME_WORDS,
  NEUTRAL_WORDS,
  PEOPLE_WORDS,
  PERSON_WORDS,
  singular,
  TICKET_WORDS,
  tableWords,
  wordsOf,
} from './concept-words.ts';
import { idName } from './id-name.ts';
import { listOfPath, type TableProfile } from './table-profile.ts';
import { tableSort } from './table-sort.ts';

interface JoinEnd {
  /** Index of the table in the profile. */
  readonly table: number;
  readonly column: string;
}

export interface Join {
  readonly from: JoinEnd;
  readonly to: JoinEnd;
  /** Of the different keys that were compared, how many are there. */
  readonly found: number;
  readonly compared: number;
  /** False: the other table was read in part only, so more may be there. */
  readonly certain: boolean;
}

/** Least share of different values among the filled ones of a key. */
const UNIQUE = 0.98;
/** The same where rows have versions. */
const VERSIONS = 0.15;
/** Where another table has each key once, that is the one: a history repeats the ids of the tickets too. */
const AMONG_VERSIONS = 0.9;
/** Lists of calls and of changes name tickets too, and are not about them. */
const ASIDE = 0.85;
const LEAST_NAMED = 0.3;
const CHANGED = /updat|modifi|chang|actuali|atuali|geandert|aktualisiert|version|synced/;
/** Columns of one table that are tried as keys. */
const MOST_KEYS = 20;
/** A column that two tables have by the same name is a key of one of them from so many values on. */
const LEAST_KEYS = 5;
/** Characters of a key of letters and digits whose name alone (`reference`) does not say what it is a key of. */
const LEAST_WORD = 5;
/** A column of so few values is compared with keys only where its name says so. */
const NAMED_ONLY = 0.5;
const NEARLY_ALL = 0.8;

/** Best first within a column; each column joins one other. */
export function findJoins(tables: readonly TableProfile[]): Join[] {
  const keys = tables.map((table) => keyColumns(table));
  return tables.flatMap((table, from) =>
    table.columns.flatMap((column) => {
      if (listOfPath(column.name) !== undefined || !canBeKey(column)) return [];
      const tried = keys.flatMap((columns, to) =>
        columns.flatMap((key) => {
          const other = tables[to];
          if (other === undefined || to === from) return [];
          const named = nameEvidence(column, key, table, other);
          const { found, compared } = column.keys.matches(key.keys);
          if (compared === 0) return [];
          const share = found / compared;
          const byValue =
            (share >= NAMED_ONLY && tellingValues(key) && tellingValues(column)) ||
            (share >= NEARLY_ALL && (ownKeys(column, key) || namesFiles(column, key)))
              ? 0.6
              : 0;
          const points = Math.max(named, byValue);
          if (points === 0 || (share === 0 && named < 1)) return [];
          if ((column.type === 'email') !== (key.type === 'email')) return [];
          const join: Join = {
            from: { table: from, column: column.name },
            to: { table: to, column: key.name },
            found,
            compared,
            certain: other.complete,
          };
          const whose = (isUnique(key) ? 1 : AMONG_VERSIONS) * (isOfTickets(key, other) ? 1 : ASIDE);
          return [{ join, points: points * (0.2 + share) * whose }];
        }),
      );
      const best = tried.sort((a, b) => b.points - a.points)[0];
      return best === undefined ? [] : [best.join];
    }),
  );
}

function isOfTickets({ name }: ColumnProfile, table: TableProfile): boolean {
  return tableSort(table) === 'ticket' && idName(name, tableWords(table)) >= LEAST_NAMED;
}

/** Columns in which (nearly) every row has another value. */
function keyColumns(table: TableProfile): ColumnProfile[] {
  return table.columns
    .filter(
      (column) =>
        listOfPath(column.name) === undefined &&
        canBeKey(column) &&
        (isUnique(column) || hasVersions(table, column)) &&
        column.filled >= 0.9 * table.rows,
    )
    .slice(0, MOST_KEYS);
}

function isUnique({ distinct, filled }: ColumnProfile): boolean {
  return distinct >= UNIQUE * filled;
}

/** Rows that are versions of each other repeat their id, and say when each was changed; tickets may stand twice as they are. */
function hasVersions(table: TableProfile, { name, distinct, filled }: ColumnProfile): boolean {
  const own = tableWords(table);
  const isTickets = tableSort(table) === 'ticket';
  return (
    distinct >= VERSIONS * filled &&
    wordsOf(name)
      .map(singular)
      .every(
        (word) =>
          ID_WORDS.has(word) ||
          NEUTRAL_WORDS.has(word) ||
          own.includes(word) ||
          (isTickets && TICKET_WORDS.has(word)),
      ) &&
    (isTickets ||
      table.columns.some((column) => isTimeColumn(column) && CHANGED.test(wordsOf(column.name).join(' '))))
  );
}

function canBeKey({ type, filled, averageLength }: ColumnProfile): boolean {
  return filled > 0 && averageLength <= 60 && ['integer', 'text', 'email', 'number', 'mixed'].includes(type);
}

/** Ids that do not count from 1, as those of every table do: that another column has the same ones is no accident. */
function ownKeys(column: ColumnProfile, key: ColumnProfile): boolean {
  const isOwn = ({ type, least = 0, averageLength, examples, filled }: ColumnProfile) =>
    type === 'integer'
      ? least > 2 * filled && least > 100
      : averageLength >= 5 && examples.every((text) => /^\S*\d\S*$/.test(text));
  return (
    (column.called !== undefined || isBareKey(column) || isSameName(column, key)) &&
    key.distinct >= LEAST_KEYS &&
    column.type === key.type &&
    isOwn(key) &&
    isOwn(column)
  );
}

/** A column of the record itself, by one name in both tables: `Vorgang`. */
function isSameName(column: ColumnProfile, key: ColumnProfile): boolean {
  return ownColumn(column.name) === column.name && isSame(wordsOf(column.name), wordsOf(key.name));
}

/** `res_id`, `object_id`: an id of something that the name does not say. */
function isBareKey({ name }: ColumnProfile): boolean {
  const words = wordsOf(name).map(singular);
  const others = words.filter((word) => !ID_WORDS.has(word) && !NEUTRAL_WORDS.has(word));
  return (
    others.length < words.length &&
    !isOtherName(name) &&
    !others.some(
      (word) =>
        PEOPLE_WORDS.has(word) ||
        BESIDE_WORDS.has(word) ||
        Object.values(PERSON_WORDS).some((meaning) => Object.hasOwn(meaning, word)),
    )
  );
}

/** Files that are called by what is a key elsewhere: `threads/1041.json`. */
function namesFiles(column: ColumnProfile, key: ColumnProfile): boolean {
  const words = wordsOf(key.name);
  return (
    ownColumn(column.name) === undefined &&
    column.distinct >= LEAST_FILES &&
    words.some((word) => ID_WORDS.has(word) || TICKET_WORDS.has(word))
  );
}

const LEAST_FILES = 3;

/** Long or large enough that equal ones are no accident. */
function tellingValues({ type, averageLength, distinct }: ColumnProfile): boolean {
  return type === 'email' ? distinct > 3 : averageLength >= (type === 'integer' ? 7 : 8) && distinct > 1;
}

/** 1: the column is named after the other table, or both have one telling name. 0.8: it names a person, the other has people. */
function nameEvidence(
  column: ColumnProfile,
  key: ColumnProfile,
  table: TableProfile,
  other: TableProfile,
): number {
  const words = wordsOf(column.called ?? column.name).map(singular);
  const keyWords = wordsOf(key.called ?? key.name).map(singular);
  const subject = words.filter((word) => !ID_WORDS.has(word) && word !== 'value');
  if (
    subject.every((word) => EMAIL_WORDS.has(word) || NAME_WORDS.has(word)) &&
    !(words.length > 0 && isSame(words, keyWords))
  )
    return 0;
  const own = tableWords(table).at(-1);
  const others = tableWords(other);
  const head = others.at(-1);
  const hasIdWord = words.some((word) => ID_WORDS.has(word));
  if (isSame(words, keyWords) && words.length > 1) {
    if (!hasIdWord) return 0;
    if (key.distinct >= LEAST_KEYS) return 0.9;
  }
  // `reference` in both, with values such as T-0001: a mere number would agree by chance
  if (isSame(words, keyWords) && hasIdWord && key.type === 'text' && key.averageLength >= LEAST_WORD)
    return 0.7;
  const isKeyName =
    keyWords.some((word) => ID_WORDS.has(word)) || keyWords.every((word) => others.includes(word));
  if (!isKeyName && key.type !== 'email') return 0;
  const isIdName = hasIdWord || words.at(-1) === 'value' || column.type === 'integer';
  const named = (word: string) => word !== own && others.some((other) => isOneWord(word, other));
  if (subject.some(named) && (isIdName || words.length === 1))
    return subject.some((word) => isOneWord(word, head ?? '')) ? 1 : 0.6;
  const isPerson = subject.some((word) =>
    Object.values(PERSON_WORDS).some((meaning) => Object.hasOwn(meaning, word)),
  );
  const ofPeople = tableSort(other) === 'people';
  const sameSort = (column.type === 'email') === (key.type === 'email');
  return isPerson && ofPeople && sameSort && !words.some((word) => NAME_WORDS.has(word)) ? 0.8 : 0;
}

/** Also one and several of it, in languages of which no endings are known: `segnalazione`, `segnalazioni`. */
function isOneWord(a: string, b: string): boolean {
  if (a === b) return true;
  const least = Math.max(LEAST_STEM, Math.min(a.length, b.length) - 1);
  return Math.abs(a.length - b.length) <= 2 && a.slice(0, least) === b.slice(0, least);
}

const LEAST_STEM = 6;

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, at) => word === b[at]);
}
