import { describe, expect, it } from 'vitest';
import { check, FROM_CUSTOMER, mapped, STATUS_CHANGE, TICKET } from './mapped.ts';

describe('fingerprints', () => {
  const of = (...record: Parameters<typeof mapped>) => check(mapped(...record)).checked?.fingerprints;
  const base = of(TICKET, [FROM_CUSTOMER], [STATUS_CHANGE]);

  it('are 64 bits of hex each', () => {
    const { fields, ...parts } = base ?? {};
    for (const digits of Object.values(parts)) expect(digits).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(Object.values(parts)).size).toBe(3);
    // A digest of 32 bits for each field that a delta can change, and one of the others.
    expect(fields).toMatch(/^[0-9a-f]{40}$/);
  });

  it.each<[string, Parameters<typeof mapped>]>([
    [
      'the order of keys',
      [Object.fromEntries(Object.entries(TICKET).reverse()), [FROM_CUSTOMER], [STATUS_CHANGE]],
    ],
    [
      'the spelling of a time',
      [{ ...TICKET, createdAt: '2024-05-01T12:00:00+0200' }, [FROM_CUSTOMER], [STATUS_CHANGE]],
    ],
    [
      'the name of a contact',
      [{ ...TICKET, contact: { email: 'ANN@example.com', name: 'New' } }, [FROM_CUSTOMER], [STATUS_CHANGE]],
    ],
    ['fields that are not sent', [{ ...TICKET, x: 1 }, [{ ...FROM_CUSTOMER, id: 9 }], [STATUS_CHANGE]]],
    ...(['messageId', 'inReplyToId', 'referencesIds'] as const).map(
      (id): [string, Parameters<typeof mapped>] => [
        id,
        [TICKET, [{ ...FROM_CUSTOMER, [id]: 'a@b' }], [STATUS_CHANGE]],
      ],
    ),
  ])('do not change with %s', (_, record) => {
    expect(of(...record)).toEqual(base);
  });

  it('do not change with the order of keys in a value that is passed through', () => {
    const event = (newValue: object) => [{ ...STATUS_CHANGE, type: 'x', newValue }];
    expect(of(TICKET, [], event({ a: 1, b: { c: 2, d: 3 } }))).toEqual(
      of(TICKET, [], event({ b: { d: 3, c: 2 }, a: 1 })),
    );
  });

  it.each<[keyof NonNullable<typeof base>, Parameters<typeof mapped>]>([
    ['ticket', [{ ...TICKET, subject: 'Other' }, [FROM_CUSTOMER], [STATUS_CHANGE]]],
    ['messages', [TICKET, [{ ...FROM_CUSTOMER, content: 'Help?' }], [STATUS_CHANGE]]],
    ['messages', [TICKET, [], [STATUS_CHANGE]]],
    ['events', [TICKET, [FROM_CUSTOMER], []]],
  ])('of the %s changes when it changes, and no other', (part, record) => {
    const others = part === 'ticket' ? { ticket: undefined, fields: undefined } : { [part]: undefined };
    expect({ ...of(...record), ...others }).toEqual({ ...base, ...others });
    expect(of(...record)?.[part]).not.toBe(base?.[part]);
  });
});
