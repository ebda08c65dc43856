import { hostname } from 'node:os';
import { Hono, type MiddlewareHandler } from 'hono';
import { ANNOUNCE_ATTACHMENT, signedUrlRoutes } from './core/attachment-calls.ts';
import { PEOPLE_CALLS } from './core/people-calls.ts';
import { answerRefusal, Refusal, type SandboxEnv, type Service } from './core/request.ts';
import { apiRouter, type Route } from './core/router.ts';
import { THREAD_CALLS } from './core/thread-calls.ts';
import { TICKET_CALLS } from './core/ticket-calls.ts';
import { pageKey } from './credentials.ts';
import { unwritable } from './store/database.ts';

interface AppParts {
  readonly service: Service;
  readonly token: string;
  readonly boundHost: string;
  readonly extend?: ((app: Hono<SandboxEnv>, service: Service) => void) | undefined;
  /** The client gets a 500 without details. */
  readonly onDefect: (error: unknown) => void;
}

export const ROUTES: readonly Route[] = [
  ...TICKET_CALLS,
  ...THREAD_CALLS,
  ...PEOPLE_CALLS,
  ANNOUNCE_ATTACHMENT,
];

const PAGES = [
  ['/', 'inbox'],
  ['/tickets/:ticketId', 'ticketPage'],
  ['/left-out', 'leftOut'],
] as const;

export function sandboxApp({ service, token, boundHost, extend, onDefect }: AppParts): Hono<SandboxEnv> {
  const app = new Hono<SandboxEnv>();
  app.use(ownNamesOnly(boundHost));
  extend?.(app, service);
  app.route('/', apiRouter(ROUTES, service));
  const guard = pageKey(token, () => Number(new URL(service.origin()).port || 80));
  for (const [path] of PAGES) app.use(path, guard);
  app.route('/', signedUrlRoutes(service));
  // The sanitizer is larger than the whole service, so it is loaded with the first page.
  for (const [path, show] of PAGES)
    app.get(path, async (c) => (await import('./pages.ts'))[show](service, c));
  app.onError((error, c) => {
    if (error instanceof Refusal) return answerRefusal(c, error);
    const { code, message } = unwritable(error);
    if (code === 'disk-write') return answerRefusal(c, new Refusal(507, 'storage_full', message));
    onDefect(error);
    return answerRefusal(c, new Refusal(500, 'internal', 'The sandbox failed; this is a bug in it.'));
  });
  app.notFound((c) => c.text('Page not found.', 404));
  return app;
}

export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function hostName(header: string): string {
  return header.replace(/:\d+$/, '').toLowerCase();
}

/**
 * With DNS rebinding a foreign page could read customers' messages under its own name. So a sandbox on loopback answers to
 * loopback names only, any other to addresses and names that no outsider can own: without a dot, in `.local` or `.internal`, or
 * this machine's.
 */
function ownNamesOnly(boundHost: string): MiddlewareHandler<SandboxEnv> {
  const isLocal = isLoopbackName(boundHost);
  const ours = new Set([boundHost.toLowerCase(), hostname().toLowerCase()]);
  const isOwn = (name: string) =>
    isLoopbackName(name) ||
    (!isLocal &&
      (/^\[[\da-f:.]+\]$|^\d{1,3}(?:\.\d{1,3}){3}$|^[^.]+$|\.(?:local|internal)$/.test(name) ||
        ours.has(name)));
  return async (c, next) => {
    if (!isOwn(hostName(c.env.incoming.headers.host ?? ''))) {
      const names = isLocal ? 'localhost and 127.0.0.1' : 'addresses and names of its own network';
      return answerRefusal(c, new Refusal(421, 'wrong_host', `This sandbox answers to ${names} only.`));
    }
    await next();
    return undefined;
  };
}
