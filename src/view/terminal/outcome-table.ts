/** What became of tickets or events as a table: outcome, count, share, and what it means for whoever reads it. */
import { OUTCOMES, type Outcome } from '../../domain/ticket-state.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { formatCount, formatShare, wholeShares } from '../format.ts';
import type { Style } from './style.ts';
import { type Cell, tableLines } from './text-block.ts';

export interface OutcomeTable {
  /** Those that are left out are 0. */
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
  readonly meaning: (outcome: Outcome) => string | undefined;
  /** The last row, of which the others are shares. */
  readonly total: { readonly label: string; readonly count: number };
}

/** Shares that make 100 % together, the same wherever they are shown. */
export function outcomeShares(
  counts: Partial<Readonly<Record<Outcome, number>>>,
): ReadonlyMap<Outcome, string> {
  const shares = wholeShares(OUTCOMES.map((outcome) => counts[outcome] ?? 0));
  return new Map(OUTCOMES.map((outcome, at) => [outcome, shares[at] ?? '']));
}

/** A row for `done` and for every other outcome that there is, and one for all of them. Lines without line ends. */
export function outcomeTableLines({ counts, meaning, total }: OutcomeTable, style: Style): string[] {
  const sum = OUTCOMES.reduce((all, outcome) => all + (counts[outcome] ?? 0), 0);
  // Of what is read less may have an outcome: then these are shares of all, and no whole.
  const shares = sum === total.count ? outcomeShares(counts) : undefined;
  const rows = OUTCOMES.map((outcome) => ({ outcome, count: counts[outcome] ?? 0 }))
    .filter(({ outcome, count }) => count > 0 || outcome === 'done')
    .map(({ outcome, count }): Cell[] => [
      {
        text: OUTCOME_VIEWS[outcome].word,
        paint: count > 0 ? style[OUTCOME_VIEWS[outcome].paint] : style.dim,
      },
      formatCount(count),
      {
        text: total.count === 0 ? '' : (shares?.get(outcome) ?? formatShare(count, total.count)),
        paint: style.dim,
      },
      { text: meaning(outcome) ?? '', paint: style.dim },
    ]);
  return tableLines(
    [...rows, [total.label, { text: formatCount(total.count), paint: style.bold }, '', '']],
    [{}, { align: 'right' }, { align: 'right' }, { flexible: true }],
    style,
  );
}
