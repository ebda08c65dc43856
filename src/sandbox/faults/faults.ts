/**
 * Every fault that can be asked for: its name, what it means, and what it does. The help of `sandbox` is made of this table, and
 * a new fault is a new entry.
 *
 * Three kinds of entries. A fault that falls on one request is played in the place of the handler or of its answer (`play`), or
 * lets the handler run late (`isLate`). What a service is like holds for every request, any number of these at once (`alters`,
 * or the name alone where a handler asks for it). How a fault comes over a connection is in effects.ts.
 */
import type { MessageView } from '../core/answers.ts';
import { REQUEST_KINDS, type RequestKind } from '../core/request-kind.ts';
import type { TicketFilter } from '../store/ticket-list.ts';

type FaultUnit = 'port' | 'seconds' | 'milliseconds' | 'tickets' | 'messages' | 'characters';

/** Before or after the request had its effect; `either` tosses a coin each time. */
export type FaultMoment = 'before' | 'after' | 'either';

/** One request on which a fault falls, and what can be done to it. */
export interface Stricken {
  /** Now, milliseconds since the epoch. */
  readonly now: number;
  /** What the handler answered; a fault that falls before has none. */
  readonly answered: Response;
  answer(status: number, headers?: Record<string, string>): Response;
  /** This body, whatever was done. */
  say(status: 200 | 207, body: string, type: string): Response;
  /** No answer; `silence` leaves the connection as it is. */
  breakOff(how: 'reset' | 'close' | 'silence'): Response;
  /** Half of the answer. */
  truncate(): Promise<Response>;
  expireToken(): Response;
  wait(ms: number): Promise<void>;
  /** Tells the handler: the pause between finding and creating contacts; that half of a list is kept. */
  tell(what: { readonly racyMs: number } | { readonly isHalf: true }): void;
  become(data: DataChange, tickets: number): void;
}

export type DataChange = 'emptied' | 'restored' | 'other-workspace';

/** The parts of requests and answers that a service may keep or show otherwise than they are. */
interface Parts {
  /** Of a ticket, as it is kept. */
  subject: string;
  /** Of subjects and messages, as they are kept. */
  text: string;
  time: string;
  tags: readonly string[];
  /** What a list of tickets is narrowed by. */
  filter: TicketFilter;
  /** A message as a thread shows it. */
  shown: MessageView;
  /** Entries of a thread on one page. */
  pageSize: number;
}
type Alterations = {
  readonly [P in keyof Parts]?: (part: Parts[P], value: number, now: number) => Parts[P];
};

export interface FaultKind {
  readonly meaning: string;
  /** `before` where not given. */
  readonly moment?: FaultMoment;
  /** What `=value` means and stands at when it is not written; without it the fault takes no value. */
  readonly value?: { readonly unit: FaultUnit; readonly default: number } | undefined;
  /** The requests it is for where it is not aimed; else all of the Core API. */
  readonly target?: string;
  /** Falls once, on the first request where no number is given: what follows is the consequence. */
  readonly isOnce?: boolean;
  /** What the client is told; null: no status at all. Undefined: what the handler answers. */
  readonly status?: number | null;
  /** Milliseconds that the client is asked to wait. */
  readonly asksToWait?: (value: number) => number;
  /** The answer in the place of the handler's, or of its own where it has one; undefined lets it be. */
  readonly play?: (on: Stricken, value: number) => Response | undefined | Promise<Response>;
  /** The handler runs so many seconds later, also where the client has gone. `play` says what is told at once; without it nothing. */
  readonly isLate?: boolean;
  /** How the service is, rather than what happens to one request. */
  readonly isTrait?: boolean;
  readonly alters?: Alterations | undefined;
}

const answers = (status: number) => (on: Stricken) => on.answer(status);
const resets = (on: Stricken) => on.breakOff('reset');
const closes = (on: Stricken) => on.breakOff('close');

/** A fault that may be asked for before the effect, after it, or either way. */
function eitherWay(name: string, meaning: string, kind: Pick<FaultKind, 'status' | 'play'>) {
  return {
    [name]: { ...kind, meaning: `${meaning}, before or after the effect (a coin decides)`, moment: 'either' },
    [`${name}-before`]: { ...kind, meaning: `${meaning}, before the effect` },
    [`${name}-after`]: { ...kind, meaning: `${meaning}, after the effect`, moment: 'after' },
  } satisfies Record<string, FaultKind>;
}

function waiting(status: number, as: 'seconds' | 'date', byDefault: number): FaultKind {
  return {
    meaning: `${status} with Retry-After ${as === 'date' ? 'as a date' : 'in seconds'}`,
    value: { unit: 'seconds', default: byDefault },
    status,
    asksToWait: (seconds) => seconds * 1000,
    play: (on, seconds) => on.answer(status, { 'retry-after': retryAfter(seconds, as, on.now) }),
  };
}

/** A date has whole seconds: rounded up, so that obeying it is never too early. */
function retryAfter(seconds: number, as: 'seconds' | 'date', now: number): string {
  if (as === 'seconds') return String(Math.ceil(seconds));
  return new Date(Math.ceil(now / 1000 + seconds) * 1000).toUTCString();
}

function late(reported: string, kind: Pick<FaultKind, 'status' | 'play'>): FaultKind {
  return {
    ...kind,
    meaning: `${reported}; the write is carried out so much later, also where the client has gone`,
    value: { unit: 'seconds', default: 10 },
    target: 'writes',
    isLate: true,
  };
}

/** Said to be done, and not done. */
function lie(reported: string, body: string, type = 'application/json', status: 200 | 207 = 200): FaultKind {
  return {
    meaning: `${reported}, and nothing is done`,
    target: 'puts',
    status,
    play: (on) => on.say(status, body, type),
  };
}

/** Other data behind the same address. */
function otherData(meaning: string, become: DataChange, value?: FaultKind['value']): FaultKind {
  return {
    meaning: `from this request on ${meaning}`,
    isOnce: true,
    value,
    play: (on, tickets) => {
      on.become(become, tickets);
      return undefined;
    },
  };
}

function trait(
  target: string,
  meaning: string,
  alters?: Alterations,
  unit?: FaultUnit,
  byDefault = 0,
): FaultKind {
  const value = unit === undefined ? undefined : { unit, default: byDefault };
  return { meaning, target, isTrait: true, alters, value };
}

const hiding =
  (sql: string) =>
  (filter: TicketFilter): TicketFilter => ({
    ...filter,
    hidden: [...(filter.hidden ?? []), { sql, values: [] }],
  });
const cut = (text: string, length: number) => text.slice(0, whole(length));
const whole = (value: number, least = 1) => Math.max(least, Math.floor(value));

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }),
);

export const FAULTS: Readonly<Record<string, FaultKind>> = {
  '429': waiting(429, 'seconds', 1),
  '429-date': waiting(429, 'date', 2),
  '503-retry-after': waiting(503, 'seconds', 1),
  ...Object.assign(
    {},
    ...[500, 502, 503, 504].map((status) =>
      eitherWay(String(status), `${status} without Retry-After`, { status, play: answers(status) }),
    ),
  ),
  ...eitherWay('reset', 'the connection is reset', { status: null, play: resets }),
  ...eitherWay('close', 'the connection is closed without an answer', { status: null, play: closes }),
  ...eitherWay('no-answer', 'an answer never comes', {
    status: null,
    play: (on) => on.breakOff('silence'),
  }),
  slow: {
    meaning: 'the answer comes late',
    moment: 'after',
    value: { unit: 'milliseconds', default: 1000 },
    play: async (on, ms) => {
      await on.wait(ms);
      return on.answered;
    },
  },
  truncated: {
    meaning: 'the answer ends in the middle',
    moment: 'after',
    play: (on) => on.truncate(),
  },
  garbage: {
    meaning: 'the answer is not JSON',
    moment: 'after',
    play: ({ answered: { status, headers } }) =>
      new Response('\u0000<html>{"ticket": {"id"', { status, headers }),
  },
  'token-expired': {
    meaning: '401, and an OAuth access token is valid no longer',
    status: 401,
    play: (on) => on.expireToken(),
  },
  'racy-contacts': {
    meaning: 'contacts are looked for, and created after a pause without looking again',
    value: { unit: 'milliseconds', default: 5 },
    play: (on, racyMs) => {
      on.tell({ racyMs });
      return undefined;
    },
  },
  ...Object.fromEntries(
    [400, 403, 404, 408, 409, 422, 425].map((status) => [
      String(status),
      { meaning: `${status}, without any effect`, status, play: answers(status) },
    ]),
  ),
  late: late('no answer before it is done', {}),
  'late-504': late('504 at once', { status: 504, play: answers(504) }),
  'late-503': late('503 at once', { status: 503, play: answers(503) }),
  'late-reset': late('the connection is reset at once', { status: null, play: resets }),
  'late-close': late('the connection is closed at once', { status: null, play: closes }),
  '200-error': lie('200 with {"error": …}', '{"error":"internal","message":"It failed."}'),
  '200-false': lie('200 with {"success": false}', '{"success":false}'),
  '200-empty': lie('200 with empty lists', '{"messages":[],"events":[]}'),
  '200-text': lie('200 with a line of text', 'OK', 'text/plain'),
  '200-page': lie('200 with a page', '<!doctype html><title>Sign in</title>', 'text/html'),
  '200-id-error': lie(
    '200 with an id that is of no ticket, and an error',
    '{"id":"req_1","error":"queue full"}',
  ),
  '207': lie('207', '{"results":[{"status":500}]}', 'application/json', 207),
  half: {
    meaning: 'only the first half of the list is kept, and the answer names only that half',
    target: 'puts',
    play: (on) => {
      on.tell({ isHalf: true });
      return undefined;
    },
  },
  emptied: otherData('all tickets are gone', 'emptied'),
  restored: otherData('only so many tickets are there, as from a backup', 'restored', {
    unit: 'tickets',
    default: 0,
  }),
  'other-workspace': otherData(
    'it is another organization, with other tickets under the same ids',
    'other-workspace',
  ),
  'list-lags': trait(
    'list',
    'lists show a ticket only so long after its create',
    { filter: (filter, seconds, now) => hiding(`tickets.received_ms <= ${now - seconds * 1000}`)(filter) },
    'seconds',
    5,
  ),
  'list-lags-tickets': trait(
    'list',
    'lists do not show the newest tickets',
    {
      filter: (filter, number) =>
        hiding(`tickets.seq <= (SELECT max(seq) FROM tickets) - ${whole(number, 0)}`)(filter),
    },
    'tickets',
    3,
  ),
  'list-hides': trait(
    'list',
    'lists leave out every nth ticket',
    { filter: (filter, number) => hiding(`tickets.seq % ${whole(number)} <> 0`)(filter) },
    'tickets',
    3,
  ),
  'list-hides-closed': trait('list', 'lists never show closed tickets', {
    filter: hiding("tickets.status <> 'closed'"),
  }),
  'list-empty': trait('list', 'lists show no ticket', { filter: hiding('0') }),
  'tags-ignored': trait('list', 'lists are not narrowed by tags', {
    filter: (filter) => ({ ...filter, tags: undefined }),
  }),
  'search-ignored': trait('list', 'lists are not narrowed by search', {
    filter: (filter) => ({ ...filter, search: undefined }),
  }),
  'no-total': trait('list', 'lists have no total'),
  'subjects-cut': trait('create', 'subjects are cut', { subject: cut }, 'characters', 40),
  'html-escaped': trait('content', 'subjects and messages are stored with & < > " as entities', {
    text: (text) => text.replace(/[&<>"']/g, (sign) => ENTITIES.get(sign) ?? sign),
  }),
  'emoji-dropped': trait('content', 'subjects and messages are stored without emoji', {
    text: (text) => text.replace(/\p{Extended_Pictographic}|\u{fe0f}|\u{200d}/gu, ''),
  }),
  'contacts-merged': trait('content', 'all addresses of one domain are one contact'),
  'times-rounded': trait(
    'writes',
    'times are rounded down',
    {
      time: (time, seconds) => {
        const unit = whole(seconds) * 1000;
        return new Date(Math.floor(Date.parse(time) / unit) * unit).toISOString();
      },
    },
    'seconds',
    60,
  ),
  'tags-dropped': trait('create', 'tickets are stored without tags', { tags: () => [] }),
  'tags-lowered': trait('create', 'tags are stored in lowercase', {
    tags: (tags) => tags.map((tag) => tag.toLowerCase()),
  }),
  'tags-cut': trait(
    'create',
    'tags are cut',
    { tags: (tags, length) => tags.map((tag) => cut(tag, length)) },
    'characters',
    12,
  ),
  'threads-paged': trait(
    'read',
    'threads come in pages',
    { pageSize: (_, size) => whole(size) },
    'messages',
    2,
  ),
  'texts-shortened': trait(
    'read',
    'threads show the beginning of a text, the whole in fullContent',
    { shown: (message, length) => shortened(message, whole(length)) },
    'characters',
    100,
  ),
  'texts-cut': trait(
    'read',
    'threads show the beginning of a text without a sign of the rest',
    {
      shown: ({ fullContent, ...message }, length) => ({
        ...message,
        content: cut(fullContent ?? message.content, length),
      }),
    },
    'characters',
    100,
  ),
  'mails-customers': trait(
    'content',
    'customers get mail of new tickets and of what agents write, through the SMTP server at this port of this machine',
    undefined,
    'port',
    2525,
  ),
  'events-append': trait('events', 'events are added to those that are there'),
};

/** As lists show a long text: its beginning in `content`, the whole in `fullContent`. */
export function shortened(message: MessageView, length: number): MessageView {
  const text = message.fullContent ?? message.content;
  return {
    ...message,
    content: text.length > length ? `${text.slice(0, length)}…` : text,
    fullContent: text,
  };
}

/** What a service is like for one request. */
export type Traits = ReadonlyMap<string, number>;

/** A part of a request or an answer as this service keeps or shows it. */
export function altered<P extends keyof Parts>(traits: Traits, part: P, value: Parts[P], now = 0): Parts[P] {
  let seen = value;
  for (const [name, number] of traits) {
    const alter = FAULTS[name]?.alters?.[part];
    if (alter !== undefined) seen = alter(seen, number, now);
  }
  return seen;
}

const WRITES: readonly RequestKind[] = ['create', 'update', 'messages', 'events', 'attachments'];
const READS: readonly RequestKind[] = ['list', 'read', 'agents', 'contacts', 'workspace'];
const API_KINDS = REQUEST_KINDS.filter((kind) => kind !== 'page');

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
  ['all', API_KINDS],
  ...API_KINDS.filter((kind) => kind !== 'other').map((kind): [string, readonly RequestKind[]] => [
    kind,
    [kind],
  ]),
]);
