/** What a proposal is made from, and what its parts add to it: tables, people, maps of values, questions. */

import { hasColumn } from '../mapping/detect/collections.ts';
import type { Expression } from '../mapping/language/expression.ts';
import type { PeopleTable, PersonRule, Recognition, TableRule } from '../mapping/language/layout.ts';
import {
  fits,
  isNamedOther,
  isOther,
  isOwn,
  isPeople,
  matchField,
  meaningOf,
  plain,
  questionOf,
  roleOfTable,
  type Scope,
  yesOrNo,
} from './names.ts';
import { type Column, isTimeColumn, type Join, type Table } from './profile.ts';
import {
  type Answers,
  type Choice,
  type Comment,
  columnChoice,
  type Question,
  type SettingPath,
} from './questions.ts';
import type { Stage } from './stage-rows.ts';

/** Name of the table of tickets in a proposed mapping. */
export const ROOT = 'tickets';
/** Columns that are offered for one field. */
const MOST_CHOICES = 8;
/** Questions of one export at most; what is beyond stays unmapped. */
export const MOST_QUESTIONS = 10;
/** Beyond so many unknown words, one line decides for all of them. */
const MOST_WORDS = 3;

export interface Evidence {
  readonly stage: Stage;
  readonly tables: readonly Table[];
  readonly joins: readonly Join[];
}

/** Order of the questions: what does most damage comes first. */
export const RANK = {
  table: 0,
  key: 1,
  rows: 2,
  text: 3,
  parent: 4,
  role: 5,
  visibility: 6,
  requester: 7,
  createdAt: 8,
  subject: 9,
  status: 10,
  word: 11,
  time: 12,
  assignee: 13,
  other: 14,
} as const;

interface Picking {
  readonly path: SettingPath;
  readonly rank: number;
  /** Offer columns of the right type too if no name matches. */
  readonly byType?: (column: Column) => boolean;
  /** The only column of the type is the one. */
  readonly isCertainAlone?: boolean;
  /** Offered first of these. */
  readonly order?: (column: Column) => number;
}

export class Draft {
  readonly evidence: Evidence;
  readonly answers: Answers;
  readonly questions: Question[] = [];
  readonly comments: Comment[] = [];
  readonly tables: Record<string, TableRule> = {};
  readonly people: Record<string, PeopleTable> = {};
  readonly maps: Record<string, { values: Record<string, unknown>; unlisted?: unknown }> = {};
  /** Columns that a rule reads, by table. */
  readonly #used = new Map<number, Set<Column>>();

  constructor(evidence: Evidence, answers: Answers) {
    this.evidence = evidence;
    this.answers = answers;
  }

  use(table: Table, ...columns: readonly (Column | undefined)[]): void {
    const used = this.#used.get(table.id) ?? new Set();
    this.#used.set(table.id, used);
    for (const column of columns) if (column !== undefined) used.add(column);
  }

  free(table: Table, columns: readonly Column[]): Column[] {
    return columns.filter((column) => this.#used.get(table.id)?.has(column) !== true);
  }

  /** Whether there is an answer; else the question is open, and the likeliest choice is worked with. */
  ask(question: Question): string | boolean | null {
    const answer = this.answers.get(question.key);
    if (answer !== undefined) return answer;
    this.questions.push(question);
    return question.choices?.[0]?.value ?? null;
  }

  /** The column of a field: by its name, else by an answer, else the likeliest with an open question. */
  pick(
    table: Table,
    scope: 'ticket' | 'message',
    field: string,
    columns: readonly Column[],
    picking: Picking,
  ): Column | undefined {
    const free = this.free(table, columns);
    const match = matchField(scope, field, free);
    const key = `${scope}.${field}`;
    const answered = this.answers.get(key);
    if (answered === undefined && match.column !== undefined) {
      this.use(table, match.column);
      return match.column;
    }
    const { path, rank, byType, order = () => 0 } = picking;
    const others =
      byType === undefined
        ? []
        : free.filter(
            (column) =>
              column.filled > 0 &&
              isOwn(column) &&
              fits(field, column) &&
              !isOther(column) &&
              !isNamedOther(scope, field, column) &&
              byType(column),
          );
    const candidates = [
      ...match.candidates,
      ...others.filter((column) => !match.candidates.includes(column)).sort((a, b) => order(b) - order(a)),
    ].slice(0, MOST_CHOICES);
    if (candidates.length === 0) return undefined;
    if (picking.isCertainAlone === true && answered === undefined && candidates.length === 1) {
      this.use(table, candidates[0]);
      return candidates[0];
    }
    const [concept, question] = questionOf(field);
    const none: Choice = { value: null, label: 'none of these' };
    const choices = [...candidates.map(columnChoice), ...(field === 'text' ? [] : [none])];
    const value = this.ask({
      key,
      path: ['mapping', ...path],
      concept,
      question,
      choices,
      kind: 'choice',
      rank,
    });
    const chosen = columns.find((column) => column.path === value);
    this.use(table, chosen);
    return chosen;
  }

  isOpen(key: string): boolean {
    return this.questions.some((question) => question.key === key);
  }

  /** A map from the words of a column; a question for each word that is not listed. */
  wordMap(
    kind: 'status' | 'priority' | 'role',
    column: Column,
    path: SettingPath,
    isOpen = false,
  ): { values: Record<string, unknown>; unlisted?: unknown } {
    const values: Record<string, unknown> = Object.create(null);
    const unknown: string[] = [];
    for (const { value } of column.values) {
      const meaning = meaningOf(kind, value);
      if (meaning === undefined) unknown.push(value);
      else values[value] = meaning;
    }
    // which column it is comes first
    if (isOpen) return { values };
    const choices = CHOICES[kind];
    const all = kind === 'role' ? choices : [...choices, { value: null, label: `no ${kind}` }];
    const base = ['mapping', ...path];
    const others = [...this.answers.keys()].filter((key) => !key.startsWith(path.join('.'))).length;
    const isMany = unknown.length > MOST_WORDS || others + unknown.length > MOST_QUESTIONS;
    if (unknown.length > 1 && (isMany || column.distinct > column.values.length)) {
      const value = this.ask({
        key: `${path.join('.')}.unlisted`,
        path: [...base.slice(0, -1), 'unlisted', 'value'],
        concept: `${kind} of ${unknown
          .slice(0, 12)
          .map((word) => JSON.stringify(word))
          .join(', ')}`,
        question: `${unknown.length} words of the ${kind} are unknown, such as ${unknown.slice(0, 3).join(', ')}. What do they mean?`,
        choices,
        kind: 'choice',
        rank: RANK.word,
      });
      return { values, unlisted: { value } };
    }
    for (const word of unknown)
      values[word] = this.ask({
        key: `${path.join('.')}.${word}`,
        path: [...base, word],
        concept: `${kind} "${word}"`,
        question: `What does the ${kind} "${word}" mean (${column.values.find(({ value }) => value === word)?.count} rows)?`,
        choices: all,
        kind: 'choice',
        rank: kind === 'role' ? RANK.role : RANK.word,
      });
    return { values };
  }

  /** A person in columns: looked up where a table of people has the key. */
  person(table: Table, { email, name, id }: PersonColumns): PersonRule {
    const key = id ?? email ?? name;
    const looked = key === undefined ? undefined : this.#lookup(table, key);
    const either = [name, id].find(
      (column) => column?.type === 'mixed' || (column !== undefined && hasAddresses(column)),
    );
    if (looked === undefined && either?.type === 'email' && email === undefined)
      return { email: either.path };
    if (looked === undefined && either !== undefined && email === undefined)
      return {
        email: { column: either.path, match: '[^\\s<>]+@[^\\s<>]+' },
        name: { column: either.path, match: '^[^@]+$' },
      };
    const isNamed = email?.examples.some((text) => text.includes('<')) === true;
    const address: Expression | undefined =
      email === undefined ? undefined : isNamed ? { column: email.path, as: 'email' } : email.path;
    const called: Expression | undefined =
      name?.path ?? (isNamed && email !== undefined ? { column: email.path, as: 'name' } : undefined);
    const known =
      id?.path ?? (looked === undefined && email === undefined ? name?.path : looked && key?.path);
    return {
      ...(looked === undefined ? {} : { person: looked }),
      ...(known === undefined ? {} : { id: known }),
      ...(address === undefined ? {} : { email: address }),
      ...(called === undefined ? {} : { name: called }),
    };
  }

  /** Whether the table of people says who is an agent. */
  knowsRole({ person }: PersonRule): boolean {
    return [person ?? []].flat().some((name) => this.people[name]?.role !== undefined);
  }

  #lookup(table: Table, column: Column): string | undefined {
    const join = this.evidence.joins.find(
      ({ from }) => from.table === table.id && from.column === column.name,
    );
    const other = join && this.evidence.tables[join.to.table];
    if (join === undefined || other === undefined || other === table || !isPeople(other)) return undefined;
    const own = other.columns.filter(({ list }) => list === undefined);
    const name = this.tableName(other, 'people');
    const key = own.find((each) => each.name === join.to.column);
    if (this.people[name] !== undefined || key === undefined) {
      if (this.tables[name]?.key === key?.path || key === undefined) return name;
      const byKey = `${name}_by_${plain(key.path).replaceAll(' ', '_')}`;
      this.people[byKey] = { ...(this.people[name] as PeopleTable), key: key.path };
      return byKey;
    }
    const column_ = (field: string) => matchField('people', field, own).candidates[0];
    const [email, whole, first, last, role] = ['email', 'name', 'first', 'last', 'role'].map(column_);
    const called =
      first !== undefined && last !== undefined && whole === undefined
        ? { template: `{${first.path}} {${last.path}}` }
        : (whole ?? first)?.path;
    this.use(other, key, email, whole, first, last, role);
    const fixed = role === undefined ? roleOfTable(other) : undefined;
    const rule: PeopleTable = {
      table: name,
      id: key.path,
      ...(email === undefined ? {} : { email: email.path }),
      ...(called === undefined ? {} : { name: called }),
    };
    this.people[name] = rule;
    this.tables[name] = { role: 'lookup', key: key.path, recognise: {} };
    this.#named.set(other.id, name);
    if (fixed !== undefined) this.people[name] = { ...rule, role: { const: fixed } };
    if (role !== undefined)
      this.people[name] = { ...rule, role: this.roleOf(role, ['people', name, 'role']) };
    return name;
  }

  /** Who is who by a column of words, or of yes and no. */
  roleOf(column: Column, path: SettingPath, isOpen = false): Expression {
    const flags = column.values.map(({ value }) => yesOrNo(value));
    if (column.distinct <= 2 && flags.every((flag) => flag !== undefined)) {
      const isCustomers =
        matchField('message', 'role', [column]).column !== undefined &&
        !/agent|staff|out/.test(plain(column.path));
      return {
        column: column.path,
        map: Object.fromEntries(
          column.values.map(({ value }) => [value, yesOrNo(value) === isCustomers ? 'customer' : 'agent']),
        ),
      };
    }
    const { values, unlisted } = this.wordMap('role', column, [...path, 'map'], isOpen);
    return {
      column: column.path,
      map: values as Record<string, string>,
      ...(unlisted === undefined ? {} : { unlisted: unlisted as { value: string } }),
    };
  }

  /** A word that is kept in a table of its own: `status_id` 3 is "In progress". */
  labelled(table: Table, column: Column): { readonly expression: Expression; readonly words: Column } {
    const join = this.evidence.joins.find(
      ({ from }) => from.table === table.id && from.column === column.name,
    );
    const other = join && this.evidence.tables[join.to.table];
    const label = other?.columns.find(
      ({ path, type }) => type === 'text' && /(?:^| )(?:name|label|title)$/.test(plain(path)),
    );
    if (
      join === undefined ||
      other === undefined ||
      label === undefined ||
      other.rows > 500 ||
      isPeople(other)
    )
      return { expression: column.path, words: column };
    const name = this.tableName(other, 'words');
    this.tables[name] = { role: 'lookup', key: join.to.column, recognise: {} };
    this.#named.set(other.id, name);
    this.use(
      other,
      other.columns.find((each) => each.name === join.to.column),
      label,
    );
    return { expression: { lookup: name, by: column.path, get: label.path }, words: label };
  }

  readonly #named = new Map<number, string>();

  /** Name of a table in the mapping. */
  tableName(table: Table, wanted: string): string {
    const known = this.#named.get(table.id);
    if (known !== undefined) return known;
    const taken = new Set([ROOT, ...this.#named.values()]);
    const base = plain(table.file.replace(/^.*[\\/!]/, '').replace(/\..*$/, '')).replace(/[^a-z0-9]+/g, '_');
    const names = wanted === 'messages' ? ['messages', base] : [base, wanted];
    const name = names.find((each) => each !== '' && !taken.has(each)) ?? `${wanted}_${table.id}`;
    this.#named.set(table.id, name);
    return name;
  }

  /** Tables are known again by the columns that are read, and by more if another table has those too. */
  recognised(root: Table): Record<string, TableRule> {
    const byName = new Map([
      [ROOT, root],
      ...[...this.#named].map(([id, name]) => [name, this.evidence.tables[id]] as const),
    ]);
    return Object.fromEntries(
      Object.entries(this.tables).map(([name, rule]) => {
        const table = byName.get(name);
        return [name, table === undefined ? rule : { ...rule, recognise: this.#recognise(table) }];
      }),
    );
  }

  #recognise(table: Table): Recognition {
    const { collection, file, parts } = table;
    // a file a ticket may lack what others have
    const isInAll = (path: string) => parts.every((part) => hasColumn(part.collection, path));
    const paths = [...(this.#used.get(table.id) ?? [])].map(({ name, list, path }) =>
      list === undefined ? path : (name.split('[]')[0] ?? path),
    );
    const columns = [...new Set(paths)].filter((path) => !path.includes('|') && isInAll(path)).slice(0, 8);
    const place = placeOf(table);
    const twins = this.evidence.tables.filter(
      (other) =>
        other !== table &&
        other.collection.format === collection.format &&
        JSON.stringify(placeOf(other)) === JSON.stringify(place) &&
        columns.every((path) => hasColumn(other.collection, path)),
    );
    const rule = { ...(columns.length === 0 ? {} : { columns }), ...place };
    if (twins.length === 0 && columns.length > 0) return rule;
    const telling = table.columns
      .filter(
        ({ list, filled, path }) => list === undefined && filled > 0 && !path.includes('|') && isInAll(path),
      )
      .filter(({ path }) => twins.every((twin) => !hasColumn(twin.collection, path)))
      .slice(0, 2)
      .map(({ path }) => path);
    return twins.length > 0 && telling.length > 0
      ? { ...rule, columns: [...columns, ...telling] }
      : { ...rule, file: file.replace(/^.*[\\/!]/, '') };
  }
}

export interface PersonColumns {
  readonly email?: Column | undefined;
  readonly name?: Column | undefined;
  readonly id?: Column | undefined;
}

function hasAddresses({ kinds, type }: Column): boolean {
  return type === 'email' || kinds.some(({ kind }) => kind === 'email');
}

const choice = (value: string, label = value): Choice => ({ value, label });
const CHOICES = {
  status: ['open', 'pending', 'resolved', 'closed'].map((value) => choice(value)),
  priority: ['urgent', 'high', 'normal', 'low'].map((value) => choice(value)),
  role: [
    choice('agent', 'an agent of the team'),
    choice('customer', 'a customer'),
    choice('system', 'a program'),
  ],
} as const;
export const ROLE_CHOICES = CHOICES.role;

function placeOf({ collection }: Table): Recognition {
  const { kind, path, stream, format } = collection;
  if (kind !== undefined)
    return {
      ...(path === undefined ? { path: '.' } : path.length === 0 ? {} : { path: path.join('.') }),
      where: { column: kind.column, ...(kind.value === undefined ? {} : { in: [kind.value] }) },
      ...(kind.unwrap === undefined ? {} : { unwrap: kind.unwrap }),
    };
  if (stream !== undefined) return { stream };
  if (format === 'csv') return {};
  if (path === undefined) return { path: '.' };
  return path.length === 0 ? {} : { path: path.join('.') };
}

export type { Scope };
export { isTimeColumn };
