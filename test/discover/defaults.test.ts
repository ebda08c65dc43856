import { expect, it } from 'vitest';
import { Defaults } from '../../src/discover/defaults.ts';
import type { ReviewedSource } from '../../src/discover/findings.ts';
import type { MappedTicket } from '../../src/domain/ticket.ts';

const TABLES = { tickets: { role: 'root' }, orders: { role: 'child' } };
const RULES = { status: 'state', requester: { email: 'mail' }, createdAt: 'at' };
const GENERIC = { isProposed: true, ticket: RULES, messages: [{}] };
const OWN = { isOwn: true, ticket: {}, messages: [{}] };
const CHOSEN = { isOwn: true, ticket: RULES, messages: [{ contentType: { const: 'text' } }] };
const BUILT_IN = { ticket: RULES, messages: [{}] };

const BARE = { ticket: {}, messages: [{ actorType: 'customer', content: 'Hello <b>you</b>' }] };
const WHOLE = {
  ticket: { status: 'open', createdAt: '2024-05-01T08:00:00Z', contactId: 'c1' },
  messages: [{ actorType: 'customer' }, { actorType: 'agent', content: '<p>Hi</p>', contentType: 'html' }],
};
const TAGGED = { ...WHOLE, messages: [...WHOLE.messages, { content: '<div>Hello</div>' }] };

/** One ticket, and one unread column with its values. */
function found(layout: object, ticket: object, column: string, values: readonly string[], table = 'tickets') {
  const { messages, ...rest } = ticket as { messages: object[] };
  const defaults = new Defaults();
  defaults.see({
    ...rest,
    externalId: '1',
    messages: messages.map((value) => ({ value })),
  } as unknown as MappedTicket);
  return defaults
    .findings({
      detection: { layout: { tables: TABLES, ...layout } },
      mapper: {
        unread: () => [{ table, column, file: 'x', filled: 1, text: 0, values: new Set(values) }],
      },
    } as unknown as ReviewedSource)
    .map(({ code, severity, message }) =>
      `${code} ${severity} ${/--set "(.*?)"/.exec(message)?.[1] ?? ''}`.trim(),
    );
}

const MAILS = ['kim@example.org', 'none'];

it.each([
  [
    'addresses, nobody chose',
    GENERIC,
    'who.mail',
    MAILS,
    ['passed-over error ticket.requester.email=who.mail'],
  ],
  [
    'addresses, own mapping without them',
    OWN,
    'who',
    MAILS,
    ['passed-over error ticket.requester.email=who'],
  ],
  [
    'addresses, own mapping with others',
    CHOSEN,
    'who',
    MAILS,
    ['passed-over warning ticket.requester.email=who'],
  ],
  ['addresses, built-in', BUILT_IN, 'who', MAILS, ['passed-over warning ticket.requester.email=who']],
  ['addresses of a list, built-in', BUILT_IN, 'notes[].mail', MAILS, []],
  ['a few addresses', OWN, 'who', ['kim@example.org', 'none', 'a', 'b'], []],
  ['a status in its name', OWN, 'Estado', ['x', 'y'], ['passed-over error ticket.status=Estado']],
  ['a status in its words', GENERIC, 'phase', ['open', 'done'], ['passed-over error ticket.status=phase']],
  ['words of a status, own mapping', OWN, 'phase', ['open', 'done'], []],
  ['a state of something else', OWN, 'order.state', ['open', 'done'], []],
  ['times', OWN, 'day', ['2024-05-01', '2.6.2024'], ['passed-over warning ticket.createdAt=day']],
  ['words of roles', OWN, 'by', ['agent', 'customer'], ['passed-over warning message.writer=by']],
  ['one role', OWN, 'by', ['agent'], []],
] as const)('a default of every ticket beside a column with %s', (_, layout, column, values, said) => {
  expect(found(layout, BARE, column, values)).toEqual(said);
  expect(found(layout, WHOLE, column, values)).toEqual([]);
});

it('a column of another table is not the status of a ticket', () => {
  expect(found(OWN, BARE, 'status', ['open', 'done'], 'orders')).toEqual([]);
});

it('few texts that begin with a tag, also an escaped one, are named and stop nothing', () => {
  const texts = ['Hi', 'Hello', 'Bye', '&lt;p&gt;Hello&lt;/p&gt;'].map((content) => ({ content }));
  const few = { ...WHOLE, messages: [...WHOLE.messages, ...texts] };
  expect(found(OWN, few, 'x', ['y'])).toEqual(['tags-as-text warning']);
});

it.each([
  ['own mapping without a content type', OWN, ['tags-as-text error']],
  ['an explicit plain text', CHOSEN, ['tags-as-text warning']],
  ['a built-in layout', BUILT_IN, ['tags-as-text warning']],
] as const)('plain texts that begin with a tag: %s', (_, layout, said) => {
  expect(found(layout, TAGGED, 'x', ['y'])).toEqual(said);
});
