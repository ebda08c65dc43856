/** A dry run asks the helpdesk a few questions; a failure is a warning. */
import { type AgentRecord, agentOffers } from '../domain/decisions.ts';
import { identityTag, tagNames } from '../domain/identity.ts';
import { textOf } from '../domain/text/foreign.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { ticketsOfSource } from '../helpdesk/twice-in-target.ts';
import type { LookFacts } from '../plan/facts.ts';
import { contactsOf } from '../plan/planned.ts';
import type { RunSettings } from '../settings/settings.ts';
import type { Problems } from '../source/problem-list.ts';
import { type AskAgent, NOT_ASKED } from './agents.ts';
import type { ImportPorts, Source } from './run.ts';
import { connect, endConnection, type TargetAddress } from './target.ts';

const MOST_AGENTS = 200;
const MOST_OF_TEAM = 20;
const MOST_CONTACTS = 200;
/** New tickets whose contacts are asked for. */
const MOST_LOOKED_AT = 2000;
const CONTACTS_AT_ONCE = 20;
const MOST_TICKETS = 1000;
const MOST_REQUESTS = 300;
const MOST_UNKNOWN = 20;
const PATIENCE_MS = 60_000;
const PATIENCE_EACH_S = 10;

const PEOPLE = 'SELECT agent, coalesce(name, agent) AS name, how, messages, events, assigned FROM person';

type Answer<T> = { readonly is: T } | 'unreported' | 'not asked';

/** Unanswered questions are left to the import. */
export class HelpdeskLook {
  readonly api: CoreApi;
  readonly #address: TargetAddress;
  readonly #ports: ImportPorts;
  readonly #agents = { asked: 0, found: 0, unknown: [] as string[] };
  /** Milliseconds that questions took. */
  #waited = 0;
  #tellsAgents = true;
  #failure: string | undefined;

  constructor(address: TargetAddress, run: RunSettings, ports: ImportPorts) {
    const [timeout, giveUpAfter] = [run.timeout, run.giveUpAfter].map((each) =>
      Math.min(each, PATIENCE_EACH_S),
    );
    const hasty = { ...run, timeout: timeout ?? 0, giveUpAfter: giveUpAfter ?? 0 };
    this.api = connect(address, hasty, { ...ports, emit: () => undefined });
    this.#address = address;
    this.#ports = ports;
  }

  readonly findAgent: AskAgent = async (email, signal) => {
    if (!this.#tellsAgents) return undefined;
    const agents = this.#agents;
    const answer =
      agents.asked >= MOST_AGENTS ? 'not asked' : await this.#ask(() => this.api.findAgent(email, signal));
    if (answer === 'not asked') return NOT_ASKED;
    if (answer === 'unreported') {
      this.#tellsAgents = false;
      return undefined;
    }
    agents.asked++;
    if (answer.is !== undefined) agents.found++;
    else if (agents.unknown.length < MOST_UNKNOWN) agents.unknown.push(email);
    return answer.is;
  };

  /** Once the plan is made. */
  async look(source: Source, problems: Problems, checkpoint: string): Promise<LookFacts> {
    this.#waited = 0;
    const listed = await this.team();
    const tickets = await this.#ticketsOf(source);
    const contacts = await this.#contactsOf(source);
    const failure = this.#failure;
    if (failure !== undefined) problems.tell(problemOf('target-not-asked', { why: failure }));
    if (tickets?.example !== undefined) {
      const { unknown, ofSource, example, isMore = false } = tickets;
      const where = { checkpoint, source: source.name.name };
      const first = { ticket: example.externalId, there: example.ticketId };
      const least = isMore ? 'more than ' : '';
      problems.tell(problemOf('already-in-target', { unknown, total: ofSource, least, ...where, ...first }));
    }
    return {
      target: this.#address.baseUrl,
      ...{ failure, agents: this.#agents },
      team:
        listed.length === 0
          ? undefined
          : { total: listed.length, first: listed.slice(0, MOST_OF_TEAM).map(idAndName) },
      offers: agentOffers(source.plan.steps.all<AgentRecord>(PEOPLE), listed),
      ...{ contacts, tickets },
    };
  }

  /** Empty if the helpdesk does not list its agents. */
  async team(): Promise<readonly Snapshot[]> {
    const team = await this.#ask(() => this.api.agents(this.#ports.soft));
    return typeof team === 'string' ? [] : (team.is ?? []);
  }

  async #ticketsOf({ name: { name }, plan }: Source): Promise<LookFacts['tickets']> {
    // Any round count may be where the helpdesk stops counting.
    const known = { source: name, count: Number.POSITIVE_INFINITY, ownerOf: () => undefined };
    const reported = await this.#ask(() =>
      ticketsOfSource(this.api, known, () => MOST_TICKETS, this.#ports.soft),
    );
    if (typeof reported === 'string') return undefined;
    const { listed, total } = reported.is;
    const idByTag = new Map<string, string>();
    for (const { id, tags } of listed) for (const tag of tagNames(tags)) idByTag.set(tag.toLowerCase(), id);
    let unknown = 0;
    let example: { externalId: string; ticketId: string } | undefined;
    if (idByTag.size > 0)
      for (const externalId of plan.steps.creates()) {
        const ticketId = idByTag.get(identityTag(name, externalId).toLowerCase());
        if (ticketId === undefined) continue;
        unknown++;
        example ??= { externalId, ticketId };
      }
    const isWhole = total !== undefined || listed.length < MOST_TICKETS;
    return { ofSource: total ?? listed.length, unknown, example, ...(!isWhole && { isMore: true }) };
  }

  async #contactsOf({ plan, contacts }: Source): Promise<LookFacts['contacts']> {
    const emails = [...new Set(plan.creates(MOST_LOOKED_AT).flatMap(contactsOf))].slice(0, MOST_CONTACTS);
    const counts = { asked: 0, found: 0, renamed: 0 };
    for (let at = 0; at < emails.length; at += CONTACTS_AT_ONCE) {
      const asked = emails.slice(at, at + CONTACTS_AT_ONCE);
      const reported = await this.#ask(() => this.api.findContacts(asked, this.#ports.soft));
      if (typeof reported === 'string') break;
      const found = new Map(
        reported.is.map((contact) => [addressOf(contact), textOf(contact['name'])?.trim() ?? '']),
      );
      // A service without this parameter lists everybody, perhaps only the first page.
      if ([...found.keys()].some((email) => !asked.includes(email))) return undefined;
      counts.asked += asked.length;
      counts.found += found.size;
      for (const [email, name] of found) {
        const ours = contacts.nameOf(email);
        if (ours !== undefined && name !== '' && name !== ours) counts.renamed++;
      }
    }
    return counts.asked > 0 ? counts : undefined;
  }

  async #ask<T>(question: () => Promise<T>): Promise<Answer<T>> {
    const { soft, clock } = this.#ports;
    soft.throwIfAborted();
    if (this.#failure !== undefined) return 'not asked';
    if (this.#waited > PATIENCE_MS || this.api.stats.sent >= MOST_REQUESTS) {
      this.#failure = 'it took too long.';
      return 'not asked';
    }
    const since = clock.monotonic();
    try {
      return { is: await question() };
    } catch (error) {
      soft.throwIfAborted();
      // A refused permission is no answer; a missing call is.
      const isNotThere = error instanceof ApiFailure && error.code === 'target-unreadable';
      if (isNotThere && error.status !== 403) return 'unreported';
      this.#failure = error instanceof Error ? error.message : String(error);
      return 'not asked';
    } finally {
      this.#waited += clock.monotonic() - since;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endConnection(this.api, this.#ports.emit);
  }
}

function idAndName({ id, name }: Snapshot): { id: string; name?: string } {
  const called = textOf(name);
  return called === undefined ? { id } : { id, name: called };
}

function addressOf({ email }: Snapshot): string {
  return (textOf(email) ?? '').trim().toLowerCase();
}
