/** Who wrote, asked or is in charge: a person made from columns or from a row of a table of people, and their role. */

import { sha256 } from '../../domain/hash.ts';
import type { ContactRef } from '../../domain/payload.ts';
import { textOf } from '../../domain/source-file.ts';
import { NO_NAME } from '../../domain/survey.ts';
import { listOf } from '../compile/column-path.ts';
import { type CompileContext, type Place, rowPlace } from '../compile/compile-context.ts';
import { compileOptional } from '../compile/expressions.ts';
import { type Evaluate, rowScope, type Scope } from '../compile/scope.ts';
import { comparable } from '../compile/text-forms.ts';
import type { PeopleTable, PersonRule } from '../language/layout.ts';
import type { AgentDirectory } from './agents.ts';
import type { Person, Role } from './person.ts';

export type { Person, Role };

export type ReadPerson = (scope: Scope) => Person | undefined;

type PersonFields = { [K in 'id' | 'email' | 'name' | 'role']: Evaluate | undefined };

/** Undefined where nothing names the person. */
export function compilePerson(rule: PersonRule, place: Place, context: CompileContext): ReadPerson {
  const own = compileFields(rule, place, context);
  const tables = listOf(rule.person).flatMap((name) => {
    const people = context.layout.people?.[name];
    return people === undefined ? [] : [compilePeopleTable(name, people, context)];
  });
  return (scope) => {
    const said = readPerson(own, scope);
    let found: Person | undefined;
    for (const find of said.id === undefined ? [] : tables) found ??= find(said.id ?? '', scope);
    const email = said.email ?? found?.email;
    const name = said.name ?? found?.name;
    if (said.id === undefined && email === undefined && name === undefined && said.role === undefined)
      return undefined;
    return {
      id: found?.id ?? said.id,
      email,
      name,
      known: email === undefined ? undefined : context.personOf?.(email.trim().toLowerCase()),
      role: said.role ?? found?.role,
      roleFrom: said.role === undefined ? found?.roleFrom : said.roleFrom,
    };
  };
}

export function compileFields(
  rule: Omit<PersonRule, 'person'>,
  place: Place,
  context: CompileContext,
): PersonFields {
  return {
    id: compileOptional(rule.id, place, context),
    email: compileOptional(rule.email, place, context),
    name: compileOptional(rule.name, place, context),
    role: compileOptional(rule.role, place, context),
  };
}

/** Rows of a table of people, by id, and people within records of tickets. */
export function compilePeopleTable(
  name: string,
  people: PeopleTable,
  context: CompileContext,
): (id: string, scope: Scope) => Person | undefined {
  const embedded = (id: string) => context.embedded().get(name)?.get(comparable(id));
  const table = context.tables.get(people.table)?.table;
  if (table === undefined) return embedded;
  const fields = compileFields(people, rowPlace(people.table), context);
  const key = people.key === undefined ? table.key : [people.key];
  return (id, scope) => {
    const row = context.lookup(people.table, key, [id]);
    if (row === undefined) return embedded(id);
    const person = readPerson(fields, rowScope(scope.ticket, row, scope.notes));
    return { ...person, id: person.id ?? id };
  };
}

export function readPerson(fields: PersonFields, scope: Scope): Person {
  const text = (read: Evaluate | undefined) => textOf(read?.(scope)).trim() || undefined;
  const [id, email, name] = [text(fields.id), text(fields.email), text(fields.name)];
  return { id, email, name, ...readRole(fields.role, scope) };
}

function readRole(read: Evaluate | undefined, scope: Scope): Pick<Person, 'role' | 'roleFrom'> {
  if (read === undefined) return {};
  scope.notes.mappedFrom = undefined;
  scope.notes.field = ROLE;
  const value = comparable(read(scope));
  const role = value === 'customer' || value === 'agent' || value === 'system' ? value : undefined;
  return { role, roleFrom: scope.notes.mappedFrom ?? role };
}

/** Name of the field while roles are read: a role that a map drops is found by other rules, and is no loss. */
export const ROLE = 'role';

export interface RoleRules {
  readonly agents: AgentDirectory;
  /** Domains whose addresses are the team's, in small letters. */
  readonly agentDomains: ReadonlySet<string>;
  readonly otherwise: Role | 'unknown';
}

/** Customer or agent, by the first that decides: the source, the requester, the agents map, the team's domains, the layout's rule. */
export function roleOf(person: Person, requester: Person | undefined, rules: RoleRules): Role | 'unknown' {
  if (person.role !== undefined) return person.role;
  if (requester !== undefined && samePerson(person, requester)) return 'customer';
  const domain = person.email?.toLowerCase().split('@')[1];
  const isOfTeam = domain !== undefined && rules.agentDomains.has(domain);
  return isOfTeam || rules.agents.find(person) !== undefined ? 'agent' : rules.otherwise;
}

export function samePerson(a: Person, b: Person): boolean {
  if (a.known !== undefined && a.known === b.known) return true;
  if (a.id !== undefined && b.id !== undefined) return comparable(a.id) === comparable(b.id);
  if (a.email !== undefined && b.email !== undefined) return comparable(a.email) === comparable(b.email);
  return a.name !== undefined && b.name !== undefined && comparable(a.name) === comparable(b.name);
}

/** A person's name in loss reports: the address if there is one. */
export function personLabel(person: Person): string {
  return person.email ?? person.name ?? person.id ?? NO_NAME;
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
