/** Tickets of a checkpoint, brought to a state the way an import does. */
import {
  adoptedRecord,
  failedRecord,
  type Ledger,
  recordOf,
  settledRecord,
  type TicketProblem,
} from '../../src/domain/ledger.ts';
import type { Fingerprints } from '../../src/domain/ticket.ts';

export const PRINTS: Fingerprints = {
  ticket: '00112233445566aa',
  messages: 'ffeeddccbbaa9988',
  events: '0123456789abcdef',
};
export const PROBLEM = { code: 'refused', status: 422, message: 'The helpdesk refused the ticket.' };
export const SENT_AT = Date.parse('2025-06-02T08:00:00.000Z');

/** Its create is about to be sent. */
export function intend(
  ledger: Ledger,
  externalId: string,
  {
    at = SENT_AT,
    tag = `src-${externalId}`,
    fingerprints = PRINTS,
    origin = undefined as string | undefined,
  } = {},
): Promise<void> {
  const sent = { at, tag };
  return ledger.put({ externalId, state: 'creating', fingerprints, origin, sent });
}

export function created(ledger: Ledger, externalId: string, ticketId: string): Promise<void> {
  return ledger.put(adoptedRecord(ledger, externalId, ticketId));
}

export function finished(ledger: Ledger, externalId: string): Promise<void> {
  return ledger.put({ ...settledRecord(ledger, externalId), state: 'done' });
}

export function failed(ledger: Ledger, externalId: string, problem: TicketProblem = PROBLEM): Promise<void> {
  return ledger.put(failedRecord(ledger, externalId, problem));
}

export function doubted(ledger: Ledger, externalId: string, problem: TicketProblem = PROBLEM): Promise<void> {
  return ledger.put({ ...recordOf(ledger, externalId), state: 'inDoubt', problem });
}

export function rejected(
  ledger: Ledger,
  externalId: string,
  problem: TicketProblem = PROBLEM,
): Promise<void> {
  return ledger.put({ ...settledRecord(ledger, externalId), state: 'rejected', problem });
}

/** Nothing of it is in the helpdesk, as far as is known. */
export function notCreated(ledger: Ledger, externalId: string): Promise<void> {
  return ledger.put({ ...settledRecord(ledger, externalId), state: 'pending' });
}

export function skipped(ledger: Ledger, externalId: string): Promise<void> {
  return ledger.put({ ...settledRecord(ledger, externalId), state: 'skipped' });
}
