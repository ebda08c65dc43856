import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Peak in MiB. The young generation is held small, so that what is measured is what is kept and not what is not yet collected. */
function peak(tickets: number): number {
  const script = join(import.meta.dirname, 'peak-memory.ts');
  return Number(execFileSync(process.execPath, ['--max-semi-space-size=4', script, `${tickets}`])) / 1024;
}

it('peak memory of joining does not follow the number of tickets', () => {
  const small = Math.max(peak(20_000), peak(20_000));
  const large = peak(600_000);
  expect(large / small).toBeLessThan(1.4);
});
