import { describe, expect, it } from 'vitest';
import { rowsOf } from '../support/rows.ts';
import {
  check,
  FROM_AGENT,
  FROM_CUSTOMER,
  mapped,
  refAt,
  reported,
  STATUS_CHANGE,
  TICKET,
} from './mapped.ts';

interface Whole {
  readonly ticket: Record<string, unknown>;
  readonly messages: readonly object[];
  readonly events: readonly object[];
}

describe('a good ticket', () => {
  it('becomes payloads with every field of the specification and nothing else', () => {
    const { read, sent } = rowsOf<Record<'read' | 'sent', Whole>>(import.meta.dirname, 'good.yaml');
    const result = check(mapped(read.ticket, read.messages, read.events));
    expect(result.problems).toEqual([]);
    expect(result.checked).toMatchObject({ seq: 7, externalId: 'T-1', ref: refAt(2) });
    const { ticket, messages, events } = result.checked ?? {};
    expect({ ticket, messages, events }).toStrictEqual(sent);
    expect(result).toMatchObject({
      messages: 3,
      internal: 1,
      events: 2,
      attachments: 1,
      attachmentBytes: 3,
      createdAt: Date.parse('2024-05-01T10:00:00Z'),
      contacts: ['ann@example.com', 'bob@example.com'],
      names: [
        { email: 'ann@example.com', name: 'Ann', at: Date.parse('2024-05-01T10:00:00Z') },
        { email: 'bob@example.com', name: 'Bob', at: Date.parse('2024-05-01T10:00:00Z') },
      ],
    });
  });

  it('needs a subject and a time and nothing else', () => {
    const result = check(mapped({ subject: 'x', createdAt: '2024-05-01T10:00:00Z' }));
    expect(reported(result)).toEqual(['warning no-contact contact', 'warning no-messages messages']);
    expect(result.checked?.ticket).toStrictEqual({
      subject: 'x',
      tags: ['imported'],
      createdAt: '2024-05-01T10:00:00.000Z',
    });
  });

  it('null and blank ids count as absent', () => {
    const result = check(
      mapped(
        { ...TICKET, status: null, tags: null, contactId: ' ', assignedToId: '', resolvedAt: null },
        [{ ...FROM_AGENT, contact: null, contactId: '', isInternal: null, attachments: null }],
        [{ ...STATUS_CHANGE, contactId: null }],
      ),
    );
    expect(result.problems).toEqual([]);
    expect(result.checked?.ticket).toStrictEqual({
      subject: TICKET.subject,
      contact: { email: 'ann@example.com' },
      tags: ['imported'],
      createdAt: '2024-05-01T10:00:00.000Z',
    });
    expect(result.checked?.messages).toStrictEqual([
      { ...FROM_AGENT, occurredAt: '2024-05-01T11:00:00.000Z' },
    ]);
  });

  it('messages and events are sorted by time, ties in source order', () => {
    const at = (content: string, occurredAt: string) => ({ actorType: 'system', content, occurredAt });
    const result = check(
      mapped(TICKET, [
        at('third', '2024-05-02T10:00:00Z'),
        at('first', '2024-05-01T12:00:00+02:00'),
        at('fourth', '2024-05-02T10:00:00.000Z'),
        at('second', '2024-05-01T10:00:00.001Z'),
      ]),
    );
    expect(result.checked?.messages.map((message) => message.content)).toEqual([
      'first',
      'second',
      'third',
      'fourth',
    ]);
  });

  const DAY = (day: number) => `2024-05-0${day}T00:00:00Z`;
  it.each([
    ['newest first', [3, 2, 2, 1], [3, 2, 1, 0]],
    ['newest first below the text of the ticket', [1, 3, 2, 2], [0, 3, 2, 1]],
    ['oldest first', [1, 2, 2, 3], [0, 1, 2, 3]],
    ['in no order', [2, 1, 2, 3, 1], [1, 4, 0, 2, 3]],
    ['all of one day', [1, 1, 1], [0, 1, 2]],
  ])('of one time in a list sorted %s: as it was written', (_, days, order) => {
    const messages = days.map((day, index) => ({
      actorType: 'system',
      content: String(index),
      occurredAt: DAY(day),
    }));
    const { checked } = check(mapped(TICKET, messages));
    expect(checked?.messages.map(({ content }) => Number(content))).toEqual(order);
  });
});

describe('hostile records', () => {
  it('keys of prototypes are data like any other', () => {
    const ticket = JSON.parse(
      '{"subject":"x","createdAt":"2024-05-01T10:00:00Z","__proto__":{"status":"hacked"},"constructor":1}',
    );
    const event = JSON.parse(
      '{"type":"team_assigned","actorType":"system","occurredAt":"2024-05-01T10:00:00Z","newValue":{"__proto__":{"polluted":1},"a":1}}',
    );
    const result = check(mapped(ticket, [FROM_CUSTOMER], [event]));
    expect(result.checked?.ticket).not.toHaveProperty('status');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(result.checked?.events[0]?.newValue).toMatchObject({ a: 1 });
  });

  it('a value nested without end is a problem and no crash', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    const result = check(mapped(TICKET, [FROM_CUSTOMER], [{ ...STATUS_CHANGE, type: 'x', newValue: deep }]));
    expect(reported(result)).toEqual(['error invalid-type events[0].newValue']);
  });

  it('a message or event that is no object is a problem and no crash', () => {
    const result = check(mapped(TICKET, ['text', null, FROM_CUSTOMER], [7, []]));
    expect(reported(result)).toEqual([
      'error invalid-type messages[0]',
      'error invalid-type messages[1]',
      'error invalid-type events[0]',
      'error invalid-type events[1]',
    ]);
  });

  it('a value of any length is shown shortened', () => {
    const result = check(mapped({ ...TICKET, status: 'x'.repeat(1_000_000) }, [FROM_CUSTOMER]));
    expect(result.problems[0]?.message.length).toBeLessThan(200);
  });
});
