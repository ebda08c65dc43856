import { expect, it, vi } from 'vitest';
import { collectGarbage } from '../../src/memory/collect.ts';
import { running } from './running-sandbox.ts';

vi.mock('../../src/memory/collect.ts', () => ({ collectGarbage: vi.fn() }));

it('the sandbox gives back the memory that a large request took, once it is answered', async () => {
  const sandbox = await running();
  const sized = (bytes: number) => JSON.stringify({ subject: 'x'.repeat(bytes) });
  for (let n = 0; n < 20; n++) await sandbox.call('POST', '/tickets', sized(1000));
  expect(collectGarbage).not.toHaveBeenCalled();
  const { status } = await sandbox.call('POST', '/tickets', sized(12 * 1024 * 1024));
  expect(status).toBe(201);
  await expect.poll(() => vi.mocked(collectGarbage).mock.calls).toContainEqual(['major']);
});
