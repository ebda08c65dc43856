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

interface Actor {
  readonly role: Role | 'unknown';
  /** The source's word for the role, for the plan. */
  readonly from: string;
  readonly contact?: ContactRef | undefined;
  readonly agentId?: string | undefined;
}

/** The requester of a ticket, and its assignee. */
export interface Requester {
  readonly person: Person | undefined;
  readonly contact: unknown;
  readonly assignee?: Person | undefined;
}

/** `said`: a role that the message itself states; it comes before all other rules. */
export function actorOf(
  person: Person = {},
  said: Role | undefined,
  requester: Requester,
  rules: ActorRules,
): Actor {
  const role = said ?? roleOf(person, requester.person, rules);
  const from = said ?? person.roleFrom ?? (role === 'unknown' ? role : wordFor(person, requester, rules));
  if (role === 'customer') {
    const isNameless = person.id === undefined && person.email === undefined && person.name === undefined;
    const isRequester = isNameless || isSame(person, requester.person);
    const own = contactOf(person, rules.customersWithoutEmail);
    return { role, from, contact: own ?? (isRequester ? emailOnly(requester.contact) : undefined) };
  }
  if (role === 'agent') return { role, from, agentId: agentIdOf(person, requester.assignee, rules) };
  if (role === 'unknown') rules.loss.unknownAuthor(personLabel(person));
  return { role, from };
}

/**
 * The agent's id or the fallback; a missing id is counted, with the fallback that replaces it. An author with the name of the
 * assignee, of whom more is known, is the assignee.
 */
function agentIdOf(
  person: Person,
  assignee: Person | undefined,
  { agents, loss }: ActorRules,
): string | undefined {
  const isAssignee = isSame(person, assignee);
  const id = agents.find(person) ?? (isAssignee && assignee ? agents.find(assignee) : undefined);
  if (id !== undefined) return id;
  // an address is what the target can be asked for
  const known = isAssignee && person.email === undefined ? assignee : undefined;
  loss.agentWithoutId(personLabel(known ?? person), agents.fallback);
  return agents.fallback;
}

/** The role that a rule of the layout gives to the author of a message or event. */
export function saidRole({ actorType }: Readonly<Record<string, unknown>>): Role | undefined {
  return actorType === 'customer' || actorType === 'agent' || actorType === 'system' ? actorType : undefined;
}

/** Never the fallback: no assignee is better than the wrong one. */
export function assigneeIdOf(person: Person, { agents, loss }: ActorRules): string | undefined {
  const id = agents.find(person);
  if (id === undefined) loss.agentWithoutId(personLabel(person), undefined);
  return id;
}

function wordFor(person: Person, requester: Requester, { agents }: ActorRules): string {
  if (isSame(person, requester.person)) return 'the requester';
  if (agents.find(person) !== undefined) return 'in the agents map';
  return Object.keys(person).length === 0 ? 'no name' : 'others';
}

function isSame(person: Person, other: Person | undefined): boolean {
  return other !== undefined && samePerson(person, other);
}

function emailOnly(contact: unknown): ContactRef | undefined {
  if (typeof contact !== 'object' || contact === null || !Object.hasOwn(contact, 'email')) return undefined;
  const { email } = contact as { email: unknown };
  return typeof email === 'string' ? { email } : undefined;
}
