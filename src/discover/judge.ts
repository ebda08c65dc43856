/** The review of a whole mapping, which may stop a run. */

import { AppError } from '../domain/errors.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import type { ReviewedSource } from './findings.ts';
import type { Review } from './review.ts';

/** A few rejected rows prove nothing about a mapping. */
function isJudged(files: readonly string[]): boolean {
  return rejectFoldersOf(files).length === 0;
}

export async function reviewOf(
  source: ReviewedSource,
  files: readonly string[],
): Promise<Review | undefined> {
  if (!isJudged(files)) return undefined;
  return new (await import('./review.ts')).Review(source);
}

/** Reasons to send nothing: decisions of the mapping that are open, or an error that the review found. */
export async function stopOfMapping(
  ofMapping: readonly Problem[],
  review: Review | undefined,
  problem: ProblemSink,
): Promise<AppError | undefined> {
  const open = ofMapping.filter(({ severity }) => severity === 'error');
  if (open.length > 0)
    return new AppError('configuration', 'The mapping needs a decision; nothing was sent.', {
      lines: open.map(({ message }) => message),
    });
  if (review === undefined) return undefined;
  const { tellFindings } = await import('./review.ts');
  return tellFindings(await review.findings(), problem);
}
