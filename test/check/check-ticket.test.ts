import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/domain/problem.ts';
import {
  check,
  FROM_AGENT,
  FROM_CUSTOMER,
  NOW,
  refAt,
  STATUS_CHANGE,
  shaped,
  TICKET,
  told,
} from './shaped.ts';

describe('a good ticket', () => {
  it('becomes payloads with every field of the specification and nothing else', () => {
    const result = check(
      shaped(
        {
          ...TICKET,
          contact: { email: ' Ann@Example.com ', name: ' Ann ', phone: '1' },
          status: 'pending',
          priority: 'urgent',
          tags: [' vip ', 'vip', '', 'b'],
          customerId: 'c1',
          appId: 'a1',
          assignedToId: 'u1',
          createdAt: '2024-05-01T12:00:00+02:00',
          resolvedAt: '2024-05-02T10:00:00Z',
          closedAt: '2024-05-03T10:00:00.5Z',
          readOnly: true,
          managedBy: 'Old desk',
          channel: 'phone',
          id: 'T-1',
        },
        [
          { ...FROM_AGENT, isInternal: true, contentType: 'html', id: 'source-id', extra: 1 },
          {
            ...FROM_CUSTOMER,
            contact: { email: 'Bob@example.com', name: 'Bob' },
            attachments: [
              { url: ' https://x.example/a.png ', name: 'a', contentType: 'image/png', sizeBytes: 3, x: 1 },
            ],
          },
          {
            actorType: 'system',
            content: '**hi**',
            contentType: 'markdown',
            occurredAt: '2024-05-01T10:00:00Z',
          },
        ],
        [
          STATUS_CHANGE,
          {
            type: 'agent_assigned',
            newValue: { b: [1], a: 'x' },
            actorType: 'system',
            occurredAt: '2024-05-01T10:30:00Z',
          },
        ],
      ),
    );
    expect(result.problems).toEqual([]);
    expect(result.checked).toMatchObject({ seq: 7, externalId: 'T-1', ref: refAt(2) });
    expect(result.checked?.ticket).toStrictEqual({
      subject: 'Printer on fire',
      contact: { email: 'ann@example.com' },
      status: 'pending',
      priority: 'urgent',
      tags: ['vip', 'b', 'imported'],
      customerId: 'c1',
      appId: 'a1',
      assignedToId: 'u1',
      createdAt: '2024-05-01T10:00:00.000Z',
      resolvedAt: '2024-05-02T10:00:00.000Z',
      closedAt: '2024-05-03T10:00:00.500Z',
      readOnly: true,
      managedBy: 'Old desk',
    });
    expect(result.checked?.messages).toStrictEqual([
      {
        actorType: 'customer',
        content: 'Help!',
        occurredAt: '2024-05-01T10:00:00.000Z',
        contact: { email: 'bob@example.com' },
        attachments: [{ url: 'https://x.example/a.png', name: 'a', contentType: 'image/png', sizeBytes: 3 }],
      },
      {
        actorType: 'system',
        content: '**hi**',
        contentType: 'markdown',
        occurredAt: '2024-05-01T10:00:00.000Z',
      },
      {
        actorType: 'agent',
        content: 'Use water.',
        contentType: 'html',
        occurredAt: '2024-05-01T11:00:00.000Z',
        agentId: 'agent-1',
        isInternal: true,
      },
    ]);
    expect(result.checked?.events).toStrictEqual([
      {
        type: 'agent_assigned',
        newValue: { a: 'x', b: [1] },
        actorType: 'system',
        occurredAt: '2024-05-01T10:30:00.000Z',
      },
      { ...STATUS_CHANGE, occurredAt: '2024-05-01T12:00:00.000Z' },
    ]);
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
    const result = check(shaped({ subject: 'x', createdAt: '2024-05-01T10:00:00Z' }));
    expect(told(result)).toEqual(['warning no-contact contact', 'warning no-messages messages']);
    expect(result.checked?.ticket).toStrictEqual({
      subject: 'x',
      tags: ['imported'],
      createdAt: '2024-05-01T10:00:00.000Z',
    });
  });

  it('null and blank ids count as absent', () => {
    const result = check(
      shaped(
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

  it('messages and events stand in order of time, ties in source order', () => {
    const at = (content: string, occurredAt: string) => ({ actorType: 'system', content, occurredAt });
    const result = check(
      shaped(TICKET, [
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
});

describe('what rejects a ticket', () => {
  const m = (change: object) => [{ ...FROM_CUSTOMER, ...change }];
  const a = (change: object) => [{ ...FROM_AGENT, ...change }];
  const e = (change: object) => [{ ...STATUS_CHANGE, ...change }];
  const without = (record: object, key: string) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

  it.each<[string, string, Parameters<typeof shaped>]>([
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
    const result = check(shaped(...record));
    const errors = result.problems.filter((problem) => problem.severity === 'error');
    expect(told({ problems: errors })).toEqual([`error ${code} ${field}`]);
    expect(result.checked).toBeUndefined();
    expect(errors[0]?.message).toMatch(/^\S.*[.?]$/);
  });

  it('everything that is wrong with a record is told at once, each at its own row', () => {
    const result = check(
      shaped(
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
    expect(check(shaped(ticket, [FROM_CUSTOMER])).problems.map((problem) => problem.message)).toEqual([
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
      shaped(TICKET, [{ ...FROM_AGENT, agentId: undefined }], [], { problems: [problem] }),
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
    const result = check(shaped(TICKET, [FROM_CUSTOMER], [], { problems: [problem] }));
    expect(result.problems).toEqual([problem]);
    expect(result.checked).toBeDefined();
  });

  it('good addresses and names of a rejected ticket still count', () => {
    const result = check(
      shaped({ ...TICKET, status: 'x', createdAt: 'soon', contact: { email: 'A@b.example', name: 'Ann' } }, [
        FROM_CUSTOMER,
        { ...FROM_CUSTOMER, contact: { email: 'none' } },
      ]),
    );
    expect(result.checked).toBeUndefined();
    expect(result.contacts).toEqual(['a@b.example', 'ann@example.com']);
    expect(result.names).toEqual([{ email: 'a@b.example', name: 'Ann', at: 0 }]);
  });
});

describe('what warns and rejects nothing', () => {
  it.each<[string[], Parameters<typeof shaped>]>([
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
    const result = check(shaped(...record));
    expect(told(result)).toEqual(warnings.map((warning) => `warning ${warning}`));
    expect(result.checked).toBeDefined();
  });

  it('what is sent is valid Unicode without NUL', () => {
    const result = check(
      shaped(
        { ...TICKET, subject: 'a\ud83d\0b' },
        [FROM_CUSTOMER],
        [{ ...STATUS_CHANGE, type: 'team_assigned', newValue: { name: 'x\udfff\0' } }],
      ),
    );
    expect(result.checked?.ticket.subject).toBe('a\ufffd\ufffdb');
    expect(result.checked?.events[0]?.newValue).toEqual({ name: 'x\ufffd\ufffd' });
  });

  it('a time up to a day ahead may be another clock', () => {
    const createdAt = new Date(NOW + 86_400_000).toISOString();
    expect(check(shaped({ ...TICKET, createdAt })).checked).toBeDefined();
  });
});

describe('missing times', () => {
  const plain = { actorType: 'system', content: 'x' };
  const at = (occurredAt: string) => ({ ...plain, occurredAt });
  const untimed = { subject: 'x', contactId: 'c' };

  it('a missing createdAt is the earliest time of a message, wherever that stands', () => {
    const result = check(
      shaped(untimed, [
        at('2024-05-03T00:00:00Z'),
        at('2024-05-01T00:00:00+02:00'),
        at('2024-05-02T00:00:00Z'),
      ]),
    );
    expect(result.problems).toEqual([]);
    expect(result.checked?.ticket.createdAt).toBe('2024-04-30T22:00:00.000Z');
  });

  it('a missing createdAt is not complained of where a message with a bad time would give it', () => {
    expect(told(check(shaped(untimed, [at('soon')])))).toEqual(['error invalid-time messages[0].occurredAt']);
  });

  it.each([
    ['reject', undefined],
    ['ticket', ['A 00', 'C 00', 'D 00', 'B 09']],
    ['previous', ['A 00', 'B 09', 'C 09', 'D 09']],
  ] as const)('missingTimes "%s"', (missingTimes, order) => {
    const result = check(
      shaped({ ...untimed, createdAt: '2024-05-01T00:00:00Z' }, [
        { ...plain, content: 'A' },
        { ...plain, content: 'B', occurredAt: '2024-05-01T09:00:00Z' },
        { ...plain, content: 'C' },
        { ...plain, content: 'D', occurredAt: null },
      ]),
      { missingTimes },
    );
    const sent = result.checked?.messages.map((m) => `${m.content} ${m.occurredAt.slice(11, 13)}`);
    expect(sent).toEqual(order);
    expect(result.problems.length).toBe(order === undefined ? 3 : 0);
  });

  it('a ticket without any time takes the one of the settings', () => {
    const rules = { missingTimes: 'previous', missingCreatedAt: '2020-01-01T00:00:00Z' } as const;
    const result = check(shaped(untimed, [plain], [{ ...STATUS_CHANGE, occurredAt: undefined }]), rules);
    expect(result.problems).toEqual([]);
    expect(result.checked?.ticket.createdAt).toBe('2020-01-01T00:00:00.000Z');
    expect(result.checked?.messages[0]?.occurredAt).toBe('2020-01-01T00:00:00.000Z');
    expect(result.checked?.events[0]?.occurredAt).toBe('2020-01-01T00:00:00.000Z');
  });

  it('a message without a time is no time for its ticket', () => {
    const result = check(shaped(untimed, [plain]), { missingTimes: 'ticket' });
    expect(told(result)).toEqual(['error missing-time createdAt']);
  });

  it('times without a zone are read in the zone of the settings', () => {
    const result = check(
      shaped({ ...TICKET, createdAt: '2024-07-01', closedAt: '2024-07-02 08:00:00' }, [
        at('2024-07-01T12:00:00'),
        at('2024-07-01T12:00:00Z'),
      ]),
      { timezone: 'Europe/Berlin' },
    );
    expect(result.problems).toEqual([]);
    expect(result.checked?.ticket).toMatchObject({
      createdAt: '2024-06-30T22:00:00.000Z',
      closedAt: '2024-07-02T06:00:00.000Z',
    });
    expect(result.checked?.messages.map((m) => m.occurredAt)).toEqual([
      '2024-07-01T10:00:00.000Z',
      '2024-07-01T12:00:00.000Z',
    ]);
  });

  it('a time that the zone skipped is an error', () => {
    const result = check(shaped({ ...TICKET, createdAt: '2024-03-31T02:30:00' }, [FROM_CUSTOMER]), {
      timezone: 'Europe/Berlin',
    });
    expect(told(result)).toEqual(['error invalid-time createdAt']);
  });

  it('impossible rules are told before the first ticket', () => {
    expect(() => check(shaped(TICKET), { timezone: 'Nowhere' })).toThrow('not a time zone');
    expect(() => check(shaped(TICKET), { missingCreatedAt: 'soon' })).toThrow('is not a UTC time');
  });
});

describe('rules of the target', () => {
  it.each([
    [{ tag: '' }, {}, undefined],
    [{ tag: '' }, { tags: [] }, undefined],
    [{ tag: 'moved' }, { tags: ['a', 'moved'] }, ['a', 'moved']],
    [{ sourceTag: 'source:{id}' }, {}, ['imported', 'source:T-1']],
  ])('tags (%#)', (rules, ticket, tags) => {
    expect(check(shaped({ ...TICKET, ...ticket }, [FROM_CUSTOMER]), rules).checked?.ticket.tags).toEqual(
      tags,
    );
  });

  it('an external id is put into the source tag as it is', () => {
    const result = check(shaped(TICKET, [], [], { externalId: "$&$1{id}$'" }), { sourceTag: 's:{id}' });
    expect(result.checked?.ticket.tags).toEqual(['imported', "s:$&$1{id}$'"]);
  });

  it('readOnly and managedBy of the settings stand over those of the export', () => {
    const ticket = shaped({ ...TICKET, readOnly: true, managedBy: 'x' }, [FROM_CUSTOMER]);
    expect(check(ticket, { readOnly: false, managedBy: 'Old' }).checked?.ticket).toMatchObject({
      readOnly: false,
      managedBy: 'Old',
    });
    expect(check(ticket).checked?.ticket).toMatchObject({ readOnly: true, managedBy: 'x' });
  });

  it.each(['status_change', 'status_changed', ' status_change '])(
    'a status change spelled %j goes out as the target spells it, with statuses alone',
    (type) => {
      const event = { ...STATUS_CHANGE, type, oldValue: { status: 'open', by: 'x' } };
      const result = check(shaped(TICKET, [FROM_CUSTOMER], [event]), { statusChangeType: 'status_changed' });
      expect(result.checked?.events[0]).toMatchObject({
        type: 'status_changed',
        oldValue: { status: 'open' },
      });
      expect(result.checked?.events[0]?.oldValue).toStrictEqual({ status: 'open' });
    },
  );

  it('events of customers go out without a contact id, unless the settings say that the target refuses them', () => {
    const event = { ...STATUS_CHANGE, actorType: 'customer', agentId: undefined };
    const strict = { customerEvents: 'reject' } as const;
    expect(check(shaped(TICKET, [FROM_CUSTOMER], [event])).problems).toEqual([]);
    expect(check(shaped(TICKET, [FROM_CUSTOMER], [event]), strict).checked).toBeUndefined();
    expect(check(shaped(TICKET, [FROM_CUSTOMER], [{ ...event, contactId: 'c' }]), strict).problems).toEqual(
      [],
    );
  });

  it.each([
    ['createdAt', TICKET, { createdAt: '2025-06-02T12:00:01Z' }],
    ['resolvedAt', TICKET, { resolvedAt: '2030-01-01T00:00:00Z' }],
  ])('a %s in the future is told and sent', (field, ticket, part) => {
    const result = check(shaped({ ...ticket, ...part }, [FROM_CUSTOMER]));
    expect(result.problems).toContainEqual(
      expect.objectContaining({ severity: 'warning', code: 'time-in-future', field }),
    );
    expect(result.checked).toBeDefined();
  });

  it('an attachment stands for a missing body', () => {
    const message = { ...FROM_CUSTOMER, content: undefined, attachments: [{ url: 'http://h.example/a' }] };
    const result = check(shaped(TICKET, [message, { ...message, content: ' ' }]));
    expect(result.problems).toEqual([]);
    expect(result.checked?.messages.map((m) => m.content)).toEqual(['', ' ']);
  });

  it('what an exclude rule leaves out is counted and not judged', () => {
    const result = check(shaped({ status: 'x' }, [{ isInternal: true }], [{}], { excluded: 'spam' }));
    expect(result).toEqual({
      seq: 7,
      externalId: 'T-1',
      problems: [],
      contacts: [],
      names: [],
      mapped: [],
      messages: 1,
      internal: 1,
      events: 1,
      attachments: 0,
      attachmentBytes: 0,
    });
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
    const result = check(shaped(ticket, [FROM_CUSTOMER], [event]));
    expect(result.checked?.ticket).not.toHaveProperty('status');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(result.checked?.events[0]?.newValue).toMatchObject({ a: 1 });
  });

  it('a value nested without end is a problem and no crash', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    const result = check(shaped(TICKET, [FROM_CUSTOMER], [{ ...STATUS_CHANGE, type: 'x', newValue: deep }]));
    expect(told(result)).toEqual(['error invalid-type events[0].newValue']);
  });

  it('a message or event that is no object is a problem and no crash', () => {
    const result = check(shaped(TICKET, ['text', null, FROM_CUSTOMER], [7, []]));
    expect(told(result)).toEqual([
      'error invalid-type messages[0]',
      'error invalid-type messages[1]',
      'error invalid-type events[0]',
      'error invalid-type events[1]',
    ]);
  });

  it('a value of any length is shown shortened', () => {
    const result = check(shaped({ ...TICKET, status: 'x'.repeat(1_000_000) }, [FROM_CUSTOMER]));
    expect(result.problems[0]?.message.length).toBeLessThan(200);
  });
});

describe('fingerprints', () => {
  const of = (...record: Parameters<typeof shaped>) => check(shaped(...record)).checked?.fingerprints;
  const base = of(TICKET, [FROM_CUSTOMER], [STATUS_CHANGE]);

  it('are 64 bits of hex each', () => {
    for (const digits of Object.values(base ?? {})) expect(digits).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set(Object.values(base ?? {})).size).toBe(3);
  });

  it.each<[string, Parameters<typeof shaped>]>([
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
  ])('do not change with %s', (_, record) => {
    expect(of(...record)).toEqual(base);
  });

  it('do not change with the order of keys in a value that is passed through', () => {
    const event = (newValue: object) => [{ ...STATUS_CHANGE, type: 'x', newValue }];
    expect(of(TICKET, [], event({ a: 1, b: { c: 2, d: 3 } }))).toEqual(
      of(TICKET, [], event({ b: { d: 3, c: 2 }, a: 1 })),
    );
  });

  it.each<[keyof NonNullable<typeof base>, Parameters<typeof shaped>]>([
    ['ticket', [{ ...TICKET, subject: 'Other' }, [FROM_CUSTOMER], [STATUS_CHANGE]]],
    ['messages', [TICKET, [{ ...FROM_CUSTOMER, content: 'Help?' }], [STATUS_CHANGE]]],
    ['messages', [TICKET, [], [STATUS_CHANGE]]],
    ['events', [TICKET, [FROM_CUSTOMER], []]],
  ])('of the %s changes when it changes, and no other', (part, record) => {
    expect({ ...of(...record), [part]: undefined }).toEqual({ ...base, [part]: undefined });
    expect(of(...record)?.[part]).not.toBe(base?.[part]);
  });
});
