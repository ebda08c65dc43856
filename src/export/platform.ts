/** The way to a platform: GET alone (and the token request of OAuth), in its pace, with the token on its own host only. */

import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import { hideSecrets, Secret } from '../domain/secret.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { type Environment, isLoopback, parseBaseUrl } from '../target/address.ts';
import { errorBody, json, noPage } from '../target/answers.ts';
import { askedPause } from '../target/backoff.ts';
import { type Answer, createTransport, type Exchange, headerOf, type Reply } from '../target/http.ts';
import { Pacer } from '../target/pacer.ts';
import { readSecretFile } from '../target/secrets.ts';
import { createSender, type Sender } from '../target/send.ts';
import { createTokens, type TokenSource } from '../target/tokens.ts';
import { filled, type Recipe, type Resource } from './recipe.ts';
import type { Answered } from './step.ts';

export interface PlatformPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Environment;
  readonly emit: Emit;
  readonly stopping: AbortSignal;
  readonly version: string;
  /** In place of the documented limit. */
  readonly rate?: Rate | undefined;
}

/** An answer, or why the platform does not give it out; status 0: no answer. */
export type Got = Answered | { readonly status: number; readonly error: AppError };

export interface Platform {
  readonly address: string;
  /** What the address has in front of every path. */
  readonly prefix: string;
  get(resource: Resource, path: string, signal: AbortSignal): Promise<Got>;
  /** Requests in a second at most. */
  speed(): number;
  sent(): number;
  close(): Promise<void>;
}

/** A page of a thousand tickets with their texts. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Requests at a time: enough for every documented limit, and few to lose at a stop. */
export const AT_ONCE = 4;
const TIMEOUT_MS = 120_000;
/** Some count by the hour. */
const LONGEST_PAUSE_MS = 3_700_000;
/** Without any answer yet the address is probably wrong, and not waited for. */
const MOST_UNANSWERED = 3;
const AGAIN = 'Run the same command again: it continues where it stopped.';

/** The variables of a platform: its address first. */
export function variableNames({ auth, address, headers }: Recipe): string[] {
  const names = JSON.stringify([auth, headers]).matchAll(/\{([A-Z][A-Z0-9_]*)\}/g);
  return [...new Set([address.from, ...[...names].map(([, name = '']) => name)])];
}

/** Every variable of the sign-in, from the environment or from the file that `NAME_FILE` names. Throws with all that are missing. */
async function variablesOf(recipe: Recipe, env: Environment): Promise<Record<string, string>> {
  const { address, title } = recipe;
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const name of variableNames(recipe)) {
    const isAddress = name === address.from;
    const file = env[`${name}_FILE`];
    const given = env[name] ?? (file === undefined ? '' : await readSecretFile(file));
    const value = given.trim() || (isAddress ? (address.byDefault ?? '') : '');
    if (value === '') missing.push(name);
    else if (!/^[\x20-\x7e]+$/.test(value))
      throw new AppError('configuration', `${name} has characters that a token cannot have.`);
    else if (!isAddress && !name.endsWith('_EMAIL')) new Secret(value);
    values[name] = value;
  }
  if (missing.length === 0) return values;
  const example = (name: string) => `${name}=${name === address.from ? address.example : '…'}`;
  throw new AppError('configuration', `${title} needs ${missing.join(' and ')}.`, {
    hint: `Set ${missing.length === 1 ? 'it' : 'them'}: export ${missing.map(example).join(' ')}`,
  });
}

export async function connectPlatform(recipe: Recipe, ports: PlatformPorts): Promise<Platform> {
  const { address, title, limit } = recipe;
  const { clock, emit } = ports;
  const values = await variablesOf(recipe, ports.env);
  const base = parseBaseUrl(values[address.from] ?? '', address.from);
  if (base.warning !== undefined)
    throw new AppError('configuration', `${address.from} is not encrypted.`, {
      hint: 'Use https: the token goes over this connection.',
    });
  const options = { ...ports, timeoutMs: TIMEOUT_MS, userAgent: `helpdesk-import/${ports.version}` };
  const bounds = { connections: AT_ONCE, maxAnswerBytes: MOST_BYTES, origin: base.origin };
  const wire = createTransport({ ...options, ...bounds });
  const { headers: fixed, tokens, scheme } = signIn(recipe, base.origin, values, options);
  const shared = { ...ports, address: title };
  let rate: Rate = ports.rate ?? limit;
  const giveUpAfterMs = LONGEST_PAUSE_MS;
  const tell: Emit = (event) => event.type !== 'rate-limited' && emit(event);
  const paceOf = () =>
    new Pacer({ ...shared, giveUpAfterMs, emit: tell, budgets: [rate], probe: async () => undefined });
  /** Every request of the account passes it, whatever its list has for a limit of its own. */
  let pace = paceOf();

  /** What the platform's headers say of the account's limit. */
  const heed = (answer: Answer, sentAt: number) => {
    const at = (name: string | undefined) => Number((name && headerOf(answer, name)) ?? Number.NaN);
    const total = at(limit.total);
    if (ports.rate === undefined && total > 0 && total <= (limit.most ?? total) && total !== rate.requests) {
      rate = { requests: total, seconds: limit.seconds };
      pace = paceOf();
    }
    const reset = at(limit.reset);
    const isOver = at(limit.remaining) < AT_ONCE && reset > 0;
    const resetMs = isOver ? 1000 * reset - (reset > 1e9 ? clock.now() : 0) : 0;
    const asked = at(limit.retry) > 0 ? 1000 * at(limit.retry) : askedPause(answer, clock.now());
    const askedMs = Math.min(LONGEST_PAUSE_MS, answer.status === 429 ? asked : resetMs);
    if (answer.status === 429 || askedMs > 0) pace.came({ is: 'limited', sentAt, askedMs });
    else pace.came({ is: 'good' });
  };
  let failures = 0;
  const exchange: Exchange = async (request, signal, onBegun) => {
    pace.left(await pace.turn(signal));
    const sentAt = clock.monotonic();
    const headers = { ...request.headers, ...fixed };
    const token = request.headers?.['authorization']?.replace(/^Bearer/, scheme);
    if (token !== undefined) headers['authorization'] = token;
    const reply = await wire.exchange({ ...request, headers }, signal, onBegun);
    if (reply.type === 'answer') {
      failures = Number.NEGATIVE_INFINITY;
      heed(reply, sentAt);
    } else if (++failures >= MOST_UNANSWERED) throw unreachable(recipe, base.href, reply.message);
    return reply;
  };
  const read = (path: string) => ({ kind: 'read', method: 'GET', path, attempt: 1 }) as const;
  const probe = read(base.prefix + (recipe.resources[0]?.get ?? '/'));
  const common = { transport: exchange, tokens, probe, giveUpAfterMs };
  const senders = new Map<string, Sender>();
  const senderOf = ({ name, limit: own }: Resource): Sender => {
    const key = own === undefined ? '' : name;
    const made = senders.get(key) ?? createSender({ ...shared, ...common, budgets: own ? [own] : [] });
    senders.set(key, made);
    return made;
  };

  return {
    address: base.href,
    prefix: base.prefix,
    async get(resource, path, signal) {
      try {
        const { reply, responseKind } = await senderOf(resource).call(read(path), isData, signal);
        if (responseKind === 'success' && reply.type === 'answer') {
          const body = reply.status === 204 ? null : parsed(reply.body.toString('utf8'));
          return { body, header: (name) => headerOf(reply, name) };
        }
        signal.throwIfAborted();
        const status = reply.type === 'answer' ? reply.status : 0;
        return { status, error: refusal(recipe, base.href, resource, reply) };
      } catch (error) {
        if (error instanceof ApiFailure && error.cause instanceof AppError) throw error.cause;
        if (!(error instanceof ApiFailure)) throw error;
        const message = hideSecrets(error.message.replaceAll(/\b[Tt]he target\b/g, title));
        const code = error.code === 'auth' ? 'auth' : 'unreachable';
        throw new AppError(code, message, { hint: AGAIN, cause: error });
      }
    },
    speed: () => rate.requests / rate.seconds,
    sent: () => [...senders.values()].reduce((sum, { stats }) => sum + stats.sent, 0),
    async close() {
      tokens?.close();
      await wire.close();
    },
  };
}

const isData = (answer: Answer) => answer.status === 204 || (noPage(answer) && json(answer) !== undefined);

/** One sentence for what every request of this kind would meet. */
function refusal(recipe: Recipe, href: string, resource: Resource, reply: Reply): AppError {
  const { title, address } = recipe;
  const list = resource.name.replaceAll('_', ' ');
  const error = (code: ErrorCode, message: string, hint?: string) => new AppError(code, message, { hint });
  const check = `Check ${address.from}: it is like ${address.example}.`;
  const regions =
    address.regions === undefined
      ? ''
      : ` An account in another region has another ${address.from}: ${address.regions.join(', ')}.`;
  if (reply.type === 'breakdown') return unreachable(recipe, href, reply.message);
  const { status, cut } = reply;
  const { detail } = errorBody(reply, []);
  const is = `${status}${detail === undefined ? '' : `: ${hideSecrets(detail)}`}`;
  const [, ...names] = variableNames(recipe);
  if (status === 401)
    return error('auth', `${title} refuses the token (${is}).`, `Check ${names.join(' and ')}.${regions}`);
  if (status === 402 || status === 403) {
    const { scope = 'the right to read all tickets' } = resource;
    return error('auth', `The token may not read ${list} (${is}).`, `It needs ${scope}.`);
  }
  if (status >= 300 && status < 400) {
    const to = URL.parse(headerOf(reply, 'location') ?? '', href);
    const elsewhere = to === null || to.origin === new URL(href).origin ? '' : ` to ${to.origin}`;
    const hint = `Set ${address.from} to the account's own address.${regions}`;
    return error('configuration', `${href} redirects elsewhere${elsewhere} (${status}).`, hint);
  }
  if (status === 404 || status === 405 || !noPage(reply) || (status < 300 && cut === undefined)) {
    const message = `${href} does not answer as ${title} does (${status}).`;
    return error('configuration', message, `${check}${regions}`);
  }
  if (status >= 500 || status < 300)
    return error('unreachable', `${title} does not give out ${list} (${cut ?? is}).`, AGAIN);
  return error('configuration', `${title} refuses to list ${list} (${is}).`);
}

function unreachable({ title, address: { from, example } }: Recipe, href: string, why: string): AppError {
  return new AppError('unreachable', `${title} cannot be reached at ${href}: ${why}.`, {
    hint: `Check ${from}: it is like ${example}.`,
  });
}

interface SignIn {
  readonly headers: Readonly<Record<string, string>>;
  readonly tokens?: TokenSource;
  /** The word before the token. */
  readonly scheme: string;
}

function signIn(
  { auth, headers = {} }: Recipe,
  origin: string,
  values: Readonly<Record<string, string>>,
  options: Parameters<typeof createTokens>[1],
): SignIn {
  const fill = (template: string) => String(filled(template, values));
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name.toLowerCase(), fill(text)]));
  const scheme = 'Bearer';
  if ('headers' in auth) return { headers: { ...all(headers), ...all(auth.headers) }, scheme };
  if ('basic' in auth) {
    const pair = new Secret(Buffer.from(auth.basic.map(fill).join(':')).toString('base64'));
    return { headers: { ...all(headers), authorization: `Basic ${pair.reveal()}` }, scheme };
  }
  const { path, host, client, secret, refresh } = auth.oauth;
  const url = new URL(origin);
  if (host !== undefined && !isLoopback(url.hostname)) url.hostname = url.hostname.replace(...host);
  const tokens = createTokens(
    {
      ...{ kind: 'oauth', tokenUrl: url.origin + path, clientId: fill(client) },
      clientSecret: new Secret(fill(secret)),
      ...(refresh !== undefined && { refreshToken: new Secret(fill(refresh)) }),
    },
    options,
  );
  return { headers: all(headers), tokens, scheme: auth.oauth.scheme };
}

/** Long whole numbers stay as they are written: ids may have more digits than a number keeps. */
function parsed(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const keep = (_: string, value: unknown, { source = '' } = {} as { source?: string }) =>
    typeof value === 'number' && /^-?\d{16,}$/.test(source) ? rawJSON(source) : value;
  return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
}
