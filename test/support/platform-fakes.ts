/**
 * Old helpdesks as their API references describe them, over the same rows that the layouts are tested with: how they sign in, how
 * their lists are paged, what a page holds. One server plays any of them.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fixtures } from './cli.ts';
import { listening } from './listening.ts';

export type Json = Record<string, unknown>;

interface Asked {
  readonly url: URL;
  readonly match: readonly string[];
  readonly origin: string;
  readonly body: Json;
}
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  /** In place of JSON. */
  readonly raw?: string;
  readonly headers?: Record<string, string>;
}
type Route = readonly [path: RegExp, answer: (asked: Asked) => Reply | unknown[] | Json];

export interface Fake {
  readonly env: Readonly<Record<string, string>>;
  readonly header?: readonly [name: string, value: string];
  /** By the name of the file without its ending: what must be there after an export. */
  readonly holds: () => Readonly<Record<string, readonly Json[]>>;
  readonly tickets: Json[];
  /** Rows that are counted and not given out. */
  readonly incomplete?: readonly Json[];
  /** What its export needs besides a fallback agent. */
  readonly settings?: string;
  /** The path of the address. */
  readonly base?: string;
  /** The file of the tickets; default: `tickets`. */
  readonly main?: string;
  /** The token request of OAuth, and the token that it gives. */
  readonly oauth?: readonly [path: string, token: string];
  /** Paths of POSTs that only read. */
  readonly posts?: RegExp;
  readonly routes: readonly Route[];
}

const rowsOf = (path: string): Json[] => {
  const text = readFileSync(join(fixtures, path), 'utf8');
  if (path.endsWith('.jsonl'))
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const value = JSON.parse(text);
  return Array.isArray(value) ? value : (Object.values(value).find(Array.isArray) as Json[]);
};

/** Rows by the name of their file, where a platform has more than the layouts are tested with. */
const platformRows = (name: string): Record<string, Json[]> =>
  JSON.parse(readFileSync(join(fixtures, `platforms/${name}.json`), 'utf8'));

/** Copies of tickets and what hangs on them, with ids of their own. */
export function many(rows: readonly Json[], count: number, step = 1000) {
  return Array.from({ length: count }, (_, at) => {
    const row = structuredClone(rows[at % rows.length] ?? {});
    const id = Number(row['id']) + step * Math.floor(at / rows.length);
    return { ...row, id, updated_at: new Date(Date.UTC(2024, 0, 1, 0, at)).toISOString() };
  });
}

/** Page `page` of `per_page` rows. */
const byNumber = (rows: readonly unknown[], { url }: Asked, size = 'per_page', from = 1) => {
  const most = Number(url.searchParams.get(size));
  const at = (Number(url.searchParams.get('page')) - from) * most;
  return rows.slice(at, at + most);
};

const basic = (pair: string) => ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`] as const;

export function freshdesk(): Fake {
  const read = (name: string) => rowsOf(`layouts/freshdesk/${name}.json`);
  // every third one is archived: in no list, and asked for in its own way
  const isArchived = ({ id }: Json) => Number(id) % 3 === 0;
  const tickets = many(read('tickets').slice(0, 1), 10, 1).map(
    (one): Json => ({
      ...one,
      description: `<div>I cannot log in as user ${one.id}</div>`,
    }),
  );
  const conversations = tickets.flatMap(({ id }, at) =>
    Array.from({ length: at === 3 ? 12 : at % 3 }, (_, nth) => ({
      ...read('conversations')[nth % 3],
      id: Number(id) * 100 + nth,
      body: `<p>Try link ${id}-${nth}</p>`,
      ticket_id: id,
    })),
  );
  const ofTicket = (id: string) => conversations.filter(({ ticket_id }) => String(ticket_id) === id);
  const agents = read('agents');
  const contacts = ['verified', 'blocked', 'deleted'].map((state, nth) => ({
    ...{ id: 50 + nth, name: `Ann ${nth}`, email: `ann${nth}@example.com`, mobile: null, active: true },
    state,
  }));
  const listed = () =>
    tickets
      .filter((one) => !isArchived(one))
      .map(({ description: _, description_text: __, attachments: ___, ...one }) => one);
  const whole = (one: Json) =>
    isArchived(one) ? one : { ...one, conversations: ofTicket(String(one['id'])).slice(0, 10) };
  return {
    env: { FRESHDESK_TOKEN: 'fd-key-1234' },
    header: basic('fd-key-1234:X'),
    tickets,
    holds: () => ({
      tickets: tickets.map(whole),
      conversations: conversations.filter(
        ({ ticket_id }) => isArchived({ id: ticket_id }) || ofTicket(String(ticket_id)).length > 9,
      ),
      agents,
      contacts: contacts.map((one) => without(one, 'state')),
    }),
    routes: [
      [
        /^\/api\/v2\/tickets$/,
        (asked) => {
          const since = Date.parse(asked.url.searchParams.get('updated_since') ?? '');
          const rows = listed().filter(({ updated_at }) => Date.parse(String(updated_at)) >= since);
          return byNumber(
            rows.toSorted((a, b) => (String(a['updated_at']) < String(b['updated_at']) ? -1 : 1)),
            asked,
          );
        },
      ],
      [
        /^\/api\/v2\/tickets\/(archived\/)?(\d+)$/,
        ({ match: [, archive, id] }) =>
          all(tickets, id)
            .filter((one) => isArchived(one) === (archive !== undefined))
            .map(whole)[0] ?? { status: 404 },
      ],
      [
        /^\/api\/v2\/tickets\/(?:archived\/)?(\d+)\/conversations$/,
        (asked) => byNumber(ofTicket(asked.match[1] ?? ''), asked),
      ],
      [/^\/api\/v2\/agents$/, (asked) => byNumber(agents, asked)],
      [
        /^\/api\/v2\/contacts$/,
        (asked) => {
          const state = asked.url.searchParams.get('state') ?? 'verified';
          const found = contacts.filter((one) => one.state === state);
          return byNumber(
            found.map((one) => without(one, 'state')),
            asked,
          );
        },
      ],
    ],
  };
}

export function zendesk(): Fake {
  const read = (name: string) => rowsOf(`zendesk-export/${name}`);
  // what a messaging ticket, a chat and a ticket with a side conversation have besides comments
  const rows = platformRows('zendesk');
  const {
    conversation_log: log = [],
    audits = [],
    side_conversations: sides = [],
    side_conversation_events: sideEvents = [],
  } = rows;
  const via: Record<number, Json> = {
    45: { via: { channel: 'native_messaging' }, from_messaging_channel: true },
    46: { via: { channel: 'chat' }, description: 'Chat started: where is my order?' },
  };
  const tickets = many(read('tickets.json'), 6, 4).map((one): Json => ({ ...one, ...via[one.id] }));
  const users = read('users.json');
  const { groups = [] } = rows;
  const comments = tickets.flatMap(({ id }) =>
    read('comments.jsonl')
      .filter(({ ticket_id }) => Number(ticket_id) % 4 === Number(id) % 4)
      .slice(0, Number(id) > 44 ? 1 : 9)
      .map((one): Json => {
        const row = { ...one, id: Number(one['id']) + 1000 * Number(id), ticket_id: id };
        // the transcript of the chat
        const transcript = {
          type: 'ChatTranscript',
          html_body: null,
          body: '(08:00) x: Hello, where is my order?',
        };
        return id === 46 ? { ...row, ...transcript } : row;
      }),
  );
  /** `cursor` of incremental exports. */
  const [AI_AGENT, UNLISTED] = [43, 44];
  const listed = tickets.filter(({ id }) => id !== UNLISTED);
  const stream = (kind: string): Route => [
    new RegExp(`^/api/v2/incremental/${kind}/cursor\\.json$`),
    ({ url }) => {
      // heavy pages time out, each time
      if (!(Number(url.searchParams.get('per_page') ?? 1000) <= 250)) return { status: 504 };
      const at = Number(url.searchParams.get('cursor') ?? 0);
      const all = url.searchParams.get('support_type_scope') === 'all';
      const rows = kind === 'tickets' ? listed.filter(({ id }) => all || id !== AI_AGENT) : users;
      const end = Math.min(at + 2, rows.length);
      return { [kind]: rows.slice(at, end), after_cursor: String(end), end_of_stream: end >= rows.length };
    },
  ];
  /** `page[after]` of the other lists. */
  const list = (path: string, kind: string, rows: (id: string) => readonly unknown[]): Route => [
    new RegExp(`^/api/v2/${path}$`),
    ({ url, match: [, id = ''] }) => {
      if (path.startsWith('tickets') && !tickets.some((one) => String(one['id']) === id))
        return { status: 404 };
      const at = Number(url.searchParams.get('page[after]') ?? 0);
      const end = at + 2;
      const meta = { has_more: end < rows(id).length, after_cursor: String(end) };
      return { [kind]: rows(id).slice(at, end), meta };
    },
  ];
  const bare = (row: Json) =>
    Object.fromEntries(Object.entries(row).filter(([column]) => column !== 'ticket_id'));
  return {
    env: { ZENDESK_TOKEN: 'zd-token-1234', ZENDESK_EMAIL: 'mia@team.example' },
    header: basic('mia@team.example/token:zd-token-1234'),
    tickets,
    holds: () => ({ tickets, users, comments, ...rows }),
    routes: [
      stream('tickets'),
      stream('users'),
      [
        /^\/api\/v2\/tickets\/show_many\.json$/,
        ({ url }) => {
          const ids = url.searchParams.get('ids')?.split(',') ?? [];
          return { tickets: tickets.filter(({ id }) => ids.includes(String(id))) };
        },
      ],
      list('groups.json', 'groups', () => groups),
      [/^\/api\/v2\/ticket_fields\.json$/, () => ({ ticket_fields: [], next_page: null })],
      list('tickets/(\\d+)/comments.json', 'comments', (id) =>
        comments.filter(({ ticket_id }) => String(ticket_id) === id).map(bare),
      ),
      list('tickets/(\\d+)/conversation_log', 'events', (id) =>
        all([...log, { ...log[0], id: 'c1', type: 'Comment' }], id, 'ticket_id').map(bare),
      ),
      list('tickets/(\\d+)/side_conversations', 'side_conversations', (id) => (id === '41' ? sides : [])),
      list('tickets/(\\d+)/side_conversations/sc1/events', 'events', () => sideEvents),
      list('tickets/(\\d+)/audits.json', 'audits', (id) =>
        all(audits, id, 'ticket_id').map((one) => ({
          ...one,
          metadata: { system: { ip_address: '192.0.2.7' } },
        })),
      ),
    ],
  };
}

/** Three copies of the first row, with ids and texts of their own. */
function three(path: string, change: (row: Json, nth: number) => Json, nth = 0): Json[] {
  const [row = {}] = [rowsOf(path)[nth]];
  return [1, 2, 3].map((at) => ({ ...structuredClone(row), ...change(structuredClone(row), at) }));
}

const bearer = (token: string) => ['authorization', `Bearer ${token}`] as const;
const all = (rows: readonly Json[], id: string | undefined, column = 'id') =>
  rows.filter((row) => String(row[column]) === id);
const without = (row: Json, ...columns: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)));

/** Two rows a page, and a cursor for the next two. */
const byCursor = (rows: readonly Json[], { url }: Asked, name: string) => {
  const at = Number(url.searchParams.get(name) ?? 0);
  return { rows: rows.slice(at, at + 2), next: at + 2 < rows.length ? String(at + 2) : undefined };
};
const byOffset = (rows: readonly Json[], { url }: Asked, name: string) => {
  const at = Number(url.searchParams.get(name));
  return rows.slice(at, at + 2);
};
/** A list by cursor: `shape` puts rows and cursor into the answer. */
const cursors = (
  path: RegExp,
  name: string,
  rows: () => readonly Json[],
  shape: (rows: readonly Json[], next: string | undefined) => Json,
): Route => [
  path,
  (asked) => {
    const page = byCursor(rows(), asked, name);
    return shape(page.rows, page.next);
  },
];
const single = (path: RegExp, rows: readonly Json[]): Route => [
  path,
  ({ match: [, id] }) => all(rows, id)[0] ?? { status: 404 },
];

function helpscout(): Fake {
  const [first = {}] = (
    JSON.parse(readFileSync(join(fixtures, 'layouts/helpscout/page1.json'), 'utf8')) as {
      _embedded: { conversations: Json[] };
    }
  )._embedded.conversations;
  const tickets = [0, 1, 2].map((at) => {
    const one = structuredClone(first) as Json & { _embedded: { threads: Json[] } };
    const threads = one._embedded.threads.map((thread, nth) => ({
      ...thread,
      id: 10 * at + nth,
      body: `About order ${at}-${nth}`,
    }));
    // the number of threads is without those that only say who changed what
    return { ...one, id: at + 1, threads: threads.length - 1, _embedded: { threads } };
  });
  const listed = tickets.map((one) => without(one, '_embedded'));
  const threads = tickets.flatMap(({ id, _embedded }) =>
    (_embedded as { threads: Json[] }).threads.map((one): Json => ({ conversationId: id, ...one })),
  );
  const customers = rowsOf('layouts/helpscout/customers.json');
  const paged = (kind: string, of: (id: string) => readonly Json[], path = kind): Route => [
    new RegExp(`^/v2/${path}$`),
    ({ url, match: [, id = ''] }) => {
      const rows = of(id);
      const number = Number(url.searchParams.get('page'));
      const page = { size: 2, number, totalElements: rows.length, totalPages: Math.ceil(rows.length / 2) };
      return { _embedded: { [kind]: rows.slice(2 * (number - 1), 2 * number) }, page };
    },
  ];
  return {
    env: { HELPSCOUT_CLIENT_ID: 'hs-client', HELPSCOUT_CLIENT_SECRET: 'hs-secret-1' },
    oauth: ['/v2/oauth2/token', 'hs-access-1'],
    header: bearer('hs-access-1'),
    tickets,
    main: 'conversations',
    holds: () => ({ conversations: listed, threads, customers }),
    routes: [
      paged('conversations', () => listed),
      paged(
        'threads',
        (id) => all(threads, id, 'conversationId').map((one) => without(one, 'conversationId')),
        'conversations/(\\d+)/threads',
      ),
      paged('customers', () => customers),
    ],
  };
}

function gorgias(): Fake {
  const detail: Json = JSON.parse(readFileSync(join(fixtures, 'layouts/gorgias/ticket_5.json'), 'utf8'));
  const tickets = [5, 6, 7].map((id) => {
    const messages = (detail['messages'] as Json[]).map((one, nth) => ({
      ...one,
      id: 10 * id + nth,
      ticket_id: id,
      body_html: `<p>Parcel ${id}-${nth} is late</p>`,
    }));
    return { ...detail, id, subject: `Parcel ${id}`, messages, messages_count: messages.length };
  });
  // the list ends early
  const listed = tickets.filter(({ id }) => id !== 6).map((one) => without(one, 'messages'));
  return {
    env: { GORGIAS_EMAIL: 'mia@team.example', GORGIAS_TOKEN: 'gg-key-1' },
    header: basic('mia@team.example:gg-key-1'),
    tickets,
    holds: () => ({ tickets }),
    routes: [
      cursors(
        /^\/api\/tickets$/,
        'cursor',
        () => listed,
        (data, next_cursor) => ({ data, meta: { next_cursor } }),
      ),
      single(/^\/api\/tickets\/(\d+)$/, tickets),
    ],
  };
}

function intercom(): Fake {
  const renamed = (parts: Json, at: number) =>
    JSON.parse(JSON.stringify(parts).replaceAll('</p>', ` ${at}</p>`)) as Json;
  const tickets = three('layouts/intercom/conversations.json', (row, at) => ({
    id: String(146 + at),
    source: { ...(row['source'] as Json), body: `<p>Do you ship to zone ${at}?</p>` },
    conversation_parts: { ...renamed(row['conversation_parts'] as Json, at), total_count: 4 },
  }));
  const listed = tickets.map((one, at) => ({
    ...without(one, 'conversation_parts'),
    updated_at: 1_600_000_000 + at,
  }));
  /** Newest change first unless a search asks for another order; while it is read, the oldest is answered. */
  const search = (kind: string, rows: Json[]): Route => [
    new RegExp(`^/${kind}/search$`),
    ({ body }) => {
      const { query, sort, pagination } = body as Record<string, Json>;
      const isAscending = sort?.['order'] === 'ascending';
      const found = rows
        .filter((one) => Number(one['updated_at']) > Number(query?.['value']))
        .toSorted((a, b) => (isAscending ? 1 : -1) * (Number(a['updated_at']) - Number(b['updated_at'])));
      const at = Number(pagination?.['starting_after'] ?? 0);
      const page = found.slice(at, at + 2);
      const [oldest] = rows;
      if (oldest !== undefined && Number(oldest['updated_at']) < 1_700_000_000)
        oldest['updated_at'] = 1_700_000_000;
      return pages(kind)(page, at + 2 < found.length ? String(at + 2) : undefined);
    },
  ];
  const customerTickets = platformRows('intercom')['tickets'] ?? [];
  const admins = rowsOf('layouts/intercom/admins.json');
  const contacts = [{ id: '50', role: 'user', email: 'ann@example.com', workspace_id: 'w' }];
  const pages = (key: string) => (rows: readonly Json[], starting_after: string | undefined) => ({
    [key]: rows,
    pages: { next: starting_after === undefined ? null : { starting_after } },
  });
  return {
    env: { INTERCOM_TOKEN: 'ic-token-1' },
    header: bearer('ic-token-1'),
    tickets: [...tickets, ...customerTickets],
    main: 'conversations',
    posts: /^\/(?:conversations|tickets)\/search$/,
    holds: () => ({ conversations: tickets, tickets: customerTickets, admins, contacts }),
    routes: [
      search('conversations', listed),
      search('tickets', customerTickets),
      single(/^\/conversations\/(\d+)$/, tickets),
      cursors(/^\/contacts$/, 'starting_after', () => contacts, pages('data')),
      [/^\/admins$/, () => ({ admins })],
    ],
  };
}

function front(): Fake {
  const whole = three('layouts/front/conversations.json', (row, at) => ({
    id: `cnv_${at}`,
    messages: (row['messages'] as Json[]).map((one, nth) => ({
      ...one,
      id: `msg_${at}${nth}`,
      body: `<p>Question ${at}-${nth}</p>`,
    })),
    comments: (row['comments'] as Json[]).map((one) => ({
      ...one,
      id: `com_${at}`,
      body: `**check** ${at}`,
    })),
  }));
  const tickets = whole.map((one) => without(one, 'messages', 'comments'));
  const parts = (kind: string) =>
    whole.flatMap((one) =>
      (one[kind] as Json[]).map((part): Json => ({ conversation_id: one['id'], ...part })),
    );
  /** Links name the company's own host. Newest change first by default; while it is read, the oldest is answered. */
  const order = [...tickets];
  const conversations: Route = [
    /^\/conversations$/,
    (asked) => {
      const isAscending = asked.url.searchParams.get('sort_order') === 'asc';
      const answer = list(/x/, () => (isAscending ? order : order.toReversed()))[1](asked);
      if (order[0] === tickets[0]) order.push(...order.splice(0, 1));
      return answer;
    },
  ];
  const list = (path: RegExp, rows: (id: string) => readonly Json[]): Route => [
    path,
    (asked) => {
      const { rows: _results, next } = byCursor(rows(asked.match[1] ?? ''), asked, 'page_token');
      asked.url.searchParams.set('page_token', String(next));
      const link = `https://acme.api.frontapp.com${asked.url.pathname}${asked.url.search}`;
      return { _results, _pagination: { next: next === undefined ? null : link } };
    },
  ];
  const of = (kind: string) => (id: string) =>
    all(parts(kind), id, 'conversation_id').map((one) => without(one, 'conversation_id'));
  return {
    env: { FRONT_TOKEN: 'fr-token-1' },
    header: bearer('fr-token-1'),
    tickets,
    main: 'conversations',
    holds: () => ({ conversations: tickets, messages: parts('messages'), comments: parts('comments') }),
    routes: [
      conversations,
      list(/^\/conversations\/(\w+)\/messages$/, of('messages')),
      list(/^\/conversations\/(\w+)\/comments$/, of('comments')),
    ],
  };
}

function hubspot(): Fake {
  const kinds = ['emails', 'notes', 'calls', 'communications'] as const;
  const idsOf = (kind: string, at: number) =>
    kind === 'emails' ? [`${at}0`, `${at}1`] : at === 1 ? [kind] : [];
  const tickets = three('layouts/hubspot/tickets.json', (row, at) => ({
    id: String(900 + at),
    properties: { ...(row['properties'] as Json), content: `It fails since day ${at}`, colour: 'red' },
    associations: {
      ...(row['associations'] as Json),
      ...Object.fromEntries(
        // one mail is of two tickets
        kinds.map((kind) => [
          kind,
          {
            results: [...idsOf(kind, at), ...(kind === 'emails' && at === 1 ? ['30'] : [])].map((id) => ({
              id,
            })),
          },
        ]),
      ),
    },
  }));
  const mail = (at: number, nth: number) => ({
    ...(rowsOf('layouts/hubspot/emails.json')[nth]?.['properties'] as Json),
    hs_email_html: `<p>Try key ${at}-${nth}</p>`,
    hs_attachment_ids: nth === 0 ? `f${at};g${at}` : null,
  });
  const hs_timestamp = '2024-02-26T02:00:00Z';
  const objects: Record<string, Json[]> = {
    emails: [1, 2, 3].flatMap((at) =>
      [0, 1].map((nth) => ({ id: `${at}${nth}`, properties: mail(at, nth) })),
    ),
    notes: [
      { id: 'notes', properties: { hs_timestamp, hs_note_body: '<p>VIP</p>', hs_attachment_ids: 'n1' } },
    ],
    calls: [
      { id: 'calls', properties: { hs_timestamp, hs_call_body: 'Rang twice', hs_call_direction: 'INBOUND' } },
    ],
    communications: [
      {
        id: 'communications',
        properties: { hs_timestamp, hs_communication_body: 'Hi', hs_communication_channel_type: 'SMS' },
      },
    ],
  };
  const of = (kind: string) =>
    tickets.flatMap((ticket) =>
      (objects[kind] ?? []).flatMap((one): Json[] =>
        ((ticket.associations as Record<string, { results: Json[] }>)[kind]?.results ?? []).some(
          ({ id }) => id === one['id'],
        )
          ? [{ ticketId: ticket['id'], ...one }]
          : [],
      ),
    );
  const file = (id: string) => ({ name: id, extension: 'pdf', url: `https://files.example/${id}`, size: 3 });
  const files = kinds.flatMap((kind) =>
    of(kind).flatMap(({ ticketId, properties }) =>
      String((properties as Json)['hs_attachment_ids'] ?? '')
        .split(';')
        .filter(Boolean)
        .map(
          (id): Json => ({
            ...{ ticketId, at: (properties as Json)['hs_timestamp'] },
            ...(kind === 'emails' && {
              direction: (properties as Json)['hs_email_direction'],
              from: (properties as Json)['hs_email_from_email'],
            }),
            ...{ owner: (properties as Json)['hubspot_owner_id'] },
            ...file(id),
          }),
        ),
    ),
  );
  const contacts = rowsOf('layouts/hubspot/contacts.json');
  const owners = rowsOf('layouts/hubspot/owners.json');
  const stages = [{ id: '2', label: 'Waiting', metadata: { ticketState: 'OPEN' } }];
  /** A chat of ticket 901, of which a list has the beginning of one text and an older part is archived, and a thread without a ticket. */
  const thread = (id: string) => ({ id, threadAssociations: { associatedTicketId: '901' } });
  const threads = [thread('t1'), { id: 't2' }];
  const { thread_messages = [], originals = [] } = platformRows('hubspot');
  const said = thread_messages.map((one) => without(one, 'ticketId'));
  const list = (path: string, rows: (asked: Asked) => readonly Json[], api = 'crm/v3'): Route => [
    new RegExp(`^/${api}/${path}$`),
    (asked) => {
      const { rows: results, next: after } = byCursor(rows(asked), asked, 'after');
      return { results, ...(after && { paging: { next: { after } } }) };
    },
  ];
  /** An object has the properties that were asked for. */
  const some = (one: Json, names: readonly unknown[]) => ({
    ...one,
    properties: Object.fromEntries(
      Object.entries(one['properties'] as Json).filter(([name]) => names.includes(name)),
    ),
  });
  return {
    env: { HUBSPOT_TOKEN: 'pat-eu1-1' },
    header: bearer('pat-eu1-1'),
    tickets,
    posts: /\/batch\/read$/,
    holds: () => ({
      ...{ tickets, contacts, owners, stages, files: JSON.parse(JSON.stringify(files)) },
      ...Object.fromEntries(kinds.map((kind) => [kind, of(kind)])),
      ...{ thread_messages, originals },
    }),
    routes: [
      list('properties/tickets', () => [{ name: 'subject', hubspotDefined: true }, { name: 'colour' }]),
      list('objects/tickets', ({ url }) => {
        const names = url.searchParams.get('properties')?.split(',') ?? [];
        return tickets.map((one) => some(one, names));
      }),
      [
        /^\/crm\/v3\/objects\/(\w+)\/batch\/read$/,
        ({ match: [, kind = ''], body }) => ({
          results: (objects[kind] ?? [])
            .filter(({ id }) => (body['inputs'] as Json[]).some((one) => one['id'] === id))
            .map((one) => some(one, body['properties'] as string[])),
        }),
      ],
      [/^\/files\/v3\/files\/(\w+)\/signed-url$/, ({ match: [, id = ''] }) => file(id)],
      list('objects/contacts', () => contacts),
      list('owners', () => owners),
      list(
        'threads',
        ({ url }) => (url.searchParams.get('archived') === 'true' ? [thread('t3')] : threads),
        'conversations/v3/conversations',
      ),
      list(
        'threads/t1/messages',
        () => [...said.slice(0, -1), { id: 'm9', type: 'ASSIGNMENT' }],
        'conversations/v3/conversations',
      ),
      list('threads/t3/messages', () => said.slice(-1), 'conversations/v3/conversations'),
      [/\/threads\/t1\/messages\/m2\/original-content$/, () => without(originals[0] ?? {}, 'messageId')],
      [/^\/crm\/v3\/pipelines\/tickets$/, () => ({ results: [{ id: '0', stages }] })],
    ],
  };
}

/** As Freshdesk, with rows under a name; a list without a workspace has that of the first alone. */
function freshservice(): Fake {
  const fake = freshdesk();
  const read = (name: string) => rowsOf(`layouts/freshservice/${name}.json`);
  const [agents, requesters] = [read('agents'), read('requesters')];
  const tickets = fake.tickets.map(
    (one): Json => ({ ...one, workspace_id: Number(one['id']) > 4 ? 2 : 1, category: null }),
  );
  const found = (row: Json) => ({ ...row, ...all(tickets, String(row['id']))[0] });
  return {
    ...fake,
    env: { FRESHSERVICE_TOKEN: 'fd-key-1234' },
    tickets,
    holds: () => {
      const { tickets: rows = [], conversations = [] } = fake.holds();
      return { tickets: rows.map(found), conversations, agents, requesters };
    },
    routes: fake.routes
      .slice(0, 3)
      .map(
        ([path, answer], nth): Route => [
          path,
          (asked) => {
            const made = answer(asked);
            if (nth === 2) return { conversations: made };
            if (nth === 1)
              return 'status' in made && Object.keys(made).length === 1
                ? made
                : { ticket: found(made as Json) };
            const rows = (made as Json[]).map(found);
            return {
              tickets: rows.filter(
                (one) => asked.url.searchParams.get('workspace_id') === '0' || one['workspace_id'] === 1,
              ),
            };
          },
        ],
      )
      .concat([
        [/^\/api\/v2\/agents$/, (asked) => ({ agents: byNumber(agents, asked) })],
        [/^\/api\/v2\/requesters$/, (asked) => ({ requesters: byNumber(requesters, asked) })],
      ]),
  };
}

/** SOQL: the fields that a query names, and two rows a page with the address of the next. */
function salesforce(): Fake {
  const read = (name: string) => rowsOf(`layouts/salesforce/${name}.json`);
  const stamp = (at: number) => `2024-05-0${at}T00:00:00.000+0000`;
  const tickets = three('layouts/salesforce/cases.json', (_, at) => ({
    ...{
      Id: `500${at}`,
      CaseNumber: `0000100${at}`,
      Description: `It stopped ${at}`,
      SystemModstamp: stamp(at),
      Colour__c: 'red',
      Origin: 'Web',
    },
  }));
  const parts = (name: string, parent: string) =>
    tickets.flatMap(({ Id }, at) =>
      read(name).map(
        (one, nth): Json => ({
          ...one,
          Id: `${name}${at}${nth}`,
          [parent]: Id,
          SystemModstamp: stamp(1 + nth),
        }),
      ),
    );
  const words = (row: Json) =>
    Object.fromEntries(
      Object.entries(row).map(([name, text]) => [
        name,
        /Body$/.test(name) && text ? `${text} ${row['Id']}` : text,
      ]),
    );
  const tables: Record<string, Json[]> = {
    Case: tickets.map((one) => without(one, 'attributes')),
    EmailMessage: parts('emails', 'ParentId').map((one) =>
      without(words(one), 'MessageIdentifier', 'Headers'),
    ),
    CaseComment: parts('comments', 'ParentId').map(words),
    CaseHistory: parts('history', 'CaseId').map((one) => without(one, 'SystemModstamp')),
    Contact: read('contacts'),
    User: read('users'),
  };
  const some = (soql: string) => {
    const [, fields = '', object = ''] = /^SELECT (.*) FROM (\w+)/.exec(soql) ?? [];
    const names = fields.split(/, ?/);
    return (tables[object] ?? []).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name))),
    );
  };
  return {
    env: { SALESFORCE_TOKEN: 'sf-session-1' },
    header: bearer('sf-session-1'),
    settings: 'agents: { mia@team.example: agt_2 }\n',
    tickets: tables['Case'] ?? [],
    main: 'cases',
    holds: () => ({
      ...{
        cases: tables['Case'] ?? [],
        emails: tables['EmailMessage'] ?? [],
        comments: tables['CaseComment'] ?? [],
      },
      ...{
        history: tables['CaseHistory'] ?? [],
        contacts: tables['Contact'] ?? [],
        users: tables['User'] ?? [],
      },
    }),
    routes: [
      [
        /\/sobjects\/Case\/describe$/,
        () => ({
          fields: [
            { name: 'Subject', custom: false },
            { name: 'Colour__c', custom: true },
          ],
        }),
      ],
      [
        /\/queryAll$/,
        ({ url }) => {
          const soql = url.searchParams.get('q') ?? '';
          const at = Number(url.searchParams.get('at') ?? 0);
          const rows = some(soql);
          const done = at + 2 >= rows.length;
          const next = `${url.pathname}?q=${encodeURIComponent(soql)}&at=${at + 2}`;
          return {
            totalSize: rows.length,
            done,
            records: rows.slice(at, at + 2),
            ...(!done && { nextRecordsUrl: next }),
          };
        },
      ],
    ],
  };
}

function jira(): Fake {
  const text = (at: number, nth: number) => ({
    body: `h2. Phone ${at}-${nth}`,
    jsdPublic: true,
    created: '2024-04-28T16:00:00.000+0200',
  });
  const author = { accountId: 'm1', emailAddress: 'mia@team.example', displayName: 'Mia' };
  const commentsOf = (at: number, count: number) =>
    Array.from({ length: count }, (_, nth): Json => ({ id: `${at}0${nth}`, author, ...text(at, nth) }));
  const long = commentsOf(3, 22);
  const tickets = three('layouts/jira/search.json', (row, at) => ({
    id: String(at),
    key: `SUP-${at}`,
    fields: {
      ...(row['fields'] as Json),
      description: `It crashes on page ${at}`,
      updated: '2024-05-01T10:00:00.000+0000',
      comment:
        at === 3 ? { comments: long.slice(0, 20), total: 22 } : { comments: commentsOf(at, at), total: at },
    },
  }));
  return {
    env: { JIRA_EMAIL: 'mia@team.example', JIRA_TOKEN: 'ji-token-1' },
    header: basic('mia@team.example:ji-token-1'),
    tickets,
    main: 'issues',
    holds: () => ({ issues: tickets, comments: long.map((one) => ({ issueId: '3', ...one })) }),
    routes: [
      cursors(
        /^\/rest\/api\/2\/search\/jql$/,
        'nextPageToken',
        () => tickets,
        (issues, nextPageToken) => ({
          issues,
          nextPageToken,
          isLast: nextPageToken === undefined,
        }),
      ),
      [
        /^\/rest\/api\/2\/issue\/3\/comment$/,
        // fewer than asked for, though more follow
        (asked) => ({ comments: byOffset(long, asked, 'startAt').slice(0, 1), total: 22 }),
      ],
    ],
  };
}

function zohodesk(): Fake {
  const whole = three('layouts/zohodesk/tickets.json', (row, at) => ({
    id: String(1329983000000425000n + BigInt(at)),
    description: '',
    threads: (row['threads'] as Json[]).map((one, nth) => ({
      ...one,
      id: `${at}${nth}`,
      content: `It <b>jams</b> at ${at}-${nth}`,
    })),
    comments: (row['comments'] as Json[]).map((one) => ({
      ...one,
      id: `9${at}`,
      content: `old model ${at}`,
    })),
  }));
  const tickets = whole.map(
    (one): Json => ({
      ...without(one, 'threads', 'comments'),
      ticketNumber: String(one['id']).slice(-1),
      modifiedTime: `2024-07-0${String(one['id']).slice(-1)}T10:00:00.000Z`,
      ...{ threadCount: '2', commentCount: '1', tagCount: '1' },
    }),
  );
  // one is archived, one is in no list
  const [archived, unlisted] = tickets;
  const tags = tickets.map(({ id }): Json => ({ ticketId: id, id: `t${id}`, name: 'printer' }));
  const parts = (kind: string) =>
    whole.flatMap((one) => (one[kind] as Json[]).map((part): Json => ({ ticketId: one['id'], ...part })));
  const agents = rowsOf('layouts/zohodesk/agents.json');
  const contacts = Array.from({ length: 7 }, (_, nth) => ({
    ...{ id: String(50 + nth), firstName: 'Ann', lastName: `Lee ${nth}`, email: `ann${nth}@example.com` },
    ...{ accountId: null, modifiedTime: `2024-07-0${nth + 1}T10:00:00.000Z` },
  }));
  /** An empty page is 204, without a body; a list ends early, with 422 (here after four rows, there after 5,000). */
  const list = (path: RegExp, rows: (id: string, asked: Asked) => readonly Json[]): Route => [
    path,
    (asked) => {
      if (Number(asked.url.searchParams.get('from') ?? 0) > 3) return { status: 422 };
      const all = rows(asked.match[1] ?? '', asked);
      const data = byOffset(all, asked, 'from');
      return data.length === 0 ? { status: 204 } : { data, count: all.length };
    },
  ];
  const search = (kind: string, rows: readonly Json[]) =>
    list(new RegExp(`^/api/v1/${kind}/search$`), (_, { url }) => {
      const number = url.searchParams.get('ticketNumber');
      if (number !== null) return all(tickets, number, 'ticketNumber');
      const [since = ''] = (url.searchParams.get('modifiedTimeRange') ?? '').split(',');
      return rows.filter((one) => String(one['modifiedTime']) >= since);
    });
  return {
    env: {
      ZOHODESK_CLIENT_ID: 'zo-client',
      ZOHODESK_CLIENT_SECRET: 'zo-secret-1',
      ZOHODESK_REFRESH_TOKEN: 'zo-refresh-1',
      ZOHODESK_ORG_ID: '7',
    },
    oauth: ['/oauth/v2/token', 'zo-access-1'],
    header: ['authorization', 'Zoho-oauthtoken zo-access-1'],
    tickets,
    holds: () => ({
      ...{ tickets, tags, agents, contacts },
      threads: parts('threads'),
      comments: parts('comments'),
    }),
    routes: [
      search(
        'tickets',
        tickets.filter((one) => one !== archived && one !== unlisted),
      ),
      list(/^\/api\/v1\/departments$/, () => [{ id: '1' }, { id: '2' }]),
      list(/^\/api\/v1\/tickets\/archivedTickets$/, (_, { url }) =>
        archived !== undefined && url.searchParams.get('departmentId') === '1' ? [archived] : [],
      ),
      list(/^\/api\/v1\/tickets\/(\d+)\/tags$/, (id) =>
        all(tags, id, 'ticketId').map((one) => without(one, 'ticketId')),
      ),
      single(/^\/api\/v1\/tickets\/(\d+)$/, tickets),
      list(/^\/api\/v1\/tickets\/(\d+)\/threads$/, (id) =>
        all(parts('threads'), id, 'ticketId').map(({ id: own, direction }) => ({ id: own, direction })),
      ),
      [
        /^\/api\/v1\/tickets\/\d+\/threads\/(\d+)$/,
        ({ match: [, id] }) => without(all(parts('threads'), id)[0] ?? {}, 'ticketId'),
      ],
      list(/^\/api\/v1\/tickets\/(\d+)\/comments$/, (id) =>
        all(parts('comments'), id, 'ticketId').map((one) => without(one, 'ticketId')),
      ),
      search('contacts', contacts),
      list(/^\/api\/v1\/agents$/, () => agents),
    ],
  };
}

function servicenow(): Fake {
  const { incidents: tickets = [], journal = [], users = [] } = platformRows('servicenow');
  const list = (table: string, column: string, rows: readonly Json[]): Route => [
    new RegExp(`^/api/now/table/${table}$`),
    (asked) => {
      const since =
        new RegExp(`${column}>=([^^]*)`).exec(asked.url.searchParams.get('sysparm_query') ?? '')?.[1] ?? '';
      const found = rows.filter((row) => String(row[column]) >= since);
      // rows that the user may not see are taken out of the page
      const result = byOffset(found, asked, 'sysparm_offset').filter((row) => row['sys_id'] !== 'hidden');
      return { body: { result }, headers: { 'x-total-count': String(found.length) } };
    },
  ];
  return {
    env: { SERVICENOW_USER: 'mia', SERVICENOW_TOKEN: 'sn-password-1' },
    header: basic('mia:sn-password-1'),
    tickets,
    main: 'incidents',
    incomplete: [{ what: 'incidents', parent: '', count: 6, found: 5 }],
    holds: () => ({ incidents: tickets, journal, users }),
    routes: [
      list('incident', 'sys_updated_on', [
        { sys_id: 'hidden', sys_updated_on: '2024-05-01 09:00:00' },
        ...tickets,
      ]),
      list('sys_journal_field', 'sys_created_on', journal),
      list('sys_user', 'sys_updated_on', users),
    ],
  };
}

function githubIssues(): Fake {
  const url = (at: number) => `https://api.github.com/repos/acme/shop/issues/${at}`;
  const tickets = three('layouts/github-issues/issues.json', (_, at) => ({
    ...{
      id: at,
      number: at,
      url: url(at),
      body: `It *crashes* on page ${at}`,
      user: { login: `ann${at}` },
      updated_at: '2024-01-03T10:00:00Z',
    },
  })).map((one) => without(one, 'user_id'));
  const comments = [0, 1].flatMap((nth) =>
    three(
      'layouts/github-issues/comments.json',
      (_, at) => ({
        id: 10 * at + nth,
        issue_url: url(at),
        body: `Fixed in ${at}.${nth}`,
        updated_at: '2024-01-03T10:00:00Z',
      }),
      nth,
    ),
  );
  const list = (path: RegExp, rows: readonly Json[]): Route => [
    path,
    (asked) => {
      const { rows: body, next } = byCursor(rows, asked, 'after');
      const since = asked.url.searchParams.get('since') ?? '';
      const home = asked.url.pathname.replace('/repos/acme/shop', '/repositories/7');
      const link = `<${asked.origin}${home}?after=${next}>; rel="next", <${asked.origin}/x>; rel="last"`;
      return {
        body: since > '2025' ? [] : body,
        headers: next === undefined || since > '2025' ? {} : { link },
      };
    },
  ];
  return {
    env: { GITHUB_TOKEN: 'ghp_token1' },
    header: bearer('ghp_token1'),
    settings: 'agents: { mia: agt_2 }\ncustomersWithoutEmail: { synthesize: import.example }\n',
    tickets,
    main: 'issues',
    holds: () => ({ issues: tickets, comments }),
    base: '/repos/acme/shop',
    routes: [
      // one is in no list, one is a discussion
      list(
        /^\/repos\/acme\/shop\/issues$|^\/repositories\/7\/issues$/,
        tickets.filter(({ id }) => id !== 2),
      ),
      [/\/issues\/(\d+)$/, ({ match: [, id] }) => all(tickets, id, 'number')[0] ?? { status: 410 }],
      list(/^\/repos\/acme\/shop\/issues\/comments$|^\/repositories\/7\/issues\/comments$/, comments),
    ],
  };
}

export const FAKES: Readonly<Record<string, () => Fake>> = {
  ...{ freshdesk, front, 'github-issues': githubIssues, gorgias, helpscout, hubspot, intercom, jira },
  ...{ freshservice, salesforce, servicenow, zendesk, zohodesk },
};

export interface Served extends AsyncDisposable {
  readonly env: Record<string, string>;
  readonly origin: string;
  /** Paths with their queries, first to last. */
  readonly asked: string[];
  /** Answers in place of the platform: the nth request from 1, or undefined to let it answer. */
  fault: (nth: number, path: string, request: IncomingMessage) => Reply | undefined;
}

export async function serve(name: string, fake: Fake): Promise<Served> {
  const asked: string[] = [];
  const server = await listening(async (request, response) => {
    const url = new URL(request.url ?? '/', served.origin);
    asked.push(url.pathname + url.search);
    const send = ({ status = 200, body = {}, raw = JSON.stringify(body), headers = {} }: Reply) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(raw);
    const fault = served.fault(asked.length, url.pathname + url.search, request);
    if (fault !== undefined) return send(fault);
    if (request.method === 'POST' && url.pathname === fake.oauth?.[0])
      return send({ body: { access_token: fake.oauth[1], token_type: 'Bearer', expires_in: 3600 } });
    if (request.method === 'POST' ? !fake.posts?.test(url.pathname) : request.method !== 'GET')
      return send({ status: 405, body: { error: 'Only GET' } });
    let text = '';
    for await (const part of request) text += part;
    const body = text === '' ? {} : JSON.parse(text);
    const [header = '', value] = fake.header ?? [];
    if (fake.header !== undefined && request.headers[header] !== value)
      return send({ status: 401, body: { error: 'Couldn’t authenticate you' } });
    for (const [pattern, answer] of fake.routes) {
      const match = pattern.exec(url.pathname);
      if (match === null) continue;
      const made = answer({ url, match, origin: served.origin, body });
      const isReply =
        !Array.isArray(made) &&
        (('body' in made && 'headers' in made) || Object.keys(made).join() === 'status');
      return send(isReply ? (made as Reply) : { body: made });
    }
    send({ status: 404, body: { error: 'RecordNotFound' } });
  });
  const served: Served & { origin: string } = {
    env: {},
    origin: server.url,
    asked,
    fault: () => undefined,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
  Object.assign(served.env, fake.env, {
    [`${name.split('-')[0]?.toUpperCase()}_URL`]: served.origin + (fake.base ?? ''),
  });
  return served;
}
