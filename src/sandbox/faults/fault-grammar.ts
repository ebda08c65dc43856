/**
 * Faults as a person writes them:
 *
 *     kind[=value][:percent][@what][#first[-last]]
 *
 *     503                      one Core API request in ten is answered with 503
 *     reset-after:5@create     one create in twenty is done, and then the connection is reset
 *     429=30:1                 one request in a hundred is answered with 429 and "Retry-After: 30"
 *     no-answer-after@create#3 the third create, and only that one, is done and never answered
 *
 * Without a percentage it is 10; with `#` it is 100, and for what a service is like rather than does once. Without `@what` all
 * Core API requests are meant that the fault makes sense for. Pure.
 */
import { AppError } from '../../domain/errors.ts';
import { FAULT_NAMES, FAULT_TARGETS } from './fault-names.ts';
import type { FaultPlan, FaultRule } from './fault-plan.ts';

const SPEC = /^([a-z0-9-]+)(?:=([^:@#]*))?(?::([^@#]*))?(?:@([^#]*))?(?:#(.*))?$/i;
const DEFAULT_PERCENT = 10;
/** A day: more than any test or rehearsal waits. */
const MOST_SECONDS = 86_400;

/** Reads all faults, and throws AppError `usage` with every complaint at once. */
export function parseFaults(texts: readonly string[], seed: number): FaultPlan {
  const rules: FaultRule[] = [];
  const complaints: string[] = [];
  for (const text of texts) {
    const read = readFault(text);
    if (typeof read === 'string') complaints.push(`${text}: ${read}`);
    else rules.push(read);
  }
  if (complaints.length > 0) {
    throw new AppError('usage', 'A fault cannot be understood.', {
      lines: complaints,
      hint: 'Write faults as kind[=value][:percent][@what][#first[-last]], e.g. reset-after:5@create.',
    });
  }
  return { rules, seed };
}

/** The rule, or one sentence on what is wrong with it. */
function readFault(text: string): FaultRule | string {
  const match = SPEC.exec(text.trim());
  if (match === null) return 'it does not begin with a kind of fault.';
  const [, kind = '', valueText, percentText, target, nthText] = match;
  const name = FAULT_NAMES.get(kind.toLowerCase());
  if (name === undefined) return `there is no fault "${kind}". Known: ${[...FAULT_NAMES.keys()].join(', ')}.`;
  const what = target ?? name.target ?? 'core';
  const kinds = FAULT_TARGETS.get(what.toLowerCase());
  if (kinds === undefined)
    return `"@${what}" names no requests. Known: ${[...FAULT_TARGETS.keys()].join(', ')}.`;
  if (valueText !== undefined && name.value === undefined) return `"${kind}" takes no value.`;
  const value = valueText === undefined ? (name.value?.default ?? 0) : numberIn(valueText);
  const most = name.value?.unit === 'milliseconds' ? MOST_SECONDS * 1000 : MOST_SECONDS;
  if (value === undefined || value > most)
    return `"=${valueText}" must be a number of ${name.value?.unit ?? 'seconds'} from 0 to ${most}.`;
  const percent = percentText === undefined ? undefined : numberIn(percentText.replace(/%$/, ''));
  if (percentText !== undefined && (percent === undefined || percent > 100))
    return `":${percentText}" must be a percentage from 0 to 100.`;
  const once = name.isOnce === true && percentText === undefined ? { first: 1, last: 1 } : undefined;
  const nth = nthText === undefined ? once : rangeIn(nthText);
  if (nthText !== undefined && nth === undefined)
    return `"#${nthText}" must be a number from 1, or a range such as 3-5.`;
  return {
    text: text.trim(),
    deed: name.deed(value),
    moment: name.moment,
    percent: percent ?? (nth === undefined ? (name.percent ?? DEFAULT_PERCENT) : 100),
    kinds,
    ...(nth === undefined ? {} : { nth }),
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
