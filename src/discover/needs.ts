/** Gaps of an export, counted over its mapped tickets. */
import type { LossReport } from '../domain/decisions.ts';
import type { MappedItem, MappedTicket } from '../domain/ticket.ts';
import { isAddress } from '../mapping/people/people.ts';

export interface Need {
  readonly count: number;
  readonly example: string | undefined;
}

const NEEDS = ['zoneless', 'noCreatedAt', 'noTime', 'noAgentId', 'noEmail', 'noContact', 'noActor'] as const;

export interface Needs extends Readonly<Record<(typeof NEEDS)[number], Need>> {
  readonly tickets: number;
  readonly messages: number;
  readonly events: number;
  readonly lackingMaps: ReadonlyMap<string, string>;
  readonly loss: LossReport;
  readonly unused: number;
}

const LACKING = /^The value "(.{0,80})" of .* is not in maps\.([\w-]+):/s;
const NO_ZONE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/;

export class NeedsCounter {
  readonly #needs = new Map(
    NEEDS.map((name) => [name, { count: 0, example: undefined as string | undefined }]),
  );
  readonly #lackingMaps = new Map<string, string>();
  readonly #totals = { tickets: 0, messages: 0, events: 0, unused: 0 };

  see({ externalId, ticket, messages, events, excluded, problems, unmapped, requester }: MappedTicket): void {
    this.#totals.tickets++;
    for (const { code, message } of problems) {
      const [, value, map] = (code === 'unmapped-value' ? LACKING.exec(message) : null) ?? [];
      if (value !== undefined && map !== undefined) this.#lackingMaps.set(value, map);
    }
    if (excluded !== undefined) return;
    if (unmapped !== undefined && unmapped.length > 0) this.#totals.unused++;
    this.#totals.messages += messages.length;
    this.#totals.events += events.length;
    for (const field of ['createdAt', 'resolvedAt', 'closedAt']) this.#time(ticket[field]);
    if (requester !== undefined && isBlank(ticket['contact']) && isBlank(ticket['contactId']))
      this.#add('noContact', externalId);
    for (const message of messages) {
      const { value } = message;
      this.#item(message, externalId);
      if (value['actorType'] === undefined) this.#add('noActor', externalId);
      if (value['actorType'] === 'customer' && isBlank(value['contact']) && isBlank(value['contactId']))
        this.#add('noEmail', externalId);
    }
    // Few exports say who made an event.
    for (const event of events) this.#item(event, externalId, event.who !== undefined);
    const timed = messages.some(({ value }) => !isBlank(value['occurredAt']));
    if (isBlank(ticket['createdAt']) && !timed) this.#add('noCreatedAt', externalId);
  }

  needs(loss: LossReport): Needs {
    const needs = Object.fromEntries(this.#needs) as Record<(typeof NEEDS)[number], Need>;
    return { ...needs, ...this.#totals, lackingMaps: this.#lackingMaps, loss };
  }

  #item({ value, who }: MappedItem, externalId: string, needsAgent = true): void {
    this.#time(value['occurredAt']);
    if (isBlank(value['occurredAt'])) this.#add('noTime', externalId);
    const isNobodys = value['actorType'] === 'agent' && isBlank(value['agentId']);
    if (needsAgent && isNobodys && !isAddress(who?.email ?? '')) this.#add('noAgentId', externalId);
  }

  #time(value: unknown): void {
    if (typeof value === 'string' && NO_ZONE.test(value.trim())) this.#add('zoneless', value.trim());
  }

  #add(name: (typeof NEEDS)[number], example: string): void {
    const need = this.#needs.get(name);
    if (need === undefined) return;
    need.example ??= example;
    need.count++;
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
