/** The pages' addresses. They only read, and need no token: whoever reaches the port sees them (it is loopback's). */
import { Hono } from 'hono';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { contactPage } from './contact-page.ts';
import { contactsPage } from './contacts-page.ts';
import { inboxPage } from './inbox-page.ts';
import { messageSource } from './message-source.ts';

export function pages(service: Service): Hono<SandboxEnv> {
  const routes = new Hono<SandboxEnv>();
  routes.use(async (c, next) => {
    const from = service.clock.monotonic();
    await next();
    c.res.headers.set('server-timing', `page;dur=${(service.clock.monotonic() - from).toFixed(1)}`);
  });
  routes.get('/', inboxPage(service));
  // Making foreign bodies harmless takes more code than all of the service: it is loaded for who looks at a ticket.
  routes.get('/tickets/:ticketId', async (c) => {
    const { ticketPage } = await import('./ticket-page.ts');
    return await ticketPage(service)(c);
  });
  routes.get('/tickets/:ticketId/messages/:messageId', messageSource(service));
  routes.get('/contacts', contactsPage(service));
  routes.get('/contacts/:contactId', contactPage(service));
  return routes;
}
