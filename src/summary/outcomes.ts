/** Name, colour, meaning and exit code of each outcome. */
import type { Outcome } from '../domain/ticket-state.ts';

export interface OutcomeView {
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'soft';
  /** A colour of the stylesheet. */
  readonly swatch: 'done' | 'ready' | 'rejected' | 'failed' | 'doubt' | 'skipped';
  readonly meaning: string;
  /** In a dry run. */
  readonly dryMeaning?: string;
  /** The exit code of a run with such tickets. */
  readonly exitCode?: 3 | 4;
}

export const OUTCOME_VIEWS: Readonly<Record<Outcome, OutcomeView>> = {
  done: {
    word: 'done',
    tone: 'good',
    swatch: 'done',
    meaning: 'in the helpdesk, complete',
  },
  rejected: {
    word: 'rejected',
    tone: 'bad',
    swatch: 'rejected',
    meaning: 'invalid, not sent',
    dryMeaning: 'invalid, would not be sent',
    exitCode: 3,
  },
  failed: {
    word: 'failed',
    tone: 'bad',
    swatch: 'failed',
    meaning: 'refused by the helpdesk, or incomplete there',
    exitCode: 3,
  },
  inDoubt: {
    word: 'in doubt',
    tone: 'warn',
    swatch: 'doubt',
    meaning: 'sent, outcome unknown',
    exitCode: 4,
  },
  skipped: {
    word: 'skipped',
    tone: 'soft',
    swatch: 'skipped',
    meaning: 'left out by filters or rules',
  },
  pending: {
    word: 'pending',
    tone: 'soft',
    swatch: 'ready',
    meaning: 'not sent yet',
    dryMeaning: 'valid, ready to import',
  },
};
