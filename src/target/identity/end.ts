/**
 * At the end of a run: does the target have each ticket of this source once? Counted by the tag of the source where the list tells
 * its total; and every ticket whose create was in doubt is looked for once more by its own tag.
 */
import type { Clock } from '../../domain/clock.ts';
import { hasTag, identityTag, sourceTag, tagNames } from '../../domain/identity.ts';
import type { Problem } from '../../domain/problem.ts';
import { ApiFailure, type TicketApi } from '../../domain/ticket-api.ts';

export interface CountQuestion {
  readonly source: string;
  /** Tickets of the target that the checkpoint has with their identity; undefined where they cannot be counted (a shard). */
  readonly known: number | undefined;
  /** Tickets whose outcome is not known: the target may have them. */
  readonly inDoubt: number;
  readonly doubted: readonly string[];
  ownerOf(ticketId: string): string | undefined;
}

/** A list may lag behind for some seconds. */
const LOOKS = 3;
const PAUSE_MS = 2_000;
/** Tickets of which it is told that they are there twice. */
const MOST_NAMED = 100;
const MOST_DOUBTED = 500;

/** What is wrong, as problems; none where all is well, or where the target does not tell. */
export async function countAtEnd(
  question: CountQuestion,
  api: TicketApi,
  clock: Clock,
  signal: AbortSignal,
): Promise<Problem[]> {
  try {
    const twice = await twiceAmong(question, api, signal);
    return [...twice, ...(await countOf(question, twice.length, api, clock, signal))];
  } catch (error) {
    // The run is over and recorded; what cannot be read now is no reason to say otherwise.
    if (error instanceof ApiFailure || signal.aborted) return [];
    throw error;
  }
}

async function countOf(
  question: CountQuestion,
  alreadyReported: number,
  api: TicketApi,
  clock: Clock,
  signal: AbortSignal,
): Promise<Problem[]> {
  const { source, known, inDoubt } = question;
  if (known === undefined) return [];
  const tags = [sourceTag(source)];
  let total: number | undefined;
  for (let looks = 1; ; looks += 1) {
    total = await api.countTickets({ tags }, signal);
    if (total === undefined) return [];
    const agrees = total >= known && total <= known + inDoubt;
    if (agrees || looks === LOOKS) break;
    await clock.sleep(PAUSE_MS, signal);
  }
  if (total < known)
    return [
      problem(
        'warning',
        'missing-in-target',
        `The target lists ${total} tickets of the source "${source}", and ${known} were imported: the others were deleted there, or its list does not show them.`,
      ),
    ];
  if (total <= known + inDoubt || alreadyReported > 0) return [];
  return namedTwice(question, total, api, signal);
}

/**
 * A count that a service did not filter by the tag is about other tickets too, so what is there twice has to be seen: more tickets
 * with the tag that this checkpoint does not know than are in doubt.
 */
async function namedTwice(
  question: CountQuestion,
  total: number,
  api: TicketApi,
  signal: AbortSignal,
): Promise<Problem[]> {
  const { source, inDoubt, ownerOf } = question;
  const tag = sourceTag(source);
  const listed = await api.findTickets({ tags: [tag] }, signal);
  const unknown = listed.filter(({ id, tags }) => hasTag(tags, tag) && ownerOf(id) === undefined);
  const hidden = await hiddenTwice(question, total, unknown.length, api, signal);
  if (unknown.length <= inDoubt) return hidden;
  const named = unknown.slice(0, MOST_NAMED).map(({ id, tags }) => {
    const own = tagNames(tags).find((name) => name.toLowerCase().startsWith(`${source}-`));
    return problem(
      'error',
      'duplicate-in-target',
      `The target has ticket ${id}${own === undefined ? '' : ` (${own})`} of the source "${source}", which this checkpoint did not create: it may be there twice. Compare, and delete one.`,
    );
  });
  return [...named, ...hidden];
}

/** The list counts more tickets than it shows: believed where it counts by tags, so none with a tag that nobody has. */
async function hiddenTwice(
  { source, known = 0, inDoubt }: CountQuestion,
  total: number,
  shown: number,
  api: TicketApi,
  signal: AbortSignal,
): Promise<Problem[]> {
  const hidden = total - known - Math.max(shown, inDoubt);
  if (hidden <= 0) return [];
  if ((await api.countTickets({ tags: [`${sourceTag(source)}-nobody`] }, signal)) !== 0) return [];
  return [
    problem(
      'error',
      'duplicate-in-target',
      `The target counts ${total} tickets of the source "${source}", and its list does not show ${hidden} of those that were not imported with this checkpoint: they may be there twice. Compare, and delete what is there twice.`,
    ),
  ];
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
    problems.push({ ...problem('error', 'duplicate-in-target', message), ticket: externalId });
  }
  return problems;
}

function problem(severity: Problem['severity'], code: string, message: string): Problem {
  return { severity, code, message, count: 1 };
}
