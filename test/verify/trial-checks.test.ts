import { describe, expect, it } from 'vitest';
import {
  ApiFailure,
  type ApiFailureCode,
  type Snapshot,
  type TicketApi,
} from '../../src/domain/ticket-api.ts';
import type { AttachmentProbe, ProbeOutcome } from '../../src/verify/attachment-probe.ts';
import { type CheckName, mergeChecks, NOT_REPORTED } from '../../src/verify/check.ts';
import { checkTrial, type SentTicket } from '../../src/verify/read-back.ts';

const { signal } = new AbortController();

function sentTicket(n: number, email = `customer${n}@example.com`): SentTicket {
  const at = `2025-02-0${n}T10:00:00.000Z`;
  return {
    externalId: `ext-${n}`,
    ticketId: `tkt_${n}`,
    ticket: { subject: `Subject ${n}`, contact: { email }, createdAt: at, tags: ['imported'] },
    messages: [
      {
        actorType: 'customer',
        content: 'Where is it?',
        contact: { email },
        occurredAt: at,
        attachments: [{ url: `https://files.example.com/${n}.pdf` }],
      },
      {
        actorType: 'agent',
        agentId: 'agt_01',
        content: 'On its way.',
        occurredAt: `2025-02-0${n}T11:00:00.000Z`,
      },
    ],
    events: [
      {
        type: 'status_change',
        oldValue: { status: 'open' },
        newValue: { status: 'closed' },
        actorType: 'system',
        occurredAt: `2025-02-0${n}T12:00:00.000Z`,
      },
    ],
  };
}

/** A helpdesk that holds what it was sent, by default, and keeps a ledger of what was read. */
function target(tickets: readonly SentTicket[], change: Partial<TicketApi> = {}) {
  const reads: string[] = [];
  const find = (id: string) => tickets.find((sent) => sent.ticketId === id) as SentTicket;
  const never = () => Promise.reject(new Error('A check sends nothing.'));
  const snapshot = (value: object, id: string) => ({ ...value, id }) as Snapshot;
  const idOf = (email: string | undefined) => (email === undefined ? undefined : `con_${email}`);
  const api: TicketApi = {
    createTicket: never,
    updateTicket: never,
    replaceMessages: never,
    replaceEvents: never,
    readMessage: never,
    findContacts: never,
    findTickets: never,
    countTickets: never,
    whoIs: never,
    findAgent: never,
    readTicket: async (id) => {
      reads.push(id);
      const { ticket } = find(id);
      return snapshot({ ...ticket, contactId: idOf(ticket.contact?.email) }, id);
    },
    readMessages: async (id) =>
      find(id).messages.map((message, n) =>
        snapshot({ ...message, contactId: idOf(message.contact?.email) }, `m${n}`),
      ),
    readEvents: async (id) => find(id).events.map((event, n) => snapshot(event, `e${n}`)),
    ...change,
  };
  return { api, reads };
}

const failing = (code: ApiFailureCode, status?: number) => async () => {
  throw new ApiFailure(code, 'none', 'The helpdesk says no.', status === undefined ? {} : { status });
};

function probeOf(outcomes: Record<string, ProbeOutcome>): AttachmentProbe & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    probe: async (urls) => {
      const distinct = [...new Set(urls)];
      asked.push(...distinct);
      return new Map(
        distinct.map((url) => [url, { url, outcome: outcomes[url] ?? 'reachable', detail: `About ${url}.` }]),
      );
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const failed = (checks: readonly { name: string; ok: boolean }[]) =>
  checks.filter((check) => !check.ok).map((check) => check.name);

describe('the checks of a trial', () => {
  it('a trial that came over whole passes, each ticket read once', async () => {
    const tickets = [sentTicket(1), sentTicket(2)];
    const { api, reads } = target(tickets);
    const result = await checkTrial(tickets, api, probeOf({}), signal);
    expect(result.tickets.map(({ externalId, checks }) => [externalId, failed(checks)])).toEqual([
      ['ext-1', []],
      ['ext-2', []],
    ]);
    expect(result.tickets[0]?.checks.map((check) => check.name)).toEqual(
      expect.arrayContaining([
        'message order',
        'customer',
        'timestamps',
        'attachment accessibility',
        'events',
      ]),
    );
    expect(result.attachments).toEqual({ checked: 2, unreachable: 0 });
    expect(reads).toEqual(['tkt_1', 'tkt_2']);
  });

  it('attachments are asked for once each, and what cannot be opened fails its ticket only', async () => {
    const tickets = [sentTicket(1), sentTicket(2), sentTicket(1)];
    const probe = probeOf({ 'https://files.example.com/1.pdf': 'forbidden' });
    const result = await checkTrial(tickets, target(tickets).api, probe, signal);
    expect(probe.asked).toHaveLength(2);
    expect(result.attachments).toEqual({ checked: 2, unreachable: 1 });
    expect(result.tickets.map(({ checks }) => failed(checks))).toEqual([
      ['attachment accessibility'],
      [],
      ['attachment accessibility'],
    ]);
  });

  it('attachments that were not asked for fail nothing and are not counted', async () => {
    const tickets = [sentTicket(1)];
    const probe = probeOf({ 'https://files.example.com/1.pdf': 'not-checked' });
    const result = await checkTrial(tickets, target(tickets).api, probe, signal);
    expect(result.attachments).toEqual({ checked: 0, unreachable: 0 });
    expect(failed(result.tickets[0]?.checks ?? [])).toEqual([]);
    const without = await checkTrial(tickets, target(tickets).api, undefined, signal);
    expect(without.tickets[0]?.checks.map((check) => check.name)).not.toContain('attachment accessibility');
  });

  const hidden = failing('target-unreadable', 405);
  const broken = failing('unknown-outcome', 500);
  const answered = { subject: 'Subject 1', createdAt: '2025-06-01T00:00:00Z' };
  it.each<[string, Partial<TicketApi>, SentTicket['created'], string[], RegExp]>([
    ['that cannot be read', { readTicket: hidden }, undefined, [], /^Nothing was compared/],
    [
      'that cannot be read has what it answered to the create',
      { readTicket: hidden },
      answered,
      ['timestamps'],
      /only what it answered to the create/,
    ],
    [
      'that shows tickets and not their messages',
      { readMessages: hidden, readEvents: hidden },
      undefined,
      [],
      /messages and events cannot be read/,
    ],
    ['whose ticket fails', { readTicket: broken }, undefined, ['read back'], /says no/],
    ['whose messages fail', { readMessages: broken }, undefined, ['read back'], /says no/],
    ['whose events fail', { readEvents: broken }, undefined, ['read back'], /says no/],
  ])('a helpdesk %s is compared as far as it goes', async (_, change, created, names, detail) => {
    const sent = { ...sentTicket(1), created };
    const { tickets } = await checkTrial([sent], target([sent], change).api, undefined, signal);
    const { checks } = tickets[0] ?? { checks: [] };
    expect(failed(checks)).toEqual(names);
    expect(checks.find(({ name }) => name === 'read back')?.detail).toMatch(detail);
    expect(checks.map(({ name }) => name)).not.toContain('message order');
  });

  it('a ticket that is gone from a helpdesk that shows the others is a failure', async () => {
    const tickets = [sentTicket(1), sentTicket(2)];
    const { api } = target(tickets);
    const readTicket: TicketApi['readTicket'] = (id, s) =>
      id === 'tkt_1' ? failing('target-unreadable', 404)() : api.readTicket(id, s);
    const result = await checkTrial(tickets, { ...api, readTicket }, undefined, signal);
    expect(result.tickets.map(({ checks }) => failed(checks))).toEqual([['read back'], []]);
  });

  it.each(['auth', 'unreachable', 'cut-off'] as const)('%s concerns the whole run', async (code) => {
    const sent = sentTicket(1);
    const { api } = target([sent], { readTicket: failing(code) });
    await expect(checkTrial([sent], api, undefined, signal)).rejects.toMatchObject({ code });
  });

  it('an abort is passed on with its reason', async () => {
    const controller = new AbortController();
    const sent = sentTicket(1);
    const { api } = target([sent], {
      readTicket: async () => {
        controller.abort(new Error('stop'));
        throw new ApiFailure('refused', 'none', 'no');
      },
    });
    await expect(checkTrial([sent], api, undefined, controller.signal)).rejects.toThrow('stop');
  });

  it.each<[string, readonly string[], (id: string) => object]>([
    ['one address with two contacts', ['a@x.example', 'a@x.example'], (id) => ({ contactId: `con_${id}` })],
    ['one contact for two addresses', ['a@x.example', 'b@x.example'], () => ({ contactId: 'con_same' })],
  ])('%s is found across tickets', async (_, [first, second], change) => {
    const tickets = [sentTicket(1, first), sentTicket(2, second)];
    const { api } = target(tickets, { readMessages: failing('target-unreadable') });
    const readTicket: TicketApi['readTicket'] = async (id, s) => ({
      ...(await api.readTicket(id, s)),
      ...change(id),
    });
    const result = await checkTrial(tickets, { ...api, readTicket }, undefined, signal);
    expect(result.tickets.map(({ checks }) => failed(checks))).toEqual([[], ['customer']]);
  });
});

it('checks of one name are one, which fails if any of them fails, and says which values are reported', () => {
  const check = (name: CheckName, ok: boolean, detail: string) => ({ name, ok, detail });
  expect(
    mergeChecks([
      check('timestamps', true, 'Good.'),
      check('timestamps', false, 'Bad.'),
      check('subject', true, NOT_REPORTED),
      check('timestamps', true, NOT_REPORTED),
      check('authors', true, NOT_REPORTED),
      check('authors', true, 'Good.'),
    ]),
  ).toEqual([
    check('subject', true, NOT_REPORTED),
    check('timestamps', false, 'Bad.'),
    check('authors', true, 'Good.'),
  ]);
});
