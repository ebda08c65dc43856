/**
 * Credentials for the hosts that files are fetched from, and what of them goes with a request. One belongs to one host: it
 * goes to no other one, and never over a connection that others can read unless the host was named so. Pure.
 */
import { AppError } from '../domain/errors.ts';
import { Secret } from '../domain/secret.ts';
import { isLoopback } from '../settings/parsers.ts';
import { decoded } from './address.ts';

const KINDS = ['bearer', 'basic', 'header', 'cookie', 'query'] as const;
type Kind = (typeof KINDS)[number];

interface HostCredential {
  /** `files.example.com`, with its port where one was named; `*.example.com` for all below it. */
  readonly host: string;
  /** Also where the connection is not encrypted. */
  readonly plain: boolean;
  readonly kind: Kind;
  /** The name of a header or parameter. */
  readonly name: string;
  readonly secret: Secret;
}

export class SourceCredentials {
  readonly #all: readonly HostCredential[];
  /** The variable or the file that they stand in. */
  readonly #where: string;

  constructor(all: readonly HostCredential[] = [], where = 'HELPDESK_FILES_CREDENTIALS') {
    this.#all = all;
    this.#where = where;
  }

  /** Hosts that were named, which are those of the source. */
  get hosts(): string[] {
    return this.#all.map(({ host }) => host);
  }

  /** What to do where this address wants a login. */
  advice(url: URL, wasEncrypted = false): string {
    const own = this.#all.filter(({ host }) => covers(host, url));
    if (own.length === 0) return `give a credential for ${url.host} in ${this.#where}`;
    return own.some((one) => goes(one, url, wasEncrypted))
      ? `the credential for ${url.host} in ${this.#where} is not the right one`
      : `the credential for ${url.host} was not sent over a connection that is not encrypted; write http://${url.host} in ${this.#where} where it may be`;
  }

  /** The request to this very address, with what its host gets. `wasEncrypted`: an earlier hop was, and this one is not. */
  apply(url: URL, wasEncrypted = false): { readonly url: URL; readonly headers: Record<string, string> } {
    const bare = new URL(url);
    bare.username = '';
    bare.password = '';
    const headers: Record<string, string> = {};
    const own = this.#all.filter((one) => covers(one.host, url) && goes(one, url, wasEncrypted));
    for (const { kind, name, secret } of this.#all)
      if (kind === 'query') withoutEcho(bare, name, secret.reveal());
    for (const { kind, name, secret } of own)
      if (kind === 'query') bare.searchParams.set(name, secret.reveal());
      else headers[name] = secret.reveal();
    return { url: bare, headers };
  }
}

/** A server that redirects may repeat what it was asked with, also within the address to come back to. */
function withoutEcho(url: URL, name: string, secret: string): void {
  const given = `${name}=${secret}`;
  for (const [key, value] of [...url.searchParams]) {
    let text = `${key}=${value}`;
    let isEcho = text === given;
    for (let layer = 0; layer < MOST_LAYERS && !isEcho; layer++) {
      isEcho = text.includes(`?${given}`) || text.includes(`&${given}`);
      text = decoded(text);
    }
    // Only then: an address that is written anew may not fit its signature any more.
    if (isEcho) url.searchParams.delete(key, value);
  }
}

const MOST_LAYERS = 4;

function goes({ plain }: HostCredential, url: URL, wasEncrypted: boolean): boolean {
  return url.protocol === 'https:' || (!wasEncrypted && (plain || isLoopback(url.href)));
}

function covers(host: string, url: URL): boolean {
  if (host.startsWith('*.')) return url.host.endsWith(host.slice(1)) && url.port === '';
  return host === url.host;
}

const FORM =
  'one host a line: "files.example.com bearer TOKEN", or basic USER:PASSWORD, header NAME: VALUE, cookie NAME=VALUE, query NAME=VALUE';

/** `where`: the variable or the file that it stands in. Throws AppError `configuration`, which repeats no value. */
export function readSourceCredentials(text: string, where: string): SourceCredentials {
  if (text.trim().startsWith('{')) return new SourceCredentials(fromJson(text, where), where);
  const credentials = text.split(/\r?\n/).flatMap((line, index): HostCredential[] => {
    if (line.trim() === '' || line.trim().startsWith('#')) return [];
    const [, host, kind, value] = /^(\S+)\s+(\S+)\s+(\S.*)$/.exec(line.trim()) ?? [];
    return [credentialOf(host, kind, value, `${where}, line ${index + 1},`)];
  });
  return new SourceCredentials(credentials, where);
}

function fromJson(text: string, where: string): HostCredential[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong(`${where} is not valid JSON.`);
  }
  return Object.entries(parsed as object).flatMap(([host, kinds]) =>
    Object.entries((kinds ?? {}) as Record<string, unknown>).map(([kind, value]) =>
      credentialOf(host, kind, typeof value === 'string' ? value : undefined, where),
    ),
  );
}

function credentialOf(
  named: string | undefined,
  kind: string | undefined,
  value: string | undefined,
  where: string,
): HostCredential {
  const known = KINDS.find((one) => one === kind?.toLowerCase());
  if (named === undefined || known === undefined || value === undefined)
    throw wrong(`${where} is not a credential.`);
  const url = URL.parse(/^https?:\/\//.test(named) ? named : `https://${named.replace(/^\*\./, '')}`);
  if (url === null) throw wrong(`${where} names no host.`);
  if (/[\r\n\0]/.test(value)) throw wrong(`${where} has a line break in it.`);
  const host = named.startsWith('*.') ? `*.${url.host}` : url.host;
  const base = { host, plain: url.protocol === 'http:', kind: known };
  if (known === 'bearer')
    return {
      ...base,
      name: 'authorization',
      secret: new Secret(`Bearer ${value.replace(/^bearer\s+/i, '')}`),
    };
  if (known === 'basic')
    return {
      ...base,
      name: 'authorization',
      secret: new Secret(`Basic ${Buffer.from(value).toString('base64')}`),
    };
  if (known === 'cookie') return { ...base, name: 'cookie', secret: new Secret(value) };
  const [, name, rest] =
    (known === 'header' ? /^([\w!#$%&'*+.^`|~-]+)\s*:\s*(.+)$/ : /^([^=\s&]+)=(.+)$/).exec(value) ?? [];
  if (name === undefined || rest === undefined) throw wrong(`${where} needs a name and a value.`);
  return { ...base, name: known === 'header' ? name.toLowerCase() : name, secret: new Secret(rest) };
}

function wrong(message: string): AppError {
  return new AppError('configuration', message, { hint: `It takes ${FORM}.` });
}
