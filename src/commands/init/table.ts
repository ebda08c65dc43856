import { columnOf, type Field, numberOf, specOf } from '../../discover/fields.ts';
import type { Column, Table } from '../../discover/profile.ts';
import { columnText } from '../../discover/settings-of.ts';
import { baseName } from '../../discover/staged-tables.ts';
import { countOf, formatCount, printable, shorten } from '../../domain/printable.ts';
import { textOf } from '../../domain/source-file.ts';
import {
  type Block,
  blocks,
  counts,
  flexible,
  heading,
  type Line,
  list,
  paragraph,
  table,
} from '../../view/blocks.ts';
import type { View } from './editor.ts';

const LONGEST = 60;
const MOST_WORDS = 6;

/** `isShort`: marks are next to their lines alone, and in full when a line is opened. */
export function tableBlocks(view: View, tables: readonly Table[], isShort = false): Block[] {
  const { fields, detection, shown, surveyed } = view;
  const { tickets, messages } = surveyed.needs;
  const files = fields === undefined ? '' : filesOf(view);
  const isEmpty = ({ source, mark }: Field) => source.kind === 'none' && mark === undefined;
  const empty = shown.flatMap((field) => (isEmpty(field) ? [lineOf(field)] : []));
  const marked = shown.flatMap((field) =>
    field.mark === undefined ? [] : [`${lineOf(field)}: ${field.mark}`],
  );
  return blocks(
    heading(
      fields === undefined
        ? `Layout ${detection.layout.name}: ${detection.layout.title}`
        : `Tickets from ${baseName(fields.tickets.file)}`,
    ),
    paragraph(
      [
        files,
        `${surveyed.isPart ? 'the first ' : ''}${countOf(tickets, 'ticket')}`,
        countOf(messages, 'message'),
      ]
        .filter(Boolean)
        .join(' · '),
    ),
    table({
      columns: [counts('#'), 'field', flexible('comes from'), flexible('values')],
      rows: shown.flatMap((field): Line[][] =>
        isEmpty(field)
          ? []
          : [
              [
                `${numberOf(field.key)}`,
                field.label,
                sourceText(field, tables, fields?.tickets),
                valuesOf(field, tables),
              ],
            ],
      ),
    }),
    empty.length > 0 && paragraph(`Empty: ${empty.join(' · ')}`, { tone: 'soft' }),
    marked.length > 0 && [
      paragraph(`${countOf(marked.length, 'line')} marked with ←: look at each once.`, { tone: 'warn' }),
      !isShort && list('bullets', marked),
    ],
    unreadBlocks(view),
  );
}

const lineOf = ({ key, label }: Field) => `${numberOf(key)} ${label}`;

function valuesOf(field: Field, tables: readonly Table[]): Line {
  const samples = samplesOf(field, tables).join(' · ');
  if (field.mark === undefined) return { text: samples, tone: 'soft' };
  return { text: `← ${samples === '' ? field.mark : samples}`, tone: 'warn' };
}

export function unreadLines({ fields }: View): string[] {
  const { texts = [], files = [] } = fields?.unread ?? {};
  return [
    ...texts.map((column) => `No field reads the text in ${columnText(column)}.`),
    ...files.map((file) => `No field reads the file ${file}.`),
  ];
}

function unreadBlocks(view: View): Block | false {
  const lines = unreadLines(view);
  return lines.length > 0 && list('bullets', lines.slice(0, 8), { more: Math.max(0, lines.length - 8) });
}

function filesOf({ fields }: View): string {
  if (fields === undefined) return '';
  const { thread, rows, people, tickets } = fields;
  const said =
    thread === undefined
      ? []
      : [
          `messages from ${baseName(thread.table.file)}${thread.list === undefined ? '' : `: ${thread.list}`}`,
        ];
  return [
    `1 row a ${rows} in ${baseName(tickets.file)}`,
    ...said,
    ...(people === undefined ? [] : [`people from ${baseName(people.file)}`]),
  ].join(' · ');
}

export function sourceText(field: Field, tables: readonly Table[], tickets?: Table): string {
  const { source } = field;
  if (source.kind === 'none') return '–';
  if (source.kind === 'fixed')
    return source.value === 'public' ? 'everything is public' : `'${source.value}'`;
  if (source.kind === 'each-row') return 'each row is a ticket';
  if (source.kind === 'first-line') return 'the first words of the text';
  if (source.kind === 'rule') return shorten(printable(ruleText(source.rule)), LONGEST);
  const of = tables[source.table];
  const file = of === undefined || of === tickets ? '' : `${baseName(of.file)}: `;
  return `${file}${printable(source.name)}`;
}

/** The columns that a rule reads, as far as it names them simply. */
function ruleText(rule: unknown): string {
  if (Array.isArray(rule)) return [...new Set(rule.map(ruleText))].join(', ');
  const { column, get, of, row, const: fixed } = rule as Readonly<Record<string, unknown>>;
  const inner = column ?? get ?? of ?? row;
  if (fixed !== undefined) return `'${textOf(fixed)}'`;
  return inner === undefined ? textOf(rule) : ruleText(inner);
}

function samplesOf(field: Field, tables: readonly Table[]): string[] {
  const column = columnOf(tables, field.source);
  if (field.words !== undefined) {
    const rowsOf = rowsOfWords(column);
    const words = [...field.words].map(([word, meaning]) => {
      const count = rowsOf.get(word);
      return `${shorten(printable(word), 24)}${count === undefined ? '' : ` ${formatCount(count)}`} → ${meaning ?? '?'}`;
    });
    return words.length <= MOST_WORDS
      ? words
      : [...words.slice(0, MOST_WORDS), `${words.length - MOST_WORDS} more`];
  }
  return examplesOf(column);
}

function rowsOfWords(column: Column | undefined): ReadonlyMap<string, number> {
  return new Map(column?.values.map(({ value, count }) => [value, count]));
}

function examplesOf(column: Column | undefined): string[] {
  return (column?.examples ?? []).map((text) => shorten(printable(text.replace(/\s+/g, ' ')), 24));
}

export function columnBlocks(
  found: readonly { readonly table: Table; readonly column: Column }[],
  most: number,
): Block[] {
  return blocks(
    table({
      columns: [counts('#'), flexible('column'), flexible('values')],
      rows: found
        .slice(0, most)
        .map(({ table: of, column }, at): Line[] => [
          `${at + 1}`,
          `${baseName(of.file)}: ${printable(column.name)}`,
          examplesOf(column).join(' · '),
        ]),
      more: Math.max(0, found.length - most),
    }),
  );
}

export function wordBlocks(field: Field, tables: readonly Table[]): Block[] {
  const rowsOf = rowsOfWords(columnOf(tables, field.source));
  return blocks(
    table({
      columns: [counts('#'), flexible('word'), counts('rows'), 'meaning'],
      rows: [...(field.words ?? [])].map(([word, meaning], at): Line[] => [
        `${at + 1}`,
        printable(word),
        formatCount(rowsOf.get(word) ?? 0),
        meaning ?? '?',
      ]),
    }),
  );
}

export function tableJson({ fields, detection, shown, surveyed, settings }: View, tables: readonly Table[]) {
  return {
    version: 1 as const,
    layout: fields === undefined ? detection.layout.name : null,
    tickets: surveyed.needs.tickets,
    messages: surveyed.needs.messages,
    fields: shown.map((field) => ({
      key: field.key,
      label: field.label,
      source: field.source.kind,
      from: sourceText(field, tables),
      ...(field.words === undefined
        ? {}
        : { words: Object.fromEntries([...field.words].map(([word, meaning]) => [word, meaning ?? null])) }),
      meanings: specOf(field.key).meanings,
      ...(field.mark === undefined ? {} : { mark: field.mark }),
      ...(field.likely === undefined ? {} : { likely: field.likely.map(({ name }) => name) }),
    })),
    files: tables.map(({ file, rows, columns }) => ({
      file: baseName(file),
      rows,
      columns: columns.map(({ name, examples }) => ({ name, examples })),
    })),
    unread: { texts: fields?.unread.texts.map(({ name }) => name) ?? [], files: fields?.unread.files ?? [] },
    preview: surveyed.conversations,
    settings: settings.settings,
  };
}
