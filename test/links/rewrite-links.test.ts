/** What is a link to another ticket in a body, what only looks like one, and what it becomes. */
import { describe, expect, it } from 'vitest';
import type { ContentType } from '../../src/domain/payload.ts';
import { linkForms } from '../../src/links/link-forms.ts';
import { rewriteLinks } from '../../src/links/rewrite-links.ts';

const NEW = 'https://help.example.com/tickets/t-1041';
const KNOWN: Record<string, string> = {
  '1041': 't-1041',
  '1042': 't-1042',
  '104100': 't-104100',
  '7': 't-7',
};
const forms = linkForms({
  source: 'https://acme.zendesk.com/agent/tickets/{id}',
  reference: '#{id}',
  platform: 'zendesk',
});

function rewritten(content: string, contentType?: ContentType, self = '1'): string {
  const message = {
    actorType: 'customer' as const,
    content,
    occurredAt: '2024-01-01T00:00:00Z',
    ...(contentType && { contentType }),
  };
  const { messages } = rewriteLinks(self, [message], {
    forms,
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
    ['of a picture', '<img src="https://acme.zendesk.com/agent/tickets/1041">', 'html'],
  ])('%s stays', (_, body, type) => {
    expect(rewritten(body, type)).toBe(body);
  });
});

describe('a reference to an old ticket', () => {
  it.each<[body: string, type: ContentType, becomes: string]>([
    ['I write about #1041.', 'text', `I write about #1041 (${NEW}).`],
    ['See #1041, please', 'text', `See #1041 (${NEW}), please`],
    ['Ticket no. #1041', 'text', `Ticket no. #1041 (${NEW})`],
    ['Duplicate of #1041', 'text', `Duplicate of #1041 (${NEW})`],
    ['merged into [#1041]', 'text', `merged into [#1041 (${NEW})]`],
    ['Siehe #1041!', 'text', `Siehe #1041 (${NEW})!`],
    [
      'tickets #1041 and #1042',
      'text',
      `tickets #1041 (${NEW}) and #1042 (https://help.example.com/tickets/t-1042)`,
    ],
    ['Re: #1041', 'text', `Re: #1041 (${NEW})`],
    ['<p>about <b>#1041</b></p>', 'html', `<p>about <b><a href="${NEW}">#1041</a></b></p>`],
    ['see **#1041**', 'markdown', `see **[#1041](${NEW})**`],
  ])('%s is a link there', (body, type, becomes) => {
    expect(rewritten(body, type)).toBe(becomes);
  });

  it.each<[what: string, body: string, type?: ContentType]>([
    ['an order', 'My order #1041 is late'],
    ['an order, in the next line', 'Order number:\n#1041'],
    ['an order in a table', '<table><tr><td>Order</td><td>#1041</td></tr></table>', 'html'],
    ['an order in bold', 'order <b>#1041</b>', 'html'],
    ['orders in a list', 'orders #1041 and #1042'],
    ['an answer that is only a number', '#1041'],
    ['an invoice', 'Invoice no. #1041, about 3 weeks old'],
    ['a colour', 'Please use #104100 for the title'],
    ['a colour behind a word that fits', 'see background: #104100;'],
    ['a colour in a style', '<p style="color: about #1041">x</p>', 'html'],
    ['a price', 'about #1041.50'],
    ['a number that begins so', 'about #10410'],
    ['a number with letters', 'about #1041a'],
    ['a number of a ticket that is not there', 'about #9999'],
    ['an anchor', 'see https://example.com/page#1041 and about/#1041x'],
    ['an anchor in a link', '<a href="#1041">see #1041</a>', 'html'],
    ['an entity', 'see &#1041;', 'html'],
    ['in code', 'see `#1041`', 'markdown'],
    ['in a block of code', 'see\n```\nabout #1041\n```\n', 'markdown'],
    ['in a quoted mail', '> I write about #1041'],
    ['in a quoted mail in html', '<blockquote>about #1041</blockquote>', 'html'],
    ['a heading of Markdown', '# 1041'],
    ['a rank', "We're #7 in the list"],
  ])('%s is none', (_, body, type) => {
    expect(rewritten(body, type)).toBe(body);
  });

  it('its own number stays, and so does every number where the source has no such form', () => {
    expect(rewritten('about #1041', 'text', '1041')).toBe('about #1041');
    const plain = linkForms({ source: 'https://desk.example/{id}', platform: 'native' });
    const message = {
      actorType: 'customer' as const,
      content: 'about #1041',
      occurredAt: '2024-01-01T00:00:00Z',
    };
    const rules = { forms: plain, target: 'https://new.example/{id}', ticketOf: (id: string) => KNOWN[id] };
    expect(rewriteLinks('1', [message], rules).links).toEqual([]);
  });

  it('a key of Jira is one wherever it stands', () => {
    const jira = linkForms({
      source: 'https://acme.atlassian.net/browse/{id}',
      reference: '{id}',
      platform: 'jira',
    });
    const message = {
      actorType: 'agent' as const,
      content: 'SUP-12 blocks XSUP-12, SUP-123, UTF-8 and https://x.example/SUP-12',
      occurredAt: '2024-01-01T00:00:00Z',
    };
    const rules = {
      forms: jira,
      target: 'https://new.example/{id}',
      ticketOf: (id: string) => (id === 'SUP-12' ? 't/12' : undefined),
    };
    expect(rewriteLinks('SUP-1', [message], rules).messages[0]?.content).toBe(
      'SUP-12 (https://new.example/t%2F12) blocks XSUP-12, SUP-123, UTF-8 and https://x.example/SUP-12',
    );
  });
});
