/** The promise that nothing is lost, as a sum: every ticket that was read has exactly one outcome. */
import { AppError } from '../domain/errors.ts';
import { OUTCOMES, type OutcomeCounts } from '../domain/ticket-state.ts';

/** Throws AppError `internal` with the numbers when the counts do not add up: a defect, which must not look like success. */
export function reconcile(counts: OutcomeCounts): void {
  const sum = OUTCOMES.reduce((total, outcome) => total + counts[outcome], 0);
  const isWhole = OUTCOMES.every((outcome) => Number.isInteger(counts[outcome]) && counts[outcome] >= 0);
  if (sum === counts.read && isWhole) return;
  const parts = OUTCOMES.map((outcome) => `${outcome} ${counts[outcome]}`).join(', ');
  throw new AppError('internal', `The counts do not add up: read ${counts.read}, but ${parts} make ${sum}.`, {
    hint: 'Please report this as a defect; the checkpoint is intact, and running again continues from it.',
  });
}
