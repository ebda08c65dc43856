/** A value that must never be printed, logged or stored. Only `reveal()` gives it out, at the place where it is sent. */
import { inspect } from 'node:util';

const HIDDEN = '[secret]';

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: for an Authorization header or a token request, nothing else. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.toPrimitive](): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}

/** How to be let in (docs/core-api.md, 5 Authentication). */
export type Credentials =
  | { readonly kind: 'token'; readonly token: Secret }
  /** Read again when the target refuses the token. */
  | { readonly kind: 'token-file'; readonly path: string }
  | OAuthCredentials;

/** OAuth 2.0: the grant `refresh_token` where there is a refresh token or a file for it, else `client_credentials`. */
export interface OAuthCredentials {
  readonly kind: 'oauth';
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: Secret | undefined;
  readonly refreshToken?: Secret | undefined;
  /** What it holds goes before `refreshToken`; a replaced refresh token is written back here. */
  readonly refreshTokenFile?: string | undefined;
  readonly scope?: string | undefined;
}
