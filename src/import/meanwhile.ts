/** Changes in the helpdesk since the last run: tickets that people deleted, on which a person decides, and other imports. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { isRunTag, tagNames } from '../domain/identity.ts';
import { failedRecord, type TicketRecord } from '../domain/ledger.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { TicketApi } from '../domain/ticket-api.ts';
import { optional } from '../helpdesk/api.ts';
import * as same from '../helpdesk/same-target.ts';
import { SAMPLE, type TicketsOfSource } from '../helpdesk/twice-in-target.ts';
import { ticketProblem } from '../push/words.ts';
import type { Run, Source } from './run.ts';

/** Asked for if one of the newest is gone. */
export const MORE_NEWEST = 50;
const RECENTLY_MS = 300_000;
/** A running import changes a ticket in this time. */
const WRITES_WITHIN_MS = 3_000;

/** Tickets that the helpdesk neither lists nor counts. */
export function lackedBy(
  found: TicketsOfSource | undefined,
  checkpoint: Checkpoint,
  count: number,
): same.KnownTicket[] {
  const { total = count, gone = [] } = found ?? {};
  if (total >= count) return [];
  return gone
    .slice(0, MORE_NEWEST)
    .flatMap((ticketId) => ({ ticketId, externalId: checkpoint.ownerOf(ticketId) ?? '' }));
}

export async function tellGone(
  { ports: { soft }, problems }: Pick<Run, 'ports' | 'problems'>,
  { plan }: Pick<Source, 'plan'>,
  checkpoint: Checkpoint,
  lacked: readonly same.KnownTicket[],
  api: TicketApi,
): Promise<void> {
  if (lacked.length === 0) return;
  const more = checkpoint.inTarget(MORE_NEWEST).newest.flatMap(inTarget);
  const asked = [...new Map([...lacked, ...more].map((one) => [one.externalId, one])).values()];
  const gone = await same.goneOf(asked, api, soft);
  const missing = gone.toSorted((a, b) =>
    a.externalId.localeCompare(b.externalId, undefined, { numeric: true }),
  );
  if (missing.length === 0) return;
  plan.steps.missing(missing.map(({ externalId }) => externalId));
  await Promise.all(
    missing.map(({ externalId, ticketId }) =>
      checkpoint.put(
        failedRecord(checkpoint, externalId, ticketProblem('missing-in-target:ticket', { ticket: ticketId })),
      ),
    ),
  );
  const named = missing.slice(0, 10).map(({ externalId, ticketId }) => `${externalId} (${ticketId})`);
  const rest = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
  const names = `${named.join(', ')}${rest}`;
  problems.tell(problemOf('missing-in-target:gone', { names }, { severity: 'error', count: missing.length }));
}

export function inTarget({ externalId, ticketId }: TicketRecord): same.KnownTicket[] {
  return ticketId === undefined ? [] : [{ externalId, ticketId }];
}

/** Two imports at once create a customer twice whom both have: is one of another source going on? */
export async function tellOthers(
  { ports: { clock, soft }, problems }: Pick<Run, 'ports' | 'problems'>,
  { name: { name } }: Pick<Source, 'name'>,
  api: TicketApi,
): Promise<void> {
  const written = async () => {
    const updatedSince = clock.now() - RECENTLY_MS;
    const found = (await optional(api.findTickets({ updatedSince, most: SAMPLE }, soft))) ?? [];
    return found.flatMap(({ id, updatedAt, tags }) => {
      const names = tagNames(tags);
      const other = names.find((tag) => /^from-./i.test(tag))?.slice('from-'.length);
      const isRecent = Date.parse(String(updatedAt)) >= updatedSince;
      return isRecent && names.some(isRunTag) && other !== undefined && other.toLowerCase() !== name
        ? [{ other, state: `${id} ${updatedAt}` }]
        : [];
    });
  };
  const before = new Set((await written()).map(({ state }) => state));
  if (before.size === 0) return;
  await clock.sleep(WRITES_WITHIN_MS, soft);
  const going = (await written()).find(({ state }) => !before.has(state));
  if (going !== undefined) problems.tell(problemOf('other-import', { other: going.other }));
}
