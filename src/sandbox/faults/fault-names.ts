/** The faults by name and the requests they can be aimed at. These tables are the documentation: help is made of them. */
import { REQUEST_KINDS, type RequestKind } from '../core/request-kind.ts';
import type { FaultDeed, FaultMoment } from './fault-plan.ts';

export interface FaultName {
  readonly meaning: string;
  readonly moment: FaultMoment;
  /** What `=value` means and stands at when it is not written; without it the fault takes no value. */
  readonly value?: { readonly unit: 'seconds' | 'milliseconds'; readonly default: number };
  readonly deed: (value: number) => FaultDeed;
}

/** A fault that may be asked for before the effect, after it, or either way. */
function eitherWay(name: string, meaning: string, deed: () => FaultDeed): [string, FaultName][] {
  return [
    [name, { meaning: `${meaning}, before or after the effect (a coin decides)`, moment: 'either', deed }],
    [`${name}-before`, { meaning: `${meaning}, before the effect`, moment: 'before', deed }],
    [`${name}-after`, { meaning: `${meaning}, after the effect`, moment: 'after', deed }],
  ];
}

function retryAfter(status: number, as: 'seconds' | 'date', meaning: string, seconds: number): FaultName {
  return {
    meaning,
    moment: 'before',
    value: { unit: 'seconds', default: seconds },
    deed: (value) => ({ do: 'answer', status, retryAfter: { seconds: value, as } }),
  };
}

function milliseconds(
  meaning: string,
  moment: FaultMoment,
  preset: number,
  deed: (ms: number) => FaultDeed,
): FaultName {
  return { meaning, moment, value: { unit: 'milliseconds', default: preset }, deed };
}

export const FAULT_NAMES: ReadonlyMap<string, FaultName> = new Map<string, FaultName>([
  ['429', retryAfter(429, 'seconds', '429 with Retry-After in seconds', 1)],
  ['429-date', retryAfter(429, 'date', '429 with Retry-After as a date', 2)],
  ['503-retry-after', retryAfter(503, 'seconds', '503 with Retry-After in seconds', 1)],
  ...[500, 502, 503, 504].flatMap((status) =>
    eitherWay(String(status), `${status} without Retry-After`, () => ({ do: 'answer', status })),
  ),
  ...eitherWay('reset', 'the connection is reset', () => ({ do: 'reset' })),
  ...eitherWay('close', 'the connection is closed without an answer', () => ({ do: 'close' })),
  ...eitherWay('no-answer', 'an answer never comes', () => ({ do: 'silence' })),
  ['slow', milliseconds('the answer comes late', 'after', 1000, (ms) => ({ do: 'slow', ms }))],
  [
    'truncated',
    { meaning: 'the answer ends in the middle', moment: 'after', deed: () => ({ do: 'truncate' }) },
  ],
  ['garbage', { meaning: 'the answer is not JSON', moment: 'after', deed: () => ({ do: 'garbage' }) }],
  [
    'token-expired',
    {
      meaning: '401, and an OAuth access token is valid no longer',
      moment: 'before',
      deed: () => ({ do: 'expire-token' }),
    },
  ],
  [
    'racy-contacts',
    milliseconds(
      'contacts are looked for, and created after a pause without looking again',
      'before',
      5,
      (ms) => ({
        do: 'racy-contacts',
        ms,
      }),
    ),
  ],
  ...[400, 403, 404, 408, 409, 422, 425].map((status): [string, FaultName] => [
    String(status),
    { meaning: `${status}, without any effect`, moment: 'before', deed: () => ({ do: 'answer', status }) },
  ]),
]);

const WRITES: readonly RequestKind[] = ['create', 'messages', 'events', 'attachments'];
const READS: readonly RequestKind[] = ['list', 'read', 'agents', 'contacts'];

/** What `@what` may name: a group of requests, or one kind. `read` is one ticket and its thread. */
export const FAULT_TARGETS: ReadonlyMap<string, readonly RequestKind[]> = new Map<
  string,
  readonly RequestKind[]
>([
  ['core', [...WRITES, ...READS]],
  ['writes', WRITES],
  ['reads', READS],
  ['all', REQUEST_KINDS.filter((kind) => kind !== 'page')],
  ...REQUEST_KINDS.filter((kind) => kind !== 'page' && kind !== 'other').map(
    (kind): [string, readonly RequestKind[]] => [kind, [kind]],
  ),
]);
