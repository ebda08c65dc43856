import { expect, it } from 'vitest';
import type { Snapshot } from '../../src/domain/ticket-api.ts';
import { CustomerNames } from '../../src/push/customer-names.ts';
import { createFakeClock } from '../support/fake-clock.ts';

it('one question is for the customers of many tickets, and its answer is used for half a minute', async () => {
  const clock = createFakeClock();
  const asked: string[][] = [];
  let contacts: Snapshot[] = [];
  const names = new CustomerNames({
    clock,
    api: {
      findContacts: async (emails: readonly string[]) => {
        asked.push([...emails]);
        return contacts;
      },
    },
    control: { hard: new AbortController().signal },
    emit: () => {},
    names: { nameOf: (email: string) => `Name of ${email}` },
  } as unknown as ConstructorParameters<typeof CustomerNames>[0]);
  for (const email of ['a', 'b', 'c']) names.expect(email);
  expect(await names.nameFor('a')).toBe('Name of a');
  await clock.advance(29_000);
  expect(await names.nameFor('b')).toBe('Name of b');
  await clock.advance(1_000);
  contacts = [{ id: '1', email: 'C', name: 'Corrected' }];
  expect(await names.nameFor('c')).toBeUndefined();
  expect([asked, names.kept]).toEqual([[['a', 'b', 'c'], ['c']], 1]);
});
