/** First step of the classification: which row of the table (classify.ts) a reply belongs to. Pure. */
import type { Sign } from './classify.ts';
import { type Answer, type CallKind, headerOf, type Reply } from './exchange.ts';

const anything = () => true;

/** @param readable whether the body of a success is what this call needs: a ticket with an id, a list, anything but a page for a PUT */
export function signOf(reply: Reply, kind: CallKind, readable: (answer: Answer) => boolean = anything): Sign {
  if (reply.type === 'breakdown') return reply.reason;
  const { status } = reply;
  if (status >= 200 && status < 300) {
    if (reply.cut !== undefined) return 'success-cut';
    return readable(reply) ? 'success' : 'success-unreadable';
  }
  if (status >= 300 && status < 400) {
    if (kind === 'read') return 'not-readable';
    return status === 301 || status === 307 || status === 308 ? 'moved' : 'redirected';
  }
  if (status >= 400 && status < 500) return signOf4xx(status, kind);
  if (status === 503) return headerOf(reply, 'retry-after') ? 'unavailable' : 'unavailable-unsaid';
  return status >= 500 && status < 600 ? 'server-error' : 'no-status';
}

function signOf4xx(status: number, kind: CallKind): Sign {
  if (kind === 'read' && (status === 403 || status === 404 || status === 405)) return 'not-readable';
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 407:
      return 'proxy-login';
    case 408:
    case 425:
      return 'try-later';
    case 429:
      return 'rate-limited';
    default:
      return 'refused';
  }
}
