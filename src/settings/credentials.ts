/** From the environment, never from a flag or the settings. No value is ever repeated. */
import { didYouMean } from '../domain/nearest.ts';
import { type Credentials, Secret } from '../domain/secret.ts';
import { isLoopback, parseServiceUrl, quoted } from './parsers.ts';
import { type Complaint, configurationError } from './sentences.ts';
import { ALL_SETTINGS } from './table/table.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLES = {
  token: 'HELPDESK_TOKEN',
  tokenFile: 'HELPDESK_TOKEN_FILE',
  tokenUrl: 'HELPDESK_TOKEN_URL',
  clientId: 'HELPDESK_CLIENT_ID',
  clientSecret: 'HELPDESK_CLIENT_SECRET',
  refreshTokenFile: 'HELPDESK_REFRESH_TOKEN_FILE',
  scope: 'HELPDESK_SCOPE',
} as const;
type CredentialPart = keyof typeof VARIABLES;

export interface FoundCredentials {
  readonly credentials?: Credentials | undefined;
  readonly complaints: readonly Complaint[];
  readonly warnings: readonly string[];
}

const OTHERS = [
  ...['HELPDESK_APP_ID', 'HELPDESK_APP_KEY', 'HELPDESK_FILES_CREDENTIALS_FILE'],
  ...ALL_SETTINGS.flatMap(({ env }) => env ?? []),
];
const WENT: ReadonlyMap<string, string> = new Map([
  ['HELPDESK_REFRESH_TOKEN', 'write the token to a file and name it in HELPDESK_REFRESH_TOKEN_FILE'],
]);

/** A misspelt variable would silently sign in another way or import into another helpdesk. Throws AppError `configuration`. */
export function requireKnownVariables(env: Environment): void {
  const known = [...Object.values(VARIABLES), ...OTHERS];
  const isKnown = (name: string) => known.includes(process.platform === 'win32' ? name.toUpperCase() : name);
  const complaints = Object.keys(env)
    .filter((name) => /^help_?desk./i.test(name) && !isKnown(name) && variable(env, name) !== undefined)
    .sort()
    .map((name) => {
      const went = WENT.get(name);
      const instead = went === undefined ? didYouMean(name, known) : ` Instead, ${went}.`;
      return {
        message: `${quoted(name)} is no environment variable of helpdesk-import.${instead || ' Unset it.'}`,
      };
    });
  if (complaints.length > 0) throw configurationError(complaints);
}

/** An empty variable counts as unset, as in CI systems. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

export function readCredentials(env: Environment): FoundCredentials {
  const parts: { readonly [K in CredentialPart]?: string | undefined } = Object.fromEntries(
    Object.entries(VARIABLES).map(([part, name]) => [part, variable(env, name)]),
  );
  const complaints: Complaint[] = [];
  const warnings: string[] = [];
  const complain = (part: CredentialPart, message: string) =>
    complaints.push({ message: `${VARIABLES[part]} ${message}` });
  const { token, tokenFile, tokenUrl, clientId, clientSecret, refreshTokenFile, scope } = parts;

  for (const part of ['token', 'clientSecret'] as const) {
    if (/^bearer\s/i.test(parts[part] ?? ''))
      complain(part, 'must be the token alone, without the word Bearer.');
    // Headers hold printable ASCII only.
    else if (/[^\x21-\x7e]/.test(parts[part] ?? '') && part !== 'clientSecret')
      complain(part, 'has a space, a line break or another character that no token has.');
  }
  if (token !== undefined && tokenFile !== undefined)
    complain('token', `and ${VARIABLES.tokenFile} are both set: unset one of them.`);

  const ready: Credentials | undefined =
    token !== undefined
      ? { kind: 'token', token: new Secret(token) }
      : tokenFile !== undefined
        ? { kind: 'token-file', path: tokenFile }
        : undefined;
  const oauth = [tokenUrl, clientId, clientSecret, refreshTokenFile];
  if (oauth.every((value) => value === undefined)) return { credentials: ready, complaints, warnings };

  if (ready !== undefined)
    complain(
      token === undefined ? 'tokenFile' : 'token',
      `is set, and so are variables of OAuth 2.0 (${VARIABLES.tokenUrl}, ${VARIABLES.clientId} …): unset one or the other.`,
    );
  if (tokenUrl === undefined)
    complain('tokenUrl', 'is not set: OAuth 2.0 needs the address that issues tokens.');
  else {
    const url = parseServiceUrl(tokenUrl);
    if ('problem' in url) complain('tokenUrl', `${url.problem}.`);
    else if (url.value.startsWith('http:') && !isLoopback(tokenUrl))
      warnings.push(`${VARIABLES.tokenUrl} is not https: the client secret crosses the network unencrypted.`);
  }
  if (clientId === undefined) complain('clientId', 'is not set: OAuth 2.0 needs it.');

  if (refreshTokenFile === undefined && clientSecret === undefined)
    complain('clientSecret', `is not set: OAuth 2.0 needs it, or ${VARIABLES.refreshTokenFile}.`);
  if (complaints.length > 0 || tokenUrl === undefined || clientId === undefined)
    return { complaints, warnings };

  const credentials: Credentials = {
    kind: 'oauth',
    tokenUrl,
    clientId,
    clientSecret: clientSecret === undefined ? undefined : new Secret(clientSecret),
    refreshTokenFile,
    scope,
  };
  return { credentials, complaints, warnings };
}

export interface AppKeys {
  readonly appId: string;
  readonly apiKey: Secret;
}

export function appKeysIn(env: Environment): {
  readonly keys?: AppKeys | undefined;
  readonly complaints: readonly Complaint[];
} {
  const names = ['HELPDESK_APP_ID', 'HELPDESK_APP_KEY'] as const;
  const [appId, apiKey] = names.map((name) => variable(env, name));
  // Headers hold printable ASCII only.
  const complaints = names
    .filter((name) => /[^\x21-\x7e]/.test(variable(env, name) ?? ''))
    .map((name) => ({
      message: `${name} has a space, a line break or another character that no key has.`,
    }));
  if (appId === undefined || apiKey === undefined || complaints.length > 0) return { complaints };
  return { keys: { appId, apiKey: new Secret(apiKey) }, complaints };
}
