import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventCandidate } from '../../src/check/event-candidate.ts';
import { Findings, type Place } from '../../src/check/findings.ts';
import { messageCandidate } from '../../src/check/message-candidate.ts';
import { plainEvent, plainMessage, plainTicket } from '../../src/check/plainly-good.ts';
import { eventPayloadSchema, messagePayload, ticketPayload } from '../../src/check/schemas.ts';
import { ticketCandidate } from '../../src/check/ticket-candidate.ts';
import { createTimeRules } from '../../src/check/times.ts';
import { FROM_AGENT, FROM_CUSTOMER, RULES, refAt, STATUS_CHANGE, shaped, TICKET } from './shaped.ts';

const times = createTimeRules(RULES);
const place: Place = { ref: refAt(1), index: 0 };
const findings = () => new Findings(shaped({}), RULES.fileName);

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

const aMessage = fc.record(
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
  { requiredKeys: [] },
);
const anEvent = fc.record(
  {
    occurredAt: aTime,
    type: mostly('status_change', 'status_changed', 'agent_assigned'),
    oldValue: mostly({ status: 'open' }, { status: 'closed', by: 'x' }, { status: 'gone' }),
    newValue: mostly({ status: 'pending' }, { status: 'resolved' }),
    actorType: mostly('customer', 'agent', 'system'),
    agentId: anId,
    contactId: anId,
  },
  { requiredKeys: [] },
);
const aTicket = fc.record(
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
  { requiredKeys: [] },
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
