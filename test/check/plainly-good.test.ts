import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventCandidate } from '../../src/check/event-candidate.ts';
import { Findings, type Place } from '../../src/check/findings.ts';
import { messageCandidate } from '../../src/check/message-candidate.ts';
import { plainEvent, plainMessage, plainTicket } from '../../src/check/plainly-good.ts';
import { quickEvent, quickMessage } from '../../src/check/quick-candidate.ts';
import { eventPayloadSchema, messagePayload, ticketPayload } from '../../src/check/schemas.ts';
import { ticketCandidate } from '../../src/check/ticket-candidate.ts';
import { createTimeRules } from '../../src/check/times.ts';
import { FROM_AGENT, FROM_CUSTOMER, mapped, RULES, refAt, STATUS_CHANGE, TICKET } from './mapped.ts';

const times = createTimeRules(RULES);
const place: Place = { ref: refAt(1), index: 0 };
const findings = () => new Findings(mapped({}), RULES.fileName);

/** Good values far more often than bad ones, so that plain records come up and so does everything beside them. */
const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  ' ',
  'x',
  7,
  true,
  [],
  {},
  'a\0b',
  '\ud800',
  'ann@example.com',
);
const mostly = (...good: unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>(...good) }, { weight: 1, arbitrary: odd });
const aTime = mostly('2024-05-01T10:00:00Z', '2024-05-01 12:00+02:00', '2024-05-01T10:00:00.123Z', undefined);
const aContact = mostly(
  undefined,
  { email: ' Ann@Example.com ', name: 'Ann' },
  { email: 'b@c.de' },
  { name: 'x' },
  { email: 'no' },
  { email: 'a@b.io', name: 5 },
);
const anId = mostly(undefined, undefined, 'id-1');

/**
 * Any of the keys, or a good record with one or two of them changed: by chance alone few records are good in every
 * key, and a comparison of the two ways needs many that both take.
 */
const aRecord = (keys: Record<string, fc.Arbitrary<unknown>>, ...good: object[]) =>
  fc.oneof(
    fc.record(keys, { requiredKeys: [] }),
    fc
      .tuple(fc.constantFrom(...good), fc.record(keys), fc.subarray(Object.keys(keys), { maxLength: 2 }))
      .map(([start, values, changed]) => ({
        ...start,
        ...Object.fromEntries(changed.map((key) => [key, values[key]])),
      })),
  );

const aMessage = aRecord(
  {
    isInternal: mostly(undefined, true, false),
    actorType: mostly('customer', 'agent', 'system'),
    content: mostly('Help!', '東京', 'long '.repeat(50)),
    contact: aContact,
    contactId: anId,
    agentId: anId,
    contentType: mostly(undefined, 'text', 'html'),
    occurredAt: aTime,
    attachments: fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      odd,
      fc.constant([{ url: 'https://a.b/c' }]),
    ),
  },
  FROM_CUSTOMER,
  FROM_AGENT,
);
const anEvent = aRecord(
  {
    occurredAt: aTime,
    type: mostly('status_change', 'status_changed', 'agent_assigned'),
    oldValue: mostly({ status: 'open' }, { status: 'closed', by: 'x' }, { status: 'gone' }),
    newValue: mostly({ status: 'pending' }, { status: 'resolved' }),
    actorType: mostly('customer', 'agent', 'system'),
    agentId: anId,
    contactId: anId,
  },
  STATUS_CHANGE,
);
const aTicket = aRecord(
  {
    closedAt: aTime,
    subject: mostly('Printer on fire', ' é '),
    contact: aContact,
    contactId: anId,
    status: mostly(undefined, 'open', 'closed'),
    priority: mostly(undefined, 'low', 'urgent'),
    tags: mostly(undefined, [], ['a', 'b'], ['a', 4]),
    customerId: anId,
    appId: anId,
    assignedToId: anId,
    createdAt: aTime,
    resolvedAt: aTime,
    readOnly: mostly(undefined, true),
    managedBy: mostly(undefined, 'Jira'),
  },
  TICKET,
);

/** What the quick look takes, the schema takes too, and makes the same of it: in the same order, for fingerprints. */
function expectAgreement(quick: unknown, parsed: { success: boolean; data?: unknown }): void {
  if (quick === undefined) return;
  expect(parsed.success).toBe(true);
  expect(JSON.stringify(quick)).toBe(JSON.stringify(parsed.data));
}

describe('records that are plainly good', () => {
  it('messages: the quick look takes none that the schema refuses, and makes the same of it', () => {
    fc.assert(
      fc.property(aMessage, (value) => {
        const item = messageCandidate({ value, ref: refAt(1) }, 0, times, findings());
        expectAgreement(plainMessage(item, item.contact), messagePayload.safeParse(item.candidate));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([true, false])('events, where a customer needs a contact id: %s', (needed) => {
    const schema = eventPayloadSchema({
      statusChangeTypes: ['status_change'],
      customerNeedsContactId: needed,
    });
    fc.assert(
      fc.property(anEvent, (value) => {
        const item = eventCandidate({ value, ref: refAt(1) }, 0, 'status_change', times, findings());
        expectAgreement(plainEvent(item, 'status_change', needed), schema.safeParse(item.candidate));
      }),
      { numRuns: 2000 },
    );
  });

  it('tickets: likewise', () => {
    fc.assert(
      fc.property(aTicket, (value) => {
        const ticket = ticketCandidate(value, 'T-1', RULES, times, place, findings());
        expectAgreement(plainTicket(ticket, ticket.createdAt), ticketPayload.safeParse(ticket.candidate));
      }),
      { numRuns: 2000 },
    );
  });

  it('the ordinary ones never reach the schemas', () => {
    for (const value of [FROM_CUSTOMER, FROM_AGENT]) {
      const item = messageCandidate({ value, ref: refAt(1) }, 0, times, findings());
      expect(plainMessage(item, item.contact)).toBeDefined();
    }
    const event = eventCandidate(
      { value: STATUS_CHANGE, ref: refAt(1) },
      0,
      'status_change',
      times,
      findings(),
    );
    expect(plainEvent(event, 'status_change', false)).toBeDefined();
    const ticket = ticketCandidate(TICKET, 'T-1', RULES, times, place, findings());
    expect(plainTicket(ticket, ticket.createdAt)).toBeDefined();
  });
});

describe('what is judged in one go', () => {
  it('a message comes out as the careful way makes it, and the careful way has nothing to tell of it', () => {
    let quick = 0;
    fc.assert(
      fc.property(aMessage, (value) => {
        const item = { value, ref: refAt(3) };
        const judged = quickMessage(item, 0, times);
        if (judged === undefined) return;
        quick++;
        const told = findings();
        const careful = messageCandidate(item, 0, times, told);
        const payload = messagePayload.safeParse(careful.candidate);
        expect(told.problems).toEqual([]);
        expect(JSON.stringify(judged.payload)).toBe(JSON.stringify(payload.data));
        expect([judged.at, judged.contact, judged.place]).toEqual([
          careful.at,
          careful.contact,
          careful.place,
        ]);
      }),
      { numRuns: 2000 },
    );
    expect(quick).toBeGreaterThan(200);
  });

  it('and so does a status change', () => {
    let quick = 0;
    fc.assert(
      fc.property(
        anEvent,
        fc.boolean(),
        fc.constantFrom('status_change', 'status'),
        (value, needed, type) => {
          const item = { value, ref: refAt(3) };
          const judged = quickEvent(item, 0, type, needed, times);
          if (judged === undefined) return;
          quick++;
          const told = findings();
          const careful = eventCandidate(item, 0, type, times, told);
          const schema = eventPayloadSchema({ statusChangeTypes: [type], customerNeedsContactId: needed });
          expect(told.problems).toEqual([]);
          expect(JSON.stringify(judged.payload)).toBe(JSON.stringify(schema.parse(careful.candidate)));
          expect([judged.at, judged.place]).toEqual([careful.at, careful.place]);
        },
      ),
      { numRuns: 2000 },
    );
    expect(quick).toBeGreaterThan(200);
  });

  it('a message of the usual kind is', () => {
    expect(quickMessage({ value: FROM_CUSTOMER, ref: refAt(1) }, 0, times)).toBeDefined();
    expect(quickMessage({ value: FROM_AGENT, ref: refAt(1) }, 0, times)).toBeDefined();
    expect(
      quickEvent({ value: STATUS_CHANGE, ref: refAt(1) }, 0, 'status_change', false, times),
    ).toBeDefined();
  });

  it.each([
    ['a time in the future', { ...FROM_AGENT, occurredAt: '2999-01-01T00:00:00Z' }],
    ['a time from before helpdesks', { ...FROM_AGENT, occurredAt: '1970-01-01T00:00:00Z' }],
    ['no time', { ...FROM_AGENT, occurredAt: undefined }],
    ['half a surrogate pair', { ...FROM_AGENT, content: 'a\ud800' }],
    ['NUL', { ...FROM_AGENT, content: 'a\0b' }],
    ['attachments', { ...FROM_AGENT, attachments: [{ url: 'https://a.example/b' }] }],
  ])('a message with %s is looked at carefully', (_, value) => {
    expect(quickMessage({ value, ref: refAt(1) }, 0, times)).toBeUndefined();
  });
});
