/**
 * Is this the export that the checkpoint was made for? The external id is a ticket's identity, so an export may change in
 * any way and be the same source still; one that knows none of the checkpoint's tickets is another (contract, "Changed
 * exports"). A file of rejects is a part of its source and passes for the same reason.
 */
import { AppError } from '../domain/errors.ts';

export interface SourceComparison {
  /** Tickets that the checkpoint knows. */
  readonly known: number;
  /** Tickets with an id in the export. */
  readonly inExport: number;
  /** Of those, how many the checkpoint knows. */
  readonly shared: number;
}

export function isSameSource(comparison: SourceComparison): boolean {
  return comparison.known === 0 || comparison.inExport === 0 || comparison.shared > 0;
}

/** Throws AppError `checkpoint` for another source. */
export function requireSameSource(comparison: SourceComparison, path: string): void {
  if (isSameSource(comparison)) return;
  throw new AppError(
    'checkpoint',
    `The checkpoint ${path} belongs to another source: it knows ${comparison.known} tickets, and none of the ` +
      `${comparison.inExport} in this export.`,
    { hint: 'Give this import a checkpoint of its own with --checkpoint.' },
  );
}
