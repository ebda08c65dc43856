import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Flights, type Flying } from '../../../src/target/http/flights.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function setUp() {
  const clock = createFakeClock();
  const flights = new Flights(clock, 1000);
  const reported: string[] = [];
  const flight = (name: string, signal: AbortSignal): Flying => ({
    signal,
    due: 0,
    onAbort: () => reported.push(`${name} aborted`),
    onDue: () => reported.push(`${name} due at ${clock.monotonic()}`),
  });
  return { clock, flights, reported, flight };
}

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('the requests under way', () => {
  it('fall due in their order, each after the same time, but for those that are over', async () => {
    const { clock, flights, reported, flight } = setUp();
    const { signal } = new AbortController();
    const started = clock.monotonic();
    const second = flight('second', signal);
    flights.add(flight('first', signal));
    await clock.advance(400);
    flights.add(second);
    flights.add(flight('third', signal));
    flights.remove(second);
    await clock.advance(3000);
    expect(reported).toEqual([`first due at ${started + 1000}`, `third due at ${started + 1400}`]);
    expect([clock.sleeping(), listeners(signal)]).toEqual([0, 0]);
  });

  it('end with their own signal, once, and others go on', async () => {
    const { clock, flights, reported, flight } = setUp();
    const [one, other] = [new AbortController(), new AbortController()];
    flights.add(flight('a', one.signal));
    flights.add(flight('b', other.signal));
    flights.add(flight('c', one.signal));
    one.abort();
    expect(reported).toEqual(['a aborted', 'c aborted']);
    await clock.advance(3000);
    expect(reported.slice(2).map((text) => text.split(' ')[0])).toEqual(['b']);
  });

  it('have one listener on a signal between them, and none when none is left', () => {
    const { flights, flight } = setUp();
    const [one, other] = [new AbortController().signal, new AbortController().signal];
    const all = [flight('a', one), flight('b', other), flight('c', one)];
    for (const each of all) flights.add(each);
    expect([listeners(one), listeners(other)]).toEqual([1, 1]);
    for (const each of all.slice(0, 2)) flights.remove(each);
    expect([listeners(one), listeners(other)]).toEqual([1, 0]);
    for (const each of all) flights.remove(each);
    expect([listeners(one), listeners(other)]).toEqual([0, 0]);
  });

  it('are dropped without a word, and their sleeper sent home', async () => {
    const { clock, flights, reported, flight } = setUp();
    const controller = new AbortController();
    flights.add(flight('a', controller.signal));
    flights.add(flight('b', controller.signal));
    flights.close();
    await clock.advance(0);
    controller.abort();
    await clock.advance(3000);
    expect([reported, clock.sleeping()]).toEqual([[], 0]);
  });

  it('wake a sleeper again when more come after all were over', async () => {
    const { clock, flights, reported, flight } = setUp();
    const { signal } = new AbortController();
    const first = flight('first', signal);
    flights.add(first);
    flights.remove(first);
    await clock.advance(1500);
    expect(clock.sleeping()).toBe(0);
    flights.add(flight('second', signal));
    await clock.advance(1000);
    expect(reported).toHaveLength(1);
  });
});
