import { describe, expect, it } from 'vitest';
import { changedTicket, createdTicket, noPage, putReceipt } from '../../src/helpdesk/answers.ts';
import type { Answer } from '../../src/helpdesk/http.ts';

const answer = (body: unknown, status = 200): Answer => ({
  type: 'answer',
  status,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const ids = (n: number) => Array.from({ length: n }, (_, i) => ({ id: `m${i}` }));

/** Of a PUT of three. */
const TABLE: readonly [what: string, answer: Answer, says: 'confirmed' | 'silent' | 'contradicted'][] = [
  ['nothing', answer('', 204), 'silent'],
  ['an empty body', answer(''), 'silent'],
  ['an empty object', answer({}), 'silent'],
  ['an object about something else', answer({ ticketId: 't1', updatedAt: 1_700_000_000 }), 'silent'],
  ['the ticket', answer({ ticket: { id: 't1', status: 'open' } }), 'silent'],
  ['an empty error', answer({ error: null, errors: [] }), 'silent'],
  ['the ticket with its events', answer({ ticket: { id: 't1', events: ids(1) } }), 'silent'],
  ['a list', answer(ids(3)), 'confirmed'],
  ['a list of messages', answer({ messages: ids(3) }), 'confirmed'],
  ['a list within the ticket', answer({ ticket: { id: 't1', messages: ids(3) } }), 'confirmed'],
  ['a count', answer({ count: 3 }), 'confirmed'],
  ['success', answer({ success: true }), 'confirmed'],
  ['a longer list', answer({ messages: ids(4) }), 'silent'],
  ['a list of events', answer({ events: ids(3) }), 'silent'],
  ['202', answer({ messages: ids(3) }, 202), 'silent'],
  ['an empty list', answer([]), 'contradicted'],
  ['a shorter list', answer({ messages: ids(2) }), 'contradicted'],
  ['another count', answer({ count: 0 }), 'contradicted'],
  ['an error', answer({ error: 'quota_exceeded' }), 'contradicted'],
  ['errors', answer({ errors: [{ index: 1 }], messages: ids(3) }), 'contradicted'],
  ['an error of one of them', answer({ messages: [...ids(2), { error: 'no' }] }), 'contradicted'],
  ['a failure of one of them', answer({ results: [...ids(2), { status: 'failed' }] }), 'contradicted'],
  ['no success', answer({ success: false }), 'contradicted'],
  ['207', answer({ messages: ids(3) }, 207), 'contradicted'],
  ['a text', answer('OK'), 'contradicted'],
  ['a page', answer('<html>Log in</html>'), 'contradicted'],
  ['half of a body', answer('{"messages":[{"id"'), 'contradicted'],
];

describe('what the answer to a PUT says', () => {
  it.each(TABLE)('%s', (_, said, expected) => {
    const receipt = putReceipt(said, 3, 'messages');
    expect(receipt === undefined ? 'contradicted' : receipt.confirmed ? 'confirmed' : 'silent').toBe(
      expected,
    );
  });

  it('messages next to the events are not taken for events', () => {
    const ticket = answer({ ticket: { messages: ids(2), events: ids(3) } });
    expect(putReceipt(ticket, 3, 'events')).toMatchObject({ confirmed: true });
    expect(putReceipt(ticket, 3, 'messages')).toBeUndefined();
  });

  it('the list as the helpdesk has it now is handed on', () => {
    const messages = [{ id: 1, content: 'Hi' }, { content: 'Ho' }];
    expect(putReceipt(answer({ messages }), 2, 'messages')?.echo).toEqual([
      { id: '1', content: 'Hi' },
      { id: '', content: 'Ho' },
    ]);
  });
});

it.each([
  ['JSON under the type of a page', '{"id":1}', 'text/html', true],
  ['nothing under the type of a page', '', 'text/html', true],
  ['a text', 'OK', 'text/plain', true],
  ['a text under the type of a page', 'Log in', 'text/html; charset=utf-8', false],
  ['a page under another type', ' <!DOCTYPE html>', 'text/plain', false],
])('%s is an answer of the service, or a page for people', (_, body, type, expected) => {
  expect(noPage({ ...answer(body), headers: { 'content-type': type } })).toBe(expected);
});

it.each<[string, Answer, created: boolean, changed: boolean]>([
  ['a ticket', answer({ ticket: { id: 't1' } }), true, true],
  ['a ticket beside an error', answer({ ticket: { id: 't1' }, error: 'hook' }), false, false],
  ['a ticket with an error', answer({ ticket: { id: 't1', error: 'hook' } }), false, false],
  ['nothing', answer('', 204), false, true],
  ['an object about something else', answer({ updated: true }), false, true],
  ['207', answer({ ticket: { id: 't1' } }, 207), true, false],
  ['a page', answer('<html>Log in</html>'), false, false],
  ['half of a body', answer('{"ticket":{"id":'), false, false],
])('%s in answer to a ticket that was created, or changed', (_, said, created, changed) => {
  expect([createdTicket(said) !== undefined, changedTicket(said) !== undefined]).toEqual([created, changed]);
});
