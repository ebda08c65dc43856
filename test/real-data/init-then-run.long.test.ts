import { join } from 'node:path';
import { describe, it } from 'vitest';
import { initThenRun } from '../e2e/init-then-run.ts';
import { DATA, hasData, REAL_EXPORTS } from './exports.ts';

describe.runIf(hasData)('a real export', () => {
  it.each(REAL_EXPORTS)(
    '$folder: once init has asked everything, no run stops for a decision',
    ({ folder }) => initThenRun(join(DATA, folder)),
  );
});
