/** An old helpdesk's file server: logins, addresses that end, redirects, broken transfers; all asked is kept. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Listening, listening } from './canned.ts';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export class FileSource implements AsyncDisposable {
  readonly asked: Asked[] = [];
  readonly #answers = new Map<string, Answer>();
  #server: Listening | undefined;
  readonly #handle: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', this.origin);
    this.asked.push({ path: request.url ?? '', headers: request.headers });
    this.onAsked();
    const answer = this.#answers.get(url.pathname) ?? this.#answers.get('*');
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response, url);
  };
  origin = '';
  /** Called at every request, before it is answered. */
  onAsked: () => void = () => {};

  static async start(host = '127.0.0.1'): Promise<FileSource> {
    const source = new FileSource();
    source.#server = await listening(source.#handle, host);
    source.origin = source.#server.url;
    return source;
  }

  on(path: string, answer: Answer): string {
    this.#answers.set(path, answer);
    return `${this.origin}${path}`;
  }

  answers(
    path: string,
    status: number,
    headers: Record<string, string> = {},
    body: Buffer | string = '',
  ): string {
    return this.on(path, (_, response) => void response.writeHead(status, headers).end(body));
  }

  file(
    path: string,
    bytes: Buffer,
    type = 'application/octet-stream',
    headers: Record<string, string> = {},
  ): string {
    const all = { 'content-type': type, 'content-length': `${bytes.length}`, ...headers };
    return this.answers(path, 200, all, bytes);
  }

  timesAsked(path: string): number {
    return this.asked.filter((one) => one.path.split('?')[0] === path).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** A picture of its own for each number: valid, and no two are the same. */
export function picture(number: number): Buffer {
  const gif = Buffer.from(
    '47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b',
    'hex',
  );
  gif.writeUIntBE(number & 0xff_ff_ff, 13, 3);
  return gif;
}
