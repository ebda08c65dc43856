import { describe, expect, it } from 'vitest';
import type { MessagePayload } from '../../../src/domain/payload.ts';
import { checkedTicket, conversation } from './sample-report.ts';

const message = (index: number, content = `message ${index}`): MessagePayload => ({
  actorType: 'customer',
  content,
  occurredAt: new Date(Date.UTC(2024, 0, 1, 0, index)).toISOString(),
  contact: { email: 'ana@example.com' },
});

describe('a conversation for the report', () => {
  it('messages and events stand in one line of time', () => {
    expect(conversation().entries.map((entry) => entry.kind)).toEqual([
      'message',
      'message',
      'message',
      'event',
    ]);
    expect(conversation().entries.at(-1)).toMatchObject({ what: 'Status', before: 'open', after: 'closed' });
  });

  it('a contact has the newest name of the whole export, as it is sent', () => {
    expect(conversation()).toMatchObject({ contact: { email: 'ana@example.com', name: 'Ana Ruiz' } });
    expect(conversation().entries[0]).toMatchObject({ author: 'customer', name: 'Ana Ruiz' });
  });

  it('of a thread of thousands the beginning and the end are shown, and the gap is counted', () => {
    const messages = Array.from({ length: 5000 }, (_, index) => message(index));
    const { entries, messages: count } = conversation({ messages, events: [] });
    expect(count).toBe(5000);
    expect(entries).toHaveLength(21);
    expect(entries[12]).toEqual({ kind: 'gap', entries: 4980 });
    expect(entries.at(-1)).toMatchObject({ content: 'message 4999' });
  });

  it('of a body of megabytes the beginning is kept, and its length is told', () => {
    const { entries } = conversation({ messages: [message(0, 'x'.repeat(5_000_000))], events: [] });
    expect(entries[0]).toMatchObject({ cutFrom: 5_000_000 });
    expect(JSON.stringify(entries).length).toBeLessThan(4000);
  });

  it('an address that is too long is left out, never cut to another one', () => {
    const attachments = [{ url: `https://x.example/${'x'.repeat(1000)}`, name: 'scan.pdf' }];
    const { entries } = conversation({ messages: [{ ...message(0), attachments }], events: [] });
    expect(entries[0]).toMatchObject({ attachments: [{ url: '', name: 'scan.pdf' }] });
  });

  it('what a ticket does not say is what the service makes of it', () => {
    const { ticket } = checkedTicket();
    const { status: _, priority: __, tags: ___, ...bare } = ticket;
    expect(conversation({ ticket: bare })).toMatchObject({ status: 'open', priority: 'normal', tags: [] });
  });
});
