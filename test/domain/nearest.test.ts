import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from '../../src/domain/nearest.ts';

describe('nearest', () => {
  const statuses = ['open', 'pending', 'resolved', 'closed'];
  it.each([
    ['resolvd', statuses, 'resolved'],
    ['Resolved', statuses, 'resolved'],
    ['colsed', statuses, 'closed'],
    ['opne', statuses, 'open'],
    ['solved', statuses, 'resolved'],
    ['waiting', statuses, undefined],
    ['', statuses, undefined],
    ['x', statuses, undefined],
    ['batch_size', ['batchSize'], 'batchSize'],
    ['hgih', ['low', 'high'], 'high'],
    ['closedd', statuses, 'closed'],
    ['ab', ['ac', 'ad'], 'ac'],
    ['constructor', [], undefined],
  ])('%j among %j is %j', (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected);
  });

  it('a text of a megabyte is compared in no time', () => {
    expect(nearest('x'.repeat(1_000_000), Array(1000).fill('y'.repeat(1_000_000)))).toBeUndefined();
  });

  it('makes a sentence, or nothing', () => {
    expect(didYouMean('opne', statuses)).toBe(' Did you mean "open"?');
    expect(didYouMean('waiting', statuses)).toBe('');
  });
});
