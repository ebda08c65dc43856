import { describe, it } from 'vitest';
import { DIALECTS, EXPORTS, expectPlanOf, expectSamePlan } from './support/reshape.ts';

describe('the same tickets give the same plan', () => {
  it.each(EXPORTS)('%s, in each dialect', async (name) => {
    for (const dialect of Object.keys(DIALECTS)) await expectPlanOf(name, [dialect]);
  });

  it('in any shape', async () => {
    await expectSamePlan({ numRuns: 1000, seed: 45 });
  });
});
