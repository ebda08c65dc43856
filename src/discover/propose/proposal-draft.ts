/** What a proposal is made from, and what its parts add to it: tables that they read, columns, notes. */
import type { TableRule } from '../../mapping/language/layout.ts';
import {
  EMAIL_WORDS,
  isOtherName,
  NEUTRAL_WORDS,
  pathParts,
  TICKET_WORDS,
  wordsOf,
} from '../concept-words.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import { type TicketTable, tableName } from './choose-tables.ts';
import { conceptScore, ranked, type ScopeColumn } from './concepts.ts';
import { findThreads, type Thread, type Threads, type Via } from './find-threads.ts';
import {
  onlyEmail,
  type PersonColumns,
  personColumns,
  type TicketTimes,
  ticketTimes,
} from './found-columns.ts';
import { Grouping } from './grouping.ts';
import { ProposalNotes } from './proposal.ts';
import { isUpdateLog } from './propose-events.ts';
import { ProposedPeople } from './propose-people.ts';
import { statusOf } from './propose-values.ts';
import { labelLookup, recognitionOf, rowsScope } from './scopes.ts';

/** Name of the table of tickets in a proposed mapping. */
export const ROOT = 'tickets';

export class ProposalDraft {
  readonly ticket: TicketTable;
  readonly tables: readonly TableProfile[];
  readonly joins: readonly Join[];
  readonly notes = new ProposalNotes();
  readonly people: ProposedPeople;
  /** Columns of the ticket's row, without its key. */
  readonly columns: readonly ScopeColumn[];
  /** Those of them that are the same in all rows of a ticket. */
  readonly steady: readonly ScopeColumn[];
  readonly times: TicketTimes;
  readonly threads: Threads;
  readonly status: ScopeColumn | undefined;
  /** Each row is an update of its ticket. */
  readonly isLog: boolean;
  /** Columns of the ticket's row that name the one who asked. */
  readonly requester: PersonColumns | undefined;
  /** Columns of the ticket's row that the mapping reads: by them the table is known again. */
  readonly used: string[] = [];
  readonly children: Record<string, TableRule> = {};
  readonly lookups: Record<string, TableRule> = {};
  /** Which tables of the export the names of the mapping stand for. */
  readonly #indexes: (readonly [name: string, index: number])[] = [];

  constructor(ticket: TicketTable, tables: readonly TableProfile[], joins: readonly Join[]) {
    this.ticket = ticket;
    this.tables = tables;
    this.joins = joins;
    this.people = new ProposedPeople(tables, joins, this.notes, (table, used) =>
      recognitionOf(table, used, tables),
    );
    this.columns = rowsScope(ticket.table).columns.filter((column) => column !== ticket.key.column);
    const grouping = new Grouping(ticket.table, ticket.key.column.path);
    this.steady =
      ticket.key.role === 'group' && grouping.tells
        ? this.columns.filter((column) => !grouping.varies(column))
        : this.columns;
    this.times = { ...ticketTimes(this.columns), createdAt: ticketTimes(this.steady).createdAt };
    this.threads = findThreads(ticket, tables, joins);
    this.status = statusColumn(this.columns);
    this.isLog = isUpdateLog(ticket, this.status);
    const found = personColumns('requester', this.steady);
    const only = onlyEmail(this.steady);
    const tickets = ticket.key.column.profile.distinct;
    const email = found?.email ?? (only !== undefined && mayAsk(only, found, tickets) ? only : undefined);
    this.requester =
      found === undefined && email === undefined
        ? undefined
        : { ...found, ...(email === undefined ? {} : { email }) };
  }

  use(...columns: readonly (ScopeColumn | undefined)[]): void {
    for (const column of columns) if (column !== undefined) this.used.push(column.profile.name);
  }

  /** The columns whose values a map translates: those of the table of words where the column holds a key of it. */
  valuesOf(column: ScopeColumn): ScopeColumn {
    return labelLookup(this.ticket.index, column, this.tables, this.joins)?.label ?? column;
  }

  /** Name of the table in which a thread stands. */
  nameOf(thread: Thread): string {
    if (thread.table === undefined) return ROOT;
    const { content, time } = thread.columns;
    const used = [thread.key, content.path, time?.path].filter((path) => path !== undefined);
    return this.child('messages', thread.table, used, thread.via);
  }

  /** A table whose rows belong to tickets by its first column here. */
  child(wanted: string, index: number, used: readonly string[], via?: Via): string {
    const table = this.tables[index];
    const [key] = used;
    if (table === undefined || key === undefined) return wanted;
    const recognise = recognitionOf(table, used, this.tables);
    const same = Object.entries(this.children).find(
      ([, rule]) => JSON.stringify(rule.recognise) === JSON.stringify(recognise),
    );
    if (same !== undefined) {
      this.#indexes.push([same[0], index]);
      return same[0];
    }
    const name = Object.hasOwn(this.children, wanted)
      ? tableName(table, new Set([ROOT, ...Object.keys(this.children)]))
      : wanted;
    // by another id of the tickets than the one they are known by
    const names = via === undefined ? { table: index, column: key } : { table: via.table, column: via.get };
    const to = this.joins.find(
      ({ from, to: end }) =>
        from.table === names.table && from.column === names.column && end.table === this.ticket.index,
    )?.to.column;
    const parentKey = to === this.ticket.key.column.path ? undefined : to;
    this.children[name] = {
      role: 'child',
      key,
      ...(via && { via: { table: this.#between(via), get: via.get } }),
      ...(parentKey && { parentKey }),
      recognise,
    };
    this.#indexes.push([name, index]);
    return name;
  }

  /** Name of the table between messages and their tickets. */
  #between({ table: index, key, get }: Via): string {
    const known = this.#indexes.find(([name, at]) => at === index && this.lookups[name]?.key === key)?.[0];
    const table = this.tables[index];
    if (known !== undefined || table === undefined) return known ?? '';
    const name = tableName(
      table,
      new Set([ROOT, 'messages', 'history', ...Object.keys(this.children), ...Object.keys(this.lookups)]),
    );
    this.lookup(name, index, {
      role: 'lookup',
      key,
      recognise: recognitionOf(table, [key, get], this.tables),
    });
    return name;
  }

  /** Which tables of the export the mapping reads, by their names in it. */
  get tableIndexes(): readonly (readonly [name: string, index: number])[] {
    return [...this.#indexes, ...[...this.people.indexes].map(([index, name]) => [name, index] as const)];
  }

  lookup(name: string, index: number, rule: TableRule): void {
    this.lookups[name] = rule;
    this.#indexes.push([name, index]);
  }
}

// Which column is the ticket's status: `state` is a word for it, and for a part of an address.

function statusColumn(columns: readonly ScopeColumn[]): ScopeColumn | undefined {
  return ranked(columns, (column) => conceptScore('status', column) * evidence(column), 0.4)[0];
}

/** 1 where some value is a known status; less where none is, and little where it stands within something else than the ticket. */
function evidence({ path, profile }: ScopeColumn): number {
  const values = profile.values ?? [];
  // the state of a project has the same words
  if (values.some(({ value }) => statusOf(value) !== undefined)) return isOtherName(path) ? 0.6 : 1;
  // numbers and words of the house: few of them, and no other column is called so
  const outer = pathParts(path).slice(0, -1).flatMap(wordsOf);
  const isWithin = outer.some((word) => !TICKET_WORDS.has(word) && !NEUTRAL_WORDS.has(word));
  return isWithin ? 0.3 : profile.distinct >= 2 && profile.distinct <= 12 ? 0.8 : 0.55;
}

/** Different people who look after many tickets, at most, and how many tickets each of them has at least. */
const MOST_MANAGERS = 20;
const LEAST_EACH = 8;

/** Whether an address may be who asked: few people in many tickets look after them, unless the column is called nothing but `email`. */
function mayAsk({ path, profile }: ScopeColumn, { id, name }: PersonColumns = {}, tickets: number): boolean {
  const people = (id ?? name)?.profile.distinct;
  if (people !== undefined) return profile.distinct >= 0.5 * people;
  const isPlain = wordsOf(path).every((word) => EMAIL_WORDS.has(word) || word === 'address');
  return isPlain || profile.distinct > MOST_MANAGERS || profile.distinct * LEAST_EACH > tickets;
}
