/**
 * Parses faults, and decides which of them a request meets.
 *
 *     kind[=value][:percent][@what][#first[-last]]
 *
 *     503                      one Core API request in ten is answered with 503
 *     reset-after:5@create     one create in twenty is done, and then the connection is reset
 *     no-answer-after@create#3 the third create, and only that one, is done and never answered
 *
 * Without a percentage one request in ten fails; with `#`, and for traits, every one.
 */
import { AppError } from '../../domain/errors.ts';
import type { RequestKind } from '../core/request.ts';
import { FAULT_TARGETS, FAULTS, type FaultKind } from './faults.ts';

export interface FaultRule {
  readonly text: string;
  readonly fault: FaultKind;
  readonly value: number;
  readonly percent: number;
  readonly kinds: readonly RequestKind[];
  /** From 1. */
  readonly nth?: { readonly first: number; readonly last: number } | undefined;
}

export interface FaultPlan {
  readonly rules: readonly FaultRule[];
  readonly seed: number;
}

export const NO_FAULTS: FaultPlan = { rules: [], seed: 0 };

const SPEC = /^([a-z0-9-]+)(?:=([^:@#]*))?(?::([^@#]*))?(?:@([^#]*))?(?:#(.*))?$/i;
const DEFAULT_PERCENT = 10;
const MOST = 86_400_000;

/** Throws AppError `usage` with every complaint at once. */
export function parseFaults(
  texts: readonly string[],
  seed: number,
  known: Readonly<Record<string, FaultKind>> = FAULTS,
): FaultPlan {
  const read = texts.map((text) => ({ text, rule: readFault(text.trim(), known) }));
  const complaints = read.flatMap(({ text, rule }) => (typeof rule === 'string' ? [`${text}: ${rule}`] : []));
  if (complaints.length > 0) {
    throw new AppError('usage', 'A fault cannot be understood.', {
      lines: complaints,
      hint: 'Write faults as kind[=value][:percent][@what][#first[-last]], e.g. reset-after:5@create.',
    });
  }
  return { rules: read.flatMap(({ rule }) => (typeof rule === 'string' ? [] : [rule])), seed };
}

function readFault(text: string, known: Readonly<Record<string, FaultKind>>): FaultRule | string {
  const match = SPEC.exec(text);
  if (match === null) return 'it does not begin with a kind of fault.';
  const [, name = '', valueText, percentText, target, nthText] = match;
  const fault = Object.hasOwn(known, name.toLowerCase()) ? known[name.toLowerCase()] : undefined;
  if (fault === undefined) return `there is no fault "${name}". Known: ${Object.keys(known).join(', ')}.`;
  const what = target ?? fault.target ?? 'core';
  const kinds = FAULT_TARGETS.get(what.toLowerCase());
  if (kinds === undefined)
    return `"@${what}" names no requests. Known: ${[...FAULT_TARGETS.keys()].join(', ')}.`;
  if (valueText !== undefined && fault.value === undefined) return `"${name}" takes no value.`;
  const value = valueText === undefined ? (fault.value?.default ?? 0) : numberIn(valueText);
  if (value === undefined || value > MOST)
    return `"=${valueText}" must be a number (${fault.value?.unit}) from 0 to ${MOST}.`;
  const percent = percentText === undefined ? undefined : numberIn(percentText.replace(/%$/, ''));
  if (percentText !== undefined && (percent === undefined || percent > 100))
    return `":${percentText}" must be a percentage from 0 to 100.`;
  const nth = nthText === undefined ? undefined : rangeIn(nthText);
  if (nthText !== undefined && nth === undefined)
    return `"#${nthText}" must be a number from 1, or a range such as 3-5.`;
  const isAlways = nth !== undefined || fault.isTrait === true;
  return { text, fault, value, percent: percent ?? (isAlways ? 100 : DEFAULT_PERCENT), kinds, nth };
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

/** Each rule has its own random numbers, so a further rule does not change the others. */
export class FaultPicker {
  readonly #plan: FaultPlan;
  readonly #states: { random: number; seen: number }[];

  constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#states = plan.rules.map((_, index) => ({
      random: (plan.seed + Math.imul(index, 0x9e3779b1)) >>> 0,
      seen: 0,
    }));
  }

  next(kind: RequestKind): FaultRule[] {
    const traits: FaultRule[] = [];
    let fault: FaultRule | undefined;
    for (const [index, rule] of this.#plan.rules.entries()) {
      const state = this.#states[index];
      if (state === undefined || !rule.kinds.includes(kind)) continue;
      const chance = nextRandom(state.random);
      state.random = chance.state;
      state.seen++;
      const { nth, percent } = rule;
      const isCounted = nth === undefined || (state.seen >= nth.first && state.seen <= nth.last);
      if (!isCounted || chance.value * 100 >= percent) continue;
      if (rule.fault.isTrait === true) traits.push(rule);
      else fault ??= rule;
    }
    return fault === undefined ? traits : [...traits, fault];
  }
}

/** Repeatable by a seed (mulberry32). */
function nextRandom(state: number): { value: number; state: number } {
  const next = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296, state: next };
}
