/**
 * Credentials for the hosts that files are fetched from: one header of a request each. A credential goes to its own host
 * alone, and over a connection that others can read only where the host was named with `http://`. Pure.
 */
import { AppError } from '../domain/errors.ts';
import { Secret } from '../domain/secret.ts';
import { isLoopback } from '../settings/parsers.ts';

interface HostCredential {
  /** `files.example.com`, with its port where one was named; `*.example.com` for all below it. */
  readonly host: string;
  /** Also where the connection is not encrypted. */
  readonly plain: boolean;
  /** In lower case. */
  readonly header: string;
  readonly value: Secret;
}

export class SourceCredentials {
  readonly #all: readonly HostCredential[];
  /** The variable or the file that they are from. */
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

  /** What goes with a request to this very address. `wasEncrypted`: the request before a redirect was, and this one is not. */
  headersFor(url: URL, wasEncrypted = false): Record<string, string> {
    const own = this.#all.filter((one) => covers(one.host, url) && goes(one, url, wasEncrypted));
    return Object.fromEntries(own.map(({ header, value }) => [header, value.reveal()]));
  }
}

function goes({ plain }: HostCredential, url: URL, wasEncrypted: boolean): boolean {
  return url.protocol === 'https:' || (!wasEncrypted && (plain || isLoopback(url.href)));
}

function covers(host: string, url: URL): boolean {
  if (host.startsWith('*.')) return url.host.endsWith(host.slice(1)) && url.port === '';
  return host === url.host;
}

/** `where`: the variable or the file that the text is from. Throws AppError `configuration`, which repeats no value. */
export function readSourceCredentials(text: string, where: string): SourceCredentials {
  const credentials = text.split(/\r?\n/).flatMap((written, index): HostCredential[] => {
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return [];
    const [, named = '', header = '', value = ''] =
      /^(\S+)\s+([\w!#$%&'*+.^`|~-]+)\s*:\s*(\S.*)$/.exec(line) ?? [];
    const url = URL.parse(/^https?:\/\//.test(named) ? named : `https://${named.replace(/^\*\./, '')}`);
    if (header === '' || url === null)
      throw new AppError('configuration', `${where}, line ${index + 1}, is not a credential.`, {
        hint: 'It takes a host, a header and its value in each line: "files.example.com Authorization: Bearer TOKEN".',
      });
    const host = named.startsWith('*.') ? `*.${url.host}` : url.host;
    const plain = url.protocol === 'http:';
    return [{ host, plain, header: header.toLowerCase(), value: new Secret(value) }];
  });
  return new SourceCredentials(credentials, where);
}
