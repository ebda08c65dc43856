/** What became of tickets or events as a table: outcome, count, share, and what it means for whoever reads it. */
import { OUTCOMES, type Outcome } from '../../domain/ticket-state.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { formatCount, formatShare } from './format.ts';
import type { Style } from './style.ts';
import { type Cell, tableLines } from './text-block.ts';

export interface OutcomeTable {
  /** Those that are left out are 0. */
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
  readonly meaning: (outcome: Outcome) => string | undefined;
  /** The last row, of which the others are shares. */
  readonly total: { readonly label: string; readonly count: number };
}

/** A row for `done` and for every other outcome that there is, and one for all of them. Lines without line ends. */
export function outcomeTableLines({ counts, meaning, total }: OutcomeTable, style: Style): string[] {
  const rows = OUTCOMES.map((outcome) => ({ outcome, count: counts[outcome] ?? 0 }))
    .filter(({ outcome, count }) => count > 0 || outcome === 'done')
    .map(({ outcome, count }): Cell[] => [
      {
        text: OUTCOME_VIEWS[outcome].word,
        paint: count > 0 ? style[OUTCOME_VIEWS[outcome].paint] : style.dim,
      },
      formatCount(count),
      { text: total.count === 0 ? '' : formatShare(count, total.count), paint: style.dim },
      { text: meaning(outcome) ?? '', paint: style.dim },
    ]);
  return tableLines(
    [...rows, [total.label, { text: formatCount(total.count), paint: style.bold }, '', '']],
    [{}, { align: 'right' }, { align: 'right' }, { flexible: true }],
    style,
  );
}
