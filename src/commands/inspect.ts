import { type CommandSpec, FILES, SET, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, READ_ONLY, textFlag } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { type Inspection, inspectExport, inspectionJson } from '../discover/inspection.ts';
import { type Column, isTimeColumn, type Join, type Table } from '../discover/profile.ts';
import { baseName } from '../discover/staged-tables.ts';
import { AppError } from '../domain/errors.ts';
import { countOf, formatCount, printable, shorten } from '../domain/printable.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { option } from '../settings/option-spec.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';
import type { Reading } from '../source/stage-csv.ts';
import * as b from '../view/blocks.ts';
import type { CommandLines } from '../view/command-line.ts';
import type { Conversation } from '../view/conversation/conversation.ts';
import { formatBytes, formatShare } from '../view/format.ts';
import { stepBlocks } from '../view/next-steps.ts';
import { Editor } from './init/editor.ts';
import { inspectTicket } from './inspect-ticket.ts';

export const command: CommandSpec = {
  arguments: [FILES],
  options: [
    shared('--from', { description: 'see whether the files fit this layout' }),
    option(
      'What to do',
      '--ticket <id>',
      'show where each field of one ticket comes from: file, line, column, rule',
    ),
    SET,
    shared('--checkpoint', {
      description: 'with --ticket: the links of files and tickets that were imported',
    }),
  ],
  examples: [
    ['inspect export/', 'which layout it is, its tables, columns and values'],
    ['inspect export/ --ticket 4711', 'where every field of a ticket comes from'],
    ['inspect export/ --json', 'the same as one JSON object'],
  ],
  run: inspectCommand,
};

async function inspectCommand(files: readonly string[], given: Flags, context: CliContext): Promise<number> {
  const ticket = textFlag(given, 'ticket');
  if (ticket !== undefined) {
    const loaded = await loadSettings(files, { ...given, dryRun: true }, ['files'], context);
    return await inspectTicket(ticket, loaded.settings, loaded.settings.output.json, context);
  }
  const { set } = given;
  const { source } = resolveSettings({ flags: { set }, env: {}, files, needs: ['files'] }).settings;
  const changes = [set ?? []].flat().map(String);
  const flags = { ...given, encoding: source.encoding, delimiter: source.delimiter };
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  await using opened = await openFiles(files, source, context, stop.soft);
  using inspection = await inspectExport(opened, {
    from: textFlag(flags, 'from'),
    signal: stop.soft,
  });
  const conversations = await conversationsOf(inspection, opened, flags, changes, stop.soft);
  answer(
    context,
    flags,
    { ...inspectionJson(inspection, opened.files), conversations },
    inspectionBlocks(inspection, opened.files, files, conversations ?? [], context.commands),
  );
  return 0;
}

/** Undefined without tickets. */
async function conversationsOf(
  inspection: Inspection,
  opened: StagedExport,
  flags: Flags,
  changes: readonly string[],
  signal: AbortSignal,
): Promise<readonly Conversation[] | undefined> {
  try {
    const editor = new Editor({ inspection, opened, flags, files: [], signal });
    for (const change of changes) editor.change(change);
    return (await editor.view()).surveyed.conversations;
  } catch (error) {
    if (error instanceof AppError && ['source', 'configuration'].includes(error.code)) return undefined;
    throw error;
  }
}

const FEW_VALUES = 12;
const MOST_COLUMNS = 60;
const DOT = ' · ';

/** `given`: the files as named, for the next steps. */
function inspectionBlocks(
  inspection: Inspection,
  files: readonly SourceFile[],
  given: readonly string[],
  conversations: readonly Conversation[],
  commands: CommandLines,
): b.Block[] {
  const { tables, detection } = inspection;
  const check = commands.about('run', { files: given, more: ['--dry-run'] });
  const init = commands.about('init', { files: given });
  const shown = conversations.map((ticket) => ({ kind: 'conversation', ticket }) as const);
  return b.blocks(
    layoutBlocks(inspection),
    ...tables.map((one) => tableBlocks(one, tables, files)),
    b.section('Joins', joinBlocks(inspection)),
    b.section('Unusual', problemList(inspection)),
    b.section('As tickets in the helpdesk', ...shown),
    stepBlocks(
      detection === undefined
        ? [{ text: 'Propose a mapping:', command: init }]
        : [
            { text: 'Check it; nothing is sent:', command: check },
            { text: 'Write the settings down:', command: init },
          ],
    ),
  );
}

const MOST_OF_A_KIND = 3;
const MOST_NAMED = 12;
const MOST_OF_NAME = 40;

function layoutBlocks({ detection, undetected }: Inspection): b.Block[] {
  if (detection === undefined) return [b.paragraph(undetected?.message ?? '', { tone: 'warn' })];
  const { layout, confidence, reasons, unknown, unused } = detection;
  const some = unknown.slice(0, MOST_NAMED).map((name) => shorten(printable(name), MOST_OF_NAME));
  const more = unknown.length > MOST_NAMED ? [`${unknown.length - MOST_NAMED} more`] : [];
  return [
    b.heading(`Layout ${layout.name}: ${layout.title}`),
    b.facts([
      { label: 'sure', value: `${Math.round(confidence * 100)}%` },
      ...reasons.map((reason) => {
        const [label = '', ...rest] = reason.split(': ');
        return { label, value: rest.join(': ') };
      }),
      unknown.length > 0 && { label: 'not known', value: [...some, ...more].join(', '), tone: 'soft' },
      unused.length > 0 && {
        label: 'not used',
        value: unused.map(({ name }) => name).join(', '),
        tone: 'warn',
      },
    ]),
  ];
}

function tableBlocks(shown: Table, all: readonly Table[], files: readonly SourceFile[]): b.Block[] {
  const { collection, parts, rows, blank, unreadable, columnsLeftOut } = shown;
  const inside = collection.stream ?? collection.kind?.value ?? (collection.path ?? []).join('.');
  const others = parts.length > 1 ? ` and ${countOf(parts.length - 1, 'more file')}` : '';
  const [broken] = unreadable;
  const about = [
    countOf(rows, 'row'),
    ...(blank > 0 ? [`${formatCount(blank)} blank`] : []),
    ...(broken ? [`${formatCount(unreadable.length)} unreadable, first in line ${broken.line}`] : []),
    ...fileFacts(files.find(({ id }) => id === collection.file)),
  ];
  const columns = [
    b.flexible('column'),
    'type',
    b.counts('filled'),
    b.counts('distinct'),
    b.flexible('values'),
  ];
  const lines = ownColumns(shown, all).map(columnRow);
  return b.blocks(
    b.heading(`${shown.file}${others}${inside === '' ? '' : `: ${inside}`}`),
    b.paragraph(about.join(DOT), { tone: 'soft' }),
    lines.length > 0 && b.table({ columns, rows: lines, most: MOST_COLUMNS, more: columnsLeftOut }),
  );
}

function fileFacts(file: SourceFile | undefined): string[] {
  if (file === undefined) return [];
  const { format, encoding, delimiter, compression, bytes } = file;
  const separated = delimiter && `delimiter ${delimiter === '\t' ? 'tab' : JSON.stringify(delimiter)}`;
  const packed = compression === 'none' ? undefined : compression;
  return [format, encoding, separated, packed, formatBytes(bytes)].filter((fact) => fact !== undefined);
}

/** Items of lists that are tables of their own are left to those. */
function ownColumns({ collection, columns }: Table, all: readonly Table[]): readonly Column[] {
  if (collection.format === 'csv' || collection.path !== undefined) return columns;
  const lists = all.flatMap(({ collection: other }) =>
    other.file === collection.file && other.path !== undefined ? [`${other.path.join('.')}[]`] : [],
  );
  return columns.filter(({ name }) => !lists.some((list) => name.startsWith(list)));
}

function columnRow(column: Column): b.Line[] {
  const { name, type, filled, rows, distinct } = column;
  const tone = filled === 0 ? 'soft' : undefined;
  return [
    { text: name, tone },
    { text: type, tone: type === 'mixed' ? 'warn' : tone },
    { text: filled === 0 ? '0%' : formatShare(filled, rows), tone },
    distinct === 0 ? '' : formatCount(distinct),
    { text: valuesOf(column).join(DOT), tone: 'soft' },
  ];
}

const DAY_ORDERS: Readonly<Record<NonNullable<Column['dayOrder']>, string>> = {
  'day-first': 'day first, proven',
  'month-first': 'month first, proven',
  open: 'day or month first: open',
  contradictory: 'day and month order differ',
};

function valuesOf(column: Column): string[] {
  const { values, examples, nulls, distinct, filled, times, dayOrder } = column;
  const nothing = nulls.map(({ value, count }) => `${JSON.stringify(value)} for empty ${formatCount(count)}`);
  const isFew = distinct > 0 && distinct <= FEW_VALUES && distinct < filled;
  const shown = isTimeColumn(column)
    ? times.map(({ zoned, example }) => `${example}${zoned ? '' : ', no zone'}`)
    : isFew
      ? values.map(({ value, count }) => `${value} ${formatCount(count)}`)
      : examples;
  return [...shown, ...(dayOrder === undefined ? [] : [DAY_ORDERS[dayOrder]]), ...nothing];
}

function joinBlocks({ joins, tables }: Inspection): b.Block | false {
  const end = ({ table, column }: Join['from']) => `${baseName(tables[table]?.file ?? '')} ${column}`;
  const rows = joins.map(({ from, to, found, compared }): b.Line[] => {
    const tone = found === 0 ? 'bad' : found < compared ? 'warn' : 'good';
    return [
      end(from),
      end(to),
      { text: `${formatShare(found, compared)} of ${countOf(compared, 'key')}`, tone },
    ];
  });
  const columns = [b.flexible('column'), b.flexible('holds keys of'), b.counts('found')];
  return rows.length > 0 && b.table({ columns, rows });
}

function problemList({ problems }: Inspection): b.Block | false {
  const lines: string[] = [];
  for (const [code, same] of Map.groupBy(problems, (problem) => problem.code)) {
    if (code === 'byte-order-mark') continue;
    for (const { file, line, message } of same.slice(0, MOST_OF_A_KIND))
      lines.push(
        file === undefined || line === undefined ? message : `${baseName(file)}:${line}: ${message}`,
      );
    const more = same.slice(MOST_OF_A_KIND).reduce((sum, { count }) => sum + count, 0);
    if (more > 0) lines.push(`${formatCount(more)} more like these: --json lists them.`);
  }
  return lines.length > 0 && b.list('bullets', lines);
}

export async function openFiles(
  files: readonly string[],
  { encoding, delimiter, skipLines, header }: Reading,
  { stdin }: CliContext,
  signal: AbortSignal,
): Promise<StagedExport> {
  return await openExport(files, { encoding, delimiter, skipLines, header, stdin, signal });
}
