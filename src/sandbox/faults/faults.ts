/** A new fault is an entry here; `sandbox --help` lists them. Tests add kinds through `parseFaults`. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { bearerToken, tokenExpired } from '../auth/credentials.ts';
import { bodyOf } from '../core/body.ts';
import {
  answerRefusal,
  REQUEST_KINDS,
  type RequestKind,
  type SandboxEnv,
  type Service,
} from '../core/request.ts';

export interface StruckRequest {
  readonly c: Context<SandboxEnv>;
  readonly service: Service;
  answer(status: number, headers?: Record<string, string>): Response;
}

/** RESPONSE_ALREADY_SENT: no answer. Undefined: no change. */
type Outcome = Response | undefined | Promise<Response | undefined>;

export interface FaultKind {
  readonly meaning: string;
  /** Absent without a value. */
  readonly value?: { readonly unit: string; readonly default: number };
  /** By default all of the Core API. */
  readonly target?: string;
  /** Applies to every request, together with other faults. */
  readonly isTrait?: boolean;
  /** The handler runs this many seconds after the answer. */
  readonly isLate?: boolean;
  /** Undefined continues. */
  readonly before?: (on: StruckRequest, value: number) => Outcome;
  /** Undefined keeps the answer. */
  readonly after?: (on: StruckRequest, value: number) => Outcome;
}

const seconds = (byDefault: number) => ({ unit: 'seconds', default: byDefault });

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
      return answerRefusal(c, tokenExpired());
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

function hide(c: Context<SandboxEnv>, sql: string): undefined {
  c.set('hidden', [...(c.get('hidden') ?? []), sql]);
}

async function rewriteBody(
  { c, service }: StruckRequest,
  change: (body: Record<string, unknown>) => unknown,
): Promise<undefined> {
  const sent = await bodyOf(c, service.maxBodyBytes);
  try {
    c.set('body', Buffer.from(JSON.stringify(change(JSON.parse(sent.toString('utf8'))))));
  } catch {}
}

const WRITES: readonly RequestKind[] = ['create', 'update', 'messages', 'events', 'attachments'];
const READS: readonly RequestKind[] = ['list', 'read', 'agents', 'contacts', 'workspace'];
const API_KINDS = REQUEST_KINDS.filter((kind) => kind !== 'page' && kind !== 'other');

/** A group of requests, or one kind. `read` is one ticket and its thread. */
export const FAULT_TARGETS: ReadonlyMap<string, readonly RequestKind[]> = new Map<
  string,
  readonly RequestKind[]
>([
  ['core', [...WRITES, ...READS]],
  ['writes', WRITES],
  ['reads', READS],
  ...API_KINDS.map((kind): [string, readonly RequestKind[]] => [kind, [kind]]),
]);
