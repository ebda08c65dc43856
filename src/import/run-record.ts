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
import type { Ledger } from '../domain/ledger.ts';
import type { Survey } from '../domain/survey.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';
import { isReadFrom } from '../rejects/reject-folder.ts';
import type { Settings } from '../settings/settings.ts';
import type { ImportJob, TypedRun } from './import-job.ts';
import type { Surveyed } from './survey-export.ts';

export interface RunRecord {
  /** Of the export, at the start of the run and, once it has ended, at its end. */
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
  { settings, ports: { typed }, runTag }: ImportJob,
  { survey, totals }: Surveyed,
  ledger: Pick<Ledger, 'counts'>,
): RunRecord {
  const { since, until, only, limit, shard } = settings.selection;
  const isSelection = [since, until, only, limit].some((part) => part !== undefined);
  return {
    tickets: survey.tickets,
    open: totals.open,
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

// Whether the settings that shape payloads are what they were in the last run, and what that means.

/** Digests by the section of helpdesk-import.yaml; sections without an effect on payloads have no digest. */
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
