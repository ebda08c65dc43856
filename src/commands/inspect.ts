import { type CommandSpec, FILES, SET, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, READ_ONLY, textFlag } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { type Inspection, inspectExport, inspectionJson } from '../discover/inspection.ts';
import { type Column, isTimeColumn, type Table } from '../discover/profile.ts';
import { baseName } from '../discover/staged-tables.ts';
import { AppError } from '../domain/errors.ts';
import { countOf, formatCount, printable, shorten } from '../domain/printable.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { optionsOf } from '../import/options.ts';
import { option } from '../settings/option-spec.ts';
import { resolveSettings } from '../settings/resolve-settings.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';
import * as b from '../view/blocks.ts';
import { quoteArgument } from '../view/command-line.ts';
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
    return await inspectTicket(
      ticket,
      optionsOf(loaded.settings),
      loaded.settings.output.json,
      loaded.folder,
      context,
    );
  }
  const { set } = given;
  const { source } = resolveSettings({ flags: { set }, env: {}, files, needs: ['files'] }).settings;
  const flags = { ...given, encoding: source.encoding, delimiter: source.delimiter };
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

/** Undefined without tickets. */
async function conversationsOf(
  inspection: Inspection,
  opened: StagedExport,
  flags: Flags,
  { cwd }: CliContext,
  signal: AbortSignal,
): Promise<readonly Conversation[] | undefined> {
  try {
    const editor = new Editor({ inspection, opened, flags, files: [], folder: cwd, signal });
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
): b.Block[] {
  const { tables, detection } = inspection;
  const names = given.map(quoteArgument).join(' ');
  const init = `helpdesk-import init ${names}`;
  return b.blocks(
    layoutBlocks(inspection),
    ...tables.map((one) => tableBlocks(one, tables, files)),
    joinBlocks(inspection),
    b.section('Unusual', oddityList(inspection)),
    b.section(
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

function layoutBlocks({ detection, undetected, ranking }: Inspection): b.Block[] {
  if (detection === undefined)
    return [
      b.paragraph(undetected?.message ?? '', { tone: 'warn' }),
      ...(undetected?.near ?? []).slice(0, 3).map((line) => b.paragraph(line, { tone: 'soft' })),
    ];
  const { layout, confidence, reasons, unknown, unused } = detection;
  const percent = (share: number) => `${Math.round(share * 100)}%`;
  const others = ranking
    .filter(({ name }) => name !== layout.name)
    .slice(0, 2)
    .map((other) => `, then ${other.name} ${percent(other.confidence)}`);
  const unusedNames = unused.map(({ name }) => name).join(', ');
  return [
    b.heading(`Layout ${layout.name}: ${layout.title}`),
    b.facts([
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

const MOST_NAMED = 12;
const MOST_OF_NAME = 40;

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const some = names.slice(0, MOST_NAMED).map((name) => shorten(printable(name), MOST_OF_NAME));
  return [...some, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function tableBlocks(shown: Table, all: readonly Table[], files: readonly SourceFile[]): b.Block[] {
  const { collection, parts, rows, columnsLeftOut } = shown;
  const columns = ownColumns(shown, all);
  const inside = collection.stream ?? collection.kind?.value ?? (collection.path ?? []).join('.');
  const others = parts.length > 1 ? ` and ${countOf(parts.length - 1, 'more file')}` : '';
  const about = [countOf(rows, 'row'), ...fileFacts(files.find(({ id }) => id === collection.file))];
  return b.blocks(
    b.heading(`${shown.file}${others}${inside === '' ? '' : `: ${inside}`}`),
    b.paragraph(about.join(DOT), { tone: 'soft' }),
    columns.length > 0 &&
      b.table({
        columns: [
          b.flexible('column'),
          'type',
          b.counts('filled'),
          b.counts('distinct'),
          b.flexible('values'),
        ],
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

function valuesOf(column: Column): string[] {
  const { values, examples, nulls, distinct, filled, times, dayOrder } = column;
  const nothing = nulls.map(({ value, count }) => `${JSON.stringify(value)} for empty ${formatCount(count)}`);
  if (isTimeColumn(column)) {
    const shown = times.map(({ zoned, example }) => `${example}${zoned ? '' : ', no zone'}`);
    return [...shown, ...(dayOrder === undefined ? [] : DAY_ORDERS[dayOrder]), ...nothing];
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

function joinBlocks({ joins, tables }: Inspection): b.Block[] {
  if (joins.length === 0) return [];
  const end = (at: number, column: string) => `${baseName(tables[at]?.file ?? '')} ${column}`;
  return [
    b.heading('Joins'),
    b.table({
      columns: [b.flexible('column'), b.flexible('holds keys of'), b.counts('found')],
      rows: joins.map(({ from, to, found, compared }): b.Line[] => [
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

function oddityList({ oddities, problems, tables }: Inspection): b.Block | false {
  const lines = [
    ...oddities.map(({ file, message }) => (tables.length > 1 ? `${baseName(file)}: ${message}` : message)),
    ...problemLines(problems),
  ];
  return lines.length > 0 && b.list('bullets', lines);
}

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
