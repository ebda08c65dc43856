/**
 * A process of its own, since its certificate must be trusted from the start (NODE_EXTRA_CA_CERTS). A TLS service on
 * another thread reads a whole request and closes the connection at once, while every turn of this thread's event loop
 * is slow. Writes what the transport makes of it: one JSON array of reasons.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { Clock } from '../../../src/domain/clock.ts';
import { createTransport } from '../../../src/target/http/transport.ts';

const [key = '', certificate = ''] = [process.env['TEST_KEY'], process.env['NODE_EXTRA_CA_CERTS']];
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
};

function serve(): void {
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    let requests = 0;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      if (!chunk.toString().endsWith('}')) return;
      if (++requests === 1) socket.write(answer);
      else socket.destroy();
    });
  });
  server.listen(0, () => parentPort?.postMessage((server.address() as { port: number }).port));
}

async function ask(port: number): Promise<void> {
  const transport = createTransport({
    origin: `https://localhost:${port}`,
    timeoutMs: 20_000,
    connections: 1,
    clock,
  });
  const { signal } = new AbortController();
  const request = { kind: 'create', method: 'POST', path: '/', body: '{"a":1}', attempt: 1 } as const;
  const reasons: string[] = [];
  for (let round = 0; round < 5; round++) {
    await transport.exchange(request, signal);
    const pending = transport.exchange(request, signal);
    let busy = true;
    const spin = () => {
      for (const end = performance.now() + 15; performance.now() < end; );
      if (busy) setImmediate(spin);
    };
    setImmediate(spin);
    const reply = await pending;
    busy = false;
    reasons.push(reply.type === 'breakdown' ? reply.reason : String(reply.status));
  }
  await transport.close();
  process.stdout.write(JSON.stringify(reasons));
}

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  worker.once('message', (port: number) => {
    void ask(port).then(() => worker.terminate());
  });
} else serve();
