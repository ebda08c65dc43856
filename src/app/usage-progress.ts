/** What an import of usage events tells while it goes on. */
import type { OutcomeCounts } from '../domain/outcome.ts';

export type UsageProgress =
  | { readonly stage: 'checking'; readonly read: number }
  | { readonly stage: 'sending'; readonly counts: OutcomeCounts; readonly toSend: number };
