import { describe, expect, it } from 'vitest';
import { MESSAGES, ROOT, reported, stage, text } from './join-plan.ts';
import { openFolder } from './temp-export.ts';

describe('versions of a row', () => {
  it.each<[string, string, string[]]>([
    ['numbers by value', 'id,v\n1,9\n2,1\n1,10\n', ['2: 2 1', '1: 1 10']],
    ['texts by their letters', 'id,v\n1,2024-02-01\n1,2024-01-31\n2,x\n', ['1: 1 2024-02-01', '2: 2 x']],
    ['the later one of equals', 'id,v\n1,5\n1,5\n', ['1: 1 5']],
    ['none before any', 'id,v\n1,\n1,-3\n', ['1: 1 -3']],
  ])('only the greatest of a ticket stands: %s', async (_name, content, expected) => {
    const files = await openFolder({ 'tickets.csv': content });
    const joined = stage(files, [{ ...ROOT, latest: ['v'] }]);
    expect(reported(joined)).toEqual(expected);
    expect(reported(joined)).toEqual(expected);
  });

  it('only the greatest of a lookup and of a child stands', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'users.csv': 'id,v,name\nu,1,old\nu,3,new\nu,2,mid\n',
      'messages.csv': 'ticketId,v\n1,1\n1,2\n',
    });
    const joined = stage(files, [
      ROOT,
      { ...MESSAGES, latest: ['v'] },
      { name: 'users', role: 'lookup', key: [], latest: ['v'], lookups: [['id']] },
    ]);
    expect(text(joined.lookup('users', ['id'], ['u']))).toBe('u 3 new');
    expect(reported(joined)).toEqual(['1: 1 | messages: 1 2']);
  });

  it('of a day and a clock in two columns, both count', async () => {
    const files = await openFolder({
      'tickets.csv':
        'id,day,clock\n1,2.2.2024,09:00\n1,2.2.2024,17:30\n1,31.1.2024,23:00\n2,3.2.2024,\n2,,\n',
    });
    const joined = stage(files, [{ ...ROOT, latest: ['day', 'clock'] }]);
    expect(reported(joined)).toEqual(['1: 1 2.2.2024 17:30', '2: 2 3.2.2024 ']);
  });
});
