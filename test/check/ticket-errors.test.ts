import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/domain/problem.ts';
import { check, FROM_AGENT, FROM_CUSTOMER, mapped, reported, STATUS_CHANGE, TICKET } from './mapped.ts';

describe('what rejects a ticket', () => {
  const m = (change: object) => [{ ...FROM_CUSTOMER, ...change }];
  const a = (change: object) => [{ ...FROM_AGENT, ...change }];
  const e = (change: object) => [{ ...STATUS_CHANGE, ...change }];
  const without = (record: object, key: string) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

  it.each<[string, string, Parameters<typeof mapped>]>([
    ['missing-subject', 'subject', [without(TICKET, 'subject')]],
    ['missing-subject', 'subject', [{ ...TICKET, subject: null }]],
    ['empty-subject', 'subject', [{ ...TICKET, subject: ' \t\u00a0' }]],
    ['invalid-type', 'subject', [{ ...TICKET, subject: 5 }]],
    ['invalid-status', 'status', [{ ...TICKET, status: 'solved' }]],
    ['invalid-status', 'status', [{ ...TICKET, status: 'Open' }]],
    ['invalid-status', 'status', [{ ...TICKET, status: '' }]],
    ['invalid-status', 'status', [{ ...TICKET, status: 2 }]],
    ['invalid-status', 'status', [{ ...TICKET, status: 'toString' }]],
    ['invalid-priority', 'priority', [{ ...TICKET, priority: 'critical' }]],
    ['invalid-email', 'contact.email', [{ ...TICKET, contact: { email: 'ann@' } }]],
    ['invalid-email', 'contact.email', [{ ...TICKET, contact: { email: ' ' } }]],
    ['invalid-email', 'contact.email', [{ ...TICKET, contact: { name: 'Ann' } }]],
    ['invalid-type', 'contact.email', [{ ...TICKET, contact: { email: 7 } }]],
    ['invalid-type', 'contact.name', [{ ...TICKET, contact: { email: 'a@b.example', name: ['x'] } }]],
    ['invalid-type', 'contact', [{ ...TICKET, contact: 'ann@example.com' }]],
    ['invalid-type', 'contactId', [{ ...without(TICKET, 'contact'), contactId: 12 }]],
    ['contact-and-contact-id', 'contactId', [{ ...TICKET, contactId: 'c-1' }]],
    ['invalid-type', 'tags', [{ ...TICKET, tags: 'a;b' }]],
    ['invalid-type', 'tags[1]', [{ ...TICKET, tags: ['a', 2] }]],
    ['invalid-type', 'readOnly', [{ ...TICKET, readOnly: 'yes' }]],
    ['invalid-type', 'managedBy', [{ ...TICKET, managedBy: {} }]],
    ['invalid-type', 'assignedToId', [{ ...TICKET, assignedToId: 4711 }]],
    ['invalid-time', 'createdAt', [{ ...TICKET, createdAt: '2024-02-30T10:00:00Z' }]],
    ['invalid-time', 'createdAt', [{ ...TICKET, createdAt: '' }]],
    ['invalid-type', 'createdAt', [{ ...TICKET, createdAt: 1714557600 }]],
    ['time-without-zone', 'createdAt', [{ ...TICKET, createdAt: '2024-05-01T10:00:00' }]],
    ['time-without-zone', 'closedAt', [{ ...TICKET, closedAt: '2024-05-02' }]],
    ['missing-time', 'createdAt', [without(TICKET, 'createdAt')]],

    ['invalid-actor', 'messages[0].actorType', [TICKET, m({ actorType: 'custmer' })]],
    ['invalid-actor', 'messages[0].actorType', [TICKET, m({ actorType: undefined })]],
    ['missing-contact', 'messages[0].contact.email', [TICKET, m({ contact: undefined })]],
    ['missing-contact', 'messages[0].contact.email', [TICKET, m({ contact: { name: 'Ann' } })]],
    ['invalid-email', 'messages[0].contact.email', [TICKET, m({ contact: { email: 'ann' } })]],
    ['contact-and-contact-id', 'messages[0].contactId', [TICKET, m({ contactId: 'c' })]],
    ['missing-agent', 'messages[0].agentId', [TICKET, a({ agentId: '  ' })]],
    ['invalid-type', 'messages[0].agentId', [TICKET, a({ agentId: 9 })]],
    ['missing-content', 'messages[0].content', [TICKET, m({ content: undefined })]],
    ['empty-content', 'messages[0].content', [TICKET, m({ content: ' \n' })]],
    ['empty-content', 'messages[0].content', [TICKET, m({ content: '', attachments: [] })]],
    ['invalid-type', 'messages[0].content', [TICKET, m({ content: { html: 'x' } })]],
    ['invalid-content-type', 'messages[0].contentType', [TICKET, m({ contentType: 'text/html' })]],
    ['invalid-type', 'messages[0].isInternal', [TICKET, m({ isInternal: 1 })]],
    ['missing-time', 'messages[0].occurredAt', [TICKET, m({ occurredAt: undefined })]],
    ['invalid-time', 'messages[0].occurredAt', [TICKET, m({ occurredAt: '2024-05-01T25:00:00Z' })]],
    ['invalid-attachment', 'messages[0].attachments', [TICKET, m({ attachments: 'a.png' })]],
    ['invalid-attachment', 'messages[0].attachments[0]', [TICKET, m({ attachments: ['a.png'] })]],
    ['invalid-attachment', 'messages[0].attachments[0].url', [TICKET, m({ attachments: [{ name: 'a' }] })]],
    [
      'invalid-attachment',
      'messages[0].attachments[0].url',
      [TICKET, m({ attachments: [{ url: '/a.png' }] })],
    ],
    [
      'invalid-attachment',
      'messages[0].attachments[0].url',
      [TICKET, m({ attachments: [{ url: 'ftp://h/a' }] })],
    ],
    [
      'invalid-attachment',
      'messages[0].attachments[0].url',
      [TICKET, m({ attachments: [{ url: 'javascript:alert(1)' }] })],
    ],
    [
      'invalid-attachment',
      'messages[0].attachments[0].url',
      [TICKET, m({ attachments: [{ url: 'https://' }] })],
    ],
    [
      'invalid-attachment',
      'messages[0].attachments[0].sizeBytes',
      [TICKET, m({ attachments: [{ url: 'https://h.example/a', sizeBytes: -1 }] })],
    ],
    [
      'invalid-attachment',
      'messages[0].attachments[0].sizeBytes',
      [TICKET, m({ attachments: [{ url: 'https://h.example/a', sizeBytes: 1.5 }] })],
    ],
    [
      'invalid-attachment',
      'messages[0].attachments[0].sizeBytes',
      [TICKET, m({ attachments: [{ url: 'https://h.example/a', sizeBytes: '3' }] })],
    ],
    [
      'invalid-attachment',
      'messages[0].attachments[0].name',
      [TICKET, m({ attachments: [{ url: 'https://h.example/a', name: 3 }] })],
    ],

    ['invalid-event-type', 'events[0].type', [TICKET, m({}), e({ type: undefined })]],
    ['invalid-event-type', 'events[0].type', [TICKET, m({}), e({ type: ' ' })]],
    ['invalid-type', 'events[0].type', [TICKET, m({}), e({ type: 4 })]],
    ['invalid-actor', 'events[0].actorType', [TICKET, m({}), e({ actorType: 'bot' })]],
    ['missing-agent', 'events[0].agentId', [TICKET, m({}), e({ agentId: undefined })]],
    ['missing-event-status', 'events[0].oldValue.status', [TICKET, m({}), e({ oldValue: undefined })]],
    ['missing-event-status', 'events[0].oldValue.status', [TICKET, m({}), e({ oldValue: {} })]],
    [
      'missing-event-status',
      'events[0].newValue.status',
      [TICKET, m({}), e({ newValue: { status: 'solved' } })],
    ],
    [
      'invalid-type',
      'events[0].newValue',
      [TICKET, m({}), e({ type: 'priority_changed', newValue: 'high' })],
    ],
    ['missing-time', 'events[0].occurredAt', [TICKET, m({}), e({ occurredAt: undefined })]],
    ['time-without-zone', 'events[0].occurredAt', [TICKET, m({}), e({ occurredAt: '2024-05-01 12:00' })]],
  ])('%s at %s', (code, field, record) => {
    const result = check(mapped(...record));
    const errors = result.problems.filter((problem) => problem.severity === 'error');
    expect(reported({ problems: errors })).toEqual([`error ${code} ${field}`]);
    expect(result.checked).toBeUndefined();
    expect(errors[0]?.message).toMatch(/^\S.*[.?]$/);
  });

  it('everything that is wrong with a record is told at once, each at its own row', () => {
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

  it.each([
    [
      { ...TICKET, status: 'solved' },
      'status is "solved" but must be open, pending, resolved or closed. Did you mean "resolved"?',
    ],
    [
      { ...TICKET, status: 'Closed' },
      'status is "Closed" but must be open, pending, resolved or closed. Did you mean "closed"?',
    ],
    [{ ...TICKET, readOnly: 'Ture' }, 'readOnly must be true or false, not "Ture". Did you mean "true"?'],
    [
      { ...TICKET, status: 'in progress' },
      'status is "in progress" but must be open, pending, resolved or closed.',
    ],
    [
      { ...TICKET, createdAt: 1704164645 },
      'createdAt must be a time as text, not 1704164645; write "2024-01-02T03:04:05.000Z" if it counts from 1970, or have it read with "mapping: { extends: native, times: { format: auto } }" in the settings.',
    ],
    [{ ...TICKET, assignedToId: 4711 }, 'assignedToId must be text, not 4711; write it in quotes.'],
    [
      { ...TICKET, contact: { email: 'Ann <ann@example.com>' } },
      '"ann <ann@example.com>" is not an e-mail address; write one address and nothing else.',
    ],
    [
      { ...TICKET, createdAt: '2024-02-30T10:00:00Z' },
      '"2024-02-30T10:00:00Z" is a date that does not exist; write it like 2024-05-31T14:30:00Z.',
    ],
  ])('the sentence says what is wrong and what to do (%#)', (ticket, message) => {
    expect(check(mapped(ticket, [FROM_CUSTOMER])).problems.map((problem) => problem.message)).toEqual([
      message,
    ]);
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
