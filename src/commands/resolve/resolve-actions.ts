/**
 * What a person decided about tickets in doubt, checked against the checkpoint before anything is changed: either all of it
 * can be done, or nothing is. Pure.
 */
import type { Ledger, TicketRecord } from '../../domain/ledger.ts';
import { didYouMean } from '../../domain/nearest.ts';

/** `adopt`: this ticket of the target is it. `retry`: it is not there, so the next run creates it. `skip`: leave it out. `release`: what it was taken for is not it. */
export type Decision =
  | { readonly do: 'adopt'; readonly ticketId: string }
  | { readonly do: 'retry' }
  | { readonly do: 'skip' }
  | { readonly do: 'release' };

export interface ResolveAction {
  readonly externalId: string;
  readonly decision: Decision;
  /** Where it was said: `--adopt`, `doubts.csv:3`. */
  readonly where: string;
}

export interface CheckedActions {
  /** One per ticket. */
  readonly actions: readonly ResolveAction[];
  /** A sentence each; where there is one, nothing may be done. */
  readonly complaints: readonly string[];
}

/** Doubts whose ids are offered where an unknown one was given. */
const SUGGESTIONS = 5000;

export function checkActions(
  given: readonly ResolveAction[],
  ledger: Pick<Ledger, 'get' | 'ownerOf' | 'inStates'>,
): CheckedActions {
  const complaints: string[] = [];
  const actions = new Map<string, ResolveAction>();
  const adoptedBy = new Map<string, string>();
  for (const action of given) {
    const { externalId, decision, where } = action;
    const before = actions.get(externalId);
    const problem =
      problemOfTicket(externalId, decision, ledger) ??
      (before === undefined ? undefined : contradiction(before, action)) ??
      (decision.do === 'adopt'
        ? problemOfAdoption(externalId, decision.ticketId, adoptedBy, ledger)
        : undefined);
    if (problem !== undefined) complaints.push(`${where}: ${problem}`);
    else if (before === undefined) actions.set(externalId, action);
  }
  return { actions: [...actions.values()], complaints };
}

function problemOfTicket(
  externalId: string,
  decision: Decision,
  ledger: Pick<Ledger, 'get' | 'inStates'>,
): string | undefined {
  const record = ledger.get(externalId);
  if (record === undefined)
    return `the checkpoint knows no ticket ${externalId}.${didYouMean(externalId, someDoubts(ledger))}`;
  if (decision.do === 'release')
    return record.ticketId === undefined
      ? `ticket ${externalId} has no ticket id that could be taken back.`
      : undefined;
  return isOpen(record) ? undefined : `ticket ${externalId} is not in doubt: ${stateSentence(record)}`;
}

/** A ticket that was left out by an earlier decision may be decided anew. */
function isOpen({ state }: TicketRecord): boolean {
  return state === 'inDoubt' || state === 'creating' || state === 'skipped';
}

function stateSentence({ state, ticketId }: TicketRecord): string {
  const as = ticketId === undefined ? '' : ` as ${ticketId}`;
  switch (state) {
    case 'done':
      return `it is in the target${as}.`;
    case 'created':
    case 'messaged':
      return `it is in the target${as}, and the next run sends what is missing.`;
    case 'failed':
      return ticketId === undefined
        ? 'the target refused it, and the next run tries again.'
        : `it is in the target${as}, and the next run sends what is missing.`;
    case 'rejected':
      return 'it was rejected, and nothing of it was sent.';
    default:
      return 'nothing of it was sent, and the next run creates it.';
  }
}

function contradiction(before: ResolveAction, { externalId, decision }: ResolveAction): string | undefined {
  const same =
    before.decision.do === decision.do &&
    (before.decision.do !== 'adopt' ||
      decision.do !== 'adopt' ||
      before.decision.ticketId === decision.ticketId);
  return same ? undefined : `ticket ${externalId} was decided otherwise before (${before.where}).`;
}

/** No ticket of the target is two tickets of the source. */
function problemOfAdoption(
  externalId: string,
  ticketId: string,
  adoptedBy: Map<string, string>,
  ledger: Pick<Ledger, 'ownerOf'>,
): string | undefined {
  const owner = ledger.ownerOf(ticketId);
  if (owner !== undefined && owner !== externalId)
    return `the ticket ${ticketId} of the target is ticket ${owner} already, so it cannot be ${externalId} too.`;
  const other = adoptedBy.get(ticketId);
  if (other !== undefined && other !== externalId)
    return `the ticket ${ticketId} of the target cannot be both ${other} and ${externalId}.`;
  adoptedBy.set(ticketId, externalId);
  return undefined;
}

function someDoubts(ledger: Pick<Ledger, 'inStates'>): string[] {
  const ids: string[] = [];
  for (const { externalId } of ledger.inStates(['creating', 'inDoubt'])) {
    if (ids.push(externalId) >= SUGGESTIONS) break;
  }
  return ids;
}
