/** From a person to the fields that name an actor: actorType with contact or agentId; and who is an agent in the target. */
import type { ContactRef } from '../../domain/payload.ts';
import type { SourceTicket } from '../../domain/source.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import {
  type CompileContext,
  type LossLog,
  newNotes,
  type Person,
  type Role,
  rowScope,
} from '../compile/context.ts';
import { comparable } from '../compile/values.ts';
import {
  type CustomersWithoutEmail,
  compilePeopleTable,
  contactOf,
  personLabel,
  samePerson,
} from './people.ts';

export interface AgentSettings {
  /** Source ID, address or name → agent ID. */
  readonly agents: Readonly<Record<string, string>>;
  /** Agent id for messages and events of agents without one. */
  readonly fallbackAgent: string | undefined;
}

/** Source ids, addresses or names to agent ids, and the fallback for those who left. */
export class AgentDirectory {
  readonly fallback: string | undefined;
  readonly #ids = new Map<string, string>();
  readonly #called = new Map<string, { readonly name: string; readonly who: string; isShared: boolean }>();

  constructor(settings: AgentSettings) {
    this.fallback = settings.fallbackAgent;
    for (const [source, id] of Object.entries(settings.agents)) this.add(source, id);
  }

  add(source: string, agentId: string): void {
    this.#ids.set(comparable(source), agentId);
  }

  /** By the id in the source first, then by address, then by name; without the fallback. Remembers what the export calls the agent. */
  find(person: Person): string | undefined {
    for (const key of [person.id, person.email, person.name]) {
      const found = key === undefined ? undefined : this.#ids.get(comparable(key));
      if (found === undefined) continue;
      this.noteName(found, person);
      return found;
    }
    return undefined;
  }

  /** The first name counts. An id for several people, as one may be for all who left, has no name. */
  noteName(agentId: string, { id, email, name }: Person): void {
    if (name === undefined) return;
    const before = this.#called.get(agentId);
    const who = comparable(id ?? email ?? name);
    if (before === undefined) this.#called.set(agentId, { name, who, isShared: false });
    else if (before.name !== name) before.isShared ||= before.who !== who;
  }

  /** What agents are called in the export, by their id in the target: for eyes only, nothing of it is sent. */
  names(): ReadonlyMap<string, string> {
    const own = [...this.#called].filter(([, { isShared }]) => !isShared);
    return new Map(own.map(([agentId, { name }]) => [agentId, name]));
  }
}

/** Notes the names of agents in layouts whose messages hold agent ids of the target themselves. */
export function compileTeam(
  context: CompileContext,
  agents: AgentDirectory,
): (mapped: MappedTicket, ticket: SourceTicket) => void {
  const { team = '', people = {} } = context.layout;
  const table = people[team];
  if (table === undefined || !context.tables.has(table.table)) return () => {};
  const find = compilePeopleTable(team, table, context);
  const asked = new Set<unknown>();
  return ({ ticket, messages, events }, source) => {
    const ids = [...messages, ...events].map(({ value }) => value['agentId']);
    for (const id of [ticket['assignedToId'], ...ids]) {
      if (typeof id !== 'string' || asked.has(id)) continue;
      asked.add(id);
      const person = find(id, rowScope(source, source.row, newNotes()));
      if (person !== undefined) agents.noteName(id, { ...person, id });
    }
  };
}

export interface ActorRules {
  readonly agents: AgentDirectory;
  /** Domains whose addresses are the team's, in small letters. */
  readonly agentDomains: ReadonlySet<string>;
  readonly otherwise: Role | 'unknown';
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

/** Customer or agent, by the first that decides: the source, the requester, the agents map, the team's domains, the layout's rule. */
export function roleOf(
  person: Person,
  requester: Person | undefined,
  { agents, agentDomains, otherwise }: ActorRules,
): Role | 'unknown' {
  if (person.role !== undefined) return person.role;
  if (isSame(person, requester)) return 'customer';
  const domain = person.email?.toLowerCase().split('@')[1];
  const isOfTeam = domain !== undefined && agentDomains.has(domain);
  return isOfTeam || agents.find(person) !== undefined ? 'agent' : otherwise;
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
  if (role === 'unknown') rules.loss.add('author', personLabel(person));
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
  const same = isSame(person, assignee) ? assignee : undefined;
  const id = agents.find(person) ?? (same && agents.find(same));
  if (id !== undefined) return id;
  // an address is what the target can be asked for
  const known = person.email === undefined ? same : undefined;
  loss.add('agent', personLabel(known ?? person), agents.fallback ?? '');
  return agents.fallback;
}

/** Never the fallback: no assignee is better than the wrong one. */
export function assigneeIdOf(person: Person, { agents, loss }: ActorRules): string | undefined {
  const id = agents.find(person);
  if (id === undefined) loss.add('agent', personLabel(person), '');
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
  const email = typeof contact === 'object' && contact !== null && 'email' in contact && contact.email;
  return typeof email === 'string' ? { email } : undefined;
}
