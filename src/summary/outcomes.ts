/** What each outcome of a ticket is called, how it looks and what it means: the screen, `status`, the report and the exit code read it here. */
import type { Outcome } from '../domain/ticket-state.ts';

export interface OutcomeView {
  readonly word: string;
  /** On a terminal: good, wrong, open, of no concern. */
  readonly paint: 'green' | 'red' | 'yellow' | 'dim';
  /** In the report: a colour of its stylesheet. */
  readonly tone: 'done' | 'ready' | 'rejected' | 'failed' | 'doubt' | 'skipped';
  /** Behind its count, at the end of a run and of a dry run. */
  readonly meaning: string;
  readonly meaningInDryRun?: string;
  /** What it means for what comes next, of a checkpoint. */
  readonly meaningInCheckpoint: string;
  readonly meaningInReport: string;
  readonly meaningInDryReport?: string;
  /** With which a run ends that has such tickets. */
  readonly exitCode?: 3 | 4;
}

export const OUTCOME_VIEWS: Readonly<Record<Outcome, OutcomeView>> = {
  done: {
    word: 'done',
    paint: 'green',
    tone: 'done',
    meaning: 'in the target, complete',
    meaningInCheckpoint: 'in the target, complete',
    meaningInReport: 'in the helpdesk, with all messages and events',
  },
  rejected: {
    word: 'rejected',
    paint: 'red',
    tone: 'rejected',
    meaning: 'not valid, nothing of them was sent',
    meaningInCheckpoint: 'not valid; tried again when the export is corrected',
    meaningInReport: 'not valid, so nothing of them was sent',
    meaningInDryReport: 'not valid, and would not be sent',
    exitCode: 3,
  },
  failed: {
    word: 'failed',
    paint: 'red',
    tone: 'failed',
    meaning: 'refused by the target, or incomplete there',
    meaningInCheckpoint: 'refused by the target, or incomplete there; the next run tries again',
    meaningInReport: 'refused by the helpdesk, or incomplete there',
    exitCode: 3,
  },
  inDoubt: {
    word: 'in doubt',
    paint: 'yellow',
    tone: 'doubt',
    meaning: 'sent, and the outcome is unknown',
    meaningInCheckpoint: 'sent, and the outcome is unknown',
    meaningInReport: 'sent, and it is not known whether they arrived',
    exitCode: 4,
  },
  skipped: {
    word: 'skipped',
    paint: 'dim',
    tone: 'skipped',
    meaning: 'left out by your filters',
    meaningInCheckpoint: 'left out when a doubt was settled',
    meaningInReport: 'left out by filters, rules or the chosen part of the export',
  },
  pending: {
    word: 'pending',
    paint: 'dim',
    tone: 'ready',
    meaning: 'not reached',
    meaningInDryRun: 'valid, ready to be imported',
    meaningInCheckpoint: 'begun; the next run goes on with them',
    meaningInReport: 'not sent yet',
    meaningInDryReport: 'valid, and would be sent',
  },
};
