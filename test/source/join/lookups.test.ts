import { describe, expect, it } from 'vitest';
import { openFolder } from '../temp-export.ts';
import { MESSAGES, ROOT, reported, stage, text } from './join-plan.ts';

describe('lookups', () => {
  it('find the first row by any of the keys of the plan, again and again', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'users.csv': 'id,mail,team\n1,a@b,x\n2,c@d,x\n1,e@f,y\n',
    });
    await using joined = await stage(files, [
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
    await using joined = await stage(files, [
      ROOT,
      { name: 'users', role: 'lookup', key: [], lookups: [['id']] },
    ]);
    for (const index of [0, 11_999, ...Array.from({ length: 11_000 }, (_, each) => each), 0, 5]) {
      expect(joined.lookup('users', ['id'], [`u${index}`])?.cells?.[1]).toBe(`n${index}`);
    }
  });
});

describe('rows that name a row between them and their ticket', () => {
  const between = { name: 'threads', role: 'lookup', key: ['no'] } as const;
  const plan = [
    ROOT,
    { ...MESSAGES, key: ['thread'] },
    { ...between, lookups: [['no']], links: [{ child: 'messages', get: ['ticket'] }] },
  ];

  it('belong to the ticket that it names, in whichever order the files are read', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\nT1\nT2\n',
      'messages.csv': 'thread,text\n7,a\n8,b\n7,c\n9,d\n',
      'threads.csv': 'no,ticket\n7,T2\n8,T1\n9,T2\n9,T1\n',
    });
    await using joined = await stage(files, plan);
    expect(await reported(joined)).toEqual(['T1: T1 | messages: 8 b', 'T2: T2 | messages: 7 a, 7 c, 9 d']);
    expect([...joined.unmatchedRows()]).toEqual([]);
  });

  it('belong to none where no row does, though a ticket has that very id', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n7\n',
      'messages.csv': 'thread,text\n7,a\n8,b\n',
      'threads.csv': 'no,ticket\n8,77\n',
    });
    await using joined = await stage(files, plan);
    expect(await reported(joined)).toEqual(['7: 7']);
    expect([...joined.unmatchedRows()].map(({ parent }) => parent)).toEqual(['(7)', '77']);
  });
});
