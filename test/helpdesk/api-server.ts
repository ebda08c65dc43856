/** A service on loopback that answers as a test says and remembers what it was asked. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { listening } from '../support/listening.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface CannedAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown;
}

/** `destroy`: the connection is closed without an answer. */
export type Responder = (
  request: SeenRequest,
  nth: number,
) => CannedAnswer | 'destroy' | Promise<CannedAnswer | 'destroy'>;

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

export async function apiServer(respond: Responder): Promise<ApiServer> {
  const seen: SeenRequest[] = [];
  const server = await listening((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => {
      body += chunk;
    });
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        body,
      };
      seen.push(request);
      void Promise.resolve(respond(request, seen.length)).then((answer) => {
        if (answer === 'destroy') response.destroy();
        else send(response, answer);
      });
    });
  });
  return { ...server, seen };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = {} }: CannedAnswer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}
