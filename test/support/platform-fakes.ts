/** Old helpdesks as their API references describe them, over fixtures/platforms; one server plays any. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { listening } from './canned.ts';
import { fixtures } from './cli.ts';

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
  readonly raw?: string | Buffer;
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

type Rows = Readonly<Record<string, Json[]>>;

/** The rows by the name of their file, as they are there after an export. */
const rowsOf = (name: string): Rows =>
  JSON.parse(readFileSync(join(fixtures, `platforms/${name}.json`), 'utf8'));

const all = (rows: readonly Json[], id: string | undefined, column = 'id') =>
  rows.filter((row) => String(row[column]) === id);
const without = (row: Json, ...columns: string[]): Json =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)));
const only = (row: Json, columns: readonly unknown[]): Json =>
  Object.fromEntries(Object.entries(row).filter(([column]) => columns.includes(column)));
const since = (rows: readonly Json[], column: string, from: string) =>
  rows.filter((row) => String(row[column]) >= from);

const basic = (pair: string) => ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`] as const;
const bearer = (token: string) => ['authorization', `Bearer ${token}`] as const;

/** Page `page` of as many rows as `size` says. */
const byNumber = (rows: readonly unknown[], { url }: Asked, size = 'per_page') => {
  const most = Number(url.searchParams.get(size));
  const at = (Number(url.searchParams.get('page')) - 1) * most;
  return rows.slice(at, at + most);
};
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
  rows: readonly Json[],
  shape: (rows: readonly Json[], next: string | undefined) => Json,
): Route => [
  path,
  (asked) => {
    const page = byCursor(rows, asked, name);
    return shape(page.rows, page.next);
  },
];
const single = (path: RegExp, rows: readonly Json[], column = 'id', status = 404): Route => [
  path,
  ({ match: [, id] }) => all(rows, id, column)[0] ?? { status },
];

/** Every third ticket is archived: in no list, and asked for in its own way. */
function fresh(name: string, wrap: (kind: string, answer: unknown) => Reply | unknown[] | Json) {
  const rows = rowsOf(name);
  const { tickets = [], conversations = [] } = rows;
  const isArchived = (one: Json) => one['conversations'] === undefined;
  const ofTicket = (id: string) => {
    const own = all(conversations, id, 'ticket_id');
    return own.length > 0 ? own : ((all(tickets, id)[0]?.['conversations'] as Json[] | undefined) ?? []);
  };
  const listed = tickets
    .filter((one) => !isArchived(one))
    .map((one) => without(one, 'description', 'description_text', 'attachments', 'conversations'))
    .toSorted((a, b) => (String(a['updated_at']) < String(b['updated_at']) ? -1 : 1));
  const routes: Route[] = [
    [
      /^\/api\/v2\/tickets$/,
      (asked) => {
        const from = Date.parse(asked.url.searchParams.get('updated_since') ?? '');
        const found = listed.filter(({ updated_at }) => Date.parse(String(updated_at)) >= from);
        const { searchParams } = asked.url;
        const isHere = ({ workspace_id = 1 }: Json) =>
          searchParams.get('workspace_id') === '0' || workspace_id === 1;
        return wrap('tickets', (byNumber(found, asked) as Json[]).filter(isHere));
      },
    ],
    [
      /^\/api\/v2\/tickets\/(archived\/)?(\d+)$/,
      ({ match: [, archive, id] }) => {
        const [one] = all(tickets, id);
        const isHere = one !== undefined && isArchived(one) === (archive !== undefined);
        return isHere ? wrap('ticket', one) : { status: 404 };
      },
    ],
    [
      /^\/api\/v2\/tickets\/(?:archived\/)?(\d+)\/conversations$/,
      (asked) => wrap('conversations', byNumber(ofTicket(asked.match[1] ?? ''), asked)),
    ],
    [/^\/api\/v2\/agents$/, (asked) => wrap('agents', byNumber(rows['agents'] ?? [], asked))],
  ];
  return { header: basic('fd-key-1234:X'), tickets, holds: () => rows, routes, rows };
}

export function freshdesk(): Fake {
  const { rows, ...fake } = fresh('freshdesk', (_, answer) => answer as Json);
  const STATES = ['verified', 'blocked', 'deleted'];
  const contacts: Route = [
    /^\/api\/v2\/contacts$/,
    (asked) => {
      const at = STATES.indexOf(asked.url.searchParams.get('state') ?? 'verified');
      return byNumber(rows['contacts']?.slice(at, at + 1) ?? [], asked);
    },
  ];
  return { ...fake, env: { FRESHDESK_TOKEN: 'fd-key-1234' }, routes: [...fake.routes, contacts] };
}

/** As Freshdesk, with rows under a name; a list without a workspace has that of the first alone. */
function freshservice(): Fake {
  const { rows, ...fake } = fresh('freshservice', (kind, answer) => ({ [kind]: answer }));
  const requesters: Route = [
    /^\/api\/v2\/requesters$/,
    (asked) => ({ requesters: byNumber(rows['requesters'] ?? [], asked) }),
  ];
  return { ...fake, env: { FRESHSERVICE_TOKEN: 'fd-key-1234' }, routes: [...fake.routes, requesters] };
}

export function zendesk(): Fake {
  const rows = rowsOf('zendesk');
  const { tickets = [], users = [], comments = [], groups = [], conversation_log: log = [] } = rows;
  const { side_conversations: sides = [], side_conversation_events: sideEvents = [], audits = [] } = rows;
  const [AI_AGENT, UNLISTED] = [43, 44];
  const listed = tickets.filter(({ id }) => id !== UNLISTED);
  /** `cursor` of incremental exports. */
  const stream = (kind: string): Route => [
    new RegExp(`^/api/v2/incremental/${kind}/cursor\\.json$`),
    ({ url }) => {
      // heavy pages time out, each time
      if (!(Number(url.searchParams.get('per_page') ?? 1000) <= 250)) return { status: 504 };
      const at = Number(url.searchParams.get('cursor') ?? 0);
      const isAll = url.searchParams.get('support_type_scope') === 'all';
      const found = kind === 'tickets' ? listed.filter(({ id }) => isAll || id !== AI_AGENT) : users;
      const end = Math.min(at + 2, found.length);
      return { [kind]: found.slice(at, end), after_cursor: String(end), end_of_stream: end >= found.length };
    },
  ];
  /** `page[after]` of the other lists. */
  const list = (path: string, kind: string, of: (id: string) => readonly unknown[]): Route => [
    new RegExp(`^/api/v2/${path}$`),
    ({ url, match: [, id = ''] }) => {
      if (path.startsWith('tickets') && all(tickets, id).length === 0) return { status: 404 };
      const at = Number(url.searchParams.get('page[after]') ?? 0);
      const end = at + 2;
      const meta = { has_more: end < of(id).length, after_cursor: String(end) };
      return { [kind]: of(id).slice(at, end), meta };
    },
  ];
  const parts = (of: readonly Json[]) => (id: string) =>
    all(of, id, 'ticket_id').map((one) => without(one, 'ticket_id'));
  const metadata = { system: { ip_address: '192.0.2.7' } };
  return {
    env: { ZENDESK_TOKEN: 'zd-token-1234', ZENDESK_EMAIL: 'mia@team.example' },
    header: basic('mia@team.example/token:zd-token-1234'),
    tickets,
    holds: () => rows,
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
      list('tickets/(\\d+)/comments.json', 'comments', parts(comments)),
      list(
        'tickets/(\\d+)/conversation_log',
        'events',
        parts([...log, { ...log[0], id: 'c1', type: 'Comment' }]),
      ),
      list('tickets/(\\d+)/side_conversations', 'side_conversations', (id) => (id === '41' ? sides : [])),
      list('tickets/(\\d+)/side_conversations/sc1/events', 'events', () => sideEvents),
      list('tickets/(\\d+)/audits.json', 'audits', (id) =>
        all(audits, id, 'ticket_id').map((one) => ({ ...one, metadata })),
      ),
    ],
  };
}

function helpscout(): Fake {
  const rows = rowsOf('helpscout');
  const { conversations = [], threads = [], customers = [] } = rows;
  const paged = (kind: string, of: (id: string) => readonly Json[], path = kind): Route => [
    new RegExp(`^/v2/${path}$`),
    ({ url, match: [, id = ''] }) => {
      const found = of(id);
      const number = Number(url.searchParams.get('page'));
      const page = { size: 2, number, totalElements: found.length, totalPages: Math.ceil(found.length / 2) };
      return { _embedded: { [kind]: found.slice(2 * (number - 1), 2 * number) }, page };
    },
  ];
  const ofTicket = (id: string) =>
    all(threads, id, 'conversationId').map((one) => without(one, 'conversationId'));
  return {
    env: { HELPSCOUT_CLIENT_ID: 'hs-client', HELPSCOUT_CLIENT_SECRET: 'hs-secret-1' },
    oauth: ['/v2/oauth2/token', 'hs-access-1'],
    header: bearer('hs-access-1'),
    tickets: conversations,
    main: 'conversations',
    holds: () => rows,
    routes: [
      paged('conversations', () => conversations),
      paged('threads', ofTicket, 'conversations/(\\d+)/threads'),
      paged('customers', () => customers),
    ],
  };
}

function gorgias(): Fake {
  const rows = rowsOf('gorgias');
  const { tickets = [] } = rows;
  // the list ends early
  const listed = tickets.filter(({ id }) => id !== 6).map((one) => without(one, 'messages'));
  const shape = (data: readonly Json[], next_cursor?: string) => ({ data, meta: { next_cursor } });
  return {
    env: { GORGIAS_EMAIL: 'mia@team.example', GORGIAS_TOKEN: 'gg-key-1' },
    header: basic('mia@team.example:gg-key-1'),
    tickets,
    holds: () => rows,
    routes: [
      cursors(/^\/api\/tickets$/, 'cursor', listed, shape),
      single(/^\/api\/tickets\/(\d+)$/, tickets),
    ],
  };
}

function intercom(): Fake {
  const rows = rowsOf('intercom');
  const { conversations = [], tickets = [], admins = [], contacts = [] } = rows;
  const listed = conversations.map((one, at) => ({
    ...without(one, 'conversation_parts'),
    updated_at: 1_600_000_000 + at,
  }));
  const pages = (key: string) => (found: readonly Json[], starting_after: string | undefined) => ({
    [key]: found,
    pages: { next: starting_after === undefined ? null : { starting_after } },
  });
  /** Newest change first unless a search asks for another order; while it is read, the oldest is answered. */
  const search = (kind: string, of: Json[]): Route => [
    new RegExp(`^/${kind}/search$`),
    ({ body }) => {
      const { query, sort, pagination } = body as Record<string, Json>;
      const order = sort?.['order'] === 'ascending' ? 1 : -1;
      const found = of
        .filter((one) => Number(one['updated_at']) > Number(query?.['value']))
        .toSorted((a, b) => order * (Number(a['updated_at']) - Number(b['updated_at'])));
      const at = Number(pagination?.['starting_after'] ?? 0);
      const page = found.slice(at, at + 2);
      const [oldest] = of;
      if (oldest !== undefined && Number(oldest['updated_at']) < 1_700_000_000)
        oldest['updated_at'] = 1_700_000_000;
      return pages(kind)(page, at + 2 < found.length ? String(at + 2) : undefined);
    },
  ];
  return {
    env: { INTERCOM_TOKEN: 'ic-token-1' },
    header: bearer('ic-token-1'),
    tickets: [...conversations, ...tickets],
    main: 'conversations',
    posts: /^\/(?:conversations|tickets)\/search$/,
    holds: () => rows,
    routes: [
      search('conversations', listed),
      search('tickets', tickets),
      single(/^\/conversations\/(\d+)$/, conversations),
      cursors(/^\/contacts$/, 'starting_after', contacts, pages('data')),
      [/^\/admins$/, () => ({ admins })],
    ],
  };
}

function front(): Fake {
  const rows = rowsOf('front');
  const { conversations: tickets = [], messages = [], comments = [] } = rows;
  /** Links name the company's own host. */
  const list = (path: RegExp, of: (id: string) => readonly Json[]): Route => [
    path,
    (asked) => {
      const { rows: _results, next } = byCursor(of(asked.match[1] ?? ''), asked, 'page_token');
      asked.url.searchParams.set('page_token', String(next));
      const link = `https://acme.api.frontapp.com${asked.url.pathname}${asked.url.search}`;
      return { _results, _pagination: { next: next === undefined ? null : link } };
    },
  ];
  /** Newest change first by default; while it is read, the oldest is answered. */
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
  const of = (parts: readonly Json[]) => (id: string) =>
    all(parts, id, 'conversation_id').map((one) => without(one, 'conversation_id'));
  return {
    env: { FRONT_TOKEN: 'fr-token-1' },
    header: bearer('fr-token-1'),
    tickets,
    main: 'conversations',
    holds: () => rows,
    routes: [
      conversations,
      list(/^\/conversations\/(\w+)\/messages$/, of(messages)),
      list(/^\/conversations\/(\w+)\/comments$/, of(comments)),
    ],
  };
}

function hubspot(): Fake {
  const rows = rowsOf('hubspot');
  const { tickets = [], files = [], stages = [], thread_messages = [], originals = [] } = rows;
  const said = thread_messages.map((one) => without(one, 'ticketId'));
  /** A chat of ticket 901, of which a list has the beginning of one text and an older part is archived, and a thread without a ticket. */
  const thread = (id: string) => ({ id, threadAssociations: { associatedTicketId: '901' } });
  const list = (path: string, of: (asked: Asked) => readonly Json[], api = 'crm/v3'): Route => [
    new RegExp(`^/${api}/${path}$`),
    (asked) => {
      const { rows: results, next: after } = byCursor(of(asked), asked, 'after');
      return { results, ...(after && { paging: { next: { after } } }) };
    },
  ];
  const CHATS = 'conversations/v3/conversations';
  /** An object has the properties that were asked for. */
  const some = (one: Json, names: readonly unknown[]) => ({
    ...one,
    properties: only(one['properties'] as Json, names),
  });
  return {
    env: { HUBSPOT_TOKEN: 'pat-eu1-1' },
    header: bearer('pat-eu1-1'),
    tickets,
    posts: /\/batch\/read$/,
    holds: () => rows,
    routes: [
      list('properties/tickets', () => [{ name: 'subject', hubspotDefined: true }, { name: 'colour' }]),
      list('objects/tickets', ({ url }) =>
        tickets.map((one) => some(one, url.searchParams.get('properties')?.split(',') ?? [])),
      ),
      [
        /^\/crm\/v3\/objects\/(\w+)\/batch\/read$/,
        ({ match: [, kind = ''], body }) => ({
          results: (body['inputs'] as Json[]).flatMap(({ id }) =>
            all(rows[kind] ?? [], String(id))
              .slice(0, 1)
              .map((one) => some(without(one, 'ticketId'), body['properties'] as string[])),
          ),
        }),
      ],
      [
        /^\/files\/v3\/files\/(\w+)\/signed-url$/,
        ({ match: [, id] }) => only(all(files, id, 'name')[0] ?? {}, ['name', 'extension', 'url', 'size']),
      ],
      list('objects/contacts', () => rows['contacts'] ?? []),
      list('owners', () => rows['owners'] ?? []),
      list(
        'threads',
        ({ url }) =>
          url.searchParams.get('archived') === 'true' ? [thread('t3')] : [thread('t1'), { id: 't2' }],
        CHATS,
      ),
      list('threads/t1/messages', () => [...said.slice(0, -1), { id: 'm9', type: 'ASSIGNMENT' }], CHATS),
      list('threads/t3/messages', () => said.slice(-1), CHATS),
      [/\/threads\/t1\/messages\/m2\/original-content$/, () => without(originals[0] ?? {}, 'messageId')],
      [/^\/crm\/v3\/pipelines\/tickets$/, () => ({ results: [{ id: '0', stages }] })],
    ],
  };
}

/** SOQL: the fields that a query names, and two rows a page with the address of the next. */
function salesforce(): Fake {
  const rows = rowsOf('salesforce');
  const { cases = [], emails = [], comments = [], history = [], contacts = [], users = [] } = rows;
  const tables: Rows = {
    ...{ Case: cases, EmailMessage: emails, CaseComment: comments, CaseHistory: history },
    ...{ Contact: contacts, User: users },
  };
  const some = (soql: string) => {
    const [, fields = '', object = ''] = /^SELECT (.*) FROM (\w+)/.exec(soql) ?? [];
    return (tables[object] ?? []).map((row) => only(row, fields.split(/, ?/)));
  };
  const fields = [
    { name: 'Subject', custom: false },
    { name: 'Colour__c', custom: true },
  ];
  return {
    env: { SALESFORCE_TOKEN: 'sf-session-1' },
    header: bearer('sf-session-1'),
    settings: 'agents: { mia@team.example: agt_2 }\n',
    tickets: cases,
    main: 'cases',
    holds: () => rows,
    routes: [
      [/\/sobjects\/Case\/describe$/, () => ({ fields })],
      [
        /\/queryAll$/,
        (asked) => {
          const soql = asked.url.searchParams.get('q') ?? '';
          const found = some(soql);
          const { rows: records, next } = byCursor(found, asked, 'at');
          const nextRecordsUrl = `${asked.url.pathname}?q=${encodeURIComponent(soql)}&at=${next}`;
          const done = next === undefined;
          return { totalSize: found.length, done, records, ...(!done && { nextRecordsUrl }) };
        },
      ],
    ],
  };
}

function jira(): Fake {
  const rows = rowsOf('jira');
  const { issues: tickets = [], comments = [] } = rows;
  const long = comments.map((one) => without(one, 'issueId'));
  return {
    env: { JIRA_EMAIL: 'mia@team.example', JIRA_TOKEN: 'ji-token-1' },
    header: basic('mia@team.example:ji-token-1'),
    tickets,
    main: 'issues',
    holds: () => rows,
    routes: [
      cursors(/^\/rest\/api\/2\/search\/jql$/, 'nextPageToken', tickets, (issues, nextPageToken) => ({
        ...{ issues, nextPageToken, isLast: nextPageToken === undefined },
      })),
      [
        /^\/rest\/api\/2\/issue\/3\/comment$/,
        // fewer than asked for, though more follow
        (asked) => ({ comments: byOffset(long, asked, 'startAt').slice(0, 1), total: long.length }),
      ],
    ],
  };
}

function zohodesk(): Fake {
  const rows = rowsOf('zohodesk');
  const { tickets = [], threads = [], comments = [], tags = [], agents = [], contacts = [] } = rows;
  // the first is archived, the second is in no list
  const [archived] = tickets;
  /** An empty page is 204, without a body; a list ends early, with 422 (here after four rows, there after 5,000). */
  const list = (path: RegExp, of: (id: string, asked: Asked) => readonly Json[]): Route => [
    path,
    (asked) => {
      if (Number(asked.url.searchParams.get('from') ?? 0) > 3) return { status: 422 };
      const found = of(asked.match[1] ?? '', asked);
      const data = byOffset(found, asked, 'from');
      return data.length === 0 ? { status: 204 } : { data, count: found.length };
    },
  ];
  const search = (kind: string, of: readonly Json[]) =>
    list(new RegExp(`^/api/v1/${kind}/search$`), (_, { url }) => {
      const number = url.searchParams.get('ticketNumber');
      if (number !== null) return all(tickets, number, 'ticketNumber');
      const [from = ''] = (url.searchParams.get('modifiedTimeRange') ?? '').split(',');
      return since(of, 'modifiedTime', from);
    });
  const parts = (of: readonly Json[]) => (id: string) =>
    all(of, id, 'ticketId').map((one) => without(one, 'ticketId'));
  return {
    env: {
      ...{ ZOHODESK_CLIENT_ID: 'zo-client', ZOHODESK_CLIENT_SECRET: 'zo-secret-1' },
      ...{ ZOHODESK_REFRESH_TOKEN: 'zo-refresh-1', ZOHODESK_ORG_ID: '7' },
    },
    oauth: ['/oauth/v2/token', 'zo-access-1'],
    header: ['authorization', 'Zoho-oauthtoken zo-access-1'],
    tickets,
    holds: () => rows,
    routes: [
      search('tickets', tickets.slice(2)),
      list(/^\/api\/v1\/departments$/, () => [{ id: '1' }, { id: '2' }]),
      list(/^\/api\/v1\/tickets\/archivedTickets$/, (_, { url }) =>
        archived !== undefined && url.searchParams.get('departmentId') === '1' ? [archived] : [],
      ),
      list(/^\/api\/v1\/tickets\/(\d+)\/tags$/, parts(tags)),
      single(/^\/api\/v1\/tickets\/(\d+)$/, tickets),
      list(/^\/api\/v1\/tickets\/(\d+)\/threads$/, (id) =>
        all(threads, id, 'ticketId').map((one) => only(one, ['id', 'direction'])),
      ),
      [
        /^\/api\/v1\/tickets\/\d+\/threads\/(\d+)$/,
        ({ match: [, id] }) => without(all(threads, id)[0] ?? {}, 'ticketId'),
      ],
      list(/^\/api\/v1\/tickets\/(\d+)\/comments$/, parts(comments)),
      search('contacts', contacts),
      list(/^\/api\/v1\/agents$/, () => agents),
    ],
  };
}

function servicenow(): Fake {
  const rows = rowsOf('servicenow');
  const { incidents: tickets = [], journal = [], users = [] } = rows;
  const list = (table: string, column: string, of: readonly Json[]): Route => [
    new RegExp(`^/api/now/table/${table}$`),
    (asked) => {
      const query = asked.url.searchParams.get('sysparm_query') ?? '';
      const found = since(of, column, new RegExp(`${column}>=([^^]*)`).exec(query)?.[1] ?? '');
      // rows that the user may not see are taken out of the page
      const result = byOffset(found, asked, 'sysparm_offset').filter((row) => row['sys_id'] !== 'hidden');
      return { body: { result }, headers: { 'x-total-count': String(found.length) } };
    },
  ];
  const hidden = { sys_id: 'hidden', sys_updated_on: '2024-05-01 09:00:00' };
  return {
    env: { SERVICENOW_USER: 'mia', SERVICENOW_TOKEN: 'sn-password-1' },
    header: basic('mia:sn-password-1'),
    tickets,
    main: 'incidents',
    incomplete: [{ what: 'incidents', parent: '', count: 6, found: 5 }],
    holds: () => rows,
    routes: [
      list('incident', 'sys_updated_on', [hidden, ...tickets]),
      list('sys_journal_field', 'sys_created_on', journal),
      list('sys_user', 'sys_updated_on', users),
    ],
  };
}

function githubIssues(): Fake {
  const rows = rowsOf('github-issues');
  const { issues: tickets = [], comments = [] } = rows;
  const list = (path: RegExp, of: readonly Json[]): Route => [
    path,
    (asked) => {
      const { rows: body, next } = byCursor(of, asked, 'after');
      if ((asked.url.searchParams.get('since') ?? '') > '2025') return { body: [], headers: {} };
      const home = asked.url.pathname.replace('/repos/acme/shop', '/repositories/7');
      const link = `<${asked.origin}${home}?after=${next}>; rel="next", <${asked.origin}/x>; rel="last"`;
      return { body, headers: next === undefined ? {} : { link } };
    },
  ];
  return {
    env: { GITHUB_TOKEN: 'ghp_token1' },
    header: bearer('ghp_token1'),
    settings: 'agents: { mia: agt_2 }\ncustomersWithoutEmail: { synthesize: import.example }\n',
    tickets,
    main: 'issues',
    holds: () => rows,
    base: '/repos/acme/shop',
    routes: [
      // one is in no list, one is a discussion
      list(
        /^\/repos\/acme\/shop\/issues$|^\/repositories\/7\/issues$/,
        tickets.filter(({ id }) => id !== 2),
      ),
      single(/\/issues\/(\d+)$/, tickets, 'number', 410),
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
