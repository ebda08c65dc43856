/**
 * A layout at work: from joined source rows to candidates for payloads. Made once for an export; mapping a ticket is
 * then plain function calls. Counts for the loss report add up over all tickets since the start or the last `restart`.
 */

import { didYouMean } from '../../domain/nearest.ts';
import type { Problem } from '../../domain/problem.ts';
import { plainHeader, type Row, type SourceTicket } from '../../domain/source.ts';
import type { LossReport, UnreadColumn } from '../../domain/survey.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { UnmappedPolicy } from '../../domain/unmapped.ts';
import { ignoredNames } from '../detect/recognise.ts';
import type { Layout } from '../language/layout.ts';
import { referencesOf } from '../language/references.ts';
import type { ActorRules } from '../people/actor-rules.ts';
import { listOf } from './column-path.ts';
import { type CompileContext, rowPlace } from './compile-context.ts';
import { compileDeclared } from './declared.ts';
import { compileEvents } from './event-rules.ts';
import { compileHolds } from './expressions.ts';
import { type FieldLocation, fieldLocation } from './field-location.ts';
import { compileMessages } from './message-rules.ts';
import { type FieldOrigin, type Notes, newNotes, rowScope } from './scope.ts';
import { compileTicket } from './ticket-rule.ts';
import { applyTransform, type TransformTicket } from './transform.ts';
import { columnPatterns, Unread, type UnusedColumn } from './unread.ts';

export interface Mapper {
  readonly layout: Layout;
  /** Never throws for data. */
  map(ticket: SourceTicket): MappedTicket;
  /** Every field of every payload with what it was read from. Counts nothing. */
  explain(ticket: SourceTicket): FieldExplanation[];
  /** Where the value stands that a problem of the ticket's mapping or checking is about. Counts nothing. */
  locate(ticket: SourceTicket, problem: Problem): FieldLocation | undefined;
  /** What the export calls the agents of the tickets seen so far, by their id in the target. For eyes only. */
  agentNames(): ReadonlyMap<string, string>;
  /** What of the tickets seen so far does not arrive. */
  loss(): LossReport;
  /** Columns that no rule reads, with how much of them is written for people. */
  unread(): UnreadColumn[];
  /** One warning for each column that nobody mapped, with the number of rows that fill it, and for each that is not there. */
  problems(): Problem[];
  /** Counting begins anew: for a second pass over the same export. */
  restart(): void;
}

interface FieldExplanation {
  /** The API's path: `messages[0].content`. */
  readonly field: string;
  readonly value: unknown;
  readonly rule: string;
  /** Cells and keys that were read for it; empty for constants. */
  readonly from: readonly { file: string; line: number; column: string; table: string }[];
}

export interface MapperParts {
  readonly context: CompileContext;
  readonly actors: ActorRules;
  readonly transform: TransformTicket | undefined;
  /** Where goes what no rule uses; `ignored`: columns that the user's own mapping leaves out. */
  readonly unmapped: UnmappedPolicy;
  readonly ignored: readonly string[];
}

export interface CompiledMapper extends Mapper {
  /** Weighs how the times of a row are written. */
  observe(row: Row): void;
  /** Rows that lookups find are counted too, each once. */
  seeLookedUp(row: Row): void;
}

export function createMapper(parts: MapperParts): CompiledMapper {
  const { context, actors, transform } = parts;
  const { layout } = context;
  const tickets = compileTicket(context, actors);
  const messages = compileMessages(context, actors);
  const events = compileEvents(context, actors);
  const root = rowPlace(context.rootTable);
  const unread = new Unread(context.tables.values(), {
    reads: referencesOf(layout).reads,
    ignored: ignoredNames(layout),
    root: context.rootTable,
    keepsIds: layout.ownColumns !== undefined,
    itemTables: new Set(
      [...(layout.messages ?? []), ...(layout.events ?? [])].flatMap(({ from }) => listOf(from)),
    ),
  });
  const isIgnored = columnPatterns(['_reason', ...parts.ignored]);
  /** Rows that were looked up for the ticket that is mapped now. */
  const lookedUp = new Map<string, Row>();
  const exclusions = (layout.exclude ?? []).map((rule) => ({
    holds: compileHolds(rule.when, root, context) ?? (() => false),
    reason: rule.reason,
  }));
  const declared = compileDeclared(context);

  const seeRows = (ticket: SourceTicket): { table: string; ref: SourceTicket['row']['ref'] }[] => {
    const rows: { table: string; ref: SourceTicket['row']['ref'] }[] = [];
    // of a grouped table the ticket's own row stands among the children too
    if (!ticket.children.get(ticket.row.table)?.some((row) => row === ticket.row || sameRow(row, ticket.row)))
      rows.push({ table: ticket.row.table, ref: ticket.row.ref });
    for (const [table, children] of ticket.children)
      for (const row of children) rows.push({ table, ref: row.ref });
    return rows;
  };
  /** What nothing uses and nothing keeps. */
  const isKept = ({ table, column }: { readonly table: string; readonly column: string }) =>
    parts.unmapped !== 'drop' && !isIgnored(table, column);
  const unkept = () => unread.columns().filter((column) => !isKept(column));
  const count = (ticket: SourceTicket) => {
    if (!ticket.children.has(ticket.row.table)) unread.see(ticket.row);
    for (const children of ticket.children.values()) for (const row of children) unread.see(row);
  };

  const map = (ticket: SourceTicket, notes: Notes): MappedTicket => {
    const scope = rowScope(ticket, ticket.row, notes);
    const base = {
      kind: 'ticket',
      seq: ticket.seq,
      externalId: ticket.externalId,
      ref: ticket.row.ref,
      rows: seeRows(ticket),
    } as const;
    for (const { holds, reason } of exclusions) {
      if (!context.mode.observing && holds(scope))
        return { ...base, ticket: {}, messages: [], events: [], problems: [], values: [], excluded: reason };
    }
    const { ticket: payload, requester } = tickets.map(scope);
    const mapped: MappedTicket = {
      ...base,
      ticket: payload,
      messages: messages(ticket, requester, notes, payload),
      events: events(ticket, requester, notes),
      problems: notes.problems,
      values: notes.values,
      requester: requester.person,
      declared: declared(ticket),
    };
    // what a column holds is looked at without it: it may count its calls
    return transform === undefined || context.mode.observing
      ? mapped
      : applyTransform(transform, mapped, ticket);
  };

  /** Of the ticket asked for last: its problems come one after another. */
  let traced: { readonly ticket: SourceTicket; readonly origins: readonly FieldOrigin[] } | undefined;
  const trace = (ticket: SourceTicket): readonly FieldOrigin[] => {
    if (traced?.ticket === ticket) return traced.origins;
    const notes = newNotes(true);
    actors.loss.pause(() => map(ticket, notes));
    traced = { ticket, origins: notes.explained ?? [] };
    return traced.origins;
  };

  return {
    layout,
    map: (ticket) => {
      const notes = newNotes();
      lookedUp.clear();
      const mapped = map(ticket, notes);
      if (mapped.excluded !== undefined) return mapped;
      count(ticket);
      return { ...mapped, unmapped: unread.valuesOf(ticket, mapped, lookedUp.values()) };
    },
    explain: (ticket) =>
      trace(ticket)
        .filter(({ value }) => value !== undefined)
        .map((origin) => explanation(origin, context)),
    locate: (ticket, { field, file, line }) => {
      // A transform may have moved messages and events, or made them.
      if (field === undefined || (transform !== undefined && field.includes('['))) return undefined;
      return fieldLocation(field, {
        origins: trace(ticket),
        columnsOf: (table) => context.tables.get(table),
        isNamed: ({ ref }) => ref.line === line && context.fileName(ref) === file,
      });
    },
    // As if it were a ticket without other rows, its own child row as well: rules may read it in either way.
    observe: (row) => {
      const isOwn = row.table === context.rootTable;
      const own = isOwn ? row : { table: context.rootTable, ref: { ...row.ref, file: -1 }, object: {} };
      const children = new Map([[row.table, [row]]]);
      actors.loss.pause(() =>
        map({ kind: 'ticket', seq: 0, externalId: '', row: own, children }, newNotes()),
      );
    },
    seeLookedUp: (row) => {
      unread.seeOnce(row);
      if (lookedUp.size < MOST_LOOKED_UP) lookedUp.set(`${row.ref.row}`, row);
    },
    agentNames: () => actors.agents.names(),
    loss: () =>
      actors.loss.report(
        unkept().map((column) => ({
          table: column.table,
          column: column.column,
          file: fileName(context, column.file),
          filled: column.filled,
        })),
      ),
    unread: () =>
      unread.columns().map(({ table, column, file, filled, text }) => ({
        table,
        column,
        file: fileName(context, file),
        filled,
        text,
      })),
    problems: () => [
      ...missingColumns(context),
      ...repeatedHeaders(context),
      ...unread.columns().map((column) => columnProblem(column, layout, context, isKept(column))),
    ],
    restart: () => {
      traced = undefined;
      actors.loss.clear();
      unread.clear();
    },
  };
}

/** Of one ticket. */
const MOST_LOOKED_UP = 200;

/** Columns that the user's mapping reads and that no file of their table has. */
function missingColumns({ layout, tables, fileName: nameOf }: CompileContext): Problem[] {
  return (layout.ownColumns ?? []).flatMap(({ table, column }) => {
    const columns = tables.get(table);
    const input = columns?.table.inputs[0];
    if (columns === undefined || input === undefined || columns.knows(column)) return [];
    const file = nameOf({ file: input.file, row: 0, line: 1 });
    return [
      {
        severity: 'warning',
        code: 'missing-column',
        file,
        line: 1,
        column,
        field: `${table}: ${column}`,
        message: `The mapping reads the column "${column}", which ${file} does not have.${didYouMean(column, columns.headers())}`,
        count: 1,
      },
    ];
  });
}

/** Columns of one name, read as one, that have different values in a row. */
function repeatedHeaders({ tables, fileName }: CompileContext): Problem[] {
  return [...tables.values()].flatMap(({ repeats }) =>
    [...repeats.values()].map(({ ref, header, taken, left }): Problem => {
      const file = fileName(ref);
      const shown = (cell: string) => JSON.stringify(cell.length > 60 ? `${cell.slice(0, 59)}…` : cell);
      return {
        severity: 'warning',
        code: 'repeated-header',
        file,
        line: ref.line,
        column: header,
        message: `Several columns of ${file} are called "${header}". The first that is filled is read, and the others are not imported: here ${shown(taken)} is taken and ${shown(left)} is not. Give them different names, or read all with \`each\`.`,
        count: 1,
      };
    }),
  );
}

function sameRow(a: SourceTicket['row'], b: SourceTicket['row']): boolean {
  return a.ref.row === b.ref.row;
}

function fileName(context: CompileContext, file: number): string {
  return context.fileName({ file, row: 0, line: 1 });
}

function columnProblem(
  column: UnusedColumn,
  layout: Layout,
  context: CompileContext,
  isKept: boolean,
): Problem {
  const fate = isKept ? 'it goes into the note of its ticket' : 'it is not sent';
  const file = fileName(context, column.file);
  const rows = column.filled === 1 ? '1 row' : `${column.filled} rows`;
  const unknown = layout.unknownFields === true;
  const place = column.table === context.rootTable ? column.column : `${column.table}[].${column.column}`;
  return {
    severity: 'warning',
    code: unknown ? 'unknown-field' : 'unused-column',
    file,
    line: 1,
    column: column.column,
    field: place,
    message: unknown
      ? `The API has no field "${place}", so ${fate} (it has a value in ${rows} of ${file}).${meantField(column, context)}`
      : `Nothing uses the column "${column.column}" of ${file} (filled in ${rows}), so ${fate}: map it, or list it under ignore.`,
    count: 1,
  };
}

/** A field that the table could have and does not, where the name looks like it. */
function meantField({ table, column }: { table: string; column: string }, context: CompileContext): string {
  const columns = context.tables.get(table);
  const there = new Set(columns?.headers().map(plainHeader));
  if (columns === undefined || there.size === 0) return '';
  const fields = referencesOf(context.layout)
    .reads.filter((read) => read.table === table && read.list === undefined)
    .flatMap((read) => read.pick?.map((key) => `${read.column}.${key}`) ?? [read.column])
    .filter((field) => !there.has(plainHeader(field)));
  return didYouMean(column, fields);
}

function explanation(origin: FieldOrigin, context: CompileContext): FieldExplanation {
  return {
    field: origin.field,
    value: origin.value,
    rule: origin.rule,
    from: origin.touched
      .filter(({ value }) => value !== undefined)
      .map(({ table, row: { ref }, column }) => ({
        table,
        file: context.fileName(ref),
        line: ref.line,
        column,
      })),
  };
}
