/** First step of the classification: which row of the table (classify.ts) a reply belongs to. Pure. */
import type { Answer, CallKind, Reply } from '../http/exchange.ts';
import { isOtherForm } from './answers.ts';
import type { Sign } from './classify.ts';
import { refusesInOwnForm } from './error-body.ts';

const anything = () => true;

/** @param readable whether the body of a success is what this call needs: a ticket with an id, a list, anything but a page for a PUT */
export function signOf(reply: Reply, kind: CallKind, readable: (answer: Answer) => boolean = anything): Sign {
  if (reply.type === 'breakdown') return reply.reason;
  const { status } = reply;
  if (status >= 200 && status < 300) {
    if (reply.cut !== undefined) return 'success-cut';
    if (readable(reply)) return 'success';
    return kind === 'read' && isOtherForm(reply) ? 'other-form' : 'success-unreadable';
  }
  if (status >= 300 && status < 400) return kind === 'read' ? 'not-readable' : 'redirected';
  if (status >= 400 && status < 500) return signOf4xx(reply, kind);
  if (status === 503) return 'unavailable';
  return status >= 500 && status < 600 ? 'server-error' : 'no-status';
}

function signOf4xx(reply: Answer, kind: CallKind): Sign {
  const { status } = reply;
  if (kind === 'read' && (status === 403 || status === 404 || status === 405)) return 'not-readable';
  switch (status) {
    case 401:
      return 'unauthorized';
    case 407:
      return 'proxy-login';
    case 408:
    case 409:
    case 425:
    case 499:
      return 'try-later';
    case 429:
      return 'rate-limited';
    default:
      if (!refusesInOwnForm(reply)) return 'refused-between';
      return status === 403 ? 'forbidden' : 'refused';
  }
}
