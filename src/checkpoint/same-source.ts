/**
 * Is this the export that the checkpoint was made for? An export may change in any way and be the same source still. It
 * is another one if it has no ticket of the checkpoint, or if most tickets that both have were created at
 * other times by other people: then only their ids are the same (contract, "Changed exports"). Rejects are a part of their
 * source, and what is corrected there may have got another id.
 */
import { AppError } from '../domain/errors.ts';
import type { OriginCounts } from '../domain/origin.ts';

export interface SourceComparison {
  /** Tickets of the checkpoint. */
  readonly known: number;
  /** Tickets with an id in the export. */
  readonly inExport: number;
  /** Of those, how many the checkpoint has. */
  readonly shared: number;
  /** Of those, how many are the same tickets, as far as that was recorded. */
  readonly origins: OriginCounts;
  /** The export is a folder of rejects. */
  readonly ofRejects?: boolean | undefined;
}

/** A time or an address is corrected now and then, and an export of one or two tickets may be nothing but corrections. */
const FEW = 3;

export type SourceVerdict = 'same' | 'unknown tickets' | 'other tickets';

export function sameSource({ known, inExport, shared, origins, ofRejects }: SourceComparison): SourceVerdict {
  if (known > 0 && inExport > 0 && shared === 0) return ofRejects === true ? 'same' : 'unknown tickets';
  const { compared, both, either } = origins;
  const differing = both + either;
  const isMost = differing * 2 > compared;
  return isMost && (both > 0 || either >= FEW) ? 'other tickets' : 'same';
}

/** Throws AppError `checkpoint` for another source. */
export function requireSameSource(comparison: SourceComparison, path: string): void {
  const verdict = sameSource(comparison);
  if (verdict === 'same') return;
  const { known, inExport, origins } = comparison;
  const why =
    verdict === 'unknown tickets'
      ? `${known === 1 ? 'its ticket is not' : `none of its ${known} tickets is`} in this export (${inExport} ${inExport === 1 ? 'ticket' : 'tickets'}).`
      : `of the ${origins.compared} tickets of this export with an ID of the checkpoint, ${origins.both + origins.either} have another creation time or requester, for example ticket ${origins.example}.`;
  const hint = 'Give this import its own checkpoint with --checkpoint and its own name with --source-name.';
  throw new AppError('checkpoint', `The checkpoint ${path} belongs to another source: ${why}`, {
    hint:
      verdict === 'unknown tickets'
        ? hint
        : `${hint} Where it is the same source and its times or addresses were corrected, helpdesk-import checkpoint rebuild makes a checkpoint of what the target holds.`,
  });
}
