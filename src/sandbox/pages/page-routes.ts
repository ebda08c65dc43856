/** The pages' addresses. They only read, for whoever has the token (auth/page-key.ts). */
import { type Context, Hono } from 'hono';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { publicId, rowNumber } from '../store/kept-values.ts';
import { contactPage, contactsPage } from './contact-pages.ts';
import { inboxPage } from './inbox-page.ts';

export function pages(service: Service): Hono<SandboxEnv> {
  const routes = new Hono<SandboxEnv>();
  routes.use(async (c, next) => {
    const from = service.clock.monotonic();
    await next();
    c.res.headers.set('server-timing', `page;dur=${(service.clock.monotonic() - from).toFixed(1)}`);
  });
  routes.get('/', (c) => inboxPage(service, c));
  // Making foreign bodies harmless takes more code than all of the service: it is loaded for who looks at a ticket.
  routes.get('/tickets/:ticketId', async (c) => (await import('./ticket-page.ts')).ticketPage(service, c));
  routes.get('/tickets/:ticketId/messages/:messageId', (c) => messageSource(service, c));
  routes.get('/contacts', (c) => contactsPage(service, c));
  routes.get('/contacts/:contactId', (c) => contactPage(service, c));
  return routes;
}

/** One message to the letter, as plain text that no browser takes for anything else. */
function messageSource({ store }: Service, c: Context<SandboxEnv>): Response {
  const ticket = rowNumber('ticket', c.req.param('ticketId') ?? '');
  const message = rowNumber('message', c.req.param('messageId') ?? '');
  const row = ticket === undefined || message === undefined ? undefined : store.messages.one(ticket, message);
  if (row === undefined) return c.text('There is no such message.', 404);
  return c.text(row.content, 200, {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `inline; filename="${publicId('message', row.seq)}.txt"`,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
}
