import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AttachmentProbe, createAttachmentProbe } from '../../src/verify/attachment-probe.ts';
import type { GuardedOptions } from '../../src/verify/guarded-request.ts';
import { canned, type SeenRequest } from '../support/canned.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function opened<T extends AsyncDisposable>(resource: T): T {
  onTestFinished(() => resource[Symbol.asyncDispose]());
  return resource;
}

type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** A host of files, and what it was asked. */
async function host(answer: Answer) {
  const server = opened(await canned((request, _, response) => void answer(request, response)));
  return { ...server, base: server.url };
}

function prober(options: Partial<GuardedOptions> = {}, clock = createFakeClock()): AttachmentProbe {
  const allow: GuardedOptions['allow'] = (_, address) => address === '127.0.0.1';
  return opened(createAttachmentProbe(clock, { allow, ...options }));
}

const { signal } = new AbortController();
const outcomes = async (probe: AttachmentProbe, urls: readonly string[]) =>
  [...(await probe.probe(urls, signal)).values()].map((result) => result.outcome);
const answering =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end();
  };

describe('asking for attachments', () => {
  it.each([
    [200, 'reachable'],
    [404, 'missing'],
    [403, 'forbidden'],
    [429, 'unreachable'],
    [500, 'unreachable'],
  ])('an answer of %d is %s', async (status, outcome) => {
    const server = await host(answering(status));
    expect(await outcomes(prober(), [`${server.base}/a.pdf`])).toEqual([outcome]);
  });

  it('asks with HEAD, once for each distinct address, without credentials', async () => {
    const seen: (string | undefined)[] = [];
    const server = await host((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    const url = `${server.base}/a.pdf?signature=s3cret`;
    const secret = `http://joe:pass@127.0.0.1:${server.port}/b.pdf`;
    const results = await prober().probe([url, url, secret, url], signal);
    expect([...results.keys()]).toEqual([url, secret]);
    expect(server.asked.sort()).toEqual(['HEAD /a.pdf?signature=s3cret', 'HEAD /b.pdf']);
    expect(seen).toEqual([undefined, undefined]);
    for (const { detail } of results.values()) expect(detail).not.toMatch(/s3cret|pass/);
  });

  it.each([400, 403, 405, 501])('a host that answers HEAD with %d is asked for one byte', async (status) => {
    let range: string | undefined;
    const server = await host((request, response) => {
      range = request.headers.range;
      response.writeHead(request.method === 'HEAD' ? status : 206).end('x');
    });
    expect(await outcomes(prober(), [`${server.base}/a`])).toEqual(['reachable']);
    expect(server.asked).toEqual(['HEAD /a', 'GET /a']);
    expect(range).toBe('bytes=0-0');
  });

  it('hangs up on a host that sends the whole file all the same', async () => {
    let sent = 0;
    const hungUp = Promise.withResolvers<void>();
    const server = await host((request, response) => {
      if (request.method === 'HEAD') {
        response.writeHead(405).end();
        return;
      }
      response.on('close', hungUp.resolve);
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
        response.once('drain', pour);
      };
      pour();
    });
    expect(await outcomes(prober(), [`${server.base}/endless`])).toEqual(['reachable']);
    await hungUp.promise;
    expect(sent).toBeLessThan(50_000_000);
  });

  it('follows three redirects and no more', async () => {
    const server = await host((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.end();
    });
    expect(await outcomes(prober(), [`${server.base}/3`])).toEqual(['reachable']);
    expect(await outcomes(prober(), [`${server.base}/4`])).toEqual(['unreachable']);
    expect(server.asked.filter((line) => line === 'HEAD /0')).toHaveLength(1);
  });

  it.each([
    ['a private address', 'http://127.0.0.2/'],
    ['metadata of a cloud', 'http://169.254.169.254/latest/meta-data'],
    ['an address in disguise', 'http://2130706434/'],
    ['another protocol', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
  ])('a redirect to %s is not followed', async (_, location) => {
    const server = await host(answering(302, { location }));
    expect(await outcomes(prober(), [`${server.base}/a`])).toEqual(['refused']);
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    'ftp://files.example.com/a',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'not a url',
    'http://10.0.0.5/a',
    'http://[::1]/a',
    'https://169.254.169.254/',
  ])('%s is never asked for', async (url) => {
    const resolve = async () => {
      throw new Error('nothing is resolved');
    };
    const probe = opened(createAttachmentProbe(createFakeClock(), { resolve }));
    expect(await outcomes(probe, [url])).toEqual(['refused']);
  });

  it('a name that leads into a private network is refused before a connection is made', async () => {
    const server = await host(answering(200));
    const addresses = ['93.184.215.14', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const probe = opened(createAttachmentProbe(createFakeClock(), { resolve: async () => addresses }));
    const url = `http://files.example.com:${server.port}/a`;
    expect((await probe.probe([url], signal)).get(url)).toMatchObject({
      outcome: 'refused',
      detail: expect.stringContaining('127.0.0.1'),
    });
    expect(server.asked).toEqual([]);
  });

  it('a name that changes its address after it was judged is not resolved a second time', async () => {
    const server = await host(answering(200));
    let resolved = 0;
    const resolve = async () => {
      resolved++;
      return [{ address: resolved === 1 ? '127.0.0.1' : '127.0.0.9', family: 4 }];
    };
    const url = `http://rebinding.example.com:${server.port}/a`;
    expect(await outcomes(prober({ resolve }), [url])).toEqual(['reachable']);
    expect(resolved).toBe(1);
  });

  it('a host without an address, or without a server, is unreachable', async () => {
    const missing = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    const resolve = async (name: string) => {
      if (name === 'gone.example.com') throw missing;
      return name === 'empty.example.com' ? [] : [{ address: '127.0.0.1', family: 4 }];
    };
    const server = await host(answering(200));
    await server[Symbol.asyncDispose]();
    const urls = [
      'http://gone.example.com/',
      'http://empty.example.com/',
      `http://shut.example.com:${server.port}/`,
    ];
    const results = await prober({ resolve }).probe(urls, signal);
    expect([...results.values()].map((result) => result.outcome)).toEqual(Array(3).fill('unreachable'));
    expect(results.get('http://gone.example.com/')?.detail).toMatch(/ENOTFOUND/);
  });

  it('a host that never answers is given up at the time-out, and nothing waits on', async () => {
    const reached = Promise.withResolvers<void>();
    const server = await host(() => reached.resolve());
    const clock = createFakeClock();
    const results = outcomes(prober({ timeoutMs: 4_000 }, clock), [`${server.base}/slow`]);
    await reached.promise;
    expect(clock.sleeping()).toBe(1);
    await clock.advance(4_000);
    expect(await results).toEqual(['timeout']);
    expect(clock.sleeping()).toBe(0);
  });

  it('an abort ends all of it with the reason and leaves no timer', async () => {
    const controller = new AbortController();
    const server = await host(() => controller.abort(new Error('stop')));
    const clock = createFakeClock();
    const urls = Array.from({ length: 20 }, (_, n) => `${server.base}/${n}`);
    await expect(prober({}, clock).probe(urls, controller.signal)).rejects.toThrow('stop');
    expect(clock.sleeping()).toBe(0);
  });

  it('never has more than two requests to a host in flight, and eight in all', async () => {
    const inFlight = new Map<string, number>();
    const most = { ofHost: 0, inAll: 0 };
    const handler: Answer = ({ headers }, response) => {
      const name = headers.host ?? '';
      inFlight.set(name, (inFlight.get(name) ?? 0) + 1);
      most.ofHost = Math.max(most.ofHost, ...inFlight.values());
      most.inAll = Math.max(
        most.inAll,
        [...inFlight.values()].reduce((sum, one) => sum + one),
      );
      setImmediate(() => {
        inFlight.set(name, (inFlight.get(name) ?? 0) - 1);
        response.end();
      });
    };
    const servers = await Promise.all(Array.from({ length: 6 }, () => host(handler)));
    const urls = servers.flatMap(({ base }) => Array.from({ length: 10 }, (_, n) => `${base}/${n}`));
    expect(new Set(await outcomes(prober(), urls))).toEqual(new Set(['reachable']));
    expect(most.ofHost).toBeLessThanOrEqual(2);
    expect(most.inAll).toBeLessThanOrEqual(8);
    expect(most.inAll).toBeGreaterThan(1);
  });
});
