/** The ticket's own payload: its fields, the contact of the requester, the assignee. */

import type { Problem } from '../../domain/problem.ts';
import { textOf } from '../../domain/source-file.ts';
import type { Expression } from '../language/expression.ts';
import type { ContactRule, Layout } from '../language/layout.ts';
import { TICKET_FIELDS } from '../language/words.ts';
import { type ActorRules, assigneeIdOf, type Requester } from '../people/actor-rules.ts';
import { compilePerson, contactOf, contactOfTicket, type Person, personLabel } from '../people/people.ts';
import {
  type CompileContext,
  describeRule,
  mappingProblem,
  type Place,
  rowPlace,
} from './compile-context.ts';
import { compileField, compileFields, explainField, fillFields, readField, startField } from './fields.ts';
import type { Scope } from './scope.ts';
import { isEmpty } from './text-forms.ts';

export type ReadContact = (scope: Scope) => { contact: unknown; person: Person | undefined } | undefined;

export interface TicketMapping {
  map(scope: Scope): { ticket: Record<string, unknown>; requester: Requester };
}

export function compileTicket(context: CompileContext, actors: ActorRules): TicketMapping {
  const rule = context.layout.ticket;
  const place = rowPlace(context.rootTable);
  const fields = compileFields(TICKET_FIELDS, rule, place, context);
  const readContact =
    rule.contact === undefined ? undefined : compileContact(rule.contact, place, context, actors);
  const readRequester =
    rule.requester === undefined ? undefined : compilePerson(rule.requester, place, context);
  const readAssignee = rule.assignee === undefined ? undefined : compilePerson(rule.assignee, place, context);
  const comparesPeople = tellsPeopleApart(context.layout);
  const requesterRule = `requester: ${describeRule(rule.requester)}`;
  const assigneeRule = `assignee: ${describeRule(rule.assignee)}`;
  return {
    map: (scope) => {
      const ticket: Record<string, unknown> = {};
      fillFields(ticket, fields, scope);
      const given = readContact?.(scope);
      startField(scope, 'contact');
      const person = readRequester?.(scope) ?? given?.person;
      const contact =
        given?.contact ??
        (person === undefined ? undefined : contactOf(person, actors.customersWithoutEmail)) ??
        (comparesPeople ? contactOfTicket(scope.ticket.externalId, actors.customersWithoutEmail) : undefined);
      if (contact !== undefined) {
        ticket['contact'] = contact;
        if (given === undefined) explainField(scope, 'contact', contact, requesterRule);
      }
      let assignee: Person | undefined;
      if (ticket['assignedToId'] === undefined && readAssignee !== undefined) {
        startField(scope, 'assignedToId');
        assignee = readAssignee(scope);
        const id = assignee === undefined ? undefined : assigneeIdOf(assignee, actors);
        if (id !== undefined) {
          ticket['assignedToId'] = id;
          explainField(scope, 'assignedToId', id, assigneeRule);
        } else if (assignee !== undefined) scope.notes.problems.push(lostAssignee(assignee, scope, context));
      }
      return { ticket, requester: { person, contact, assignee } };
    },
  };
}

/** Nobody stands in for who is in charge, so the ticket comes without one: told, as nobody would miss it until much later. */
function lostAssignee(assignee: Person, scope: Scope, context: CompileContext): Problem {
  return mappingProblem(context, scope, {
    severity: 'warning',
    code: 'lost-assignee',
    message: `The assignee ${personLabel(assignee)} has no agent id, so the ticket is imported without an assignee.`,
  });
}

/** A contact as one expression (passed on as it is), or as its e-mail and name. */
export function compileContact(
  rule: Expression | ContactRule,
  place: Place,
  context: CompileContext,
  actors: ActorRules,
): ReadContact {
  const parts = contactParts(rule);
  if (parts === undefined) {
    const field = compileField('contact', rule as Expression, place, context);
    const comparesPeople = tellsPeopleApart(context.layout);
    return (scope) => {
      const contact = readField(field, scope);
      if (contact === undefined || contact === null) return undefined;
      // who asked is only needed where messages tell people apart
      return { contact, person: comparesPeople ? personIn(contact) : undefined };
    };
  }
  const fields = (['email', 'name'] as const).flatMap((name) => {
    const expression = parts[name];
    return expression === undefined
      ? []
      : [compileField(name, expression, place, context, `contact.${name}`)];
  });
  return (scope) => {
    const found: Record<string, unknown> = {};
    for (const field of fields) {
      const value = readField(field, scope);
      if (!isEmpty(value)) found[field.name] = textOf(value);
    }
    const person = personIn(found);
    const contact = person === undefined ? undefined : contactOf(person, actors.customersWithoutEmail);
    return contact === undefined ? undefined : { contact, person };
  };
}

function contactParts(rule: Expression | ContactRule): ContactRule | undefined {
  if (typeof rule === 'string' || Array.isArray(rule)) return undefined;
  return Object.hasOwn(rule, 'email') || Object.hasOwn(rule, 'name') ? (rule as ContactRule) : undefined;
}

function personIn(contact: unknown): Person | undefined {
  if (typeof contact !== 'object' || contact === null) return undefined;
  const text = (key: string) => {
    const value = Object.hasOwn(contact, key) ? (contact as Record<string, unknown>)[key] : undefined;
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const email = text('email');
  const name = text('name');
  if (email === undefined && name === undefined) return undefined;
  return { email, name };
}

/** Whether messages or events have authors that are compared with the requester. */
function tellsPeopleApart({ messages, events }: Layout): boolean {
  return (
    (messages ?? []).some(({ author }) => author !== undefined) ||
    (events ?? []).some(({ actor }) => actor !== undefined)
  );
}
