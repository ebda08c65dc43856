/** The review of a whole mapping, which may stop a run. */

import { AppError } from '../domain/errors.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import type { ReviewedSource } from './findings.ts';
import type { Review } from './review.ts';

/** None for rejects: a few rows prove nothing about a mapping. */
export async function reviewOf(
  source: ReviewedSource,
  files: readonly string[],
): Promise<Review | undefined> {
  if (rejectFoldersOf(files).length > 0) return undefined;
  return new (await import('./review.ts')).Review(source);
}

/** Reasons to send nothing: decisions of the mapping that are open, or an error that the review found. */
export function stopOfMapping(
  ofMapping: readonly Problem[],
  review: Review | undefined,
  problem: ProblemSink,
): AppError | undefined {
  const findings = review?.findings() ?? [];
  for (const each of findings) problem(each);
  const errors = [...ofMapping, ...findings].filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  return new AppError('configuration', 'The mapping needs a decision; nothing was sent.', {
    lines: errors.map(({ code, message }) => `${code}: ${message}`),
    hint: 'Map it with --set, or list it in the settings: mapping: { ignore: [COLUMN] }.',
  });
}
