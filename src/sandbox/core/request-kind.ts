/** What a request is about: faults, limits and the log speak of these kinds. The table of routes gives each route its own. */
export const REQUEST_KINDS = [
  'create',
  'update',
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
export const APP_PREFIX = '/v1';
export const TOKEN_PATH = '/oauth/token';
export const UPLOAD_PREFIX = '/uploads';
export const DOWNLOAD_PREFIX = '/files';
/** Files that an import brought into a folder (`--files`). */
export const KEPT_PREFIX = '/kept-files';
