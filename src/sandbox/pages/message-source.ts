/** One message to the letter, as plain text that no browser takes for anything else. */
import type { Context } from 'hono';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { publicId, rowNumber } from '../store/ids.ts';

export function messageSource(service: Service): (c: Context<SandboxEnv>) => Response {
  return (c) => {
    const ticket = rowNumber('ticket', c.req.param('ticketId') ?? '');
    const message = rowNumber('message', c.req.param('messageId') ?? '');
    const row =
      ticket === undefined || message === undefined ? undefined : service.store.messages.one(ticket, message);
    if (row === undefined) return c.text('There is no such message.', 404);
    return c.text(row.content, 200, {
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `inline; filename="${publicId('message', row.seq)}.txt"`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  };
}
