/** What can be made to go wrong with a request, as data. */
import type { RequestKind } from '../core/request-kind.ts';

/** What is done to a request. */
export type FaultDeed =
  | { do: 'answer'; status: number; retryAfter?: { seconds: number; as: 'seconds' | 'date' } }
  /** The connection is reset (RST). */
  | { do: 'reset' }
  /** The connection is closed in good order, without an answer. */
  | { do: 'close' }
  /** An answer never comes; the connection stays. */
  | { do: 'silence' }
  | { do: 'slow'; ms: number }
  | { do: 'truncate' }
  | { do: 'garbage' }
  | { do: 'expire-token' }
  /** Contacts are found now and created `ms` later, without looking again. */
  | { do: 'racy-contacts'; ms: number };

/** Before or after the request had its effect; `either` tosses a coin each time. */
export type FaultMoment = 'before' | 'after' | 'either';

export interface FaultRule {
  /** As it was written: the name under which the log knows it. */
  readonly text: string;
  readonly deed: FaultDeed;
  readonly moment: FaultMoment;
  /** Chance for each request that it is meant for, 0 to 100. */
  readonly percent: number;
  readonly kinds: readonly RequestKind[];
  /** Only these of the requests that it is meant for, counted from 1. */
  readonly nth?: { readonly first: number; readonly last: number };
}

export interface FaultPlan {
  readonly rules: readonly FaultRule[];
  /** The same seed and the same order of requests give the same faults. */
  readonly seed: number;
}

export const NO_FAULTS: FaultPlan = { rules: [], seed: 0 };
