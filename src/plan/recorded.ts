/** Facts that the checkpoint keeps, without a customer's words. */
import type { CheckpointReader, StoredCheckpoint } from '../checkpoint/read-checkpoint.ts';
import {
  checkpointFacts,
  failureReasons,
  type KnownCounts,
  knownCounts,
  messagesIn,
} from '../checkpoint/status.ts';
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

export function detailsWithout(details: Facts['details'], hidden: string): Facts['details'] {
  const isCategory = (field: string) => CATEGORIES.has(field.split('.').at(-1) ?? '');
  return {
    ...details,
    values: details.values.map((row) => (isCategory(row.field) ? row : { ...row, value: hidden })),
    authors: details.authors.map(({ count }) => ({ author: hidden, count })),
  };
}

interface Recording {
  readonly at: string;
  /** Its counts are added to the record. */
  readonly isPart: boolean;
  /** A part that the whole has as rejected. */
  readonly isCorrection?: boolean | undefined;
}

export async function recordFacts(
  checkpoint: StoredCheckpoint,
  facts: Facts,
  { at, isPart, isCorrection = false }: Recording,
): Promise<void> {
  const { record } = checkpoint;
  for (const { name: _, ...agent } of facts.people.agents)
    if (agent.how !== 'later') await checkpoint.people.set(agent.agent, agent);
  const before = record.get(KEY) as Recorded | undefined;
  if (!isPart || before === undefined) return await record.set(KEY, recordable(facts, at));
  const { events, attachments, kept } = before;
  const sum = isCorrection ? (a: number, b: number) => a + b : Math.max;
  const { links, tickets } = isCorrection ? facts.attachments : { links: 0, tickets: 0 };
  await record.set(KEY, {
    ...before,
    events: { ...events, sent: sum(events.sent, facts.events.sent) },
    attachments: { ...attachments, links: attachments.links + links, tickets: attachments.tickets + tickets },
    kept: { ...kept, tickets: kept.tickets + (isCorrection ? facts.kept.tickets : 0) },
  });
}

function recordable(facts: Facts, at: string): Recorded {
  const { version: _, lost: __, trial: ___, stopped: ____, tickets, people, details, ...rest } = facts;
  const { read, skipped, unreadable } = tickets;
  return {
    ...rest,
    at,
    tickets: { read, skipped, unreadable },
    people: { agents: people.agents.map(({ name: _, ...agent }) => agent), later: people.later },
    details: detailsWithout(details, ''),
    problems: [],
    problemGroups: facts.problemGroups.map(({ example: { severity, code }, ...group }) => ({
      ...group,
      example: { severity, code, message: '', count: 1 },
    })),
  };
}

/** Without a record, the checkpoint's tickets are all that is known. */
export function factsOfCheckpoint(reader: CheckpointReader): Facts {
  const { at, ...found } = (reader.record.get(KEY) as Recorded | undefined) ?? NOTHING;
  const itself = checkpointFacts(reader);
  const known = knownCounts(reader, itself.writer !== undefined);
  const progress = progressOf(itself.runs ?? [], known);
  const { stored, missing } = filesBy(reader.files);
  const [latest] = itself.runs ?? [];
  const isCutOff = latest !== undefined && latest.endedAt === undefined;
  const isOpen = openCodes(found, reader, known);
  const { values, authors } = found.details;
  const facts: Omit<Facts, 'lost'> = {
    ...found,
    ...itself,
    ...({ version: 2, mode: 'checkpoint', isDelta: false } as const),
    ...{ target: reader.meta.target, checkpoint: reader.path },
    tickets: { ...ticketsOf(found.tickets, known, progress?.left ?? 0), known: known.known },
    export: { ...found.export, ...progress },
    messages: { ...found.messages, sent: messagesIn(reader) },
    details: {
      ...found.details,
      values: values.filter(({ action }) => action !== 'error' || isOpen('unmapped-value')),
      authors: isOpen('unknown-author') ? authors : [],
    },
    attachments: { ...found.attachments, stored: stored.length, missing: missing.length },
    known: { ...found.known, since: at, isCutOff },
    problemGroups: found.problemGroups.filter(
      ({ code, severity }) => !OF_A_RUN.includes(code) && (severity === 'warning' || isOpen(code)),
    ),
  };
  return { ...facts, lost: lostOf(facts) };
}

/** Reasons that tickets still wait for: corrected and sent ones are no problem. */
function openCodes({ tickets }: Pick<Recorded, 'tickets'>, reader: CheckpointReader, known: KnownCounts) {
  const codes = new Set(failureReasons(reader).map(({ code }) => code));
  const hasUnlisted = tickets.unreadable > 0 && tickets.read > known.known;
  return (code: string) => known.known === 0 || codes.has(code) || (hasUnlisted && UNLISTED.has(code));
}

/** Records that no checkpoint lists. */
const UNLISTED = new Set(['unreadable', 'missing-id', 'duplicate-id']);

const none = <Of extends string>(...names: Of[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Of, number>;

const NOTHING: Recorded = {
  ...{ mode: 'checkpoint', isDelta: false, layout: '', at: '', checkpoint: '', durationMs: 0, exitCode: 0 },
  export: { files: [], digest: '', channels: [], months: [], ...none('withoutMessages', 'withoutStatus') },
  tickets: none('read', 'skipped', 'unreadable'),
  ...{ skipped: [], mapping: [], mappingLeftOut: 0, picks: [] },
  messages: none('read', 'sent', 'internal', 'orphans'),
  events: none('read', 'sent', 'orphans'),
  contacts: none('distinct', 'merged'),
  people: { agents: [], later: 0 },
  attachments: {
    ...none('read', 'bytes', 'stored', 'missing', 'links', 'tickets', 'checked', 'unreachable'),
    hosts: [],
  },
  kept: { tickets: 0, columns: [] },
  plan: {
    requests: none('creates', 'messages', 'events', 'updates', 'reads', 'total', 'checks'),
    batches: none('count', 'size'),
  },
  requests: none('sent', 'retried', 'rateLimited', 'changing'),
  details: { columns: [], values: [], authors: [], notHeld: [] },
  known: { agents: false, helpdesk: false },
  ...{ problems: [], problemsTotal: 0, problemGroups: [] },
};

/** A record of other fields is of another version, and not read: what it lacks is not known. */
const KEY = `export ${Object.values(NOTHING).flatMap((part) => Object.keys(Object(part)))}`;

const OF_A_RUN = [
  'changed-since-import',
  'invalid-since-import',
  'agents-asked',
  'older-than-imported',
  'another-ticket-now',
];

/** Open when the latest whole run began, minus settled since. */
function progressOf(runs: NonNullable<Facts['runs']>, { known, pending, done }: KnownCounts) {
  const reported = runs.map(({ summary }) => summary).filter((summary) => summary !== undefined);
  const summary = reported.find((one) => one['isPart'] !== true) ?? reported[0];
  const total: unknown = (summary?.['tickets'] as { read?: unknown } | undefined)?.read;
  const [open, settledBefore] = [summary?.['open'], summary?.['settledBefore']];
  if (typeof total !== 'number' || typeof open !== 'number' || typeof settledBefore !== 'number')
    return undefined;
  return { total, done, left: Math.max(pending, open - (known - pending - settledBefore)) };
}

/** Unlisted tickets are pending, or unreadable records. */
function ticketsOf(
  { read, skipped, unreadable }: Recorded['tickets'],
  { known: _, ...outcomes }: KnownCounts,
  unreached: number,
): TicketFacts {
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
