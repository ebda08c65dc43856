/**
 * What a person decided about tickets in doubt, checked against the checkpoint before anything is changed: either all of it
 * can be done, or nothing is. Pure.
 */

import { type Checkpoint, openCheckpoint } from '../../checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ledger, TicketRecord } from '../../domain/ledger.ts';
import { BOUNDS } from '../../domain/limits.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { INTERRUPTED } from '../status/status-lists.ts';

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

interface CheckedActions {
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
  let doubts: readonly string[] | undefined;
  const suggestion = (word: string) => {
    if (complaints.length >= BOUNDS.complaints.most) return '';
    doubts ??= someDoubts(ledger);
    return didYouMean(word, doubts);
  };
  for (const action of given) {
    const { externalId, decision, where } = action;
    const before = actions.get(externalId);
    const problem =
      problemOfTicket(externalId, decision, ledger, suggestion) ??
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
  ledger: Pick<Ledger, 'get'>,
  suggestion: (word: string) => string,
): string | undefined {
  const record = ledger.get(externalId);
  if (record === undefined) return `the checkpoint knows no ticket ${externalId}.${suggestion(externalId)}`;
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

/**
 * Settles tickets in doubt as a person decided. All decisions stand in the checkpoint together or not at all; nothing is
 * sent: the next run sends messages and events of what was adopted, and creates what is to be tried again.
 */
export interface Settled {
  readonly externalId: string;
  readonly action: Decision['do'];
  readonly ticketId?: string;
}

/**
 * Opens an existing checkpoint for writing, without asking for a target: what a person decides about it needs none. Throws
 * AppError `checkpoint` where there is none, it is in use or damaged.
 */
export function openExisting(
  path: string,
  ports: { clock: Clock; version: string },
  target?: string,
): Checkpoint {
  // Never made anew: a decision about a checkpoint that does not exist is a slip of the pen.
  const reader = readCheckpoint(path, target);
  const owner = reader.meta.target;
  reader.close();
  return openCheckpoint(path, { target: owner, clock: ports.clock, programVersion: ports.version });
}

/** What `--all` stands for: every ticket that is in doubt now. */
export function actionsForAll(
  decision: Decision,
  where: string,
  ledger: Pick<Ledger, 'inStates'>,
): ResolveAction[] {
  return [...ledger.inStates(['creating', 'inDoubt'])].map(({ externalId }) => ({
    externalId,
    decision,
    where,
  }));
}

/** Throws AppError `usage` with every complaint, and then nothing was changed. */
export async function settle(given: readonly ResolveAction[], ledger: Ledger): Promise<Settled[]> {
  const { actions, complaints } = checkActions(given, ledger);
  if (complaints.length > 0)
    throw new AppError(
      'usage',
      complaints.length === 1
        ? 'A decision cannot be carried out.'
        : `${complaints.length} decisions cannot be carried out.`,
      {
        lines: [...complaints],
        hint: 'Nothing was changed, not by the other decisions either. See what is in doubt with: helpdesk-import resolve',
      },
    );
  // Asked for in one turn of the event loop, so that they share one commit.
  await Promise.all(actions.flatMap((action) => changes(action, ledger)));
  return actions.map(({ externalId, decision }) => ({
    externalId,
    action: decision.do,
    ...(decision.do === 'adopt' ? { ticketId: decision.ticketId } : {}),
  }));
}

function changes({ externalId, decision }: ResolveAction, ledger: Ledger): Promise<void>[] {
  const state = ledger.get(externalId)?.state;
  switch (decision.do) {
    case 'adopt':
      return [ledger.adopted(externalId, decision.ticketId)];
    case 'release':
      return [ledger.released(externalId)];
    case 'retry':
      return [ledger.notCreated(externalId)];
    case 'skip':
      // It is left out already.
      if (state === 'skipped') return [];
      return state === 'creating'
        ? [
            ledger.doubt(externalId, { code: 'unknown-outcome', message: INTERRUPTED }),
            ledger.left(externalId),
          ]
        : [ledger.left(externalId)];
  }
}
