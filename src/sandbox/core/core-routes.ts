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
  handle: (c: Context<SandboxEnv>) => Response | Promise<Response>;
}

function coreRoutes(service: Service): CoreRoute[] {
  const read = (path: string, handle: CoreRoute['handle']): CoreRoute => ({
    method: 'GET',
    path,
    scope: 'read:tickets',
    handle,
  });
  const write = (method: 'POST' | 'PUT', path: string, handle: CoreRoute['handle']): CoreRoute => ({
    method,
    path,
    scope: 'write:tickets',
    handle,
  });
  return [
    read('/tickets', listTickets(service)),
    write('POST', '/tickets', createTicket(service)),
    read('/tickets/:ticketId', readTicket(service)),
    read('/tickets/:ticketId/messages', readMessages(service)),
    write('PUT', '/tickets/:ticketId/messages', replaceMessages(service)),
    read('/tickets/:ticketId/events', readEvents(service)),
    write('PUT', '/tickets/:ticketId/events', replaceEvents(service)),
    read('/tickets/:ticketId/messages/:messageId', readMessage(service)),
    read('/organization', readOrganization(service)),
    read('/me', readMe(service)),
    read('/agents', findAgents(service)),
    read('/contacts', listContacts(service)),
    read('/contacts/:contactId', readContact(service)),
    write('POST', '/attachments', announceAttachment(service)),
  ];
}

/** The Core API below its prefix. */
export function coreApi(service: Service): Hono<SandboxEnv> {
  const api = new Hono<SandboxEnv>();
  const routes = coreRoutes(service);
  for (const { method, path, scope, handle } of routes) {
    api.on(method, path, (c) => {
      requireScope(service, c, scope);
      if (method !== 'GET') return handle(c);
      if (service.unreadable !== undefined) throw unreadable(service.unreadable, allowed(routes, path));
      c.set('effect', { effect: 'read' });
      return handle(c);
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    api.all(path, (c) => {
      throw notAllowed(c.req.method, allowed(routes, path));
    });
  }
  api.all('*', (c) => {
    throw new Refusal(404, 'not_found', `The Core API has no path ${c.req.path.slice(0, 200)}.`);
  });
  return api;
}

function allowed(routes: readonly CoreRoute[], path: string): string[] {
  return routes.filter((route) => route.path === path).map((route) => route.method);
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
