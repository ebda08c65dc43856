/** The tables of an export as files: CSV in its dialects, JSON in its containers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Choices } from './choices.ts';
import { isCsv } from './choices.ts';
import type { Row, Table } from './shape.ts';
import { EMPTY } from './values.ts';

export function writeFiles(folder: string, tables: readonly Table[], choices: Choices): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of filesOf(tables, choices)) {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text, choices.container === 'utf16' ? 'utf16le' : 'utf8');
  }
}

function filesOf(tables: readonly Table[], choices: Choices): [string, string][] {
  if (isCsv(choices))
    return tables.map((table) => [
      `${table.name}.${choices.container === 'tsv' ? 'tsv' : choices.container === 'pipe' ? 'txt' : 'csv'}`,
      csvText(table.rows, choices),
    ]);
  const clean = tables.map((table) => ({ ...table, rows: table.rows.map((row) => withEmpty(row, choices)) }));
  const single = (name: string) => name.replace(/s$/, '');
  const idOf = (row: Row) => String(Object.values(row)[0]);
  const json = (value: unknown) => `${JSON.stringify(value, undefined, 1)}\n`;
  switch (choices.container) {
    case 'envelope':
      return [
        [
          'export.json',
          json({
            exported_at: '2024-05-06T07:08:09Z',
            ...Object.fromEntries(clean.map(({ name, rows }) => [name, rows])),
          }),
        ],
      ];
    case 'deep-envelope':
      return [
        [
          'export.json',
          json({
            meta: { version: 3, generated: '2024-05-06T07:08:09Z' },
            data: Object.fromEntries(
              clean.map(({ name, rows }) => [name, { count: rows.length, items: rows }]),
            ),
          }),
        ],
      ];
    case 'flat-typed-lines':
      return [
        [
          'export.jsonl',
          lines(
            clean.flatMap(({ name, sort, rows }) =>
              rows.map((row) => ({ kind: kindOf(name, sort), ...row })),
            ),
          ),
        ],
      ];
    case 'json-lines':
      return clean.map(({ name, rows }) => [`${name}.jsonl`, lines(rows)]);
    case 'typed-lines':
      return [
        [
          'export.jsonl',
          lines(
            clean.flatMap(({ name, sort, rows }) =>
              rows.map((row) => ({ type: kindOf(name, sort), data: row })),
            ),
          ),
        ],
      ];
    case 'pages':
      return clean.flatMap(({ name, rows }) =>
        [rows.slice(0, Math.ceil(rows.length / 2)), rows.slice(Math.ceil(rows.length / 2))].map(
          (page, at): [string, string] => [
            `${name}_${at + 1}.json`,
            json({ count: rows.length, next_page: at === 0 ? 2 : null, results: page }),
          ],
        ),
      );
    case 'file-a-ticket':
      return clean.flatMap(({ name, sort, rows }): [string, string][] =>
        sort === 'ticket'
          ? rows.map((row, at) => [`${name}/${1041 + at * 3}.json`, json(row)])
          : [[`${name}.json`, json(rows)]],
      );
    case 'wrapped-lines':
      return [
        [
          'export.jsonl',
          lines(clean.flatMap(({ name, rows }) => rows.map((row) => ({ [single(name)]: row })))),
        ],
      ];
    case 'wrapped-array':
      return clean.map(({ name, rows }) => [
        `${name}.json`,
        json(rows.map((row) => ({ [single(name)]: row }))),
      ]);
    case 'edges':
      return clean.map(({ name, rows }) => [
        `${name}.json`,
        json({
          data: {
            [name]: {
              edges: rows.map((node, at) => ({ cursor: `c${at}`, node })),
              pageInfo: { hasNextPage: false, endCursor: 'x' },
            },
          },
        }),
      ]);
    case 'keyed-object':
      return clean.map(({ name, sort, rows }) => [
        `${name}.json`,
        json(sort === 'ticket' ? Object.fromEntries(rows.map((row) => [idOf(row), rest(row)])) : rows),
      ]);
    case 'id-in-name':
      return clean.flatMap(({ name, sort, rows }): [string, string][] =>
        sort === 'ticket'
          ? rows.map((row) => [`${name}/${idOf(row)}.json`, json(rest(row))])
          : [[`${name}.json`, json(rows)]],
      );
    case 'id-in-link':
      return clean.map(({ name, sort, rows }) => [
        `${name}.json`,
        json(
          sort === 'ticket'
            ? rows.map((row) => ({
                ...rest(row),
                _links: { self: { href: `https://desk.example.com/api/tickets/${idOf(row)}` } },
              }))
            : rows,
        ),
      ]);
    default:
      return clean.map(({ name, rows, byTicket }) => [
        `${name}.json`,
        json(
          byTicket === undefined
            ? rows
            : Object.fromEntries(
                [...Map.groupBy(rows, (row) => String(row[byTicket]))].map(([id, some]) => [
                  id,
                  some.map(rest),
                ]),
              ),
        ),
      ]);
  }
}

/** Notes that stand apart are a kind of their own: nothing else would say which messages are internal. */
const kindOf = (name: string, sort: Table['sort']) => (name.startsWith('internal_') ? name : sort);

/** Without the first field, which is the id. */
function rest(row: Row): Row {
  return Object.fromEntries(Object.entries(row).slice(1));
}

const lines = (rows: readonly unknown[]) => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;

function withEmpty(row: Row, { empty }: Choices): Row {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      value === undefined
        ? empty === 'null'
          ? null
          : ''
        : Array.isArray(value)
          ? value.map((item) =>
              typeof item === 'object' && item !== null ? withEmpty(item as Row, { empty } as Choices) : item,
            )
          : value,
    ]),
  );
}

const DELIMITERS: Readonly<Record<string, string>> = { 'csv-semicolon': ';', tsv: '\t', pipe: '|' };

function csvText(rows: readonly Row[], choices: Choices): string {
  const flat = rows.map((row) => flattened(row));
  const header = [...new Set(flat.flatMap((row) => Object.keys(row)))].filter((key) => key !== '*');
  const wide = Math.max(0, ...rows.map((row) => (Array.isArray(row['*']) ? row['*'].length : 0)));
  const delimiter = DELIMITERS[choices.container] ?? ',';
  const cell = (value: unknown) => {
    const text = value === undefined || value === null ? EMPTY[choices.empty] : String(value);
    return /["\n\r]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const all = [
    [...header, ...Array.from({ length: wide }, () => 'Comment')],
    ...flat.map((row, at) => {
      const comments = rows[at]?.['*'];
      const list: readonly unknown[] = Array.isArray(comments) ? comments : [];
      return [
        ...header.map((key) => cell(row[key])),
        ...Array.from({ length: wide }, (_, n) => (list[n] === undefined ? '' : cell(list[n]))),
      ];
    }),
  ].map((cells) => cells.join(delimiter));
  if (choices.disorder === 'second-header') all.splice(Math.ceil(all.length / 2), 0, all[0] ?? '');
  if (choices.disorder === 'total-row')
    all.push(
      [...header.map((_, at) => (at === 0 ? 'Total' : at === 1 ? String(rows.length) : ''))].join(delimiter),
    );
  if (choices.container === 'preamble') all.unshift('Export of the help desk', 'Generated on 2024-05-06', '');
  if (choices.disorder === 'blank-rows') {
    all.splice(3, 0, header.map(() => '').join(delimiter));
    all.push(header.map(() => '').join(delimiter));
  }
  return `${choices.container === 'utf16' ? '\uFEFF' : ''}${all.join('\n')}\n`;
}

/** `requester: {email}` is the column `requester.email`. */
function flattened(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, value]): [string, unknown][] =>
      key !== '*' && typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([inner, part]) => [`${key}.${inner}`, part])
        : [[key, value]],
    ),
  );
}
