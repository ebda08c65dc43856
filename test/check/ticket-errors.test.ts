import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/domain/problem.ts';
import { rowsOf } from '../support/rows.ts';
import { check, FROM_AGENT, FROM_CUSTOMER, mapped, reported, STATUS_CHANGE, TICKET } from './mapped.ts';

const { sentences } = rowsOf<{ sentences: [object, string][] }>(import.meta.dirname, 'sentences.yaml');

describe('what rejects a ticket', () => {
  type Fault = [code: string, field: string, change: object];
  const TICKET_FAULTS: Fault[] = [
    ['missing-subject', 'subject', { subject: undefined }],
    ['missing-subject', 'subject', { subject: null }],
    ['empty-subject', 'subject', { subject: ' \t\u00a0' }],
    ['invalid-type', 'subject', { subject: 5 }],
    ['invalid-status', 'status', { status: 'solved' }],
    ['invalid-status', 'status', { status: 'Open' }],
    ['invalid-status', 'status', { status: '' }],
    ['invalid-status', 'status', { status: 2 }],
    ['invalid-status', 'status', { status: 'toString' }],
    ['invalid-priority', 'priority', { priority: 'critical' }],
    ['invalid-email', 'contact.email', { contact: { email: 'ann@' } }],
    ['invalid-email', 'contact.email', { contact: { email: ' ' } }],
    ['invalid-email', 'contact.email', { contact: { name: 'Ann' } }],
    ['invalid-type', 'contact.email', { contact: { email: 7 } }],
    ['invalid-type', 'contact.name', { contact: { email: 'a@b.example', name: ['x'] } }],
    ['invalid-type', 'contact', { contact: 'ann@example.com' }],
    ['invalid-type', 'contactId', { contact: undefined, contactId: 12 }],
    ['contact-and-contact-id', 'contactId', { contactId: 'c-1' }],
    ['invalid-type', 'tags', { tags: 'a;b' }],
    ['invalid-type', 'tags[1]', { tags: ['a', 2] }],
    ['invalid-type', 'readOnly', { readOnly: 'yes' }],
    ['invalid-type', 'managedBy', { managedBy: {} }],
    ['invalid-type', 'assignedToId', { assignedToId: 4711 }],
    ['changed-id', 'assignedToId', { assignedToId: '1.61052E+18' }],
    ['invalid-time', 'createdAt', { createdAt: '2024-02-30T10:00:00Z' }],
    ['invalid-time', 'createdAt', { createdAt: '' }],
    ['invalid-type', 'createdAt', { createdAt: 1714557600 }],
    ['time-without-zone', 'createdAt', { createdAt: '2024-05-01T10:00:00' }],
    ['time-without-zone', 'closedAt', { closedAt: '2024-05-02' }],
    ['missing-time', 'createdAt', { createdAt: undefined }],
  ];
  const CUSTOMER_FAULTS: Fault[] = [
    ['invalid-actor', 'actorType', { actorType: 'custmer' }],
    ['invalid-actor', 'actorType', { actorType: undefined }],
    ['missing-contact', 'contact.email', { contact: undefined }],
    ['missing-contact', 'contact.email', { contact: { name: 'Ann' } }],
    ['invalid-email', 'contact.email', { contact: { email: 'ann' } }],
    ['contact-and-contact-id', 'contactId', { contactId: 'c' }],
    ['missing-content', 'content', { content: undefined }],
    ['empty-content', 'content', { content: ' \n' }],
    ['empty-content', 'content', { content: '', attachments: [] }],
    ['invalid-type', 'content', { content: { html: 'x' } }],
    ['invalid-content-type', 'contentType', { contentType: 'text/html' }],
    ['invalid-type', 'isInternal', { isInternal: 1 }],
    ['missing-time', 'occurredAt', { occurredAt: undefined }],
    ['invalid-time', 'occurredAt', { occurredAt: '2024-05-01T25:00:00Z' }],
    ['invalid-attachment', 'attachments', { attachments: 'a.png' }],
    ['invalid-attachment', 'attachments[0]', { attachments: ['a.png'] }],
    ['invalid-attachment', 'attachments[0].url', { attachments: [{ name: 'a' }] }],
    ['invalid-attachment', 'attachments[0].url', { attachments: [{ url: '/a.png' }] }],
    ['invalid-attachment', 'attachments[0].url', { attachments: [{ url: 'ftp://h/a' }] }],
    ['invalid-attachment', 'attachments[0].url', { attachments: [{ url: 'javascript:alert(1)' }] }],
    ['invalid-attachment', 'attachments[0].url', { attachments: [{ url: 'https://' }] }],
    [
      'invalid-attachment',
      'attachments[0].sizeBytes',
      { attachments: [{ url: 'https://h.example/a', sizeBytes: -1 }] },
    ],
    [
      'invalid-attachment',
      'attachments[0].sizeBytes',
      { attachments: [{ url: 'https://h.example/a', sizeBytes: 1.5 }] },
    ],
    [
      'invalid-attachment',
      'attachments[0].sizeBytes',
      { attachments: [{ url: 'https://h.example/a', sizeBytes: '3' }] },
    ],
    ['invalid-attachment', 'attachments[0].name', { attachments: [{ url: 'https://h.example/a', name: 3 }] }],
  ];
  const AGENT_FAULTS: Fault[] = [
    ['missing-agent', 'agentId', { agentId: ' ' }],
    ['changed-id', 'agentId', { agentId: '#NAME?' }],
    ['invalid-type', 'agentId', { agentId: 9 }],
  ];
  const EVENT_FAULTS: Fault[] = [
    ['invalid-event-type', 'type', { type: undefined }],
    ['invalid-event-type', 'type', { type: ' ' }],
    ['invalid-type', 'type', { type: 4 }],
    ['invalid-actor', 'actorType', { actorType: 'bot' }],
    ['missing-agent', 'agentId', { agentId: undefined }],
    ['missing-event-status', 'oldValue.status', { oldValue: undefined }],
    ['missing-event-status', 'oldValue.status', { oldValue: {} }],
    ['missing-event-status', 'newValue.status', { newValue: { status: 'solved' } }],
    ['invalid-type', 'newValue', { type: 'priority_changed', newValue: 'high' }],
    ['missing-time', 'occurredAt', { occurredAt: undefined }],
    ['time-without-zone', 'occurredAt', { occurredAt: '2024-05-01 12:00' }],
  ];
  const all = [
    ...TICKET_FAULTS.map((fault) => [...fault, 'ticket'] as const),
    ...CUSTOMER_FAULTS.map((fault) => [...fault, 'customer'] as const),
    ...AGENT_FAULTS.map((fault) => [...fault, 'agent'] as const),
    ...EVENT_FAULTS.map((fault) => [...fault, 'event'] as const),
  ];
  it.each(all)('%s at %s: %j of the %s', (code, at, change, of) => {
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
