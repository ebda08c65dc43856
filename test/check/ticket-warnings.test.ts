import { describe, expect, it } from 'vitest';
import { check, FROM_CUSTOMER, mapped, reported, STATUS_CHANGE, TICKET } from './mapped.ts';

describe('what warns and rejects nothing', () => {
  it.each<[string[], Parameters<typeof mapped>]>([
    [['no-messages messages'], [TICKET]],
    [['no-contact contact'], [{ subject: 'x', createdAt: '2024-05-01T10:00:00Z' }, [FROM_CUSTOMER]]],
    [
      ['resolved-before-created resolvedAt'],
      [{ ...TICKET, resolvedAt: '2024-05-01T09:00:00Z' }, [FROM_CUSTOMER]],
    ],
    [
      ['closed-before-created closedAt'],
      [{ ...TICKET, closedAt: '2024-05-01T09:59:59.999Z' }, [FROM_CUSTOMER]],
    ],
    [
      ['message-before-ticket messages[2].occurredAt'],
      [
        TICKET,
        [
          FROM_CUSTOMER,
          { ...FROM_CUSTOMER, occurredAt: '2024-05-01T09:00:00Z' },
          { ...FROM_CUSTOMER, occurredAt: '2024-05-01T08:00:00Z' },
        ],
      ],
    ],
    [
      ['event-before-ticket events[0].occurredAt'],
      [TICKET, [FROM_CUSTOMER], [{ ...STATUS_CHANGE, occurredAt: '2024-04-30T00:00:00Z' }]],
    ],
    [['very-old-time createdAt'], [{ ...TICKET, createdAt: '1970-01-01T00:00:00Z' }, [FROM_CUSTOMER]]],
    [['invalid-unicode subject'], [{ ...TICKET, subject: 'half \ud83d' }, [FROM_CUSTOMER]]],
    [['invalid-unicode messages[0].content'], [TICKET, [{ ...FROM_CUSTOMER, content: 'nul \0!' }]]],
    [['invalid-unicode tags[0]'], [{ ...TICKET, tags: ['\udc00'] }, [FROM_CUSTOMER]]],
    [
      ['invalid-unicode events[0].newValue'],
      [TICKET, [FROM_CUSTOMER], [{ ...STATUS_CHANGE, type: 'team_assigned', newValue: { a: ['\ud800'] } }]],
    ],
  ])('%s', (warnings, record) => {
    const result = check(mapped(...record));
    expect(reported(result)).toEqual(warnings.map((warning) => `warning ${warning}`));
    expect(result.checked).toBeDefined();
  });

  it('sent texts are valid Unicode without NUL', () => {
    const result = check(
      mapped(
        { ...TICKET, subject: 'a\ud83d\0b' },
        [FROM_CUSTOMER],
        [{ ...STATUS_CHANGE, type: 'team_assigned', newValue: { name: 'x\udfff\0' } }],
      ),
    );
    expect(result.checked?.ticket.subject).toBe('a\ufffd\ufffdb');
    expect(result.checked?.events[0]?.newValue).toEqual({ name: 'x\ufffd\ufffd' });
  });
});
