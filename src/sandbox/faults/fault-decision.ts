/**
 * Which fault, if any, falls on a request. Pure: state and request in, decision and next state out.
 *
 * Rules are asked in the order they were given and the first that falls counts; traits of the service hold besides. Each has
 * random numbers of its own and draws for every request that it is meant for, so a rule added at the end does not change
 * what the others do.
 */
import type { RequestKind } from '../core/request-kind.ts';
import type { FaultDeed, FaultPlan, Trait, Traits } from './fault-plan.ts';
import { nextRandom } from './seeded-random.ts';

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
