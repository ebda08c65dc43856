/**
 * Faults as a person writes them, and which of them, if any, falls on a request. Pure.
 *
 *     kind[=value][:percent][@what][#first[-last]]
 *
 *     503                      one Core API request in ten is answered with 503
 *     reset-after:5@create     one create in twenty is done, and then the connection is reset
 *     429=30:1                 one request in a hundred is answered with 429 and "Retry-After: 30"
 *     no-answer-after@create#3 the third create, and only that one, is done and never answered
 *
 * Without a percentage it is 10; with `#` it is 100, and for what a service is like rather than does once. Without `@what` all
 * Core API requests are meant that the fault makes sense for.
 */
import { AppError } from '../../domain/errors.ts';
import type { RequestKind } from '../core/request-kind.ts';
import { FAULT_TARGETS, FAULTS, type FaultKind, type FaultMoment, type Traits } from './faults.ts';

interface FaultRule {
  /** As it was written: the name under which the log knows it. */
  readonly text: string;
  /** In the table of faults. */
  readonly name: string;
  readonly fault: FaultKind;
  readonly value: number;
  readonly moment: FaultMoment;
  /** Chance for each request that it is meant for, 0 to 100. */
  readonly percent: number;
  readonly kinds: readonly RequestKind[];
  /** Only these of the requests that it is meant for, counted from 1. */
  readonly nth?: { readonly first: number; readonly last: number } | undefined;
}

export interface FaultPlan {
  readonly rules: readonly FaultRule[];
  /** The same seed and the same order of requests give the same faults. */
  readonly seed: number;
}

export const NO_FAULTS: FaultPlan = { rules: [], seed: 0 };

const SPEC = /^([a-z0-9-]+)(?:=([^:@#]*))?(?::([^@#]*))?(?:@([^#]*))?(?:#(.*))?$/i;
const DEFAULT_PERCENT = 10;
/** A day: more than any test or rehearsal waits. */
const MOST_SECONDS = 86_400;

/** Reads all faults, and throws AppError `usage` with every complaint at once. */
export function parseFaults(texts: readonly string[], seed: number): FaultPlan {
  const read = texts.map((text) => ({ text, rule: readFault(text) }));
  const complaints = read.flatMap(({ text, rule }) => (typeof rule === 'string' ? [`${text}: ${rule}`] : []));
  if (complaints.length > 0) {
    throw new AppError('usage', 'A fault cannot be understood.', {
      lines: complaints,
      hint: 'Write faults as kind[=value][:percent][@what][#first[-last]], e.g. reset-after:5@create.',
    });
  }
  return { rules: read.flatMap(({ rule }) => (typeof rule === 'string' ? [] : [rule])), seed };
}

/** The rule, or one sentence on what is wrong with it. */
function readFault(text: string): FaultRule | string {
  const match = SPEC.exec(text.trim());
  if (match === null) return 'it does not begin with a kind of fault.';
  const [, kind = '', valueText, percentText, target, nthText] = match;
  const name = kind.toLowerCase();
  const fault = Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined;
  if (fault === undefined) return `there is no fault "${kind}". Known: ${Object.keys(FAULTS).join(', ')}.`;
  const what = target ?? fault.target ?? 'core';
  const kinds = FAULT_TARGETS.get(what.toLowerCase());
  if (kinds === undefined)
    return `"@${what}" names no requests. Known: ${[...FAULT_TARGETS.keys()].join(', ')}.`;
  if (valueText !== undefined && fault.value === undefined) return `"${kind}" takes no value.`;
  const value = valueText === undefined ? (fault.value?.default ?? 0) : numberIn(valueText);
  const most = fault.value?.unit === 'milliseconds' ? MOST_SECONDS * 1000 : MOST_SECONDS;
  if (value === undefined || value > most)
    return `"=${valueText}" must be a number of ${fault.value?.unit ?? 'seconds'} from 0 to ${most}.`;
  const percent = percentText === undefined ? undefined : numberIn(percentText.replace(/%$/, ''));
  if (percentText !== undefined && (percent === undefined || percent > 100))
    return `":${percentText}" must be a percentage from 0 to 100.`;
  const once = fault.isOnce === true && percentText === undefined ? { first: 1, last: 1 } : undefined;
  const nth = nthText === undefined ? once : rangeIn(nthText);
  if (nthText !== undefined && nth === undefined)
    return `"#${nthText}" must be a number from 1, or a range such as 3-5.`;
  const isAlways = nth !== undefined || fault.isTrait === true;
  return {
    text: text.trim(),
    name,
    fault,
    value,
    moment: fault.moment ?? 'before',
    percent: percent ?? (isAlways ? 100 : DEFAULT_PERCENT),
    kinds,
    nth,
  };
}

function numberIn(text: string): number | undefined {
  return /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}

function rangeIn(text: string): { first: number; last: number } | undefined {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : Number(match[2]);
  return first >= 1 && last >= first ? { first, last } : undefined;
}

/** What falls on one request. */
export interface Falling {
  readonly rule: FaultRule;
  readonly moment: 'before' | 'after';
}

/**
 * Rules are asked in the order they were given and the first that falls counts; traits of the service hold besides. Each has
 * random numbers of its own and draws for every request that it is meant for, so a rule added at the end does not change
 * what the others do.
 */
export class FaultDice {
  readonly #plan: FaultPlan;
  /** Of each rule the state of its random numbers, and how many requests it was meant for. */
  readonly #states: { random: number; seen: number }[];

  constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#states = plan.rules.map((_, index) => ({
      random: (plan.seed + Math.imul(index, 0x9e3779b1)) >>> 0,
      seen: 0,
    }));
  }

  next(kind: RequestKind): { fault: Falling | undefined; traits: Traits } {
    const traits = new Map<string, number>();
    let fault: Falling | undefined;
    for (const [index, rule] of this.#plan.rules.entries()) {
      const state = this.#states[index];
      if (state === undefined || !rule.kinds.includes(kind)) continue;
      const chance = nextRandom(state.random);
      const coin = nextRandom(chance.state);
      state.random = coin.state;
      state.seen++;
      const { nth, percent, moment } = rule;
      const isCounted = nth === undefined || (state.seen >= nth.first && state.seen <= nth.last);
      if (!isCounted || chance.value * 100 >= percent) continue;
      if (rule.fault.isTrait === true) traits.set(rule.name, rule.value);
      else fault ??= { rule, moment: moment === 'either' ? (coin.value < 0.5 ? 'before' : 'after') : moment };
    }
    return { fault, traits };
  }
}

/** Random numbers that a seed repeats (mulberry32): good enough to spread faults, and the state is one number. */
function nextRandom(state: number): { value: number; state: number } {
  const next = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296, state: next };
}
