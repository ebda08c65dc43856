import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, digestOfWords } from '../../src/push/thread-record.ts';

const MESSAGE = {
  actorType: 'customer',
  content: 'Where is my order?',
  occurredAt: '2024-05-06T07:08:09.000Z',
  contact: { email: 'ann@example.com' },
} as const;

test('a service that changes white space has not edited a message: every kind of it counts for nothing', () => {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const nothing = digestOfWords('ab');
  const wrong = all.filter((each) => (digestOfWords(`a${each}b`) === nothing) !== /\s/.test(each));
  expect(wrong).toEqual([]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(digestOfWords(text)).toBe(digestOfWords(text.replace(/\s+/g, '')));
    }),
  );
});

test('32 bits, other ones for other words', () => {
  const digests = Array.from({ length: 20_000 }, (_, nth) => digestOfWords(`Ticket ${nth} is solved`));
  expect(new Set(digests).size).toBe(digests.length);
  for (const digest of digests) expect(digest).toBe(digest >>> 0);
});

test('a new text is a change; a new message ID is not', () => {
  const digest = digestOf(MESSAGE);
  expect(digestOf({ ...MESSAGE, id: 'm1', messageId: '<1@x>', inReplyToId: '<0@x>' })).toBe(digest);
  const others = [
    { ...MESSAGE, content: 'Where  is my order?' },
    { ...MESSAGE, isInternal: true },
    { ...MESSAGE, contact: { email: 'bob@example.com' } },
    { ...MESSAGE, attachments: [{ url: 'https://example.com/1' }] },
    { ...MESSAGE, attachments: [{ url: 'https://example.com/2' }] },
  ].map(digestOf);
  expect(new Set([digest, ...others]).size).toBe(others.length + 1);
});
