import { expect, it } from 'vitest';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { channelsOf } from '../../src/import/target.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const { signal } = new AbortController();
const never = (given: AbortSignal) =>
  new Promise<never>((_, reject) => given.addEventListener('abort', () => reject(given.reason)));

it('channels that a target does not tell soon are not waited for', async () => {
  const clock = createFakeClock();
  const asked = channelsOf({ channels: never }, clock, signal);
  await clock.advance(5_000);
  expect(await asked).toEqual([]);
  expect(clock.sleeping()).toBe(0);
});

it('nor are they needed: a refusal is no channels', async () => {
  const refused = new ApiFailure('target-unreadable', 'none', 'No.', { status: 404 });
  const clock = createFakeClock();
  expect(await channelsOf({ channels: () => Promise.reject(refused) }, clock, signal)).toEqual([]);
  expect(await channelsOf({ channels: async () => undefined }, clock, signal)).toEqual([]);
  expect(await channelsOf({ channels: async () => [{ id: 'c' }] }, clock, signal)).toEqual([{ id: 'c' }]);
  expect(clock.sleeping()).toBe(0);
});

it('who stops is told so', async () => {
  const stop = new AbortController();
  const asked = channelsOf({ channels: never }, createFakeClock(), stop.signal);
  stop.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
});
