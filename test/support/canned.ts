/** Servers on loopback that answer as a test says; their connections end with them. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
}

export async function listening(answer: RequestListener, host = '127.0.0.1'): Promise<Listening> {
  const server = createServer(answer).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dispose = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://${host}:${port}`, port, server, [Symbol.asyncDispose]: dispose };
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface CannedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON; a string and bytes as they are. */
  readonly body?: unknown;
}

/** `destroy`: the connection is closed without an answer. Undefined: it has answered by itself, or never does. */
type Canned = CannedAnswer | 'destroy' | undefined;
export type Responder = (
  request: SeenRequest,
  nth: number,
  response: ServerResponse,
) => Canned | Promise<Canned>;

export interface CannedServer extends Listening {
  readonly seen: readonly SeenRequest[];
  /** `GET /path`, first to last. */
  readonly asked: string[];
}

export async function canned(respond: Responder): Promise<CannedServer> {
  const seen: SeenRequest[] = [];
  const asked: string[] = [];
  const server = await listening(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(await incoming.toArray()).toString() };
    seen.push(request);
    asked.push(`${method} ${url}`);
    const answer = await respond(request, seen.length, response);
    if (answer === 'destroy') response.destroy();
    else if (answer !== undefined) send(response, answer);
  });
  return { ...server, seen, asked };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = {} }: CannedAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}
