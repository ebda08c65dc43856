/** The helpdesk of an import: the embedded sandbox, or the service of the settings. */
import { randomUUID } from 'node:crypto';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { AppError } from '../domain/errors.ts';
import { identityTag } from '../domain/identity.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import { Secret } from '../domain/secret.ts';
import { stop } from '../domain/text/stops.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import { type CoreApi, createCoreApi } from '../helpdesk/api.ts';
import { requireSameWorkspace, type TicketToShow } from '../helpdesk/same-target.ts';
import { apiCredentials } from '../helpdesk/stored-credentials.ts';
import type { ApiCredentials } from '../helpdesk/tokens.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { paceOf, type RunSettings, type Settings } from '../settings/settings.ts';
import { systemClock } from '../system-clock.ts';

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

export type TargetSettings = Pick<Settings, 'sandbox' | 'target' | 'credentials'>;

export async function openTarget(settings: TargetSettings): Promise<TargetAddress> {
  const { sandbox, target } = settings;
  return sandbox === undefined ? await addressOf(settings) : await openSandbox(sandbox, target);
}

/** Its port changes, so the folder's ID is the key. */
export async function openSandbox(
  dir: string,
  { apiPath }: Pick<Settings['target'], 'apiPath'>,
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

export async function addressOf({
  target: { baseUrl, apiPath },
  credentials,
}: TargetSettings): Promise<TargetAddress> {
  if (baseUrl === undefined) throw stop('no-helpdesk');
  if (credentials === undefined) throw stop('no-token');
  return {
    baseUrl,
    apiPath,
    key: `${baseUrl}${apiPath}`,
    credentials: await apiCredentials(credentials),
    [Symbol.asyncDispose]: async () => {},
  };
}

function mayLook({ sandbox, target: { baseUrl }, credentials }: TargetSettings): boolean {
  if (sandbox !== undefined || baseUrl === undefined || credentials === undefined) return false;
  // Using a refresh token may replace it, and a dry run changes nothing.
  return (
    credentials.kind !== 'oauth' ||
    (credentials.refreshToken === undefined && credentials.refreshTokenFile === undefined)
  );
}

/** A dry run does without a token. */
export async function addressToLookAt(
  settings: TargetSettings,
  tell: (message: string) => void,
): Promise<TargetAddress | undefined> {
  if (!mayLook(settings)) return undefined;
  try {
    return await addressOf(settings);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    tell(`The helpdesk is not asked: ${error.message}`);
    return undefined;
  }
}

export function connect(
  address: TargetAddress,
  run: RunSettings,
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
    ...paceOf(run),
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

export async function greetTarget(
  address: TargetAddress,
  run: RunSettings,
  ports: ProcessPorts & { readonly soft: AbortSignal },
): Promise<void> {
  if (address.sandbox !== undefined) return;
  const timeout = Math.min(run.timeout, LONGEST_GREETING_S);
  await using api = connect(address, { ...run, timeout }, ports);
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
const LONGEST_GREETING_S = 20;

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
        'The helpdesk replaced the refresh token, and the new one ends with this process: set HELPDESK_REFRESH_TOKEN_FILE to keep it, or get a new one before the next run.',
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
