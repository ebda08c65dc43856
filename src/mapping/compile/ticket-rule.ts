import type { JsonObject, SourceTicket } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import type { Expression } from '../language/expression.ts';
import { type ContactRule, type Layout, TICKET_FIELDS } from '../language/layout.ts';
import { type ActorRules, assigneeIdOf, type Requester } from '../people/actors.ts';
import {
  compilePerson,
  contactOf,
  nameText,
  type OwnCells,
  oneAddress,
  ownCells,
  personLabel,
  refuseChanged,
} from '../people/people.ts';
import {
  type CompileContext,
  forValues,
  mappingProblem,
  newNotes,
  type Person,
  type Read,
  rowPlace,
  rowScope,
  type Scope,
} from './context.ts';
import {
  compileField,
  compileFields,
  describeRule,
  explainField,
  fillFields,
  readField,
  startField,
} from './items.ts';
import type { Place } from './paths.ts';
import { isAbsent, isEmpty } from './values.ts';

export type ReadContact = (scope: Scope) => { contact: unknown; person: Person | undefined } | undefined;

type MapTicket = (scope: Scope) => { ticket: Record<string, unknown>; requester: Requester };

export function compileTicket(context: CompileContext, actors: ActorRules): MapTicket {
  const rule = context.layout.ticket;
  const { customersWithoutEmail } = actors;
  const place = rowPlace(context.rootTable);
  const fields = compileFields(TICKET_FIELDS, rule, place, context);
  const readContact =
    rule.contact === undefined ? undefined : compileContact(rule.contact, place, context, actors);
  const readRequester = rule.requester && compilePerson(rule.requester, place, context);
  const readAssignee = rule.assignee && compilePerson(rule.assignee, place, context);
  const comparesPeople = tellsPeopleApart(context.layout);
  const requesterRule = `requester: ${describeRule(rule.requester)}`;
  const assigneeRule = `assignee: ${describeRule(rule.assignee)}`;
  return (scope) => {
    const { externalId } = scope.ticket;
    const ticket: Record<string, unknown> = {};
    fillFields(ticket, fields, scope);
    const given = readContact?.(scope);
    startField(scope, 'contact');
    const person = asPerson(readRequester?.(scope)) ?? given?.person;
    // An unnamed contact belongs to that ticket alone, if addresses may be made up.
    const contact =
      given?.contact ??
      (person && contactOf(person, customersWithoutEmail)) ??
      (comparesPeople ? contactOf({ id: `of-ticket-${externalId}` }, customersWithoutEmail) : undefined);
    if (contact !== undefined) ticket['contact'] = contact;
    if (person !== undefined) noteRequester(person, contact, actors);
    if (given === undefined) explainField(scope, 'contact', contact, requesterRule);
    if (ticket['assignedToId'] !== undefined || readAssignee === undefined)
      return { ticket, requester: { ticket: externalId, person, contact } };
    startField(scope, 'assignedToId');
    const assignee = asPerson(readAssignee(scope));
    const id = assignee && assigneeIdOf(assignee, actors);
    if (id !== undefined) ticket['assignedToId'] = id;
    else if (assignee !== undefined) {
      const data = { name: personLabel(assignee) };
      scope.notes.problems.push(mappingProblem(context, scope, 'lost-assignee', data));
    }
    explainField(scope, 'assignedToId', id, assigneeRule);
    return { ticket, requester: { ticket: externalId, person, contact, assignee } };
  };
}

function noteRequester(person: Person, contact: unknown, { agents, entries }: ActorRules): void {
  const { id, email, name } = person;
  if (agents.isListed(person)) entries.add('agentAsks', personLabel(person));
  if (contact !== undefined && email === undefined && name !== undefined && (id ?? name) === name)
    entries.add('byName', name);
}

export interface Assignees {
  of(ticket: SourceTicket): Person | undefined;
  readonly cells: OwnCells | undefined;
}

/** Used before any ticket is mapped. */
export function compileAssignee(context: CompileContext): Assignees {
  const { assignee } = context.layout.ticket;
  const reads: Read[] = [];
  const read = assignee && compilePerson(assignee, rowPlace(context.rootTable), { ...context, reads });
  context.reads.push(...reads);
  return {
    of: (ticket) => asPerson(read?.(rowScope(ticket, ticket.row, newNotes()))),
    cells: ownCells(context, reads),
  };
}

/** The platform itself is no requester and no assignee. */
function asPerson(person: Person | undefined): Person | undefined {
  return person?.role === 'system' ? undefined : person;
}

export function compileContact(
  rule: Expression | ContactRule,
  place: Place,
  context: CompileContext,
  { customersWithoutEmail }: ActorRules,
): ReadContact {
  if (!hasParts(rule)) {
    const field = compileField('contact', rule, place, context);
    const comparesPeople = tellsPeopleApart(context.layout);
    return (scope) => {
      const found = readField(field, scope);
      const contact = isJsonObject(found) ? filledIn(found) : found;
      if (contact === undefined || contact === null) return undefined;
      // The requester is only needed if messages have people.
      return { contact, person: comparesPeople ? personIn(contact) : undefined };
    };
  }
  const fields = compileFields(['email', 'name'], rule, place, forValues(context), 'contact.');
  return (scope) => {
    const found: Record<string, unknown> = {};
    for (const field of fields) {
      const value = readField(field, scope);
      if (!isEmpty(value)) found[field.name] = textOf(value);
    }
    const said = personIn(found);
    const person = said && { ...said, email: oneAddress(said.email, scope, context) };
    if (person !== undefined) refuseChanged(person, scope, context);
    const contact = person && contactOf(person, customersWithoutEmail);
    return contact && { contact, person };
  };
}

function hasParts(rule: Expression | ContactRule): rule is ContactRule {
  return typeof rule === 'object' && (Object.hasOwn(rule, 'email') || Object.hasOwn(rule, 'name'));
}

function filledIn(contact: JsonObject): JsonObject | undefined {
  const all = Object.entries(contact);
  const filled = all.filter(([, value]) => !isAbsent(value));
  return filled.length === 0 && all.length > 0 ? undefined : Object.fromEntries(filled);
}

function personIn(contact: unknown): Person | undefined {
  if (!isJsonObject(contact)) return undefined;
  const text = (key: string) => {
    const value = Object.hasOwn(contact, key) ? contact[key] : undefined;
    return typeof value === 'string' ? nameText(value) : undefined;
  };
  const [email, name] = [text('email'), text('name')];
  return email === undefined && name === undefined ? undefined : { email, name };
}

function tellsPeopleApart({ messages = [], events = [] }: Layout): boolean {
  return (
    messages.some(({ author }) => author !== undefined) || events.some(({ actor }) => actor !== undefined)
  );
}
