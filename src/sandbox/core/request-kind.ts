/** What a request is about, from its method and path alone: faults, limits and the log speak of these kinds. Pure. */
export const REQUEST_KINDS = [
  'create',
  'messages',
  'events',
  'list',
  'read',
  'agents',
  'contacts',
  'attachments',
  'workspace',
  'upload',
  'download',
  'usage-events',
  'billing',
  'token',
  'page',
  'other',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** The specification's prefix of the Core API, and the one that deployed hosts also serve (public facts). */
export const CORE_PREFIXES = ['/api/core/v1', '/v1'] as const;
export const TOKEN_PATH = '/oauth/token';
export const UPLOAD_PREFIX = '/uploads';
export const DOWNLOAD_PREFIX = '/files';

/** The path below the Core API's prefix, or undefined outside of it. */
export function corePath(path: string): string | undefined {
  for (const prefix of CORE_PREFIXES)
    if (path === prefix || path.startsWith(`${prefix}/`)) return path.slice(prefix.length);
  return undefined;
}

const CORE_KINDS: readonly { path: RegExp; read?: RequestKind; POST?: RequestKind; PUT?: RequestKind }[] = [
  { path: /^\/tickets\/?$/, read: 'list', POST: 'create' },
  { path: /^\/tickets\/[^/]+\/?$/, read: 'read' },
  { path: /^\/tickets\/[^/]+\/messages\/?$/, read: 'read', PUT: 'messages' },
  { path: /^\/tickets\/[^/]+\/messages\/[^/]+\/?$/, read: 'read' },
  { path: /^\/tickets\/[^/]+\/events\/?$/, read: 'read', PUT: 'events' },
  { path: /^\/agents\/?$/, read: 'agents' },
  { path: /^\/contacts(\/[^/]+)?\/?$/, read: 'contacts' },
  { path: /^\/attachments\/?$/, POST: 'attachments' },
  { path: /^\/(organization|me)\/?$/, read: 'workspace' },
  // Of the app API, which stands below the second prefix.
  { path: /^\/usage_events\/?$/, read: 'billing', POST: 'usage-events' },
  { path: /^\/(customer|usage|identify|usage_events\/[^/]+\/report)\/?$/, read: 'billing', POST: 'billing' },
];

export function requestKind(method: string, path: string): RequestKind {
  const below = corePath(path);
  if (below !== undefined) {
    const known = CORE_KINDS.find((candidate) => candidate.path.test(below));
    if (method === 'GET' || method === 'HEAD') return known?.read ?? 'other';
    if (method === 'POST') return known?.POST ?? 'other';
    return method === 'PUT' ? (known?.PUT ?? 'other') : 'other';
  }
  if (path === TOKEN_PATH) return 'token';
  if (path.startsWith(`${UPLOAD_PREFIX}/`)) return 'upload';
  if (path.startsWith(`${DOWNLOAD_PREFIX}/`)) return 'download';
  return 'page';
}
