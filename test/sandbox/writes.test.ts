/** Each request writes in one transaction, which is committed before its answer. */
import { expect, it } from 'vitest';
import { openStore } from '../../src/sandbox/store/store.ts';
import { running } from './running-sandbox.ts';

const ticket = (subject: string) => ({ subject, contact: { email: 'kay@example.org' } });

it('a write that throws undoes itself and no other one', () => {
  const store = openStore(undefined);
  store.write(() => store.settings.set('first', '1'));
  expect(() =>
    store.write(() => {
      store.settings.set('second', '2');
      throw new RangeError('refused');
    }),
  ).toThrow(RangeError);
  store.write(() => store.settings.set('third', '3'));
  expect(['first', 'second', 'third'].map((name) => store.settings.get(name))).toEqual(['1', undefined, '3']);
  store.close();
});

it('a full disk is answered with 507, loses nothing that was answered, and is over when there is room', async () => {
  const service = await running();
  expect((await service.call('POST', '/tickets', ticket('Before'))).status).toBe(201);
  const { database } = service.store;
  database.pragma(`max_page_count = ${String(database.pragma('page_count', { simple: true }))}`);
  const long = { ...ticket('x'.repeat(200)), tags: Array.from({ length: 50 }, (_, n) => `${n}`.repeat(90)) };
  const full = await Promise.all(Array.from({ length: 30 }, () => service.call('POST', '/tickets', long)));
  const refused = full.filter(({ status }) => status !== 201);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body } of refused)
    expect([status, body]).toEqual([507, expect.objectContaining({ code: 'storage_full' })]);
  database.pragma('max_page_count = 1000000');
  expect((await service.call('POST', '/tickets', ticket('After'))).status).toBe(201);
  const { total } = (await service.call('GET', '/tickets?take=100')).body;
  expect(total).toBe(2 + full.length - refused.length);
});
