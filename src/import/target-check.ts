/** Questions to the helpdesk before the first ticket and after the last. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { AppError } from '../domain/errors.ts';
import { hasTag, identityTag, isMarked } from '../domain/identity.ts';
import { sameInstant } from '../domain/snapshot.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { stop } from '../domain/text/stops.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { KnownFacts, TicketApi } from '../domain/ticket-api.ts';
import { TICKET_STATES } from '../domain/ticket-state.ts';
import { optional } from '../helpdesk/api.ts';
import * as same from '../helpdesk/same-target.ts';
import {
  countAtEnd,
  MOST_COMPARED,
  SAMPLE,
  type TicketsOfSource,
  ticketsOfSource,
} from '../helpdesk/twice-in-target.ts';
import type { Facts } from '../plan/facts.ts';
import { idsIn } from '../plan/queries.ts';
import { failureOf } from '../push/failure-meaning.ts';
import { inTarget, lackedBy, MORE_NEWEST, tellGone, tellOthers } from './meanwhile.ts';
import type { Run, Source } from './run.ts';

type Checking = Pick<Run, 'ports' | 'problems'>;
type CheckedSource = Pick<Source, 'name' | 'plan'>;

export interface CheckedTarget {
  readonly facts: KnownFacts;
  readonly mayHaveUnknown?: boolean | undefined;
  readonly stop?: AppError | undefined;
}

const NEWEST = 3;
/** For a source without a name of its own. */
const FIRST_CREATES = 10;

export async function checkTarget(
  run: Checking,
  source: CheckedSource,
  surveyed: Pick<Facts, 'export'>,
  checkpoint: Checkpoint,
  api: TicketApi,
): Promise<CheckedTarget> {
  const { soft, emit } = run.ports;
  const note = (message: string) => emit({ type: 'note', message });
  const { toSend } = source.plan.steps.totals();
  const { facts = {} } = checkpoint.meta;
  requireNoUndo(checkpoint);
  const { count } = checkpoint.inTarget(0);
  if (count === 0 && toSend === 0) return { facts };
  try {
    if (facts.keepsTags === false) await tagAgain(run, source, checkpoint, api);
    const answer = await isSameTarget(run, source, checkpoint, api);
    const { isReadable, calledAs, gone } = answer;
    await checkpoint.usedWith({
      targetIs: calledAs ?? checkpoint.meta.targetIs,
      content: checkpoint.meta.content ?? surveyed.export.digest,
    });
    const listed =
      isReadable === true && count > 0 ? await ofSource(run, source, checkpoint, count, api) : undefined;
    const mayHaveUnknown = toSend > 0 && (gone.length > 0 || hasUnknown(listed, checkpoint, count));
    const { name } = source.name;
    if (mayHaveUnknown)
      note(
        `The helpdesk may have tickets of the source "${name}" that the checkpoint does not know. Each ticket is looked for before it is created.`,
      );
    if (isReadable === true && toSend > 0) await tellOthers(run, source, api);
    await tellGone(run, source, checkpoint, [...gone, ...lackedBy(listed, checkpoint, count)], api);
    if (answer.unasked !== undefined)
      run.problems.tell(problemOf('target-unchecked', { source: name, why: answer.unasked.message }));
    if (count > 0 && isReadable === false) note(UNREADABLE);
    return { mayHaveUnknown, facts: { ...facts, isReadable, keepsTags: facts.keepsTags || undefined } };
  } catch (error) {
    if (error instanceof AppError && ['checkpoint', 'configuration'].includes(error.code)) throw error;
    soft.throwIfAborted();
    const stop = failureOf(error, soft).ends?.reason;
    if (!(stop instanceof AppError)) throw error;
    return { facts, stop };
  }
}

/** The helpdesk dropped our tags; perhaps it keeps them now. Throws AppError `configuration` if not. */
async function tagAgain(
  { ports: { soft } }: Checking,
  { plan, name: { name } }: CheckedSource,
  checkpoint: Checkpoint,
  api: TicketApi,
): Promise<void> {
  const { newest } = checkpoint.inTarget(MORE_NEWEST);
  for (const page of plan.entries(idsIn(newest.map(({ externalId }) => externalId))))
    for (const entry of page) {
      const { ticket } = (entry.kind === 'ticket' && entry.result.checked) || {};
      const { ticketId } = checkpoint.get(entry.externalId ?? '') ?? {};
      if (ticket?.tags === undefined || ticketId === undefined) continue;
      const found = await optional(api.readTicket(ticketId, soft));
      const isIt = sameInstant(ticket.createdAt, Date.parse(String(found?.['createdAt'])));
      if (found === undefined || !isIt || isMarked(found['tags'])) continue;
      const answer = await optional(api.updateTicket(ticketId, { tags: ticket.tags }, soft));
      const shown = answer?.reported ?? (await optional(api.readTicket(ticketId, soft)));
      if (!hasTag(shown?.['tags'], identityTag(name, entry.externalId ?? '')))
        throw same.tagsNotKept(ticketId);
    }
}

function isSameTarget(
  { ports }: Checking,
  { plan, name }: CheckedSource,
  checkpoint: Checkpoint,
  api: TicketApi,
): Promise<same.TargetAnswer> {
  const { meta } = checkpoint;
  const { others, newest } = checkpoint.inTarget(NEWEST);
  const lastCreated = (meta.lastCreated ?? []).flatMap((id) => checkpoint.get(id) ?? []);
  return same.askTarget(
    {
      checkpoint: checkpoint.path,
      source: name.name,
      // A refused ticket may exist as well.
      looksForSource: unsettled(checkpoint).size + checkpoint.counts().refused === 0,
      newest: [lastCreated.flatMap(inTarget), newest.flatMap(inTarget)],
      others: others.flatMap(inTarget),
      knownAs: meta.targetIs,
      toCreate: name.isGiven ? [] : plan.creates(FIRST_CREATES).map(nameOfNew),
    },
    api,
    ports.soft,
  );
}

function nameOfNew({ externalId, ticket: { subject, createdAt } }: CheckedTicket) {
  return { externalId, subject, createdAt };
}

function unsettled(checkpoint: Checkpoint): ReadonlySet<string> {
  return new Set([...checkpoint.inStates(['creating', 'inDoubt'])].map(({ externalId }) => externalId));
}

function ofSource(
  { ports: { soft } }: Checking,
  { name: { name: source } }: CheckedSource,
  checkpoint: Checkpoint,
  count: number,
  api: TicketApi,
): Promise<TicketsOfSource | undefined> {
  const ids = () => checkpoint.inTarget(count).newest.flatMap(({ ticketId }) => ticketId ?? []);
  const known = { source, count, ids, ownerOf: (id: string) => checkpoint.ownerOf(id) };
  const most = (total = count) => (total < count ? MOST_COMPARED : SAMPLE);
  return optional(ticketsOfSource(api, known, most, soft));
}

/** An old copy of a checkpoint does not know later imports. */
function hasUnknown(found: TicketsOfSource | undefined, checkpoint: Checkpoint, count: number): boolean {
  if (found === undefined) return false;
  const { total = 0, listed, unclaimed } = found;
  const most = unsettled(checkpoint).size;
  return unclaimed.length > most || (listed.length > 0 && total > count + most);
}

const UNREADABLE = 'The helpdesk lists no tickets, so it may not be the one this checkpoint was made for.';

function requireNoUndo({ undos, path }: Checkpoint): void {
  const begun = [...undos.values()].filter((each) => each.begun !== undefined);
  const [first] = begun;
  if (first === undefined) return;
  throw stop('undo-unfinished', { run: first.run, tickets: begun.length, path });
}

/** Resolves with whether the helpdesk has a ticket twice. */
export async function checkEnd(
  { ports, problems }: Checking,
  { name: { name: source } }: CheckedSource,
  checkpoint: Checkpoint,
  api: TicketApi,
  doubted: readonly string[],
): Promise<boolean> {
  const question = {
    source,
    count: checkpoint.inTarget(0).count,
    inDoubt: unsettled(checkpoint),
    doubted,
    ownerOf: (ticketId: string) => checkpoint.ownerOf(ticketId),
    byTag: () => tagsOf(source, checkpoint),
  };
  const counted = await countAtEnd(question, api, ports.clock, ports.soft);
  for (const found of counted) problems.tell(found);
  return counted.some(({ code }) => code === 'duplicate-in-target');
}

function tagsOf(source: string, checkpoint: Checkpoint): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const { externalId } of checkpoint.inStates(TICKET_STATES))
    tags.set(identityTag(source, externalId).toLowerCase(), externalId);
  return tags;
}
