/** A TCP server whose every connection is scripted, to show a client what HTTP libraries never would. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export interface RawServer extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly connections: number;
  /** Bytes received so far on all connections. */
  readonly received: number;
}

/** `script` is called for each connection; sockets are paused until it reads. */
export async function rawServer(script: (socket: Socket, nth: number) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let received = 0;
  const server: Server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    // A listener for data begins to read; the script decides when.
    socket.pause();
    script(socket, ++connections);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    get connections() {
      return connections;
    },
    get received() {
      return received;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Calls back once with the whole request, as soon as its declared length is there; goes on for the next one. */
export function onRequest(socket: Socket, answer: (request: string) => void): void {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (;;) {
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      const request = text.slice(0, head + 4 + length);
      text = text.slice(head + 4 + length);
      answer(request);
    }
  });
  socket.resume();
}

export function httpAnswer(status: number, body: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
