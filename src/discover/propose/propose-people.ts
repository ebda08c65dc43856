/** Who asked, who is in charge, who wrote: columns of people, and the tables in which they are looked up. */

import { mailbox } from '../../mapping/compile/text-forms.ts';
import type { PeopleTable, PersonRule, TableRule } from '../../mapping/language/layout.ts';
import { tableWords, wordsOf } from '../concept-words.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import { tableSort } from '../table-sort.ts';
import { tableName } from './choose-tables.ts';
import { nameOf, ranked, type ScopeColumn } from './concepts.ts';
import type { PersonColumns } from './found-columns.ts';
import { roleColumn } from './message-columns.ts';
import type { ProposalNotes } from './proposal.ts';
import { proposeMap, roleOfWord } from './propose-values.ts';
import { rowsScope } from './scopes.ts';

/** Tables so called hold customers and agents. */
const EITHER: ReadonlySet<string> = new Set(
  'user usuario benutzer nutzer utilisateur utente utenti gebruiker team account'.split(' '),
);

export const ADDRESS = String.raw`[^\s<>]+@[^\s<>]+`;
export const NO_ADDRESS = '^[^@]+$';

/** Some people stand there by their address, others by their name. */
function isEither({ profile }: ScopeColumn): boolean {
  const addresses = profile.kinds.find(({ kind }) => kind === 'email')?.count ?? 0;
  return (
    addresses >= 0.05 * profile.filled && addresses <= 0.95 * profile.filled && profile.averageLength <= 60
  );
}

/** Tables of people that the mapping looks up, made as they are asked for. */
export class ProposedPeople {
  readonly tables: Record<string, TableRule> = {};
  readonly people: Record<string, PeopleTable> = {};
  readonly #profiles: readonly TableProfile[];
  readonly #joins: readonly Join[];
  readonly #notes: ProposalNotes;
  /** Tables of the export that are looked up, with their names under `people`. */
  readonly indexes = new Map<number, string>();
  readonly #recognise: (table: TableProfile, columns: readonly string[]) => TableRule['recognise'];

  constructor(
    profiles: readonly TableProfile[],
    joins: readonly Join[],
    notes: ProposalNotes,
    recognise: (table: TableProfile, columns: readonly string[]) => TableRule['recognise'],
  ) {
    this.#profiles = profiles;
    this.#joins = joins;
    this.#notes = notes;
    this.#recognise = recognise;
  }

  /** Whether the tables in which this person is looked up say who is an agent. */
  knowsRole(rule: PersonRule | undefined): boolean {
    const names = rule?.person === undefined ? [] : [rule.person].flat();
    return rule?.role !== undefined || names.some((name) => this.people[name]?.role !== undefined);
  }

  /** The person that these columns of a table name. */
  rule(table: number, list: string | undefined, columns: PersonColumns, extra: PersonRule = {}): PersonRule {
    const { id, email, name, given } = columns;
    const called =
      name !== undefined && given !== undefined ? { template: `{${given.path}} {${name.path}}` } : name?.path;
    const either = [name, id].find((column) => column !== undefined && isEither(column));
    if (either !== undefined && email === undefined)
      return {
        email: { column: either.path, match: ADDRESS },
        name: { column: either.path, match: NO_ADDRESS },
        ...extra,
      };
    // who has a name only is known by it
    const key = id ?? (email === undefined ? name : undefined) ?? email;
    const person =
      key === undefined
        ? undefined
        : list === undefined
          ? this.#lookup(table, key.path)
          : this.#lookupKeys(table, key);
    const addressed = email?.profile.examples.some((text) => mailbox(text).email !== text.trim());
    const mail =
      email === undefined ? undefined : addressed ? { column: email.path, as: 'email' as const } : email.path;
    return {
      ...(person === undefined ? {} : { person }),
      ...(key === undefined || (key === email && person === undefined)
        ? {}
        : { id: key === name && called !== undefined ? called : key.path }),
      ...(mail === undefined ? {} : { email: mail }),
      ...(name === undefined || person !== undefined
        ? addressed && email !== undefined && name === undefined
          ? { name: { column: email.path, as: 'name' as const } }
          : {}
        : { name: called }),
      ...extra,
    };
  }

  /** Names under `people` of the tables whose key a column holds: agents and customers may stand in two. */
  #lookup(table: number, column: string): string | string[] | undefined {
    const join = this.#joins.find(({ from }) => from.table === table && from.column === column);
    if (join === undefined) return undefined;
    const first = this.#people(join.to.table, join.to.column);
    const keys = this.#profiles[table]?.columns.find(({ name }) => name === column)?.keys;
    if (first === undefined || keys === undefined) return first;
    const isAddress = this.#profiles[join.to.table]?.columns.some(
      ({ name, type }) => name === join.to.column && type === 'email',
    );
    const others = this.#profiles.flatMap((other, index) => {
      if (index === join.to.table || index === table || tableSort(other) !== 'people') return [];
      const key = other.columns.find(
        ({ name, type, keys: theirs }) =>
          (name === join.to.column || (isAddress && type === 'email')) && keys.matches(theirs).found > 0,
      );
      return key === undefined ? [] : (this.#people(index, key.name) ?? []);
    });
    return others.length === 0 ? first : [first, ...others];
  }

  /** Of items of a list, whose columns are compared with no others: the tables of people that have these keys. */
  #lookupKeys(table: number, { profile: { type, keys, distinct } }: ScopeColumn): string[] | undefined {
    const found = this.#profiles.flatMap((other, index) => {
      if (index === table || tableSort(other) !== 'people' || distinct < 2) return [];
      const key = other.columns.find(
        (column) =>
          column.type === type &&
          column.distinct >= 0.98 * column.filled &&
          column.filled >= 0.9 * other.rows &&
          keys.matches(column.keys).found >= 2,
      );
      return key === undefined ? [] : (this.#people(index, key.name) ?? []);
    });
    return found.length === 0 ? undefined : found;
  }

  /** Name under `people` of one table, where it has people by this key: the same person under whatever they are named by. */
  #people(table: number, key: string): string | undefined {
    const other = this.#profiles[table];
    if (other === undefined || !other.columns.some(({ name }) => name === key)) return undefined;
    const known = this.indexes.get(table);
    const there = known === undefined ? undefined : this.people[known];
    if (known !== undefined && there !== undefined) {
      if (this.tables[known]?.key === key) return known;
      const byKey = `${known}_by_${wordsOf(key).join('_')}`;
      this.people[byKey] = { ...there, key };
      return byKey;
    }
    const scope = rowsScope(other);
    const email = scope.columns.find(({ profile }) => profile.type === 'email');
    const name = nameExpression(scope.columns);
    if (email === undefined && name === undefined) return undefined;
    const sort = tableSort(other);
    if (sort === 'message' || (sort !== 'people' && email === undefined)) return undefined;
    const called = tableName(other, new Set(['tickets', 'messages', ...Object.keys(this.tables)]));
    this.indexes.set(table, called);
    const role = this.#role(other, called);
    const used = [key, email?.path, name?.column, role?.column].filter((path) => path !== undefined);
    this.tables[called] = { role: 'lookup', key: key, recognise: this.#recognise(other, used) };
    this.people[called] = {
      table: called,
      id: key,
      ...(email === undefined ? {} : { email: email.path }),
      ...(name === undefined ? {} : { name: name.expression }),
      ...(role === undefined ? {} : { role: role.expression }),
    };
    return called;
  }

  #role(
    table: TableProfile,
    called: string,
  ): { expression: NonNullable<PeopleTable['role']>; column?: string } | undefined {
    const found = roleColumn(rowsScope(table).columns);
    if (found?.kind === 'words') {
      const at = ['people', called, 'role'];
      const map = proposeMap(
        'role',
        [found.column],
        { values: [...at, 'map'], unlisted: [...at, 'unlisted', 'value'] },
        this.#notes,
      );
      const unlisted = map.unlisted === undefined ? {} : { unlisted: map.unlisted };
      return {
        expression: { column: found.column.path, map: map.values, ...unlisted },
        column: found.column.path,
      };
    }
    if (found?.kind === 'flag') return { expression: found.expression, column: found.column.path };
    // `users` are both
    const role = tableWords(table)
      .filter((word) => !EITHER.has(word))
      .flatMap((word) => [word, word.replace(/n$/, ''), word.replace(/i$/, 'e'), word.replace(/i$/, 'o')])
      .map(roleOfWord)
      .find((said) => said !== undefined);
    return role === undefined ? undefined : { expression: { const: role } };
  }
}

/** The name of a person in a table of people: one column, or first and last. */
function nameExpression(
  columns: readonly ScopeColumn[],
): { expression: string | { template: string }; column: string } | undefined {
  const texts = columns.filter(
    ({ profile }) => profile.type === 'text' && profile.filled > 0 && profile.averageLength <= 60,
  );
  const find = (pattern: RegExp) => texts.find((column) => pattern.test(wordsOf(nameOf(column)).join(' ')));
  const whole =
    find(/^(?:.* )?(?:full name|display name|fullname|displayname)$/) ??
    find(/^(?:user |customer |contact |agent |person )?(?:name|nombre|nom|nome)$/);
  if (whole !== undefined) return { expression: whole.path, column: whole.path };
  const first = find(/^(?:.* )?(?:first ?name|given ?name|vorname|prenom|primeiro nome|first)$/);
  const last = find(/^(?:.* )?(?:last ?name|sur ?name|family ?name|nachname|apellidos?|sobrenome|last)$/);
  if (first !== undefined && last !== undefined)
    return { expression: { template: `{${first.path}} {${last.path}}` }, column: first.path };
  const other =
    first ??
    last ??
    find(/^(?:login|user ?name|nick)$/) ??
    ranked(texts, ({ path }) => (/name/i.test(path) ? 0.5 : 0), 0.3)[0];
  return other === undefined ? undefined : { expression: other.path, column: other.path };
}
