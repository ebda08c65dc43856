/** A layout at work: joined source rows become candidates for payloads. Made once for an export; counts add up over all tickets. */

import type { LossReport, UnreadColumn } from '../../domain/decisions.ts';
import type { Problem } from '../../domain/problem.ts';
import type { UnmappedPolicy } from '../../domain/snapshot.ts';
import type { Row, SourceTicket } from '../../domain/source.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { Layout } from '../language/layout.ts';
import { type ActorRules, compileTeam } from '../people/actors.ts';
import { compileEmbedded } from '../people/people.ts';
import { columnNames } from './columns.ts';
import { type CompileContext, type FieldOrigin, type Notes, newNotes, type Read } from './context.ts';
import { type FieldLocation, fieldLocation } from './field-location.ts';
import { findingsOf } from './findings.ts';
import { type CellCount, Ledger, type LedgerRules, type TicketEnd, type UnusedColumn } from './ledger.ts';
import { askOf } from './marks.ts';
import { columnPatterns } from './paths.ts';
import { type compileLayoutRules, referencesOf } from './rules.ts';

export interface Mapper {
  readonly layout: Layout;
  /** Never throws for data. */
  map(ticket: SourceTicket): MappedTicket;
  /** The same, after the helpdesk was asked for agents whom no ticket named before. */
  mapAsking(ticket: SourceTicket, signal: AbortSignal): Promise<MappedTicket>;
  explain(ticket: SourceTicket): FieldExplanation[];
  /** The place of the value that a problem is about. Counts nothing. */
  locate(ticket: SourceTicket, problem: Problem): FieldLocation | undefined;
  /** Names in the export by helpdesk ID; not sent. */
  agentNames(): ReadonlyMap<string, string>;
  /** The latest ticket was checked and selected. Without a call it counts as sent and its values as kept. */
  settle(end: TicketEnd): void;
  /** Empty unless `balances` has a subscriber. */
  cells(): Iterable<CellCount>;
  loss(): LossReport;
  unread(): UnreadColumn[];
  /** One for each unmapped column, with the number of filled rows, and one for each missing column. */
  problems(): Problem[];
}

interface FieldExplanation {
  readonly field: string;
  readonly value: unknown;
  readonly rule: string;
  readonly from: readonly { file: string; line: number; column: string; table: string }[];
}

interface MapperParts {
  readonly context: CompileContext;
  readonly actors: ActorRules;
  readonly mapRules: ReturnType<typeof compileLayoutRules>['map'];
  /** `ignored`: columns left out by the user's own mapping. */
  readonly unmapped: UnmappedPolicy;
  readonly listsUnmapped: boolean | undefined;
  readonly ignored: readonly string[];
  readonly olderRows: number;
  readonly equalRows: number;
  readonly peek: CompileContext['lookup'];
  /** Called once for each address. */
  readonly findAgent: ((email: string, signal: AbortSignal) => Promise<string | undefined>) | undefined;
}

export interface CompiledMapper extends Mapper {
  seeLookedUp(row: Row): void;
}

const MOST_LOOKED_UP = 200;

export function createMapper({ context, actors, mapRules, ...parts }: MapperParts): CompiledMapper {
  const { layout, rootTable, fileName } = context;
  const ignored = [...(layout.ignore ?? []), ...parts.ignored];
  const isIgnored = columnPatterns(['_reason', ...ignored.flatMap((name) => columnNames(layout, name))]);
  const ledger = new Ledger(context.tables.values(), {
    reads: [...referencesOf(layout).reads, ...wordsOfPeople(context)],
    layout,
    isIgnored,
    root: rootTable,
    named: namesOf(context, parts.peek),
    itemTables: new Set([...(layout.messages ?? []), ...(layout.events ?? [])].map(({ from = '' }) => from)),
  });
  const lookedUp = new Map<number, Row>();
  const counted = new Set<number>();
  const nameAgents = compileTeam(context, actors.agents);

  const { agents, loss } = actors;
  type Made = ReturnType<typeof mapRules>;
  const whole = (source: SourceTicket, notes: Notes, made: Made): MappedTicket => {
    const { seq, externalId, row } = source;
    const rows = rowsOf(source).map(({ table, ref }) => ({ table, ref }));
    const { problems, values } = made.excluded === undefined ? notes : newNotes();
    const base = { kind: 'ticket', seq, externalId, ref: row.ref, rows } as const;
    const found: MappedTicket = { ...base, ...made, problems, values };
    return layout.name === 'native' || made.excluded !== undefined ? found : completed(found, layout, actors);
  };

  /** The last ticket's: its problems come one after another. */
  let traced: { readonly ticket: SourceTicket; readonly origins: readonly FieldOrigin[] } | undefined;
  const trace = (ticket: SourceTicket): readonly FieldOrigin[] => {
    if (traced?.ticket === ticket) return traced.origins;
    const notes = newNotes(true);
    loss.hold();
    whole(ticket, notes, mapRules(ticket, notes));
    loss.release({ counts: false });
    traced = { ticket, origins: notes.explained ?? [] };
    return traced.origins;
  };

  const take = (ticket: SourceTicket, notes: Notes, made: Made): MappedTicket => {
    const mapped = whole(ticket, notes, made);
    if (mapped.excluded !== undefined) {
      ledger.leave(rowsOf(ticket));
      return mapped;
    }
    const isListed = parts.unmapped !== 'drop' || parts.listsUnmapped === true;
    const unmapped = ledger.account(ticket, mapped, lookedUp.values(), isListed);
    nameAgents(mapped, ticket);
    return isListed ? { ...mapped, unmapped } : mapped;
  };

  return {
    layout,
    map: (ticket) => {
      lookedUp.clear();
      const notes = newNotes();
      return take(ticket, notes, mapRules(ticket, notes));
    },
    mapAsking: async (ticket, signal) => {
      for (;;) {
        lookedUp.clear();
        const notes = newNotes();
        loss.hold();
        const made = mapRules(ticket, notes);
        const unasked = parts.findAgent === undefined ? [] : agents.takeUnasked();
        loss.release({ counts: unasked.length === 0 });
        if (unasked.length === 0) return take(ticket, notes, made);
        for (const address of unasked) agents.answer(address, await parts.findAgent?.(address, signal));
      }
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
      if (field === undefined) return undefined;
      const isNamed = ({ ref }: Row) => ref.line === line && fileName(ref) === file;
      return fieldLocation(field, trace(ticket), context.tables, isNamed);
    },
    seeLookedUp: (row) => {
      const isOfPeople = ledger.isOfPeople(row, !counted.has(row.ref.row));
      counted.add(row.ref.row);
      if (!isOfPeople && lookedUp.size < MOST_LOOKED_UP) lookedUp.set(row.ref.row, row);
    },
    agentNames: () => actors.agents.names(),
    settle: (end) => ledger.settle(end),
    cells: () => ledger.cells(),
    loss: () => {
      const columns = ledger.columns().flatMap(({ table, column, file, filled: all, kept, left }) => {
        const filled = all - left;
        const of = { table, column, file: fileName({ file }) };
        const isNote = parts.unmapped !== 'drop';
        const lost = isNote ? filled - kept : filled;
        return [
          ...(lost >= filled ? [] : [{ ...of, filled: kept, isKept: true }]),
          ...(lost > 0 ? [{ ...of, filled: lost, isKept: false }] : []),
        ];
      });
      const { notHeld, ...report } = actors.loss.report(columns);
      const left = ledger.left().map(({ table, rows, columns: names }) => ({
        what: `fields of people in ${table} (${names.join(', ')})`,
        count: rows,
      }));
      return { ...report, notHeld: [...notHeld, ...left] };
    },
    unread: () =>
      ledger
        .columns()
        .filter(({ isRead }) => !isRead)
        .map((column): UnreadColumn => ({ ...column, file: fileName(column) })),
    problems: () =>
      findingsOf(
        context,
        actors,
        parts,
        ledger
          .columns()
          .filter(
            (of) =>
              (parts.unmapped === 'drop' || layout.unknownFields === true) &&
              !of.isRead &&
              !isObeyed(of, context),
          ),
      ),
  };
}

const MOST_SUBJECT = 80;

/** Calls and chats have no subject: they take the first words. An attachment without an address is left out and counted. */
function completed(
  { ticket, messages, ...rest }: MappedTicket,
  layout: Layout,
  { loss }: ActorRules,
): MappedTicket {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  const hasAddress = (file: unknown) =>
    typeof file !== 'object' || file === null || !isEmpty(Reflect.get(file, 'url'));
  const addressed = messages.map((message) => {
    const { attachments } = message.value;
    if (!Array.isArray(attachments) || attachments.every(hasAddress)) return message;
    const kept: unknown[] = attachments.filter(hasAddress);
    for (let left = attachments.length - kept.length; left > 0; left--)
      loss.add('notHeld', 'attachments without an address');
    const { attachments: _, ...value } = message.value;
    return { ...message, value: kept.length === 0 ? value : { ...value, attachments: kept } };
  });
  const said = firstSaid(messages);
  const byNumber = layout.ticket.subject === undefined ? `Ticket ${rest.externalId}` : undefined;
  const subject = said === undefined ? byNumber : firstWords(said);
  return {
    ...rest,
    ticket: isEmpty(ticket['subject']) && subject !== undefined ? { ...ticket, subject } : ticket,
    messages: addressed,
  };
}

/** The earliest public text; a note is the subject only where nothing else was said. */
function firstSaid(messages: MappedTicket['messages']): string | undefined {
  const said = messages.filter(({ value }) => typeof value['content'] === 'string');
  const open = said.filter(({ value }) => value['isInternal'] !== true);
  const at = ({ value }: (typeof said)[number]) => String(value['occurredAt'] ?? '');
  const [first] = (open.length > 0 ? open : said).toSorted((a, b) =>
    isIso(at(a)) && isIso(at(b)) ? (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0) : 0,
  );
  return first && String(first.value['content']);
}

const isIso = (time: string) => /^\d{4}-\d\d-\d\dT/.test(time);

function firstWords(content: string): string {
  const text = content
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text.length <= MOST_SUBJECT) return text;
  const cut = text.slice(0, MOST_SUBJECT);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), MOST_SUBJECT / 2)).toWellFormed()} …`;
}

function namesOf(
  { layout, tables }: CompileContext,
  peek: MapperParts['peek'],
): NonNullable<LedgerRules['named']> {
  const nameIn = (table: string, name: string, id: string) => {
    const { key = [] } = tables.get(table)?.table ?? {};
    const found = key.length === 1 ? peek(table, key, [id.trim()])?.object?.[name] : undefined;
    return typeof found === 'string' && found !== '' ? found : undefined;
  };
  return (column, text) => {
    for (const { column: list, table, name, as = list } of layout.names ?? []) {
      if (column === list) {
        const found = text.split(', ').map((id) => nameIn(table, name, id));
        if (found.every((each) => each !== undefined)) return { column: as, text: found.join(', ') };
      } else if (column.startsWith(`${list}: `)) {
        const title = nameIn(table, name, column.slice(list.length + 2));
        if (title !== undefined) return { column: title, text };
      }
    }
    return undefined;
  };
}

/** The words for the role of people inside tickets. */
function wordsOfPeople(context: CompileContext): Read[] {
  const reads: Read[] = [];
  compileEmbedded({ ...context, reads });
  return reads.filter(({ use }) => use === 'decides');
}

/** The children of a grouped table include the ticket's own row. */
function rowsOf({ row, children }: SourceTicket): Row[] {
  const own = children.get(row.table)?.some(({ ref }) => ref.row === row.ref.row) === true ? [] : [row];
  return [...own, ...[...children.values()].flat()];
}

/** No rule reads it, and what it says holds: `is_draft`, `is_private`. */
function isObeyed({ table, column }: UnusedColumn, { rootTable }: CompileContext): boolean {
  const ask = askOf(column.split(/\[\]\.|\./).at(-1) ?? column);
  if (table !== rootTable || column.includes('[]')) return ask !== undefined;
  return ask === 'gone' || ask === 'goneAt';
}
