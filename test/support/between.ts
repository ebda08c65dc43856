/** A server between the program and a service, so that a test can act at any request: before it is passed on, or before its answer is given. */
import { type CannedAnswer, canned } from './canned.ts';

/** A proxy between the program and the service: calls back before a request is passed on, and before an answer is returned. */
export interface Between extends AsyncDisposable {
  readonly url: string;
  readonly asked: string[];
  before: (request: string, n: number) => Promise<unknown> | unknown;
  after: (request: string, n: number) => Promise<unknown> | unknown;
  /** A status instead of the service's: `afterEffect`, the service carries the request out and its answer is lost. */
  answer: ((request: string, n: number) => number | Fault | undefined) | undefined;
}

export interface Fault extends CannedAnswer {
  readonly afterEffect?: true;
}

export async function between(target: string): Promise<Between> {
  const counts = new Map<string, number>();
  const self = {
    asked: [] as string[],
    before: () => {},
    after: () => {},
    answer: undefined,
  } as unknown as Between & {
    asked: string[];
  };
  const server = await canned(async ({ method, url, headers, body }) => {
    const path = url.replace(/\?.*/, '').replace('/api/core/v1', '');
    const kind = `${method} ${path.replace(/\/tickets\/[^/]+/, '/tickets/{id}')}`;
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    self.asked.push(kind);
    await self.before(kind, n);
    const given = self.answer?.(kind, n);
    const { afterEffect, ...fault } = typeof given === 'number' ? { status: given } : (given ?? {});
    const failed = given === undefined ? undefined : { body: { error: 'not_here' }, ...fault };
    if (failed !== undefined && afterEffect !== true) return failed;
    const answer = await fetch(target + url, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    await self.after(kind, n);
    return failed ?? { status: answer.status, body: text };
  });
  return Object.assign(self, { url: server.url, [Symbol.asyncDispose]: server[Symbol.asyncDispose] });
}
