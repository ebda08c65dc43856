/** Errors of the network in words, and what each of them proves. */
import type { Breakdown } from './exchange.ts';

const CONNECT_PHRASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'the connection was closed while it was being made',
    EHOSTUNREACH: 'no route to the host',
    ENETUNREACH: 'no network',
    ENOTFOUND: 'no such host name',
    EAI_AGAIN: 'the host name cannot be looked up at the moment',
    ETIMEDOUT: 'no connection in time',
    UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
    UND_ERR_PRX_CONN: 'the proxy did not make the connection',
    UND_ERR_ABORTED: 'the proxy refused the connection',
    EPROTO: 'the other side does not speak TLS',
    ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS',
    EMFILE: 'too many files are open on this machine',
  }),
);

/** OpenSSL's reasons not to trust a certificate, and a name in it that is not the host's. */
const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT)|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|UND_ERR_PRX_TLS)/;

/** The request had not begun: nothing of it went out. */
export function noConnection(error: unknown): Breakdown {
  const code = codeOf(error);
  const certificate = code !== undefined && CERTIFICATE.test(code);
  // The library itself refuses to send such a request, so it will refuse it every time.
  const impossible = code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
  const phrase = certificate
    ? 'its certificate cannot be trusted'
    : impossible
      ? 'this request cannot be sent'
      : (CONNECT_PHRASES.get(code ?? '') ?? 'no connection');
  return {
    type: 'breakdown',
    reason: certificate || impossible ? 'hopeless' : 'not-connected',
    message: code === undefined ? phrase : `${phrase} (${code})`,
    code,
  };
}

/** We ended the connection ourselves, at a moment of our own: what socket-watch.ts says of it is no proof. */
export function closedByUs(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED' || code === CLOSED_BY_US;
}

/** Code of the error with which a transport ends its own connections. */
export const CLOSED_BY_US = 'CLOSED_BY_US';

/** The request had begun. `maybeWritten` as in socket-watch.ts. */
export function brokenConnection(error: unknown, maybeWritten: boolean): Breakdown {
  const code = codeOf(error);
  // How undici reports the 407 of a proxy that it sends plain requests through: they went no further.
  if (code === 'UND_ERR_INVALID_ARG')
    return { type: 'breakdown', reason: 'hopeless', message: 'the proxy asks for a login (407)', code };
  const garbage =
    (error instanceof Error && error.name === 'HTTPParserError') || code === 'UND_ERR_HEADERS_OVERFLOW';
  const phrase = garbage
    ? 'something that is not HTTP came back'
    : maybeWritten
      ? 'the connection broke before the answer came'
      : 'the connection broke while the request was being sent';
  return {
    type: 'breakdown',
    reason: maybeWritten ? 'cut' : 'not-written',
    message: code === undefined ? phrase : `${phrase} (${code})`,
    code,
  };
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  const own = typeof code === 'string' && code !== '' ? code : undefined;
  // A wrapped error of the proxy says less than what it wraps, except that it was the proxy's.
  if (own === undefined && cause !== undefined && cause !== error) return codeOf(cause);
  return own;
}
