/** The pages' addresses. They only read, and need no token: whoever reaches the port sees them (it is loopback's). */
import { Hono } from 'hono';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { contactsPage } from './contacts-page.ts';
import { inboxPage } from './inbox-page.ts';
import { ticketPage } from './ticket-page.ts';

export function pages(service: Service): Hono<SandboxEnv> {
  const routes = new Hono<SandboxEnv>();
  routes.get('/', inboxPage(service));
  routes.get('/tickets/:ticketId', ticketPage(service));
  routes.get('/contacts', contactsPage(service));
  return routes;
}
