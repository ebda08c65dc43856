/**
 * A layout at work: from joined source rows to candidates for payloads. Made once for an export; mapping a ticket is
 * then plain function calls. Counts for the loss report add up over all tickets.
 */
import { didYouMean } from '../../domain/nearest.ts';
import type { Problem } from '../../domain/problem.ts';
import { plainHeader, type Row, type SourceTicket } from '../../domain/source.ts';
import type { LossReport, UnreadColumn } from '../../domain/survey.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { UnmappedPolicy } from '../../domain/unmapped.ts';
import type { Layout } from '../language/layout.ts';
import { type ActorRules, compileTeam } from '../people/actors.ts';
import { ignoredNames } from './columns.ts';
import type { CompileContext, FieldOrigin, Notes } from './context.ts';
import { newNotes } from './context.ts';
import { type FieldLocation, fieldLocation } from './field-location.ts';
import { columnPatterns } from './paths.ts';
import { type compileLayoutRules, referencesOf } from './rules.ts';
import { applyTransform, type TransformTicket } from './transform.ts';
import { Unread, type UnusedColumn } from './unread.ts';

export interface Mapper {
  readonly layout: Layout;
  /** Never throws for data. */
  map(ticket: SourceTicket): MappedTicket;
  /** Every field of every payload with what it was read from. Counts nothing. */
  explain(ticket: SourceTicket): FieldExplanation[];
  /** Where the value is that a problem of the ticket's mapping or checking is about. Counts nothing. */
  locate(ticket: SourceTicket, problem: Problem): FieldLocation | undefined;
  /** What the export calls the agents of the tickets seen so far, by their id in the target. For eyes only. */
  agentNames(): ReadonlyMap<string, string>;
  /** What of the tickets seen so far does not arrive. */
  loss(): LossReport;
  /** Columns that no rule reads, with how much of them is written for people. */
  unread(): UnreadColumn[];
  /** One warning for each unmapped column, with the number of rows that fill it, and for each missing one. */
  problems(): Problem[];
}

interface FieldExplanation {
  /** The API's path: `messages[0].content`. */
  readonly field: string;
  readonly value: unknown;
  readonly rule: string;
  /** Cells and keys that were read for it; empty for constants. */
  readonly from: readonly { file: string; line: number; column: string; table: string }[];
}

interface MapperParts {
  readonly context: CompileContext;
  readonly actors: ActorRules;
  readonly mapRules: ReturnType<typeof compileLayoutRules>;
  readonly transform: TransformTicket | undefined;
  /** Where goes what no rule uses; `ignored`: columns that the user's own mapping leaves out. */
  readonly unmapped: UnmappedPolicy;
  readonly listsUnmapped: boolean | undefined;
  readonly ignored: readonly string[];
}

export interface CompiledMapper extends Mapper {
  /** Rows that lookups find are counted too, each once. */
  seeLookedUp(row: Row): void;
}

/** Rows looked up for one ticket whose values its note keeps. */
const MOST_LOOKED_UP = 200;

export function createMapper({
  context,
  actors,
  mapRules,
  transform,
  ...parts
}: MapperParts): CompiledMapper {
  const { layout, rootTable, fileName } = context;
  const unread = new Unread(context.tables.values(), {
    ...referencesOf(layout),
    ignored: ignoredNames(layout),
    root: rootTable,
    keepsIds: layout.ownColumns !== undefined,
    itemTables: new Set([...(layout.messages ?? []), ...(layout.events ?? [])].map(({ from = '' }) => from)),
  });
  const isIgnored = columnPatterns(['_reason', ...parts.ignored]);
  const isKept = ({ table, column }: Pick<UnusedColumn, 'table' | 'column'>) =>
    parts.unmapped !== 'drop' && !isIgnored(table, column);
  /** By row: those of the ticket that is mapped now, and all of them. */
  const lookedUp = new Map<number, Row>();
  const counted = new Set<number>();
  const nameAgents = compileTeam(context, actors.agents);

  const map = (source: SourceTicket, notes: Notes): MappedTicket => {
    const { seq, externalId, row } = source;
    const made = mapRules(source, notes);
    const rows = rowsOf(source).map(({ table, ref }) => ({ table, ref }));
    const { problems, values } = made.excluded === undefined ? notes : newNotes();
    const base = { kind: 'ticket', seq, externalId, ref: row.ref, rows } as const;
    const mapped: MappedTicket = { ...base, ...made, problems, values };
    const isAsIs = transform === undefined || mapped.excluded !== undefined;
    return isAsIs ? mapped : applyTransform(transform, mapped, source);
  };

  /** Of the ticket asked for last: its problems come one after another. */
  let traced: { readonly ticket: SourceTicket; readonly origins: readonly FieldOrigin[] } | undefined;
  const trace = (ticket: SourceTicket): readonly FieldOrigin[] => {
    if (traced?.ticket === ticket) return traced.origins;
    const notes = newNotes(true);
    actors.loss.isPaused = true;
    map(ticket, notes);
    actors.loss.isPaused = false;
    traced = { ticket, origins: notes.explained ?? [] };
    return traced.origins;
  };
  const unreadColumns = () =>
    unread.columns().map((column): UnreadColumn => ({ ...column, file: fileName(column) }));

  return {
    layout,
    map: (ticket) => {
      lookedUp.clear();
      const mapped = map(ticket, newNotes());
      if (mapped.excluded !== undefined) return mapped;
      for (const row of rowsOf(ticket)) unread.see(row);
      const isListed = parts.unmapped !== 'drop' || parts.listsUnmapped === true;
      const unmapped = isListed ? unread.valuesOf(ticket, mapped, lookedUp.values()) : undefined;
      nameAgents(mapped, ticket);
      return unmapped === undefined ? mapped : { ...mapped, unmapped };
    },
    explain: (ticket) =>
      trace(ticket).flatMap(({ field, value, rule, touched }) => {
        if (value === undefined) return [];
        const from = touched
          .filter((touch) => touch.value !== undefined)
          .map(({ table, row: { ref }, column }) => ({ table, file: fileName(ref), line: ref.line, column }));
        return [{ field, value, rule, from }];
      }),
    locate: (ticket, { field, file, line }) => {
      // A transform may have moved messages and events, or made them.
      if (field === undefined || (transform !== undefined && field.includes('['))) return undefined;
      const isNamed = ({ ref }: Row) => ref.line === line && fileName(ref) === file;
      return fieldLocation(field, trace(ticket), context.tables, isNamed);
    },
    seeLookedUp: (row) => {
      if (lookedUp.size < MOST_LOOKED_UP) lookedUp.set(row.ref.row, row);
      if (!counted.has(row.ref.row)) unread.see(row);
      counted.add(row.ref.row);
    },
    agentNames: () => actors.agents.names(),
    loss: () => {
      const lost = unreadColumns().filter((column) => !isKept(column));
      return actors.loss.report(lost.map(({ text: _, ...column }) => column));
    },
    unread: unreadColumns,
    problems: () => [
      ...missingColumns(context),
      ...repeatedHeaders(context),
      ...unread.columns().map((column) => columnProblem(column, context, isKept(column))),
    ],
  };
}

/** Each row once: of a grouped table the ticket's own row is among the children too. */
function rowsOf({ row, children }: SourceTicket): Row[] {
  const own = children.get(row.table)?.some(({ ref }) => ref.row === row.ref.row) === true ? [] : [row];
  return [...own, ...[...children.values()].flat()];
}

// Warnings about columns.

const WARNING = { severity: 'warning', line: 1, count: 1 } as const;

/** Columns that the user's mapping reads and that no file of their table has. */
function missingColumns({ layout, tables, fileName }: CompileContext): Problem[] {
  return (layout.ownColumns ?? []).flatMap(({ table, column }): Problem[] => {
    const columns = tables.get(table);
    const [input] = columns?.table.inputs ?? [];
    if (columns === undefined || input === undefined || columns.has(column)) return [];
    const file = fileName(input);
    const headers = [...columns.headers.values()].flatMap(({ written }) => written);
    const message = `The mapping reads the column "${column}", which ${file} does not have.${didYouMean(column, headers)}`;
    return [{ ...WARNING, code: 'missing-column', file, column, field: `${table}: ${column}`, message }];
  });
}

/** Columns of one name, read as one, that have different values in a row. */
function repeatedHeaders({ tables, fileName }: CompileContext): Problem[] {
  const shown = (cell: string) => JSON.stringify(cell.length > 60 ? `${cell.slice(0, 59)}…` : cell);
  const repeats = [...tables.values()].flatMap((columns) => [...columns.repeats.values()]);
  return repeats.map(({ ref, header, taken, left }) => {
    const file = fileName(ref);
    const message = `Several columns of ${file} are called "${header}". The first that is filled is read, and the others are not imported: here ${shown(taken)} is taken and ${shown(left)} is not. Give them different names, or read all with \`each\`.`;
    return { ...WARNING, code: 'repeated-header', file, line: ref.line, column: header, message };
  });
}

function columnProblem(unused: UnusedColumn, context: CompileContext, isKept: boolean): Problem {
  const { table, column, filled } = unused;
  const consequence = isKept ? 'it goes into the note of its ticket' : 'it is not sent';
  const file = context.fileName(unused);
  const rows = filled === 1 ? '1 row' : `${filled} rows`;
  const isUnknown = context.layout.unknownFields === true;
  const field = table === context.rootTable ? column : `${table}[].${column}`;
  const message = isUnknown
    ? `The API has no field "${field}", so ${consequence} (it has a value in ${rows} of ${file}).${meantField(unused, context)}`
    : `Nothing uses the column "${column}" of ${file} (filled in ${rows}), so ${consequence}: map it, or list it under ignore.`;
  return { ...WARNING, code: isUnknown ? 'unknown-field' : 'unused-column', file, column, field, message };
}

/** A field that the table could have and does not, where the name looks like it. */
function meantField({ table, column }: UnusedColumn, { tables, layout }: CompileContext): string {
  const headers = [...(tables.get(table)?.headers.values() ?? [])];
  if (headers.length === 0) return '';
  const there = new Set(headers.flatMap(({ written }) => written.map(plainHeader)));
  const { sent, counted } = referencesOf(layout);
  const fields = [...sent, ...counted]
    .filter((read) => read.table === table && read.list === undefined)
    .flatMap((read) => read.pick?.map((key) => `${read.column}.${key}`) ?? [read.column])
    .filter((field) => !there.has(plainHeader(field)));
  return didYouMean(column, fields);
}
