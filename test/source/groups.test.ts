import { describe, expect, it } from 'vitest';
import { items, reported, stage } from './join-plan.ts';
import { openFolder } from './temp-export.ts';

describe('groups', () => {
  it('rows with one key are a ticket, in the order in which each key is first seen', async () => {
    const files = await openFolder({
      'log.csv': 'id,x\nB,1\nA,2\nB,3\n,4\nC,5\nA,6\n',
      'notes.csv': 'ticketId,n\nA,x\nZ,y\n',
    });
    const joined = stage(files, [
      { name: 'log', role: 'group', key: ['id'] },
      { name: 'notes', role: 'child', key: ['ticketId'] },
    ]);
    expect(reported(joined)).toEqual([
      'B: B 1 | log: B 1, B 3',
      'A: A 2 | notes: A x | log: A 2, A 6',
      'missing-id',
      'C: C 5 | log: C 5',
    ]);
    expect([...joined.unmatchedRows()].map(({ parent }) => parent)).toEqual(['Z']);
    expect(reported(joined)).toHaveLength(4);
  });

  it('broken rows stand in their place', async () => {
    const files = await openFolder({ 'log.jsonl': '{"id":1}\n{\n{"id":2}\n{"id":1}\n' });
    const joined = stage(files, [{ name: 'log', role: 'group', key: ['id'] }]);
    expect(reported(joined).map((each) => each.split(':')[0])).toEqual(['1', 'unreadable', '2']);
  });

  it('are handed out whole and in order when there are many', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => `g${index % 700},${index}\n`).join('');
    const files = await openFolder({ 'log.csv': `id,x\n${rows}` });
    const joined = stage(files, [{ name: 'log', role: 'group', key: ['id'] }]);
    const found = items(joined);
    expect(found.map((item) => item.kind === 'ticket' && item.externalId)).toEqual(
      Array.from({ length: 700 }, (_, index) => `g${index}`),
    );
    const sizes = found.map((item) => (item.kind === 'ticket' ? (item.children.get('log')?.length ?? 0) : 0));
    expect(sizes.reduce((a, b) => a + b)).toBe(3000);
  });
});
