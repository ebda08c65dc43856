/** Places of problems in the export, and rows that belong to no ticket. */
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type * as places from '../domain/source.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { nameOf } from './read.ts';
import type { LearntSource, Source } from './run.ts';

export function ticketFrame(
  { mapper, detection, files }: LearntSource,
  ticket: places.SourceTicket,
  problem: Problem,
): places.SourceFrame | undefined {
  const { part, row, table } = mapper.locate(ticket, problem) ?? {};
  if (part === undefined || row === undefined || table === undefined) return undefined;
  const path = 'path' in part && { path: [...unwrapOf(detection, table, row.ref), ...part.path] };
  return files.files[row.ref.file]?.frame(row.ref, path || part);
}

export function keyFrame(
  { files, detection }: Source,
  table: string | undefined,
  ref: places.RecordRef,
): places.SourceFrame | undefined {
  const column = detection.plan.tables.find(({ name }) => name === table)?.key[0];
  const file = files.files[ref.file];
  if (table === undefined || column === undefined || file === undefined) return undefined;
  const part = keyPart(file.header, column, unwrapOf(detection, table, ref));
  return part && file.frame(ref, part);
}

export function headerFrame(
  { files }: Pick<Source, 'files'>,
  problem: Problem,
): places.SourceFrame | undefined {
  if (problem.code !== 'unknown-field') return undefined;
  const file = files.files.find(({ name }) => name === problem.file);
  const cell = file?.header?.findIndex((name) => name.trim() === problem.column?.trim()) ?? -1;
  return file?.headerRef === undefined || cell < 0 ? undefined : file.frame(file.headerRef, { cell });
}

export function defectFrame(
  { files }: Pick<Source, 'files'>,
  ref: places.RecordRef,
): places.SourceFrame | undefined {
  return files.files[ref.file]?.frame(ref, 'defect');
}

function keyPart(
  header: readonly string[] | undefined,
  column: string,
  unwrap: readonly string[],
): places.RecordPart | undefined {
  if (header === undefined) return { path: [...unwrap, ...column.split('.')] };
  const plain = (name: string) => name.trim().toLowerCase();
  const cell = header.findIndex((name) => plain(name) === plain(column));
  return cell < 0 ? undefined : { cell };
}

function unwrapOf(
  { plan }: Source['detection'],
  table: string,
  { file }: places.RecordRef,
): readonly string[] {
  const inputs = plan.tables.find(({ name }) => name === table)?.inputs ?? [];
  return inputs.find((input) => input.file === file)?.selector?.unwrap ?? [];
}

export interface LooseRow {
  /** `lost`: a part of a ticket that cannot be read. */
  readonly kind: 'message' | 'event' | 'row' | 'unreadable' | 'lost';
  readonly table: string;
  readonly ref: places.RecordRef;
  readonly message: string;
  readonly problem: Problem;
  readonly frameOf: () => places.SourceFrame | undefined;
}

export function* looseRows(source: Source): Generator<LooseRow> {
  const { joined, detection } = source;
  const place = (ref: places.RecordRef) => ({ file: nameOf(source, ref), line: ref.line, count: 1 });
  for (const { table, parent, ref, near } of joined.unmatchedRows()) {
    const kind = itemKind(table, detection.layout);
    const data = { near: near === undefined ? '' : ` The ticket ${near} is in the export: is it the same?` };
    const ticket = parent === '' ? {} : { ticket: parent };
    const sentence = parent === '' ? 'nameless' : 'lost';
    const problem = problemOf(`orphan-${kind}:${sentence}`, data, { ...ticket, ...place(ref) });
    const { message } = problem;
    yield { kind, table, ref, message, problem, frameOf: () => keyFrame(source, table, ref) };
  }
  for (const { table, ref, message, text, isOfTicket } of joined.unreadableRows()) {
    const data = { why: message, text: JSON.stringify(text.trim()) };
    const severity = isOfTicket ? 'error' : 'warning';
    const sentence = isOfTicket ? 'ticket' : 'row';
    const problem = problemOf(`unreadable-row:${sentence}`, data, { severity, ...place(ref) });
    const kind = isOfTicket ? 'lost' : 'unreadable';
    yield { kind, table, ref, message, problem, frameOf: () => defectFrame(source, ref) };
  }
}

function itemKind(table: string, { messages = [], events = [] }: Layout): 'message' | 'event' | 'row' {
  if (messages.some((rule) => rule.from === table)) return 'message';
  return events.some((rule) => rule.from === table) ? 'event' : 'row';
}

export function requireReadable(source: Source): void {
  const lines = [...source.joined.unreadableRows()].flatMap(({ isOfTicket, ref, message }) =>
    isOfTicket ? `${nameOf(source, ref)}:${ref.line}: ${message}` : [],
  );
  if (lines.length === 0) return;
  throw new AppError(
    'source',
    lines.length === 1
      ? 'A row of a ticket cannot be read, so nothing was sent.'
      : `${lines.length} rows of tickets cannot be read, so nothing was sent.`,
    {
      lines,
      hint: 'Correct them in the export. To import the tickets without these rows, add --set source.allowUnreadableRows=true.',
    },
  );
}
