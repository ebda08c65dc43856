/** Whether the right people speak: customers and agents told apart, and the requester the one who asked. */
import type { NamedPerson } from '../domain/ticket.ts';
import { Count, type Finding, many, type Places } from './finding.ts';
import { KeySketch } from './key-sketch.ts';
import type { SeenMessage, SeenTicket } from './seen-ticket.ts';

/** Fewer tickets than this tell nothing about all of them. */
const LEAST = 4;
const NEARLY_ALL = 0.95;
const MOST = 0.5;
/** So many different customers do not write in one ticket as a rule. */
const CROWD = 3;

export class PeopleWatch {
  #tickets = 0;
  /** Tickets with several messages, and those of them in which all are of one type. */
  #talks = 0;
  readonly #oneType = new Map<string, Count>();
  readonly #agentFirst = new Count();
  readonly #strangers = new Count();
  /** Messages of agents, and those of them whose author is the one who asked. */
  #ofAgents = 0;
  readonly #own = new Count();
  readonly #crowded = new Count();
  #answered = 0;
  #withCustomers = 0;
  readonly #requesters = new People();
  readonly #agents = new People();

  see({ id, requester, messages, ticket }: SeenTicket): void {
    this.#tickets++;
    if (requester !== undefined) this.#requesters.add(requester);
    else if (typeof ticket['contact'] === 'object' && ticket['contact'] !== null)
      this.#requesters.add(ticket['contact'] as NamedPerson);
    for (const { role, who } of messages) {
      if (role !== 'agent' || who === undefined) continue;
      this.#agents.add(who);
      this.#ofAgents++;
      if (requester !== undefined && isSame(who, requester)) this.#own.add(id);
    }
    const [first] = messages;
    if (messages.length > 1 && first !== undefined) {
      this.#talks++;
      if (messages.every(({ role }) => role === first.role)) {
        const count = this.#oneType.get(first.role) ?? new Count();
        this.#oneType.set(first.role, count);
        count.add(id);
      }
    }
    if (messages.some(({ role }) => role === 'customer')) {
      this.#answered++;
      if (messages.find(({ isInternal }) => !isInternal)?.role === 'agent') this.#agentFirst.add(id);
    }
    const customers = messages.filter(({ role, who }) => role === 'customer' && who !== undefined);
    if (differentOf(customers) >= CROWD) this.#crowded.add(id);
    if (customers.length > 0 && requester !== undefined) {
      this.#withCustomers++;
      if (customers.every(({ who }) => who !== undefined && !isSame(who, requester))) this.#strangers.add(id);
    }
  }

  findings({ key, messages, requester }: Places): Finding[] {
    const found: Finding[] = [];
    for (const [role, { count, ticket }] of this.#oneType)
      if (this.#talks >= LEAST && count >= NEARLY_ALL * this.#talks && role !== 'system')
        found.push({
          code: 'one-author-type',
          message: `In ${count} of ${many(this.#talks, 'ticket')} with several messages, all of them are of ${role === '' ? 'nobody known' : `${role}s`}, as if only one side had written.`,
          ticket,
          setting: `${messages}.author`,
        });
    if (this.#answered >= LEAST && this.#agentFirst.count >= MOST * this.#answered)
      found.push({
        code: 'agent-writes-first',
        message: `${many(this.#agentFirst.count, 'ticket')} of ${this.#answered} ${this.#agentFirst.count === 1 ? 'begins' : 'begin'} with a message of an agent, as if customers and agents had changed places.`,
        ticket: this.#agentFirst.ticket,
        setting: `${messages}.actorType`,
      });
    if (this.#withCustomers >= LEAST && this.#strangers.count >= 0.3 * this.#withCustomers)
      found.push({
        code: 'not-the-requester',
        message: `In ${this.#strangers.count} of ${many(this.#withCustomers, 'ticket')} every message of a customer is from somebody other than the requester.`,
        ticket: this.#strangers.ticket,
        setting: requester,
      });
    if (this.#withCustomers >= LEAST && this.#crowded.count >= MOST * this.#withCustomers)
      found.push({
        code: 'many-customers',
        message: `In ${this.#crowded.count} of ${many(this.#withCustomers, 'ticket')} three or more customers write, as if several conversations were one.`,
        ticket: this.#crowded.ticket,
        setting: key,
      });
    const [agents, requesters] = [this.#agents.count(), this.#requesters.count()];
    const overlap = this.#agents.shareIn(this.#requesters);
    if (agents >= LEAST && overlap >= 0.3)
      found.push({
        code: 'agents-like-requesters',
        message: `${Math.round(100 * overlap)} % of the ${agents} people whose messages are an agent's asked for something themselves, as only customers do.`,
        setting: `${messages}.author`,
      });
    if (this.#own.count >= 2 && this.#own.count >= 0.1 * this.#ofAgents)
      found.push({
        code: 'agents-like-requesters',
        message: `${many(this.#own.count, 'message')} of ${this.#ofAgents} that are an agent's ${this.#own.count === 1 ? 'was' : 'were'} written by the requester of the ticket.`,
        ticket: this.#own.ticket,
        setting: `${messages}.author`,
      });
    const back = this.#requesters.shareIn(this.#agents);
    if (this.#tickets >= LEAST && requesters > 0 && back >= MOST && agents > 0)
      found.push({
        code: 'requester-is-agent',
        message: `${Math.round(100 * back)} % of the ${many(requesters, 'requester')} write as agents in other tickets, so they may not be those who asked.`,
        setting: requester,
      });
    if (this.#tickets >= 8 && requesters > 0 && requesters <= Math.max(2, this.#tickets / 10))
      found.push({
        code: 'few-requesters',
        message: `${many(this.#tickets, 'ticket')} have ${many(requesters, 'requester')} only, as if their column named somebody else.`,
        setting: requester,
      });
    return found;
  }
}

/** Different people in bounded memory: by all that names them, as one table has their id where another has their address. */
class People {
  readonly #people = new KeySketch();
  readonly #names = new KeySketch();

  add(person: NamedPerson): void {
    const names = namesOf(person);
    if (names[0] !== undefined) this.#people.add(names[0]);
    for (const name of names) this.#names.add(name);
  }

  count(): number {
    return this.#people.distinct().count;
  }

  /** How many of these people are among the others. */
  shareIn(others: People): number {
    const { found, compared } = this.#people.matches(others.#names);
    return compared < 2 ? 0 : found / compared;
  }
}

function differentOf(messages: readonly SeenMessage[]): number {
  const different: NamedPerson[] = [];
  for (const { who } of messages)
    if (who !== undefined && !different.some((other) => isSame(who, other))) different.push(who);
  return different.length;
}

function namesOf({ email, id, name }: NamedPerson): string[] {
  return [email, id, name].flatMap((text) =>
    typeof text === 'string' && text !== '' ? [text.toLowerCase()] : [],
  );
}

function isSame(one: NamedPerson, other: NamedPerson): boolean {
  const names = namesOf(other);
  return namesOf(one).some((name) => names.includes(name));
}
