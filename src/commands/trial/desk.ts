/** The tickets of a trial, their marks, and the latest look at the helpdesk: all that its pages show. */

import { createHmac, hash, randomBytes } from 'node:crypto';
import { openExisting } from '../../checkpoint/checkpoint.ts';
import { type Mark, PEOPLE_KEY, type Signing, sentDigest, TRIAL_KEY } from '../../checkpoint/marks.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { isMadeUp } from '../../domain/decisions.ts';
import type { Clock } from '../../domain/ports.ts';
import { normalizedEmail, reportedInstant, reportedString } from '../../domain/snapshot.ts';
import type { CoreApi } from '../../helpdesk/api.ts';
import type { Facts } from '../../plan/facts.ts';
import { pairTicket } from '../../verify/pairs.ts';
import { readBack } from '../../verify/read-back.ts';
import type { Block } from '../../view/blocks.ts';
import { documentTexts } from '../../view/html/conversation.ts';
import { digestText, newTicket } from './new-side.ts';
import type { OldTicket } from './old-side.ts';
import { overviewContent, peopleContent, type TrialCustomer } from './overview.ts';
import * as pages from './page.ts';

export interface DeskParts {
  readonly tickets: readonly OldTicket[];
  readonly facts: Facts;
  readonly checkpointPath: string;
  readonly api: Pick<CoreApi, 'readTicket' | 'readMessages' | 'readEvents' | 'findContacts'>;
  /** The domain for made-up addresses. */
  readonly domain?: string | undefined;
  readonly clock: Clock;
  readonly version: string;
  readonly signal: AbortSignal;
  /** For the page of a signed trial. */
  readonly nextOf: (wrong: readonly string[]) => readonly Block[];
}

export class TrialPages {
  readonly #parts: DeskParts;
  readonly #secret = randomBytes(32);
  readonly #oldDigests: ReadonlyMap<string, string>;
  /** By external ID: what the latest look at the helpdesk showed. */
  readonly #seen = new Map<string, { readonly saw: string; readonly differences: number }>();

  constructor(parts: DeskParts) {
    this.#parts = { ...parts, tickets: documentTexts(parts.tickets) };
    this.#oldDigests = new Map(
      parts.tickets.map(({ externalId, cells, messages, events, unread }) => [
        externalId,
        digest(JSON.stringify([cells, messages, events, unread])),
      ]),
    );
  }

  get tickets(): readonly OldTicket[] {
    return this.#parts.tickets;
  }

  state(): pages.DeskState {
    using reader = readCheckpoint(this.#parts.checkpointPath);
    const signing = reader.signings.get(TRIAL_KEY);
    const keys = [...this.tickets.map(({ externalId }) => externalId), PEOPLE_KEY];
    const marks = new Map(
      keys.flatMap((key) => {
        const mark = reader.marks.get(key);
        return mark === undefined ? [] : [[key, mark] as const];
      }),
    );
    const shapes = new Map(
      [...marks].map(([key, mark]) => [key, this.#isCurrent(key, mark) ? mark.verdict : 'changed'] as const),
    );
    const lastAt = Math.max(0, ...[...marks.values()].map(({ at }) => at));
    const isSigned =
      signing?.signedAt !== undefined &&
      signing.signedAt >= lastAt &&
      ![...shapes.values()].includes('changed');
    return { tickets: this.tickets, marks, shapes, who: signing?.who, isSigned };
  }

  #isCurrent(key: string, { saw }: Mark): boolean {
    if (key === PEOPLE_KEY) return saw === this.peopleSaw();
    const seen = this.#seen.get(key)?.saw;
    return seen === undefined ? saw.split('.')[0] === this.#oldDigests.get(key) : seen === saw;
  }

  peopleSaw(): string {
    const { people, contacts } = this.#parts.facts;
    return digest(JSON.stringify([people.agents, contacts]));
  }

  token(path: string, saw = ''): string {
    return createHmac('sha256', this.#secret).update(`${path} ${saw}`).digest('hex');
  }

  /** Reads the ticket back. */
  async viewOf(old: OldTicket): Promise<pages.Look> {
    const { api, clock, checkpointPath, signal } = this.#parts;
    using reader = readCheckpoint(checkpointPath);
    const ticketId = reader.get(old.externalId)?.ticketId;
    const base = { old, readAt: clock.now() };
    const oldDigest = this.#oldDigests.get(old.externalId) ?? '';
    const blank = (words: string, mayMark: boolean) => ({
      ...base,
      saw: `${oldDigest}.`,
      unread: { words, mayMark },
    });
    if (ticketId === undefined) return blank('This ticket is not in the helpdesk.', true);
    const back = await readBack(old.sent, ticketId, api, signal).catch((error: unknown) => {
      if (error instanceof Error) return { kind: 'failed' as const, detail: error.message };
      throw error;
    });
    if (back.kind === 'failed') return blank('The helpdesk does not answer.', false);
    if (back.kind === 'hidden')
      return blank(
        `This helpdesk cannot be read. Open #${old.externalId} there and compare it with the left side.`,
        true,
      );
    const shown = documentTexts(back);
    const now = newTicket(shown);
    const paired = pairTicket(old.sent, shown);
    const saw = `${oldDigest}.${digest(digestText(now, shown))}`;
    this.#seen.set(old.externalId, { saw, differences: pages.allDifferences(paired).length });
    return { ...base, saw, now, paired };
  }

  overview(
    state: pages.DeskState,
    about: { readonly isAsking: boolean; readonly complaint?: string | undefined },
  ) {
    const { facts, nextOf } = this.#parts;
    const wrong = [...state.shapes].flatMap(([key, shape]) =>
      shape === 'wrong' && key !== PEOPLE_KEY ? [key] : [],
    );
    const differences = new Map([...this.#seen].map(([key, seen]) => [key, seen.differences]));
    return overviewContent(state, {
      ...about,
      about: `${facts.export.files.join(', ')} in ${facts.target ?? ''}`,
      differences,
      customers: new Map(facts.trial?.tickets.map((one) => [one.externalId, one.customer])),
      token: this.token('/'),
      next: nextOf(wrong),
    });
  }

  async people(state: pages.DeskState, complaint?: string) {
    const saw = this.peopleSaw();
    const form = { saw, token: this.token('/people', saw) };
    return peopleContent(
      state,
      { facts: this.#parts.facts, customers: await this.#customers() },
      form,
      complaint,
    );
  }

  /** Customers of the trial, made-up addresses first. A contact older than the checkpoint was known before. */
  async #customers(): Promise<TrialCustomer[]> {
    const { api, checkpointPath, domain, signal } = this.#parts;
    using reader = readCheckpoint(checkpointPath);
    const rows = this.tickets.map(({ externalId, sent: { ticket } }) => ({ externalId, ...ticket.contact }));
    const emails = rows.flatMap(({ email }) => (email === undefined ? [] : [normalizedEmail(email)]));
    const found = await api.findContacts([...new Set(emails)], signal).catch((error: unknown) => {
      if (error instanceof Error) return [];
      throw error;
    });
    const there = new Map(
      found.map((one) => [normalizedEmail(reportedString(one, 'email') ?? ''), one] as const),
    );
    const originOf = (email: string): TrialCustomer['origin'] => {
      if (domain !== undefined && isMadeUp(email, domain)) return 'made up';
      const at = reportedInstant(there.get(email) ?? {}, 'createdAt');
      return typeof at !== 'number' ? 'hidden' : at < reader.meta.createdAt ? 'known' : 'new';
    };
    return rows
      .map(({ externalId, email, name }) => {
        const key = normalizedEmail(email ?? '');
        const shown = reportedString(there.get(key) ?? {}, 'name') ?? name;
        return { externalId, email, name: shown, origin: originOf(key) };
      })
      .sort((one, other) => Number(other.origin === 'made up') - Number(one.origin === 'made up'));
  }

  async write(
    work: (signing: Signing) => { readonly key?: string; readonly mark?: Mark; readonly signing?: Signing },
  ): Promise<void> {
    const { checkpointPath, clock, version } = this.#parts;
    const checkpoint = openExisting(checkpointPath, { clock, programVersion: version });
    try {
      const of = this.tickets.map(({ externalId }) => externalId);
      const { key, mark, signing } = work({ ...checkpoint.signings.get(TRIAL_KEY), of });
      if (key !== undefined && mark !== undefined)
        await checkpoint.marks.set(key, { ...mark, sent: sentDigest(checkpoint.get(key)) });
      if (signing !== undefined) await checkpoint.signings.set(TRIAL_KEY, signing);
    } finally {
      await checkpoint.close();
    }
  }

  now(): number {
    return this.#parts.clock.now();
  }

  differencesOf(key: string): number {
    return this.#seen.get(key)?.differences ?? 0;
  }
}

export function digest(text: string): string {
  return hash('sha256', text).slice(0, 32);
}
