/** Who wrote, asked or is in charge: a person made from columns, from a row of a table of people, or from objects in tickets. */
import { sha256 } from '../../domain/hash.ts';
import type { JoinedExport, JoinPlan } from '../../domain/join-plan.ts';
import type { ContactRef } from '../../domain/payload.ts';
import { type ExportFiles, isJsonObject, selectObject, textOf } from '../../domain/source-file.ts';
import { NO_NAME } from '../../domain/survey.ts';
import {
  type CompileContext,
  type EmbeddedPeople,
  type Evaluate,
  itemScope,
  newNotes,
  type Person,
  type Place,
  type Role,
  rowPlace,
  rowScope,
  type Scope,
} from '../compile/context.ts';
import { compileExpression, compileOptional, itemPlace, itemsOf } from '../compile/expressions.ts';
import { mainColumn } from '../compile/modifiers.ts';
import { listOf, parsePath, valueAt } from '../compile/paths.ts';
import { comparable } from '../compile/values.ts';
import type { PeopleTable, PersonRule } from '../language/layout.ts';

export type ReadPerson = (scope: Scope) => Person | undefined;

/** Undefined where nothing names the person. */
export function compilePerson(rule: PersonRule, place: Place, context: CompileContext): ReadPerson {
  const own = compileParts(rule, place, context);
  const tables = listOf(rule.person).flatMap((name) => {
    const people = context.layout.people?.[name];
    return people === undefined ? [] : [compilePeopleTable(name, people, context)];
  });
  return (scope) => {
    const said = own(scope);
    let found: Person | undefined;
    for (const find of said.id === undefined ? [] : tables) found ??= find(said.id ?? '', scope);
    const email = said.email ?? found?.email;
    const name = said.name ?? found?.name;
    if (said.id === undefined && email === undefined && name === undefined && said.role === undefined)
      return undefined;
    const known = email === undefined ? undefined : context.personOf?.(email.trim().toLowerCase());
    const by = said.role === undefined ? found : said;
    return { id: found?.id ?? said.id, email, name, known, role: by?.role, roleFrom: by?.roleFrom };
  };
}

/** Name of the field while roles are read: a role that a map drops is found by other rules, and is no loss. */
export const ROLE = 'role';

/** The person as the columns of one row or item say. */
function compileParts(
  rule: Omit<PersonRule, 'person'>,
  place: Place,
  context: CompileContext,
): (scope: Scope) => Person {
  const [id, email, name, role] = [rule.id, rule.email, rule.name, rule.role].map((part) =>
    compileOptional(part, place, context),
  );
  return (scope) => {
    const text = (read: Evaluate | undefined) => textOf(read?.(scope)).trim() || undefined;
    const person = { id: text(id), email: text(email), name: text(name) };
    if (role === undefined) return person;
    scope.notes.mappedFrom = undefined;
    scope.notes.field = ROLE;
    const value = roleIn(comparable(role(scope)));
    return { ...person, role: value, roleFrom: scope.notes.mappedFrom ?? value };
  };
}

export function roleIn(value: unknown): Role | undefined {
  return value === 'customer' || value === 'agent' || value === 'system' ? value : undefined;
}

/** Rows of a table of people, by id, and people within records of tickets. */
export function compilePeopleTable(
  name: string,
  people: PeopleTable,
  context: CompileContext,
): (id: string, scope: Scope) => Person | undefined {
  const embedded = (id: string) => context.embedded().get(name)?.get(comparable(id));
  if (people.key !== undefined) context.lookups.push({ table: people.table, key: [people.key] });
  const table = context.tables.get(people.table)?.table;
  if (table === undefined) return embedded;
  const read = compileParts(people, rowPlace(people.table), context);
  const key = people.key === undefined ? table.key : [people.key];
  return (id, scope) => {
    const row = context.lookup(people.table, key, [id]);
    if (row === undefined) return embedded(id);
    const person = read(rowScope(scope.ticket, row, scope.notes));
    return { ...person, id: person.id ?? id };
  };
}

export function samePerson(a: Person, b: Person): boolean {
  if (a.known !== undefined && a.known === b.known) return true;
  for (const part of ['id', 'email', 'name'] as const)
    if (a[part] !== undefined && b[part] !== undefined) return comparable(a[part]) === comparable(b[part]);
  return false;
}

/** A person's name in loss reports: the address if there is one. */
export function personLabel(person: Person): string {
  return person.email ?? person.name ?? person.id ?? NO_NAME;
}

/** Whether an agent who is known by this can be asked for in the target. */
export function isAddress(label: string): boolean {
  return /^\S+@\S+$/.test(label);
}

// Contacts.

/** `reject`: the message fails checking. `synthesize`: an address under a domain that the user owns. */
export type CustomersWithoutEmail = 'reject' | { readonly synthesize: string };

/** Undefined if there is no address and it may not be made up. */
export function contactOf(person: Person, policy: CustomersWithoutEmail): ContactRef | undefined {
  const email = person.email ?? synthesized(person, policy);
  if (email === undefined) return undefined;
  return person.name === undefined ? { email } : { email, name: person.name };
}

/** The same person always gets the same address: the id where there is one, else the name, made safe. */
function synthesized(person: Person, policy: CustomersWithoutEmail): string | undefined {
  const source = person.id ?? person.name;
  if (policy === 'reject' || source === undefined) return undefined;
  const safe = source
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  // two names that look alike once made safe must not become one contact
  const plain = safe === source && safe.length <= 48;
  const digest = sha256(source).slice(0, 8);
  const local = plain ? safe : `${safe.slice(0, 39)}${safe === '' ? '' : '-'}${digest}`;
  return `customer-${local}@${policy.synthesize.replace(/^@/, '')}`;
}

// People embedded in tickets, in some complete and in others by ID only: one table for all records, so that every ID is resolved.

/** The places in a ticket in which people of a table are. */
export function compileEmbedded(context: CompileContext) {
  const rows = rowPlace(context.rootTable);
  return Object.entries(context.layout.people ?? {}).flatMap(([name, { within = [], ...rule }]) =>
    within.map(({ each, role = rule.role }) => ({
      name,
      column: mainColumn(each),
      items: compileExpression(each, rows, context),
      read: compileParts({ id: 'id', ...rule, role }, itemPlace(each, rows), context),
    })),
  );
}

/** Reads all tickets once; nothing if the layout names no such place or the export lacks them. */
export async function embeddedPeople(
  context: CompileContext,
  plan: JoinPlan,
  files: ExportFiles,
  joined: JoinedExport,
  signal: AbortSignal,
): Promise<EmbeddedPeople> {
  const sources = compileEmbedded(context).filter(({ column }) => hasObjects(column, context, plan, files));
  const people = new Map<string, Map<string, Person>>(sources.map(({ name }) => [name, new Map()]));
  if (sources.length === 0) return people;
  for await (const items of joined.tickets(signal))
    for (const item of items) {
      if (item.kind !== 'ticket') continue;
      const scope = rowScope(item, item.row, newNotes());
      for (const { name, items: list, read } of sources)
        for (const each of itemsOf(list(scope)).filter(isJsonObject)) {
          const person = read(itemScope(scope, each));
          if (person.id === undefined) continue;
          const key = comparable(person.id);
          people.get(name)?.set(key, merged(people.get(name)?.get(key), person));
        }
    }
  return people;
}

/** What is said first stays; the others fill in what it leaves out. */
function merged(one: Person | undefined, other: Person): Person {
  if (one === undefined) return other;
  const { role, roleFrom } = one.role === undefined ? other : one;
  return { id: one.id, email: one.email ?? other.email, name: one.name ?? other.name, role, roleFrom };
}

/** Whether the samples of the tickets have objects at a path. */
function hasObjects(path: string, context: CompileContext, plan: JoinPlan, { files }: ExportFiles): boolean {
  const steps = parsePath(path);
  const root = plan.tables.find(({ name }) => name === context.rootTable);
  return (root?.inputs ?? []).some(({ file, selector }) => {
    const { collections } = files.find(({ id }) => id === file)?.outline ?? {};
    const samples = collections?.find(({ path: at }) => at?.join('.') === selector?.path?.join('.'))?.sample;
    return samples?.some((sample) =>
      [valueAt(selectObject(sample, selector), steps)].flat().some(isJsonObject),
    );
  });
}
