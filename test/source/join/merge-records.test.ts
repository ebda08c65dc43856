import { describe, expect, it } from 'vitest';
import { joinExport } from '../../../src/source/join/join-export.ts';
import { openFolder, signal } from '../temp-export.ts';
import { items, ROOT, stage } from './join-plan.ts';

const SAME = { subject: 'Broken kettle', createdAt: '2024-01-02T03:04:05Z' };

async function found(files: Readonly<Record<string, string>>) {
  const opened = await openFolder(files);
  await using joined = await stage(opened, [ROOT]);
  const list = await items(joined);
  const again = await items(joined);
  expect(again).toEqual(list);
  return {
    reported: list.map((item) => (item.kind === 'ticket' ? item.externalId : item.code)),
    rows: list.flatMap((item) => (item.kind === 'ticket' ? [item.row] : [])),
    merged: joined.merged(),
  };
}

describe('records of one ticket in several files', () => {
  it('are one ticket; the fuller one stands, and what it lacks is read from the others', async () => {
    const { reported, rows, merged } = await found({
      'tickets1.jsonl': `${JSON.stringify({ id: 1, ...SAME, tags: ['a'] })}\n`,
      'tickets2.jsonl': `${JSON.stringify({ id: 2, subject: 'Other' })}\n${JSON.stringify({ id: 1, ...SAME, status: 'closed', priority: 'low' })}\n`,
    });
    expect(reported).toEqual(['1', '2']);
    expect(rows[0]?.object).toMatchObject({ status: 'closed' });
    expect(rows[0]?.also?.map(({ object }) => object?.['tags'])).toEqual([['a']]);
    expect(merged).toMatchObject({ tickets: 1, ticket: '1' });
    expect(merged?.differing.size).toBe(0);
  });

  it('may be rows of CSV files with other columns', async () => {
    const { reported, rows } = await found({
      'tickets1.csv': 'id,subject\n1,Broken kettle\n',
      'tickets2.csv': 'id,status\n1,open\n',
    });
    expect(reported).toEqual(['1']);
    expect([rows[0], ...(rows[0]?.also ?? [])].map((row) => row?.cells?.[1]).sort()).toEqual([
      'Broken kettle',
      'open',
    ]);
  });

  it('name the columns in which they differ', async () => {
    const { merged } = await found({
      'tickets1.jsonl': `${JSON.stringify({ id: 1, ...SAME, status: 'open' })}\n`,
      'tickets2.jsonl': `${JSON.stringify({ id: 1, ...SAME, status: 'closed', note: 'x' })}\n`,
    });
    expect([...(merged?.differing ?? [])]).toEqual([['status', 1]]);
  });

  it('are two tickets where they contradict each other: the second is rejected', async () => {
    const { reported, merged } = await found({
      'tickets1.jsonl': `${JSON.stringify({ id: 1, ...SAME, status: 'open' })}\n`,
      'tickets2.jsonl': `${JSON.stringify({ id: 1, subject: 'Where is it?', createdAt: '2024-05-06T07:08:09Z', status: 'open' })}\n`,
    });
    expect(reported).toEqual(['1', 'duplicate-id']);
    expect(merged).toBeUndefined();
  });

  it('of several versions those of the same version are one', async () => {
    const files = await openFolder({
      'tickets1.jsonl': '{"id":1,"at":1,"a":1}\n{"id":1,"at":2,"b":1}\n',
      'tickets2.jsonl': '{"id":1,"at":2,"c":1}\n{"id":1,"at":1,"d":1}\n',
    });
    await using joined = await joinExport(
      files,
      {
        tables: [
          {
            name: 'tickets',
            role: 'root',
            key: ['id'],
            latest: ['at'],
            inputs: files.files.map(({ id }) => ({ file: id })),
          },
        ],
      },
      { signal },
    );
    const [ticket, ...others] = await items(joined);
    expect(others).toEqual([]);
    const row = ticket?.kind === 'ticket' ? ticket.row : undefined;
    expect([row, ...(row?.also ?? [])].map((each) => Object.keys(each?.object ?? {}).at(-1))).toEqual([
      'b',
      'c',
    ]);
  });
});
