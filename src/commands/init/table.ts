import { columnOf, type Field, numberOf, specOf } from '../../discover/fields.ts';
import { type Column, ownColumns, type Table } from '../../discover/profile.ts';
import type { Fields } from '../../discover/proposed.ts';
import { columnText } from '../../discover/settings-of.ts';
import { baseName } from '../../discover/staged-tables.ts';
import type { Thread } from '../../discover/structure.ts';
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
import { offersText } from '../../view/plan.ts';
import { customersOf } from '../../view/summary.ts';
import type { View } from './editor.ts';

const LONGEST = 60;
const SHORT = 24;
const MOST_WORDS = 6;
const MOST_UNREAD = 8;

/** `isShort`: marks are next to their lines alone, and in full when a line is opened. */
export function tableBlocks(view: View, tables: readonly Table[], isShort = false): Block[] {
  const { fields, detection, shown, surveyed, offers } = view;
  const { tickets, messages } = surveyed.needs;
  const { name, title } = detection.layout;
  const empty = shown.filter(isEmpty).map(lineOf);
  const marked = shown.flatMap((field) =>
    field.mark === undefined ? [] : [`${lineOf(field)}: ${field.mark}`],
  );
  const unread = unreadLines(view);
  const { distinct, made = 0 } = surveyed.customers;
  const said = customersOf(surveyed.customers).filter(Boolean);
  const about = [
    ...(fields === undefined ? [] : filesOf(fields)),
    `${surveyed.isPart ? 'the first ' : ''}${countOf(tickets, 'ticket')}`,
    countOf(messages, 'message'),
  ];
  return blocks(
    heading(
      fields === undefined ? `Layout ${name}: ${title}` : `Tickets from ${baseName(fields.tickets.file)}`,
    ),
    paragraph(about.join(' · ')),
    made > 0 && paragraph(`${countOf(distinct, 'customer')}: ${said.join(', ')}`, { tone: 'warn' }),
    fieldTable(
      shown.filter((field) => !isEmpty(field)),
      view,
      tables,
    ),
    empty.length > 0 && paragraph(`Empty: ${empty.join(' · ')}`, { tone: 'soft' }),
    marked.length > 0 && [
      paragraph(`${countOf(marked.length, 'line')} marked with ←: look at each once.`, { tone: 'warn' }),
      !isShort && list('bullets', marked),
    ],
    offers.length > 0 &&
      list('bullets', [
        `Are these agents of the helpdesk the same? ${offersText(offers)}`,
        `If they are, type for example agents.${offers[0]?.name}=${offers[0]?.id}`,
      ]),
    unread.length > 0 &&
      list('bullets', unread.slice(0, MOST_UNREAD), { more: Math.max(0, unread.length - MOST_UNREAD) }),
  );
}

const isEmpty = ({ key, source, mark }: Field) =>
  source.kind === 'none' && mark === undefined && key !== 'ticket.status';

const lineOf = ({ key, label }: Field) => `${numberOf(key)} ${label}`;

const fieldTable = (shown: readonly Field[], { fields }: View, tables: readonly Table[]): Block | false =>
  shown.length > 0 &&
  table({
    columns: [counts('#'), 'field', flexible('comes from'), flexible('values')],
    rows: shown.map((field): Line[] => [
      `${numberOf(field.key)}`,
      field.label,
      sourceText(field, tables, fields?.tickets),
      valuesOf(field, tables),
    ]),
  });

/** The lines that are otherwise than before, and what that did. */
export function changedBlocks(before: View, now: View, tables: readonly Table[]): Block[] {
  const textIn = ({ fields }: View, field: Field) =>
    JSON.stringify([sourceText(field, tables, fields?.tickets), valuesOf(field, tables)]);
  const then = new Map(before.shown.map((field) => [field.key, textIn(before, field)]));
  const changed = now.shown.filter((field) => then.get(field.key) !== textIn(now, field));
  const emptied = changed.filter((field) => isEmpty(field) && then.has(field.key));
  const lines = [
    ...emptied.map((field) => `${lineOf(field)} is empty now.`),
    ...changed.flatMap((field) => (field.mark === undefined ? [] : [`${lineOf(field)}: ${field.mark}`])),
    ...(['tickets', 'messages'] as const).flatMap((what) => {
      const [one, other] = [before.surveyed.needs[what], now.surveyed.needs[what]];
      return one === other ? [] : [`${countOf(other, what.slice(0, -1))} in place of ${formatCount(one)}.`];
    }),
    ...unreadLines(now).filter((line) => !unreadLines(before).includes(line)),
  ];
  return blocks(
    fieldTable(
      changed.filter((field) => !isEmpty(field)),
      now,
      tables,
    ),
    lines.length > 0 && list('bullets', lines),
    changed.length + lines.length === 0 && paragraph('Nothing is changed.', { tone: 'soft' }),
  );
}

function valuesOf(field: Field, tables: readonly Table[]): Line {
  const { key, source, mark } = field;
  const samples = samplesOf(field, tables).join(' · ');
  if (mark === undefined && key === 'ticket.status' && source.kind === 'none')
    return { text: 'every ticket is open', tone: 'warn' };
  if (mark === undefined) return { text: samples, tone: 'soft' };
  return { text: `← ${samples === '' ? mark : samples}`, tone: 'warn' };
}

export function unreadLines({ fields, unread }: View): string[] {
  const { texts = unread, files = [] } = fields?.unread ?? {};
  return [
    ...texts.map((column) => `No field reads the text in ${columnText(column)}.`),
    ...files.map((file) => `No field reads the file ${file}.`),
  ];
}

function filesOf({ thread, notes, rows, people, tickets }: Fields): string[] {
  const of = ({ table, list }: Thread) => `${baseName(table.file)}${list === undefined ? '' : `: ${list}`}`;
  return [
    `1 row a ${rows} in ${baseName(tickets.file)}`,
    ...(thread === undefined ? [] : [`messages from ${of(thread)}`]),
    ...notes.map((note) => `notes of the team from ${of(note)}`),
    ...(people === undefined ? [] : [`people from ${baseName(people.file)}`]),
  ];
}

export function sourceText({ source }: Field, tables: readonly Table[], tickets?: Table): string {
  switch (source.kind) {
    case 'none':
      return '–';
    case 'fixed':
      return source.value === 'public' ? 'everything is public' : `'${source.value}'`;
    case 'each-row':
      return `each row (all ${tickets === undefined ? '' : `${ownColumns(tickets).length} `}columns)`;
    case 'first-line':
      return 'the first words of the text';
    case 'rule':
      return shorten(printable(ruleText(source.rule)), LONGEST);
    case 'column': {
      const of = tables[source.table];
      return `${of === undefined || of === tickets || tables.length === 1 ? '' : `${baseName(of.file)}: `}${printable(source.name)}`;
    }
  }
}

/** The columns that a rule reads, as far as it names them simply. */
function ruleText(rule: unknown): string {
  if (Array.isArray(rule)) return [...new Set(rule.map(ruleText))].join(', ');
  const { column, get, of, row, template, when, const: fixed } = rule as Readonly<Record<string, unknown>>;
  const inner = column ?? get ?? of ?? row ?? template;
  if (Array.isArray(when))
    return when
      .map(({ if: test, then: value, else: other }) =>
        test === undefined ? `else ${ruleText(other)}` : `${ruleText(test)}: ${ruleText(value)}`,
      )
      .join(', ');
  if (fixed !== undefined) return `'${textOf(fixed)}'`;
  return inner === undefined ? textOf(rule) : ruleText(inner);
}

function samplesOf({ source, words }: Field, tables: readonly Table[]): string[] {
  const column = columnOf(tables, source);
  if (words === undefined) return examplesOf(column);
  const rowsOf = rowsOfWords(column);
  const all = [...words].map(([word, meaning]) => {
    const count = rowsOf.get(word);
    return `${shorten(printable(word), SHORT)}${count === undefined ? '' : ` ${formatCount(count)}`} → ${meaning ?? '?'}`;
  });
  return all.length <= MOST_WORDS ? all : [...all.slice(0, MOST_WORDS), `${all.length - MOST_WORDS} more`];
}

function rowsOfWords(column: Column | undefined): ReadonlyMap<string, number> {
  return new Map(column?.values.map(({ value, count }) => [value, count]));
}

function examplesOf(column: Column | undefined): string[] {
  return (column?.examples ?? []).map((text) => shorten(printable(text.replace(/\s+/g, ' ')), SHORT));
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

/** Words that are numbers are typed themselves. */
export function hasNumbers({ words = new Map() }: Field): boolean {
  return [...words.keys()].some((word) => /^\d+$/.test(word));
}

export function wordBlocks(field: Field, tables: readonly Table[]): Block[] {
  const rowsOf = rowsOfWords(columnOf(tables, field.source));
  const isPlain = hasNumbers(field);
  return blocks(
    table({
      columns: [...(isPlain ? [] : [counts('#')]), flexible('word'), counts('rows'), 'meaning'],
      rows: [...(field.words ?? [])].map(([word, meaning], at): Line[] => [
        ...(isPlain ? [] : [`${at + 1}`]),
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
    customers: surveyed.customers,
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
