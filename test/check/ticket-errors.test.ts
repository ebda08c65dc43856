import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/domain/problem.ts';
import { rowsOf } from '../support/rows.ts';
import { check, FROM_AGENT, FROM_CUSTOMER, mapped, reported, STATUS_CHANGE, TICKET } from './mapped.ts';

type Fault = readonly [code: string, field: string, change: object];
const { sentences, faults } = rowsOf<{
  sentences: [object, string][];
  faults: Record<'ticket' | 'customer' | 'agent' | 'event', Fault[]>;
}>(import.meta.dirname, 'sentences.yaml');
const withoutAbsent = (change: object) =>
  Object.fromEntries(
    Object.entries(change).map(([key, value]) => [key, value === 'absent' ? undefined : value]),
  );

describe('what rejects a ticket', () => {
  const all = Object.entries(faults).flatMap(([of, rows]) => rows.map((row) => [...row, of] as const));
  it.each(all)('%s at %s: %j of the %s', (code, at, given, of) => {
    const change = withoutAbsent(given);
    const ticket = of === 'ticket' ? { ...TICKET, ...change } : TICKET;
    const message = of === 'agent' ? FROM_AGENT : FROM_CUSTOMER;
    const messages = of === 'ticket' ? [] : [of === 'event' ? message : { ...message, ...change }];
    const events = of === 'event' ? [{ ...STATUS_CHANGE, ...change }] : [];
    const result = check(mapped(ticket, messages, events));
    const field = of === 'ticket' ? at : `${of === 'event' ? 'events' : 'messages'}[0].${at}`;
    const errors = result.problems.filter((problem) => problem.severity === 'error');
    expect(reported({ problems: errors })).toEqual([`error ${code} ${field}`]);
    expect(result.checked).toBeUndefined();
    expect(errors[0]?.message).toMatch(/^\S.*[.?]$/);
  });

  it('all problems of a record are reported at once, each at its own row', () => {
    const result = check(
      mapped(
        { subject: '', status: 'solved', priority: 'x', contact: { email: 'x' }, createdAt: '2024-05-01' },
        [
          FROM_CUSTOMER,
          {
            actorType: 'agent',
            content: '',
            contentType: 'rtf',
            occurredAt: '2024-02-30T10:00:00Z',
            isInternal: 'no',
          },
          { actorType: 'robot', attachments: [{ sizeBytes: -1 }] },
        ],
        [{ type: 'status_change', actorType: 'agent', newValue: { status: 'done' } }],
      ),
    );
    expect(result.problems.map((p) => `${p.file}:${p.line} ${p.code} ${p.field}`)).toEqual([
      'tickets.csv:2 time-without-zone createdAt',
      'tickets.csv:2 empty-subject subject',
      'tickets.csv:2 invalid-email contact.email',
      'tickets.csv:2 invalid-status status',
      'tickets.csv:2 invalid-priority priority',
      'messages.csv:11 invalid-time messages[1].occurredAt',
      'messages.csv:11 invalid-content-type messages[1].contentType',
      'messages.csv:11 invalid-type messages[1].isInternal',
      'messages.csv:11 missing-agent messages[1].agentId',
      'messages.csv:11 empty-content messages[1].content',
      'messages.csv:12 missing-time messages[2].occurredAt',
      'messages.csv:12 invalid-actor messages[2].actorType',
      'messages.csv:12 invalid-attachment messages[2].attachments[0].url',
      'messages.csv:12 invalid-attachment messages[2].attachments[0].sizeBytes',
      'events.csv:20 missing-time events[0].occurredAt',
      'events.csv:20 missing-agent events[0].agentId',
      'events.csv:20 missing-event-status events[0].oldValue.status',
      'events.csv:20 missing-event-status events[0].newValue.status',
    ]);
    expect(result.problems.every((p) => p.ticket === 'T-1' && p.count === 1)).toBe(true);
  });

  it.each(sentences)('a ticket with %j is rejected with the reason and the cure', (change, message) => {
    const { problems } = check(mapped({ ...TICKET, ...change }, [FROM_CUSTOMER]));
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });

  it('an error of the mapping rejects, and its field is not complained of again', () => {
    const problem: Problem = {
      severity: 'error',
      code: 'unmapped-value',
      ticket: 'T-1',
      field: 'messages[0].agentId',
      message: 'No agent id for "bob".',
      count: 1,
    };
    const result = check(
      mapped(TICKET, [{ ...FROM_AGENT, agentId: undefined }], [], { problems: [problem] }),
    );
    expect(result.problems).toEqual([problem]);
    expect(result.checked).toBeUndefined();
  });

  it('a warning of the mapping rejects nothing', () => {
    const problem: Problem = {
      severity: 'warning',
      code: 'unknown-field',
      field: 'subject',
      message: 'x.',
      count: 1,
    };
    const result = check(mapped(TICKET, [FROM_CUSTOMER], [], { problems: [problem] }));
    expect(result.problems).toEqual([problem]);
    expect(result.checked).toBeDefined();
  });

  it('good addresses and names of a rejected ticket still count', () => {
    const result = check(
      mapped({ ...TICKET, status: 'x', createdAt: 'soon', contact: { email: 'A@b.example', name: 'Ann' } }, [
        FROM_CUSTOMER,
        { ...FROM_CUSTOMER, contact: { email: 'none' } },
      ]),
    );
    expect(result.checked).toBeUndefined();
    expect(result.contacts).toEqual(['a@b.example', 'ann@example.com']);
    expect(result.names).toEqual([{ email: 'a@b.example', name: 'Ann', at: 0 }]);
  });
});
