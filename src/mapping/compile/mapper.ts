/** A layout at work: joined source rows become candidates for payloads. Made once for an export; counts add up over all tickets. */

import { type Account, AGENTS_WHO_WROTE, NO_NAME, type UnreadColumn } from '../../domain/decisions.ts';
import type { Problem } from '../../domain/problem.ts';
import type { UnmappedPolicy } from '../../domain/snapshot.ts';
import type { Row, SourceTicket } from '../../domain/source.ts';
import type { LeftRows } from '../../domain/source-file.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import type { Layout } from '../language/layout.ts';
import { type ActorRules, compileTeam } from '../people/actors.ts';
import { compileEmbedded, isShared } from '../people/people.ts';
import { askOf } from './aside.ts';
import { columnNames } from './columns.ts';
import { type CompileContext, type FieldOrigin, type Notes, newNotes, type Read } from './context.ts';
import { type FieldLocation, fieldLocation } from './field-location.ts';
import { findingsOf } from './findings.ts';
import { Ledger, type LedgerRules, type UnusedColumn } from './ledger.ts';
import { columnPatterns } from './paths.ts';
import { type compileLayoutRules, referencesOf } from './rules.ts';

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
  readonly olderRows: readonly LeftRows[];
  readonly equalRows: number;
  /** Called once for each address. */
  readonly findAgent: ((email: string, signal: AbortSignal) => Promise<string | undefined>) | undefined;
}

type Made = ReturnType<MapperParts['mapRules']>;

export class Mapper {
  readonly layout: Layout;
  readonly #parts: MapperParts;
  readonly ledger: Ledger;
  readonly #isListed: boolean;
  readonly #counted = new Set<number>();
  readonly #nameAgents: ReturnType<typeof compileTeam>;
  /** The last ticket's: its problems come one after another. */
  #traced: { readonly ticket: SourceTicket; readonly origins: readonly FieldOrigin[] } | undefined;

  constructor(parts: MapperParts) {
    const { context, actors, unmapped, listsUnmapped } = parts;
    const { layout, tables, rootTable } = context;
    const ignored = [...(layout.ignore ?? []), ...parts.ignored];
    this.layout = layout;
    this.#parts = parts;
    this.ledger = new Ledger(tables.values(), {
      reads: [...referencesOf(layout).reads, ...wordsOfPeople(context)],
      layout,
      isIgnored: columnPatterns(['_reason', ...ignored.flatMap((name) => columnNames(layout, name))]),
      root: rootTable,
      named: namesOf(context),
      entries: actors.entries,
      fileName: context.fileName,
      keeps: unmapped !== 'drop',
      isAgent: (address) => actors.agents.has(address),
      itemTables: new Set(
        [...(layout.messages ?? []), ...(layout.events ?? [])].map(({ from = '' }) => from),
      ),
    });
    this.#isListed = unmapped !== 'drop' || listsUnmapped === true;
    this.#nameAgents = compileTeam(context, actors.agents);
  }

  /** Never throws for data. */
  map(ticket: SourceTicket): MappedTicket {
    this.ledger.settle();
    const notes = newNotes({ lookedUp: new Map() });
    return this.#take(ticket, notes, this.#parts.mapRules(ticket, notes));
  }

  /** The same, after the helpdesk was asked for agents whom no ticket named before. */
  async mapAsking(ticket: SourceTicket, signal: AbortSignal): Promise<MappedTicket> {
    const { actors, findAgent, mapRules } = this.#parts;
    this.ledger.settle();
    for (;;) {
      actors.entries.forget();
      const notes = newNotes({ lookedUp: new Map() });
      const made = mapRules(ticket, notes);
      const unasked = findAgent === undefined ? [] : actors.agents.takeUnasked();
      if (unasked.length === 0) return this.#take(ticket, notes, made);
      for (const address of unasked) actors.agents.answer(address, await findAgent?.(address, signal));
    }
  }

  explain(ticket: SourceTicket): FieldExplanation[] {
    const { fileName } = this.#parts.context;
    return this.#trace(ticket).flatMap(({ field, value, rule, touched }) => {
      if (value === undefined) return [];
      const from = touched
        .filter((touch) => touch.value !== undefined)
        .map(({ table, row: { ref }, column }) => ({ table, file: fileName(ref), line: ref.line, column }));
      return [{ field, value, rule, from }];
    });
  }

  /** The place of the value that a problem is about. Counts nothing. */
  locate(ticket: SourceTicket, { field, file, line }: Problem): FieldLocation | undefined {
    if (field === undefined) return undefined;
    const { tables, fileName } = this.#parts.context;
    const isNamed = ({ ref }: Row) => ref.line === line && fileName(ref) === file;
    return fieldLocation(field, this.#trace(ticket), tables, isNamed);
  }

  /** A time as its cell says it. */
  timeCell(time: string): string {
    return this.#parts.context.timeCells.get(time) ?? time;
  }

  /** Names in the export by helpdesk ID; not sent. */
  agentNames(): ReadonlyMap<string, string> {
    return this.#parts.actors.agents.names();
  }

  /** The account of all tickets so far. */
  account(): Account {
    const entries = this.ledger.rows();
    return { agents: this.#parts.actors.entries.agents(), entries };
  }

  unread(): UnreadColumn[] {
    return this.#unreadColumns().map((column) => ({ ...column, file: this.#parts.context.fileName(column) }));
  }

  /** One for each unmapped column, with the number of filled rows, and one for each missing column. */
  problems(): Problem[] {
    const { context, actors, unmapped } = this.#parts;
    this.ledger.settle();
    const isTold = unmapped === 'drop' || this.layout.unknownFields === true;
    const untold = isTold ? this.#unreadColumns().filter((column) => !isObeyed(column, context)) : [];
    return findingsOf(context, actors, this.#parts, untold);
  }

  #unreadColumns(): UnusedColumn[] {
    return this.ledger.columns().filter(({ isRead }) => !isRead);
  }

  #take(ticket: SourceTicket, notes: Notes, made: Made): MappedTicket {
    const mapped = this.#whole(ticket, notes, made);
    if (mapped.excluded !== undefined) {
      this.ledger.leave(rowsOf(ticket));
      return mapped;
    }
    const names = namesNotSent(mapped, this.#parts.actors);
    this.#nameAgents(mapped, ticket, notes);
    const unmapped = this.ledger.account(ticket, mapped, this.#ownRows(notes), this.#isListed, names);
    return this.#isListed ? { ...mapped, unmapped } : mapped;
  }

  /** Rows that were looked up, without those of people. */
  #ownRows({ lookedUp = new Map() }: Notes): Row[] {
    return [...lookedUp.values()].filter((row) => {
      const isFirst = !this.#counted.has(row.ref.row);
      this.#counted.add(row.ref.row);
      return !this.ledger.isOfPeople(row, isFirst);
    });
  }

  #whole(source: SourceTicket, notes: Notes, made: Made): MappedTicket {
    const { seq, externalId, row } = source;
    const rows = rowsOf(source).map(({ table, ref }) => ({ table, ref }));
    const { problems, values } = made.excluded === undefined ? notes : newNotes();
    const found = { kind: 'ticket', seq, externalId, ref: row.ref, rows, ...made, problems, values } as const;
    const isReady = this.layout.name === 'native' || made.excluded !== undefined;
    return isReady ? found : completed(found, this.layout, this.#parts.actors);
  }

  #trace(ticket: SourceTicket): readonly FieldOrigin[] {
    if (this.#traced?.ticket === ticket) return this.#traced.origins;
    const { actors, mapRules } = this.#parts;
    const notes = newNotes({ explained: [] });
    actors.entries.aside(() => this.#whole(ticket, notes, mapRules(ticket, notes)));
    this.#traced = { ticket, origins: notes.explained ?? [] };
    return this.#traced.origins;
  }
}

/** An assignee whom the helpdesk does not have is left out, the fallback signs for others, and one contact may stand for many. */
function namesNotSent(
  { ticket, assignee, requester, messages, events }: MappedTicket,
  { agents, customersWithoutEmail }: ActorRules,
) {
  const { fallback } = agents;
  const authors = [...messages, ...events].flatMap(({ agent, value }) => {
    const isSigned = fallback !== undefined && value['agentId'] === fallback;
    return isSigned && agent !== undefined && agent !== NO_NAME && !agents.has(agent) ? [agent] : [];
  });
  const lost = assignee !== undefined && ticket['assignedToId'] === undefined ? [assignee] : [];
  const customers = [requester, ...messages.map(({ who }) => (who?.kind === 'customer' ? who : undefined))];
  const called = customers.flatMap((who) => (who?.email === undefined ? (who?.name ?? who?.id ?? []) : []));
  const systems = messages.flatMap(({ who }) => (who?.kind === 'system' ? (who.name ?? []) : []));
  const entries = Object.entries({
    Customer: isShared(customersWithoutEmail) ? called : [],
    Assignee: lost,
    [AGENTS_WHO_WROTE]: authors,
    'Written by the system': systems.filter((name) => !/^system$/i.test(name)),
  });
  return entries.flatMap(([column, names]) =>
    names.length === 0 ? [] : [{ column, text: [...new Set(names)].join(', ') }],
  );
}

const MOST_SUBJECT = 80;

/** Calls and chats have no subject: they take the first words. An attachment without an address is left out and counted. */
function completed(
  { ticket, messages, ...rest }: MappedTicket,
  layout: Layout,
  { entries }: ActorRules,
): MappedTicket {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  const hasAddress = (file: unknown) =>
    typeof file !== 'object' || file === null || !isEmpty(Reflect.get(file, 'url'));
  const addressed = messages.map((message) => {
    const { attachments } = message.value;
    if (!Array.isArray(attachments) || attachments.every(hasAddress)) return message;
    const kept: unknown[] = attachments.filter(hasAddress);
    for (let left = attachments.length - kept.length; left > 0; left--) entries.add('addressless');
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

function namesOf({ layout, tables, lookup }: CompileContext): NonNullable<LedgerRules['named']> {
  const nameIn = (table: string, name: string, id: string) => {
    const { key = [] } = tables.get(table)?.table ?? {};
    const found = key.length === 1 ? lookup(table, key, [id.trim()])?.object?.[name] : undefined;
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
