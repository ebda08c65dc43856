import type { SourceFrame } from '../domain/source.ts';
import type { Facts } from '../plan/facts.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { NextStep } from './next-steps.ts';

/** The facts, and what is drawn next to them. */
export interface View {
  readonly facts: Facts;
  readonly next: readonly NextStep[];
  /** Lines of the export, by `groupKey`. */
  readonly frames?: Readonly<Record<string, SourceFrame>> | undefined;
  /** Groups that an earlier run showed in full (`groupKey`). */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  readonly samples?: Samples | undefined;
}

export interface Samples {
  readonly conversations: readonly Conversation[];
  /** Why there is none, if a reader expects some. */
  readonly none?: string | undefined;
}

export const SHOWN = { groups: 30, examples: 3, rows: 40, inDoubt: 60, failed: 60 } as const;

export function planOf({ mode, plan }: Facts): Facts['plan'] | undefined {
  return mode === 'dry-run' && plan.requests.total > 0 ? plan : undefined;
}
