/** The Core API (domain/ticket-api.ts) over HTTP. */
import { BOUNDS } from '../domain/limits.ts';
import type { Emit } from '../domain/ports.ts';
import { ApiFailure, type Snapshot, type TicketApi, type TicketQuery } from '../domain/ticket-api.ts';
import { normalizeApiPath, parseBaseUrl } from './address.ts';
import * as answers from './answers.ts';
import { GIVE_UP_AFTER_MS } from './backoff.ts';
import * as http from './http.ts';
import { failureOf, type ReplyKind, replyKind } from './meaning.ts';
import { type RequestStats, Sender, type SenderOptions } from './send.ts';
import { type ApiCredentials, createTokens } from './tokens.ts';

export interface CoreApiOptions
  extends Omit<http.TransportOptions, 'origin'>,
    Omit<SenderOptions, 'transport' | 'tokens' | 'probe' | 'emit'> {
  readonly baseUrl: string;
  readonly transport?: http.Transport | undefined;
  /** Default `/api/core/v1` (4.1). */
  readonly apiPath?: string | undefined;
  readonly credentials: ApiCredentials;
  readonly emit?: Emit | undefined;
  readonly maxPages?: number | undefined;
}

export interface CoreApi extends TicketApi, AsyncDisposable {
  readonly stats: Readonly<RequestStats>;
  /** The new refresh token is lost with this process. */
  readonly unsavedRefreshToken: boolean;
  /** One read without waiting and repeats. Throws ApiFailure without a token. */
  probe(signal: AbortSignal): Promise<http.Reply>;
  /** Resolves with the caller's name. Throws ApiFailure `auth` and `unreachable`. */
  greet(signal: AbortSignal): Promise<{ readonly name?: string | undefined }>;
  /** With a token that may be used for nothing else yet. */
  readToCheck(ticketId: string, signal: AbortSignal): Promise<Snapshot>;
  channels(signal: AbortSignal): Promise<Snapshot[] | undefined>;
  agents(signal: AbortSignal): Promise<Snapshot[] | undefined>;
  /** POST /attachments (public facts): where to put the bytes of a file. */
  announceFile(
    filename: string,
    contentType: string,
    signal: AbortSignal,
  ): Promise<{ readonly signedUrl: string; readonly downloadUrl: string }>;
}

const PAGE_SIZE = 100;
const mostBytes = BOUNDS.jsonRecord.most;
const MAX_PAGES_OF_FIELDS = 50_000;

interface ListCall extends Pick<TicketQuery, 'most' | 'fields'> {
  readonly path: string;
  readonly key: string;
  readonly what: string;
  readonly mostBytes?: number;
  readonly query?: URLSearchParams;
}

export function createCoreApi(options: CoreApiOptions): CoreApi {
  const client = createClient(options);
  const { tokens, transport, sender, probe } = client;
  return {
    ...writesOf(client),
    ...listsOf(client),
    ...readsOf(client),
    probe: (signal) => sender.once(probe, signal),
    greet: (signal) => greet(client, signal),
    stats: sender.stats,
    get unsavedRefreshToken() {
      return tokens.unsavedRefreshToken;
    },
    async [Symbol.asyncDispose]() {
      tokens.close();
      await transport.close();
    },
  };
}

type Client = ReturnType<typeof createClient>;
type Ask = Omit<http.ApiRequest, 'body' | 'attempt'> & { body?: unknown; what: string };

/** Requests and their answers, beneath the calls of the API. */
function createClient(options: CoreApiOptions) {
  const { emit = () => {} } = options;
  const base = parseBaseUrl(options.baseUrl);
  const root = base.prefix + normalizeApiPath(options.apiPath ?? '/api/core/v1');
  const tokens = createTokens(options.credentials, { ...options, emit });
  const { transport = http.createTransport({ ...options, origin: base.origin }) } = options;
  const probe = { kind: 'read', method: 'GET', path: `${root}/tickets?take=1`, attempt: 1 } as const;
  const { exchange } = transport;
  const sending = { ...options, address: base.href, transport: exchange, tokens, emit, probe };
  const sender = new Sender(sending);

  /** `read` gives what the caller needs, or undefined if the answer lacks it. */
  async function ask<T>(
    { path, body, what, ...how }: Ask,
    signal: AbortSignal,
    read: (answer: http.Answer) => T | undefined,
  ): Promise<T> {
    let value: T | undefined;
    const isRead = (answer: http.Answer) => {
      value = read(answer);
      return value !== undefined;
    };
    const json = body === undefined ? undefined : JSON.stringify(body);
    const ending = await sender.call({ ...how, path: root + path, body: json, attempt: 1 }, isRead, signal);
    if (ending.responseKind === 'success') return value as T;
    throw failureOf(ending, { kind: how.kind, what, secrets: tokens.secrets(), address: base.href });
  }

  const get = <T>(
    path: string,
    what: string,
    read: (answer: http.Answer) => T | undefined,
    signal: AbortSignal,
    mostBytes?: number,
  ): Promise<T> => ask({ kind: 'read', method: 'GET', path, what, mostBytes }, signal, read);

  return { ask, get, sender, tokens, transport, probe, root, base, options };
}

/** Lists that took several pages, which may move while they are read. */
const isPaged = new WeakSet<readonly Snapshot[]>();

/** Throws ApiFailure for an endless or incomplete list. */
async function list({ get, options }: Client, call: ListCall, signal: AbortSignal): Promise<Snapshot[]> {
  const { clock, giveUpAfterMs = GIVE_UP_AFTER_MS, maxPages = BOUNDS.pages.most } = options;
  const { path, key, what, mostBytes, query = new URLSearchParams(), fields } = call;
  const { most = Number.POSITIVE_INFINITY } = call;
  const isOfTickets = key === 'tickets';
  const all: Snapshot[] = [];
  const cursors = new Set<string>();
  const ids = new Set<string>();
  const until = clock.monotonic() + giveUpAfterMs;
  let bytes = 0;
  let total: number | undefined;
  for (let pages = 0; pages < (fields === undefined ? maxPages : MAX_PAGES_OF_FIELDS); pages++) {
    const read = (answer: http.Answer) => {
      bytes += answer.body.length;
      return answers.pageOf(answer, key, isOfTickets);
    };
    const address = query.size === 0 ? path : `${path}?${query}`;
    const page: answers.Page = await get(address, what, read, signal, mostBytes);
    for (const item of page.items) all.push(fields === undefined ? item : only(item, fields));
    total ??= page.total;
    const { cursor } = page;
    if (all.length >= most || (cursor === undefined && isOfTickets)) return all;
    if (cursor === undefined) {
      const found = distinct(all);
      if (pages > 0) isPaged.add(found);
      if (found.length >= (total ?? 0)) return found;
      throw unread(`Reading ${what} gave ${found.length} of ${total}.`);
    }
    // Two pages without anything new: the list has no end.
    const isKnown = page.items.length > 0 && page.items.every(({ id }) => id !== '' && ids.has(id));
    const isTooMuch = fields === undefined && (bytes > BOUNDS.list.most || clock.monotonic() > until);
    if (cursors.has(cursor) || isKnown || isTooMuch) break;
    for (const { id } of page.items) ids.add(id);
    cursors.add(cursor);
    query.set('cursor', cursor);
  }
  throw unread(`Reading ${what} never ended: the helpdesk keeps returning further pages.`);
}

const ofTicket = (id: string, part = '') => `/tickets/${segment(id)}${part}`;

function writesOf(
  client: Client,
): Pick<CoreApi, 'createTicket' | 'replaceMessages' | 'replaceEvents' | 'updateTicket' | 'announceFile'> {
  const { ask } = client;
  return {
    createTicket(ticket, signal, wire) {
      if (wire !== undefined) wire.mayHaveArrived = false;
      const what = 'the ticket';
      const post = { kind: 'create', method: 'POST', path: '/tickets', body: ticket, what, wire } as const;
      return ask(post, signal, answers.createdTicket);
    },

    replaceMessages(id, body, signal, wire) {
      if (wire !== undefined) wire.mayHaveArrived = false;
      const [path, what] = [ofTicket(id, '/messages'), 'the messages'];
      const put = { kind: 'replace', method: 'PUT', path, body, what, wire, mostBytes } as const;
      return ask(put, signal, (answer) => answers.putReceipt(answer, body.length, 'messages'));
    },

    replaceEvents(id, body, signal, wire) {
      const [path, what] = [ofTicket(id, '/events'), 'the events'];
      const put = { kind: 'replace', method: 'PUT', path, body, what, wire, mostBytes } as const;
      return ask(put, signal, (answer) => answers.putReceipt(answer, body.length, 'events'));
    },

    updateTicket(id, body, signal, wire) {
      const [path, what] = [ofTicket(id), `fields of ticket ${id}`];
      const put = { kind: 'replace', method: 'PUT', path, body, what, wire } as const;
      return ask(put, signal, answers.changedTicket);
    },

    announceFile(filename, contentType, signal) {
      const body = { filename, contentType };
      const what = `an address for the file ${filename}`;
      const post = { kind: 'repeatable', method: 'POST', path: '/attachments', body, what } as const;
      return ask(post, signal, answers.announcedFile);
    },
  };
}

function listsOf(
  client: Client,
): Pick<
  CoreApi,
  'findTickets' | 'countTickets' | 'whoIs' | 'channels' | 'agents' | 'findAgent' | 'findContacts'
> {
  const { get } = client;
  const listOf = (key: string, what: string, signal: AbortSignal) =>
    optional(list(client, { path: `/${key}`, key, what }, signal));
  return {
    findTickets({ most, fields, ...asked }, signal) {
      const query = ticketQuery(asked, PAGE_SIZE);
      const what = 'the list of tickets';
      return list(client, { path: '/tickets', key: 'tickets', what, query, most, fields }, signal);
    },

    async countTickets(asked, signal) {
      const path = `/tickets?${ticketQuery(asked, 1)}`;
      return (await get(path, 'the list of tickets', answers.totalOf, signal)).total;
    },

    async whoIs(signal) {
      const asked = (path: string, what: string) =>
        optional(
          get(path, what, (answer) => answers.organizationIn(answer, path === '/organization'), signal),
        );
      const organization = await asked('/organization', 'the organization');
      return organization?.id ?? (await asked('/me', 'the owner of the token'))?.id;
    },

    channels: (signal) => listOf('channels', 'the channels', signal),

    agents: (signal) => listOf('agents', 'the list of agents', signal),

    async findAgent(address, signal) {
      const email = address.trim().toLowerCase();
      const [query, what] = [new URLSearchParams({ email }), 'the list of agents'];
      const agents = await list(client, { path: '/agents', key: 'agents', what, query }, signal);
      // A service without this parameter lists everybody.
      const found = agents.find(
        ({ email: own }) => typeof own === 'string' && own.trim().toLowerCase() === email,
      );
      return found?.id || undefined;
    },

    findContacts(emails, signal) {
      const query = new URLSearchParams({ take: String(PAGE_SIZE) });
      for (const email of emails) query.append('email', email);
      const what = 'the list of contacts';
      return list(client, { path: '/contacts', key: 'contacts', what, query, most: PAGE_SIZE }, signal);
    },
  };
}

function readsOf(
  client: Client,
): Pick<CoreApi, 'readTicket' | 'readToCheck' | 'readMessages' | 'readMessage' | 'readEvents'> {
  const { ask, get } = client;
  return {
    readTicket: (id, signal) => get(ofTicket(id), `ticket ${id}`, answers.oneTicket, signal),

    readToCheck(id, signal) {
      const what = `ticket ${id}`;
      const read = { kind: 'read', method: 'GET', path: ofTicket(id), what, isCheck: true } as const;
      return ask(read, signal, answers.oneTicket);
    },

    async readMessages(id, signal) {
      const path = ofTicket(id, '/messages');
      const what = `the messages of ticket ${id}`;
      const read = () => list(client, { path, key: 'messages', what, mostBytes }, signal);
      const shown = (all: readonly Snapshot[]) => all.map((each) => each.id).join('\n');
      let now = await read();
      // Pages may move while they are read.
      for (let tries = 1; isPaged.has(now); tries++) {
        const again = await read();
        if (shown(again) === shown(now)) break;
        if (tries === 3) throw unread(`${what} kept changing while they were read`);
        now = again;
      }
      return now.map(answers.whole);
    },

    readMessage: (id, messageId, signal) =>
      get(
        ofTicket(id, `/messages/${segment(messageId)}`),
        `a message of ticket ${id}`,
        answers.oneMessage,
        signal,
      ),

    readEvents: (id, signal) =>
      list(
        client,
        { path: ofTicket(id, '/events'), key: 'events', what: `the events of ticket ${id}` },
        signal,
      ),
  };
}

async function greet(
  { sender, probe, base, root, tokens }: Client,
  signal: AbortSignal,
): ReturnType<CoreApi['greet']> {
  const reply = await sender.once(probe, signal);
  const responseKind = greetingKind(reply, base.origin);
  if (STOPS.has(responseKind)) {
    const ending = { reply, responseKind, mayHaveArrived: false, attempts: 1 };
    const secrets = tokens.secrets();
    throw failureOf(ending, { kind: 'read', what: 'the list of tickets', secrets, address: base.href });
  }
  if (responseKind !== 'success') return {};
  for (const path of ['/organization', '/me']) {
    const reply = await sender.once({ ...probe, path: root + path }, signal);
    const name = reply.type === 'answer' && reply.status === 200 ? answers.nameOfCaller(reply) : undefined;
    if (name !== undefined) return { name };
  }
  return {};
}

const STOPS: ReadonlySet<ReplyKind> = new Set([
  'not-connected',
  'hopeless',
  'proxy-login',
  'unauthorized',
  'redirected',
  'unreadable',
]);

function greetingKind(reply: http.Reply, origin: string): ReplyKind {
  // Another protocol: it will not change.
  if (reply.type === 'breakdown' && reply.code?.startsWith('HPE_') === true) return 'hopeless';
  const kind = replyKind(reply, 'read', answers.noPage);
  if (reply.type !== 'answer' || kind !== 'not-readable') return kind;
  const elsewhere = URL.parse(http.headerOf(reply, 'location') ?? '', origin)?.origin ?? origin;
  return reply.status < 400 && elsewhere !== origin ? 'redirected' : kind;
}

function unread(message: string): ApiFailure {
  return new ApiFailure('unknown-outcome', 'none', message);
}

/** Pages that move while they are read may show one element twice. */
function distinct(items: readonly Snapshot[]): Snapshot[] {
  const seen = new Set<string>();
  return items.filter(({ id }) => id === '' || (!seen.has(id) && seen.add(id)));
}

function only(ticket: Snapshot, fields: readonly string[]): Snapshot {
  return { id: ticket.id, ...Object.fromEntries(fields.map((field) => [field, ticket[field]])) };
}

function segment(text: string): string {
  return /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%2E') : encodeURIComponent(text.toWellFormed());
}

function ticketQuery({ search, tags = [], updatedSince }: TicketQuery, take: number): URLSearchParams {
  const query = new URLSearchParams();
  if (updatedSince !== undefined) query.set('minUpdatedAt', new Date(updatedSince).toISOString());
  if (search !== undefined) query.set('search', search);
  if (tags.length > 0) query.set('tags', tags.join(','));
  query.set('take', String(take));
  return query;
}

/** Undefined if refused or failed. */
export async function optional<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isUnread(error)) return undefined;
    throw error;
  }
}

export function isUnread(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && UNREAD.has(error.code);
}

export function isGone(error: unknown): boolean {
  return error instanceof ApiFailure && (error.status === 404 || error.status === 410);
}

const UNREAD: ReadonlySet<string> = new Set(['target-unreadable', 'refused', 'unknown-outcome']);
