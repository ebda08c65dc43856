/** An unfair helpdesk, written from the specification alone; tests may exchange its `UnfairWays`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Json = Record<string, unknown>;

export interface HeldMessage extends Json {
  readonly id: string;
}

export interface HeldTicket {
  readonly id: string;
  /** As it arrived; what the helpdesk keeps of it is `kept`. */
  readonly sent: Json;
  kept: Json;
  messages: HeldMessage[];
  events: HeldMessage[];
  /** When the create had its effect, milliseconds since the epoch. */
  readonly madeAt: number;
}

/** The reply to a client: a made-up one, the true one, or how the connection ends. */
export type Reply =
  | 'truth'
  | 'reset'
  | 'close'
  | 'silence'
  | {
      readonly status: number;
      readonly body?: string | Json | readonly unknown[];
      readonly type?: string;
      readonly headers?: Record<string, string>;
    };

export interface Behaviour {
  readonly reported: Reply;
  /** When it has its effect: at once, so many milliseconds later (even if the client is gone), or never. */
  readonly effect: 'now' | 'never' | number;
  /** Milliseconds from the effect to the answer. */
  readonly after?: number | undefined;
}

export interface UnfairWays {
  /** Of the n-th create since the start, from 1; nothing said: done and answered. */
  create?: ((nth: number, body: Json) => Behaviour | undefined) | undefined;
  put?: ((part: 'messages' | 'events', nth: number, ticketId: string) => Behaviour | undefined) | undefined;
  /** Right after a create had its effect, before its answer leaves. */
  created?: ((ticket: HeldTicket) => void) | undefined;
  /** An answer, or a status alone, in the place of what was to be read. */
  read?: ((path: string) => Reply | number | undefined) | undefined;
  /** What is kept of a ticket that arrives. */
  keep?: ((body: Json) => Json) | undefined;
  /** What a list shows of what it should show. */
  shown?: ((tickets: readonly HeldTicket[], now: number) => readonly HeldTicket[]) | undefined;
  tagsFilter?: boolean | undefined;
  searchFilter?: boolean | undefined;
  total?: boolean | undefined;
  organization?: boolean | undefined;
  eventsAppend?: boolean | undefined;
  /** False: no such call. `ignored`: it shows everybody, whatever address is asked for. */
  contacts?: false | 'ignored' | undefined;
  /** The status of each upload of a file; without it there is no such call. */
  upload?: (() => number) | undefined;
  /** Messages to a page of a thread. */
  threadPage?: number | undefined;
  /** Threads show so many characters; `fullContent` adds the whole text. */
  shortenTo?: number | undefined;
  fullContent?: boolean | undefined;
  /** What is kept of a list of messages or events. */
  keepList?: (<T>(part: 'messages' | 'events', list: readonly T[]) => readonly T[]) | undefined;
  /** What a PUT of messages or events is answered with that was done; the list itself. */
  putAnswer?: ((part: 'messages' | 'events', list: readonly HeldMessage[]) => Reply) | undefined;
}

export interface Workspace {
  readonly organization: { readonly id: string; readonly name: string };
  tickets: Map<string, HeldTicket>;
  /** Customers by their normalized address (2.5). */
  contacts: Map<string, { readonly id: string; readonly email: string; name?: string | undefined }>;
  /** The number of the ticket that comes next: ids ascend, as databases do. */
  next: number;
  /** As many messages and events as there ever were: their ids. */
  parts: number;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body: unknown;
  readonly at: number;
}

export interface UnfairTarget {
  readonly url: string;
  readonly env: Record<string, string>;
  readonly ways: UnfairWays;
  readonly seen: SeenRequest[];
  readonly workspace: Workspace;
  /** The first token is refused from now on, and this one is taken. */
  rotate(token: string, workspace: Workspace): void;
  /** Another token at the same address, with a workspace of its own. */
  addWorkspace(token: string): Workspace;
  /** From now on the first token leads there. */
  replaceWorkspace(workspace: Workspace): void;
  /** A copy as a backup has it. */
  backup(): Workspace;
  /** Tickets that arrived, by the subject that was sent. */
  bySubject(workspace?: Workspace): Map<string, HeldTicket[]>;
  close(): Promise<void>;
}

export const TOKEN = 'token-of-the-first-workspace';
const PREFIX = '/api/core/v1';

export async function startUnfairTarget(ways: UnfairWays = {}): Promise<UnfairTarget> {
  const workspaces = new Map<string, Workspace>([[TOKEN, emptyWorkspace('org-1')]]);
  const seen: SeenRequest[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const counts = { create: 0, messages: 0, events: 0 };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      answer(response, { status: 500, body: { error: 'defect', message: String(error) } });
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    const url = new URL(request.url ?? '/', 'http://target');
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const text = await bodyOf(request);
    if (method === 'PUT' && url.pathname.startsWith('/uploads/'))
      return answer(response, { status: ways.upload?.() ?? 404, body: {} });
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    const path = url.pathname.startsWith(PREFIX) ? url.pathname.slice(PREFIX.length) : '';
    seen.push({ method, path: path + url.search, token, body, at: Date.now() });
    const workspace = workspaces.get(token);
    if (workspace === undefined) return answer(response, refusal(401, 'invalid_token'));
    if (method === 'GET') return answer(response, readOf(workspace, path, url.searchParams));
    if (method === 'POST' && path === '/tickets') return create(workspace, body as Json, response);
    if (method === 'POST' && path === '/attachments' && ways.upload !== undefined) {
      const at = `http://${request.headers.host}`;
      const file = { signedUrl: `${at}/uploads/${seen.length}`, downloadUrl: `${at}/files/${seen.length}` };
      return answer(response, { status: 201, body: file });
    }
    const [, ticketId = '', part] = /^\/tickets\/([^/]+)\/(messages|events)$/.exec(path) ?? [];
    if (method === 'PUT' && (part === 'messages' || part === 'events'))
      return put(workspace, decodeURIComponent(ticketId), part, body as Json[], response);
    const ticket = workspace.tickets.get(/^\/tickets\/([^/]+)$/.exec(path)?.[1] ?? '');
    if (method !== 'PUT' || ticket === undefined) return answer(response, refusal(404, 'not_found'));
    const changes = body as Json;
    ticket.kept = { ...ticket.kept, ...(('tags' in changes && ways.keep?.(changes)) || changes) };
    return answer(response, { status: 200, body: { ticket: viewOf(ticket) } });
  }

  function create(workspace: Workspace, body: Json, response: ServerResponse): void {
    counts.create += 1;
    const behaviour = ways.create?.(counts.create, body) ?? { reported: 'truth', effect: 'now' };
    happen(behaviour, response, () => {
      const id = `tkt-${workspace.next}`;
      workspace.next += 1;
      const kept = { ...(ways.keep?.(body) ?? body) };
      const ticket = { id, sent: body, kept, messages: [], events: [], madeAt: Date.now() };
      workspace.tickets.set(id, ticket);
      matchContact(workspace, kept['contact']);
      ways.created?.(ticket);
      return { status: 201, body: { ticket: viewOf(ticket) } };
    });
  }

  function put(
    workspace: Workspace,
    ticketId: string,
    part: 'messages' | 'events',
    body: readonly Json[],
    response: ServerResponse,
  ): void {
    counts[part] += 1;
    const behaviour = ways.put?.(part, counts[part], ticketId) ?? { reported: 'truth', effect: 'now' };
    happen(behaviour, response, () => {
      const ticket = workspace.tickets.get(ticketId);
      if (ticket === undefined) return refusal(404, 'not_found');
      const withIds = (ways.keepList?.(part, body) ?? body).map((element): HeldMessage => {
        workspace.parts += 1;
        const before = ticket.messages.find(({ id }) => id === element['id']);
        return { ...before, ...element, id: before?.id ?? `part-${workspace.parts}` };
      });
      ticket[part] =
        part === 'events' && ways.eventsAppend === true ? [...ticket.events, ...withIds] : withIds;
      return ways.putAnswer?.(part, withIds) ?? { status: 200, body: { [part]: withIds } };
    });
  }

  const later = (most: number, act: () => void) => void timers.add(setTimeout(act, most));

  function happen({ reported, effect: moment, after = 0 }: Behaviour, to: ServerResponse, act: () => Reply) {
    if (moment === 'now') {
      const truth = act();
      const reply = () => answer(to, reported === 'truth' ? truth : reported);
      return after === 0 ? reply() : later(after, reply);
    }
    if (moment !== 'never')
      later(moment, () => {
        const truth = act();
        if (reported === 'truth') answer(to, truth);
      });
    if (reported !== 'truth') answer(to, reported);
  }

  function readOf(workspace: Workspace, path: string, query: URLSearchParams): Reply {
    const reported = ways.read?.(path);
    if (typeof reported === 'number') return refusal(reported, reported === 404 ? 'not_found' : 'refused');
    if (reported !== undefined && reported !== 'truth') return reported;
    if (path === '/organization' && ways.organization !== false)
      return { status: 200, body: { organization: workspace.organization } };
    if (path === '/me' && ways.organization !== false)
      return { status: 200, body: { user: { id: 'usr-1' }, organization: workspace.organization } };
    if (path === '/agents') {
      const email = query.get('email') ?? '';
      return { status: 200, body: { agents: email === '' ? [] : [{ id: `agt-${email}`, email }] } };
    }
    if (path === '/contacts') return contactsOf(workspace, query);
    if (path === '/tickets') return { status: 200, body: listOf(workspace, query) };
    const [, id = '', part, messageId] =
      /^\/tickets\/([^/]+)(?:\/(messages|events)(?:\/([^/]+))?)?$/.exec(path) ?? [];
    const ticket = workspace.tickets.get(decodeURIComponent(id));
    if (ticket === undefined) return refusal(404, 'not_found');
    if (part === undefined) return { status: 200, body: { ticket: viewOf(ticket) } };
    if (messageId !== undefined) {
      const message = ticket.messages.find((one) => one.id === decodeURIComponent(messageId));
      return message === undefined ? refusal(404, 'not_found') : { status: 200, body: { message } };
    }
    if (part === 'events') return { status: 200, body: { events: ticket.events } };
    return { status: 200, body: threadOf(ticket, query) };
  }

  function contactsOf(workspace: Workspace, query: URLSearchParams): Reply {
    if (ways.contacts === false) return refusal(404, 'not_found');
    const asked = query.getAll('email').map((email) => email.trim().toLowerCase());
    const contacts = [...workspace.contacts.values()].filter(
      ({ email }) => ways.contacts === 'ignored' || asked.length === 0 || asked.includes(email),
    );
    return { status: 200, body: { contacts: contacts.slice(0, Number(query.get('take') ?? 25)) } };
  }

  function listOf(workspace: Workspace, query: URLSearchParams): Json {
    const tags = ways.tagsFilter === false ? [] : (query.get('tags') ?? '').split(',').filter(Boolean);
    const search = ways.searchFilter === false ? '' : (query.get('search') ?? '').toLowerCase();
    const since = Date.parse(query.get('minUpdatedAt') ?? '') || 0;
    const matching = [...workspace.tickets.values()].filter(
      ({ kept, madeAt }) =>
        madeAt >= since &&
        tags.every((tag) => ((kept['tags'] ?? []) as string[]).includes(tag)) &&
        [kept['subject'], (kept['contact'] as Json | undefined)?.['email']].some((text) =>
          String(text ?? '')
            .toLowerCase()
            .includes(search),
        ),
    );
    const visible = [...(ways.shown?.(matching, Date.now()) ?? matching)].sort((one, other) =>
      String(other.kept['createdAt'] ?? '').localeCompare(String(one.kept['createdAt'] ?? '')),
    );
    const take = Number(query.get('take') ?? 25);
    const from = Number(query.get('cursor') ?? 0);
    const hasNextPage = from + take < visible.length;
    return {
      tickets: visible.slice(from, from + take).map(viewOf),
      hasNextPage,
      ...(hasNextPage ? { cursor: String(from + take) } : {}),
      ...(ways.total === false ? {} : { total: visible.length }),
    };
  }

  function threadOf(ticket: HeldTicket, query: URLSearchParams): Json {
    const from = Number(query.get('cursor') ?? 0);
    const size = ways.threadPage ?? Number.POSITIVE_INFINITY;
    const hasNextPage = from + size < ticket.messages.length;
    const messages = ticket.messages.slice(from, from + size).map((message) => {
      const content = String(message['content']);
      const { shortenTo } = ways;
      if (shortenTo === undefined || content.length <= shortenTo)
        return ways.fullContent === true ? { ...message, fullContent: content } : message;
      const shown = { ...message, content: content.slice(0, shortenTo) };
      return ways.fullContent === true ? { ...shown, fullContent: content } : shown;
    });
    return {
      messages,
      hasNextPage,
      ...(hasNextPage ? { cursor: String(from + size) } : {}),
      ...(ways.total === false ? {} : { total: ticket.messages.length }),
    };
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const first = () => workspaces.get(TOKEN) as Workspace;
  return {
    url,
    env: { HELPDESK_BASE_URL: url, HELPDESK_TOKEN: TOKEN },
    ways,
    seen,
    get workspace() {
      return first();
    },
    rotate(token, workspace) {
      workspaces.delete(TOKEN);
      workspaces.set(token, workspace);
    },
    addWorkspace(token) {
      const workspace = emptyWorkspace(`org-${workspaces.size + 1}`);
      workspaces.set(token, workspace);
      return workspace;
    },
    replaceWorkspace: (workspace) => void workspaces.set(TOKEN, workspace),
    backup: () => structuredClone(first()),
    bySubject(workspace = first()) {
      const found = new Map<string, HeldTicket[]>();
      for (const ticket of workspace.tickets.values()) {
        const subject = String(ticket.sent['subject']);
        found.set(subject, [...(found.get(subject) ?? []), ticket]);
      }
      return found;
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Matched by address, made if there is none, and given the name if one was sent (2.5). */
function matchContact({ contacts }: Workspace, contact: unknown): void {
  const { email: address, name } = (contact ?? {}) as { email?: string; name?: string };
  if (address === undefined) return;
  const email = address.trim().toLowerCase();
  const known = contacts.get(email) ?? { id: `con-${contacts.size + 1}`, email };
  contacts.set(email, name === undefined ? known : { ...known, name });
}

export function emptyWorkspace(id: string): Workspace {
  const organization = { id, name: `Organization ${id}` };
  return { organization, tickets: new Map(), contacts: new Map(), next: 1, parts: 0 };
}

export function refusal(status: number, error: string): Exclude<Reply, string> {
  return { status, body: { error, message: `The helpdesk says ${error}.` } };
}

function viewOf({ id, kept, messages, madeAt }: HeldTicket): Json {
  const updatedAt = new Date(madeAt).toISOString();
  return {
    updatedAt,
    status: 'open',
    priority: 'normal',
    tags: [],
    ...kept,
    id,
    messageCount: messages.length,
  };
}

function answer(response: ServerResponse, reported: Reply): void {
  if (reported === 'truth' || reported === 'silence' || response.destroyed) return;
  if (reported === 'reset') return void response.socket?.resetAndDestroy();
  if (reported === 'close') return void response.socket?.end();
  const { status, body = '', type, headers = {} } = reported;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const contentType = type ?? (typeof body === 'string' ? 'text/plain' : 'application/json');
  response.writeHead(status, { 'content-type': contentType, ...headers }).end(text);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
