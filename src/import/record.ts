/** The last arrow: what the checkpoint keeps of a run, when it begins and when it ends. */

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { changedSections } from '../checkpoint/meta.ts';
import { countOf } from '../domain/printable.ts';
import { groupKey } from '../domain/problem.ts';
import { say } from '../domain/text/problem-words.ts';
import type { TicketState } from '../domain/ticket-state.ts';
import { checksOf, type Facts } from '../plan/facts.ts';
import { recordFacts } from '../plan/recorded.ts';
import { isSelective } from '../plan/selection.ts';
import type { Settings } from '../settings/settings.ts';
import { isReadFrom } from '../source/reject-folder.ts';
import type { Ended, LearntSource, Run } from './run.ts';

const MOST_SHOWN = 1000;

/** The record of a run before it sends. */
type Begun = ReturnType<typeof summaryAtBeginning>;

export async function recordBeginning(
  run: Run,
  source: LearntSource,
  facts: Facts,
  checkpoint: Checkpoint,
): Promise<Begun> {
  const { ports, settings } = run;
  const changed = await compareSettings(settings, source, facts, checkpoint);
  if (changed !== undefined) ports.emit({ type: 'note', message: changed });
  const begun = summaryAtBeginning(run, source, facts, checkpoint);
  await checkpoint.startRun(settings.mode, { ...begun });
  // At the end it is added, once.
  await recordFacts(checkpoint, facts, { ...recordedAt(run, begun), isCorrection: false });
  return begun;
}

export async function recordEnd(
  run: Run,
  checkpoint: Checkpoint,
  begun: Begun,
  { facts, stoppedBy, shownBefore: before = new Set() }: Ended,
): Promise<void> {
  const content = facts.export.digest;
  const { tickets, messages, events, contacts, requests, durationMs, exitCode, problemGroups } = facts;
  if (stoppedBy === undefined && tickets.pending === 0) await checkpoint.usedWith({ content });
  // Partly shown problems do not count.
  if (run.ports.frames === true && !run.settings.output.quiet) {
    const groups = [...new Set([...before, ...problemGroups.map(groupKey)])].slice(0, MOST_SHOWN);
    await checkpoint.usedWith({ shown: { content, groups } });
  }
  await recordFacts(checkpoint, facts, recordedAt(run, begun));
  await checkpoint.endRun({
    exitCode,
    summary: {
      ...begun,
      ...{ tickets, messages, events, contacts, requests, durationMs },
      failedChecks: checksOf(facts).failed,
    },
  });
}

function recordedAt({ ports: { clock } }: Run, { isPart, isCorrection }: Begun) {
  return { isPart, isCorrection, at: new Date(clock.now()).toISOString() };
}

function summaryAtBeginning(
  { settings: { selection, output, source }, ports: { typed }, runTag }: Run,
  { plan }: LearntSource,
  { tickets }: Facts,
  checkpoint: Checkpoint,
) {
  return {
    tickets,
    open: plan.steps.totals().open,
    settledBefore: settledIn(checkpoint.counts()),
    isPart: isSelective(selection) || isReadFrom(output.rejects, source.files),
    isCorrection: isReadFrom(output.rejects, source.files),
    typed: typed && { again: typed.again, all: typed.all, folder: resolve(typed.folder) },
    runTag,
  };
}

function settledIn(counts: Readonly<Record<TicketState, number>>): number {
  const { done, rejected, refused, incomplete, inDoubt, creating, skipped } = counts;
  return done + rejected + refused + incomplete + inDoubt + creating + skipped;
}

type DigestedSettings = Pick<Settings, 'source' | 'people' | 'target' | 'files' | 'mapping' | 'unmapped'>;

/** Sections without an effect on payloads have no digest. */
function settingsDigests({
  source,
  people,
  target,
  files,
  mapping,
  unmapped,
}: DigestedSettings): Record<string, string> {
  // All but places: rejects are written in another form.
  const { files: _, from, name, encoding, delimiter, ticketUrl, ...read } = source;
  const { baseUrl, apiPath, ...marks } = target;
  const { agents, fallbackAgent, customersWithoutEmail } = people;
  const { to, publicUrl, missing } = files;
  return {
    target: digest(marks),
    source: digest(read),
    agents: digest({ agents, fallbackAgent, customersWithoutEmail }),
    files: digest({ to, publicUrl, missing }),
    mapping: digest([mapping ?? null, unmapped]),
  };
}

/** The changed settings and the tickets they touch, in one sentence. */
async function compareSettings(
  settings: DigestedSettings & Pick<Settings, 'delta'>,
  { detection, proposal, name }: LearntSource,
  { tickets }: Pick<Facts, 'tickets'>,
  checkpoint: Checkpoint,
): Promise<string | undefined> {
  const layout = detection.layout.name;
  const now = { ...settingsDigests(settings), layout: digest(layout) };
  const changed = changedSections(checkpoint.meta.settings, now);
  await checkpoint.usedWith({ sourceKey: layout, sourceName: name.name, proposal, settings: now });
  if (changed.length === 0 || checkpoint.size() === 0) return undefined;
  const open = tickets.pending + tickets.failed + tickets.inDoubt;
  const done = settings.delta
    ? `of the ${countOf(tickets.done, 'ticket')} done the delta sends what differs by them`
    : `the ${countOf(tickets.done, 'ticket')} done stay as they are in the helpdesk`;
  return `The settings have changed since the last run (${changed.join(', ')}): ${say('{open|the remaining ticket uses|the # remaining tickets use}', { open })} the new settings, and ${done}.`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
