import { it } from 'vitest';
import { expectSamePlan } from './support/reshape.ts';

it('the same tickets in any shape give the same plan', async () => {
  await expectSamePlan({ numRuns: 60, seed: 43 });
});
