/**
 * `Retry-After`: seconds, or an HTTP date (RFC 9110, 10.2.3). What the service asks for is obeyed to the letter: the
 * wait is never shortened here, however long it is; the caller's own patience (a signal, the time after which it gives
 * up) is what ends it.
 */

/** Ten digits of seconds are three hundred years: whoever sends that does not mean a wait. */
const SECONDS = /^\d{1,9}(?:\.\d{1,9})?$/;

/** IMF-fixdate, the older RFC 850 form and asctime: all begin with the name of a day. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * Milliseconds to wait from the moment of the answer, or undefined for an absent or senseless value.
 * @param value the header; of several the first counts
 * @param answerDate the answer's own `Date` header: a date is measured against the clock that wrote it, so that a skew
 *   between the two machines does not matter
 * @param now this machine's wall clock in milliseconds, where the answer has no usable `Date`
 */
export function retryAfterMs(
  value: string | undefined,
  answerDate: string | undefined,
  now: number,
): number | undefined {
  const text = value?.trim();
  if (text === undefined || text === '') return undefined;
  if (SECONDS.test(text)) return Math.ceil(Number(text) * 1000);
  const until = httpDate(text);
  if (until === undefined) return undefined;
  return Math.max(0, until - (httpDate(answerDate?.trim() ?? '') ?? now));
}

/** Milliseconds since the epoch, or undefined where the text is no HTTP date. */
export function httpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  // asctime has no zone and means GMT; Date.parse would read it as local time.
  const ms = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(ms) ? undefined : ms;
}
