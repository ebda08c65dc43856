/** Agents' IDs by address, and what else a dry run asks the helpdesk: bounded reads; a failure is a warning. */

import { identityTag, tagNames } from '../domain/identity.ts';
import { textOf } from '../domain/text/foreign.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { ticketsOfSource } from '../helpdesk/twice-in-target.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import { addressOfStandIn, standIn } from '../mapping/people/actors.ts';
import type { LookFacts } from '../plan/facts.ts';
import { contactsOf } from '../plan/planned.ts';
import type { ImportJob, ImportPorts } from './import-job.ts';
import type { Options } from './options.ts';
import { connect, endConnection, stopOfCommand, type TargetAddress } from './target.ts';

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
const PATIENCE_EACH_MS = 10_000;

type Answer<T> = { readonly is: T } | 'unreported' | 'not asked';

export type TargetLooker = ReturnType<typeof targetLooker>;

/** For a dry run. What the helpdesk does not answer in time is looked up at import. */
export function targetLooker(address: TargetAddress, pace: Options['pace'], ports: ImportPorts) {
  const { soft, clock, emit } = ports;
  const hasty = {
    ...pace,
    timeoutMs: Math.min(pace.timeoutMs, PATIENCE_EACH_MS),
    giveUpAfterMs: Math.min(pace.giveUpAfterMs, PATIENCE_EACH_MS),
  };
  const api = connect(address, hasty, { ...ports, emit: () => undefined });
  const unasked = laterFinder();
  const agents = { asked: 0, found: 0, unknown: [] as string[] };
  /** Milliseconds that questions took. */
  let waited = 0;
  let tellsAgents = true;
  let failure: string | undefined;

  async function find(email: string, signal: AbortSignal): Promise<string | undefined> {
    if (!tellsAgents) return undefined;
    const answer = agents.asked >= MOST_AGENTS ? 'not asked' : await ask(() => api.findAgent(email, signal));
    if (answer === 'not asked') return await unasked.find(email, signal);
    if (answer === 'unreported') {
      tellsAgents = false;
      return undefined;
    }
    agents.asked++;
    if (answer.is !== undefined) agents.found++;
    else if (agents.unknown.length < MOST_UNKNOWN) agents.unknown.push(email);
    return answer.is;
  }

  async function look(job: ImportJob): Promise<LookFacts> {
    waited = 0;
    const team = await ask(() => api.agents(soft));
    const listed = typeof team === 'string' ? [] : (team.is ?? []);
    const tickets = await ticketsIn(job);
    const contacts = await contactsIn(job);
    if (failure !== undefined) job.problem(problemOf('target-not-asked', { why: failure }));
    if (tickets?.example !== undefined) {
      const { unknown, ofSource, example, isMore = false } = tickets;
      const where = { checkpoint: job.checkpointPath, source: job.sourceName.name };
      const first = { ticket: example.externalId, there: example.ticketId };
      const least = isMore ? 'more than ' : '';
      job.problem(problemOf('already-in-target', { unknown, total: ofSource, least, ...where, ...first }));
    }
    return {
      target: address.baseUrl,
      ...{ failure, agents },
      team:
        listed.length === 0
          ? undefined
          : { total: listed.length, first: listed.slice(0, MOST_OF_TEAM).map(idAndName) },
      contacts,
      tickets,
    };
  }

  async function ticketsIn({ sourceName, source }: ImportJob): Promise<LookFacts['tickets']> {
    // Any round count may be where the helpdesk stops counting.
    const of = { source: sourceName.name, count: Number.POSITIVE_INFINITY, ownerOf: () => undefined };
    const reported = await ask(() => ticketsOfSource(api, of, () => MOST_TICKETS, soft));
    if (typeof reported === 'string') return undefined;
    const { listed, total } = reported.is;
    const ids = new Map<string, string>();
    for (const { id, tags } of listed) for (const name of tagNames(tags)) ids.set(name.toLowerCase(), id);
    let unknown = 0;
    let example: { externalId: string; ticketId: string } | undefined;
    if (ids.size > 0)
      for (const externalId of source.plan.steps.creates()) {
        const ticketId = ids.get(identityTag(sourceName.name, externalId).toLowerCase());
        if (ticketId === undefined) continue;
        unknown++;
        example ??= { externalId, ticketId };
      }
    const isWhole = total !== undefined || listed.length < MOST_TICKETS;
    return { ofSource: total ?? listed.length, unknown, example, ...(!isWhole && { isMore: true }) };
  }

  async function contactsIn({ source, names }: ImportJob): Promise<LookFacts['contacts']> {
    const emails = [...new Set(source.plan.creates(MOST_LOOKED_AT).flatMap(contactsOf))].slice(
      0,
      MOST_CONTACTS,
    );
    const counts = { asked: 0, found: 0, renamed: 0 };
    for (let at = 0; at < emails.length; at += CONTACTS_AT_ONCE) {
      const asked = emails.slice(at, at + CONTACTS_AT_ONCE);
      const reported = await ask(() => api.findContacts(asked, soft));
      if (typeof reported === 'string') break;
      const found = new Map(
        reported.is.map((contact) => [addressOf(contact), textOf(contact['name'])?.trim() ?? '']),
      );
      // A service without this parameter lists everybody, perhaps only the first page.
      if ([...found.keys()].some((email) => !asked.includes(email))) return undefined;
      counts.asked += asked.length;
      counts.found += found.size;
      for (const [email, name] of found) {
        const ours = names.nameOf(email);
        if (ours !== undefined && name !== '' && name !== ours) counts.renamed++;
      }
    }
    return counts.asked > 0 ? counts : undefined;
  }

  async function ask<T>(question: () => Promise<T>): Promise<Answer<T>> {
    soft.throwIfAborted();
    if (failure !== undefined) return 'not asked';
    if (waited > PATIENCE_MS || api.stats.sent >= MOST_REQUESTS) {
      failure = 'it took too long.';
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
      failure = error instanceof Error ? error.message : String(error);
      return 'not asked';
    } finally {
      waited += clock.monotonic() - since;
    }
  }

  return {
    ...{ find, look, later: unasked.later },
    stats: () => api.stats,
    [Symbol.asyncDispose]: () => endConnection(api, emit),
  };
}

function idAndName({ id, name }: Snapshot): { id: string; name?: string } {
  const called = textOf(name);
  return called === undefined ? { id } : { id, name: called };
}

function addressOf({ email }: Snapshot): string {
  return (textOf(email) ?? '').trim().toLowerCase();
}

export interface AgentFinder extends AsyncDisposable {
  find(email: string, signal: AbortSignal): Promise<string | undefined>;
  /** Placeholders for agents who are looked up at import: nothing is sent with them. */
  readonly later: ReadonlySet<string>;
}

export type RecordedAgents = (email: string) => string | undefined;

/** A helpdesk that does not answer is asked once. The connection opens with the first question. */
export function agentFinder(
  { mode, pace }: Pick<Options, 'mode' | 'pace'>,
  target: TargetAddress | undefined,
  ports: ImportPorts,
  recorded?: RecordedAgents,
): AgentFinder {
  if (mode === 'dry-run' || target === undefined) return laterFinder(recorded);
  let api: CoreApi | undefined;
  let answers = true;
  return {
    later: new Set(),
    find: async (email, signal) => {
      if (!answers) return undefined;
      api ??= connect(target, pace, ports);
      try {
        return await api.findAgent(email, signal);
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        if (error.code === 'refused') return undefined;
        if (error.code !== 'target-unreadable') throw stopOfCommand(error);
        answers = false;
        return undefined;
      }
    },
    [Symbol.asyncDispose]: async () => api?.[Symbol.asyncDispose](),
  };
}

/** Without a helpdesk: takes what earlier runs found; others are looked up at import, and reject no ticket. */
function laterFinder(recorded: RecordedAgents = () => undefined): AgentFinder {
  const later = new Set<string>();
  return {
    later,
    find: async (email) => {
      const known = recorded(email);
      if (known !== undefined) return known;
      later.add(standIn(email));
      return standIn(email);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

export function openAgents({ later }: Pick<AgentFinder, 'later'>): string[] {
  return [...later].map(addressOfStandIn);
}

/** The payload cannot be compared yet. */
export function namesLater(
  { ticket, messages, events }: CheckedTicket,
  { later }: Pick<AgentFinder, 'later'>,
): boolean {
  if (later.size === 0) return false;
  const isLater = (id: string | undefined) => id !== undefined && later.has(id);
  return (
    isLater(ticket.assignedToId) ||
    messages.some(({ agentId }) => isLater(agentId)) ||
    events.some(({ agentId }) => isLater(agentId))
  );
}

/** For previews only. Call once all tickets have been mapped. */
export function nameAgents({ sandbox }: TargetAddress, mapper: Pick<Mapper, 'agentNames'>): void {
  if (sandbox === undefined) return;
  const names = mapper.agentNames();
  if (names.size > 0) sandbox.store.agents.keepNames(names);
}
