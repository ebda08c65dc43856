/** What the sandbox promises for whatever is sent to it: an answer that is no 5xx, life, and bounded memory. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Edit, edited, judge, MOST_MS, PROGRAM, peakMemory } from './case.ts';

/** Plain data. `{token}`, `{host}`, `{app}` and `{key}` in it stand for those of the sandbox that is asked. */
export interface SentRequest {
  /** Method, target, headers and body, as latin1. */
  readonly text: string;
  readonly edits?: readonly Edit[] | undefined;
  /** Written in so many pieces. */
  readonly pieces: number;
  /** What happens when all is written. */
  readonly after: 'wait' | 'end' | 'reset';
}

interface Served {
  readonly url: string;
  readonly token: string;
  readonly app: { readonly id: string; readonly key: string };
}

/** A sentence for each promise of the sandbox that was not kept. */
export async function sandboxFaults(sent: readonly SentRequest[], cwd: string): Promise<string[]> {
  const begin = performance.now();
  const args = ['sandbox', '--memory', '--port', '0', '--json'];
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    stderr += more;
  });
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.on('error', reject).on('close', (status, signal) => resolve(status ?? signal));
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), MOST_MS);
  const faults: string[] = [];
  try {
    const served = await new Promise<Served>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        stdout += more;
        if (stdout.includes('\n')) resolve(JSON.parse(stdout) as Served);
      });
      void ended.then((code) => reject(new Error(`the sandbox ended with ${code}: ${stderr}`)));
    });
    const port = Number(new URL(served.url).port);
    for (const one of [...SEED, ...sent]) {
      const answer = await answerTo(one, served, port);
      if (/^HTTP\/1\.\d 5\d\d/m.test(answer))
        faults.push(`${answer.slice(0, 300)} to ${one.text.slice(0, 300)}`);
    }
    const last = await answerTo(asked('GET', '/v1/tickets'), served, port, 20_000);
    if (!last.startsWith('HTTP/1.1 200'))
      faults.push(`answers no longer: ${JSON.stringify(last.slice(0, 200))}`);
    const memory = peakMemory(child.pid);
    child.kill('SIGTERM');
    const code = await ended;
    const milliseconds = performance.now() - begin;
    if (code !== 0) faults.push(`ended with ${code}`);
    faults.push(...judge({ code, stdout: '', stderr, milliseconds, memory }, args));
  } finally {
    clearTimeout(limit);
    child.kill('SIGKILL');
    await ended;
  }
  return faults;
}

function asked(method: string, path: string, body?: unknown): SentRequest {
  const json = body === undefined ? '' : JSON.stringify(body);
  return {
    text: `${method} ${path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
    pieces: 1,
    after: 'wait',
  };
}
/** A ticket with a message, so that there is something to ask for. */
const SEED = [
  asked('POST', '/v1/tickets', { subject: 'Hello', contact: { email: 'ann@example.com' } }),
  asked('PUT', '/v1/tickets/tkt_000000000001/messages', [{ actorType: 'customer', content: 'x' }]),
];

/** All that comes back until the connection is closed, or nothing more comes. */
export async function answerTo(
  sent: SentRequest,
  served: Served,
  port: number,
  longest = 400,
): Promise<string> {
  const filled = sent.text
    .replaceAll('{token}', served.token)
    .replaceAll('{host}', new URL(served.url).host)
    .replaceAll('{app}', served.app.id)
    .replaceAll('{key}', served.app.key);
  const bytes = edited(Buffer.from(filled, 'latin1'), sent.edits ?? []);
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket
    .on('error', () => undefined)
    .setNoDelay(true)
    .setEncoding('latin1')
    .on('data', (more: string) => {
      if (answer.length < 100_000) answer += more;
    });
  const size = Math.max(1, Math.ceil(bytes.length / sent.pieces));
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    socket.write(bytes.subarray(at, at + size));
    if (sent.pieces > 1) await pause(2);
  }
  if (sent.after === 'end') socket.end();
  if (sent.after === 'reset') socket.resetAndDestroy();
  await Promise.race([closed, pause(longest)]);
  socket.destroy();
  await closed;
  return answer;
}
