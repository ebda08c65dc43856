/** An inspection for people: the layout first, then each table with its columns, how tables join, and what is odd. */

import type { Inspection } from '../../discover/inspection.ts';
import { type Column, isTimeColumn, type Table } from '../../discover/profile.ts';
import { printable, shorten } from '../../domain/printable.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import { quoteArgument } from '../../view/command-line.ts';
import type { Conversation } from '../../view/conversation/conversation.ts';
import { countOf, formatBytes, formatCount, formatShare } from '../../view/format.ts';
import { blockLines } from '../../view/terminal/blocks.ts';
import type { Style } from '../../view/terminal/style.ts';
import {
  type Cell,
  type Fact,
  factLines,
  heading,
  type Column as TableColumn,
  tableLines,
  wrap,
} from '../../view/terminal/text-block.ts';

/** A column with so many values at most shows them with their counts. */
const FEW_VALUES = 12;
/** Columns of a table that are shown; a table of hundreds is mostly empty ones. */
const MOST_COLUMNS = 60;

/** `given`: the files as the user named them, for the next steps. */
export function inspectionLines(
  inspection: Inspection,
  files: readonly SourceFile[],
  given: readonly string[],
  conversations: readonly Conversation[] | undefined,
  style: Style,
): string[] {
  return [
    ...layoutLines(inspection, style),
    ...inspection.tables.flatMap((table) => tableBlock(table, inspection.tables, files, style)),
    ...joinLines(inspection, style),
    ...oddityLines(inspection, style),
    ...(conversations === undefined || conversations.length === 0
      ? []
      : [
          ...heading('As tickets in the helpdesk', style),
          '',
          ...blockLines(
            conversations.map((ticket) => ({ kind: 'conversation', ticket }) as const),
            style,
          ),
        ]),
    ...nextLines(inspection, given, style),
  ];
}

function layoutLines({ detection, undetected, ranking }: Inspection, style: Style): string[] {
  if (detection === undefined)
    return [
      ...wrap(undetected?.message ?? '', style, {
        lead: `${style.symbols.warning} `,
        paintLead: style.yellow,
      }),
      ...(undetected?.near ?? [])
        .slice(0, 3)
        .flatMap((line) => wrap(printable(line), style, { indent: 2, paint: style.dim })),
    ];
  const { layout, confidence, reasons, unknown, unused } = detection;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const others = ranking
    .filter(({ name }) => name !== layout.name)
    .slice(0, 2)
    .map((other) => `, then ${other.name} ${percent(other.confidence)}`);
  const facts: Fact[] = [
    { label: 'sure', text: `${percent(confidence)}${others.join('')}` },
    ...reasons.map((reason) => {
      const [label = '', ...rest] = reason.split(': ');
      return { label, text: rest.join(': ') };
    }),
  ];
  if (unknown.length > 0) facts.push({ label: 'not known', text: someOf(unknown), paint: style.dim });
  if (unused.length > 0)
    facts.push({ label: 'not used', text: unused.map(({ name }) => name).join(', '), paint: style.yellow });
  return [
    `${style.bold('Layout')}  ${layout.name} ${style.dim(`(${layout.title})`)}`,
    ...factLines(facts, style),
  ];
}

/** Columns named in one line, and the width that a name takes. */
const MOST_NAMED = 12;
const MOST_OF_NAME = 40;

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const some = names.slice(0, MOST_NAMED).map((name) => shorten(printable(name), MOST_OF_NAME));
  return [...some, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function tableBlock(
  table: Table,
  all: readonly Table[],
  files: readonly SourceFile[],
  style: Style,
): string[] {
  const { collection, parts, rows } = table;
  const { arrow, separator } = style.symbols;
  const columns = ownColumns(table, all);
  const shown = columns.slice(0, MOST_COLUMNS);
  const more = columns.length - shown.length + table.columnsLeftOut;
  const inside = collection.stream ?? collection.kind?.value ?? (collection.path ?? []).join('.');
  const others = parts.length > 1 ? ` and ${countOf(parts.length - 1, 'more file')}` : '';
  const title = `${table.file}${others}${inside === '' ? '' : ` ${arrow} ${inside}`}`;
  const facts = [countOf(rows, 'row'), ...fileFacts(files.find(({ id }) => id === collection.file))];
  return [
    ...heading(printable(title), style),
    `  ${style.dim(facts.join(` ${separator} `))}`,
    ...(shown.length === 0
      ? []
      : tableLines(
          shown.map((column) => columnRow(column, style)),
          COLUMNS,
          style,
        )),
    ...(more > 0 ? [`  ${style.dim(`and ${countOf(more, 'more column')}: --json lists them`)}`] : []),
  ];
}

const COLUMNS: readonly TableColumn[] = [
  { header: 'column', flexible: true },
  { header: 'type' },
  { header: 'filled', align: 'right' },
  { header: 'distinct', align: 'right' },
  { header: 'values', flexible: true },
];

function fileFacts(file: SourceFile | undefined): string[] {
  if (file === undefined) return [];
  const { format, encoding, delimiter, compression, bytes } = file;
  const separated = delimiter === '\t' ? 'tab' : JSON.stringify(delimiter);
  return [
    format,
    encoding,
    ...(delimiter === undefined ? [] : [`delimiter ${separated}`]),
    ...(compression === 'none' ? [] : [compression]),
    formatBytes(bytes),
  ];
}

/** Of a document, without what stands in lists that are tables of their own here. */
function ownColumns({ collection, columns }: Table, all: readonly Table[]): readonly Column[] {
  if (collection.format === 'csv' || collection.path !== undefined) return columns;
  const lists = all.flatMap(({ collection: other }) =>
    other.file === collection.file && other.path !== undefined ? [`${other.path.join('.')}[]`] : [],
  );
  return columns.filter(({ name }) => !lists.some((list) => name.startsWith(list)));
}

function columnRow(column: Column, style: Style): Cell[] {
  const { name, type, filled, rows, distinct } = column;
  const isEmpty = filled === 0;
  const dim = (text: string): Cell => (isEmpty ? { text, paint: style.dim } : text);
  return [
    dim(name),
    isEmpty ? dim(type) : { text: type, paint: type === 'mixed' ? style.yellow : style.cyan },
    dim(isEmpty ? '0%' : formatShare(filled, rows)),
    dim(distinct === 0 ? '' : formatCount(distinct)),
    { text: valuesOf(column).join(` ${style.symbols.separator} `), paint: style.dim },
  ];
}

function valuesOf(column: Column): string[] {
  const { values, examples, nulls, distinct, filled, times, dayOrder } = column;
  const nothing = nulls.map(({ value, count }) => `${JSON.stringify(value)} for empty ${formatCount(count)}`);
  if (isTimeColumn(column)) {
    const patterns = times
      .slice(0, 2)
      .map(({ pattern, zoned, example }) => `${pattern}${zoned ? '' : ', no zone'}: ${example}`);
    return [...patterns, ...(dayOrder === undefined ? [] : DAY_ORDERS[dayOrder]), ...nothing];
  }
  const few = distinct > 0 && distinct <= FEW_VALUES && distinct < filled;
  return [
    ...(few ? values.map(({ value, count }) => `${value} ${formatCount(count)}`) : examples),
    ...nothing,
  ];
}

const DAY_ORDERS: Readonly<Record<NonNullable<Column['dayOrder']>, readonly string[]>> = {
  'day-first': ['day first, proven'],
  'month-first': ['month first, proven'],
  open: ['day or month first: open'],
  contradictory: ['day and month order differ'],
};

function joinLines({ joins, tables }: Inspection, style: Style): string[] {
  if (joins.length === 0) return [];
  const end = (table: number, column: string) => `${baseName(tables[table]?.file ?? '')} ${column}`;
  const rows = joins.map(({ from, to, found, compared }): Cell[] => {
    const share = formatShare(found, compared);
    const text = `${share} of ${countOf(compared, 'key')}`;
    const paint = found === 0 ? style.red : found < compared ? style.yellow : style.green;
    return [end(from.table, from.column), style.symbols.arrow, end(to.table, to.column), { text, paint }];
  });
  const columns = [{ flexible: true }, {}, { flexible: true }, { align: 'right' as const }];
  return [...heading('Joins', style), ...tableLines(rows, columns, style)];
}

function oddityLines({ oddities, problems, tables }: Inspection, style: Style): string[] {
  const lines = [
    ...oddities.map(({ file, message }) => (tables.length > 1 ? `${baseName(file)}: ${message}` : message)),
    // what layouts and encodings say is above
    ...problemLines(problems),
  ];
  if (lines.length === 0) return [];
  return [
    ...heading('Unusual', style),
    ...lines.flatMap((line) =>
      wrap(printable(line), style, { indent: 2, lead: `${style.symbols.bullet} `, paintLead: style.yellow }),
    ),
  ];
}

/** A few of each kind: a hundred rows may be wrong in the same way. */
const MOST_OF_A_KIND = 3;

function problemLines(problems: Inspection['problems']): string[] {
  return [...Map.groupBy(problems, ({ code }) => code)].flatMap(([code, same]) => {
    if (code === 'byte-order-mark') return [];
    const shown = same
      .slice(0, MOST_OF_A_KIND)
      .map(({ file, line, message }) =>
        file === undefined || line === undefined ? message : `${baseName(file)}:${line}: ${message}`,
      );
    const more = same.slice(MOST_OF_A_KIND).reduce((sum, { count }) => sum + count, 0);
    return more === 0 ? shown : [...shown, `${formatCount(more)} more like these: --json lists them.`];
  });
}

function nextLines({ detection }: Inspection, given: readonly string[], style: Style): string[] {
  const files = given.map(quoteArgument).join(' ');
  const init = `helpdesk-import init ${files}`;
  const commands =
    detection === undefined
      ? [['propose a mapping', init] as const]
      : [
          ['check it, nothing is sent', `helpdesk-import run ${files} --dry-run`] as const,
          ['write the settings down', init] as const,
        ];
  const facts = commands.map(([label, text]) => ({ label, text: style.typed(text), paint: style.cyan }));
  return [...heading('Next', style), ...factLines(facts, style)];
}

function baseName(file: string): string {
  return file.replace(/^.*[\\/]/, '');
}
