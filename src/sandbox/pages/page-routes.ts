/** The pages' addresses. They only read, and all need the token (auth/credentials.ts). */
import { type Context, Hono } from 'hono';
import type { SandboxEnv, Service } from '../core/request.ts';
import { rowNumber } from '../store/kept-values.ts';
import type { MessageView } from '../store/thread.ts';
import { contactPage, contactsPage } from './contact-pages.ts';
import { inboxPage } from './inbox-page.ts';
import { leftOutPage } from './left-out-page.ts';

export function pages(service: Service): Hono<SandboxEnv> {
  const routes = new Hono<SandboxEnv>();
  routes.get('/', (c) => inboxPage(service, c));
  // Sanitizing takes more code than the whole service, so it is loaded with the first ticket.
  routes.get('/tickets/:ticketId', async (c) => (await import('./ticket-page.ts')).ticketPage(service, c));
  routes.get('/tickets/:ticketId/messages/:messageId', (c) => messageSource(service, c));
  routes.get('/tickets/:ticketId/messages/:messageId/body', async (c) => {
    const row = messageOf(service, c);
    return row === undefined ? noMessage(c) : (await import('./message-body.ts')).bodyPage(c, row);
  });
  routes.get('/left-out', (c) => leftOutPage(service, c));
  routes.get('/contacts', (c) => contactsPage(service, c));
  routes.get('/contacts/:contactId', (c) => contactPage(service, c));
  return routes;
}

function messageOf({ store }: Service, c: Context<SandboxEnv>): MessageView | undefined {
  const ticket = rowNumber('ticket', c.req.param('ticketId') ?? '') ?? -1;
  return store.messages.one(ticket, c.req.param('messageId') ?? '');
}

function noMessage(c: Context<SandboxEnv>): Response {
  return c.text('Message not found.', 404);
}

/** One original message, as plain text. */
function messageSource(service: Service, c: Context<SandboxEnv>): Response {
  const row = messageOf(service, c);
  if (row === undefined) return noMessage(c);
  return c.text(row.content, 200, {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `inline; filename="${row.id}.txt"`,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
}
