/**
 * What is kept with a run in the checkpoint, from its beginning on, so that it can be asked later how far it came and
 * how to go on, also after a crash: counts and the command, nothing of a ticket.
 */

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { People } from '../check/people.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { changedSections } from '../checkpoint/meta.ts';
import { AppError } from '../domain/errors.ts';
import { isRunTag } from '../domain/identity.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { Survey, TrialPick } from '../domain/survey.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { CreatedTicket, TicketApi } from '../domain/ticket-api.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';
import { isReadFrom } from '../rejects/rejects-read.ts';
import type { Settings } from '../settings/settings.ts';
import type { TrialTicket } from '../summary/summary.ts';
import type { AttachmentProbe } from '../verify/attachment-probe.ts';
import { buildChecklist } from '../verify/checklist.ts';
import { checkTrial, type SentTicket } from '../verify/read-back.ts';
import type { ImportPorts, TypedRun } from './import-job.ts';
import type { Surveyed } from './survey-export.ts';

export interface RunRecord {
  /** Of the export, as they stood at the beginning and, once the run has ended, at its end. */
  readonly tickets: OutcomeCounts;
  /** Tickets that were to be settled when it began. */
  readonly open?: number | undefined;
  /** Tickets of the checkpoint that were settled when it began. */
  readonly settledBefore?: number | undefined;
  /** Read a part of the export on purpose: its rejects, or a selection. */
  readonly isPart?: boolean | undefined;
  readonly shard?: Settings['selection']['shard'] | undefined;
  /** How to continue; absent without a typed command. */
  readonly typed?: TypedRun | undefined;
  readonly runTag?: string | undefined;
}

export function runRecord(
  settings: Settings,
  { survey, open }: Pick<Surveyed, 'survey' | 'open'>,
  ledger: Pick<Ledger, 'counts'>,
  typed: ImportPorts['typed'],
  runTag: string | undefined,
): RunRecord {
  const { since, until, only, limit, shard } = settings.selection;
  const isSelection = [since, until, only, limit].some((part) => part !== undefined);
  return {
    tickets: survey.tickets,
    open,
    settledBefore: settledIn(ledger.counts()),
    isPart: isSelection || isReadFrom(settings.output.rejects, settings.source.files),
    shard,
    typed: typed && { again: typed.again, all: typed.all, folder: resolve(typed.folder) },
    runTag,
  };
}

/** Tickets with an outcome; a create of a process that ended is in doubt. */
function settledIn(counts: ReturnType<Ledger['counts']>): number {
  const { done, rejected, failed, inDoubt, creating, skipped } = counts;
  return done + rejected + failed + inDoubt + creating + skipped;
}

/** A trial, while it goes on: what was sent for its few tickets, to be compared with the target's tickets. */
export class TrialRecord {
  readonly ids: ReadonlySet<string>;
  readonly #picks: readonly TrialPick[];
  readonly #checked = new Map<string, CheckedTicket>();
  readonly #answers = new Map<string, CreatedTicket>();

  constructor(picks: readonly TrialPick[]) {
    this.#picks = picks;
    this.ids = new Set(picks.map(({ externalId }) => externalId));
  }

  take(checked: CheckedTicket): void {
    this.#checked.set(checked.externalId, checked);
  }

  /** The same API; what creates answer is kept, by ticket id. A trial is a few tickets. */
  listening(api: TicketApi): TicketApi {
    return {
      ...api,
      createTicket: async (...call) => {
        const created = await api.createTicket(...call);
        this.#answers.set(created.id, created);
        return created;
      },
    };
  }

  /** Reads the tickets of the trial back and compares. Throws what concerns the whole run. */
  async check(
    ledger: Pick<Ledger, 'get'>,
    api: TicketApi,
    probe: AttachmentProbe,
    nameOf: (email: string) => string | undefined,
    signal: AbortSignal,
  ) {
    const sent = this.#picks.flatMap(({ externalId, why }) => {
      const checked = this.#checked.get(externalId);
      const record = ledger.get(externalId);
      if (checked === undefined || record?.state !== 'done' || record.ticketId === undefined) return [];
      return [{ ...this.#sentTicket(checked, record.ticketId, nameOf), why }];
    });
    const { tickets, attachments } = await checkTrial(sent, api, probe, signal);
    const checks = new Map(tickets.map((ticket) => [ticket.externalId, ticket] as const));
    const list = buildChecklist(sent, new Map(tickets.map(({ externalId, checks: of }) => [externalId, of])));
    return {
      attachments,
      tickets: this.#picks.map(({ externalId, why }): TrialTicket => {
        const checked = checks.get(externalId);
        return checked === undefined
          ? {
              externalId,
              why,
              checks: [{ name: 'imported', ok: false, detail: 'The ticket is not complete in the target.' }],
            }
          : { externalId, ticketId: checked.ticketId, why, checks: checked.checks };
      }),
      checklist: list,
      failed:
        checks.size < this.#picks.length || tickets.some(({ checks: of }) => of.some((check) => !check.ok)),
    };
  }

  #sentTicket(
    { externalId, ticket, messages, events }: CheckedTicket,
    ticketId: string,
    nameOf: (email: string) => string | undefined,
  ): SentTicket {
    const created = this.#answers.get(ticketId)?.ticket;
    const { contact, tags } = ticket;
    const name = contact && nameOf(contact.email);
    return {
      externalId,
      ticketId,
      ticket: {
        ...ticket,
        // An earlier run created it, with the run tag of its own.
        ...(created === undefined && tags && { tags: tags.filter((tag) => !isRunTag(tag)) }),
        ...(contact && { contact: { email: contact.email, ...(name !== undefined && { name }) } }),
      },
      messages,
      events,
      created,
    };
  }
}

// Whether the settings that shape payloads are what they were in the last run, and what that means.

/** Digests by the section of helpdesk-import.yaml; of sections without an effect on payloads there is none. */
function settingsDigests(
  { target, source, people, mapping, unmapped, files }: Settings,
  merged: People | undefined,
): Record<string, string> {
  // Everything counts but where the target and the files are, and how these files are written: rejects are written otherwise.
  const { baseUrl, apiPath, ticketUrl, ...sent } = target;
  const { files: _, from, name, encoding, delimiter, ticketUrl: old, ...read } = source;
  const { to, publicUrl, missing } = files;
  return {
    target: digest(sent),
    source: digest(read),
    agents: digest({ ...people, people: undefined }),
    ...(merged === undefined ? {} : { people: digest(merged.pairs()) }),
    files: digest({ to, publicUrl, missing }),
    mapping: digest([mapping ?? null, unmapped]),
  };
}

/**
 * One sentence about what changed and which tickets it touches, or undefined where nothing did. Records what is now. Throws
 * AppError `configuration` for a delta that would send what was merged under the addresses of the export again: contacts cannot be deleted.
 */
export async function compareSettings(
  checkpoint: Checkpoint,
  settings: Settings,
  {
    layout,
    sourceName,
    people,
  }: { readonly layout: string; readonly sourceName: string; readonly people: People | undefined },
  { tickets }: Survey,
): Promise<string | undefined> {
  const now = { ...settingsDigests(settings, people), layout: digest(layout) };
  const before = checkpoint.meta.settings;
  const isDelta = settings.delta;
  if (isDelta && before?.['people'] !== undefined && people === undefined)
    throw new AppError(
      'configuration',
      'The last run merged people by a file of people, and this one has none: a delta would send their messages under the addresses of the export again.',
      {
        hint: 'Nothing was sent. Name the file as before in the settings; a file with the header alone takes the merging back.',
      },
    );
  const changed = changedSections(before, now);
  // That people were merged is known until a file of people says otherwise.
  const kept = before?.['people'] === undefined ? {} : { people: before['people'] };
  await checkpoint.usedWith({ sourceKey: layout, sourceName, settings: { ...kept, ...now } });
  if (changed.length === 0 || checkpoint.size() === 0) return undefined;
  const open = tickets.pending + tickets.failed + tickets.inDoubt;
  const done = isDelta
    ? `of the ${ticketsOf(tickets.done)} done the delta sends what differs by them`
    : `the ${ticketsOf(tickets.done)} done stay as they are in the target`;
  return `The settings have changed since the last run (${changed.join(', ')}): the ${ticketsOf(open)} not done yet will be sent by the new ones, and ${done}.`;
}

function ticketsOf(count: number): string {
  return `${count.toLocaleString('en-US')} ticket${count === 1 ? '' : 's'}`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
