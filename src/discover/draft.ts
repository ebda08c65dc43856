/** What a proposal is made from, and what its parts add to it: tables, people, maps of values, questions. */
import { hasColumn } from '../mapping/detect/collections.ts';
import type { PeopleTable, PersonRule, Recognition, TableRule } from '../mapping/language/layout.ts';
import { fieldQuestion, isPeople, matchField, mayBe, meaningOf, plain } from './names.ts';
import { type Column, type Join, ownColumns, type Table } from './profile.ts';
import {
  type Answers,
  type AnswerValue,
  type Comment,
  columnChoice,
  NONE,
  type Question,
  type SettingPath,
  setAt,
  wordQuestions,
} from './questions.ts';
import { baseName, type Stage } from './staged-tables.ts';

/** Name of the table of tickets in a proposed mapping. */
export const ROOT = 'tickets';
/** Columns that are offered for one field. */
const MOST_CHOICES = 8;

export interface Evidence {
  readonly stage: Stage;
  readonly tables: readonly Table[];
  readonly joins: readonly Join[];
}

interface Picking {
  /** Offer columns of the right type too if no name matches. */
  readonly byType?: ((column: Column) => boolean) | undefined;
  /** The greatest is offered first of these. */
  readonly order?: (column: Column) => number;
  /** The only column of the type is the one. */
  readonly isCertainAlone?: boolean;
}

export class Draft {
  readonly evidence: Evidence;
  readonly answers: Answers;
  readonly questions: Question[] = [];
  readonly comments: Comment[] = [];
  readonly tables: Record<string, TableRule> = {};
  readonly people: Record<string, PeopleTable> = {};
  readonly maps: Record<string, { values: Record<string, unknown>; unlisted?: { value: unknown } }> = {};
  /** Questions about words that follow. */
  unknownWords = 0;
  /** Columns of each field of the ticket and of its messages, for the screen. */
  readonly found = new Map<string, string[]>();
  /** Columns that a rule reads, by table, and the names of tables in the mapping. */
  readonly #used = new Map<number, Set<Column>>();
  readonly #named = new Map<number, string>();

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

  /** The answer; without one the question is open, and the likeliest choice is worked with. */
  ask(question: Omit<Question, 'kind'>): AnswerValue {
    const answer = this.answers.get(question.key);
    if (answer !== undefined) return answer;
    this.questions.push({ ...question, kind: 'choice' });
    return question.choices?.[0]?.value ?? null;
  }

  /** The column of a field: by its name, else by an answer, else the likeliest with an open question. */
  pick(
    table: Table,
    scope: 'ticket' | 'message',
    field: string,
    columns: readonly Column[],
    path: SettingPath,
    { byType, order = () => 0, isCertainAlone }: Picking = {},
  ): Column | undefined {
    const key = `${scope}.${field}`;
    const isAnswered = this.answers.has(key);
    const free = this.free(table, columns);
    const { column, candidates: named } = matchField(scope, field, free);
    const others = free.filter(
      (each) => byType?.(each) === true && !named.includes(each) && mayBe(scope, field, each),
    );
    const candidates = [...named, ...others.sort((a, b) => order(b) - order(a))].slice(0, MOST_CHOICES);
    let chosen = column ?? (isCertainAlone === true && candidates.length === 1 ? candidates[0] : undefined);
    if (candidates.length > 0 && (isAnswered || chosen === undefined)) {
      const choices = [...candidates.map(columnChoice), ...(field === 'text' ? [] : [NONE])];
      const value = this.ask({ key, path: ['mapping', ...path], choices, ...fieldQuestion(field) });
      chosen = columns.find((each) => each.path === value);
    }
    if (chosen === undefined) return undefined;
    this.use(table, chosen);
    const place = path[0] === 'ticket' ? String(path[1]) : 'messages';
    this.found.set(place, [...(this.found.get(place) ?? []), chosen.path]);
    return chosen;
  }

  /** A person in columns: looked up where a table of people has the key. */
  person(table: Table, { email, name, id }: PersonColumns): PersonRule {
    const key = id ?? email ?? name;
    const person = key === undefined ? undefined : this.#lookup(table, key);
    const either = [name, id].find((column) => column !== undefined && mayHoldAddresses(column));
    if (person === undefined && email === undefined && either !== undefined)
      return either.type === 'email'
        ? { email: either.path }
        : {
            email: { column: either.path, match: '[^\\s<>]+@[^\\s<>]+' },
            name: { column: either.path, match: '^[^@]+$' },
          };
    return defined({
      person,
      id: id?.path ?? (person !== undefined ? key?.path : email === undefined ? name?.path : undefined),
      email: email?.examples.some((text) => text.includes('<'))
        ? { column: email.path, as: 'email' }
        : email?.path,
      name: name?.path,
    });
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
    if (other === undefined || other === table || !isPeople(other)) return undefined;
    const own = ownColumns(other);
    const key = own.find(({ name }) => name === join?.to.column);
    const name = this.tableName(other, 'people');
    if (key === undefined) return undefined;
    // one address may be of several people: they are known by one key
    if (this.people[name] !== undefined) return this.tables[name]?.key === key.path ? name : undefined;
    const [email, whole, first, last, role] = ['email', 'name', 'first', 'last', 'role'].map(
      (field) => matchField('people', field, own).candidates[0],
    );
    const isSplit = whole === undefined && first !== undefined && last !== undefined;
    this.use(other, key, email, whole, first, last, role);
    this.tables[name] = { role: 'lookup', key: key.path, recognise: {} };
    this.people[name] = {
      table: name,
      id: key.path,
      ...defined({
        email: email?.path,
        name: isSplit ? { template: `{${first.path}} {${last.path}}` } : (whole ?? first)?.path,
        role: role === undefined ? undefined : this.roleOf(role, ['people', name, 'role']),
      }),
    };
    return name;
  }

  /** Who is who by the words of a column. */
  roleOf(column: Column, path: SettingPath): { column: string; map: Record<string, string> } {
    const rule = { column: column.path, map: Object.create(null) };
    const unknown = column.values.filter(({ value }) => {
      const meaning = meaningOf('role', value);
      if (meaning !== undefined) rule.map[value] = meaning;
      return meaning === undefined;
    });
    // which column it is comes first
    if (this.questions.some(({ key }) => key === 'message.role')) return rule;
    const base = ['mapping', ...path];
    for (const question of wordQuestions('role', unknown, [...base, 'map']))
      setAt(rule, question.path.slice(base.length), this.ask(question));
    return rule;
  }

  /** The words of a column that are listed or were asked about: others are questions once they are counted. */
  wordMap(kind: 'status' | 'priority', { values }: Column): void {
    const path = ['mapping', 'maps', kind];
    const map: Record<string, unknown> = Object.create(null);
    const unknown = values.filter(({ value }) => {
      const meaning = meaningOf(kind, value) ?? this.answers.get([...path, 'values', value].join('.'));
      if (meaning !== undefined) map[value] = meaning;
      return meaning === undefined;
    });
    const unlisted = this.answers.get([...path, 'unlisted', 'value'].join('.'));
    this.maps[kind] = { values: map, ...(unlisted === undefined ? {} : { unlisted: { value: unlisted } }) };
    if (unlisted === undefined) this.unknownWords += wordQuestions(kind, unknown, [...path, 'values']).length;
  }

  /** Name of a table in the mapping. */
  tableName({ id, file }: Table, wanted: string): string {
    const known = this.#named.get(id);
    if (known !== undefined) return known;
    const taken = [ROOT, ...this.#named.values()];
    const base = plain(baseName(file).replace(/\..*$/, '')).replace(/[^a-z0-9]+/g, '_');
    const names = wanted === 'messages' ? [wanted, base] : [base, wanted];
    const name = names.find((each) => each !== '' && !taken.includes(each)) ?? `${wanted}_${id}`;
    this.#named.set(id, name);
    return name;
  }

  /** Tables are known again by the columns that are read, and by the file if another table has those too. */
  recognised(root: Table): Record<string, TableRule> {
    this.#named.set(root.id, ROOT);
    const ids = new Map([...this.#named].map(([id, name]) => [name, id]));
    return Object.fromEntries(
      Object.entries(this.tables).map(([name, rule]) => {
        const table = this.evidence.tables[ids.get(name) ?? root.id] ?? root;
        return [name, { ...rule, recognise: this.#recognise(table) }];
      }),
    );
  }

  #recognise(table: Table): Recognition {
    const paths = [...(this.#used.get(table.id) ?? [])].map(({ name, list, path }) =>
      list === undefined ? path : (name.split('[]')[0] ?? path),
    );
    const columns = [...new Set(paths)]
      // a file a ticket may lack what others have
      .filter((path) => !path.includes('|') && table.parts.every((part) => hasColumn(part.collection, path)))
      .slice(0, MOST_CHOICES);
    const place = placeOf(table);
    const hasTwin = this.evidence.tables.some(
      (other) =>
        other !== table &&
        other.collection.format === table.collection.format &&
        JSON.stringify(placeOf(other)) === JSON.stringify(place) &&
        columns.every((path) => hasColumn(other.collection, path)),
    );
    return {
      ...(columns.length === 0 ? {} : { columns }),
      ...place,
      ...(hasTwin || columns.length === 0 ? { file: baseName(table.file) } : {}),
    };
  }
}

export interface PersonColumns {
  readonly email?: Column | undefined;
  readonly name?: Column | undefined;
  readonly id?: Column | undefined;
}

function mayHoldAddresses({ kinds, type }: Column): boolean {
  return type === 'email' || type === 'mixed' || kinds.some(({ kind }) => kind === 'email');
}

function placeOf({ collection }: Table): Recognition {
  const { kind, path, stream, format } = collection;
  if (stream !== undefined && kind === undefined) return { stream };
  if (format === 'csv') return {};
  return {
    ...(path === undefined ? { path: '.' } : path.length === 0 ? {} : { path: path.join('.') }),
    ...(kind === undefined ? {} : { where: { column: kind.column, in: [kind.value] } }),
  };
}

/** Without what is undefined. */
export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
