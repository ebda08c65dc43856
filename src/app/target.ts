/** The target of an import: the embedded sandbox, or the service that the settings name. Built in one visible place. */
import { randomUUID } from 'node:crypto';
import type { Credentials as ApiCredentials } from '../core-api/credentials.ts';
import { readSecretFile, writeSecretFile } from '../core-api/secret-files.ts';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import { Secret } from '../domain/secret.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Credentials, Settings } from '../settings/settings.ts';

/** Where tickets go, before a connection is opened. */
export interface TargetAddress {
  readonly baseUrl: string;
  readonly apiPath: string;
  /** What the checkpoint is bound to: the same in every run against the same target. */
  readonly key: string;
  readonly credentials: ApiCredentials;
  /** The embedded service, where it is one; closed by its owner. */
  readonly sandbox?: Sandbox;
}

/** Starts the embedded service in its folder. Its port changes from run to run, so the folder's own id is the key. */
export async function openSandbox(
  dir: string,
  settings: Settings,
  clock: Clock,
): Promise<TargetAddress & { readonly sandbox: Sandbox }> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  const sandbox = await startSandbox({ dir, clock, inventAgents: true });
  return {
    baseUrl: sandbox.url,
    apiPath: settings.target.apiPath,
    key: `sandbox ${sandbox.store.settings.getOrMake('id', randomUUID)}`,
    credentials: { kind: 'token', token: new Secret(sandbox.token) },
    sandbox,
  };
}

/** The service of the settings. Throws AppError `configuration` where the address or the credentials are missing. */
export async function addressOf(settings: Settings): Promise<TargetAddress> {
  const { baseUrl, apiPath } = settings.target;
  if (baseUrl === undefined)
    throw new AppError('configuration', 'There is no target to import into.', {
      hint: 'Set HELPDESK_BASE_URL or --base-url; or try it out with --sandbox, or check the export with --dry-run.',
    });
  if (settings.credentials === undefined)
    throw new AppError('configuration', 'There is no token for the target.', {
      hint: 'Set HELPDESK_TOKEN, or HELPDESK_TOKEN_URL with HELPDESK_CLIENT_ID and HELPDESK_CLIENT_SECRET.',
    });
  return {
    baseUrl,
    apiPath,
    key: `${baseUrl}${apiPath}`,
    credentials: await apiCredentials(settings.credentials),
  };
}

async function apiCredentials(credentials: Credentials): Promise<ApiCredentials> {
  if (credentials.kind === 'token' || credentials.kind === 'token-file') return credentials;
  const { tokenUrl, clientId, scope } = credentials;
  const base = { kind: 'oauth', tokenUrl, clientId, ...(scope === undefined ? {} : { scope }) } as const;
  if (credentials.kind === 'client-credentials') return { ...base, clientSecret: credentials.clientSecret };
  const { clientSecret, refreshTokenFile: file } = credentials;
  const saved = file === undefined ? undefined : await savedToken(file, credentials.refreshToken);
  const refreshToken = saved ?? credentials.refreshToken;
  return {
    ...base,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(file === undefined ? {} : { onRefreshToken: (token) => writeSecretFile(file, token) }),
  };
}

/** What the file holds goes before the variable: it may have been replaced by an earlier run. */
async function savedToken(file: string, instead: Secret | undefined): Promise<Secret | undefined> {
  try {
    const text = await readSecretFile(file);
    return text === '' ? undefined : new Secret(text);
  } catch (error) {
    if (instead !== undefined && error instanceof AppError && isMissing(error.cause)) return undefined;
    throw error;
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
