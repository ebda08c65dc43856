import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check, FROM_CUSTOMER, mapped, reported, STATUS_CHANGE, TICKET } from './mapped.ts';

describe('missing times', () => {
  const plain = { actorType: 'system', content: 'x' };
  const at = (occurredAt: string) => ({ ...plain, occurredAt });
  const untimed = { subject: 'x', contactId: 'c' };

  it('a missing createdAt is the earliest time of a message, wherever that is', () => {
    const result = check(
      mapped(untimed, [
        at('2024-05-03T00:00:00Z'),
        at('2024-05-01T00:00:00+02:00'),
        at('2024-05-02T00:00:00Z'),
      ]),
    );
    expect(result.problems).toEqual([]);
    expect(result.checked?.ticket.createdAt).toBe('2024-04-30T22:00:00.000Z');
  });

  it('a missing createdAt is not complained of if a message with a bad time would give it', () => {
    expect(reported(check(mapped(untimed, [at('soon')])))).toEqual([
      'error invalid-time messages[0].occurredAt',
    ]);
  });

  it.each([
    ['reject', undefined],
    ['previous', ['A 00', 'B 09', 'C 09', 'D 09']],
  ] as const)('missingTimes "%s"', (missingTimes, order) => {
    const result = check(
      mapped({ ...untimed, createdAt: '2024-05-01T00:00:00Z' }, [
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
    const result = check(mapped(untimed, [plain], [{ ...STATUS_CHANGE, occurredAt: undefined }]), rules);
    expect(result.problems).toEqual([]);
    expect(result.checked?.ticket.createdAt).toBe('2020-01-01T00:00:00.000Z');
    expect(result.checked?.messages[0]?.occurredAt).toBe('2020-01-01T00:00:00.000Z');
    expect(result.checked?.events[0]?.occurredAt).toBe('2020-01-01T00:00:00.000Z');
  });

  it('a message without a time is no time for its ticket', () => {
    const result = check(mapped(untimed, [plain]), { missingTimes: 'previous' });
    expect(reported(result)).toEqual(['error missing-time createdAt']);
  });

  it('times without a zone are read in the zone of the settings', () => {
    const result = check(
      mapped({ ...TICKET, createdAt: '2024-07-01', closedAt: '2024-07-02 08:00:00' }, [
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
    const result = check(mapped({ ...TICKET, createdAt: '2024-03-31T02:30:00' }, [FROM_CUSTOMER]), {
      timezone: 'Europe/Berlin',
    });
    expect(reported(result)).toEqual(['error invalid-time createdAt']);
  });

  it('in any mixture are as written or as the rules say, and a wrong one rejects the ticket', () => {
    const at = (text: string, utc = text, isLocal = false) => ({ text, ms: Date.parse(utc), isLocal });
    const time = fc.constantFrom(
      { text: undefined, ms: undefined, isLocal: false },
      at('2024-05-01T12:00:00+02:00'),
      at('2024-05-02T09:00:00Z'),
      at('2024-05-03 09:00:00', '2024-05-03T07:00:00Z', true),
      at('2024-02-30T09:00:00Z', 'wrong'),
      at('soon', 'wrong'),
    );
    const fixed = '2020-01-01T00:00:00Z';
    fc.assert(
      fc.property(
        fc.tuple(time, fc.array(time, { maxLength: 4 }), fc.array(time, { maxLength: 2 })),
        fc.record({
          missingTimes: fc.constantFrom(undefined, 'reject' as const, 'previous' as const),
          missingCreatedAt: fc.constantFrom(undefined, fixed),
          timezone: fc.constantFrom(undefined, 'Europe/Berlin'),
        }),
        ([own, ofMessages, ofEvents], rules) => {
          const { problems, checked, made } = check(
            mapped(
              { ...untimed, createdAt: own.text },
              ofMessages.map(({ text }, n) => ({ ...plain, content: `${n}`, occurredAt: text })),
              ofEvents.map(({ text }, n) => ({ ...STATUS_CHANGE, type: `${n}`, occurredAt: text })),
            ),
            rules,
          );
          const read = ({ ms, isLocal }: typeof own) =>
            isLocal && rules.timezone === undefined ? Number.NaN : ms;
          const [messages, events] = [ofMessages.map(read), ofEvents.map(read)];
          const all = [read(own), ...messages, ...events];
          const earliest = messages.toSorted((a = 0, b = 0) => a - b)[0];
          const createdAt =
            read(own) ?? earliest ?? (rules.missingCreatedAt === undefined ? undefined : Date.parse(fixed));
          const isMissing = createdAt === undefined || [...messages, ...events].includes(undefined);
          const isWrong = all.some((ms) => Number.isNaN(ms));
          const isSent =
            !isWrong && createdAt !== undefined && (!isMissing || rules.missingTimes === 'previous');
          expect(checked !== undefined, JSON.stringify(problems)).toBe(isSent);
          if (isWrong)
            expect(problems.map(({ code }) => code).join()).toMatch(/invalid-time|time-without-zone/);
          const filled = (times: readonly (number | undefined)[]) => {
            let previous = createdAt;
            return times.map((ms) => {
              previous = ms ?? previous;
              return previous;
            });
          };
          if (checked === undefined) return;
          const sent = (name: 'content' | 'type', items: readonly object[]) =>
            (items as Record<string, string>[])
              .toSorted((a, b) => Number(a[name]) - Number(b[name]))
              .map(({ occurredAt = '' }) => Date.parse(occurredAt));
          expect(Date.parse(checked.ticket.createdAt)).toBe(createdAt);
          const said = read(own) !== undefined ? undefined : earliest === undefined ? 'set' : 'said';
          const untold = messages.filter((ms) => ms === undefined).length;
          expect([made?.created, made?.times ?? 0]).toEqual([said, untold]);
          expect(sent('content', checked.messages)).toEqual(filled(messages));
          expect(sent('type', checked.events)).toEqual(filled(events));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('impossible rules are reported before the first ticket', () => {
    expect(() => check(mapped(TICKET), { timezone: 'Nowhere' })).toThrow('not a time zone');
    expect(() => check(mapped(TICKET), { missingCreatedAt: 'soon' })).toThrow('is not a UTC time');
  });
});
