/** What an answer means: the file, why it is missing, or ask again. Pure. */
import type { MissingReason } from '../domain/ledger.ts';
import { labelOf } from '../verify/guarded-request.ts';
import { expiryOf } from './address.ts';
import { bareType, isLoginPage, isProvable, typeOfBytes, typeOfName } from './file-kind.ts';
import type { WantedFile } from './files-of-ticket.ts';

export interface Answer {
  readonly status: number;
  readonly contentType?: string | undefined;
  readonly size: number;
  readonly head: Uint8Array;
  readonly address: string;
  readonly advise: (address: string) => string;
}

export type Verdict =
  | { readonly is: 'file' }
  | { readonly is: 'missing'; readonly reason: MissingReason; readonly detail: string }
  | { readonly is: 'again'; readonly detail: string };

const LOGIN_PATH =
  /(?:^|[/?&])(?:log-?in|sign-?in|sso|saml|oauth2?|authorize|auth|access\/unauthenticated|session\/new|accounts)(?:[/?&=]|$)/i;

export function judgeAnswer(
  answer: Answer,
  wanted: Pick<WantedFile, 'address' | 'role' | 'name' | 'contentType' | 'sizeBytes'>,
  now: number,
): Verdict {
  const { status, size, head } = answer;
  const label = labelOf(wanted.address);
  const missing = (reason: MissingReason, detail: string): Verdict => ({
    is: 'missing',
    reason,
    detail: `${label} ${detail}`,
  });
  if (status === 429 || status === 408 || status === 425 || status >= 500)
    return { is: 'again', detail: `${label} answers ${status}.` };
  if (status < 200 || status >= 300) {
    const ends = expiryOf(answer.address) ?? expiryOf(wanted.address);
    const text = Buffer.from(head).toString('latin1');
    const saysExpired = /expired|ExpiredToken|Signature not valid in the specified time/i.test(text);
    if ((ends !== undefined && ends <= now) || (saysExpired && status !== 404)) {
      const until = ends === undefined ? '' : ` (until ${new Date(ends).toISOString().slice(0, 19)}Z)`;
      const why = `has a signed address that expired${until}: export again and fetch the files right away.`;
      return missing('expired', why);
    }
    if (status === 404 || status === 410) return missing('gone', `is no longer there (${status}).`);
    if (status === 401 || status === 403 || status === 407)
      return missing('forbidden', `needs a login (${status}): ${answer.advise(answer.address)}.`);
    return missing('unreachable', `answers ${status}.`);
  }
  const proven = typeOfBytes(head);
  const reported = bareType(answer.contentType);
  const declared =
    bareType(wanted.contentType) ?? typeOfName(wanted.name) ?? typeOfName(new URL(wanted.address).pathname);
  if ((proven ?? reported) === 'text/html') {
    const isLogin = isLoginPage(head) || LOGIN_PATH.test(new URL(answer.address).pathname);
    const isSame = wanted.sizeBytes === undefined || wanted.sizeBytes === size || !isLogin;
    const mayBePage = declared === undefined || /^(?:text\/|application\/xhtml\+xml$)/.test(declared);
    const isPage = !(declared === 'text/html' && isSame);
    if (isPage && isLogin)
      return missing(
        'login-page',
        `answers with a login page instead of the file: ${answer.advise(wanted.address)}.`,
      );
    if (isPage && (wanted.role !== 'attachment' || !mayBePage))
      return missing('login-page', 'answers with a page instead of the file; it may need a login.');
  }
  if (size === 0 && (wanted.role === 'picture' || (wanted.sizeBytes ?? 0) > 0 || isProvable(declared)))
    return missing('wrong-type', 'is empty.');
  if (wanted.role === 'picture' && !isPicture(proven, reported, declared))
    return missing('wrong-type', `gives ${reported ?? 'something'} in place of a picture.`);
  const isError = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)$)/.test(reported ?? '');
  if (isProvable(declared) && declared !== 'text/html' && proven === undefined && isError)
    return missing('wrong-type', `gives ${reported} in place of ${declared}.`);
  return { is: 'file' };
}

function isPicture(proven?: string, reported?: string, declared?: string): boolean {
  if (proven !== undefined) return /^(?:image|video)\//.test(proven);
  const isVague = reported === undefined || reported.endsWith('octet-stream');
  return reported?.startsWith('image/') === true || (declared?.startsWith('image/') === true && isVague);
}
