import { describe, expect, it } from 'vitest';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { mergeLayout, parseLayout, readMapping } from '../../src/mapping/language/read-layout.ts';

const GOOD = `name: mine
title: Mine
tables:
  tickets: { role: root, key: id, recognise: { columns: [id, title] } }
  users: { role: lookup, key: id, recognise: { columns: [login] } }
maps:
  state: { values: { a: open } }
people:
  users: { table: users, email: login }
ticket:
  subject: title
  status: { column: st, map: state }
messages:
  - content: body
    author: { person: users, id: by }
    public: true
`;

/** What is wrong with the good layout after an edit: place and sentence of each complaint. */
function complaints(from: string, to: string): string[] {
  expect(GOOD).toContain(from);
  try {
    parseLayout(GOOD.replace(from, to), 'mine.yaml');
  } catch (error) {
    return (error as { lines: string[] }).lines;
  }
  return [];
}

describe('a mistake in a layout is named with its place and the nearest valid word', () => {
  it.each<[string, string, string, string]>([
    [
      'an unknown key',
      'subject: title',
      'subjet: title',
      'ticket.subjet: There is no key "subjet" here. Did you mean "subject"?',
    ],
    [
      'an unknown key of an expression',
      'column: st',
      'colum: st',
      'ticket.status.colum: There is no key "colum" here. Did you mean "column"?',
    ],
    [
      'two sources',
      'column: st',
      'column: st, const: x',
      'ticket.status: A value needs exactly one source (column, const, template, when, holds, ticket, row, lookup, rows, each, of); this has column and const.',
    ],
    [
      'an unknown map',
      'map: state',
      'map: stat',
      'ticket.status.map: There is no value map "stat". Did you mean "state"?',
    ],
    [
      'unknown people',
      'person: users',
      'person: user',
      'messages.0.author.person: There is no table of people "user". Did you mean "users"?',
    ],
    [
      'an unknown table',
      'table: users',
      'table: usrs',
      'people.users.table: There is no table "usrs". Did you mean "users"?',
    ],
    [
      'a table that is not looked up',
      'table: users',
      'table: tickets',
      'people.users.table: People are looked up: the table "tickets" needs the role lookup.',
    ],
    [
      'an unknown role',
      'role: root',
      'role: rot',
      'tables.tickets.role: Invalid option: expected one of "root"|"group"|"child"|"lookup"',
    ],
    [
      'two roots',
      'tables:',
      'tables:\n  more: { role: root, key: id, recognise: { file: x } }',
      'tables: A layout has exactly one table with role root or group: the tickets. This one has 2.',
    ],
    [
      'an unknown zone',
      'title: Mine',
      'title: Mine\ntimes: { zone: Berlin }',
      'times.zone: There is no time zone "Berlin". Did you mean "Europe/Berlin"?',
    ],
    [
      'a broken pattern',
      'title: Mine',
      'title: Mine\ntimes: { format: DD.QQ }',
      'times.format: "DD.QQ" is not a time pattern: use auto, epoch, or letters such as dd/MM/yyyy HH:mm.',
    ],
    [
      'a regular expression that is too long',
      'column: st, map: state',
      `column: st, match: "${'(a|b)'.repeat(24_000)}"`,
      'ticket.status.match: This is not a regular expression: it has 120000 characters, and 10000 are the most.',
    ],
    [
      'a broken regular expression',
      'column: st, map: state',
      'column: st, match: "("',
      'ticket.status.match: This is not a regular expression: Invalid regular expression: /(/u: Unterminated group.',
    ],
    [
      'a lookup without a key',
      'column: st, map: state',
      'lookup: users, get: id',
      'ticket.status: `lookup` needs `by` and `get`.',
    ],
    [
      'a condition without a test',
      'content: body',
      'content: body\n    where: { column: x }',
      'messages.0.where: A condition on a column needs a test: is, in, matches, empty.',
    ],
    [
      'a table known by nothing',
      '{ columns: [login] }',
      '{ }',
      'tables.users.recognise: Say how this table is known: by columns, or by a file name.',
    ],
    [
      'an impossible name',
      'name: mine',
      'name: My Layout',
      'name: A name has lowercase letters, digits and hyphens.',
    ],
  ])('%s', (_, from, to, complaint) => {
    expect(complaints(from, to)).toEqual([complaint]);
  });

  it('one error names all mistakes', () => {
    expect(
      complaints(
        'subject: title\n  status: { column: st, map: state }',
        'subjet: title\n  status: { colum: st }',
      ),
    ).toHaveLength(2);
  });

  it('the good layout has no complaint', () => {
    expect(complaints('name: mine', 'name: mine')).toEqual([]);
  });
});

describe('a mapping that extends a layout', () => {
  const find = () => {
    const { ownColumns: _, isOwn: __, ...layout } = parseLayout(GOOD, 'mine.yaml');
    return layout;
  };

  it('changes values of maps, tables, times and fields one by one, and keeps the rest', () => {
    const result = readMapping(
      {
        extends: 'mine',
        maps: { state: { values: { b: 'closed' }, unlisted: 'keep' } },
        tables: { users: { key: 'login' } },
        times: { zone: 'UTC' },
        ticket: { priority: { const: 'low' } },
      },
      find,
    );
    expect(result).toMatchObject({
      layout: {
        name: 'mine',
        maps: { state: { values: { a: 'open', b: 'closed' }, unlisted: 'keep' } },
        tables: {
          users: { role: 'lookup', key: 'login', recognise: { columns: ['login'] } },
          tickets: { key: 'id' },
        },
        times: { zone: 'UTC' },
        ticket: { subject: 'title', priority: { const: 'low' } },
      },
    });
  });

  it('finds its own columns', () => {
    const result = readMapping(
      { extends: 'mine', ticket: { priority: 'urgency', subject: ['title', 'name'] } },
      find,
    );
    expect(result).toMatchObject({
      layout: {
        ownColumns: [
          { table: 'tickets', column: 'name' },
          { table: 'tickets', column: 'urgency' },
        ],
      },
    });
  });

  it('is refused with the names of known layouts when it extends an unknown one', () => {
    expect(readMapping({ extends: 'zendes' }, builtinLayout)).toMatchObject({
      issues: [{ path: ['extends'], message: expect.stringContaining('"zendes"') }],
    });
  });

  it('leaves the layout that it extends as it was', () => {
    const base = find();
    const before = structuredClone(base);
    mergeLayout(base, { maps: { state: { values: { z: 'x' } } }, ticket: { subject: 'other' } });
    expect(base).toEqual(before);
  });
});
