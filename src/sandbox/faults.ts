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
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { AppError } from '../domain/errors.ts';
import * as requests from './core/request.ts';
import { bearerToken, tokenExpired } from './credentials.ts';

export interface StruckRequest {
  readonly c: Context<requests.SandboxEnv>;
  readonly service: requests.Service;
  answer(status: number, headers?: Record<string, string>): Response;
}

/** RESPONSE_ALREADY_SENT: no answer. Undefined: no change. */
type Outcome = Response | undefined | Promise<Response | undefined>;

export interface FaultKind {
  readonly meaning: string;
  readonly value?: { readonly unit: string; readonly default: number };
  /** By default all of the Core API. */
  readonly target?: string;
  /** Applies to every request, together with other faults. */
  readonly isTrait?: boolean;
  /** The handler runs this many seconds after the answer. */
  readonly isLate?: boolean;
  readonly before?: (on: StruckRequest, value: number) => Outcome;
  readonly after?: (on: StruckRequest, value: number) => Outcome;
}

const seconds = (byDefault: number) => ({ unit: 'seconds', default: byDefault });

/** A new fault is an entry here; `sandbox --help` lists them. Tests add kinds through `parseFaults`. */
export const FAULTS: Readonly<Record<string, FaultKind>> = {
  '429': {
    meaning: '429 with Retry-After in seconds',
    value: seconds(1),
    before: (on, wait) => on.answer(429, { 'retry-after': String(Math.ceil(wait)) }),
  },
  '503': { meaning: '503 before the write', before: (on) => on.answer(503) },
  '504-after': { meaning: '504 after the write', after: (on) => on.answer(504) },
  'reset-before': { meaning: 'the connection is reset before the write', before: reset },
  'reset-after': { meaning: 'the connection is reset after the write', after: reset },
  'no-answer-after': { meaning: 'the write is done and never answered', after: silence },
  slow: {
    meaning: 'the answer comes late',
    value: { unit: 'milliseconds', default: 1000 },
    async after({ c, service: { clock, closing } }, ms) {
      await clock.sleep(ms, closing);
      return c.res;
    },
  },
  garbage: {
    meaning: 'the answer is not JSON',
    after: ({ c: { res } }) =>
      new Response('\u0000<html>{"ticket": {"id"', { status: res.status, headers: res.headers }),
  },
  'token-expired': {
    meaning: '401, and an OAuth access token is no longer valid',
    before({ c, service: { store, clock } }) {
      const token = bearerToken(c.req.header('authorization'));
      if (token !== undefined) store.tokens.expire(token, clock.now());
      return requests.answerRefusal(c, tokenExpired());
    },
  },
  'late-504': {
    meaning: '504 at once; the write is done later',
    value: seconds(10),
    target: 'writes',
    isLate: true,
    before: (on) => on.answer(504),
  },
  unreadable: {
    meaning: 'reads are refused, with 404 or the given status',
    value: { unit: 'HTTP status', default: 404 },
    target: 'reads',
    isTrait: true,
    before: (on, status) => on.answer(status, status === 405 ? { allow: 'POST, PUT' } : {}),
  },
  'list-lags': {
    meaning: 'lists show a ticket only some time after it was created',
    value: seconds(5),
    target: 'list',
    isTrait: true,
    before: ({ c, service }, wait) =>
      hide(c, `tickets.received_ms > ${service.clock.now() - Math.round(wait * 1000)}`),
  },
  'list-hides': {
    meaning: 'lists leave out every nth ticket',
    value: { unit: 'tickets', default: 3 },
    target: 'list',
    isTrait: true,
    before: ({ c }, nth) => hide(c, `tickets.seq % ${Math.max(1, Math.floor(nth))} = 0`),
  },
  'tags-dropped': {
    meaning: 'tickets are stored without tags',
    target: 'create',
    isTrait: true,
    before: (on) => rewriteBody(on, (body) => ({ ...body, tags: [] })),
  },
  'events-append': {
    meaning: 'events are added instead of replacing the others',
    target: 'events',
    isTrait: true,
    before({ c }) {
      c.set('appendsEvents', true);
      return undefined;
    },
  },
};

export function reset({ c }: StruckRequest): Response {
  c.env.incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

export function silence(): Response {
  return RESPONSE_ALREADY_SENT;
}

function hide(c: Context<requests.SandboxEnv>, sql: string): undefined {
  c.set('hidden', [...(c.get('hidden') ?? []), sql]);
}

async function rewriteBody(
  { c, service }: StruckRequest,
  change: (body: Record<string, unknown>) => unknown,
): Promise<undefined> {
  const sent = await requests.bodyOf(c, service.maxBodyBytes);
  try {
    c.set('body', Buffer.from(JSON.stringify(change(JSON.parse(sent.toString('utf8'))))));
  } catch {}
}

const WRITES: readonly requests.RequestKind[] = ['create', 'update', 'messages', 'events', 'attachments'];
const READS: readonly requests.RequestKind[] = ['list', 'read', 'agents', 'contacts', 'workspace'];
const API_KINDS = requests.REQUEST_KINDS.filter((kind) => kind !== 'page' && kind !== 'other');

/** A group of requests, or one kind. `read` is one ticket and its thread. */
export const FAULT_TARGETS: ReadonlyMap<string, readonly requests.RequestKind[]> = new Map<
  string,
  readonly requests.RequestKind[]
>([
  ['core', [...WRITES, ...READS]],
  ['writes', WRITES],
  ['reads', READS],
  ...API_KINDS.map((kind): [string, readonly requests.RequestKind[]] => [kind, [kind]]),
]);

export interface FaultRule {
  readonly text: string;
  readonly fault: FaultKind;
  readonly value: number;
  readonly percent: number;
  readonly kinds: readonly requests.RequestKind[];
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

  next(kind: requests.RequestKind): FaultRule[] {
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
