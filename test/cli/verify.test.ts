import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isInSample } from '../../src/commands/verify-import.ts';

it('the sample is as large as was asked for, and spread evenly over the export', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 120 }), (count, asked) => {
      const size = Math.min(asked, count);
      const chosen = Array.from({ length: count }, (_, nth) => nth).filter((nth) =>
        isInSample(nth, size, count),
      );
      expect(chosen).toHaveLength(size);
      for (const [at, nth] of chosen.entries()) expect(nth).toBe(Math.floor((at * count) / size));
    }),
  );
});
