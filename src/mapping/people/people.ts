/** A person, from columns, a row of a table of people, or objects in tickets. */

import { bareName, NO_NAME, sharedAddress } from '../../domain/decisions.ts';
import { sha256 } from '../../domain/identity.ts';
import type { ContactRef } from '../../domain/payload.ts';
import { isBrokenKey, type SourceTicket } from '../../domain/source.ts';
import { type ExportFiles, isJsonObject, type JoinPlan, selectObject } from '../../domain/source-file.ts';
import { plain, remembered, vocabulary } from '../../domain/text/vocabulary.ts';
import { keyText, personKey } from '../../source/keys.ts';
import {
  type CompileContext,
  type Evaluate,
  forValues,
  itemScope,
  mappingProblem,
  newNotes,
  type Person,
  type Read,
  type Role,
  rowPlace,
  rowScope,
  type Scope,
} from '../compile/context.ts';
import { compileExpression, compileOptional, itemPlace, itemsOf } from '../compile/expressions.ts';
import type { Place } from '../compile/paths.ts';
import { listOf, parsePath, valueAt } from '../compile/paths.ts';
import { comparable, mailbox, mailboxes } from '../compile/values.ts';
import { mainColumn } from '../language/expression.ts';
import type { PeopleTable, PersonRule } from '../language/layout.ts';

export type ReadPerson = (scope: Scope) => Person | undefined;

export function compilePerson(rule: PersonRule, place: Place, context: CompileContext): ReadPerson {
  const own = compileParts(rule, place, context);
  const named = listOf(rule.person).flatMap((name) => {
    const people = context.layout.people?.[name];
    return people === undefined ? [] : [{ name, people, find: compilePeopleTable(name, people, context) }];
  });
  const spaces = rule.person === undefined ? [''] : named.filter(mayHoldAgents).map(({ name }) => name);
  const platform = new Set(named.flatMap(({ people: { system = [] } }) => system.map(comparable)));
  return (scope) => {
    const said = own(scope);
    if (said.id !== undefined && platform.has(personKey(said.id))) return { id: said.id, role: 'system' };
    let found: Person | undefined;
    for (const { find } of said.id === undefined ? [] : named) found ??= find(said.id ?? '', scope);
    if (found === undefined) refuseChanged(said, scope, context);
    const email = said.email ?? found?.email;
    const name = said.name ?? found?.name;
    if (said.id === undefined && email === undefined && name === undefined && said.role === undefined)
      return undefined;
    const roleFrom = said.role === undefined ? found?.roleFrom : said.roleFrom;
    return {
      id: found?.id ?? said.id,
      email,
      name,
      role: said.role,
      roleFrom,
      spaces,
      listed: found?.role,
    };
  };
}

/** Two people with one rounded ID would become one, also where it is in the place of a name. */
export function refuseChanged({ id, email, name }: Person, scope: Scope, context: CompileContext): void {
  const key = id ?? (email === undefined ? name : undefined);
  if (key !== undefined && isBrokenKey(key))
    scope.notes.problems.push(mappingProblem(context, scope, 'changed-id', { id: JSON.stringify(key) }));
}

/** Two addresses in a cell are two people. */
export function oneAddress(
  text: string | undefined,
  scope: Scope,
  context: CompileContext,
): string | undefined {
  const [first, ...others] = text?.includes('@') === true ? mailboxes(text) : [];
  if (first === undefined || others.length === 0) return text;
  const address = mailbox(first).email ?? first;
  const data = { address, others: others.join(' and '), more: others.length };
  const problem = mappingProblem(context, scope, 'several-addresses', data);
  scope.notes.problems.push({ ...problem, field: 'contact.email' });
  return address;
}

/** A word for strangers is not one of that name, and a side of the talk is no person. */
const isNobody = remembered((text) => {
  const { nobody, nobodyToo, nouns } = vocabulary();
  const has = (names: readonly string[], word: string) =>
    names.some((name) => nouns[name]?.includes(word) === true);
  const word = plain(text);
  const words = word.split(' ');
  const isBeside = (each: string) =>
    nobody.includes(each) || nobodyToo.includes(each) || has(['people', 'customer', 'user', 'name'], each);
  return has(['people'], word) || (words.some((each) => nobody.includes(each)) && words.every(isBeside));
});

/** Undefined for an absent value and for a word for no person. */
export function nameText(value: unknown): string | undefined {
  const text = keyText(value);
  return text === '' || (!/[\d@]/.test(text) && isNobody(text)) ? undefined : text;
}

/** A table of customers only has IDs of its own. */
function mayHoldAgents({ people: { role, within = [] } }: { readonly people: PeopleTable }): boolean {
  const isOfCustomers = (given: PeopleTable['role']) =>
    typeof given === 'object' && 'const' in given && given.const === 'customer';
  return (
    !isOfCustomers(role) || within.some((place) => place.role !== undefined && !isOfCustomers(place.role))
  );
}

/** A role that a map drops is found by other rules, and is no loss. */
export const ROLE = 'role';

function compileParts(
  rule: Omit<PersonRule, 'person'>,
  place: Place,
  context: CompileContext,
): (scope: Scope) => Person {
  // An ID finds the person, whose name and address are sent.
  const uses = { id: 'key', email: 'person', name: 'person', role: 'decides' } as const;
  const [id, email, name, role] = (['id', 'email', 'name', 'role'] as const).map((part) =>
    compileOptional(rule[part], place, forValues(context), uses[part]),
  );
  return (scope) => {
    const text = (read: Evaluate | undefined) => nameText(read?.(scope));
    const person = { id: text(id), email: oneAddress(text(email), scope, context), name: text(name) };
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

export function compilePeopleTable(
  name: string,
  people: PeopleTable,
  context: CompileContext,
): (id: string, scope: Scope) => Person | undefined {
  const embedded = (id: string) => context.embedded.get(name)?.get(personKey(id));
  if (people.key !== undefined) context.lookups.push({ table: people.table, key: [people.key] });
  const table = context.tables.get(people.table)?.table;
  if (table === undefined) return embedded;
  const read = compileParts(people, rowPlace(people.table), context);
  const key = people.key === undefined ? table.key : [people.key];
  return (id, scope) => {
    const row = context.lookup(people.table, key, [id]);
    if (row === undefined) return embedded(id);
    scope.notes.lookedUp?.set(row.ref.row, row);
    const person = read(rowScope(scope.ticket, row, scope.notes));
    return { ...person, id: person.id ?? id };
  };
}

export function samePerson(a: Person, b: Person): boolean {
  for (const part of ['id', 'email', 'name'] as const)
    if (a[part] !== undefined && b[part] !== undefined) return personKey(a[part]) === personKey(b[part]);
  return false;
}

export function personLabel(person: Person): string {
  return person.email ?? person.name ?? person.id ?? NO_NAME;
}

export function isAddress(label: string): boolean {
  return /^\S+@\S+$/.test(label);
}

export type CustomersWithoutEmail = 'reject' | { readonly synthesize: string };

/** First and last names, perhaps with a number: "Polyanna M (2970)". */
export const FULL_NAME = /^\p{Lu}[\p{L}.'’-]*(?:\s+[\p{L}.'’-]+){1,4}(?:\s*\(\d+\))?$/u;

/** Undefined without an address, if none may be made up. An ID may be a name. */
export function contactOf(person: Person, policy: CustomersWithoutEmail): ContactRef | undefined {
  const email = person.email ?? synthesized(person, policy);
  if (email === undefined) return undefined;
  // The contact of many has no name; the note of a ticket keeps its customer's.
  if (person.email === undefined && isShared(policy)) return { email };
  const name = person.name ?? (FULL_NAME.test(person.id ?? '') ? person.id : undefined);
  return name === undefined ? { email } : { email, name: bareName(name) };
}

export function isShared(policy: CustomersWithoutEmail): boolean {
  return policy !== 'reject' && sharedAddress(policy.synthesize) !== undefined;
}

/** One address for one person: from the ID, else the name, made safe. */
function synthesized(person: Person, policy: CustomersWithoutEmail): string | undefined {
  const source = person.id ?? person.name;
  if (policy === 'reject' || source === undefined) return undefined;
  const shared = sharedAddress(policy.synthesize);
  if (shared !== undefined) return shared;
  const safe = source
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  // Two names that look alike once made safe must not become one contact.
  const plain = safe === source && safe.length <= 48;
  const digest = sha256(source).slice(0, 8);
  const local = plain ? safe : `${safe.slice(0, 39)}${safe === '' ? '' : '-'}${digest}`;
  return `customer-${local}@${policy.synthesize.replace(/^@/, '')}`;
}

// Some tickets hold people in full, others only IDs: one table for all records resolves every ID.

export function compileEmbedded(context: CompileContext) {
  const rows = rowPlace(context.rootTable);
  return Object.entries(context.layout.people ?? {}).flatMap(([name, { within = [], ...rule }]) =>
    within.map(({ each, role = rule.role }) => ({
      name,
      column: mainColumn(each),
      items: compileExpression(each, rows, context, 'list'),
      read: compileParts({ id: 'id', ...rule, role }, itemPlace(each, rows), context),
    })),
  );
}

/** `see` adds those of a ticket to the context. Without it the layout names no such place, or the export lacks them. */
export function embeddedPeople(
  context: CompileContext,
  plan: JoinPlan,
  files: ExportFiles,
): { readonly see: ((ticket: SourceTicket) => void) | undefined; readonly cells: OwnCells | undefined } {
  const reads: Read[] = [];
  const sources = compileEmbedded({ ...context, reads }).filter(({ column }) =>
    hasObjects(column, context, plan, files),
  );
  context.reads.push(...reads);
  const people = context.embedded;
  for (const { name } of sources) people.set(name, new Map());
  const see = (ticket: SourceTicket) => {
    const scope = rowScope(ticket, ticket.row, newNotes());
    for (const { name, items: list, read } of sources)
      for (const each of itemsOf(list(scope)).filter(isJsonObject)) {
        const person = read(itemScope(scope, each));
        if (person.id === undefined) continue;
        const key = personKey(person.id);
        people.get(name)?.set(key, merged(people.get(name)?.get(key), person));
      }
  };
  const cells = sources.length === 0 ? undefined : ownCells(context, reads);
  return { see: sources.length === 0 ? undefined : see, cells };
}

/** Cells of a ticket's own row, by file. */
export type OwnCells = ReadonlyMap<number, readonly (number | string)[]>;

/** Undefined if other rows of the ticket are read too. */
export function ownCells(
  { rootTable, tables, layout }: CompileContext,
  reads: readonly Read[],
): OwnCells | undefined {
  const root = tables.get(rootTable);
  const own = reads.filter(({ table }) => table === rootTable);
  const isOwn = reads.every(({ table }) => table === rootTable || layout.tables[table]?.role === 'lookup');
  if (!isOwn || root?.table.role !== 'root') return undefined;
  const cellsIn = (file: number) => own.flatMap(({ column }) => root.cells(column, file));
  return new Map(root.table.inputs.map(({ file }) => [file, [...new Set(cellsIn(file))]]));
}

function merged(one: Person | undefined, other: Person): Person {
  if (one === undefined) return other;
  const { role, roleFrom } = one.role === undefined ? other : one;
  return { id: one.id, email: one.email ?? other.email, name: one.name ?? other.name, role, roleFrom };
}

function hasObjects(path: string, context: CompileContext, plan: JoinPlan, { files }: ExportFiles): boolean {
  const steps = parsePath(path);
  const root = plan.tables.find(({ name }) => name === context.rootTable);
  return (root?.inputs ?? []).some(({ file, selector }) => {
    const { collections } = files.find(({ id }) => id === file) ?? {};
    const samples = collections?.find(({ path: at }) => at?.join('.') === selector?.path?.join('.'))?.sample;
    return samples?.some((sample) =>
      [valueAt(selectObject(sample, selector), steps)].flat().some(isJsonObject),
    );
  });
}
