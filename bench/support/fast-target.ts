/**
 * A service that costs next to nothing, as a process of its own, so that what is measured is the program that sends.
 * Sockets are read as bytes: one request at a time on each, `Content-Length` bodies, no routing but by the first letters
 * of the method. It writes and confirms what was written, and has nothing to be read. Told by its parent: latency, how much it can work on at once, and the windows within which it counts.
 */
import { createServer, type Socket } from 'node:net';

export interface TargetOptions {
  /** Milliseconds from the last byte of a request to the first one of its answer. */
  readonly latencyMs: number;
  /** Requests that are worked on at a time; others wait for their turn. 0: any number. */
  readonly capacity?: number;
  /** More requests than this within any such window are refused with 429. */
  readonly windows?: readonly { readonly requests: number; readonly seconds: number }[];
}

export interface TargetReport {
  readonly requests: number;
  readonly creates: number;
  readonly refused: number;
  /** The most requests in any window, by its length in seconds. */
  readonly worst: Readonly<Record<string, number>>;
  /** Between the first request and the last one. */
  readonly spanMs: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as TargetOptions;
const windows = (options.windows ?? []).map((window) => ({ ...window, times: [] as number[], most: 0 }));
let requests = 0;
let creates = 0;
let refused = 0;
let first = 0;
let last = 0;
let busy = 0;
const waiting: (() => void)[] = [];
const HEAD_END = Buffer.from('\r\n\r\n');
const done = answer('200 OK', '{"success":true}');
const notThere = answer('404 Not Found', '{"error":"not_found"}');
const tooMany = answer('429 Too Many Requests', '{"error":"rate_limited"}', 'Retry-After: 1\r\n');

function answer(status: string, body: string, headers = ''): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Whether the request is within every window, which it is counted in whatever comes of it. */
function admitted(now: number): boolean {
  let good = true;
  for (const window of windows) {
    const oldest = now - window.seconds * 1000;
    while (window.times[0] !== undefined && window.times[0] <= oldest) window.times.shift();
    window.times.push(now);
    window.most = Math.max(window.most, window.times.length);
    if (window.times.length > window.requests) good = false;
  }
  return good;
}

function answerTo(letters: Uint8Array): string {
  const now = performance.now();
  if (requests++ === 0) first = now;
  last = now;
  if (!admitted(now)) {
    refused++;
    return tooMany;
  }
  // 'G' of GET, 'O' of POST.
  if (letters[0] === 0x47) return notThere;
  return letters[1] === 0x4f ? answer('201 Created', `{"ticket":{"id":"t${++creates}"}}`) : done;
}

function work(socket: Socket, letters: Uint8Array): void {
  const text = answerTo(letters);
  const finish = () => {
    if (!socket.destroyed) socket.write(text, 'latin1');
    busy--;
    waiting.shift()?.();
  };
  const begin = () => {
    busy++;
    if (options.latencyMs === 0) finish();
    else setTimeout(finish, options.latencyMs);
  };
  if (options.capacity && busy >= options.capacity) waiting.push(begin);
  else begin();
}

const server = createServer({ noDelay: true }, (socket) => {
  let kept: Buffer | undefined;
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    let bytes = kept === undefined ? chunk : Buffer.concat([kept, chunk]);
    kept = undefined;
    while (bytes.length > 0) {
      const head = bytes.indexOf(HEAD_END);
      if (head < 0) break;
      const match = /content-length: ?(\d+)/i.exec(bytes.toString('latin1', 0, head));
      const end = head + 4 + Number(match?.[1] ?? 0);
      if (bytes.length < end) break;
      work(socket, bytes.subarray(0, 2));
      bytes = bytes.subarray(end);
    }
    if (bytes.length > 0) kept = bytes;
  });
});

process.on('message', () => {
  const worst = Object.fromEntries(windows.map(({ seconds, most }) => [String(seconds), most]));
  process.send?.({ requests, creates, refused, worst, spanMs: last - first } satisfies TargetReport);
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
