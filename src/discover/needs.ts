/** Gaps of an export, counted over its mapped tickets. */

import type { Account } from '../domain/decisions.ts';
import { isMadeUp } from '../domain/decisions.ts';
import type { MappedItem, MappedTicket } from '../domain/ticket.ts';
import { isAddress } from '../mapping/people/people.ts';

const NOTHING = {
  ...{ tickets: 0, messages: 0, noCreatedAt: 0 },
  ...{ noTime: 0, noAgentId: 0, noEmail: 0, noContact: 0, noActor: 0 },
};

export interface Needs extends Readonly<typeof NOTHING> {
  /** A time without a zone. */
  readonly zoneless: string | undefined;
  readonly account: Account;
}

const NO_ZONE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?$/;

export class NeedsCounter {
  readonly #counts = { ...NOTHING };
  readonly #timeCell: (time: string) => string;
  readonly #domain: string;
  #zoneless: string | undefined;

  /** `domain`: of addresses that are made up. */
  constructor(timeCell: (time: string) => string, domain: string) {
    this.#timeCell = timeCell;
    this.#domain = domain;
  }

  see({ ticket, messages, events, excluded, requester }: MappedTicket): void {
    const counts = this.#counts;
    counts.tickets++;
    if (excluded !== undefined) return;
    counts.messages += messages.length;
    for (const field of ['createdAt', 'resolvedAt', 'closedAt']) this.#time(ticket[field]);
    if (requester !== undefined && this.#isNobody(ticket)) counts.noContact++;
    for (const message of messages) {
      const { value } = message;
      this.#item(message);
      if (value['actorType'] === undefined) counts.noActor++;
      if (value['actorType'] === 'customer' && this.#isNobody(value)) counts.noEmail++;
    }
    // Few exports say who made an event.
    for (const event of events) this.#item(event, event.who !== undefined);
    const isTimed = [ticket['createdAt'], ...messages.map(({ value }) => value['occurredAt'])].some(
      (time) => !isBlank(time),
    );
    if (!isTimed) counts.noCreatedAt++;
  }

  needs(account: Account): Needs {
    return { ...this.#counts, zoneless: this.#zoneless, account };
  }

  #item({ value, who }: MappedItem, needsAgent = true): void {
    this.#time(value['occurredAt']);
    if (isBlank(value['occurredAt'])) this.#counts.noTime++;
    const isNobodys = value['actorType'] === 'agent' && isBlank(value['agentId']);
    if (needsAgent && isNobodys && !isAddress(who?.email ?? '')) this.#counts.noAgentId++;
  }

  #isNobody({ contact, contactId }: MappedItem['value']): boolean {
    const { email } = (contact ?? {}) as { readonly email?: unknown };
    return isBlank(contactId) && (isBlank(contact) || isMadeUp(String(email), this.#domain));
  }

  #time(value: unknown): void {
    if (typeof value === 'string' && NO_ZONE.test(value.trim()))
      this.#zoneless ??= this.#timeCell(value.trim());
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
