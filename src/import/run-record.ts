/** What the checkpoint keeps of a run: how far it came and how to continue, nothing of a ticket. */

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { People } from '../check/people.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { changedSections } from '../checkpoint/meta.ts';
import { AppError } from '../domain/errors.ts';
import type { Ledger } from '../domain/ledger.ts';
import { countOf } from '../domain/printable.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';
import type { Facts } from '../facts/facts.ts';
import { isReadFrom } from '../rejects/reject-folder.ts';
import type { ImportJob, TypedRun } from './import-job.ts';
import type { Options } from './options.ts';
import type { Surveyed } from './survey-export.ts';

export interface RunRecord {
  readonly tickets: OutcomeCounts;
  readonly open?: number | undefined;
  readonly settledBefore?: number | undefined;
  readonly isPart?: boolean | undefined;
  readonly typed?: TypedRun | undefined;
  readonly runTag?: string | undefined;
}

export function runRecord(
  { selection, rejects, reading, ports: { typed }, runTag }: ImportJob,
  { facts, totals }: Surveyed,
  ledger: Pick<Ledger, 'counts'>,
): RunRecord {
  const { since, until, only, limit } = selection;
  const isSelection = [since, until, only, limit].some((part) => part !== undefined);
  return {
    tickets: facts.tickets,
    open: totals.open,
    settledBefore: settledIn(ledger.counts()),
    isPart: isSelection || isReadFrom(rejects.folder, reading.inputs),
    typed: typed && { again: typed.again, all: typed.all, folder: resolve(typed.folder) },
    runTag,
  };
}

function settledIn(counts: ReturnType<Ledger['counts']>): number {
  const { done, rejected, refused, incomplete, inDoubt, creating, skipped } = counts;
  return done + rejected + refused + incomplete + inDoubt + creating + skipped;
}

/** Sections without an effect on payloads have no digest. */
function settingsDigests(
  { reading, marks, attachments }: Pick<Options, 'reading' | 'marks' | 'attachments'>,
  merged: People | undefined,
): Record<string, string> {
  // All but places: rejects are written in another form.
  const { inputs, from, name, encoding, delimiter, ticketUrl, plan, mapping, unmapped, ...rest } = reading;
  const { agents, people, fallbackAgent, customersWithoutEmail, ...read } = rest;
  const { to, publicUrl, missing } = attachments;
  return {
    target: digest(marks),
    source: digest(read),
    agents: digest({ agents, fallbackAgent, customersWithoutEmail }),
    ...(merged === undefined ? {} : { people: digest(merged.pairs()) }),
    files: digest({ to, publicUrl, missing }),
    mapping: digest([mapping ?? null, unmapped]),
  };
}

/**
 * What changed and which tickets it touches, in one sentence. Throws AppError `configuration` for a delta that would send
 * merged people under their old addresses: contacts cannot be deleted.
 */
export async function compareSettings(
  checkpoint: Checkpoint,
  options: Parameters<typeof settingsDigests>[0] & Pick<Options, 'isDelta'>,
  {
    layout,
    sourceName,
    people,
  }: { readonly layout: string; readonly sourceName: string; readonly people: People | undefined },
  { tickets }: Pick<Facts, 'tickets'>,
): Promise<string | undefined> {
  const now = { ...settingsDigests(options, people), layout: digest(layout) };
  const before = checkpoint.meta.settings;
  const { isDelta } = options;
  if (isDelta && before?.['people'] !== undefined && people === undefined)
    throw new AppError(
      'configuration',
      'The last run merged people by a file of people, and this one has none: a delta would send their messages under the addresses of the export again.',
      {
        hint: 'Nothing was sent. Name the file as before in the settings; a file with the header alone takes the merging back.',
      },
    );
  const changed = changedSections(before, now);
  const kept = before?.['people'] === undefined ? {} : { people: before['people'] };
  await checkpoint.usedWith({ sourceKey: layout, sourceName, settings: { ...kept, ...now } });
  if (changed.length === 0 || checkpoint.size() === 0) return undefined;
  const open = tickets.pending + tickets.failed + tickets.inDoubt;
  const done = isDelta
    ? `of the ${countOf(tickets.done, 'ticket')} done the delta sends what differs by them`
    : `the ${countOf(tickets.done, 'ticket')} done stay as they are in the helpdesk`;
  return `The settings have changed since the last run (${changed.join(', ')}): ${open === 1 ? 'the remaining ticket uses' : `the ${open.toLocaleString('en-US')} remaining tickets use`} the new settings, and ${done}.`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
