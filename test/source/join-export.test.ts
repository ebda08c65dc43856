import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { joinExport } from '../../src/source/join.ts';
import { items, MESSAGES, planOf, ROOT, reported, stage } from './join-plan.ts';
import { open, openFolder, tempFolder } from './temp-export.ts';

describe('records that cannot be tickets', () => {
  it('stand in their place with the reason', async () => {
    const files = await openFolder({
      'tickets1.jsonl': '{"id":1,"v":"a"}\n{"id":null}\n{broken\n{"id":" 1 ","v":"b"}\n',
      'tickets2.jsonl': '{"id":2}\n{"id":"1","v":"c"}\n',
    });
    for (const children of [[], [{ ...MESSAGES, file: 'none' }]]) {
      const joined = stage(files, [ROOT, ...children]);
      const found = items(joined);
      expect(found.map((item) => [item.seq, item.kind === 'ticket' ? item.externalId : item.code])).toEqual([
        [0, '1'],
        [1, 'missing-id'],
        [2, 'unreadable'],
        [3, 'duplicate-id'],
        [4, '2'],
        [5, 'duplicate-id'],
      ]);
      expect(found.flatMap((item) => (item.kind === 'unreadable' ? [item.message] : []))).toEqual([
        'The record has no value in "id", so it has no external id.',
        expect.stringContaining('not valid JSON at column 2'),
        'Duplicate ID "1": already used in line 1. Only the first record is imported.',
        expect.stringMatching(/already used in .*tickets1\.jsonl, line 1\./),
      ]);
      expect(items(joined).map(({ seq, kind }) => [seq, kind])).toEqual(
        found.map(({ seq, kind }) => [seq, kind]),
      );
    }
  });

  it('broken rows of children are told apart from tickets', async () => {
    const files = await openFolder({
      'tickets.jsonl': '{"id":1}\n',
      'messages.jsonl': '{"ticketId":1}\nnot json\n',
    });
    const joined = stage(files, [ROOT, MESSAGES]);
    expect(reported(joined)).toHaveLength(1);
    expect([...joined.unreadableRows()].map(({ table, ref }) => [table, ref.line])).toEqual([
      ['messages', 2],
    ]);
  });
});

describe('size and stopping', () => {
  it('one ticket with fifty thousand messages is one ticket', async () => {
    const messages = Array.from({ length: 50_000 }, (_, index) => `1,m${index}\n`).join('');
    const files = await openFolder({
      'tickets.csv': 'id\n0\n1\n2\n',
      'messages.csv': `ticketId,x\n2,z\n${messages}`,
    });
    const joined = stage(files, [ROOT, MESSAGES]);
    const sizes = items(joined).map(
      (item) => item.kind === 'ticket' && item.children.get('messages')?.length,
    );
    expect(sizes).toEqual([undefined, 50_000, 1]);
  });

  it('a body of 3 MB is whole', async () => {
    const body = 'line, "quoted"\n'.repeat(200_000);
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'messages.csv': `ticketId,x\n1,"${body.replaceAll('"', '""')}"\n1,b\n`,
    });
    const joined = stage(files, [ROOT, MESSAGES]);
    const [item] = items(joined);
    const rows = item?.kind === 'ticket' ? item.children.get('messages') : undefined;
    expect(rows?.map(({ cells }) => cells?.[1]?.length)).toEqual([body.length, 1]);
    expect(rows?.[1]?.ref.line).toBe(200_003);
  });

  it('tells how far it is, up to the end', async () => {
    const told: number[][] = [];
    const folder = tempFolder({ 'tickets.csv': 'id\n1\n2\n', 'messages.csv': 'ticketId\n1\n' });
    await open([folder], { onProgress: (...numbers) => told.push(numbers) });
    const size = 'id\n1\n2\n'.length + 'ticketId\n1\n'.length;
    expect(told.at(-1)).toEqual([size, size, 5]);
    expect(told.every(([now = 0], index) => now >= (told[index - 1]?.[0] ?? 0))).toBe(true);
  });

  it('stops at once when it is aborted', async () => {
    const files = await openFolder({ 'tickets.csv': 'id\n1\n', 'messages.csv': 'ticketId\n1\n' });
    const stop = AbortSignal.abort(new Error('stop'));
    expect(() => joinExport(files, planOf(files, [ROOT, MESSAGES]), stop)).toThrow('stop');
    const joined = stage(files, [ROOT, MESSAGES]);
    expect(() => [...joined.tickets(stop)]).toThrow('stop');
  });
});

const data = resolve(import.meta.dirname, '../../../../shared/data');
describe.runIf(existsSync(data))('genuine exports', () => {
  it('a shop database joins completely', async () => {
    const files = await open([resolve(data, 'ecommerce_db_dump_tables')]);
    const joined = stage(files, [
      { name: 'support_tickets', role: 'root', key: ['id'] },
      { name: 'support_messages', role: 'child', key: ['ticket_id'] },
      { name: 'users', role: 'lookup', key: [], lookups: [['id']] },
    ]);
    const found = items(joined);
    expect(found.filter(({ kind }) => kind === 'ticket')).toHaveLength(1000);
    expect([...joined.unmatchedRows()]).toEqual([]);
  });

  it('an update log of 5,998 rows is 890 incidents', async () => {
    const files = await open([resolve(data, 'servicenow_uci_event_log')]);
    const joined = stage(files, [{ name: 'incident', role: 'group', key: ['number'] }]);
    const found = items(joined);
    expect(found).toHaveLength(890);
    const rows = found.map((item) =>
      item.kind === 'ticket' ? (item.children.get('incident')?.length ?? 0) : 0,
    );
    expect(rows.reduce((a, b) => a + b)).toBe(5998);
  });
});
