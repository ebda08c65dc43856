/**
 * Answers that fail, and which of them a request meets.
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
import { normalizeEmail } from '../../../src/check/people.ts';
import * as requests from '../../../src/sandbox/core/request.ts';
import { bearerToken } from '../../../src/sandbox/credentials.ts';
import { Contacts } from '../../../src/sandbox/store/people.ts';
import { KINDS, type RequestKind } from './kinds.ts';
import { type OAuth, tokenExpired } from './oauth.ts';

interface StruckRequest {
  readonly c: Context<requests.SandboxEnv>;
  readonly service: requests.Service;
  readonly oauth: OAuth;
  answer(status: number, headers?: Record<string, string>): Response;
}

/** RESPONSE_ALREADY_SENT: no answer. Undefined: no change. */
type Outcome = Response | undefined | Promise<Response | undefined>;

interface FaultKind {
  readonly value?: number;
  /** By default all of the Core API. */
  readonly target?: string;
  /** Applies to every request, together with other faults. */
  readonly isTrait?: boolean;
  readonly before?: (on: StruckRequest, value: number) => Outcome;
  readonly after?: (on: StruckRequest, value: number) => Outcome;
}

const FAULTS: Readonly<Record<string, FaultKind>> = {
  '429': {
    value: 1,
    before: (on, wait) => on.answer(429, { 'retry-after': String(Math.ceil(wait)) }),
  },
  '503': { before: (on) => on.answer(503) },
  '504-after': { after: (on) => on.answer(504) },
  'reset-before': { before: reset },
  'reset-after': { after: reset },
  'no-answer-after': { after: silence },
  slow: {
    value: 1000,
    async after({ c, service: { clock, closing } }, ms) {
      await clock.sleep(ms, closing);
      return c.res;
    },
  },
  garbage: {
    after: ({ c: { res } }) =>
      new Response('\u0000<html>{"ticket": {"id"', { status: res.status, headers: res.headers }),
  },
  'token-expired': {
    before({ c, oauth, service: { clock } }) {
      oauth.expire(bearerToken(c.req.header('authorization')) ?? '', clock.now());
      return requests.answerRefusal(c, tokenExpired());
    },
  },
  unreadable: {
    value: 404,
    target: 'reads',
    isTrait: true,
    before: (on, status) => on.answer(status, status === 405 ? { allow: 'POST, PUT' } : {}),
  },
  ...Object.fromEntries(
    [400, 403, 408, 422, 425, 500].map((status): [string, FaultKind] => [
      String(status),
      { before: (on) => on.answer(status) },
    ]),
  ),
  '500-after': { after: (on) => on.answer(500) },
  '429-date': {
    value: 2,
    before: (on, wait) => {
      // Whole seconds, rounded up: obeying it is never too early.
      const until = Math.ceil(on.service.clock.now() / 1000 + wait) * 1000;
      return on.answer(429, { 'retry-after': new Date(until).toUTCString() });
    },
  },
  'no-answer-before': { before: silence },
  'close-after': {
    after({ c }) {
      c.env.incoming.socket.end();
      return RESPONSE_ALREADY_SENT;
    },
  },
  truncated: {
    async after({ c }) {
      const bytes = Buffer.from(await c.res.arrayBuffer());
      const { outgoing, incoming } = c.env;
      outgoing.writeHead(c.res.status, {
        'content-type': 'application/json',
        'content-length': Math.max(bytes.length, 1),
      });
      outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.end());
      return RESPONSE_ALREADY_SENT;
    },
  },
  'racy-contacts': {
    value: 5,
    isTrait: true,
    async before({ c, service: { store, clock, closing } }, pause) {
      const seen = new Set(store.sql.column<string>('SELECT email FROM contacts'));
      await clock.sleep(pause, closing);
      c.set('contacts', new RacyContacts(store.sql, seen));
      return undefined;
    },
  },
};

function reset({ c }: StruckRequest): Response {
  c.env.incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

function silence(): Response {
  return RESPONSE_ALREADY_SENT;
}

/** Finds only contacts that were there when the request arrived, and those that it created itself. */
class RacyContacts extends Contacts {
  readonly #seen: Set<string>;

  constructor(sql: ConstructorParameters<typeof Contacts>[0], seen: Set<string>) {
    super(sql);
    this.#seen = seen;
  }

  override find(email: string): ReturnType<Contacts['find']> {
    const known = this.#seen.has(normalizeEmail(email));
    this.#seen.add(normalizeEmail(email));
    return known ? super.find(email) : undefined;
  }
}

const WRITES: readonly RequestKind[] = ['create', 'update', 'messages', 'events', 'attachments'];
const READS: readonly RequestKind[] = ['list', 'read', 'agents', 'contacts', 'workspace'];
const API_KINDS = KINDS.filter((kind) => kind !== 'other');

/** A group of requests, or one kind. `read` is one ticket and its thread. */
const FAULT_TARGETS: ReadonlyMap<string, readonly RequestKind[]> = new Map<string, readonly RequestKind[]>([
  ['core', [...WRITES, ...READS]],
  ['writes', WRITES],
  ['reads', READS],
  ...API_KINDS.map((kind): [string, readonly RequestKind[]] => [kind, [kind]]),
]);

interface FaultRule {
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

const SPEC =
  /^([a-z0-9-]+)(?:=(\d+(?:\.\d+)?))?(?::(\d+(?:\.\d+)?)%?)?(?:@([a-z-]+))?(?:#(\d+)(?:-(\d+))?)?$/i;
const DEFAULT_PERCENT = 10;

export function parseFaults(texts: readonly string[], seed = 1): FaultPlan {
  return { rules: texts.map(readFault), seed };
}

function readFault(text: string): FaultRule {
  const [, name = '', value, percent, target, first, last] = SPEC.exec(text) ?? [];
  const fault = FAULTS[name.toLowerCase()];
  const kinds = FAULT_TARGETS.get((target ?? fault?.target ?? 'core').toLowerCase());
  if (fault === undefined || kinds === undefined) throw new Error(`There is no fault ${text}.`);
  const nth = first === undefined ? undefined : { first: Number(first), last: Number(last ?? first) };
  const isAlways = nth !== undefined || fault.isTrait === true;
  return {
    text,
    fault,
    value: Number(value ?? fault.value ?? 0),
    percent: Number(percent ?? (isAlways ? 100 : DEFAULT_PERCENT)),
    kinds,
    nth,
  };
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
