import { describe, expect, it } from 'vitest';
import { tableWords, wordsOf } from '../../src/discover/concept-words.ts';
import { findJoins } from '../../src/discover/joins.ts';
import { findOddities } from '../../src/discover/oddities.ts';
import { cellsIn, looksLikeData, repeatedHeaders } from '../../src/discover/read-tables.ts';
import { tablesOf } from './support.ts';

describe('names as words', () => {
  it.each([
    ['requesterId', ['requester', 'id']],
    ['Requester-ID', ['requester', 'id']],
    ['ticketid', ['ticket', 'id']],
    ['HTMLBody', ['html', 'body']],
    ['Größe (cm)', ['grosse', 'cm']],
    ['Vorgangsnummer', ['vorgang', 'nummer']],
    ['Kundenname', ['kunden', 'name']],
    ['Prénom', ['prenom']],
    ['context', ['context']],
    ['  ', []],
  ])('%s is %j', (name, words) => {
    expect(wordsOf(name)).toEqual(words);
  });

  it.each([
    ['exports/support_tickets.csv', undefined, undefined, ['ticket']],
    ['zendesk_ticket_comment_data.csv.gz', undefined, undefined, ['zendesk', 'ticket', 'comment']],
    ['all.jsonl', undefined, 'zendesk__users', ['zendesk', 'user']],
    ['page.json', ['conversations'], undefined, ['conversation']],
    ['tickets.json', ['data'], undefined, ['ticket']],
    ['2024-06.csv', undefined, undefined, []],
  ])('a table in %s at %j is called %j', (file, path, stream, words) => {
    expect(tableWords({ file, collection: { path, stream } })).toEqual(words);
  });
});

describe('the header of a CSV', () => {
  it('repeats names without regard to case and spaces', () => {
    expect(repeatedHeaders(['Comment', 'id', 'comment ', 'Comment', '', ''])).toEqual(['Comment']);
  });

  it.each([
    [['id', 'subject'], false],
    [['1', '2', '3'], true],
    [['id', 'ann@example.com'], true],
    [['2024-01-01', 'open'], true],
    [['', ''], false],
    [['true'], false],
  ])('%j is data: %s', (header, isData) => {
    expect(looksLikeData(header)).toBe(isData);
  });

  it.each([
    ['a,b,c', 3],
    ['a,"b,c"', 2],
    ['"a""b,",c', 2],
    ['', 1],
  ])('%j has %i cells', (text, cells) => {
    expect(cellsIn(text, ',')).toBe(cells);
  });
});

describe('what is odd', () => {
  it.each([
    ['a,b\n1,2\n', []],
    ['a,a\n1,2\n', ['duplicate-header']],
    ['a,\n1,2\n', ['unnamed-column']],
    ['1,2\n3,4\n', ['no-header']],
    ['a,b\n1,2,3\n', ['long-row']],
    ['a,b,c\n1,2,x\n1,2\n', ['short-row']],
    ['a,b\n1,2\n,\n,\n', ['blank-row']],
    ['a,b\n1,\n2,\n', ['empty-column']],
    ['a,b\n1,x\ntwo,y\n', ['mixed-types']],
    ['a,b\n1,NULL\n2,x\n', ['null-text']],
    ['a,b\n1,2024-01-01 10:00\n2,2024-01-01T10:00Z\n', ['mixed-times']],
    ['a,b\n1,13/01/2024\n2,01/13/2024\n', ['contradictory-dates']],
    ['\ufeffa,b\n1,2\n', ['byte-order-mark']],
  ])('%j: %j', async (text, codes) => {
    const { tables, files } = await tablesOf({ 'list.csv': text });
    expect(findOddities(files, tables).map(({ code }) => code)).toEqual(codes);
  });

  it('says where a row is too long, and how often', async () => {
    const { tables, files } = await tablesOf({ 'list.csv': 'a,b\n"x\ny",2\n1,2,3\n1,2,3,4\n' });
    expect(findOddities(files, tables)[0]?.message).toBe(
      '2 rows with more cells than the header, the first at line 4.',
    );
  });

  it('records that cannot be read are counted with the first reason', async () => {
    const { tables, files } = await tablesOf({ 'list.jsonl': '{"a":1}\n{"a":\n{"a":2}\nnope\n' });
    const [oddity] = findOddities(files, tables);
    expect(oddity?.code).toBe('unreadable');
    expect(oddity?.message).toMatch(/^2 records cannot be read, the first at line 2: /);
  });

  it('of ten thousand columns the first hundreds are looked into, and the others counted', async () => {
    const header = Array.from({ length: 10_000 }, (_, n) => `c${n}`);
    const { tables, files } = await tablesOf({
      'wide.csv': `${header.join(',')}\n${header.map(() => '1').join(',')}\n`,
    });
    expect(tables[0]?.columns.length).toBeLessThan(1000);
    expect(findOddities(files, tables).map(({ code }) => code)).toEqual(['too-many-columns']);
    expect((tables[0]?.columns.length ?? 0) + (tables[0]?.columnsLeftOut ?? 0)).toBe(10_000);
  });
});

describe('joins between tables', () => {
  const ids = Array.from({ length: 12 }, (_, n) => n + 1);
  const tickets = `id,subject,customer_id\n${ids.map((n) => `${n},s${n},${n + 3}`).join('\n')}\n`;
  const users = `id,email\n${ids.map((n) => `${n},u${n}@example.com`).join('\n')}\n`;

  it.each([
    [
      'a column named after the other table',
      { 'tickets.csv': tickets, 'comments.csv': 'id,ticket_id,body\n1,3,x\n2,4,y\n3,99,z\n' },
      ['comments.csv ticket_id → tickets.csv id 2/3'],
    ],
    [
      'a column named after a person',
      { 'tickets.csv': tickets, 'users.csv': users },
      ['tickets.csv customer_id → users.csv id 9/12'],
    ],
    [
      'a named column that matches nothing is told, too',
      { 'tickets.csv': tickets, 'comments.csv': 'id,ticket_id,body\n1,77,x\n2,78,y\n' },
      ['comments.csv ticket_id → tickets.csv id 0/2'],
    ],
    [
      'ids that count from 1 everywhere prove nothing',
      { 'tickets.csv': tickets, 'orders.csv': 'id,amount\n1,7\n2,8\n3,9\n' },
      [],
    ],
    [
      'long keys that agree are a join whatever they are called',
      {
        'cases.csv': 'sys,title\nab12cd34ef,x\nab12cd34eg,y\nab12cd34eh,z\n',
        'parts.csv': 'belongs,n\nab12cd34ef,1\nab12cd34eg,2\nab12cd34eg,3\n',
      },
      ['parts.csv belongs → cases.csv sys 2/2'],
    ],
  ])('%s', async (_, texts, expected) => {
    const { tables } = await tablesOf(texts);
    const base = (at: number) => tables[at]?.file.replace(/^.*\//, '');
    const found = findJoins(tables).map(
      ({ from, to, found: hits, compared }) =>
        `${base(from.table)} ${from.column} → ${base(to.table)} ${to.column} ${hits}/${compared}`,
    );
    expect(found).toEqual(expected);
  });
});
