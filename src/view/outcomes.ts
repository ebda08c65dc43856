import type { Outcome } from '../domain/ticket-state.ts';
import type { Swatch, Tone } from './blocks.ts';

interface OutcomeView {
  readonly word: string;
  readonly tone: Tone;
  readonly swatch: Swatch;
  readonly meaning: string;
  readonly dryMeaning: string;
}

function outcome(
  ...[word, tone, swatch, meaning, dryMeaning = meaning]: [string, Tone, Swatch, string, string?]
): OutcomeView {
  return { word, tone, swatch, meaning, dryMeaning };
}

export const OUTCOME_VIEWS: Readonly<Record<Outcome, OutcomeView>> = {
  done: outcome('done', 'good', 'done', 'in the helpdesk, complete'),
  rejected: outcome('rejected', 'bad', 'rejected', 'invalid, not sent', 'invalid, would not be sent'),
  failed: outcome('failed', 'bad', 'failed', 'refused by the helpdesk, or incomplete there'),
  inDoubt: outcome('in doubt', 'warn', 'doubt', 'sent, outcome unknown'),
  skipped: outcome('skipped', 'soft', 'skipped', 'left out by filters or rules'),
  pending: outcome('pending', 'soft', 'ready', 'not sent yet', 'valid, ready to import'),
};

export const END_WORDS: Readonly<Record<number, string>> = {
  0: 'all done',
  1: 'an internal error',
  2: 'refused to go on',
  3: 'some rejected, failed or not updated',
  4: 'some in doubt',
  5: 'permission refused',
  6: 'stopped early',
  130: 'interrupted',
  143: 'terminated',
};
