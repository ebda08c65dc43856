/**
 * `POST /oauth/token`: the grants `client_credentials` and `refresh_token` of OAuth 2.0, with the answers and errors of
 * RFC 6749, sections 5.1 and 5.2. A client names itself in the body or with HTTP Basic, not both.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { readForm } from '../core/body.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { type Credentials, madeSecret, type OAuthClient, SCOPES } from './credentials.ts';

class TokenRefusal extends Error {
  readonly error: string;
  readonly status: ContentfulStatusCode;
  readonly basic: boolean;

  constructor(error: string, message: string, status: ContentfulStatusCode = 400, basic = false) {
    super(message);
    this.error = error;
    this.status = status;
    this.basic = basic;
  }
}

interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
}

export async function tokenEndpoint(
  service: Service,
  credentials: Credentials,
  c: Context<SandboxEnv>,
): Promise<Response> {
  c.header('cache-control', 'no-store');
  c.header('pragma', 'no-cache');
  try {
    const form = await tokenForm(c);
    const client = authenticatedClient(c.req.header('authorization'), form, credentials.clients);
    const answer = granted(service, credentials, client, form);
    c.set('effect', { effect: 'stored' });
    return c.json(answer);
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    if (error.basic) c.header('www-authenticate', 'Basic realm="helpdesk"');
    return c.json({ error: error.error, error_description: error.message }, error.status);
  }
}

async function tokenForm(c: Context<SandboxEnv>): Promise<Map<string, string>> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new TokenRefusal('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  const form = new Map<string, string>();
  for (const [name, value] of await readForm(c)) {
    if (form.has(name)) throw new TokenRefusal('invalid_request', `The parameter ${name} is there twice.`);
    // A parameter without a value counts as left out (RFC 6749, 3.2).
    if (value !== '') form.set(name, value);
  }
  return form;
}

function authenticatedClient(
  authorization: string | undefined,
  form: ReadonlyMap<string, string>,
  clients: readonly OAuthClient[],
): OAuthClient {
  const basic = basicCredentials(authorization);
  if (basic !== undefined && form.has('client_secret'))
    throw new TokenRefusal('invalid_request', 'The client must name itself in one way, not in two.');
  const id = basic?.id ?? form.get('client_id') ?? '';
  const secret = basic?.secret ?? form.get('client_secret') ?? '';
  const client = clients.find((known) => known.id === id && sameText(known.secret, secret));
  if (client === undefined)
    throw new TokenRefusal('invalid_client', 'The client or its secret is wrong.', 401, basic !== undefined);
  return client;
}

function granted(
  service: Service,
  credentials: Credentials,
  client: OAuthClient,
  form: ReadonlyMap<string, string>,
): TokenAnswer {
  const grant = form.get('grant_type');
  if (grant === undefined) throw new TokenRefusal('invalid_request', 'grant_type is missing.');
  if (grant === 'client_credentials')
    return issue(service, credentials, client, wantedScopes(form, client.scopes ?? SCOPES));
  if (grant !== 'refresh_token')
    throw new TokenRefusal('unsupported_grant_type', 'Only client_credentials and refresh_token are served.');
  const refreshToken = form.get('refresh_token');
  if (refreshToken === undefined) throw new TokenRefusal('invalid_request', 'refresh_token is missing.');
  const { tokens } = service.store;
  const row = tokens.find(refreshToken);
  if (row === undefined || row.kind !== 'refresh' || row.clientId !== client.id)
    throw new TokenRefusal(
      'invalid_grant',
      'The refresh token is not valid, or was replaced by another one.',
    );
  const scopes = wantedScopes(form, row.scopes);
  const answer = issue(service, credentials, client, scopes);
  if (credentials.refresh === 'keep') return answer;
  const next = madeSecret('sandbox_refresh');
  tokens.forget(refreshToken);
  tokens.keep(next, { kind: 'refresh', clientId: client.id, scopes: row.scopes });
  return { ...answer, refresh_token: next };
}

function issue(
  service: Service,
  credentials: Credentials,
  client: OAuthClient,
  scopes: readonly string[],
): TokenAnswer {
  const token = madeSecret('sandbox_access');
  const expiresMs = service.clock.now() + credentials.accessTokenSeconds * 1000;
  service.store.tokens.keep(token, { kind: 'access', clientId: client.id, scopes, expiresMs });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: credentials.accessTokenSeconds,
    scope: scopes.join(' '),
  };
}

function wantedScopes(form: ReadonlyMap<string, string>, most: readonly string[]): readonly string[] {
  const wanted = form.get('scope')?.split(' ').filter(Boolean);
  if (wanted === undefined) return most;
  const beyond = wanted.find((scope) => !most.includes(scope));
  if (beyond !== undefined)
    throw new TokenRefusal('invalid_scope', `The scope ${beyond.slice(0, 100)} cannot be given.`);
  return [...new Set(wanted)];
}

/** Both parts are form-encoded before they are joined (RFC 6749, 2.3.1). */
function basicCredentials(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^basic +([\w+/=-]+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  try {
    return { id: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) };
  } catch {
    return undefined;
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
