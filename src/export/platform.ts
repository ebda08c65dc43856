/** The way to a platform: requests that only read (and the token request of OAuth), in its pace, with the token on its own host only. */

import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import { hideSecrets, Secret } from '../domain/secret.ts';
import { parseForeign } from '../domain/text/foreign.ts';
import { stop } from '../domain/text/stops.ts';
import { ApiFailure, type OnWire } from '../domain/ticket-api.ts';
import { type Environment, isLoopback, parseBaseUrl } from '../helpdesk/address.ts';
import { errorBody, json, noPage } from '../helpdesk/answers.ts';
import { askedPause } from '../helpdesk/backoff.ts';
import { type Answer, createTransport, type Exchange, headerOf, type Reply } from '../helpdesk/http.ts';
import { Pacer } from '../helpdesk/pacer.ts';
import { readSecretFile } from '../helpdesk/secrets.ts';
import { Sender } from '../helpdesk/send.ts';
import { createTokens } from '../helpdesk/tokens.ts';
import type { Answered } from './paging.ts';
import { filled, type Recipe, type Resource, variablesIn, type Way } from './recipe.ts';

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
  /** The part of the address in front of every path. */
  readonly prefix: string;
  get(resource: Resource, path: string, body: string | undefined, signal: AbortSignal): Promise<Got>;
  /** Requests in a second at most. */
  speed(): number;
  sent(): number;
  close(): Promise<void>;
}

/** A page of a thousand tickets with their texts. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Requests at a time: enough for every documented limit, few to lose at a stop, and 256 MiB together. */
export const AT_ONCE = 4;
const TOO_LARGE = { status: 413, cut: undefined, body: Buffer.from('{"error":"too large"}') };
const TIMEOUT_MS = 120_000;
/** Some count by the hour. */
const LONGEST_PAUSE_MS = 3_700_000;
/** Without any answer yet the address is probably wrong, and not waited for. */
const MOST_UNANSWERED = 3;
const AGAIN = 'Run the same command again: it continues where it stopped.';

/** Names of users, clients and organisations are no secrets: customers write them too. */
function secretNames({ headers = {} }: Recipe, auth: Way): string[] {
  const isTelling = (pair: readonly string[]) => /auth|token|key|secret|pass/i.test(pair.join());
  const all = { ...headers, ...('headers' in auth && auth.headers) };
  const own =
    'oauth' in auth
      ? [auth.oauth.secret, auth.oauth.refresh]
      : 'basic' in auth && auth.basic.findLast((one) => variablesIn(one).length > 0);
  return variablesIn([own, Object.entries(all).filter(isTelling)]);
}

/** Every variable of the sign-in, from the environment or from the file that `NAME_FILE` names. Throws with all that are missing. */
async function variablesOf(recipe: Recipe, way: Way, env: Environment) {
  const { address, headers } = recipe;
  const values: Record<string, string> = {};
  const missing: string[] = [];
  const secrets = secretNames(recipe, way);
  for (const name of [address.from, ...variablesIn([way, headers])]) {
    const isAddress = name === address.from;
    const file = env[`${name}_FILE`];
    const given = env[name] ?? (file === undefined ? '' : await readSecretFile(file));
    const value = given.trim() || (isAddress ? (address.byDefault ?? '') : '');
    if (value === '') missing.push(name);
    else if (!/^[\x20-\x7e]+$/.test(value))
      throw new AppError('configuration', `${name} has characters that a token cannot have.`);
    else if (secrets.includes(name)) new Secret(value);
    values[name] = value;
  }
  return { way, values, missing };
}

/** The first way to sign in with all variables set. Throws AppError `configuration` with the variables that the nearest one lacks. */
async function chosenWay(recipe: Recipe, env: Environment) {
  const { title, address, auth } = recipe;
  const ways = await Promise.all(auth.map((way) => variablesOf(recipe, way, env)));
  const [best] = ways.toSorted((a, b) => a.missing.length - b.missing.length);
  const { missing, way, values } = best as (typeof ways)[number];
  if (missing.length === 0) return { way, values };
  const example = (name: string) => `${name}=${name === address.from ? address.example : '…'}`;
  const [docs] = [way.docs ?? []].flat();
  throw stop('sign-in-variables', {
    title,
    variables: missing.join(' and '),
    count: missing.length,
    examples: missing.map(example).join(' '),
    how: docs === undefined ? '' : `\nHow: ${docs}`,
  });
}

export async function connectPlatform(recipe: Recipe, ports: PlatformPorts): Promise<Platform> {
  const { address, title } = recipe;
  const { way, values } = await chosenWay(recipe, ports.env);
  const { warning, href, prefix, origin } = parseBaseUrl(values[address.from] ?? '', address.from);
  if (warning !== undefined) throw stop('platform-unencrypted', { variable: address.from });
  const options = { ...ports, timeoutMs: TIMEOUT_MS, userAgent: `helpdesk-import/${ports.version}` };
  const wire = createTransport({ ...options, connections: AT_ONCE, maxAnswerBytes: MOST_BYTES, origin });
  const { headers, tokens } = signIn(recipe, way, origin, values, options);
  const pace = new Pace(recipe, ports);
  let failures = 0;
  const transport: Exchange = async (request, signal, onBegun) => {
    const scheme = 'oauth' in way ? way.oauth.scheme : '';
    const token = request.headers?.['authorization']?.replace(/^Bearer/, scheme);
    const signed = { ...headers, ...(token !== undefined && { authorization: token }) };
    const sentAt = ports.clock.monotonic();
    const reply = await wire.exchange({ ...request, headers: signed }, signal, onBegun);
    if (reply.type !== 'answer') {
      if (++failures >= MOST_UNANSWERED) throw unreachable(recipe, href, reply.message);
      return reply;
    }
    failures = Number.NEGATIVE_INFINITY;
    const answer = pace.heed(reply, sentAt);
    // another attempt would be as large
    return reply.cut?.includes('larger than') ? { ...answer, ...TOO_LARGE } : answer;
  };
  const read = (path: string) => ({ kind: 'read', method: 'GET', path, attempt: 1 }) as const;
  const sender = new Sender({
    ...ports,
    ...{ address: title, giveUpAfterMs: LONGEST_PAUSE_MS, transport, tokens, budgets: [] },
    probe: read(prefix + (recipe.resources[0]?.get ?? '/')),
  });
  return {
    address: href,
    prefix,
    async get(resource, path, body, signal) {
      try {
        const method = body === undefined ? 'GET' : 'POST';
        const request = { ...read(path), method, body, wire: pace.turnOf(resource.name, signal) } as const;
        const { reply, responseKind } = await sender.call(request, isData, signal);
        if (responseKind === 'success' && reply.type === 'answer') {
          const body = reply.status === 204 ? null : parseForeign(reply.body.toString('utf8'));
          if (body !== undefined) return { body, header: (name) => headerOf(reply, name) };
        }
        signal.throwIfAborted();
        const status = reply.type === 'answer' ? reply.status : 0;
        return { status, error: refusal(recipe, href, resource, reply) };
      } catch (error) {
        throw error instanceof ApiFailure ? asAppError(error, recipe) : error;
      }
    },
    speed: () => pace.rate.requests / pace.rate.seconds,
    sent: () => sender.stats.sent,
    async close() {
      tokens?.close();
      await wire.close();
    },
  };
}

/** Limits of an account: one of all requests, which its answers may change, and those of single lists. */
class Pace {
  readonly #limit: Recipe['limit'];
  readonly #ports: PlatformPorts;
  readonly #pacerOf: (budget: Rate) => Pacer;
  readonly #ofLists: ReadonlyMap<string, Pacer | undefined>;
  rate: Rate;
  #account: Pacer;

  constructor({ limit, resources, title }: Recipe, ports: PlatformPorts) {
    const emit: Emit = (event) => event.type !== 'rate-limited' && ports.emit(event);
    const shared = { ...ports, emit, address: title, giveUpAfterMs: LONGEST_PAUSE_MS };
    this.#limit = limit;
    this.#ports = ports;
    this.#pacerOf = (budget) => new Pacer({ ...shared, budgets: [budget], probe: async () => undefined });
    this.#ofLists = new Map(resources.map(({ name, limit: of }) => [name, of && this.#pacerOf(of)]));
    this.rate = ports.rate ?? limit;
    this.#account = this.#pacerOf(this.rate);
  }

  /** Right before the bytes leave, so that no window has more, however long a pause was. */
  turnOf(list: string, signal: AbortSignal): OnWire {
    return {
      mayHaveArrived: false,
      beforeSending: async () => {
        const own = this.#ofLists.get(list);
        const turn = await own?.turn(signal);
        const account = this.#account;
        account.left(await account.turn(signal));
        if (turn !== undefined) own?.left(turn);
      },
    };
  }

  /** Gives every refusal for its rate the status 429 and a `retry-after`. */
  heed(answer: Answer, sentAt: number): Answer {
    const { clock } = this.#ports;
    const limit = this.#limit;
    const at = (name: string | undefined) => Number((name && headerOf(answer, name)) ?? Number.NaN);
    this.#heedTotal(at(limit.total));
    const [left, reset, retry] = [at(limit.remaining), at(limit.reset), at(limit.retry)];
    const after = headerOf(answer, 'retry-after') ?? (retry > 0 ? String(retry) : undefined);
    const headers = { ...answer.headers, 'retry-after': after };
    // GitHub says so with 403
    const isForbidden = answer.status === 403 && (left === 0 || after !== undefined);
    const made: Answer = { ...answer, headers, status: isForbidden ? 429 : answer.status };
    const resetMs = left < AT_ONCE && reset > 0 ? 1000 * reset - (reset > 1e9 ? clock.now() : 0) : 0;
    const isOver = made.status === 429;
    const askedMs = Math.min(LONGEST_PAUSE_MS, (isOver && askedPause(made, clock.now())) || resetMs);
    this.#account.came(isOver || askedMs > 0 ? { is: 'limited', sentAt, askedMs } : { is: 'good' });
    return made;
  }

  #heedTotal(total: number): void {
    const { most = total, seconds } = this.#limit;
    if (this.#ports.rate !== undefined || !(total > 0 && total <= most) || total === this.rate.requests)
      return;
    this.rate = { requests: total, seconds };
    this.#account = this.#pacerOf(this.rate);
  }
}

function asAppError(error: ApiFailure, recipe: Recipe): AppError {
  const isAuth = error.code === 'auth';
  const cause = error.cause instanceof AppError ? error.cause : undefined;
  const hint = cause?.hint ?? (isAuth ? checkToken(recipe) : AGAIN);
  const said = hideSecrets((cause ?? error).message.replaceAll(/\b[Tt]he helpdesk\b/g, recipe.title));
  return new AppError(isAuth ? 'auth' : 'unreachable', said, { hint, cause: error });
}

const isData = (answer: Answer) => answer.status === 204 || (noPage(answer) && json(answer) !== undefined);

/** One sentence for what every request of this kind would meet. */
function refusal(recipe: Recipe, href: string, resource: Resource, reply: Reply): AppError {
  const { title, address } = recipe;
  const list = resource.name.replaceAll('_', ' ');
  const error = (code: ErrorCode, message: string, hint?: string) => new AppError(code, message, { hint });
  const check = `Check ${address.from}: it is like ${address.example}.`;
  const regions = regionsOf(recipe);
  if (reply.type === 'breakdown') return unreachable(recipe, href, reply.message);
  const { status, cut } = reply;
  const { detail } = errorBody(reply, []);
  const is = `${status}${detail === undefined ? '' : `: ${hideSecrets(detail)}`}`;
  if (status === 401) return error('auth', `${title} refuses the token (${is}).`, checkToken(recipe));
  if (status === 413)
    return error('configuration', `An answer with ${list} has more than ${MOST_BYTES / 2 ** 20} MiB.`);
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

function regionsOf({ address: { from, regions } }: Recipe): string {
  return regions === undefined
    ? ''
    : ` An account in another region has another ${from}: ${regions.join(', ')}.`;
}

function checkToken(recipe: Recipe): string {
  const ways = recipe.auth.map((way) => variablesIn([way, recipe.headers]).join(' and '));
  return `Check ${ways.join(', or sign in with ')}.${regionsOf(recipe)}`;
}

function unreachable({ title, address: { from, example } }: Recipe, href: string, why: string): AppError {
  return stop('platform-unreachable', { title, href, why, from, example });
}

function signIn(
  { headers = {} }: Recipe,
  auth: Way,
  origin: string,
  values: Readonly<Record<string, string>>,
  options: Parameters<typeof createTokens>[1],
) {
  const fill = (template: string) => String(filled(template, values));
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name.toLowerCase(), fill(text)]));
  if ('headers' in auth) return { headers: { ...all(headers), ...all(auth.headers) } };
  if ('basic' in auth) {
    const pair = new Secret(Buffer.from(auth.basic.map(fill).join(':')).toString('base64'));
    return { headers: { ...all(headers), authorization: `Basic ${pair.reveal()}` } };
  }
  const { path, host, client, secret, refresh, scope } = auth.oauth;
  const url = new URL(origin);
  if (host !== undefined && !isLoopback(url.hostname)) url.hostname = url.hostname.replace(...host);
  const tokens = createTokens(
    {
      ...{ kind: 'oauth', tokenUrl: url.origin + path, clientId: fill(client) },
      clientSecret: new Secret(fill(secret)),
      ...(scope !== undefined && { scope }),
      ...(refresh !== undefined && { refreshToken: new Secret(fill(refresh)) }),
    },
    options,
  );
  return { headers: all(headers), tokens };
}
