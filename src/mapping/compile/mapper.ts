/**
 * A layout at work: from joined source rows to candidates for payloads. Made once for an export; mapping a ticket is
 * then plain function calls. Counts for the loss report add up over all tickets since the start or the last `restart`.
 */

import type { Problem } from '../../domain/problem.ts';
import type { Row, SourceTicket } from '../../domain/source.ts';
import type { LossReport, UnreadColumn } from '../../domain/survey.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { UnmappedPolicy } from '../../domain/unmapped.ts';
import { ignoredNames } from '../detect/recognise.ts';
import type { Layout } from '../language/layout.ts';
import { referencesOf } from '../language/references.ts';
import type { ActorRules } from '../people/actor-rules.ts';
import { compileTeam } from '../people/team.ts';
import { listOf } from './column-path.ts';
import { columnProblem, missingColumns, repeatedHeaders } from './column-problems.ts';
import { type CompileContext, rowPlace } from './compile-context.ts';
import { compileEvents } from './event-rules.ts';
import { compileHolds } from './expressions.ts';
import { type FieldLocation, fieldLocation } from './field-location.ts';
import { compileDeclared } from './items.ts';
import { compileMessages } from './message-rules.ts';
import { type FieldOrigin, type Notes, newNotes, rowScope } from './scope.ts';
import { compileTicket } from './ticket-rule.ts';
import { applyTransform, type TransformTicket } from './transform.ts';
import { columnPatterns, Unread } from './unread.ts';

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

interface MapperParts {
  readonly context: CompileContext;
  readonly actors: ActorRules;
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

export function createMapper({ context, actors, transform, ...parts }: MapperParts): CompiledMapper {
  const { layout, rootTable, fileName } = context;
  const { messages = [], events = [] } = layout;
  const unread = new Unread(context.tables.values(), {
    reads: referencesOf(layout).reads,
    ignored: ignoredNames(layout),
    root: rootTable,
    keepsIds: layout.ownColumns !== undefined,
    itemTables: new Set([...messages, ...events].flatMap(({ from }) => listOf(from))),
  });
  const isIgnored = columnPatterns(['_reason', ...parts.ignored]);
  const isKept = ({ table, column }: { readonly table: string; readonly column: string }) =>
    parts.unmapped !== 'drop' && !isIgnored(table, column);
  /** By row: those of the ticket that is mapped now, and all of them. */
  const lookedUp = new Map<number, Row>();
  const counted = new Set<number>();
  const map = compileAll(context, actors, transform);
  const nameAgents = compileTeam(context, actors.agents);

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
      return fieldLocation(field, {
        origins: trace(ticket),
        columnsOf: (table) => context.tables.get(table),
        isNamed: ({ ref }) => ref.line === line && fileName(ref) === file,
      });
    },
    seeLookedUp: (row) => {
      if (lookedUp.size < MOST_LOOKED_UP) lookedUp.set(row.ref.row, row);
      if (!counted.has(row.ref.row)) unread.see(row);
      counted.add(row.ref.row);
    },
    agentNames: () => actors.agents.names(),
    loss: () =>
      actors.loss.report(
        unread
          .columns()
          .filter((column) => !isKept(column))
          .map(({ text: _, ...column }) => ({ ...column, file: fileName(column) })),
      ),
    unread: () => unread.columns().map((column) => ({ ...column, file: fileName(column) })),
    problems: () => [
      ...missingColumns(context),
      ...repeatedHeaders(context),
      ...unread.columns().map((column) => columnProblem(column, context, isKept(column))),
    ],
    restart: () => {
      traced = undefined;
      actors.loss.clear();
      unread.clear();
      counted.clear();
    },
  };
}

/** All rules of the layout, the user's module behind them. */
function compileAll(
  context: CompileContext,
  actors: ActorRules,
  transform: TransformTicket | undefined,
): (ticket: SourceTicket, notes: Notes) => MappedTicket {
  const { layout, mode } = context;
  const mapTicket = compileTicket(context, actors);
  const mapMessages = compileMessages(context, actors);
  const mapEvents = compileEvents(context, actors);
  const declared = compileDeclared(context);
  const exclusions = (layout.exclude ?? []).map(({ when, reason }) => ({
    holds: compileHolds(when, rowPlace(context.rootTable), context),
    reason,
  }));
  return (source, notes) => {
    const { seq, externalId, row } = source;
    const scope = rowScope(source, row, notes);
    const rows = rowsOf(source).map(({ table, ref }) => ({ table, ref }));
    const base = { kind: 'ticket', seq, externalId, ref: row.ref, rows } as const;
    const excluded = mode.observing ? undefined : exclusions.find(({ holds }) => holds(scope))?.reason;
    if (excluded !== undefined)
      return { ...base, ticket: {}, messages: [], events: [], problems: [], values: [], excluded };
    const { ticket, requester } = mapTicket(scope);
    const mapped: MappedTicket = {
      ...base,
      ticket,
      messages: mapMessages(source, requester, notes, ticket),
      events: mapEvents(source, requester, notes),
      problems: notes.problems,
      values: notes.values,
      requester: requester.person,
      declared: declared(source),
    };
    // what a column holds is looked at without it: it may count its calls
    return transform === undefined || mode.observing ? mapped : applyTransform(transform, mapped, source);
  };
}

/** Each row once: of a grouped table the ticket's own row is among the children too. */
function rowsOf({ row, children }: SourceTicket): Row[] {
  const own = children.get(row.table)?.some(({ ref }) => ref.row === row.ref.row) === true ? [] : [row];
  return [...own, ...[...children.values()].flat()];
}
