/** What can be made to go wrong with a request, as data; and which fault, if any, falls on one. Pure. */
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
const TRAITS = [
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

export interface FaultState {
  /** State of each rule's random numbers. */
  readonly random: readonly number[];
  /** How many requests each rule was meant for so far. */
  readonly seen: readonly number[];
}

export interface Fault {
  readonly text: string;
  readonly deed: FaultDeed;
  readonly moment: 'before' | 'after';
}

export function initialFaultState(plan: FaultPlan): FaultState {
  return {
    random: plan.rules.map((_, index) => (plan.seed + Math.imul(index, 0x9e3779b1)) >>> 0),
    seen: plan.rules.map(() => 0),
  };
}

/**
 * Rules are asked in the order they were given and the first that falls counts; traits of the service hold besides. Each has
 * random numbers of its own and draws for every request that it is meant for, so a rule added at the end does not change
 * what the others do.
 */
export function decideFault(
  plan: FaultPlan,
  state: FaultState,
  kind: RequestKind,
): { fault: Fault | undefined; traits: Traits; state: FaultState } {
  const random = [...state.random];
  const seen = [...state.seen];
  const traits: Partial<Record<Trait, number>> = {};
  let fault: Fault | undefined;
  for (const [index, rule] of plan.rules.entries()) {
    if (!rule.kinds.includes(kind)) continue;
    const chance = nextRandom(random[index] ?? 0);
    const coin = nextRandom(chance.state);
    const count = (seen[index] ?? 0) + 1;
    random[index] = coin.state;
    seen[index] = count;
    const counted = rule.nth === undefined || (count >= rule.nth.first && count <= rule.nth.last);
    if (!counted || chance.value * 100 >= rule.percent) continue;
    if (rule.deed.do === 'trait') traits[rule.deed.trait] = rule.deed.value;
    if (fault !== undefined || rule.deed.do === 'trait') continue;
    const either = coin.value < 0.5 ? 'before' : 'after';
    fault = { text: rule.text, deed: rule.deed, moment: rule.moment === 'either' ? either : rule.moment };
  }
  return { fault, traits, state: { random, seen } };
}

/** Random numbers that a seed repeats (mulberry32): good enough to spread faults, and the state is one number. */
function nextRandom(state: number): { value: number; state: number } {
  const next = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296, state: next };
}
