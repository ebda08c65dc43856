/** From a person to actorType with contact or agentId; and who is an agent in the helpdesk. */

import type { AgentRecord } from '../../domain/decisions.ts';
import type { ContactRef } from '../../domain/payload.ts';
import type { SourceTicket } from '../../domain/source.ts';
import type { MappedTicket, NamedPerson } from '../../domain/ticket.ts';
import { personKey } from '../../source/keys.ts';
import {
  type CompileContext,
  type Notes,
  newNotes,
  type Person,
  type Role,
  rowScope,
} from '../compile/context.ts';
import type { Entries } from '../compile/entries.ts';
import { comparable } from '../compile/values.ts';
import {
  type CustomersWithoutEmail,
  compilePeopleTable,
  contactOf,
  isAddress,
  personLabel,
  samePerson,
} from './people.ts';

export interface AgentSettings {
  readonly agents: Readonly<Record<string, string>>;
  readonly fallbackAgent: string | undefined;
}

const STAND_IN = 'agent:';
/** A mapping that takes customers for agents must not ask for each of them. */
const MOST_ASKED = 1000;

/** A placeholder for an agent who is looked up at import. */
export function standIn(email: string): string {
  return `${STAND_IN}${email}`;
}

export function isStandIn(id: string): boolean {
  return id.startsWith(STAND_IN);
}

export class AgentDirectory {
  readonly fallback: string | undefined;
  readonly #ids = new Map<string, string>();
  readonly #listed: ReadonlySet<string>;
  readonly #team = new Set<string>();
  readonly #found = new Map<string, 'found' | 'later'>();
  readonly #asked = new Set<string>();
  readonly #unasked = new Set<string>();
  readonly #called = new Map<string, { readonly name: string; readonly who: string; isShared: boolean }>();

  constructor(settings: AgentSettings) {
    this.fallback = settings.fallbackAgent;
    this.#listed = new Set(Object.keys(settings.agents).map(personKey));
    for (const [source, id] of Object.entries(settings.agents)) this.add(source, id);
  }

  add(source: string, agentId: string): void {
    this.#ids.set(personKey(source), agentId);
  }

  has(label: string): boolean {
    return this.#ids.has(personKey(label));
  }

  howOf(agentId: string): 'listed' | 'found' | 'later' {
    return this.#found.get(agentId) ?? 'listed';
  }

  /** New addresses of the last ticket, to ask the helpdesk about. */
  takeUnasked(): string[] {
    const found = [...this.#unasked];
    this.#unasked.clear();
    return found;
  }

  answer(address: string, id: string | undefined): void {
    this.#asked.add(address);
    if (id === undefined) return;
    this.#found.set(id, isStandIn(id) ? 'later' : 'found');
    this.add(address, id);
  }

  /** The helpdesk can be asked for an address only. */
  lacks(label: string): void {
    if (isAddress(label) && !this.#asked.has(label) && this.#asked.size < MOST_ASKED)
      this.#unasked.add(label);
  }

  /** By source ID, then address, then name; without the fallback. Remembers the agent's name. */
  find(person: Person): string | undefined {
    for (const key of [person.id, person.email, person.name]) {
      const found = key === undefined ? undefined : this.#ids.get(personKey(key));
      if (found === undefined) continue;
      this.noteName(found, person);
      return found;
    }
    return undefined;
  }

  /** Assignees are agents in all of the export, even with another role today. */
  addAssignee({ id, spaces = [], email, name }: Person): void {
    for (const space of id === undefined ? [] : spaces) this.#team.add(`${space} ${personKey(id ?? '')}`);
    for (const part of [email, name]) if (part !== undefined) this.#team.add(personKey(part));
  }

  /** By the settings. A message's own word and an ID of some other table are weaker. */
  isListed({ id, spaces = [], email }: Person): boolean {
    const isOfTable = id !== undefined && spaces.some((space) => space !== '');
    return [email, isOfTable ? id : undefined].some(
      (key) => key !== undefined && this.#listed.has(personKey(key)),
    );
  }

  /** A name alone proves little of a person with an ID or address: a customer may have the same. */
  isAgent({ id, spaces = [], email, name }: Person): 'surely' | 'by name' | undefined {
    const has = (key: string | undefined) =>
      key !== undefined && (this.#listed.has(personKey(key)) || this.#team.has(personKey(key)));
    const isOfTeam =
      id !== undefined &&
      spaces.some((space) => this.#listed.has(personKey(id)) || this.#team.has(`${space} ${personKey(id)}`));
    if (isOfTeam || has(email)) return 'surely';
    const called = name ?? (spaces.includes('') ? id : undefined);
    if (!has(called)) return undefined;
    return (id === undefined || id === called) && email === undefined ? 'surely' : 'by name';
  }

  /** The first name counts. An ID shared by several people has no name. */
  noteName(agentId: string, { id, email, name }: Person): void {
    if (name === undefined) return;
    const before = this.#called.get(agentId);
    const who = comparable(id ?? email ?? name);
    if (before === undefined) this.#called.set(agentId, { name, who, isShared: false });
    else if (before.name !== name) before.isShared ||= before.who !== who;
  }

  /** Names in the export by helpdesk ID; not sent. */
  names(): ReadonlyMap<string, string> {
    const own = [...this.#called].filter(([, { isShared }]) => !isShared);
    return new Map(own.map(([agentId, { name }]) => [agentId, name]));
  }
}

/** For layouts whose messages hold agent IDs of the helpdesk. */
export function compileTeam(
  context: CompileContext,
  agents: AgentDirectory,
): (mapped: MappedTicket, ticket: SourceTicket, notes: Notes) => void {
  const { team = '', people = {} } = context.layout;
  const table = people[team];
  if (table === undefined || !context.tables.has(table.table)) return () => {};
  const find = compilePeopleTable(team, table, context);
  const asked = new Set<unknown>();
  return ({ ticket, messages, events }, source, notes) => {
    const ids = [...messages, ...events].map(({ value }) => value['agentId']);
    for (const id of [ticket['assignedToId'], ...ids]) {
      if (typeof id !== 'string' || asked.has(id)) continue;
      asked.add(id);
      const person = find(id, rowScope(source, source.row, newNotes(notes)));
      if (person !== undefined) agents.noteName(id, { ...person, id });
    }
  };
}

export interface ActorRules {
  readonly agents: AgentDirectory;
  readonly agentDomains: ReadonlySet<string>;
  readonly otherwise: PersonKind;
  readonly customersWithoutEmail: CustomersWithoutEmail;
  readonly entries: Entries;
}

type PersonKind = Role | 'unknown';

interface Actor {
  readonly role: PersonKind;
  readonly from: string;
  readonly contact?: ContactRef | undefined;
  readonly signed?: Signed | undefined;
}

/** An agent, as the export calls them; `id`: theirs in the helpdesk, or the fallback's. */
export type Signed = Pick<AgentRecord, 'agent' | 'name' | 'how' | 'id'>;

export interface Requester {
  readonly ticket: string;
  readonly person: Person | undefined;
  readonly contact: unknown;
  readonly assignee?: Person | undefined;
}

/** The role of a person in all of the export; `by`: its evidence. */
export function kindOfPerson(
  person: Person,
  { agents, agentDomains }: ActorRules,
): { readonly kind: PersonKind; readonly by: 'platform' | 'team' | 'domain' | 'role' | 'name' | 'nothing' } {
  if (person.role === 'system') return { kind: 'system', by: 'platform' };
  const isAgent = agents.isAgent(person);
  if (isAgent === 'surely' || person.listed === 'agent') return { kind: 'agent', by: 'team' };
  const domain = person.email?.toLowerCase().split('@')[1];
  if (domain !== undefined && agentDomains.has(domain)) return { kind: 'agent', by: 'domain' };
  if (person.listed !== undefined) return { kind: person.listed, by: 'role' };
  return isAgent === undefined ? { kind: 'unknown', by: 'nothing' } : { kind: 'agent', by: 'name' };
}

/** `otherwise`: what a message makes of a person whom the export does not describe. */
export function withKind(person: Person, otherwise: PersonKind, rules: ActorRules): NamedPerson {
  const { kind } = kindOfPerson(person, rules);
  return { ...person, kind: kind === 'unknown' ? otherwise : kind };
}

/** The message's own word, else the person's role. A requester known only by the team's domain or name is the ticket's customer. */
export function roleOf(person: Person, requester: Person | undefined, rules: ActorRules): PersonKind {
  if (person.role !== undefined) return person.role;
  const { kind, by } = kindOfPerson(person, rules);
  if (by !== 'team' && isSame(person, requester)) return 'customer';
  return kind === 'unknown' ? rules.otherwise : kind;
}

/** An agent who is not the requester. */
export function isOtherAgent(person: Person, requester: Person | undefined, rules: ActorRules): boolean {
  return !isSame(person, requester) && roleOf(person, requester, rules) === 'agent';
}

/** A message without an author is a stranger's, never the requester's. */
const deletedAccount = ({ ticket }: Requester): Person => {
  return { id: `deleted-account-of-ticket-${ticket}`, name: 'Deleted account' };
};

/** Comes before all other rules. */
interface Stated {
  readonly role: Role | undefined;
  readonly isInternal?: boolean;
  readonly isOfTicket?: boolean;
  readonly namesNoCustomer?: boolean;
}

export function actorOf(person: Person = {}, stated: Stated, requester: Requester, rules: ActorRules): Actor {
  const said = stated.role ?? roleOf(person, requester.person, rules);
  const found = said === 'customer' && rules.agents.isListed(person) ? 'agent' : said;
  // An internal note of an unknown author is the team's.
  const role = found === 'unknown' && stated.isInternal === true ? 'agent' : found;
  const isListed = person.role === role || person.listed === role;
  const from =
    (stated.role === role ? role : undefined) ??
    (isListed ? person.roleFrom : undefined) ??
    (role === 'unknown' ? role : wordFor(person, requester, rules));
  if (role === 'customer') {
    const isNobody = person.id === undefined && person.email === undefined && person.name === undefined;
    const isAnonymous =
      isNobody &&
      ((stated.isOfTicket === true && requester.person === undefined) ||
        (stated.namesNoCustomer === true && (stated.role ?? person.role) === 'customer'));
    const author = isNobody && !isAnonymous ? deletedAccount(requester) : person;
    const own = contactOf(author, rules.customersWithoutEmail);
    const isRequester = isAnonymous || isSame(author, requester.person);
    const { email, name, id } = requester.person ?? {};
    // Only the requester's address is known, and no name contradicts it.
    const isTheirs = isRequester || (name === undefined && id === undefined && author === person);
    if (email !== undefined && author.email === undefined && isTheirs)
      return { role, from, contact: emailOnly(requester.contact) };
    if (stated.isInternal === true) rules.entries.add('customersNote', personLabel(author));
    return { role, from, contact: own ?? (isRequester ? emailOnly(requester.contact) : undefined) };
  }
  if (role === 'agent') return { role, from, signed: agentOf(person, requester.assignee, rules) };
  if (role === 'unknown') rules.entries.add('author', personLabel(person));
  return { role, from };
}

/** An author with the assignee's name is the assignee. */
export function agentOf(person: Person, assignee: Person | undefined, { agents }: ActorRules): Signed {
  const same = isSame(person, assignee) ? assignee : undefined;
  const id = agents.find(person) ?? (same && agents.find(same));
  // The helpdesk can be asked for an address only.
  const known = (person.email === undefined ? same : undefined) ?? person;
  if (id === undefined) agents.lacks(personLabel(known));
  const how = id !== undefined ? agents.howOf(id) : agents.fallback === undefined ? 'none' : 'fallback';
  return { agent: personLabel(known), name: known.name, how, id: id ?? agents.fallback };
}

/** Never the fallback: no assignee is better than the wrong one. */
export function assigneeIdOf(person: Person, { agents, entries }: ActorRules): string | undefined {
  const id = agents.find(person);
  if (id === undefined) agents.lacks(personLabel(person));
  const how = id === undefined ? 'none' : agents.howOf(id);
  entries.agent('assigned', { agent: personLabel(person), name: person.name, how, id });
  return id;
}

function wordFor(person: Person, requester: Requester, { agents }: ActorRules): string {
  const id = agents.find(person);
  const isListed = id !== undefined && agents.howOf(id) === 'listed';
  if (agents.isAgent(person) === 'surely' && !isListed) return 'an assignee';
  if (isSame(person, requester.person)) return 'the requester';
  if (id !== undefined) return 'listed under agents';
  return Object.keys(person).length === 0 ? 'no name' : 'others';
}

function isSame(person: Person, other: Person | undefined): boolean {
  return other !== undefined && samePerson(person, other);
}

function emailOnly(contact: unknown): ContactRef | undefined {
  const email = typeof contact === 'object' && contact !== null && 'email' in contact && contact.email;
  return typeof email === 'string' ? { email } : undefined;
}
