/** What is a link to another ticket in a body, what only looks like one, and what it becomes. */
import { describe, expect, it } from 'vitest';
import type { ContentType } from '../../src/domain/payload.ts';
import { rewriteLinks, ticketReader } from '../../src/links/rewrite-links.ts';

const NEW = 'https://help.example.com/tickets/t-1041';
const KNOWN: Record<string, string> = {
  '1041': 't-1041',
  '1042': 't-1042',
  '104100': 't-104100',
  '7': 't-7',
};
const idIn = ticketReader({
  source: 'https://acme.zendesk.com/agent/tickets/{id}',
  platform: 'zendesk',
});

function rewritten(content: string, contentType?: ContentType): string {
  const message = {
    actorType: 'customer' as const,
    content,
    occurredAt: '2024-01-01T00:00:00Z',
    ...(contentType && { contentType }),
  };
  const { messages } = rewriteLinks([message], {
    idIn,
    target: 'https://help.example.com/tickets/{id}',
    ticketOf: (id) => (Object.hasOwn(KNOWN, id) ? KNOWN[id] : undefined),
  });
  return messages[0]?.content ?? '';
}

describe('an address of an old ticket', () => {
  it.each<[what: string, body: string, type: ContentType, becomes: string]>([
    ['alone', 'https://acme.zendesk.com/agent/tickets/1041', 'text', NEW],
    ['before a full stop', 'See https://acme.zendesk.com/agent/tickets/1041.', 'text', `See ${NEW}.`],
    ['in brackets', '(https://acme.zendesk.com/agent/tickets/1041)', 'text', `(${NEW})`],
    [
      'with a query and a fragment',
      'x https://acme.zendesk.com/agent/tickets/1041?page=2#c_9 y',
      'text',
      `x ${NEW} y`,
    ],
    ['with a slash at its end', 'https://acme.zendesk.com/agent/tickets/1041/', 'text', NEW],
    ['of the help center', 'https://ACME.zendesk.com/hc/en-us/requests/1041', 'text', NEW],
    ['in angle brackets', '<https://acme.zendesk.com/agent/tickets/1041>', 'text', `<${NEW}>`],
    ['in a quoted mail', '> https://acme.zendesk.com/agent/tickets/1041', 'text', `> ${NEW}`],
    [
      'in a link',
      '<a href="https://acme.zendesk.com/agent/tickets/1041?a=1&amp;b=2">old</a>',
      'html',
      `<a href="${NEW}">old</a>`,
    ],
    [
      'in a link and its text',
      '<p><a href="https://acme.zendesk.com/agent/tickets/1041">https://acme.zendesk.com/agent/tickets/1041</a></p>',
      'html',
      `<p><a href="${NEW}">${NEW}</a></p>`,
    ],
    [
      'without quotes',
      '<a href=https://acme.zendesk.com/tickets/1041>x</a>',
      'html',
      `<a href="${NEW}">x</a>`,
    ],
    [
      'in Markdown',
      '[old](https://acme.zendesk.com/agent/tickets/1041 "t")',
      'markdown',
      `[old](${NEW} "t")`,
    ],
    [
      'defined in Markdown',
      '[old]\n\n[old]: https://acme.zendesk.com/agent/tickets/1041',
      'markdown',
      `[old]\n\n[old]: ${NEW}`,
    ],
  ])('%s becomes the new one', (_, body, type, becomes) => {
    expect(rewritten(body, type)).toBe(becomes);
  });

  it.each<[what: string, body: string, type?: ContentType]>([
    ['of a ticket that is not there', 'https://acme.zendesk.com/agent/tickets/9999'],
    ['of another number that begins so', 'https://acme.zendesk.com/agent/tickets/10410'],
    ['of another account', 'https://other.zendesk.com/agent/tickets/1041'],
    ['that only ends so', 'https://evil.example/acme.zendesk.com/agent/tickets/1041'],
    ['within another address', 'https://sso.example/?to=https://acme.zendesk.com/agent/tickets/1041'],
    ['of a page behind it', 'https://acme.zendesk.com/agent/tickets/1041/print'],
    ['of a person', 'https://acme.zendesk.com/agent/users/1041'],
    ['in code', 'curl `https://acme.zendesk.com/agent/tickets/1041`', 'markdown'],
    ['in a block of code', '<pre>https://acme.zendesk.com/agent/tickets/1041</pre>', 'html'],
    ['a number', 'As in ticket #1041', 'text'],
    ['of a picture', '<img src="https://acme.zendesk.com/agent/tickets/1041">', 'html'],
  ])('%s stays', (_, body, type) => {
    expect(rewritten(body, type)).toBe(body);
  });
});
