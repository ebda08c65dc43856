/** Requests to the sandbox: what a client may write to its port. */
import fc from 'fast-check';
import { routesOf } from '../../src/sandbox/core/routes.ts';
import type { SentRequest } from './sandbox-faults.ts';
import { edits, text } from './texts.ts';

const latin1 = (value: string) => Buffer.from(value.toWellFormed()).toString('latin1');
const TIME = '2024-01-02T03:04:05Z';
const TICKET = { subject: 'Hello', contact: { email: 'ann@example.com', name: 'Ann' }, createdAt: TIME };
const MESSAGE = { actorType: 'customer', content: 'x', occurredAt: TIME };
const CONTACT = { email: 'bob@example.com', name: 'Bob', tags: ['a'] };
/** Calls that are right, for a part of them to be made wrong. */
const CALLS: readonly (readonly [method: string, path: string, body: unknown])[] = [
  [
    'POST',
    '/v1/tickets',
    { ...TICKET, tags: ['a'], status: 'closed', priority: 'high', readOnly: true, managedBy: 'x' },
  ],
  [
    'POST',
    '/v1/tickets',
    { subject: 'Hello', contactIds: ['con_000000000001'], channelId: 'chn_email', updatedAt: TIME },
  ],
  ['PUT', '/v1/tickets/{id}', { subject: 'Other', status: 'open', assignedToId: 'a' }],
  [
    'PUT',
    '/v1/tickets/{id}/messages',
    [
      MESSAGE,
      {
        ...MESSAGE,
        actorType: 'agent',
        agentId: 'a',
        attachments: [{ url: 'https://x.example/y', name: 'y' }],
      },
    ],
  ],
  [
    'POST',
    '/v1/tickets/{id}/messages',
    { ...MESSAGE, messageId: '<a@b>', inReplyToId: '<c@d>', referencesIds: ['<e@f>'] },
  ],
  [
    'PUT',
    '/v1/tickets/{id}/events',
    [
      {
        type: 'status_changed',
        actorType: 'agent',
        agentId: 'a',
        occurredAt: TIME,
        newValue: { status: 'open' },
      },
    ],
  ],
  ['POST', '/v1/tickets/{id}/events', { type: 'note', actorType: 'system', occurredAt: TIME }],
  ['POST', '/v1/contacts', CONTACT],
  ['PUT', '/v1/contacts/con_000000000001', CONTACT],
  ['POST', '/v1/contacts/con_000000000001/addTags', { tags: ['a', 'b'] }],
  ['POST', '/v1/agents', { email: 'mia@example.com', name: 'Mia' }],
  ['POST', '/v1/attachments', { filename: 'ä.png', contentType: 'image/png' }],
  [
    'POST',
    '/v1/usage_events',
    { eventName: 'import', customerId: 'c1', eventId: 'e1', timestamp: 1704164645000, properties: { n: 1 } },
  ],
  ['POST', '/v1/usage_events', { events: [{ eventName: 'import', customerId: 'c1', timestamp: TIME }] }],
  [
    'POST',
    '/v1/identify',
    {
      platform: 'shopify',
      platformId: 'c1',
      name: 'x',
      email: 'a@b.example',
      customFields: {},
      features: {},
    },
  ],
  ['POST', '/acceptance/{id}', { accepted: 'yes' }],
];
const BODIES = CALLS.map(([, , body]) => body);
const words = (text: string) => text.split(' ');
const PAGES = words(
  '/ /tickets/{id} /tickets/{id}/messages/{id} /tickets/{id}/messages/{id}/body ' +
    '/contacts /contacts/{id} /left-out /acceptance /acceptance/{id} /usage /usage/{id}',
);
const PATHS = [
  ...new Set(routesOf(false).flatMap(({ path }) => [`/v1${path}`, `/api/core/v1${path}`])),
  ...PAGES,
  ...words(
    '/oauth/token /uploads/{id}/{id} /files/{id}/{id}/{id} /kept-files/ab/{id} /v1 /v1/ // /.. /% /%00 * ? x: http:// http://{host}/',
  ),
];
const QUERY_NAMES = [
  ...new Set(routesOf(false).flatMap(({ query }) => Object.keys(query.shape))),
  ...['token', 'page', 'q', 'view', 'sort', 'before', 'after', 'status', '__proto__', ''],
];
const HEADERS = words(
  'content-type content-length transfer-encoding content-encoding expect connection host authorization cookie range te trailer ' +
    'if-none-match accept-encoding upgrade origin x-mantle-app-id x-mantle-app-api-key x-mantle-customer-api-token sec-fetch-site',
);
const HEADER_VALUES = [
  ...words(
    'chunked gzip 100-continue close keep-alive upgrade websocket h2c application/json text/html bytes=0-',
  ),
  ...words('application/x-www-form-urlencoded 0 -1 5 1e3 99999999999 104857601'),
  ...['gzip, chunked', 'multipart/form-data; boundary=x', 'Basic x', 'Basic ', 'Bearer ', 'Bearer {token}'],
];

/** An id that there may be, or any text. */
const id = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        'tkt_000000000001',
        'msg_000000000001',
        'con_000000000001',
        'tkt_999999999999999',
        'c1',
        'import',
        '1',
      ],
    ),
  },
  { weight: 3, arbitrary: text.map((value) => encodeURIComponent(value.toWellFormed()).slice(0, 5000)) },
  { weight: 1, arbitrary: text.map(latin1) },
);
const filled = (path: string, ids: readonly string[], query: readonly (readonly [string, string])[]) => {
  let nth = 0;
  const place = path.replaceAll(/\{(?!host)\w+\}/g, () => ids[nth++ % ids.length] ?? '');
  return query.length === 0 ? place : `${place}?${query.map((pair) => pair.join('=')).join('&')}`;
};
const ids = fc.array(id, { minLength: 3, maxLength: 3 });

interface Call {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}
/** One that is right, or has another value somewhere in its body. */
const write: fc.Arbitrary<Call> = fc
  .tuple(
    fc.constantFrom(...CALLS),
    fc.option(id),
    fc.option(fc.tuple(fc.nat(), fc.oneof(text, fc.jsonValue()))),
  )
  .map(([[method, path, body], other, change]) => ({
    method,
    target: filled(path, [other ?? 'tkt_000000000001'], []),
    body: latin1(change === null ? JSON.stringify(body) : withValue(body, ...change)),
  }));
const READS = [
  ...routesOf(false).flatMap(({ method, path, query }) =>
    method === 'GET' ? [{ path: `/v1${path}`, names: Object.keys(query.shape) }] : [],
  ),
  ...PAGES.map((path) => ({ path, names: ['token', 'page', 'search', 'view', 'sort', 'cursor', 'status'] })),
];
const read: fc.Arbitrary<Call> = fc
  .constantFrom(...READS)
  .chain(({ path, names }) =>
    fc.tuple(
      fc.constant(path),
      ids,
      names.length === 0
        ? fc.constant([])
        : fc.array(fc.tuple(fc.constantFrom(...names), id), { maxLength: 3 }),
    ),
  )
  .map(([path, some, query]) => ({ method: 'GET', target: filled(path, some, query), body: '' }));

const jsonBody = fc.oneof(
  fc
    .tuple(fc.constantFrom(...BODIES), fc.option(fc.tuple(fc.nat(), fc.oneof(text, fc.jsonValue()))))
    .map(([body, change]) => (change === null ? JSON.stringify(body) : withValue(body, ...change))),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.constantFrom('[', '{"a":', '[1,'), fc.integer({ min: 1, max: 100_000 }))
    .map(([unit, n]) => unit.repeat(n)),
);
/** The nth value in it is another one. */
function withValue(body: unknown, nth: number, value: unknown): string {
  const json = JSON.stringify(body);
  const pattern = /(?<=[:[,])(?:"(?:[^"\\]|\\.)*"|-?\d+|true|false|null|\{\}|\[\])/g;
  const count = json.match(pattern)?.length ?? 1;
  let at = 0;
  return json.replace(pattern, (old) => (at++ === nth % count ? (JSON.stringify(value) ?? old) : old));
}
const bodyOf = fc.oneof(
  { weight: 4, arbitrary: jsonBody.map(latin1) },
  { weight: 1, arbitrary: text.map(latin1) },
  {
    weight: 1,
    arbitrary: fc
      .array(
        fc.tuple(fc.constantFrom('grant_type', 'client_id', 'client_secret', 'refresh_token', 'scope'), id),
      )
      .map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
  },
);
const anyCall: fc.Arbitrary<Call> = fc.record({
  method: fc.constantFrom(
    ...['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS'],
    ...['TRACE', 'CONNECT', 'QUERY', 'PURGE', 'get', ''],
  ),
  target: fc
    .tuple(
      fc.constantFrom(...PATHS),
      ids,
      fc.array(fc.tuple(fc.constantFrom(...QUERY_NAMES), id), { maxLength: 4 }),
    )
    .map(([path, some, query]) => filled(path, some, query)),
  body: bodyOf,
});

const framed = (body: string, how: number): string => {
  if (how === 0) return `\r\n${body}`;
  if (how === 1) return `Content-Length: ${body.length}\r\n\r\n${body}`;
  if (how === 2) return `Content-Length: ${body.length + 10}\r\n\r\n${body}`;
  const size = body.length.toString(16);
  const chunked = body === '' ? '0\r\n\r\n' : `${size}\r\n${body}\r\n0\r\n\r\n`;
  const odd = [
    chunked,
    `${size};x=${'y'.repeat(how * 100)}\r\n${body}\r\n`,
    `FFFFFFFFFFFFFFFF\r\n${body}`,
    `-1\r\n${body}`,
  ];
  return `Transfer-Encoding: chunked\r\n\r\n${odd[how % odd.length] ?? chunked}`;
};

const header = fc.tuple(
  fc.constantFrom(...HEADERS),
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...HEADER_VALUES) },
    { weight: 1, arbitrary: text.map(latin1) },
  ),
);
const request: fc.Arbitrary<SentRequest> = fc
  .record({
    call: fc.oneof(
      { weight: 2, arbitrary: write },
      { weight: 2, arbitrary: read },
      { weight: 1, arbitrary: anyCall },
    ),
    json: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    more: fc.oneof(
      { weight: 3, arbitrary: fc.constant([] as [string, string][]) },
      { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }) },
    ),
    how: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.nat({ max: 6 }) }),
    changes: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: edits }),
    pieces: fc.integer({ min: 1, max: 4 }),
    after: fc.oneof(
      { weight: 9, arbitrary: fc.constant('wait' as const) },
      { weight: 1, arbitrary: fc.constantFrom('end' as const, 'reset' as const) },
    ),
  })
  .map(({ call: { method, target, body }, json, more, how, changes, pieces, after }) => {
    const headers = [
      'Host: {host}',
      'Connection: close',
      'Authorization: Bearer {token}',
      'X-Mantle-App-Id: {app}',
      'X-Mantle-App-Api-Key: {key}',
      ...(json ? ['Content-Type: application/json'] : []),
      ...more.map(([name, value]) => `${name}: ${value}`),
    ];
    const reads = method === 'GET' || method === 'HEAD';
    const rest = reads && how === 1 ? '\r\n' : framed(body, how);
    const sent = `${method} ${target} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}${rest}`;
    return { text: sent, edits: changes, pieces, after };
  });

export const requests = fc.array(request, { minLength: 1, maxLength: 30 });
