/** Reads imported tickets back, all or a sample, and compares them with the export. */
import pLimit from 'p-limit';
import type { Emit } from '../domain/ports.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { TicketApi } from '../domain/ticket-api.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import { ContactIds } from './compare-ticket.ts';
import { type Findings, noFindings, noteCompared, noteUnread } from './findings.ts';
import { compareRead, readBack } from './read-back.ts';

/** As rclone has them: equal, differs, missing in the helpdesk, only there, could not be read. */
export type Sign = '=' | '*' | '-' | '+' | '!';
export type Signed = (sign: Sign, externalId: string) => void;
export interface Comparable {
  readonly checked: CheckedTicket;
  readonly ticketId: string;
}

interface Reading {
  readonly emit: Emit;
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  readonly noted: Signed;
}

/** Spread evenly, and the same each time. */
export function isInSample(nth: number, size: number, of: number): boolean {
  return Math.ceil((nth * size) / of) < Math.ceil(((nth + 1) * size) / of);
}

/** If the list cannot be read, one ticket shows whether tickets can. */
export async function readAllBack(
  pass: Iterable<readonly Comparable[]>,
  { chosen, imported }: { readonly chosen: number; readonly imported: number },
  api: TicketApi & Pick<CoreApi, 'probe'>,
  concurrency: number,
  { emit, soft, hard, noted }: Reading,
): Promise<Findings> {
  emit({ type: 'start-import', tickets: chosen, alreadyDone: 0, requests: chosen * 3 });
  emit({ type: 'stage', stage: 'verifying' });
  const findings = noFindings();
  const contactIds = new ContactIds();
  const limit = pLimit(concurrency);
  const list = await api.probe(hard);
  let isReadable = list.type === 'answer' && list.status >= 200 && list.status < 300;
  let nth = 0;
  const read = async ({ checked, ticketId }: Comparable) => {
    soft.throwIfAborted();
    const { externalId } = checked;
    const at = { externalId, ticketId };
    const back = await readBack(checked, ticketId, api, hard);
    if (back.kind === 'read') {
      const { checks, isWhole } = compareRead(checked, back, contactIds);
      noted(isWhole && checks.every(({ ok }) => ok) ? '=' : '*', externalId);
      // Not compared is no success.
      noteCompared(
        findings,
        at,
        checks.map((one) => (one.name === 'read back' ? { ...one, ok: isWhole } : one)),
      );
    } else {
      noteUnread(findings, at, back);
      noted(back.kind === 'hidden' && back.status === 404 ? '-' : '!', externalId);
    }
    emit({ type: 'ticket', externalId, outcome: 'done', ticketId });
    return back.kind;
  };
  for (const page of pass) {
    soft.throwIfAborted();
    const tickets = page.filter(() => isInSample(nth++, chosen, imported));
    while (!isReadable) {
      const first = tickets.shift();
      if (first === undefined) break;
      const kind = await read(first);
      if (kind === 'hidden')
        return { ...findings, targetIsUnreadable: true, missing: [], missingTotal: 0, checks: [] };
      isReadable = kind === 'read';
    }
    await Promise.all(tickets.map((ticket) => limit(read, ticket)));
  }
  const made = findings.checks.filter(({ equal, differs, notReported }) => equal + differs + notReported > 0);
  return { ...findings, checks: made };
}
