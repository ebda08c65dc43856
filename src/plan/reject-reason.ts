/** Why a ticket is rejected, or stays where it was. */
import type { TicketRecord } from '../domain/ledger.ts';
import type { CheckResult } from '../domain/ticket.ts';
import { LEFT_OPEN, type Outcome } from '../domain/ticket-state.ts';

interface Rejectable {
  readonly outcome: Outcome;
  readonly result: CheckResult;
  readonly record: TicketRecord | undefined;
}

/** Each sentence once, without the fields. */
export function reasonOf(
  { outcome, result, record: known }: Rejectable,
  where: 'rejects' | 'page' = 'rejects',
): string | undefined {
  const isLeftOpen = LEFT_OPEN.some((state) => state === known?.state);
  if (!isLeftOpen && outcome !== 'rejected') return undefined;
  const errors = result.problems
    .filter(({ severity }) => severity === 'error')
    .map(({ field, message }) =>
      field === undefined || where === 'page' ? message : `${field}: ${message}`,
    );
  return (
    (where === 'page' ? [...new Set(errors)].join('\n') : errors.join(' ')) ||
    (known?.problem?.message ?? 'It could not be imported.')
  );
}

/** If the folder does not say it already. */
export function openReason(state: TicketRecord['state'] | undefined): string | undefined {
  if (state === 'done')
    return 'A ticket with this id was imported with other content. Give this row its own id, or delete it here.';
  return state === 'creating' || state === 'inDoubt'
    ? 'It is in doubt whether the helpdesk has it; see `helpdesk-import resolve`.'
    : undefined;
}
