/** What an export does not say, counted over its tickets as a mapping shapes them: each becomes a question of `init`. */
import type { LossReport } from '../../domain/survey.ts';
import type { MappedItem, MappedTicket } from '../../domain/ticket.ts';
import { isAddress } from '../../mapping/people/people.ts';

export interface Needs {
  readonly tickets: number;
  readonly messages: number;
  readonly events: number;
  /** Tickets that an exclude rule leaves out. */
  readonly excluded: number;
  /** Times that say no zone. */
  readonly zoneless: Need;
  /** Tickets without a creation time and without a message that has one. */
  readonly noCreatedAt: Need;
  /** Messages and events without a time. */
  readonly noTime: Need;
  /** Messages and events of agents without an agent id, and without an address by which the target is asked for it. */
  readonly noAgentId: Need;
  /** Messages of customers without an address. */
  readonly noEmail: Need;
  /** Tickets of which it is known who asked, but not the address. */
  readonly noContact: Need;
  /** Messages of which nothing tells who wrote them. */
  readonly noActor: Need;
  readonly noSubject: Need;
  /** Name of the value map that lacks a value, by the value. */
  readonly lackingMaps: ReadonlyMap<string, string>;
  readonly loss: LossReport;
  /** Tickets with values that no rule uses. */
  readonly homeless: number;
}

export interface Need {
  readonly count: number;
  /** A value, or the ticket in which it was first seen. */
  readonly example: string | undefined;
}

/** The mapper names the map in the problem itself. */
const LACKING = /^The value "(.{0,80})" of .* is not in maps\.([\w-]+):/s;
const NO_ZONE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/;

class Counter implements Need {
  count = 0;
  example: string | undefined;

  add(example: string): void {
    this.count++;
    this.example ??= example;
  }
}

export class NeedsCounter {
  #tickets = 0;
  #messages = 0;
  #events = 0;
  #excluded = 0;
  readonly #zoneless = new Counter();
  readonly #noCreatedAt = new Counter();
  readonly #noTime = new Counter();
  readonly #noAgentId = new Counter();
  readonly #noEmail = new Counter();
  readonly #noContact = new Counter();
  readonly #noActor = new Counter();
  readonly #noSubject = new Counter();
  readonly #lackingMaps = new Map<string, string>();
  #homeless = 0;

  see({ externalId, ticket, messages, events, excluded, problems, source, requester }: MappedTicket): void {
    this.#tickets++;
    for (const { code, message } of problems) {
      const [, value, map] = (code === 'unmapped-value' ? LACKING.exec(message) : null) ?? [];
      if (value !== undefined && map !== undefined) this.#lackingMaps.set(value, map);
    }
    if (excluded !== undefined) {
      this.#excluded++;
      return;
    }
    if (source !== undefined && source.used.cells < source.read.cells) this.#homeless++;
    this.#messages += messages.length;
    this.#events += events.length;
    for (const field of ['createdAt', 'resolvedAt', 'closedAt']) this.#time(ticket[field]);
    if (isBlank(ticket['subject'])) this.#noSubject.add(externalId);
    if (requester !== undefined && isBlank(ticket['contact']) && isBlank(ticket['contactId']))
      this.#noContact.add(externalId);
    for (const message of messages) this.#message(message, externalId);
    for (const event of events) {
      const { value } = event;
      this.#time(value['occurredAt']);
      if (isBlank(value['occurredAt'])) this.#noTime.add(externalId);
      // Of most events it is not kept who did it: the target is asked for the address of whoever it is at import.
      if (event.who !== undefined && lacksAgent(event)) this.#noAgentId.add(externalId);
    }
    const timed = messages.some(({ value }) => !isBlank(value['occurredAt']));
    if (isBlank(ticket['createdAt']) && !timed) this.#noCreatedAt.add(externalId);
  }

  needs(loss: LossReport): Needs {
    return {
      tickets: this.#tickets,
      messages: this.#messages,
      events: this.#events,
      excluded: this.#excluded,
      zoneless: this.#zoneless,
      noCreatedAt: this.#noCreatedAt,
      noTime: this.#noTime,
      noAgentId: this.#noAgentId,
      noEmail: this.#noEmail,
      noContact: this.#noContact,
      noActor: this.#noActor,
      noSubject: this.#noSubject,
      lackingMaps: this.#lackingMaps,
      loss,
      homeless: this.#homeless,
    };
  }

  #message(message: MappedItem, externalId: string): void {
    const { value } = message;
    const { actorType } = value;
    this.#time(value['occurredAt']);
    if (isBlank(value['occurredAt'])) this.#noTime.add(externalId);
    if (actorType === undefined) this.#noActor.add(externalId);
    if (lacksAgent(message)) this.#noAgentId.add(externalId);
    if (actorType === 'customer' && isBlank(value['contact']) && isBlank(value['contactId']))
      this.#noEmail.add(externalId);
  }

  #time(value: unknown): void {
    if (typeof value === 'string' && NO_ZONE.test(value.trim())) this.#zoneless.add(value.trim());
  }
}

function lacksAgent({ value, who }: MappedItem): boolean {
  return value['actorType'] === 'agent' && isBlank(value['agentId']) && !isAddress(who?.email ?? '');
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
