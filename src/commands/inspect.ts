/** `helpdesk-import inspect`: what is in an export. Sends nothing and writes nothing. */
import { type CommandSpec, JSON_RESULT, NEEDED_FILES, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, READ_ONLY } from '../cli/context.ts';
import { answer } from '../cli/screen.ts';
import { type Inspection, inspectExport, inspectionJson } from '../discover/inspection.ts';
import { type Column, isTimeColumn, type Table } from '../discover/profile.ts';
import { baseName } from '../discover/staged-tables.ts';
import { AppError } from '../domain/errors.ts';
import { printable, shorten } from '../domain/printable.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';
import {
  type Block,
  blocks,
  counts,
  facts,
  flexible,
  heading,
  type Line,
  list,
  paragraph,
  section,
  table,
} from '../view/blocks.ts';
import { quoteArgument } from '../view/command-line.ts';
import type { Conversation } from '../view/conversation/conversation.ts';
import { countOf, formatBytes, formatCount, formatShare } from '../view/format.ts';
import { stepBlocks } from '../view/next-steps.ts';
import { chooseMapping, surveyNeeds } from './init/survey.ts';

export const command: CommandSpec = {
  arguments: [NEEDED_FILES],
  options: [
    shared('--from', { description: 'see whether the files fit this layout' }),
    shared('--encoding'),
    shared('--delimiter'),
    JSON_RESULT,
  ],
  examples: [
    ['inspect export/', 'which layout it is, its tables, columns and values'],
    ['inspect export/ --json', 'the same as one JSON object'],
  ],
  run: inspectCommand,
};

async function inspectCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  using stop = listenForStop(context, () => undefined, READ_ONLY);
  await using opened = await openFiles(files, flags, context, stop.soft);
  using inspection = await inspectExport(opened, {
    from: textFlag(flags, 'from'),
    signal: stop.soft,
  });
  const conversations = await conversationsOf(inspection, opened, flags, context, stop.soft);
  answer(
    context,
    flags,
    { ...inspectionJson(inspection, opened.files), conversations },
    inspectionBlocks(inspection, opened.files, files, conversations ?? []),
  );
  return 0;
}

/** As `init` would map the export; undefined where it has nothing like a ticket. */
async function conversationsOf(
  inspection: Inspection,
  opened: StagedExport,
  flags: Flags,
  { cwd, clock }: CliContext,
  signal: AbortSignal,
): Promise<readonly Conversation[] | undefined> {
  try {
    const found = chooseMapping(inspection, opened, flags, new Map());
    if (found === undefined) return undefined;
    const { conversations } = await surveyNeeds(opened, found.detection, {
      folder: cwd,
      signal,
      now: new Date(clock.now()),
    });
    return conversations;
  } catch (error) {
    // init and run say what is wrong with a mapping
    if (error instanceof AppError && ['source', 'configuration'].includes(error.code)) return undefined;
    throw error;
  }
}

/** A column with so many values at most shows them with their counts. */
const FEW_VALUES = 12;
/** Columns of a table that are shown; a table of hundreds is mostly empty ones. */
const MOST_COLUMNS = 60;
/** Between the parts of a line. */
const DOT = ' · ';

/** `given`: the files as the user named them, for the next steps. */
function inspectionBlocks(
  inspection: Inspection,
  files: readonly SourceFile[],
  given: readonly string[],
  conversations: readonly Conversation[],
): Block[] {
  const { tables, detection } = inspection;
  const names = given.map(quoteArgument).join(' ');
  const init = `helpdesk-import init ${names}`;
  return blocks(
    layoutBlocks(inspection),
    ...tables.map((one) => tableBlocks(one, tables, files)),
    joinBlocks(inspection),
    section('Unusual', oddityList(inspection)),
    section(
      'As tickets in the helpdesk',
      ...conversations.map((ticket) => ({ kind: 'conversation', ticket }) as const),
    ),
    stepBlocks(
      detection === undefined
        ? [{ text: 'Propose a mapping:', command: init }]
        : [
            { text: 'Check it; nothing is sent:', command: `helpdesk-import run ${names} --dry-run` },
            { text: 'Write the settings down:', command: init },
          ],
    ),
  );
}

function layoutBlocks({ detection, undetected, ranking }: Inspection): Block[] {
  if (detection === undefined)
    return [
      paragraph(undetected?.message ?? '', { tone: 'warn' }),
      ...(undetected?.near ?? []).slice(0, 3).map((line) => paragraph(line, { tone: 'soft' })),
    ];
  const { layout, confidence, reasons, unknown, unused } = detection;
  const percent = (share: number) => `${Math.round(share * 100)}%`;
  const others = ranking
    .filter(({ name }) => name !== layout.name)
    .slice(0, 2)
    .map((other) => `, then ${other.name} ${percent(other.confidence)}`);
  const unusedNames = unused.map(({ name }) => name).join(', ');
  return [
    heading(`Layout ${layout.name}: ${layout.title}`),
    facts([
      { label: 'sure', value: `${percent(confidence)}${others.join('')}` },
      ...reasons.map((reason) => {
        const [label = '', ...rest] = reason.split(': ');
        return { label, value: rest.join(': ') };
      }),
      unknown.length > 0 && { label: 'not known', value: someOf(unknown), tone: 'soft' },
      unused.length > 0 && { label: 'not used', value: unusedNames, tone: 'warn' },
    ]),
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

function tableBlocks(shown: Table, all: readonly Table[], files: readonly SourceFile[]): Block[] {
  const { collection, parts, rows, columnsLeftOut } = shown;
  const columns = ownColumns(shown, all);
  const inside = collection.stream ?? collection.kind?.value ?? (collection.path ?? []).join('.');
  const others = parts.length > 1 ? ` and ${countOf(parts.length - 1, 'more file')}` : '';
  const about = [countOf(rows, 'row'), ...fileFacts(files.find(({ id }) => id === collection.file))];
  return blocks(
    heading(`${shown.file}${others}${inside === '' ? '' : `: ${inside}`}`),
    paragraph(about.join(DOT), { tone: 'soft' }),
    columns.length > 0 &&
      table({
        columns: [flexible('column'), 'type', counts('filled'), counts('distinct'), flexible('values')],
        rows: columns.map(columnRow),
        most: MOST_COLUMNS,
        more: columnsLeftOut,
      }),
  );
}

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

/** Of a document, without its lists, which are tables of their own here. */
function ownColumns({ collection, columns }: Table, all: readonly Table[]): readonly Column[] {
  if (collection.format === 'csv' || collection.path !== undefined) return columns;
  const lists = all.flatMap(({ collection: other }) =>
    other.file === collection.file && other.path !== undefined ? [`${other.path.join('.')}[]`] : [],
  );
  return columns.filter(({ name }) => !lists.some((list) => name.startsWith(list)));
}

function columnRow(column: Column): Line[] {
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

function joinBlocks({ joins, tables }: Inspection): Block[] {
  if (joins.length === 0) return [];
  const end = (at: number, column: string) => `${baseName(tables[at]?.file ?? '')} ${column}`;
  return [
    heading('Joins'),
    table({
      columns: [flexible('column'), flexible('holds keys of'), counts('found')],
      rows: joins.map(({ from, to, found, compared }): Line[] => [
        end(from.table, from.column),
        end(to.table, to.column),
        {
          text: `${formatShare(found, compared)} of ${countOf(compared, 'key')}`,
          tone: found === 0 ? 'bad' : found < compared ? 'warn' : 'good',
        },
      ]),
    }),
  ];
}

function oddityList({ oddities, problems, tables }: Inspection): Block | false {
  const lines = [
    ...oddities.map(({ file, message }) => (tables.length > 1 ? `${baseName(file)}: ${message}` : message)),
    // Layouts and encodings are named above.
    ...problemLines(problems),
  ];
  return lines.length > 0 && list('bullets', lines);
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

/** Throws AppError `source` where a file cannot be read. */
export async function openFiles(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
  signal: AbortSignal,
): Promise<StagedExport> {
  return await openExport(files, {
    encoding: textFlag(flags, 'encoding'),
    delimiter: textFlag(flags, 'delimiter'),
    stdin: context.stdin,
    signal,
  });
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}
