/** `resolve --lookup`: settles tickets in doubt by reading the target, by the same rules as a run does. */

import type { Checkpoint } from '../../checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import type { Clock, Random } from '../../domain/clock.ts';
import { hasTag, identityTag } from '../../domain/identity.ts';
import type { Ledger, TicketProblem } from '../../domain/ledger.ts';
import type { Limiter } from '../../domain/limits.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import { connect, openTarget } from '../../import/target.ts';
import { Landmarks } from '../../push/landmarks.ts';
import { RunControl } from '../../push/run-control.ts';
import { settleByReading } from '../../push/settle-doubt.ts';
import { Slot } from '../../push/ticket-job.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CoreApi } from '../../target/core-api/client.ts';
import { INTERRUPTED } from '../status/status-lists.ts';
import { openExisting, type ResolveAction, type Settled, settle } from './resolve-actions.ts';

export interface LookupPorts {
  readonly api: CoreApi;
  readonly limiter: Limiter;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  readonly timeoutMs: number;
  readonly areTagsDropped: () => boolean;
}

export interface LookupResult {
  readonly settled: readonly Settled[];
  /** Why the target cannot be read, where it cannot: the others were not looked for then. */
  readonly unreadable?: TicketProblem;
  /** What stopped it, where something did. */
  readonly stoppedBy?: unknown;
}

/** What the target has under the id of a ticket that was taken back, in a sentence. */
export async function whatIsThere(
  { externalId, ticketId }: { readonly externalId: string; readonly ticketId: string },
  source: string | undefined,
  api: Pick<CoreApi, 'readTicket'>,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { tags } = await api.readTicket(ticketId, signal);
    if (source !== undefined && hasTag(tags, identityTag(source, externalId)))
      return `The ticket ${ticketId} of the target carries the tag of ticket ${externalId}. If it is the right one after all, take it again with "helpdesk-import resolve --adopt ${externalId}=${ticketId}".`;
    return `The target has a ticket ${ticketId}, and it does not carry the tag of ticket ${externalId}.`;
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    const isMissing = error instanceof ApiFailure && (error.status === 404 || error.status === 410);
    return isMissing
      ? `The target shows no ticket ${ticketId}.`
      : `The target could not be asked about ticket ${ticketId}: ${error.message}`;
  }
}

/**
 * Carries out what was decided, and looks the rest up in the target. What was decided goes first, so that nothing of it is
 * looked up. Throws AppError as opening the checkpoint and the target do.
 */
export async function settleByLookup(
  settings: Settings,
  decided: (ledger: Checkpoint) => readonly ResolveAction[],
  ports: Omit<ImportPorts, 'settingsFolder'>,
): Promise<LookupResult> {
  const path = settings.output.checkpoint;
  // Before a sandbox is started for it.
  readCheckpoint(path).close();
  const target = await openTarget(settings, ports.clock);
  try {
    const ledger = openExisting(path, ports, target.key);
    try {
      const settled = await settle(decided(ledger), ledger);
      const { api, limiter } = connect(target, settings, ports, ledger);
      try {
        const timeoutMs = settings.run.timeout * 1000;
        const areTagsDropped = () => ledger.meta.tagsKept === false;
        const found = await lookUpDoubts({ ...ports, api, limiter, ledger, timeoutMs, areTagsDropped });
        return { ...found, settled: [...settled, ...found.settled] };
      } finally {
        await api.close();
      }
    } finally {
      await ledger.close();
    }
  } finally {
    await target.sandbox?.close();
  }
}

/** The first pause between two looks at a doubt that is only seconds old, milliseconds. */
const SETTLE_MS = 2000;

const unreported = () => Promise.resolve('unreported' as const);

/**
 * One after the other: two tickets that look alike must not both be taken for the same one of the target. It finds what is there;
 * that a ticket is not there only a run can prove, which creates others after it.
 */
export async function lookUpDoubts(ports: LookupPorts): Promise<LookupResult> {
  const { ledger, clock, limiter, timeoutMs } = ports;
  const control = new RunControl({ soft: ports.soft, hard: ports.hard }, clock, timeoutMs);
  const deps = {
    ...ports,
    control,
    landmarks: new Landmarks(),
    known: () => [],
    settleMs: SETTLE_MS,
    // Nothing is created here that could prove a list, so nothing is counted.
    count: { compare: unreported, beyond: unreported, shows: () => Promise.resolve(false) },
  };
  const settled: Settled[] = [];
  try {
    for (const { externalId, intent, state } of ledger.inStates(['creating', 'inDoubt'])) {
      if (control.isStopping) return { settled, stoppedBy: control.reason };
      // Without it there is nothing to look for: a person decides.
      if (intent === undefined) continue;
      const slot = new Slot(limiter, false);
      try {
        const settlement = await settleByReading(
          {
            externalId,
            intent,
            status: '',
            dueAt: clock.monotonic(),
            onDue: () => undefined,
            mayFollow: () => false,
          },
          slot,
          deps,
        );
        switch (settlement.outcome) {
          case 'adopted':
            await ledger.adopted(externalId, settlement.ticketId);
            settled.push({ externalId, action: 'adopt', ticketId: settlement.ticketId });
            break;
          // Without a ticket that was created later nothing is proven absent, and nothing is created here.
          case 'absent':
            break;
          case 'held':
            await ledger.doubt(externalId, settlement.problem);
            break;
          case 'unreadable':
            if (state === 'creating')
              await ledger.doubt(externalId, { code: 'unknown-outcome', message: INTERRUPTED });
            return { settled, unreadable: settlement.problem };
          case 'stopped':
            return { settled, stoppedBy: 'stop' in settlement ? settlement.stop : control.reason };
        }
      } finally {
        slot.release('ok');
      }
    }
    return { settled };
  } finally {
    control.end();
  }
}
