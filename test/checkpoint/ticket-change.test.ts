import { describe, expect, it } from 'vitest';
import { changedRecord, type TicketChange } from '../../src/checkpoint/ticket-change.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { TicketRecord } from '../../src/domain/ledger.ts';
import {
  TICKET_EVENTS,
  TICKET_STATES,
  type TicketEventName,
  type TicketState,
} from '../../src/domain/ticket-state.ts';
import { INTENT, PRINTS, PROBLEM } from './scratch.ts';

/** A record as each state has it in a real checkpoint. */
const IN_STATE: Record<TicketState, TicketRecord> = {
  pending: { externalId: 't', state: 'pending', reached: 'nothing' },
  creating: { externalId: 't', state: 'creating', reached: 'nothing', fingerprints: PRINTS, intent: INTENT },
  created: { externalId: 't', state: 'created', reached: 'created', fingerprints: PRINTS, ticketId: 'T1' },
  messaged: { externalId: 't', state: 'messaged', reached: 'messaged', fingerprints: PRINTS, ticketId: 'T1' },
  done: { externalId: 't', state: 'done', reached: 'done', fingerprints: PRINTS, ticketId: 'T1' },
  rejected: { externalId: 't', state: 'rejected', reached: 'nothing', problem: PROBLEM },
  failed: { externalId: 't', state: 'failed', reached: 'nothing', fingerprints: PRINTS, problem: PROBLEM },
  inDoubt: {
    externalId: 't',
    state: 'inDoubt',
    reached: 'nothing',
    fingerprints: PRINTS,
    intent: INTENT,
    problem: PROBLEM,
  },
  skipped: { externalId: 't', state: 'skipped', reached: 'nothing', fingerprints: PRINTS },
};

const CHANGES: Record<TicketEventName, TicketChange> = {
  intend: { event: 'intend', intent: INTENT, fingerprints: PRINTS },
  created: { event: 'created', ticketId: 'T2' },
  adopted: { event: 'adopted', ticketId: 'T2' },
  messagesSent: { event: 'messagesSent' },
  eventsSent: { event: 'eventsSent' },
  refused: { event: 'refused', problem: PROBLEM },
  doubt: { event: 'doubt', problem: PROBLEM },
  rejected: { event: 'rejected', problem: PROBLEM },
  reopened: { event: 'reopened', fingerprints: PRINTS },
  fieldsSent: { event: 'fieldsSent', fields: 'ab' },
  notCreated: { event: 'notCreated' },
  resumed: { event: 'resumed' },
  left: { event: 'left' },
  released: { event: 'released' },
  undone: { event: 'undone' },
};

/** State × event → the new state; '-' where it is impossible. In the order of TICKET_EVENTS. */
const TABLE: Record<TicketState, string> = {
  //        intend created messagesSent eventsSent refused notCreated doubt adopted rejected reopened fieldsSent resumed left released undone
  pending: 'creating - - - - - - created rejected - - - skipped - -',
  creating: '- created - - failed pending inDoubt created - - - - - - -',
  created: '- - messaged done failed - - - - - - - - inDoubt pending',
  messaged: '- - - done failed - - - - - - - - inDoubt pending',
  done: '- - - - - - - - - created done - - inDoubt pending',
  // A rejected or failed ticket without a ticket id has nothing to go on from: `resumed` needs one.
  rejected: 'creating - - - - - - created rejected - - - skipped - -',
  failed: 'creating - - - failed - - created rejected - - - skipped - -',
  inDoubt: '- - - - failed pending inDoubt created - - - - skipped - -',
  skipped: '- - - - - pending - created - - - - - - -',
};

const OTHER = { ticket: 'a'.repeat(16), messages: 'b'.repeat(16), events: 'c'.repeat(16) };

describe('the record of a ticket', () => {
  const cases = TICKET_STATES.flatMap((state) => {
    const expected = TABLE[state].split(' ');
    expect(expected).toHaveLength(TICKET_EVENTS.length);
    return TICKET_EVENTS.map((event, at) => [state, event, expected[at]] as const);
  });

  it.each(cases)('%s × %s → %s', (state, event, expected) => {
    const change = () => changedRecord('t', IN_STATE[state], CHANGES[event]);
    if (expected === '-') {
      expect(change).toThrow(expect.objectContaining({ code: 'internal' }));
      expect(change).toThrow(AppError);
      return;
    }
    const after = change();
    expect(after.state).toBe(expected);
    expect(after.externalId).toBe('t');
    const hasIntent = ['creating', 'inDoubt'].includes(after.state) && event !== 'released';
    expect(after.intent !== undefined).toBe(hasIntent);
    expect(after.problem !== undefined).toBe(['failed', 'rejected', 'inDoubt'].includes(after.state));
    expect(after.ticketId !== undefined).toBe(after.reached !== 'nothing');
  });

  it('an unknown ticket is pending', () => {
    expect(changedRecord('t', undefined, CHANGES.intend).state).toBe('creating');
    expect(() => changedRecord('t', undefined, CHANGES.created)).toThrow(AppError);
  });

  it.each(['failed', 'rejected'] as const)(
    'a %s ticket that exists in the target is never created again',
    (state) => {
      const before: TicketRecord = { ...IN_STATE[state], ticketId: 'T1', reached: 'messaged' };
      expect(() => changedRecord('t', before, CHANGES.intend)).toThrow(AppError);
      expect(changedRecord('t', before, CHANGES.resumed)).toMatchObject({
        state: 'created',
        ticketId: 'T1',
        reached: 'messaged',
      });
    },
  );

  it('a failed ticket that exists in the target keeps its id when its data is rejected later', () => {
    const failed = changedRecord('t', IN_STATE.created, CHANGES.refused);
    const rejected = changedRecord('t', failed, CHANGES.rejected);
    expect(rejected).toMatchObject({ state: 'rejected', ticketId: 'T1', reached: 'created' });
  });

  it('a reopened ticket is marked until it is done', () => {
    const reopened = changedRecord('t', IN_STATE.done, CHANGES.reopened);
    expect(reopened).toMatchObject({ state: 'created', reached: 'created', ticketId: 'T1', reopened: true });
    // A crash now must not hide that the export differs from what the target has.
    expect(
      changedRecord('t', IN_STATE.done, { event: 'reopened', fingerprints: OTHER }).fingerprints,
    ).toEqual(PRINTS);
    const failed = changedRecord('t', reopened, CHANGES.refused);
    expect(failed.reopened).toBe(true);
    const messaged = changedRecord('t', reopened, CHANGES.messagesSent);
    expect(messaged.reopened).toBe(true);
    expect(changedRecord('t', messaged, CHANGES.eventsSent)).not.toHaveProperty('reopened');
  });

  it('a ticket whose id is taken back is in doubt, whatever it had reached', () => {
    const before: TicketRecord = { ...IN_STATE.done, thread: 'ab', origin: 'cd' };
    expect(changedRecord('t', before, CHANGES.released)).toEqual({
      externalId: 't',
      state: 'inDoubt',
      reached: 'nothing',
      fingerprints: PRINTS,
      origin: 'cd',
      problem: { code: 'released', message: 'It was ticket T1 of the target until that was taken back.' },
    });
  });

  it('the digest is that of what was sent last', () => {
    const sent = { ticket: 'a'.repeat(16), messages: 'b'.repeat(16), events: 'c'.repeat(16) };
    const messaged = changedRecord('t', IN_STATE.created, { event: 'messagesSent', sent });
    expect(messaged.fingerprints).toEqual({ ...PRINTS, messages: sent.messages });
    const done = changedRecord('t', messaged, { event: 'eventsSent', sent });
    expect(done.fingerprints).toEqual({ ...sent, ticket: PRINTS.ticket });
  });

  it('a long answer of the target is cut, also in the middle of a character', () => {
    const message = `${'x'.repeat(298)}😀${'y'.repeat(100)}`;
    const { problem } = changedRecord('t', IN_STATE.creating, {
      event: 'refused',
      problem: { ...PROBLEM, message },
    });
    expect(problem?.message.length).toBe(300);
    expect(problem?.message.isWellFormed()).toBe(true);
  });
});
