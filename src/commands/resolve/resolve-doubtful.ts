/**
 * Settles tickets in doubt as a person decided. All decisions stand in the checkpoint together or not at all; nothing is
 * sent: the next run sends messages and events of what was adopted, and creates what is to be tried again.
 */
import { type Checkpoint, openCheckpoint } from '../../checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ledger } from '../../domain/ledger.ts';
import { checkActions, type Decision, type ResolveAction } from './resolve-actions.ts';
import { INTERRUPTED } from './resolve-doubts.ts';

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
