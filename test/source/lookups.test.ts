import { describe, expect, it } from 'vitest';
import { ROOT, stage, text } from './join-plan.ts';
import { openFolder } from './temp-export.ts';

describe('lookups', () => {
  it('find the first row by any of the keys of the plan, again and again', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'users.csv': 'id,mail,team\n1,a@b,x\n2,c@d,x\n1,e@f,y\n',
    });
    const joined = stage(files, [
      ROOT,
      { name: 'users', role: 'lookup', key: [], lookups: [['id'], ['mail', 'team']] },
    ]);
    for (let round = 0; round < 2; round++) {
      expect(text(joined.lookup('users', ['id'], [' 1 ']))).toBe('1 a@b x');
      expect(text(joined.lookup('users', ['mail', 'team'], ['c@d', 'x']))).toBe('2 c@d x');
      expect(joined.lookup('users', ['id'], ['7'])).toBeUndefined();
      expect(joined.lookup('users', ['id'], [''])).toBeUndefined();
    }
    expect(() => joined.lookup('users', ['team'], ['x'])).toThrow(/no lookup/);
  });

  it('are right beyond what is kept in memory', async () => {
    const users = Array.from({ length: 12_000 }, (_, index) => `u${index},n${index}\n`).join('');
    const files = await openFolder({ 'tickets.csv': 'id\n1\n', 'users.csv': `id,name\n${users}` });
    const joined = stage(files, [ROOT, { name: 'users', role: 'lookup', key: [], lookups: [['id']] }]);
    for (const index of [0, 11_999, ...Array.from({ length: 11_000 }, (_, each) => each), 0, 5]) {
      expect(joined.lookup('users', ['id'], [`u${index}`])?.cells?.[1]).toBe(`n${index}`);
    }
  });
});
