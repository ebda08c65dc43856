/** A way to a service that writes down every request that may change something, byte for byte. */
import { request } from 'node:http';
import { listening } from './canned.ts';

export interface Wire extends AsyncDisposable {
  readonly url: string;
  /** `POST /tickets {…}`: ids of the helpdesk in the path are left out, since they differ from run to run. */
  readonly sent: string[];
}

export async function openWire(to: string): Promise<Wire> {
  const sent: string[] = [];
  const server = await listening((asked, answer) => {
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
  return { ...server, sent };
}
