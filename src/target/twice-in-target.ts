/** At the end of a run: does the target have each ticket of this source once? Where it cannot be read nothing is said. */
import type { Clock } from '../domain/clock.ts';
import { hasTag, identityTag, sourceTag, tagNames } from '../domain/identity.ts';
import type { Problem } from '../domain/problem.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';

export interface CountQuestion {
  readonly source: string;
  /** Tickets of the target that the checkpoint has with their identity; undefined where they cannot be counted (a shard). */
  readonly known: number | undefined;
  /** Tickets of unknown outcome: the target may have them. */
  readonly inDoubt: number;
  /** Tickets whose create was in doubt in this run: each is looked for by its own tag. */
  readonly doubted: readonly string[];
  ownerOf(ticketId: string): string | undefined;
}

/** A list may lag behind for some seconds. */
const LOOKS = 3;
const PAUSE_MS = 2_000;
const MOST_NAMED = 100;
const MOST_DOUBTED = 500;

export async function countAtEnd(
  question: CountQuestion,
  api: TicketApi,
  clock: Clock,
  signal: AbortSignal,
): Promise<Problem[]> {
  try {
    const twice = await twiceAmong(question, api, signal);
    return [...twice, ...(await countOf(question, twice.length > 0, api, clock, signal))];
  } catch (error) {
    // The run is over and recorded; what cannot be read now is no reason to say otherwise.
    if (error instanceof ApiFailure || signal.aborted) return [];
    throw error;
  }
}

async function countOf(
  { source, known, inDoubt, ownerOf }: CountQuestion,
  isReported: boolean,
  api: TicketApi,
  clock: Clock,
  signal: AbortSignal,
): Promise<Problem[]> {
  if (known === undefined) return [];
  const tag = sourceTag(source);
  let total: number | undefined;
  for (let looks = 1; looks <= LOOKS; looks += 1) {
    if (looks > 1) await clock.sleep(PAUSE_MS, signal);
    total = await api.countTickets({ tags: [tag] }, signal);
    if (total === undefined || (total >= known && total <= known + inDoubt)) return [];
  }
  if (total === undefined) return [];
  if (total < known)
    return [
      {
        severity: 'warning',
        code: 'missing-in-target',
        message: `The target lists ${total} of the ${known} imported tickets of the source "${source}". The others were deleted or are hidden from the list.`,
        count: 1,
      },
    ];
  if (isReported) return [];
  const listed = await api.findTickets({ tags: [tag] }, signal);
  const ours = listed.filter(({ tags }) => hasTag(tags, tag));
  const unknown = ours.filter(({ id }) => ownerOf(id) === undefined);
  const hidden = total - known - Math.max(unknown.length, inDoubt);
  const named = unknown.length > inDoubt ? unknown.slice(0, MOST_NAMED).map((one) => extra(one, source)) : [];
  // The total of a list that is not filtered by the tag counts other tickets too.
  if (hidden <= 0 || ours.length < listed.length) return named;
  return [
    ...named,
    duplicate(
      `The target counts ${total} tickets of the source "${source}", and its list does not show ${hidden} of those that were not imported with this checkpoint: they may be there twice. Compare, and delete what is there twice.`,
    ),
  ];
}

function extra({ id, tags }: Snapshot, source: string): Problem {
  const own = tagNames(tags).find((name) => name.toLowerCase().startsWith(`${source}-`));
  return duplicate(
    `The target has ticket ${id}${own === undefined ? '' : ` (${own})`} of the source "${source}", which this checkpoint did not create: it may be there twice. Compare, and delete one.`,
  );
}

async function twiceAmong(
  { source, doubted }: CountQuestion,
  api: TicketApi,
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const externalId of doubted.slice(0, MOST_DOUBTED)) {
    const tag = identityTag(source, externalId);
    const listed = await api.findTickets({ tags: [tag], most: 100 }, signal);
    const ids = listed.filter(({ tags }) => hasTag(tags, tag)).map(({ id }) => id);
    if (ids.length < 2) continue;
    const message = `The target has this ticket ${ids.length} times (${ids.join(', ')}): delete all but the one with the conversation.`;
    problems.push({ ...duplicate(message), ticket: externalId });
  }
  return problems;
}

function duplicate(message: string): Problem {
  return { severity: 'error', code: 'duplicate-in-target', message, count: 1 };
}
