/** The findings about a mapping of an opened export: what the watch is told, and what becomes of a finding in a run. */
import { AppError } from '../domain/errors.ts';
import { type JoinedExport, type JoinInput, ROW_COLUMN } from '../domain/join-plan.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import type { JsonObject } from '../domain/source.ts';
import {
  type ExportFiles,
  type FileOutline,
  isJsonObject,
  type SourceFile,
  selectObject,
  valueAt,
} from '../domain/source-file.ts';
import type { MappedTicket } from '../domain/ticket.ts';
import { FINDINGS, type Finding, many, type Places, stops, TOLD_BY_COLUMNS } from '../findings/finding.ts';
import { KeySketch } from '../findings/key-sketch.ts';
import { MappingWatch } from '../findings/mapping-watch.ts';
import { type UnreadList, unreadRecords, unreadTexts } from '../findings/unread.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import { collectionsOf } from '../mapping/detect/collections.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { Layout } from '../mapping/language/layout.ts';

export interface WatchedSource {
  readonly files: Pick<ExportFiles, 'files' | 'problems'>;
  readonly detection: Pick<Detection, 'layout' | 'plan'>;
  readonly joined: Pick<JoinedExport, 'unmatchedRows' | 'rowCounts'>;
  readonly mapper: Pick<Mapper, 'unread'>;
}

export class MappingFindings {
  readonly #source: WatchedSource;
  readonly #watch: MappingWatch;

  constructor(source: WatchedSource, now: Date) {
    this.#source = source;
    this.#watch = new MappingWatch(now);
  }

  see(mapped: MappedTicket): void {
    this.#watch.see(mapped);
  }

  async findings(): Promise<Finding[]> {
    const { mapper, detection } = this.#source;
    const unread = mapper.unread();
    const places = placesOf(detection.layout);
    const lists = unreadLists(this.#source, this.#watch.ids);
    const found = [...this.#watch.findings(places, unread, lists), ...unreadRecords(lists)];
    const root = detection.plan.tables.find(({ role }) => role === 'root');
    if (root?.key.includes(ROW_COLUMN) === true) found.unshift({ ...NO_ID, setting: places.key });
    const { unreadFields } = await import('./unread-fields.ts');
    return [...found, ...unjoined(this.#source, places), ...unreadFields(unread, this.#watch.filled())];
  }
}

const NO_ID: Omit<Finding, 'setting'> = {
  code: 'no-id',
  message:
    'No column names the tickets, so each row is one, known by a fingerprint of its values. A row that is changed in a later export counts as another ticket, and of equal rows one is imported.',
};

/** Of a layout that says everything outright there is one thing to ask: whether the conversation was left out. */
export function missingConversation(source: WatchedSource, tickets: number): Finding[] {
  return unreadTexts(source.mapper.unread(), unreadLists(source, undefined), {
    tickets,
    lacksMessages: true,
    read: 0,
  });
}

/**
 * Findings of a proposal that nobody has looked at are errors where they are grave; where a layout is a known one, or
 * somebody has written the mapping, they are warnings.
 */
export function tellFindings(
  found: readonly Finding[],
  { confirm }: { readonly confirm?: Readonly<Record<string, boolean>> | undefined },
  problem: ProblemSink,
): AppError | undefined {
  const open: Problem[] = [];
  // what a person said no to, and what no look at the tickets finds again
  const refused = [...TOLD_BY_COLUMNS, 'conversations' as const]
    .filter((code) => confirm?.[code] === false)
    .map(
      (code): Finding => ({
        code,
        message: `${FINDINGS[code].question} The settings say no: correct the mapping, then write true.`,
        setting: 'mapping',
      }),
    );
  for (const finding of [...refused, ...found]) {
    if (confirm?.[finding.code] === true) continue;
    const reported: Problem = {
      severity: stops(finding, confirm !== undefined) ? 'error' : 'warning',
      code: finding.code,
      ...(finding.ticket === undefined ? {} : { ticket: finding.ticket }),
      field: finding.setting,
      message: `${finding.message} See ${finding.setting} in the settings.`,
      count: 1,
    };
    if (reported.severity === 'error') open.push(reported);
    problem(reported);
  }
  if (open.length === 0) return undefined;
  return new AppError(
    'configuration',
    `The proposed mapping has ${open.length === 1 ? 'a doubtful place' : `${open.length} doubtful places`}, so nothing is sent.`,
    {
      lines: open.map(({ code, message }) => `${code}: ${message}`),
      hint: `Change the mapping, or write under confirm in the settings what is right as it is: ${open.map(({ code }) => `${code}: true`).join(', ')}`,
    },
  );
}

/** Where a person would change something: the rule that most messages come from, and the one of the description. */
function placesOf({ messages = [], ticket, tables }: Layout): Places {
  const at = messages.findIndex(
    ({ from, each, columns }) => from !== undefined || each !== undefined || columns !== undefined,
  );
  const root =
    Object.entries(tables).find(([, { role }]) => role === 'root' || role === 'group')?.[0] ?? 'tickets';
  return {
    key: `mapping.tables.${root}.key`,
    requester: ticket.contact === undefined ? 'mapping.ticket.requester' : 'mapping.ticket.contact',
    status: 'mapping.ticket.status',
    messages: `mapping.messages[${Math.max(0, at)}]`,
    description: 'mapping.messages[0]',
  };
}

/** Records that are in the export and in no table of the mapping. */
function unreadLists({ files, detection }: WatchedSource, ids: KeySketch | undefined): UnreadList[] {
  const inputs = Map.groupBy(
    detection.plan.tables.flatMap((table) => table.inputs),
    ({ file }) => file,
  );
  const folders = files.problems.flatMap(({ code, file }) =>
    code === 'ignored-folder' && file !== undefined ? [unreadFolder(file)] : [],
  );
  const lists = files.files.flatMap((file) => {
    const taken = inputs.get(file.id) ?? [];
    const kinds = leftKinds(file, taken, ids);
    if (kinds.length > 0) return kinds;
    const whole = taken.some(({ selector }) => selector === undefined || selector.path === undefined);
    return collectionsOf(file.outline)
      .filter(({ selector, path, samples, format }) => {
        if (taken.length === 0) return format === 'csv' || samples.length > 0;
        if (whole && selector?.where === undefined) return false;
        return (
          path !== undefined &&
          path.length > 0 &&
          !taken.some(({ selector: known }) => known?.path?.join('.') === path.join('.'))
        );
      })
      .map(({ path, stream, samples, format }): UnreadList => {
        const rows =
          format === 'csv' ? csvSamples(file.outline) : samples.map((sample) => Object.entries(sample));
        return {
          file: file.name,
          list: stream ?? (path === undefined || path.length === 0 ? undefined : path.join('.')),
          text: rows.flat().reduce((sum, [, value]) => sum + (isSentence(value) ? value.length : 0), 0),
          bytes: file.bytes,
          rows: { count: rows.length, exact: format === 'csv' && rows.length < SAMPLED },
          joins: ids && (joiningColumn(rows, ids) ?? null),
        };
      });
  });
  return [...lists, ...folders];
}

/** It counts where tickets come without messages. */
function unreadFolder(file: string): UnreadList {
  const rows = { count: 0, exact: false };
  return { file, list: undefined, isFolder: true, text: 1, bytes: 0, rows, joins: undefined };
}

/** Kinds of records in a stream that no table of the mapping takes, as the samples show them. */
function leftKinds(file: SourceFile, taken: readonly JoinInput[], ids: KeySketch | undefined): UnreadList[] {
  const [first] = taken;
  const where = first?.selector?.where;
  const path = first?.selector?.path?.join('.');
  if (where === undefined || !taken.every(({ selector }) => selector?.where !== undefined)) return [];
  const samples = file.outline.collections?.find((each) => each.path?.join('.') === path)?.sample ?? [];
  const left = samples.filter((sample) =>
    taken.every(({ selector }) => selectObject(sample, selector) === undefined),
  );
  const kindOf = (sample: JsonObject) => {
    const value = valueAt(sample, where.path);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    const objects = Object.keys(sample).filter((key) => isJsonObject(sample[key]));
    return value === undefined && where.oneOf === undefined && objects.length === 1 ? objects[0] : undefined;
  };
  return [...Map.groupBy(left, kindOf)].flatMap(([kind, some]) => {
    if (kind === undefined) return [];
    const rows = some.map(cellsIn);
    return {
      file: file.name,
      list: kind,
      isKind: true,
      text: rows.flat().reduce((sum, [, value]) => sum + (isSentence(value) ? value.length : 0), 0),
      bytes: file.bytes,
      rows: { count: rows.length, exact: false },
      joins: ids && (joiningColumn(rows, ids) ?? null),
    };
  });
}

/** Of a record and of the objects in it. */
function cellsIn(record: JsonObject): Cells {
  return Object.entries(record).flatMap(
    ([name, value]): Cells => (isJsonObject(value) ? cellsIn(value) : [[name, value]]),
  );
}

/** A sample of this size may be a part of the file. */
const SAMPLED = 200;

type Cells = readonly (readonly [name: string, value: unknown])[];

function csvSamples({ header = [], sampleRows = [] }: FileOutline): Cells[] {
  return sampleRows.map((cells) => cells.map((cell, at) => [header[at] ?? '', cell] as const));
}

function isSentence(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 30 && /\S\s\S+\s\S+\s\S/.test(value);
}

function joiningColumn(rows: readonly Cells[], ids: KeySketch): string | undefined {
  const columns = new Map<string, KeySketch>();
  for (const [name, value] of rows.flat()) {
    if (value === '' || (typeof value !== 'string' && typeof value !== 'number')) continue;
    const keys = columns.get(name) ?? new KeySketch();
    columns.set(name, keys);
    keys.add(String(value));
  }
  return [...columns].find(([, keys]) => {
    const { found, compared } = keys.matches(ids);
    return found >= 2 && found >= 0.5 * compared;
  })?.[0];
}

/** Rows of messages that belong to no ticket: a few are lost in every export, many are joined by the wrong column. */
function unjoined({ joined, detection }: WatchedSource, { messages }: Places): Finding[] {
  const tables = new Set((detection.layout.messages ?? []).flatMap(({ from }) => from ?? []));
  const counts = new Map<string, number>();
  for (const { table } of joined.unmatchedRows())
    if (tables.has(table)) counts.set(table, (counts.get(table) ?? 0) + 1);
  return [...counts].flatMap(([table, count]) => {
    const rows = joined.rowCounts().get(table) ?? count;
    return count < 2 || count < 0.3 * rows
      ? []
      : [
          {
            code: 'unjoined-rows' as const,
            message: `${many(count, 'row')} of ${rows} in ${table} belong to no ticket of the export, so their text is not imported.`,
            setting: `${messages}.from`,
          },
        ];
  });
}
