/** Credentials from the environment: the only place that they may come from. No value of theirs is ever repeated. */
import { Secret } from '../domain/secret.ts';
import type { Complaint } from './complaint.ts';
import { isLoopback } from './parse-text.ts';
import type { Credentials } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const CREDENTIAL_VARIABLES = [
  'HELPDESK_TOKEN',
  'HELPDESK_TOKEN_FILE',
  'HELPDESK_TOKEN_URL',
  'HELPDESK_CLIENT_ID',
  'HELPDESK_CLIENT_SECRET',
  'HELPDESK_REFRESH_TOKEN',
  'HELPDESK_REFRESH_TOKEN_FILE',
  'HELPDESK_SCOPE',
] as const;

export interface FoundCredentials {
  readonly credentials?: Credentials;
  readonly complaints: readonly Complaint[];
  readonly warnings: readonly string[];
}

/** A variable that is set to something; an empty one counts as unset, which is how CI systems leave it. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** OAuth 2.0 with `refresh_token` where there is a refresh token, else `client_credentials`; or a ready token. */
export function credentialsFrom(env: Environment): FoundCredentials {
  const complaints: Complaint[] = [];
  const warnings: string[] = [];
  const complain = (name: string, message: string) => complaints.push({ message: `${name} ${message}` });
  const get = (name: (typeof CREDENTIAL_VARIABLES)[number]) => variable(env, name);

  const token = get('HELPDESK_TOKEN');
  const tokenFile = get('HELPDESK_TOKEN_FILE');
  const tokenUrl = get('HELPDESK_TOKEN_URL');
  const clientId = get('HELPDESK_CLIENT_ID');
  const clientSecret = get('HELPDESK_CLIENT_SECRET');
  const refreshToken = get('HELPDESK_REFRESH_TOKEN');
  const refreshTokenFile = get('HELPDESK_REFRESH_TOKEN_FILE');
  const scope = get('HELPDESK_SCOPE');

  for (const name of ['HELPDESK_TOKEN', 'HELPDESK_CLIENT_SECRET', 'HELPDESK_REFRESH_TOKEN'] as const) {
    if (/^bearer\s/i.test(get(name) ?? ''))
      complain(name, 'must be the token alone, without the word Bearer.');
    // Whatever is outside of printable ASCII cannot stand in a header.
    else if (/[^\x21-\x7e]/.test(get(name) ?? '') && name !== 'HELPDESK_CLIENT_SECRET')
      complain(name, 'has a space, a line break or another character that no token has.');
  }
  if (token !== undefined && tokenFile !== undefined)
    complain('HELPDESK_TOKEN', 'and HELPDESK_TOKEN_FILE are both set: unset one of them.');

  const ready: Credentials | undefined =
    token !== undefined
      ? { kind: 'token', token: new Secret(token) }
      : tokenFile !== undefined
        ? { kind: 'token-file', path: tokenFile }
        : undefined;
  const oauth = [tokenUrl, clientId, clientSecret, refreshToken, refreshTokenFile];
  if (oauth.every((value) => value === undefined))
    return { ...(ready === undefined ? {} : { credentials: ready }), complaints, warnings };

  if (ready !== undefined)
    complain(
      token === undefined ? 'HELPDESK_TOKEN_FILE' : 'HELPDESK_TOKEN',
      'is set, and so are variables of OAuth 2.0 (HELPDESK_TOKEN_URL, HELPDESK_CLIENT_ID …): unset the ones or the other.',
    );
  if (tokenUrl === undefined)
    complain('HELPDESK_TOKEN_URL', 'is not set: OAuth 2.0 needs the address that gives out tokens.');
  else checkTokenUrl(tokenUrl, complain, warnings);
  if (clientId === undefined) complain('HELPDESK_CLIENT_ID', 'is not set: OAuth 2.0 needs it.');

  const refreshes = refreshToken !== undefined || refreshTokenFile !== undefined;
  if (!refreshes && clientSecret === undefined)
    complain('HELPDESK_CLIENT_SECRET', 'is not set: OAuth 2.0 needs it, or HELPDESK_REFRESH_TOKEN.');
  if (complaints.length > 0 || tokenUrl === undefined || clientId === undefined)
    return { complaints, warnings };

  const common = { tokenUrl, clientId, ...(scope === undefined ? {} : { scope }) };
  if (refreshes)
    return {
      credentials: {
        kind: 'refresh-token',
        ...common,
        ...(clientSecret === undefined ? {} : { clientSecret: new Secret(clientSecret) }),
        ...(refreshToken === undefined ? {} : { refreshToken: new Secret(refreshToken) }),
        ...(refreshTokenFile === undefined ? {} : { refreshTokenFile }),
      },
      complaints,
      warnings,
    };
  return {
    credentials: { kind: 'client-credentials', ...common, clientSecret: new Secret(clientSecret ?? '') },
    complaints,
    warnings,
  };
}

function checkTokenUrl(
  text: string,
  complain: (name: string, message: string) => void,
  warnings: string[],
): void {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    complain('HELPDESK_TOKEN_URL', 'must be an address such as https://helpdesk.example.com/oauth/token.');
  else if (url.username !== '' || url.password !== '')
    complain('HELPDESK_TOKEN_URL', 'must not hold a user name or password.');
  else if (url.protocol === 'http:' && !isLoopback(text))
    warnings.push(`HELPDESK_TOKEN_URL is not https: the client secret crosses the network unencrypted.`);
}
