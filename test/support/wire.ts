/** A way to a service that writes down every request that may change something, byte for byte. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Wire extends AsyncDisposable {
  readonly url: string;
  /** `POST /tickets {…}`: ids of the helpdesk in the path are left out, since they differ from run to run. */
  readonly sent: string[];
}

export async function openWire(to: string): Promise<Wire> {
  const sent: string[] = [];
  const server = createServer((asked, answer) => {
    const { method = '', url = '', headers } = asked;
    const parts: Buffer[] = [];
    asked.on('data', (part: Buffer) => parts.push(part));
    asked.on('end', () => {
      const body = Buffer.concat(parts);
      if (method !== 'GET') sent.push(`${method} ${url.replace(/tickets\/[^/]+/, 'tickets/…')} ${body}`);
      const passed = request(new URL(url, to), { method, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
