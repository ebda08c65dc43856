/** A server between the program and a service, so that a test can act at any request: before it is passed on, or before its answer is given. */
import { listening } from './listening.ts';

/** A proxy between the program and the service: calls back before a request is passed on, and before an answer is returned. */
export interface Between extends AsyncDisposable {
  readonly url: string;
  readonly asked: string[];
  before: (request: string, n: number) => Promise<unknown> | unknown;
  after: (request: string, n: number) => Promise<unknown> | unknown;
  /** A status instead of the service's: `afterEffect`, the service carries the request out and its answer is lost. */
  answer: ((request: string, n: number) => number | Fault | undefined) | undefined;
}

export interface Fault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
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
  const server = await listening(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = (request.url ?? '').replace(/\?.*/, '').replace('/api/core/v1', '');
    const kind = `${request.method} ${path.replace(/\/tickets\/[^/]+/, '/tickets/{id}')}`;
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    self.asked.push(kind);
    await self.before(kind, n);
    const given = self.answer?.(kind, n);
    const fault = typeof given === 'number' ? { status: given } : given;
    const fail = ({ status, headers = {}, body = { error: 'not_here' } }: Fault) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    if (fault !== undefined && fault.afterEffect !== true) {
      fail(fault);
      return;
    }
    const answer = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    await self.after(kind, n);
    if (fault !== undefined) {
      fail(fault);
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  });
  return Object.assign(self, server);
}
