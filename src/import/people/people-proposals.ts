/**
 * Which addresses of an export may be one person's, each with its reason. A record that lists several addresses of somebody says so
 * itself; that one id, or one name, has several is for a person to confirm. Pure.
 */
import { isNormalizedEmail, normalizeEmail } from '../../check/email.ts';
import { printable, shorten } from '../../domain/printable.ts';
import type { JsonObject } from '../../domain/source.ts';
import { isJsonObject } from '../../domain/source-file.ts';
import type { MappedTicket, NamedPerson } from '../../domain/ticket.ts';

export interface PeopleProposal {
  readonly address: string;
  readonly sameAs: string;
  readonly reason: string;
  /** The export itself says that they are one person's. */
  readonly isSaid: boolean;
}

/** Addresses of one record or id that are looked at; more are no person's. */
const MOST_ADDRESSES = 20;
/** Levels of objects in a record. */
const DEEPEST = 6;

/** `other_emails`, `hs_additional_emails`, `Secondary e-mail`, `Email 2`, `weitere E-Mails`. */
const FURTHER =
  /^(?:hs )?(?:other|additional|secondary|alternat(?:e|ive)|further|more|second|weitere|zweite|andere|otros?|autres?|outros?|altre) e ?mails?(?: address(?:es)?)?$|^e ?mail(?: address)? [2-9]$/;
const MAIN = /^(?:primary |main )?e ?mail(?: address)?$/;
const LISTS = /^(?:e ?mails|e ?mail addresses|identities|handles|user identities|contact handles)$/;

interface Used {
  readonly address: string;
  count: number;
  ticket: string;
}

export class PeopleProposals {
  /** Addresses by what else somebody is known by: an id, or a name with the part before the @. */
  readonly #byId = new Map<string, Map<string, Used>>();
  readonly #byName = new Map<string, Map<string, Used>>();
  readonly #agents = new Set<string>();
  /** Who asked for something is nobody of the team, whoever else is taken for an agent. */
  readonly #requesters = new Set<string>();
  readonly #said = new Map<string, PeopleProposal>();

  /** Who asked and who wrote. */
  see({ externalId, requester, messages }: MappedTicket): void {
    this.#person(requester, externalId);
    if (requester?.email !== undefined) this.#requesters.add(normalizeEmail(requester.email));
    for (const { value, who } of messages)
      if (value['actorType'] === 'customer') this.#person(who, externalId);
      else if (who?.email !== undefined) this.#agents.add(normalizeEmail(who.email));
  }

  /** A record as it stands in the export; `place`: its file and line. */
  record(record: JsonObject, place: string): void {
    this.#walk(record, place, 0);
  }

  proposals(): PeopleProposal[] {
    const found = new Map(this.#said);
    const known = new Set([...found.values()].map(pairOf));
    const add = (proposal: PeopleProposal) => {
      const pair = pairOf(proposal);
      if (known.has(pair) || found.has(proposal.address)) return;
      known.add(pair);
      found.set(proposal.address, proposal);
    };
    for (const [id, used] of this.#byId)
      for (const [first, other] of pairs(used))
        add({
          address: other.address,
          sameAs: first.address,
          reason: `the export has both for the person ${shown(id)}: tickets ${shown(first.ticket)} and ${shown(other.ticket)}`,
          isSaid: false,
        });
    for (const [name, used] of this.#byName)
      for (const [first, other] of pairs(used))
        add({
          address: other.address,
          sameAs: first.address,
          reason: `both are called ${shown(name.slice(name.indexOf(' ') + 1))}, and are the same before the @: tickets ${shown(first.ticket)} and ${shown(other.ticket)}`,
          isSaid: false,
        });
    const isAgents = (address: string) => this.#agents.has(address) && !this.#requesters.has(address);
    return [...found.values()].filter(({ address, sameAs }) => !isAgents(address) && !isAgents(sameAs));
  }

  #person(who: NamedPerson | undefined, ticket: string): void {
    if (who?.email === undefined) return;
    const address = normalizeEmail(who.email);
    if (!isNormalizedEmail(address)) return;
    if (who.id !== undefined && !who.id.includes('@')) use(this.#byId, who.id, address, ticket);
    const name = who.name?.trim().toLowerCase().replace(/\s+/g, ' ');
    if (name?.includes(' ') === true && !name.includes('@'))
      use(this.#byName, `${address.slice(0, address.lastIndexOf('@'))} ${name}`, address, ticket);
  }

  #walk(record: JsonObject, place: string, depth: number): void {
    if (depth > DEEPEST) return;
    let main: string | undefined;
    const others: string[] = [];
    for (const [key, value] of Object.entries(record)) {
      const name = plain(key);
      if (MAIN.test(name)) main ??= addressesIn(value)[0];
      else if (FURTHER.test(name)) others.push(...addressesIn(value));
      else if (LISTS.test(name) && Array.isArray(value)) others.push(...value.flatMap(addressesOfItem));
      else if (Array.isArray(value))
        for (const item of value) if (isJsonObject(item)) this.#walk(item, place, depth + 1);
      if (isJsonObject(value)) this.#walk(value, place, depth + 1);
    }
    const [first, ...rest] = [...new Set([...(main === undefined ? [] : [main]), ...others])];
    if (first === undefined || rest.length === 0 || rest.length > MOST_ADDRESSES) return;
    for (const address of rest)
      if (!this.#said.has(address) && !this.#said.has(first))
        this.#said.set(address, {
          address,
          sameAs: first,
          reason: `${place} lists both as addresses of one person`,
          isSaid: true,
        });
  }
}

const pairOf = ({ address, sameAs }: PeopleProposal) => [address, sameAs].sort().join(' ');

/** The one that is used most, and each of the others. */
function pairs(used: ReadonlyMap<string, Used>): (readonly [Used, Used])[] {
  if (used.size < 2 || used.size > MOST_ADDRESSES) return [];
  const [first, ...others] = [...used.values()].sort((a, b) => b.count - a.count);
  return first === undefined ? [] : others.map((other) => [first, other] as const);
}

function use(by: Map<string, Map<string, Used>>, key: string, address: string, ticket: string): void {
  const known = by.get(key) ?? new Map<string, Used>();
  by.set(key, known);
  const used = known.get(address);
  if (used !== undefined) used.count++;
  else if (known.size <= MOST_ADDRESSES) known.set(address, { address, count: 1, ticket });
}

function plain(key: string): string {
  return key
    .slice(0, 60)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesOfItem);
  if (typeof value !== 'string') return [];
  return value
    .slice(0, 4000)
    .split(/[\s,;|[\]"'<>]+/)
    .map(normalizeEmail)
    .filter(isNormalizedEmail);
}

/** `{type: email, value: …}`, `{source: email, handle: …}`, `{email: …}`, or the address itself. */
function addressesOfItem(item: unknown): string[] {
  if (!isJsonObject(item)) return addressesIn(item);
  return Object.entries(item).flatMap(([key, value]) =>
    /^(?:value|handle|email|address)$/i.test(key) ? addressesIn(value) : [],
  );
}

function shown(text: string): string {
  return shorten(printable(text), 60);
}
