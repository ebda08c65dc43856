/** From a person to the fields that name an actor: actorType with contact or agentId. */
import type { ContactRef } from '../../domain/payload.ts';
import type { LossLog } from '../compile/loss-log.ts';
import {
  type CustomersWithoutEmail,
  contactOf,
  type Person,
  personLabel,
  type Role,
  type RoleRules,
  roleOf,
  samePerson,
} from './people.ts';

export interface ActorRules extends RoleRules {
  readonly customersWithoutEmail: CustomersWithoutEmail;
  readonly loss: LossLog;
}

export interface Actor {
  readonly role: Role | 'unknown';
  /** The source's word for the role, for the plan. */
  readonly from: string;
  readonly contact: ContactRef | undefined;
  readonly agentId: string | undefined;
}

/** What a ticket knows about the one who asked, and about the one in charge. */
export interface Requester {
  readonly person: Person | undefined;
  readonly contact: unknown;
  readonly assignee?: Person | undefined;
}

const NOBODY: Person = {};

/** `said`: a role that the message itself states; it comes before all other rules. */
export function actorOf(
  person: Person | undefined,
  said: Role | undefined,
  requester: Requester,
  rules: ActorRules,
): Actor {
  const who = person ?? NOBODY;
  const role = said ?? roleOf(who, requester.person, rules);
  const from = said ?? who.roleFrom ?? (role === 'unknown' ? 'unknown' : wordFor(who, requester, rules));
  if (role === 'customer') {
    const own = contactOf(who, rules.customersWithoutEmail);
    const nameless = who.id === undefined && who.email === undefined && who.name === undefined;
    const isRequester = nameless || (requester.person !== undefined && samePerson(who, requester.person));
    const contact = own ?? (isRequester ? emailOnly(requester.contact) : undefined);
    return { role, from, contact, agentId: undefined };
  }
  if (role === 'agent')
    return { role, from, contact: undefined, agentId: agentIdOf(who, requester.assignee, rules) };
  if (role === 'unknown') rules.loss.unknownAuthor(personLabel(who));
  return { role, from, contact: undefined, agentId: undefined };
}

/**
 * The agent's id or the fallback; a missing id is counted, with the fallback that stands in for it. Who is called as the
 * one in charge of the ticket, of whom more is known, is the same person.
 */
function agentIdOf(person: Person, assignee: Person | undefined, rules: ActorRules): string | undefined {
  const { agents } = rules;
  const isAssignee = assignee !== undefined && samePerson(person, assignee);
  const id = agents.find(person) ?? (isAssignee ? agents.find(assignee) : undefined);
  if (id !== undefined) {
    agents.noteName(id, person);
    return id;
  }
  // an address is what the target can be asked for
  const label = personLabel(isAssignee && person.email === undefined ? assignee : person);
  rules.loss.agentWithoutId(label, agents.fallback);
  return agents.fallback;
}

/** The role that a rule of the layout gives to the author of a message or event. */
export function saidRole({ actorType }: Readonly<Record<string, unknown>>): Role | undefined {
  return actorType === 'customer' || actorType === 'agent' || actorType === 'system' ? actorType : undefined;
}

/** Someone in charge of a ticket: never the fallback, as nobody is better than the wrong one. */
export function assigneeIdOf(person: Person, rules: ActorRules): string | undefined {
  const id = rules.agents.find(person);
  if (id === undefined) rules.loss.agentWithoutId(personLabel(person), undefined);
  else rules.agents.noteName(id, person);
  return id;
}

function wordFor(person: Person, requester: Requester, rules: ActorRules): string {
  if (requester.person !== undefined && samePerson(person, requester.person)) return 'the requester';
  if (rules.agents.knows(person)) return 'in the agents map';
  return person === NOBODY ? 'nobody named' : 'others';
}

function emailOnly(contact: unknown): ContactRef | undefined {
  if (typeof contact !== 'object' || contact === null || !Object.hasOwn(contact, 'email')) return undefined;
  const { email } = contact as { email: unknown };
  return typeof email === 'string' ? { email } : undefined;
}
