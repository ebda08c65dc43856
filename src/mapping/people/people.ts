/** Who wrote, asked or is in charge: a person made from columns or from a row of a table of people, and their role. */

import { AppError } from '../../domain/errors.ts';
import { sha256 } from '../../domain/hash.ts';
import { didYouMean } from '../../domain/nearest.ts';
import type { ContactRef } from '../../domain/payload.ts';
import { textOf } from '../../domain/source-file.ts';
import { listOf } from '../compile/column-path.ts';
import { type CompileContext, type Place, rowPlace } from '../compile/compile-context.ts';
import { compileExpression } from '../compile/expressions.ts';
import { type Evaluate, rowScope, type Scope } from '../compile/scope.ts';
import { comparable } from '../compile/text-forms.ts';
import type { PeopleTable, PersonRule } from '../language/layout.ts';
import type { AgentDirectory } from './agents.ts';
import type { Person, Role } from './person.ts';

export type { Person, Role };

export type ReadPerson = (scope: Scope) => Person | undefined;

export type PersonFields = { [K in 'id' | 'email' | 'name' | 'role']: Evaluate | undefined };

/** Undefined where nothing names the person. */
export function compilePerson(rule: PersonRule, place: Place, context: CompileContext): ReadPerson {
  const own = compileFields(rule, place, context);
  const tables = listOf(rule.person).map((name) => {
    const people = context.layout.people?.[name];
    if (people === undefined)
      throw new AppError(
        'configuration',
        `The layout ${context.layout.name} has no people "${name}".${didYouMean(name, Object.keys(context.layout.people ?? {}))}`,
      );
    return compilePeopleTable(name, people, context);
  });
  return (scope) => {
    const id = text(own.id, scope);
    let found: Person | undefined;
    if (id !== undefined) {
      for (const find of tables) {
        found = find(id, scope);
        if (found !== undefined) break;
      }
    }
    const said = readRole(own.role, scope);
    const email = text(own.email, scope) ?? found?.email;
    const name = text(own.name, scope) ?? found?.name;
    if (id === undefined && email === undefined && name === undefined && said.role === undefined)
      return undefined;
    return {
      id: found?.id ?? id,
      email,
      name,
      known: email === undefined ? undefined : context.personOf?.(email.trim().toLowerCase()),
      role: said.role ?? found?.role,
      roleFrom: said.role === undefined ? found?.roleFrom : said.from,
    };
  };
}

export function compileFields(
  rule: Omit<PersonRule, 'person'>,
  place: Place,
  context: CompileContext,
): PersonFields {
  return {
    id: compileExpression(rule.id, place, context),
    email: compileExpression(rule.email, place, context),
    name: compileExpression(rule.name, place, context),
    role: compileExpression(rule.role, place, context),
  };
}

/** Rows of a table of people, by id, and people who stand in records of tickets. */
export function compilePeopleTable(
  name: string,
  people: PeopleTable,
  context: CompileContext,
): (id: string, scope: Scope) => Person | undefined {
  const embedded = (id: string) => context.embedded().get(name)?.get(comparable(id));
  const fields = compileFields(people, rowPlace(people.table), context);
  const table = context.tables.get(people.table);
  if (table === undefined) return embedded;
  const key = people.key === undefined ? table.table.key : [people.key];
  return (id, scope) => {
    const row = context.lookup(people.table, key, [id]);
    if (row === undefined) return embedded(id);
    const person = readPerson(fields, rowScope(scope.ticket, row, scope.notes));
    return { ...person, id: person.id ?? id };
  };
}

export function readPerson(fields: PersonFields, scope: Scope): Person {
  const said = readRole(fields.role, scope);
  return {
    id: text(fields.id, scope),
    email: text(fields.email, scope),
    name: text(fields.name, scope),
    role: said.role,
    roleFrom: said.from,
  };
}

function text(read: Evaluate | undefined, scope: Scope): string | undefined {
  if (read === undefined) return undefined;
  const value = textOf(read(scope)).trim();
  return value === '' ? undefined : value;
}

function readRole(
  read: Evaluate | undefined,
  scope: Scope,
): { role: Role | undefined; from: string | undefined } {
  if (read === undefined) return { role: undefined, from: undefined };
  scope.notes.mappedFrom = undefined;
  scope.notes.field = ROLE;
  const value = comparable(read(scope));
  const role = value === 'customer' || value === 'agent' || value === 'system' ? value : undefined;
  return { role, from: scope.notes.mappedFrom ?? role };
}

/** Name of the field while roles are read: a role that a map drops is found by other rules, and is no loss. */
export const ROLE = 'role';

export interface RoleRules {
  readonly agents: AgentDirectory;
  /** Domains whose addresses are the team's, in small letters. */
  readonly agentDomains: ReadonlySet<string>;
  readonly otherwise: Role | 'unknown';
}

/**
 * Customer or agent, by the first of these that tells: what the source says; being the requester; standing in the
 * agents map; an address in one of the team's domains; the layout's rule for all others.
 */
export function roleOf(person: Person, requester: Person | undefined, rules: RoleRules): Role | 'unknown' {
  if (person.role !== undefined) return person.role;
  if (requester !== undefined && samePerson(person, requester)) return 'customer';
  if (rules.agents.knows(person)) return 'agent';
  const domain = person.email?.toLowerCase().split('@')[1];
  if (domain !== undefined && rules.agentDomains.has(domain)) return 'agent';
  return rules.otherwise;
}

export function samePerson(a: Person, b: Person): boolean {
  if (a.known !== undefined && a.known === b.known) return true;
  if (a.id !== undefined && b.id !== undefined) return comparable(a.id) === comparable(b.id);
  if (a.email !== undefined && b.email !== undefined) return comparable(a.email) === comparable(b.email);
  return a.name !== undefined && b.name !== undefined && comparable(a.name) === comparable(b.name);
}

/** How a person stands in loss reports: the address if there is one. */
export function personLabel(person: Person): string {
  return person.email ?? person.name ?? person.id ?? '(nobody)';
}

/** Whether an agent who is known by this can be asked for in the target. */
export function isAddress(label: string): boolean {
  return /^\S+@\S+$/.test(label);
}

/** `reject`: the message fails checking. `synthesize`: an address under a domain that the user owns. */
export type CustomersWithoutEmail = 'reject' | { readonly synthesize: string };

/** Undefined where there is no address and none may be made up. */
export function contactOf(person: Person, policy: CustomersWithoutEmail): ContactRef | undefined {
  const email = person.email ?? synthesized(person, policy);
  if (email === undefined) return undefined;
  return person.name === undefined ? { email } : { email, name: person.name };
}

/** Somebody wrote and nothing says who: a contact of that ticket alone, where addresses may be made up. */
export function contactOfTicket(externalId: string, policy: CustomersWithoutEmail): ContactRef | undefined {
  return contactOf({ id: `of-ticket-${externalId}` }, policy);
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
