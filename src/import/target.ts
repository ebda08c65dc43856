/** The helpdesk of an import: the embedded sandbox, or the service of the settings. */
import { randomUUID } from 'node:crypto';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { AppError } from '../domain/errors.ts';
import { identityTag } from '../domain/identity.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import { type Credentials, Secret } from '../domain/secret.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import { type CoreApi, createCoreApi } from '../helpdesk/api.ts';
import { requireSameWorkspace, type TicketToShow } from '../helpdesk/same-target.ts';
import { readSecretFile, writeSecretFile } from '../helpdesk/secrets.ts';
import { type ApiCredentials, checkedToken } from '../helpdesk/tokens.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { systemClock } from '../system-clock.ts';
import type { Options } from './options.ts';

export interface ProcessPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

export interface TargetAddress extends AsyncDisposable {
  readonly baseUrl: string;
  readonly apiPath: string;
  readonly key: string;
  readonly credentials: ApiCredentials;
  readonly sandbox?: Sandbox | undefined;
}

export async function openTarget(helpdesk: Options['helpdesk']): Promise<TargetAddress> {
  const { sandbox } = helpdesk;
  return sandbox === undefined ? await addressOf(helpdesk) : await openSandbox(sandbox, helpdesk);
}

/** Its port changes, so the folder's ID is the key. */
export async function openSandbox(
  dir: string,
  { apiPath }: Pick<Options['helpdesk'], 'apiPath'>,
): Promise<TargetAddress & { readonly sandbox: Sandbox }> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  const sandbox = await startSandbox({ dir, clock: systemClock, inventAgents: true });
  return {
    baseUrl: sandbox.url,
    apiPath,
    key: `sandbox ${sandbox.store.settings.getOrMake('id', randomUUID)}`,
    credentials: { kind: 'token', token: new Secret(sandbox.token, true) },
    sandbox,
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

/** Throws AppError `configuration`. */
export async function addressOf({
  baseUrl,
  apiPath,
  credentials,
}: Options['helpdesk']): Promise<TargetAddress> {
  if (baseUrl === undefined)
    throw new AppError('configuration', 'No helpdesk is configured.', {
      hint: 'Set HELPDESK_BASE_URL; or try it out with --sandbox, or check the export with --dry-run.',
    });
  if (credentials === undefined)
    throw new AppError('configuration', 'There is no token for the helpdesk.', {
      hint: 'Set HELPDESK_TOKEN, or HELPDESK_TOKEN_URL with HELPDESK_CLIENT_ID and HELPDESK_CLIENT_SECRET.',
    });
  return {
    baseUrl,
    apiPath,
    key: `${baseUrl}${apiPath}`,
    credentials: await apiCredentials(credentials),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** A dry run does without a token. */
export async function addressToLookAt(
  helpdesk: Options['helpdesk'],
  tell: (message: string) => void,
): Promise<TargetAddress | undefined> {
  try {
    return await addressOf(helpdesk);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    tell(`The helpdesk is not asked: ${error.message}`);
    return undefined;
  }
}

async function apiCredentials(credentials: Credentials): Promise<ApiCredentials> {
  // First, so that a file without a token stops the run before the first ticket.
  if (credentials.kind === 'token-file')
    checkedToken(await readSecretFile(credentials.path), 'the token file');
  if (credentials.kind !== 'oauth') return credentials;
  const { refreshTokenFile: file, ...oauth } = credentials;
  const saved = file === undefined ? undefined : await savedToken(file, oauth.refreshToken);
  let refreshToken = saved ?? oauth.refreshToken;
  return {
    ...oauth,
    // Each further connection starts with the last one's token.
    get refreshToken() {
      return refreshToken;
    },
    onRefreshToken: async (token) => {
      refreshToken = token;
      if (file !== undefined) await writeSecretFile(file, token);
      return file !== undefined;
    },
  };
}

/** An earlier run may have replaced the file. */
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

export function connect(
  address: TargetAddress,
  pace: Options['pace'],
  ports: ProcessPorts & { readonly soft?: AbortSignal | undefined },
  guard?: Checkpoint,
): CoreApi {
  const userAgent = `helpdesk-import/${ports.version}`;
  const checkToken = (signal: AbortSignal) =>
    requireSameWorkspace(guard === undefined ? [] : ticketsToShow(guard), (id) =>
      api.readToCheck(id, signal),
    );
  const api = createCoreApi({
    ...ports,
    ...address,
    ...pace,
    aboutToSend: guard && (() => guard.aboutToSend()),
    stopping: ports.soft,
    userAgent,
    checkToken,
  });
  return api;
}

const SHOWN = 3;

function ticketsToShow(checkpoint: Checkpoint): TicketToShow[] {
  const { sourceName: source = '' } = checkpoint.meta;
  return checkpoint
    .inTarget(SHOWN)
    .newest.flatMap(({ externalId, ticketId }) =>
      ticketId === undefined ? [] : { ticketId, tag: identityTag(source, externalId) },
    );
}

/** Throws AppError `auth` for a refused token, `unreachable` without an answer. */
export async function greetTarget(
  address: TargetAddress,
  pace: Options['pace'],
  ports: ProcessPorts & { readonly soft: AbortSignal },
): Promise<void> {
  if (address.sandbox !== undefined) return;
  const timeoutMs = Math.min(pace.timeoutMs, LONGEST_GREETING_MS);
  await using api = connect(address, { ...pace, timeoutMs }, ports);
  try {
    const { name } = await api.greet(ports.soft);
    if (name !== undefined)
      ports.emit({ type: 'note', message: `Connected to ${address.baseUrl} as ${name}.` });
  } catch (error) {
    ports.soft.throwIfAborted();
    throw stopOfCommand(error);
  }
}

/** A slower answer is left to the requests that are repeated. */
const LONGEST_GREETING_MS = 20_000;

export function stopOfCommand(error: unknown): unknown {
  if (!(error instanceof ApiFailure)) return error;
  const isAuth = error.code === 'auth';
  return new AppError(isAuth ? 'auth' : 'unreachable', error.message, {
    hint: isAuth
      ? 'Nothing was sent. Check HELPDESK_TOKEN and its scopes (read:tickets, write:tickets).'
      : 'Nothing was sent. Check HELPDESK_BASE_URL, the network and HTTPS_PROXY, then run the same command again.',
    cause: error,
  });
}

export async function endConnection(api: CoreApi, emit: Emit): Promise<void> {
  await api[Symbol.asyncDispose]();
  if (api.unsavedRefreshToken)
    emit({
      type: 'note',
      message:
        'The service replaced the refresh token, and the new one ends with this process: set HELPDESK_REFRESH_TOKEN_FILE to keep it, or get a new one before the next run.',
    });
}

/** Empty if the helpdesk does not name them in time. Rejects with the signal's reason. */
export async function channelsOf(api: Pick<CoreApi, 'channels'>, signal: AbortSignal): Promise<Snapshot[]> {
  const soon = AbortSignal.timeout(LONGEST_FOR_CHANNELS_MS);
  try {
    return (await api.channels(AbortSignal.any([signal, soon]))) ?? [];
  } catch (error) {
    signal.throwIfAborted();
    if (soon.aborted || error instanceof ApiFailure) return [];
    throw error;
  }
}

const LONGEST_FOR_CHANNELS_MS = 5_000;
