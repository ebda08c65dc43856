/**
 * Whom the sandbox listens to, by the name it is called. A web page elsewhere can make a browser's request reach
 * 127.0.0.1 under a name of its own (DNS rebinding) and read customers' messages; so a sandbox on loopback answers to
 * loopback's names only.
 */
import type { MiddlewareHandler } from 'hono';
import { answerRefusal, Refusal } from './core/refusal.ts';
import type { SandboxEnv } from './core/sandbox-env.ts';

export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Without the port, in lower case. */
function hostName(header: string): string {
  return header.replace(/:\d+$/, '').toLowerCase();
}

/** Refuses requests for other names where the sandbox is bound to loopback. */
export function loopbackNamesOnly(boundHost: string): MiddlewareHandler<SandboxEnv> {
  const guarded = isLoopbackName(boundHost);
  return async (c, next) => {
    if (guarded && !isLoopbackName(hostName(c.env.incoming.headers.host ?? ''))) {
      return answerRefusal(
        c,
        new Refusal(421, 'wrong_host', 'This sandbox answers to localhost and 127.0.0.1 only.'),
      );
    }
    await next();
    return undefined;
  };
}
