/** The faults by name and the requests they can be aimed at. These tables are the documentation: help is made of them. */
import { REQUEST_KINDS, type RequestKind } from '../core/request-kind.ts';
import type { DataChange, FaultDeed, FaultMoment, LateAnswer, Trait } from './fault-plan.ts';

export type FaultUnit = 'seconds' | 'milliseconds' | 'tickets' | 'messages' | 'characters';

export interface FaultName {
  readonly meaning: string;
  readonly moment: FaultMoment;
  /** What `=value` means and stands at when it is not written; without it the fault takes no value. */
  readonly value?: { readonly unit: FaultUnit; readonly default: number };
  /** The requests it is for where it is not aimed; else all of the Core API. */
  readonly target?: string;
  /** How many of 100 where no share is given; else 10. */
  readonly percent?: number;
  /** Falls once, on the first request where no number is given: what follows is the consequence. */
  readonly isOnce?: boolean;
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

function late(name: string, meaning: string, answer: LateAnswer): [string, FaultName] {
  const told = `${meaning}; the write is carried out so much later, also where the client has gone`;
  return [
    name,
    {
      meaning: told,
      moment: 'before',
      value: { unit: 'seconds', default: 10 },
      target: 'writes',
      deed: (seconds) => ({ do: 'late', ms: seconds * 1000, answer }),
    },
  ];
}

function lie(
  name: string,
  meaning: string,
  body: string,
  more: { status?: number; type?: 'text/plain' | 'text/html' } = {},
): [string, FaultName] {
  const { status = 200, type = 'application/json' } = more;
  return [
    name,
    { meaning, moment: 'before', target: 'puts', deed: () => ({ do: 'lie', status, body, type }) },
  ];
}

function trait(
  trait: Trait,
  target: string,
  meaning: string,
  value?: FaultName['value'],
): [string, FaultName] {
  return [
    trait,
    {
      meaning,
      moment: 'before',
      target,
      percent: 100,
      ...(value === undefined ? {} : { value }),
      deed: (number) => ({ do: 'trait', trait, value: number }),
    },
  ];
}

function data(become: DataChange, meaning: string, value?: FaultName['value']): [string, FaultName] {
  return [
    become,
    {
      meaning,
      moment: 'before',
      isOnce: true,
      ...(value === undefined ? {} : { value }),
      deed: (tickets) => ({ do: 'data', become, tickets }),
    },
  ];
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
  // Carried out late: a gateway gives up, and the application behind it works on.
  late('late', 'no answer before it is done', { do: 'wait' }),
  late('late-504', '504 at once', { do: 'answer', status: 504 }),
  late('late-503', '503 at once', { do: 'answer', status: 503 }),
  late('late-reset', 'the connection is reset at once', { do: 'reset' }),
  late('late-close', 'the connection is closed at once', { do: 'close' }),
  // Said to be done, and not done.
  lie(
    '200-error',
    '200 with {"error": …}, and nothing is done',
    '{"error":"internal","message":"It failed."}',
  ),
  lie('200-false', '200 with {"success": false}, and nothing is done', '{"success":false}'),
  lie('200-empty', '200 with empty lists, and nothing is done', '{"messages":[],"events":[]}'),
  lie('200-text', '200 with a line of text, and nothing is done', 'OK', { type: 'text/plain' }),
  lie('200-page', '200 with a page, and nothing is done', '<!doctype html><title>Sign in</title>', {
    type: 'text/html',
  }),
  lie(
    '200-id-error',
    '200 with an id that is of no ticket, and an error',
    '{"id":"req_1","error":"queue full"}',
  ),
  lie('207', '207, and nothing is done', '{"results":[{"status":500}]}', { status: 207 }),
  [
    'half',
    {
      meaning: 'only the first half of the list is kept, and the answer tells only that',
      moment: 'before',
      target: 'puts',
      deed: () => ({ do: 'half' }),
    },
  ],
  // Other data behind the same address.
  data('emptied', 'from this request on all tickets are gone'),
  data('restored', 'from this request on only so many tickets are there, as from a backup', {
    unit: 'tickets',
    default: 0,
  }),
  data(
    'other-workspace',
    'from this request on it is another organization, with tickets of its own under the same ids',
  ),
  // How the service is: any number of these at once.
  trait('list-lags', 'list', 'lists show a ticket only so long after its create', {
    unit: 'seconds',
    default: 5,
  }),
  trait('list-lags-tickets', 'list', 'lists do not show the newest tickets', { unit: 'tickets', default: 3 }),
  trait('list-hides', 'list', 'lists never show every so-manyth ticket', { unit: 'tickets', default: 3 }),
  trait('list-hides-closed', 'list', 'lists never show closed tickets'),
  trait('list-empty', 'list', 'lists show no ticket'),
  trait('tags-ignored', 'list', 'lists are not narrowed by tags'),
  trait('search-ignored', 'list', 'lists are not narrowed by search'),
  trait('no-total', 'list', 'lists do not tell how many there are'),
  trait('subjects-cut', 'create', 'subjects are cut', { unit: 'characters', default: 40 }),
  trait('html-escaped', 'content', 'subjects and messages are stored with & < > " as entities'),
  trait('emoji-dropped', 'content', 'subjects and messages are stored without emoji'),
  trait('contacts-merged', 'content', 'all addresses of one domain are one contact'),
  trait('times-rounded', 'writes', 'times are rounded down', { unit: 'seconds', default: 60 }),
  trait('tags-dropped', 'create', 'tickets are stored without tags'),
  trait('tags-lowered', 'create', 'tags are stored in small letters'),
  trait('tags-cut', 'create', 'tags are cut', { unit: 'characters', default: 12 }),
  trait('threads-paged', 'read', 'threads come in pages', { unit: 'messages', default: 2 }),
  trait('texts-shortened', 'read', 'threads show the beginning of a text, the whole in fullContent', {
    unit: 'characters',
    default: 100,
  }),
  trait('texts-cut', 'read', 'threads show the beginning of a text and nothing tells of the rest', {
    unit: 'characters',
    default: 100,
  }),
  trait('events-append', 'events', 'events are added to those that are there'),
]);

const WRITES: readonly RequestKind[] = ['create', 'messages', 'events', 'attachments'];
const READS: readonly RequestKind[] = ['list', 'read', 'agents', 'contacts', 'workspace'];

/** What `@what` may name: a group of requests, or one kind. `read` is one ticket and its thread. */
export const FAULT_TARGETS: ReadonlyMap<string, readonly RequestKind[]> = new Map<
  string,
  readonly RequestKind[]
>([
  ['core', [...WRITES, ...READS]],
  ['writes', WRITES],
  ['puts', ['messages', 'events']],
  ['content', ['create', 'messages']],
  ['reads', READS],
  ['all', REQUEST_KINDS.filter((kind) => kind !== 'page')],
  ...REQUEST_KINDS.filter((kind) => kind !== 'page' && kind !== 'other').map(
    (kind): [string, readonly RequestKind[]] => [kind, [kind]],
  ),
]);
