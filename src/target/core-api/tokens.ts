/** Where access tokens come from. Two simple sources here; OAuth 2.0 in oauth.ts. */
import { AppError } from '../../domain/errors.ts';
import { Secret } from '../../domain/secret.ts';

/**
 * Contract: `current` gives the token to send, at once where there is one, renewing it first where it knows that it has expired. `renew` is told
 * which token was refused with 401 and gives another one, or undefined when there is none; for any number of concurrent
 * callers with the same refused token it renews once. Both throw ApiFailure (`auth`, `unreachable`) or the signal's reason.
 */
export interface TokenSource {
  current(signal: AbortSignal): Secret | Promise<Secret>;
  renew(refused: Secret, signal: AbortSignal): Promise<Secret | undefined>;
  /** Everything that must not be seen in a message. */
  secrets(): readonly string[];
  /** True when the service replaced the refresh token and the new one is only in memory. */
  readonly unsavedRefreshToken: boolean;
  /** Ends renewals under way. */
  close(): void;
}

/** A bearer token or API key that never changes. Throws AppError `configuration` when it cannot be a token. */
export function fixedToken(token: Secret): TokenSource {
  const checked = checkedToken(token.reveal(), 'HELPDESK_TOKEN');
  return {
    current: () => checked,
    renew: () => Promise.resolve(undefined),
    secrets: () => [checked.reveal()],
    unsavedRefreshToken: false,
    close: () => {},
  };
}

/** A token in a file that someone else may replace: read at the first call, and again when it is refused. */
export function tokenFromFile(read: () => Promise<string>): TokenSource {
  let token: Secret | undefined;
  let reading: Promise<Secret> | undefined;
  const seen = new Set<string>();

  const load = () => {
    reading ??= read()
      .then((text) => {
        token = checkedToken(text, 'the token file');
        seen.add(token.reveal());
        return token;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return {
    current: () => token ?? load(),
    async renew(refused) {
      if (token !== undefined && token.reveal() !== refused.reveal()) return token;
      const fresh = await load();
      return fresh.reveal() === refused.reveal() ? undefined : fresh;
    },
    secrets: () => [...seen],
    unsavedRefreshToken: false,
    close: () => {},
  };
}

/** Trimmed, without a `Bearer` in front, and fit for a header. */
export function checkedToken(text: string, where: string): Secret {
  const token = text.trim().replace(/^bearer\s+/i, '');
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new AppError(
      'configuration',
      token === ''
        ? `There is no token in ${where}.`
        : `The token in ${where} has white space or other characters that a token cannot have.`,
      { hint: 'Give the access token or API key alone, on one line.' },
    );
  return new Secret(token);
}
