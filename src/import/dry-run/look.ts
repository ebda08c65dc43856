/**
 * What a dry run asks the target, where it may: which of the agents, contacts and tickets of the export are there. Requests that read
 * and nothing else, a bounded number of them in a bounded time. A failure is a warning, and the dry run continues.
 */
import { hasTag, identityTag, sourceTag, tagNames } from '../../domain/identity.ts';
import type { ContactNames } from '../../domain/join-plan.ts';
import type { Problem } from '../../domain/problem.ts';
import type { TargetLook } from '../../domain/survey.ts';
import { ApiFailure, type Snapshot } from '../../domain/ticket-api.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CoreApi } from '../../target/api.ts';
import { type AgentFinder, laterFinder } from '../agent-finder.ts';
import type { Examined } from '../examine.ts';
import type { ImportPorts } from '../import-job.ts';
import { connect, endConnection, type TargetAddress } from '../target.ts';

const MOST_AGENTS = 200;
/** Of the target's own agents. */
const MOST_OF_TEAM = 20;
const MOST_CONTACTS = 200;
/** Addresses in one request. */
const CONTACTS_AT_ONCE = 20;
const MOST_TICKETS = 1000;
const MOST_REQUESTS = 300;
const MOST_UNKNOWN = 20;
/** For all of it, and for one answer or one outage. */
const PATIENCE_MS = 60_000;
const PATIENCE_EACH = 10;

export class TargetLooker implements AgentFinder {
  readonly #unasked: AgentFinder;
  readonly #api: CoreApi;
  readonly #address: TargetAddress;
  readonly #settings: Settings;
  readonly #ports: ImportPorts;
  readonly #until: number;
  readonly #agents = { asked: 0, found: 0, unknown: [] as string[] };
  #tellsAgents = true;
  #failure: string | undefined;
  #contacts: TargetLook['contacts'];
  #team: TargetLook['team'];
  /** By identity tag, in small letters. */
  #tickets: ReadonlyMap<string, string> | undefined;
  #sourceName = '';
  #unknown = 0;
  #example: { externalId: string; ticketId: string } | undefined;
  readonly #emails = new Set<string>();

  constructor(address: TargetAddress, settings: Settings, ports: ImportPorts) {
    const { run } = settings;
    const hasty = {
      ...run,
      timeout: Math.min(run.timeout, PATIENCE_EACH),
      giveUpAfter: Math.min(run.giveUpAfter, PATIENCE_EACH),
    };
    // Its waits and retries are not shown, only its result.
    const quiet = { ...ports, emit: () => undefined };
    this.#api = connect(address, { ...settings, run: hasty }, quiet).api;
    this.#address = address;
    this.#settings = settings;
    this.#unasked = laterFinder(settings);
    this.#ports = ports;
    this.#until = ports.clock.monotonic() + PATIENCE_MS;
  }

  get later(): ReadonlySet<string> {
    return this.#unasked.later;
  }

  /** As in a run; the others are looked up at import. */
  async find(email: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#tellsAgents) return undefined;
    const agents = this.#agents;
    if (agents.asked >= MOST_AGENTS) return await this.#unasked.find(email, signal);
    const answer = await this.#ask((api, signal) => api.findAgent(email, signal));
    if (answer === 'unreported') {
      // So it is in a run: who is not listed has no id.
      this.#tellsAgents = false;
      return undefined;
    }
    if (answer === 'not asked') return await this.#unasked.find(email, signal);
    agents.asked++;
    if (answer.is !== undefined) agents.found++;
    else if (agents.unknown.length < MOST_UNKNOWN) agents.unknown.push(email);
    return answer.is;
  }

  /** For people who fill in IDs; before the pass over the export. */
  async readTeam(): Promise<void> {
    const reported = await this.#ask((api, signal) => api.agents(signal));
    if (typeof reported === 'string' || reported.is === undefined) return;
    const { length: total } = reported.is;
    if (total > 0) this.#team = { total, first: reported.is.slice(0, MOST_OF_TEAM).map(idAndName) };
  }

  /** Before the pass over the export. */
  async readTickets(sourceName: string): Promise<void> {
    if (!this.#settings.target.identityTag) return;
    this.#sourceName = sourceName;
    const tag = sourceTag(sourceName);
    const reported = await this.#ask((api, signal) =>
      api.findTickets({ tags: [tag], most: MOST_TICKETS }, signal),
    );
    if (typeof reported === 'string') return;
    const ours = reported.is.filter(({ tags }) => hasTag(tags, tag));
    this.#tickets = new Map(ours.flatMap(({ id, tags }) => namesOf(tags).map((name) => [name, id])));
  }

  /** Every ticket of the export, as it passes by. */
  note(examined: Examined): void {
    if (examined.kind !== 'ticket' || examined.step.action?.do !== 'create') return;
    const { externalId, contacts } = examined.result;
    for (const email of contacts) if (this.#emails.size < MOST_CONTACTS) this.#emails.add(email);
    const ticketId = this.#tickets?.get(identityTag(this.#sourceName, externalId).toLowerCase());
    if (ticketId === undefined) return;
    this.#unknown++;
    this.#example ??= { externalId, ticketId };
  }

  /** After the pass. */
  async readContacts(names: Pick<ContactNames, 'nameOf'>): Promise<void> {
    const emails = [...this.#emails];
    const counts = { asked: 0, found: 0, renamed: 0 };
    for (let at = 0; at < emails.length; at += CONTACTS_AT_ONCE) {
      const asked = emails.slice(at, at + CONTACTS_AT_ONCE);
      const reported = await this.#ask((api, signal) => api.findContacts(asked, signal));
      if (typeof reported === 'string') break;
      const found = new Map(reported.is.map((contact) => [addressOf(contact), contact]));
      // A service that does not know the parameter answers with everybody, and perhaps with the first page of them alone.
      if ([...found.keys()].some((email) => !asked.includes(email))) return;
      counts.asked += asked.length;
      for (const [email, { name }] of found) {
        counts.found++;
        const ours = names.nameOf(email);
        if (ours !== undefined && typeof name === 'string' && name.trim() !== '' && name.trim() !== ours)
          counts.renamed++;
      }
    }
    if (counts.asked > 0) this.#contacts = counts;
  }

  get stats(): CoreApi['stats'] {
    return this.#api.stats;
  }

  result(): TargetLook {
    return {
      target: this.#address.baseUrl,
      failure: this.#failure,
      agents: { ...this.#agents, later: this.later.size },
      team: this.#team,
      contacts: this.#contacts,
      tickets: this.#tickets && {
        ofSource: new Set(this.#tickets.values()).size,
        unknown: this.#unknown,
        example: this.#example,
      },
    };
  }

  /** What a run would stop at, or the reader should know. */
  problems(checkpoint: string): Problem[] {
    const found: Problem[] = [];
    const warn = (code: string, message: string) =>
      found.push({ severity: 'warning', code, message, count: 1 });
    const { ofSource = 0, unknown = 0, example } = this.result().tickets ?? {};
    if (this.#failure !== undefined)
      warn(
        'target-not-asked',
        `The dry run could not ask the target everything: ${this.#failure} What it did not answer is looked up at import.`,
      );
    if (example !== undefined)
      warn(
        'already-in-target',
        `The target already has ${unknown === 1 ? 'a ticket' : `${unknown} tickets`} of this export that the checkpoint ${checkpoint} does not know (${example.externalId} as ${example.ticketId}; ${ofSource} of the source "${this.#sourceName}" in all): a run with it is refused. Continue with the checkpoint of that import, rebuild it with "helpdesk-import checkpoint rebuild", or name this import with --source-name.`,
      );
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endConnection(this.#api, this.#ports.emit);
  }

  /** `unreported`: the target does not show it. `not asked`: nothing more is asked. */
  async #ask<T>(
    ask: (api: CoreApi, signal: AbortSignal) => Promise<T>,
  ): Promise<{ readonly is: T } | 'unreported' | 'not asked'> {
    const { soft, clock } = this.#ports;
    soft.throwIfAborted();
    if (this.#failure !== undefined) return 'not asked';
    if (clock.monotonic() > this.#until || this.#api.stats.sent >= MOST_REQUESTS) {
      this.#failure = 'it took too long.';
      return 'not asked';
    }
    try {
      return { is: await ask(this.#api, soft) };
    } catch (error) {
      soft.throwIfAborted();
      // A token without the permission to read is no answer; a service without such calls is.
      const isNotThere = error instanceof ApiFailure && error.code === 'target-unreadable';
      if (isNotThere && error.status !== 403) return 'unreported';
      this.#failure = error instanceof Error ? error.message : String(error);
      return 'not asked';
    }
  }
}

function namesOf(tags: unknown): string[] {
  return tagNames(tags).map((name) => name.toLowerCase());
}

function idAndName({ id, name }: Snapshot): { id: string; name?: string } {
  return typeof name === 'string' && name.trim() !== '' ? { id, name } : { id };
}

function addressOf({ email }: Snapshot): string {
  return typeof email === 'string' ? email.trim().toLowerCase() : '';
}
