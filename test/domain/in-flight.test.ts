import { expect, it } from 'vitest';
import { BOUNDS, InFlight } from '../../src/domain/limits.ts';

it('answers that are received at once share one budget: the oldest goes on, the others wait for room', async () => {
  const budget = new InFlight(BOUNDS.inFlight.most / 2 ** 20);
  const [first, second, third, queued] = [{}, {}, {}, {}];
  expect([budget.take(first, 100), budget.take(first, 200)]).toEqual([true, true]);
  expect([budget.take(second, 1), budget.take(third, 1), budget.take(queued, 0)]).toEqual([
    false,
    false,
    false,
  ]);
  const done: string[] = [];
  const waits = [
    budget.turn(second).then(() => done.push('second')),
    budget.turn(third).then(() => done.push('third')),
  ];
  await Promise.resolve();
  expect(done).toEqual([]);
  budget.release(first);
  await Promise.all(waits);
  expect(done).toEqual(['second', 'third']);
  expect(budget.take(third, 200)).toBe(false);
  budget.release(second);
  expect(budget.take(third, 500)).toBe(true);
});

it('an answer that is given up while it waits does not wait for ever', async () => {
  const budget = new InFlight(2);
  const [first, second] = [{}, {}];
  budget.take(first, 2);
  budget.take(second, 2);
  const turn = budget.turn(second);
  budget.release(second);
  await turn;
  expect(budget.take(first, 1)).toBe(true);
});
