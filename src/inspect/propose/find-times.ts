/** Which columns of a ticket are its times. */

import { wordsOf } from '../column-words.ts';
import type { Concept } from '../concept-words.ts';
import { conceptScore, fillRate, type ScopeColumn } from './concepts.ts';

export interface TicketTimes {
  readonly createdAt: ScopeColumn | undefined;
  readonly updatedAt: ScopeColumn | undefined;
  readonly resolvedAt: ScopeColumn | undefined;
  readonly closedAt: ScopeColumn | undefined;
}

/** Each column is one of them at most; a time that is seldom there says little about when a ticket began. */
export function ticketTimes(columns: readonly ScopeColumn[]): TicketTimes {
  const taken = new Set<ScopeColumn>();
  const take = (concept: Concept, least: number, weightOfFill: number) => {
    const best = columns
      .filter((column) => !taken.has(column) && column.profile.filled > 0)
      .map((column) => ({
        column,
        points: conceptScore(concept, column) * (1 - weightOfFill + weightOfFill * fillRate(column.profile)),
      }))
      .filter(({ points }) => points >= least)
      .sort((a, b) => b.points - a.points)[0]?.column;
    if (best !== undefined) taken.add(best);
    return best;
  };
  const closedAt = take('closedAt', 0.55, 0);
  const resolvedAt = take('resolvedAt', 0.55, 0);
  const updatedAt = take('updatedAt', 0.55, 0.3);
  return { createdAt: take('createdAt', 0.25, 0.6), updatedAt, resolvedAt, closedAt };
}

/** The time that belongs to another column by its name: `Time to Resolution` to `Resolution`. */
export function timeBeside(column: ScopeColumn, columns: readonly ScopeColumn[]): ScopeColumn | undefined {
  const words = wordsOf(column.path);
  return columns
    .filter(
      (other) =>
        other !== column &&
        conceptScore('sentAt', other) + conceptScore('resolvedAt', other) + conceptScore('updatedAt', other) >
          0,
    )
    .map((other) => ({
      other,
      shared: wordsOf(other.path).filter((word) => words.includes(word) && word !== 'ticket').length,
    }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)[0]?.other;
}
