/** What happened to the tickets, as a table: outcome, count, share and meaning. */
import { OUTCOMES, type Outcome } from '../domain/ticket-state.ts';
import { OUTCOME_VIEWS } from '../summary/outcomes.ts';
import { type Block, table } from './blocks.ts';
import { formatCount, formatShare, wholeShares } from './format.ts';

interface OutcomeTable {
  /** Those that are left out are 0. */
  readonly counts: Partial<Readonly<Record<Outcome, number>>>;
  readonly isDry?: boolean;
  /** The last row, of which the others are shares. */
  readonly total: { readonly label: string; readonly count: number };
}

/** A row for `done` and for every other outcome that has tickets, and one for all of them. */
export function outcomeTable({ counts, isDry = false, total }: OutcomeTable): Block {
  const shown = OUTCOMES.filter((outcome) => (counts[outcome] ?? 0) > 0 || (outcome === 'done' && !isDry));
  const of = (outcome: Outcome) => counts[outcome] ?? 0;
  const sum = OUTCOMES.reduce((all, outcome) => all + of(outcome), 0);
  // What is read may be more than what has an outcome: then these are shares of all, and no whole.
  const whole = sum === total.count ? wholeShares(OUTCOMES.map(of)) : undefined;
  const share = (outcome: Outcome) =>
    total.count === 0 ? '' : (whole?.[OUTCOMES.indexOf(outcome)] ?? formatShare(of(outcome), total.count));
  return table({
    caption: 'Tickets by outcome',
    hideCaption: true,
    columns: [
      { title: 'Outcome' },
      { title: 'Tickets', align: 'right' },
      { title: 'Share', align: 'right' },
      { title: 'Meaning', isRemark: true },
    ],
    bar: shown.map((outcome) => ({ swatch: OUTCOME_VIEWS[outcome].swatch, count: of(outcome) })),
    rows: shown.map((outcome) => {
      const { word, tone, swatch, meaning, dryMeaning = meaning } = OUTCOME_VIEWS[outcome];
      return [
        { text: word, tone: of(outcome) > 0 ? tone : 'soft', swatch },
        formatCount(of(outcome)),
        { text: share(outcome), tone: 'soft' },
        { text: isDry ? dryMeaning : meaning, tone: 'soft' },
      ];
    }),
    sum: [total.label, { text: formatCount(total.count), tone: 'strong' }, '', ''],
  });
}
