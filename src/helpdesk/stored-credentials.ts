/** The credentials of the settings, with what is saved of them in files. */
import { AppError } from '../domain/errors.ts';
import { type Credentials, Secret } from '../domain/secret.ts';
import { readSecretFile, writeSecretFile } from './secrets.ts';
import { type ApiCredentials, checkedToken } from './tokens.ts';

export async function apiCredentials(credentials: Credentials): Promise<ApiCredentials> {
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
