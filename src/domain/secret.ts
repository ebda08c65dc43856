/** Never printed, logged or stored. Only `reveal()` gives it out, where it is sent. */
import { inspect } from 'node:util';

const HIDDEN = '[secret]';

const known = new Map<string, string>();
/** Short ones too, for texts that are nothing but a secret. */
const whole = new Set<string>();

/** Shorter values and plain words would break ordinary sentences; no real secret is like that. */
const TELLING = /^(?![A-Za-z]{1,11}$).{6,}$/s;

export class Secret {
  readonly #value: string;
  readonly isShown: boolean;

  /** `isShown`: the sandbox's token, which is printed. */
  constructor(value: string, isShown = false) {
    this.#value = value;
    this.isShown = isShown;
    if (!isShown) whole.add(value);
    if (!isShown && TELLING.test(value)) known.set(value, encodeURIComponent(value.toWellFormed()));
  }

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

export function holdsSecret(text: string): boolean {
  if (whole.has(text)) return true;
  for (const [value, encoded] of known) if (text.includes(value) || text.includes(encoded)) return true;
  return false;
}

export function hideSecrets(text: string): string {
  let clean = text;
  for (const [value, encoded] of known) clean = clean.replaceAll(value, HIDDEN).replaceAll(encoded, HIDDEN);
  return clean;
}

/** Authentication (docs/core-api.md, 5). */
export type Credentials =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'token-file'; readonly path: string }
  | OAuthCredentials;

/** `refresh_token` if there is one, else `client_credentials`. */
export interface OAuthCredentials {
  readonly kind: 'oauth';
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: Secret | undefined;
  readonly refreshToken?: Secret | undefined;
  /** Overrides `refreshToken`; a replaced one is written back. */
  readonly refreshTokenFile?: string | undefined;
  readonly scope?: string | undefined;
}
