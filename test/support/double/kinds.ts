/** What a request is, by its method and path. */
const CORE = '(?:/api/core)?/v1';
const TABLE: readonly (readonly [kind: string, call: string])[] = [
  ['create', `POST ${CORE}/tickets`],
  ['list', `GET ${CORE}/tickets`],
  ['update', `PUT ${CORE}/tickets/[^/]+`],
  ['messages', `PUT ${CORE}/tickets/[^/]+/messages`],
  ['events', `PUT ${CORE}/tickets/[^/]+/events`],
  ['read', `GET ${CORE}/tickets/.+`],
  ['agents', `GET ${CORE}/agents`],
  ['contacts', `GET ${CORE}/contacts`],
  ['attachments', `POST ${CORE}/attachments`],
  ['workspace', `GET ${CORE}/(?:channels|organization|me)`],
  ['usage-events', 'POST /v1/usage_events'],
  ['billing', 'GET /v1/(?:customer|usage)'],
  ['upload', 'PUT /uploads/.+'],
  ['download', 'GET /files/.+'],
  ['token', '\\w+ /oauth/token'],
  ['other', `\\w+ ${CORE}(?:/.*)?`],
];
const PATTERNS = TABLE.map(([kind, call]) => [kind, new RegExp(`^${call}$`)] as const);

export type RequestKind = string;
export const KINDS: readonly RequestKind[] = TABLE.map(([kind]) => kind);

/** Undefined for a page. */
export function kindOf(method: string, path: string): RequestKind | undefined {
  const call = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  return PATTERNS.find(([, pattern]) => pattern.test(call))?.[0];
}
