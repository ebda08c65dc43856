/** The review of a whole mapping, which may stop a run. */

import { AppError } from '../domain/errors.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import { type ReviewedSource, unreadTexts } from './findings.ts';
import type { Review } from './review.ts';

/** Fewer messages a ticket than this are no conversation. */
const LEAST_MESSAGES = 0.1;

/** A few rejected rows prove nothing about a mapping. */
function isJudged(files: readonly string[]): boolean {
  return rejectFoldersOf(files).length === 0;
}

/** The native layout names everything. */
export async function reviewOf(
  source: ReviewedSource,
  files: readonly string[],
): Promise<Review | undefined> {
  if (!isJudged(files) || source.detection.layout.name === 'native') return undefined;
  return new (await import('./review.ts')).Review(source);
}

/** Reasons to send nothing: decisions of the mapping that are open, or an error that the review found. */
export async function stopOfMapping(
  ofMapping: readonly Problem[],
  source: ReviewedSource,
  files: readonly string[],
  review: Review | undefined,
  { tickets, messages }: { readonly tickets: number; readonly messages: number },
  problem: ProblemSink,
): Promise<AppError | undefined> {
  const open = ofMapping.filter(({ severity }) => severity === 'error');
  if (open.length > 0)
    return new AppError('configuration', 'The mapping needs a decision; nothing was sent.', {
      lines: open.map(({ message }) => message),
    });
  if (!isJudged(files) || (review === undefined && messages >= LEAST_MESSAGES * tickets)) return undefined;
  const { tellFindings } = await import('./review.ts');
  if (review !== undefined) return tellFindings(await review.findings(), problem);
  const all = { tickets, lacksMessages: true, read: 0, isTicket: () => false };
  return tellFindings(unreadTexts(source, all), problem);
}
