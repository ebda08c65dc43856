/** What became of asking for one attachment, and what an answer means. Pure. */

export type ProbeOutcome =
  /** The file is there for whoever has its address. */
  | 'reachable'
  /** 404 or 410. */
  | 'missing'
  /** 401, 403 and their like: the old helpdesk wants a login, so nobody sees the file after the import. */
  | 'forbidden'
  /** No connection, no such host, a broken answer, a server's error, too many redirects. */
  | 'unreachable'
  /** No answer in time. */
  | 'timeout'
  /** Never asked for: no http(s) address, or one inside a private network. */
  | 'refused'
  /** Never asked for: beyond the bounds of the check. */
  | 'not-checked';

export interface ProbeResult {
  readonly url: string;
  readonly outcome: ProbeOutcome;
  readonly status?: number;
  /** One sentence, without the query of the address, which may hold a signature. */
  readonly detail: string;
}

export type Answer =
  | { readonly kind: 'done'; readonly outcome: ProbeOutcome; readonly reason: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'ask-with-get' };

/**
 * Some hosts know no HEAD (405, 501), and addresses that are signed for GET answer 400 or 403 to it. 416 means that the
 * file is there and empty. 429 and 5xx say nothing about the file, and count as unreachable: a person looks again.
 */
export function answerOf(method: 'HEAD' | 'GET', status: number, location: string | undefined): Answer {
  if ([301, 302, 303, 307, 308].includes(status) && location !== undefined)
    return { kind: 'redirect', to: location };
  if ((status >= 200 && status < 300) || status === 416) return done('reachable', `answers ${status}`);
  if (method === 'HEAD' && [400, 403, 405, 501].includes(status)) return { kind: 'ask-with-get' };
  if (status === 404 || status === 410) return done('missing', `is not there (${status})`);
  if (status === 401 || status === 403 || status === 407)
    return done('forbidden', `needs a login (${status}), so it will not open in the target`);
  return done('unreachable', `answers ${status}`);
}

function done(outcome: ProbeOutcome, reason: string): Answer {
  return { kind: 'done', outcome, reason };
}

/** How a sentence names an address: host and path, no credentials, no query, no more than 120 characters. */
export function addressLabel(url: string): string {
  if (!URL.canParse(url)) return 'an address that is none';
  const { host, pathname } = new URL(url);
  const label = `${host}${pathname}`;
  return label.length > 120 ? `${label.slice(0, 119)}…` : label;
}
