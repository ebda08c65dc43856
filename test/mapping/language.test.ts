import { describe, expect, it } from 'vitest';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { mergeLayout, parseLayout, readMapping } from '../../src/mapping/language/read-layout.ts';
import { rowsOf } from '../support/rows.ts';

const { mistakes } = rowsOf<{ mistakes: [string, string, string, string][] }>(
  import.meta.dirname,
  'mistakes.yaml',
);

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
  it.each(mistakes)('%s', (_, from, to, complaint) => {
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

  it('changes, adds and takes away messages by their place', () => {
    const changes = { comments: { occurredAt: null, public: false }, issues: null };
    const note = { content: 'internal_note', public: false };
    const result = readMapping(
      { extends: 'jira-tables', messages: { ...changes, 'issues#2': note } },
      builtinLayout,
    );
    const { content, author } = builtinLayout('jira-tables').messages?.[1] ?? {};
    const { messages = [] } = 'layout' in result ? result.layout : {};
    expect(messages).toMatchObject([{ from: 'comments', content, author, public: false }, note]);
    expect(messages[0]).not.toHaveProperty('occurredAt');
    const wrong = { extends: 'jira-tables', messages: { coments: { public: false } } };
    expect(readMapping(wrong, builtinLayout)).toMatchObject({
      issues: [
        { path: ['messages', 'coments'], message: expect.stringContaining('Did you mean "comments"?') },
      ],
    });
  });

  it('leaves the layout that it extends as it was', () => {
    const base = find();
    const before = structuredClone(base);
    mergeLayout(base, { maps: { state: { values: { z: 'x' } } }, ticket: { subject: 'other' } });
    expect(base).toEqual(before);
  });
});
