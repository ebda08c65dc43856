import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Definition, define, defineList } from '../../src/check/definition.ts';
import {
  acceptedTimes,
  eventFields,
  eventRules,
  messageFields,
  messageRules,
  oneContact,
  ticketFields,
  ticketPayload,
  time,
  type Without,
} from '../../src/check/payloads.ts';
import {
  type EventPayload,
  type MessagePayload,
  STATUS_CHANGE_TYPES,
  type TicketPayload,
} from '../../src/domain/payload.ts';

/** As the service accepts them: times may be left out. */
const ticketBody = define<Without<TicketPayload, 'createdAt'>>({ ...ticketFields, ...acceptedTimes }, [
  oneContact,
]);
const occurredAt = time.optional();
const messagesBody = defineList(
  define<Without<MessagePayload, 'occurredAt'>>({ ...messageFields, occurredAt }, messageRules),
);
const eventsBody = defineList(
  define<Without<EventPayload, 'occurredAt'>>(
    { ...eventFields, occurredAt },
    eventRules(STATUS_CHANGE_TYPES),
  ),
);

import { check, FROM_AGENT, FROM_CUSTOMER, mapped, STATUS_CHANGE, TICKET } from './mapped.ts';

const faultsOf = (definition: Definition<unknown>, body: unknown): string[] => {
  const judged = definition.judge(body);
  return 'faults' in judged ? judged.faults.map(({ path }) => path) : [];
};

describe('definitions of the specification', () => {
  const accepted: [string, Definition<unknown>, unknown][] = [
    ['2.1 subject alone', ticketBody, { subject: 'x' }],
    ['2.1 contactId', ticketBody, { subject: 'x', contactId: 'c' }],
    ['2.1 an untrimmed address', ticketBody, { subject: 'x', contact: { email: ' A@B.example ' } }],
    ['2.2 an empty list', messagesBody, []],
    ['2.2 no time', messagesBody, [{ actorType: 'system', content: 'x' }]],
    [
      '2.2 customer with contact',
      messagesBody,
      [{ actorType: 'customer', content: 'x', contact: { email: 'a@b.example' } }],
    ],
    ['2.2 customer with contactId', messagesBody, [{ actorType: 'customer', content: 'x', contactId: 'c' }]],
    ['2.2 agent', messagesBody, [FROM_AGENT]],
    ['2.2 a message that is kept', messagesBody, [{ ...FROM_AGENT, id: 'm' }]],
    ['2.3 url alone', messagesBody, [{ ...FROM_AGENT, attachments: [{ url: 'https://h.example/f' }] }]],
    ['2.4 status change', eventsBody, [STATUS_CHANGE]],
    ['2.4 as deployed', eventsBody, [{ ...STATUS_CHANGE, type: 'status_changed' }]],
    [
      '2.4 another type',
      eventsBody,
      [{ type: 'team_assigned', actorType: 'system', newValue: { any: ['thing'] } }],
    ],
  ];
  it.each(accepted)('accept %s', (_, schema, body) => {
    expect(schema.judge(body)).toEqual({ record: body });
  });

  it('tell of rules over several fields even where single fields are wrong', () => {
    expect(faultsOf(messagesBody, [{ actorType: 'agent', content: 7, contentType: 'x' }])).toEqual([
      '[0].content',
      '[0].contentType',
      '[0].agentId',
    ]);
  });

  it('a record is given back with its fields in the order of the definition, as fingerprints are taken of its text', () => {
    const { createdAt, subject, contact } = TICKET;
    const judged = ticketPayload.judge({ createdAt, tags: ['a'], contact, subject });
    expect(JSON.stringify(judged)).toBe(
      JSON.stringify({ record: { subject, contact, tags: ['a'], createdAt } }),
    );
  });
});

describe('the checker and the definitions', () => {
  /** A good record with up to three fields changed, for better or worse. */
  const changed = (record: object, values: Record<string, readonly unknown[]>) => {
    const changes = Object.entries(values).flatMap(([key, list]) =>
      [...list, undefined].map((value) => [key, value] as const),
    );
    return fc
      .array(fc.constantFrom(...changes), { maxLength: 3 })
      .map((some) => ({ ...record, ...Object.fromEntries(some) }) as Record<string, unknown>);
  };
  const times = ['2024-05-01T12:00:00+0200', ' 2024-05-01 10:00Z', '2024-05-01', 'soon', 3];
  const contacts = [
    { email: ' Ann@Example.com' },
    { email: 'b@c.example', name: 'B' },
    { email: 'x' },
    { name: 'A' },
    'x',
  ];
  const ticket = changed(TICKET, {
    subject: ['x', ' ', 'half \ud800', 3],
    contact: contacts,
    contactId: ['', 'c', 4],
    status: ['open', 'closed', 'solved', null],
    priority: ['low', 'urgent', 'p1'],
    tags: [[], ['a', ' a ', ''], [null], 'a'],
    createdAt: times,
    resolvedAt: times,
    readOnly: [true, 'true'],
    managedBy: ['x', '', 1],
    stray: [1],
  });
  const message = fc.constantFrom(FROM_CUSTOMER, FROM_AGENT).chain((record) =>
    changed(record, {
      actorType: ['customer', 'agent', 'system', 'bot'],
      content: ['x', '', ' ', {}],
      contentType: ['html', 'rtf'],
      occurredAt: times,
      contact: contacts,
      contactId: ['c', ''],
      agentId: ['a', ' ', 5],
      isInternal: [true, 'no'],
      attachments: [
        [],
        [{ url: 'https://h.example/f' }],
        [{ url: 'x' }],
        [{ url: 'http://h.example', sizeBytes: -1 }],
        [5],
        'x',
      ],
    }),
  );
  const event = changed(STATUS_CHANGE, {
    type: ['status_changed', 'team_assigned', '', 4],
    oldValue: [{ status: 'pending' }, { status: 'x' }, {}, 'x'],
    newValue: [{ status: 'closed', more: 1 }, { any: ['\ud800'] }, null],
    actorType: ['customer', 'system', 'bot'],
    agentId: ['a', ''],
    contactId: ['c', ''],
    occurredAt: times,
  });

  it('the service accepts every payload that passes the checker', () => {
    let passed = 0;
    fc.assert(
      fc.property(
        ticket,
        fc.array(message, { maxLength: 2 }),
        fc.array(event, { maxLength: 1 }),
        (t, m, e) => {
          const result = check(mapped(t, m, e), { timezone: 'UTC', missingTimes: 'previous' });
          expect(result.checked === undefined).toBe(result.problems.some((p) => p.severity === 'error'));
          if (result.checked === undefined) return;
          passed++;
          const wire = JSON.parse(JSON.stringify(result.checked));
          expect(faultsOf(ticketBody, wire.ticket)).toEqual([]);
          expect(faultsOf(messagesBody, wire.messages)).toEqual([]);
          expect(faultsOf(eventsBody, wire.events)).toEqual([]);
          expect(wire.ticket.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        },
      ),
      { numRuns: 600 },
    );
    expect(passed).toBeGreaterThan(100);
  });
});
