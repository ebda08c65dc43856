/**
 * One header for each host of files. It goes to its own host only, and without encryption only if the host is written with
 * `http://`.
 */
import { Secret } from '../domain/secret.ts';
import { stop } from '../domain/text/stops.ts';
import { isLoopback } from '../settings/parsers.ts';

interface HostCredential {
  /** With its port if given; `*.example.com` for all below. */
  readonly host: string;
  readonly plain: boolean;
  readonly header: string;
  readonly value: Secret;
}

export class SourceCredentials {
  readonly #all: readonly HostCredential[];
  readonly #where: string;

  constructor(all: readonly HostCredential[] = [], where = 'HELPDESK_FILES_CREDENTIALS_FILE') {
    this.#all = all;
    this.#where = where;
  }

  get hosts(): string[] {
    return this.#all.map(({ host }) => host);
  }

  advice(url: URL, wasEncrypted = false): string {
    const own = this.#all.filter(({ host }) => covers(host, url));
    if (own.length === 0) return `give a credential for ${url.host} in ${this.#where}`;
    return own.some((one) => goes(one, url, wasEncrypted))
      ? `the credential for ${url.host} in ${this.#where} is not the right one`
      : `the credential for ${url.host} was not sent over an unencrypted connection; write http://${url.host} in ${this.#where} where it may be`;
  }

  /** `wasEncrypted`: a redirect has left encryption. */
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

/** `where`: the variable or file of the text. Throws AppError `configuration`, which repeats no value. */
export function readSourceCredentials(text: string, where: string): SourceCredentials {
  const credentials = text.split(/\r?\n/).flatMap((written, index): HostCredential[] => {
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return [];
    const [, named = '', header = '', value = ''] =
      /^(\S+)\s+([\w!#$%&'*+.^`|~-]+)\s*:\s*(\S.*)$/.exec(line) ?? [];
    const url = URL.parse(/^https?:\/\//.test(named) ? named : `https://${named.replace(/^\*\./, '')}`);
    if (header === '' || url === null) throw stop('no-credential', { where, line: index + 1 });
    const host = named.startsWith('*.') ? `*.${url.host}` : url.host;
    const plain = url.protocol === 'http:';
    return [{ host, plain, header: header.toLowerCase(), value: new Secret(value) }];
  });
  return new SourceCredentials(credentials, where);
}
