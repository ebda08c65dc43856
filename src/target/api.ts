/** The Core API as the import needs it (domain/ticket-api.ts), over HTTP. */
import { BOUNDS } from '../domain/limits.ts';
import type { Emit } from '../domain/run-events.ts';
import {
  ApiFailure,
  type OnWire,
  type Snapshot,
  type TicketApi,
  type TicketQuery,
} from '../domain/ticket-api.ts';
import { normalizeApiPath, parseBaseUrl } from './address.ts';
import {
  announcedFile,
  changedTicket,
  createdTicket,
  nameOfCaller,
  noPage,
  oneMessage,
  oneTicket,
  organizationIn,
  organizationOfCaller,
  type Page,
  pageOf,
  putReceipt,
  totalOf,
  whole,
} from './answers.ts';
import { GIVE_UP_AFTER_MS } from './backoff.ts';
import { type CallsOptions, composeCalls, type RequestStats } from './calls.ts';
import {
  type Answer,
  type ApiRequest,
  createTransport,
  headerOf,
  type Reply,
  type TransportOptions,
} from './http.ts';
import { failureOf, type ReplyKind, replyKind } from './meaning.ts';
import { type ApiCredentials, createTokens } from './tokens.ts';

export interface CoreApiOptions
  extends Omit<TransportOptions, 'origin'>,
    Omit<CallsOptions, 'transport' | 'tokens' | 'probe' | 'emit'> {
  readonly baseUrl: string;
  /** Default `/api/core/v1` (4.1); `target.apiPath`. */
  readonly apiPath?: string | undefined;
  readonly credentials: ApiCredentials;
  readonly emit?: Emit | undefined;
  readonly maxPages?: number | undefined;
}

export interface CoreApi extends TicketApi {
  readonly stats: Readonly<RequestStats>;
  /** True when the service replaced the refresh token and the new one is lost with this process. */
  readonly unsavedRefreshToken: boolean;
  /**
   * One read of the first ticket without waiting and without repeats, for `doctor`: whatever comes back, or the
   * breakdown. Throws ApiFailure when no token is to be had.
   */
  probe(signal: AbortSignal): Promise<Reply>;
  /**
   * The first question to a target, one read without waiting and without repeats: is it there, and does it take the token? Resolves
   * with the name of the organization or of the token's owner, where the target tells one. Throws ApiFailure `auth` and
   * `unreachable`; whatever else comes back is left to the calls that need more.
   */
  greet(signal: AbortSignal): Promise<{ readonly name?: string | undefined }>;
  /** GET /contacts?email=, a handful of addresses: those that it has; more, or all, where it does not heed them. */
  findContacts(emails: readonly string[], signal: AbortSignal): Promise<Snapshot[]>;
  /** GET /channels, if the target has it. */
  channels(signal: AbortSignal): Promise<Snapshot[] | undefined>;
  /** GET /agents without an address: the whole team, if the target lists it. */
  agents(signal: AbortSignal): Promise<Snapshot[] | undefined>;
  /** POST /attachments (public facts): where the bytes of a file are to be put. May be repeated. */
  announceFile(
    filename: string,
    contentType: string,
    signal: AbortSignal,
  ): Promise<{ readonly signedUrl: string; readonly downloadUrl: string }>;
  /** Ends all connections. Calls under way break down. */
  close(): Promise<void>;
}

const DEFAULT_API_PATH = '/api/core/v1';
const PAGE_SIZE = 100;
const MAX_PAGES = BOUNDS.pages.most;
/** Where only some fields of each ticket are kept. */
const MAX_PAGES_OF_FIELDS = 50_000;
/** Of all pages of one list together. */
const MAX_LIST_BYTES = BOUNDS.list.most;

/** Throws AppError `configuration` when the address or the credentials cannot be right. Opens no connection. */
export function createCoreApi(options: CoreApiOptions): CoreApi {
  const { emit = () => {} } = options;
  const base = parseBaseUrl(options.baseUrl);
  const root = base.prefix + normalizeApiPath(options.apiPath ?? DEFAULT_API_PATH);
  const tokens = createTokens(options.credentials, { ...options, emit });
  const transport = createTransport({ ...options, origin: base.origin });
  const probeRequest = { kind: 'read', method: 'GET', path: `${root}/tickets?take=1`, attempt: 1 } as const;
  const { call, once, stats } = composeCalls({
    ...options,
    address: base.href,
    transport: transport.exchange,
    tokens,
    emit,
    probe: probeRequest,
  });

  /** One call: `read` gives what the caller needs of the answer, or undefined where it is not in it. */
  function ask<T>(
    request: Pick<ApiRequest, 'kind' | 'method' | 'path' | 'wire'> & { body?: unknown; what: string },
    signal: AbortSignal,
    read: (answer: Answer) => T | undefined,
  ): Promise<T> {
    const { kind, method, path, body, what, wire } = request;
    let value: T | undefined;
    const first = { kind, method, path: root + path, attempt: 1, wire };
    return call(
      body === undefined ? first : { ...first, body: JSON.stringify(body) },
      (answer) => {
        value = read(answer);
        return value !== undefined;
      },
      signal,
    ).then((ending) => {
      if (ending.responseKind === 'success') return value as T;
      throw failureOf(ending, { kind, what, secrets: tokens.secrets() });
    });
  }

  const get = <T>(
    path: string,
    what: string,
    read: (answer: Answer) => T | undefined,
    signal: AbortSignal,
  ): Promise<T> => ask({ kind: 'read', method: 'GET', path, what }, signal, read);

  const put = (
    ticketId: string,
    part: 'messages' | 'events',
    body: readonly unknown[],
    signal: AbortSignal,
    wire?: OnWire,
  ) =>
    ask(
      {
        kind: 'append',
        method: 'PUT',
        path: `/tickets/${segment(ticketId)}/${part}`,
        body,
        what: `the ${part}`,
        wire,
      },
      signal,
      (answer) => putReceipt(answer, body.length, part),
    );

  async function list(
    path: string,
    query: URLSearchParams,
    key: string,
    what: string,
    signal: AbortSignal,
    { most = Number.POSITIVE_INFINITY, fields }: Pick<TicketQuery, 'most' | 'fields'> = {},
  ): Promise<Snapshot[]> {
    const all: Snapshot[] = [];
    const cursors = new Set<string>();
    const ids = new Set<string>();
    const until = options.clock.monotonic() + (options.giveUpAfterMs ?? GIVE_UP_AFTER_MS);
    const mostPages = fields === undefined ? (options.maxPages ?? MAX_PAGES) : MAX_PAGES_OF_FIELDS;
    let bytes = 0;
    let total: number | undefined;
    for (let pages = 0; pages < mostPages; pages++) {
      const text = query.toString();
      const page: Page = await get(
        text === '' ? path : `${path}?${text}`,
        what,
        (answer) => {
          bytes += answer.body.length;
          return pageOf(answer, key, key === 'tickets');
        },
        signal,
      );
      for (const item of page.items) all.push(fields === undefined ? item : only(item, fields));
      total ??= page.total;
      const { cursor } = page;
      if (all.length >= most || (cursor === undefined && key === 'tickets')) return all;
      if (cursor === undefined) {
        const read = distinct(all);
        if (read.length >= (total ?? 0)) return read;
        throw unread(`Reading ${what} gave ${read.length} of ${total}.`);
      }
      // A page that shows nothing new, and one more of too many: there is no end to wait for.
      const isKnown = page.items.length > 0 && page.items.every(({ id }) => id !== '' && ids.has(id));
      const isTooMuch = fields === undefined && (bytes > MAX_LIST_BYTES || options.clock.monotonic() > until);
      if (cursors.has(cursor) || isKnown || isTooMuch) break;
      for (const { id } of page.items) ids.add(id);
      cursors.add(cursor);
      query.set('cursor', cursor);
    }
    throw unread(`Reading ${what} never ended: the target keeps returning further pages.`);
  }

  const api: CoreApi = {
    createTicket(ticket, signal, wire) {
      if (wire !== undefined) wire.mayHaveArrived = false;
      return ask(
        { kind: 'create', method: 'POST', path: '/tickets', body: ticket, what: 'the ticket', wire },
        signal,
        createdTicket,
      );
    },

    replaceMessages(ticketId, messages, signal, wire) {
      if (wire !== undefined) wire.mayHaveArrived = false;
      // Callers read before they send them again: people may have answered meanwhile.
      return put(ticketId, 'messages', messages, signal, wire);
    },

    replaceEvents: (ticketId, events, signal) => put(ticketId, 'events', events, signal),

    updateTicket: (ticketId, changes, signal) =>
      ask(
        {
          kind: 'put',
          method: 'PUT',
          path: `/tickets/${segment(ticketId)}`,
          body: changes,
          what: `fields of ticket ${ticketId}`,
        },
        signal,
        changedTicket,
      ),

    findTickets: (query, signal) =>
      list('/tickets', ticketQuery(query, PAGE_SIZE), 'tickets', 'the list of tickets', signal, query),

    async countTickets(query, signal) {
      const path = `/tickets?${ticketQuery(query, 1)}`;
      return (await get(path, 'the list of tickets', totalOf, signal)).total;
    },

    async whoIs(signal) {
      const organization = await optional(get('/organization', 'the organization', organizationIn, signal));
      return (
        organization ?? (await optional(get('/me', 'the owner of the token', organizationOfCaller, signal)))
      )?.id;
    },

    channels: async (signal) =>
      optional(list('/channels', new URLSearchParams(), 'channels', 'the channels', signal)),

    agents: async (signal) =>
      optional(list('/agents', new URLSearchParams(), 'agents', 'the list of agents', signal)),

    readTicket: (ticketId, signal) =>
      get(`/tickets/${segment(ticketId)}`, `ticket ${ticketId}`, oneTicket, signal),

    async readMessages(ticketId, signal) {
      const path = `/tickets/${segment(ticketId)}/messages`;
      const what = `the messages of ticket ${ticketId}`;
      return (await list(path, new URLSearchParams(), 'messages', what, signal)).map(whole);
    },

    readMessage: (ticketId, messageId, signal) =>
      get(
        `/tickets/${segment(ticketId)}/messages/${segment(messageId)}`,
        `a message of ticket ${ticketId}`,
        oneMessage,
        signal,
      ),

    readEvents: (ticketId, signal) =>
      list(
        `/tickets/${segment(ticketId)}/events`,
        new URLSearchParams(),
        'events',
        `the events of ticket ${ticketId}`,
        signal,
      ),

    async findAgent(email, signal) {
      const wanted = email.trim().toLowerCase();
      const query = new URLSearchParams({ email: wanted });
      const agents = await list('/agents', query, 'agents', 'the list of agents', signal);
      // A service that does not know the parameter answers with everybody.
      const agent = agents.find(
        ({ email: own }) => typeof own === 'string' && own.trim().toLowerCase() === wanted,
      );
      return agent === undefined || agent.id === '' ? undefined : agent.id;
    },

    findContacts(emails, signal) {
      const query = new URLSearchParams({ take: String(PAGE_SIZE) });
      for (const email of emails) query.append('email', email);
      return list('/contacts', query, 'contacts', 'the list of contacts', signal, { most: PAGE_SIZE });
    },

    announceFile: (filename, contentType, signal) =>
      ask(
        {
          kind: 'put',
          method: 'POST',
          path: '/attachments',
          body: { filename, contentType },
          what: `an address for the file ${filename}`,
        },
        signal,
        announcedFile,
      ),

    probe: (signal) => once(probeRequest, signal),

    async greet(signal) {
      const reply = await once(probeRequest, signal);
      const kind = greetingKind(reply, base.origin);
      if (STOPS.has(kind)) {
        const what = 'the list of tickets';
        const ending = { reply, responseKind: kind, mayHaveArrived: false, attempts: 1 } as const;
        throw failureOf(ending, { kind: 'read', what, secrets: tokens.secrets() });
      }
      if (kind !== 'success') return {};
      for (const path of ['/organization', '/me']) {
        const told = await once({ ...probeRequest, path: root + path }, signal);
        const name = told.type === 'answer' && told.status === 200 ? nameOfCaller(told) : undefined;
        if (name !== undefined) return { name };
      }
      return {};
    },

    stats,
    get unsavedRefreshToken() {
      return tokens.unsavedRefreshToken;
    },
    async close() {
      tokens.close();
      await transport.close();
    },
  };
  return api;
}

/** Every other request would end like this one. */
const STOPS: ReadonlySet<ReplyKind> = new Set([
  'not-connected',
  'hopeless',
  'proxy-login',
  'unauthorized',
  'redirected',
  'unreadable',
]);

function greetingKind(reply: Reply, origin: string): ReplyKind {
  // What speaks another protocol will go on to.
  if (reply.type === 'breakdown' && reply.code?.startsWith('HPE_') === true) return 'hopeless';
  const kind = replyKind(reply, 'read', noPage);
  if (reply.type !== 'answer' || kind !== 'not-readable') return kind;
  const elsewhere = URL.parse(headerOf(reply, 'location') ?? '', origin)?.origin ?? origin;
  return reply.status < 400 && elsewhere !== origin ? 'redirected' : kind;
}

function unread(message: string): ApiFailure {
  return new ApiFailure('unknown-outcome', 'none', message);
}

/** Pages that moved on while they were read may show one element twice. */
function distinct(items: readonly Snapshot[]): Snapshot[] {
  const seen = new Set<string>();
  return items.filter(({ id }) => id === '' || (!seen.has(id) && seen.add(id)));
}

function only(ticket: Snapshot, fields: readonly string[]): Snapshot {
  return { id: ticket.id, ...Object.fromEntries(fields.map((field) => [field, ticket[field]])) };
}

/** One part of a path. Dots alone would be taken for steps upwards. */
function segment(text: string): string {
  return /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%2E') : encodeURIComponent(text.toWellFormed());
}

function ticketQuery({ search, tags }: TicketQuery, take: number): URLSearchParams {
  const query = new URLSearchParams();
  if (search !== undefined) query.set('search', search);
  if (tags !== undefined && tags.length > 0) query.set('tags', tags.join(','));
  query.set('take', String(take));
  return query;
}

/** What is not promised and not needed: undefined where it is refused or fails. */
async function optional<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiFailure && NOT_REPORTED.has(error.code)) return undefined;
    throw error;
  }
}

const NOT_REPORTED: ReadonlySet<string> = new Set(['target-unreadable', 'refused', 'unknown-outcome']);
