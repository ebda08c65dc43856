/** Kinds of requests, for faults, limits and the log. */
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

/** The specification's prefix of the Core API, and that of deployed hosts (public facts). */
export const CORE_PREFIXES = ['/api/core/v1', '/v1'] as const;
export const APP_PREFIX = '/v1';
export const TOKEN_PATH = '/oauth/token';
export const UPLOAD_PREFIX = '/uploads';
export const DOWNLOAD_PREFIX = '/files';
/** Files of an import in a folder (`--files`). */
export const KEPT_PREFIX = '/kept-files';
