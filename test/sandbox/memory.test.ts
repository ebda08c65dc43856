import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks';
import { expect, it, onTestFinished } from 'vitest';
import { running } from './running-sandbox.ts';

it('the sandbox gives back the memory that a large request took, once it is answered', async () => {
  let asked = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as { readonly detail: NodeGCPerformanceDetail }[]) {
      const { kind, flags = 0 } = entry.detail;
      const isForced = (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR && isForced) asked++;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  const sandbox = await running();
  const sized = (bytes: number) => JSON.stringify({ subject: 'x'.repeat(bytes) });
  for (let n = 0; n < 20; n++) await sandbox.call('POST', '/tickets', sized(1000));
  expect(asked).toBe(0);
  const { status } = await sandbox.call('POST', '/tickets', sized(12 * 1024 * 1024));
  expect(status).toBe(201);
  await expect.poll(() => asked).toBe(1);
});
