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
  | { do: 'racy-contacts'; ms: number }
  /** 2xx with this body, where nothing was done. */
  | { do: 'lie'; status: number; body: string; type: 'application/json' | 'text/plain' | 'text/html' }
  /** Carried out `ms` later, also where the client is gone by then; until then this, or (`wait`) nothing. */
  | { do: 'late'; ms: number; answer: LateAnswer }
  /** Only the first half of a list is kept, and the answer tells no more. */
  | { do: 'half' }
  /** Before the request the data become those of another time or of another workspace. */
  | { do: 'data'; become: DataChange; tickets: number }
  | { do: 'trait'; trait: Trait; value: number };

export type LateAnswer = { do: 'wait' } | Extract<FaultDeed, { do: 'answer' | 'reset' | 'close' }>;

export type DataChange = 'emptied' | 'restored' | 'other-workspace';

/**
 * How a service is, rather than what happens to one request: any number of these hold at once, beside a fault.
 * The number is what the trait is written with (seconds, tickets, characters).
 */
export const TRAITS = [
  'list-lags',
  'list-lags-tickets',
  'list-hides',
  'list-hides-closed',
  'list-empty',
  'tags-ignored',
  'search-ignored',
  'no-total',
  'subjects-cut',
  'html-escaped',
  'emoji-dropped',
  'contacts-merged',
  'times-rounded',
  'tags-dropped',
  'tags-lowered',
  'tags-cut',
  'threads-paged',
  'texts-shortened',
  'texts-cut',
  'events-append',
] as const;
export type Trait = (typeof TRAITS)[number];
export type Traits = Readonly<Partial<Record<Trait, number>>>;

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
