/** The target of an import: the embedded sandbox, or the service that the settings name. Built in one visible place. */
import { randomUUID } from 'node:crypto';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/run-events.ts';
import { type Credentials, Secret } from '../domain/secret.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { RunSettings, Settings } from '../settings/settings.ts';
import { type CoreApi, createCoreApi } from '../target/api.ts';
import { readSecretFile, writeSecretFile } from '../target/secrets.ts';
import { type ApiCredentials, checkedToken } from '../target/tokens.ts';

/** What comes from outside of the engine. */
export interface ProcessPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Proxy settings are read from here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of the program, for the checkpoint and the User-Agent. */
  readonly version: string;
}

/** Where tickets go, before a connection is opened. */
export interface TargetAddress {
  readonly baseUrl: string;
  readonly apiPath: string;
  /** What the checkpoint is bound to: the same in every run against the same target. */
  readonly key: string;
  readonly credentials: ApiCredentials;
  /** The embedded service, where it is one; closed by its owner. */
  readonly sandbox?: Sandbox | undefined;
}

/** Where the settings say that tickets go. A sandbox is started: its owner closes it. */
export async function openTarget(settings: Settings, clock: Clock): Promise<TargetAddress> {
  const { sandbox } = settings;
  return sandbox === undefined ? await addressOf(settings) : await openSandbox(sandbox, settings, clock);
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
    credentials: { kind: 'token', token: new Secret(sandbox.token, true) },
    sandbox,
  };
}

/** The service of the settings. Throws AppError `configuration` where the address or the credentials are missing. */
export async function addressOf(settings: Settings): Promise<TargetAddress> {
  const { baseUrl, apiPath } = settings.target;
  if (baseUrl === undefined)
    throw new AppError('configuration', 'No target is configured.', {
      hint: 'Set HELPDESK_BASE_URL; or try it out with --sandbox, or check the export with --dry-run.',
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

/** For a dry run that may ask the target: a token that is not to be had is no matter of its own. */
export async function addressToLookAt(
  settings: Settings,
  tell: (message: string) => void,
): Promise<TargetAddress | undefined> {
  try {
    return await addressOf(settings);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    tell(`The target is not asked: ${error.message}`);
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
    // A command opens several connections, one after the other: each begins with what the one before was given.
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

// Opens the way to the target. A module of its own, as a dry run does not need the modules it loads.

export interface Connection {
  readonly api: CoreApi;
}

/** Opens the way to the target. */
export function connect(
  address: TargetAddress,
  settings: Pick<Settings, 'target'> & { readonly run: RunSettings },
  ports: ProcessPorts & { readonly soft?: AbortSignal | undefined },
  guard?: Pick<Checkpoint, 'aboutToSend'>,
): Connection {
  const userAgent = `helpdesk-import/${ports.version}`;
  const pacing = pacingOf(settings.run, guard);
  const options = { ...ports, ...address, ...pacing, stopping: ports.soft, userAgent };
  return { api: createCoreApi(options) };
}

/**
 * Before anything else takes time: says who the target takes us for. Throws AppError `auth` where it refuses the token, `unreachable`
 * where it is not there. The embedded service needs no greeting.
 */
export async function greetTarget(
  address: TargetAddress,
  settings: Pick<Settings, 'target'> & { readonly run: RunSettings },
  ports: ProcessPorts & { readonly soft: AbortSignal },
): Promise<void> {
  if (address.sandbox !== undefined) return;
  const timeout = Math.min(settings.run.timeout, LONGEST_GREETING_S);
  const { api } = connect(address, { ...settings, run: { ...settings.run, timeout } }, ports);
  try {
    const { name } = await api.greet(ports.soft);
    if (name !== undefined)
      ports.emit({ type: 'note', message: `Connected to ${address.baseUrl} as ${name}.` });
  } catch (error) {
    ports.soft.throwIfAborted();
    throw stopOfCommand(error);
  } finally {
    await api.close();
  }
}

/** A slower answer is left to the requests that are repeated. */
const LONGEST_GREETING_S = 20;

/** What the target did to a request without which a command cannot go on, as AppError `auth` or `unreachable`. */
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

/** Ends all connections, and says what of the credentials is lost with them. */
export async function endConnection(api: CoreApi, emit: Emit): Promise<void> {
  await api.close();
  if (api.unsavedRefreshToken)
    emit({
      type: 'note',
      message:
        'The service replaced the refresh token, and the new one ends with this process: set HELPDESK_REFRESH_TOKEN_FILE to keep it, or get a new one before the next run.',
    });
}

// How fast requests may go to a target, whichever API it has: rate budget, concurrency, and how long an answer may take.

export function pacingOf(
  { rate: budgets, concurrency, timeout, giveUpAfter }: RunSettings,
  guard?: Pick<Checkpoint, 'aboutToSend'>,
) {
  return {
    budgets,
    connections: concurrency,
    timeoutMs: timeout * 1000,
    giveUpAfterMs: giveUpAfter * 1000,
    aboutToSend: guard && (() => guard.aboutToSend()),
  };
}

/** The channels that tickets may be put into; empty if the target does not name them in time. Rejects with the signal's reason. */
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

/** What is good to know and not needed is not waited for longer, milliseconds. */
const LONGEST_FOR_CHANNELS_MS = 5_000;
