/** The Core API's paths: which method does what with which scope. Everything else is 404, or 405 with what is allowed. */
import { type Context, Hono } from 'hono';
import { requireScope, type Scope } from '../auth/credentials.ts';
import { announceAttachment } from './attachment-routes.ts';
import { Refusal } from './refusal.ts';
import type { SandboxEnv, Service } from './sandbox-env.ts';
import {
  findAgents,
  listContacts,
  listTickets,
  readContact,
  readEvents,
  readMe,
  readMessage,
  readMessages,
  readOrganization,
  readTicket,
} from './ticket-reads.ts';
import { createTicket, replaceEvents, replaceMessages } from './ticket-writes.ts';

interface CoreRoute {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  scope: Scope;
  handle: (service: Service, c: Context<SandboxEnv>) => Response | Promise<Response>;
}

function read(path: string, handle: CoreRoute['handle']): CoreRoute {
  return { method: 'GET', path, scope: 'read:tickets', handle };
}

function write(method: 'POST' | 'PUT', path: string, handle: CoreRoute['handle']): CoreRoute {
  return { method, path, scope: 'write:tickets', handle };
}

const ROUTES: readonly CoreRoute[] = [
  read('/tickets', listTickets),
  write('POST', '/tickets', createTicket),
  read('/tickets/:ticketId', readTicket),
  read('/tickets/:ticketId/messages', readMessages),
  write('PUT', '/tickets/:ticketId/messages', replaceMessages),
  read('/tickets/:ticketId/events', readEvents),
  write('PUT', '/tickets/:ticketId/events', replaceEvents),
  read('/tickets/:ticketId/messages/:messageId', readMessage),
  read('/organization', readOrganization),
  read('/me', readMe),
  read('/agents', findAgents),
  read('/contacts', listContacts),
  read('/contacts/:contactId', readContact),
  write('POST', '/attachments', announceAttachment),
];

/** The Core API below its prefix. */
export function coreApi(service: Service): Hono<SandboxEnv> {
  const api = new Hono<SandboxEnv>();
  for (const { method, path, scope, handle } of ROUTES) {
    api.on(method, path, (c) => {
      requireScope(service, c, scope);
      if (method !== 'GET') return handle(service, c);
      if (service.unreadable !== undefined) throw unreadable(service.unreadable, allowed(path));
      c.set('effect', { effect: 'read' });
      return handle(service, c);
    });
  }
  for (const path of new Set(ROUTES.map((route) => route.path))) {
    api.all(path, (c) => {
      throw notAllowed(c.req.method, allowed(path));
    });
  }
  api.all('*', (c) => {
    throw new Refusal(404, 'not_found', `The Core API has no path ${c.req.path.slice(0, 200)}.`);
  });
  return api;
}

function allowed(path: string): string[] {
  return ROUTES.filter((route) => route.path === path).map((route) => route.method);
}

function notAllowed(method: string, methods: readonly string[]): Refusal {
  const allow = methods.join(', ');
  return new Refusal(405, 'method_not_allowed', `${method} is not allowed here; ${allow} is.`, {
    headers: { allow },
  });
}

/** A service that promises no reads: the answers that clients must get by with. */
function unreadable(status: 403 | 404 | 405, methods: readonly string[]): Refusal {
  if (status === 405)
    return notAllowed(
      'GET',
      methods.filter((method) => method !== 'GET'),
    );
  if (status === 403) return new Refusal(403, 'forbidden', 'Reading is not enabled for this account.');
  return new Refusal(404, 'not_found', 'The Core API has no such path.');
}
