/** `POST /oauth/token`: the grants `client_credentials` and `refresh_token` (RFC 6749), with the client in the form. */
import type { Context } from 'hono';
import { readForm } from '../core/body.ts';
import type { SandboxEnv, Service } from '../core/request.ts';
import { type Credentials, isSame, madeSecret, SCOPES } from './credentials.ts';

/** Errors of RFC 6749. */
class TokenRefusal extends Error {
  readonly code: string;
  readonly status: 400 | 401;

  constructor(code: string, message: string, status: 400 | 401 = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export async function tokenEndpoint(
  service: Service,
  credentials: Credentials,
  c: Context<SandboxEnv>,
): Promise<Response> {
  c.header('cache-control', 'no-store');
  try {
    const answer = granted(service, credentials, await tokenForm(c));
    c.set('effect', { effect: 'stored' });
    return c.json(answer);
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    return c.json({ error: error.code, error_description: error.message }, error.status);
  }
}

async function tokenForm(c: Context<SandboxEnv>): Promise<URLSearchParams> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new TokenRefusal('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  return readForm(c);
}

function granted(service: Service, { clients, accessTokenSeconds }: Credentials, form: URLSearchParams) {
  const client = clients.find(
    ({ id, secret }) => id === form.get('client_id') && isSame(secret, form.get('client_secret') ?? ''),
  );
  if (client === undefined)
    throw new TokenRefusal('invalid_client', 'The client or its secret is wrong.', 401);
  const scopes = scopesOf(service, client, form);
  const token = madeSecret('sandbox_access');
  const expiresMs = service.clock.now() + accessTokenSeconds * 1000;
  service.store.tokens.keep(token, { kind: 'access', clientId: client.id, scopes, expiresMs });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    scope: scopes.join(' '),
  };
}

function scopesOf(
  { store }: Service,
  client: Credentials['clients'][number],
  form: URLSearchParams,
): readonly string[] {
  const grant = form.get('grant_type');
  if (grant === 'client_credentials') return wantedScopes(form, client.scopes ?? SCOPES);
  if (grant !== 'refresh_token')
    throw new TokenRefusal('unsupported_grant_type', 'Only client_credentials and refresh_token are served.');
  const row = store.tokens.find(form.get('refresh_token') ?? '');
  if (row?.kind !== 'refresh' || row.clientId !== client.id)
    throw new TokenRefusal('invalid_grant', 'The refresh token is not valid.');
  return wantedScopes(form, row.scopes);
}

function wantedScopes(form: URLSearchParams, most: readonly string[]): readonly string[] {
  const wanted = form.get('scope')?.split(' ').filter(Boolean) ?? most;
  const beyond = wanted.find((scope) => !most.includes(scope));
  if (beyond !== undefined)
    throw new TokenRefusal('invalid_scope', `The scope ${beyond.slice(0, 100)} cannot be given.`);
  return [...new Set(wanted)];
}
