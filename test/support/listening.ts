/** A server on loopback that answers as a test says; its connections end with it. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
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
