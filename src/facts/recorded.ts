/** Facts that the checkpoint keeps, without a customer's words. */
import type { CheckpointReader, StoredCheckpoint } from '../checkpoint/read-checkpoint.ts';
import type { CheckpointStatus, KnownCounts } from '../checkpoint/status.ts';
import type { Facts, TicketFacts } from './facts.ts';
import { filesBy } from './facts-of.ts';
import { lostOf } from './lost.ts';

/** By the last run that read all of the export. */
type Recorded = Omit<Facts, 'tickets' | 'lost' | 'version'> & {
  readonly tickets: Pick<TicketFacts, 'read' | 'skipped' | 'unreadable'>;
  readonly at: string;
};

/** Other fields may hold anything. */
const CATEGORIES = new Set(['status', 'priority', 'actorType', 'actor', 'contentType', 'type', 'role']);

/** Without what may be a customer's words. */
export function detailsWithout(details: Facts['details'], hidden: string): Facts['details'] {
  const isCategory = (field: string) => CATEGORIES.has(field.split('.').at(-1) ?? '');
  return {
    ...details,
    values: details.values.map((row) => (isCategory(row.field) ? row : { ...row, value: hidden })),
    authors: details.authors.map(({ count }) => ({ author: hidden, count })),
  };
}

/** `isPart`: what it sent is added to the record. */
export async function recordFacts(
  checkpoint: StoredCheckpoint,
  facts: Facts,
  { isPart, at }: { readonly isPart: boolean; readonly at: string },
): Promise<void> {
  const { record } = checkpoint;
  for (const { name: _, ...agent } of facts.people.agents)
    if (agent.how !== 'later') await checkpoint.people.set(agent.agent, agent);
  const before = record.get('export') as Recorded | undefined;
  if (!isPart || before === undefined) return await record.set('export', recordable(facts, at));
  const { messages, events } = before;
  await record.set('export', {
    ...before,
    messages: { ...messages, sent: Math.max(messages.sent, facts.messages.sent) },
    events: { ...events, sent: Math.max(events.sent, facts.events.sent) },
  });
}

function recordable(facts: Facts, at: string): Recorded {
  const { version: _, lost: __, tickets, people, details, problemGroups, trial: ___, ...rest } = facts;
  const { read, skipped, unreadable } = tickets;
  return {
    ...rest,
    at,
    tickets: { read, skipped, unreadable },
    people: { agents: people.agents.map(({ name: _, ...agent }) => agent), later: people.later },
    details: detailsWithout(details, ''),
    problems: [],
    problemGroups: problemGroups.map(({ example, ...group }) => ({
      ...group,
      example: { severity: example.severity, code: example.code, message: '', count: 1 },
    })),
  };
}

/** Without a record, the checkpoint's tickets are all that is known. */
export function factsOfCheckpoint(
  reader: Pick<CheckpointReader, 'record' | 'files'>,
  { tickets: counts, target, checkpoint, runs, export: progress }: CheckpointStatus,
): Facts {
  const { at, ...found } = (reader.record.get('export') as Recorded | undefined) ?? NOTHING;
  const tickets = ticketsOf(found.tickets, counts, progress?.left ?? 0);
  const { stored, missing } = filesBy(reader.files);
  const facts: Omit<Facts, 'lost'> = {
    ...found,
    version: 2,
    mode: 'checkpoint',
    isDelta: false,
    target,
    checkpoint,
    tickets,
    attachments: { ...found.attachments, stored: stored.length, missing: missing.length },
    known: { ...found.known, since: at, isCutOff: runs[0] !== undefined && runs[0].endedAt === undefined },
    problemGroups: found.problemGroups.filter(({ code }) => !OF_A_RUN.has(code)),
  };
  return { ...facts, lost: lostOf(facts) };
}

const NOTHING: Recorded = {
  ...{ mode: 'checkpoint', isDelta: false, layout: '', at: '', checkpoint: '', durationMs: 0, exitCode: 0 },
  export: { digest: '', channels: [], months: [], withoutMessages: 0, withoutStatus: 0 },
  tickets: { read: 0, skipped: 0, unreadable: 0 },
  ...{ skipped: [], mapping: [], mappingLeftOut: 0, picks: [] },
  messages: { read: 0, sent: 0, internal: 0, orphans: 0 },
  events: { read: 0, sent: 0, orphans: 0 },
  contacts: { distinct: 0, merged: 0 },
  people: { agents: [], later: 0 },
  attachments: {
    ...{ read: 0, bytes: 0, stored: 0, missing: 0, links: 0, tickets: 0, checked: 0, unreachable: 0 },
    hosts: [],
  },
  kept: { tickets: 0, columns: [] },
  plan: {
    requests: { creates: 0, messages: 0, events: 0, updates: 0, reads: 0, total: 0, checks: 0 },
    batches: { count: 0, size: 0 },
  },
  requests: { sent: 0, retried: 0, rateLimited: 0, changing: 0 },
  details: { columns: [], values: [], authors: [], notHeld: [] },
  known: { agents: false, helpdesk: false },
  ...{ problems: [], problemsTotal: 0, problemGroups: [] },
};

const OF_A_RUN: ReadonlySet<string> = new Set([
  'changed-since-import',
  'agents-asked',
  'older-than-imported',
]);

/** Unlisted tickets are pending, or unreadable records. */
function ticketsOf(
  { read, skipped, unreadable }: Recorded['tickets'],
  counts: KnownCounts,
  unreached: number,
): TicketFacts {
  const { known: _, ...outcomes } = counts;
  const listed = outcomes.done + outcomes.failed + outcomes.inDoubt + outcomes.rejected + outcomes.skipped;
  const lost = Math.max(0, Math.min(unreadable, read - listed));
  const left = Math.max(0, read - listed - lost);
  const leftOut = Math.min(left, skipped);
  const pending = Math.max(outcomes.pending, read === 0 ? unreached : left - leftOut);
  return {
    ...outcomes,
    rejected: outcomes.rejected + lost,
    skipped: outcomes.skipped + leftOut,
    pending,
    read: listed + lost + leftOut + pending,
    ...{ create: pending, update: 0, unchanged: outcomes.done, created: 0, updated: 0, unreadable },
  };
}
