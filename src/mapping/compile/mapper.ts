/** A layout at work: joined source rows become candidates for payloads. Made once for an export; counts add up over all tickets. */

import { isDeepStrictEqual } from 'node:util';
import type { LossReport, UnreadColumn } from '../../domain/decisions.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { formatCount } from '../../domain/printable.ts';
import type { Problem } from '../../domain/problem.ts';
import type { UnmappedPolicy } from '../../domain/snapshot.ts';
import { plainHeader, type Row, type SourceTicket } from '../../domain/source.ts';
import { yamlLine } from '../../domain/text/yaml.ts';
import type { MappedTicket } from '../../domain/ticket.ts';
import { mainColumn } from '../language/expression.ts';
import type { Layout } from '../language/layout.ts';
import { type ActorRules, compileTeam } from '../people/actors.ts';
import type { WordCount } from './audience.ts';
import { columnNames } from './columns.ts';
import { type CompileContext, type FieldOrigin, type Notes, newNotes } from './context.ts';
import { type FieldLocation, fieldLocation } from './field-location.ts';
import { Ledger, type LedgerRules, type UnusedColumn } from './ledger.ts';
import { askOf } from './marks.ts';
import type { Place } from './paths.ts';
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
    reads: referencesOf(layout).reads,
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
    return layout.name === 'native' || made.excluded !== undefined ? found : completed(found, actors);
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
    if (mapped.excluded !== undefined) return mapped;
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
    loss: () => {
      const columns = ledger.columns().flatMap(({ table, column, file, filled, kept }) => {
        const of = { table, column, file: fileName({ file }) };
        const isNote = parts.unmapped !== 'drop';
        const lost = isNote ? filled - kept : filled;
        return [
          ...(lost === filled ? [] : [{ ...of, filled: kept, isKept: true }]),
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
    problems: () => [
      ...missingColumns(context),
      ...repeatedHeaders(context),
      ...customersNotes(actors),
      ...unknownVisibility(actors),
      ...unknownExclusions(actors),
      ...unreadAudience(actors, context),
      ...toStrangers(actors),
      ...typedTexts(actors),
      ...shortenedTexts(actors),
      ...cutLists(actors, layout),
      ...olderVersions(parts.olderRows),
      ...equalRows(parts.equalRows),
      ...sameNames(actors),
      ...agentsWhoAsk(actors),
      ...ledger
        .columns()
        .filter((of) => parts.unmapped === 'drop' && !of.isRead && !isObeyed(of, context))
        .map((column) => columnProblem(column, context)),
    ],
  };
}

const MOST_SUBJECT = 80;

/** Calls and chats have no subject: they take the first words. An attachment without an address is left out and counted. */
function completed({ ticket, messages, ...rest }: MappedTicket, { loss }: ActorRules): MappedTicket {
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
  return {
    ...rest,
    ticket:
      isEmpty(ticket['subject']) && said !== undefined ? { ...ticket, subject: firstWords(said) } : ticket,
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

/** The children of a grouped table include the ticket's own row. */
function rowsOf({ row, children }: SourceTicket): Row[] {
  const own = children.get(row.table)?.some(({ ref }) => ref.row === row.ref.row) === true ? [] : [row];
  return [...own, ...[...children.values()].flat()];
}

const WARNING = { severity: 'warning', line: 1, count: 1 } as const;

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

function olderVersions(count: number): Problem[] {
  if (count === 0) return [];
  const rows =
    count === 1
      ? '1 row is an older version of its ticket'
      : `${count} rows are older versions of their tickets`;
  const message = `${rows}. The latest one is imported.`;
  return [{ severity: 'warning', code: 'older-version', field: 'tickets', message, count }];
}

function equalRows(count: number): Problem[] {
  if (count === 0) return [];
  const rows = count === 1 ? '1 row repeats' : `${count} rows repeat`;
  const message = `${rows} another row in every cell. Each is imported as a ticket of its own.`;
  return [{ severity: 'warning', code: 'equal-rows', field: 'tickets', message, count }];
}

function customersNotes({ loss }: ActorRules): Problem[] {
  const found = loss.counts('customersNote');
  if (found.length === 0) return [];
  const names = found.slice(0, 3).map(({ value }) => value);
  const who = `${found.length === 1 ? '1 end user' : `${found.length} end users`} (${names.join(', ')}${found.length > 3 ? ', …' : ''})`;
  const message = `${who} wrote private comments. If these are former agents, list them under agents.`;
  const count = found.reduce((sum, each) => sum + each.count, 0);
  return [{ severity: 'warning', code: 'customers-notes', field: 'actorType', message, count }];
}

/** Names stand for people, who may be several. */
function sameNames({ loss }: ActorRules): Problem[] {
  const found = loss.counts('byName').filter(({ count }) => count > 1);
  if (found.length === 0) return [];
  const names = found.slice(0, 3).map(({ value, count }) => `${value} (${count} tickets)`);
  const message = `Known by name alone on several tickets, imported as one contact each: ${names.join(', ')}${found.length > 3 ? ` and ${found.length - 3} more` : ''}. If these are different people, add a column with their address or ID.`;
  return [{ severity: 'warning', code: 'same-name', field: 'contact', message, count: found.length }];
}

function agentsWhoAsk({ loss }: ActorRules): Problem[] {
  const found = loss.counts('agentAsks');
  if (found.length === 0) return [];
  const names = found.slice(0, 3).map(({ value }) => value);
  const count = found.reduce((sum, each) => sum + each.count, 0);
  const message = `${count === 1 ? '1 ticket was' : `${count} tickets were`} opened by people listed under agents (${names.join(', ')}${found.length > 3 ? ', …' : ''}), who become contacts too.`;
  return [{ severity: 'warning', code: 'agents-as-customers', field: 'contact', message, count }];
}

function listOfWords(words: readonly WordCount[], what: string): string {
  const shown = words.slice(0, 5).map(({ word = '', count }) => {
    const said = word === '' ? 'nothing' : JSON.stringify(word.length > 60 ? `${word.slice(0, 59)}…` : word);
    return `${said} (${count} ${count === 1 ? what : `${what}s`})`;
  });
  return shown.join(', ') + (words.length > shown.length ? ` and ${words.length - shown.length} more` : '');
}

/** One warning a column. */
function unknownVisibility({ loss }: ActorRules): Problem[] {
  return [...loss.unknownWords('visibility')].map(([column, words]) => {
    const count = words.reduce((sum, each) => sum + each.count, 0);
    const said = words.some(({ word }) => word !== undefined)
      ? `"${column}" says ${listOfWords(words, 'message')}`
      : `The export does not say who saw "${column}" (${count} ${count === 1 ? 'message' : 'messages'})`;
    const message = `${said}: imported as internal notes. If customers saw them, write under mapping: ${wordsLine(column, words, 'public')}`;
    return { severity: 'warning', code: 'unknown-visibility', column, field: 'public', message, count };
  });
}

/** Nobody said who saw these messages, and an unread column may. A mapping of one's own that says "public" is obeyed. */
function unreadAudience({ loss }: ActorRules, { layout, tables }: CompileContext): Problem[] {
  const { reads } = referencesOf(layout);
  const isRead = ({ table, inItem, paths }: Place, column: string) => {
    const ask = askOf(column);
    if (Object.hasOwn(layout.words ?? {}, column) || (ask !== undefined && ask !== 'kind')) return true;
    const places: readonly (Place['paths'][number] | undefined)[] = inItem ? paths : [undefined];
    const own = reads.filter(
      (read) => read.table === table && places.some((path) => isDeepStrictEqual(path, read.list)),
    );
    return own.some((read) => {
      const names = inItem ? [read.column] : (tables.get(table)?.names(read.column) ?? [read.column]);
      return names.some((name) => plainHeader(name.split('.')[0] ?? name) === plainHeader(column));
    });
  };
  const isOpen = layout.generic === true || layout.name === 'native';
  return loss.audience.found(isRead).map(({ column, words }): Problem => {
    const count = words.reduce((sum, each) => sum + each.count, 0);
    const line = wordsLine(column, words, 'internal');
    const message = `Agents' messages are imported as public, and nothing reads "${column}", which says ${listOfWords(words, 'message')}. Write under mapping what customers did not see as internal and the rest as public: ${line}`;
    const severity = isOpen ? 'error' : 'warning';
    return { severity, code: 'unread-visibility', column, field: 'public', message, count };
  });
}

function wordsLine(column: string, words: readonly WordCount[], meaning: string): string {
  const named = words.flatMap(({ word }) => (word === undefined || word === '(other values)' ? [] : word));
  const own = named.length === 0 ? meaning : new Map(named.map((word) => [word, meaning]));
  return yamlLine({ words: new Map([[column, own]]) });
}

function toStrangers({ loss }: ActorRules): Problem[] {
  const [found] = loss.counts('strangers');
  if (found === undefined) return [];
  const message = `${found.count === 1 ? '1 message' : `${found.count} messages`} to or from people who are not on the customer's side: imported as internal notes.`;
  return [{ severity: 'warning', code: 'third-party', field: 'to', message, count: found.count }];
}

function typedTexts({ loss }: ActorRules): Problem[] {
  const [found] = loss.counts('typed');
  if (found === undefined) return [];
  const texts = found.count === 1 ? '1 text was' : `${formatCount(found.count)} texts were`;
  const message = `${texts} typed by agents, on the phone or for a customer, and sent to nobody: imported as the agents' internal notes.`;
  return [{ severity: 'warning', code: 'typed-by-agents', field: 'public', message, count: found.count }];
}

function shortenedTexts({ loss }: ActorRules): Problem[] {
  return loss.counts('shortened').map(({ value, count }) => {
    const texts = count === 1 ? '1 message is' : `${formatCount(count)} messages are`;
    const message = `${texts} cut: the export has only their beginning. The whole text is in ${value}.`;
    return { severity: 'warning', code: 'shortened-text', field: 'content', message, count };
  });
}

function cutLists({ loss }: ActorRules, { embeds, title }: Layout): Problem[] {
  const [found] = loss.counts('cutList');
  if (found === undefined || embeds === undefined) return [];
  const column = mainColumn(embeds.list);
  const message = `${found.count === 1 ? '1 ticket has' : `${found.count} tickets have`} ${embeds.most} ${column} inside, as many as ${title} gives at most, so there may be more. Export the ${column} of these tickets by themselves.`;
  return [
    {
      severity: 'warning',
      code: 'incomplete-thread',
      column,
      field: 'messages',
      message,
      count: found.count,
    },
  ];
}

/** Nothing is sent before this is decided. */
function unknownExclusions({ loss }: ActorRules): Problem[] {
  return [...loss.unknownWords('exclusion')].map(([column, words]) => ({
    severity: 'error',
    code: 'unknown-exclusion',
    column,
    field: 'mapping.exclude',
    message: `"${column}" says ${listOfWords(words, 'ticket')}, and no rule knows whether such tickets are left out. To import them, write under mapping: ${wordsLine(column, words, 'keep')}. To leave them out, write "leave out" instead of "keep"`,
    count: words.reduce((sum, { count }) => sum + count, 0),
  }));
}

function repeatedHeaders({ tables, fileName }: CompileContext): Problem[] {
  const shown = (cell: string) => JSON.stringify(cell.length > 60 ? `${cell.slice(0, 59)}…` : cell);
  const repeats = [...tables.values()].flatMap((columns) => [...columns.repeats.values()]);
  return repeats.map(({ ref, header, taken, left }) => {
    const file = fileName(ref);
    const message = `Several columns of ${file} are called "${header}". The first that is filled is read, and the others are not imported: here ${shown(taken)} is taken and ${shown(left)} is not. Give them different names, or read all with \`each\`.`;
    return { ...WARNING, code: 'repeated-header', file, line: ref.line, column: header, message };
  });
}

/** No rule reads it, and what it says holds: `is_draft`, `is_private`. */
function isObeyed({ table, column }: UnusedColumn, { rootTable }: CompileContext): boolean {
  const ask = askOf(column.split(/\[\]\.|\./).at(-1) ?? column);
  if (table !== rootTable || column.includes('[]')) return ask !== undefined;
  return ask === 'gone' || ask === 'goneAt';
}

function columnProblem(unused: UnusedColumn, context: CompileContext): Problem {
  const { table, column, filled } = unused;
  const file = context.fileName(unused);
  const rows = filled === 1 ? '1 row' : `${filled} rows`;
  const isUnknown = context.layout.unknownFields === true;
  const field = table === context.rootTable ? column : `${table}[].${column}`;
  const message = isUnknown
    ? `The API has no field "${field}", so it is not sent (it has a value in ${rows} of ${file}).${meantField(unused, context)}`
    : `Nothing uses the column "${column}" of ${file} (filled in ${rows}), so it is not sent: map it, or list it under ignore.`;
  return { ...WARNING, code: isUnknown ? 'unknown-field' : 'unused-column', file, column, field, message };
}

/** A missing field with a similar name. */
function meantField({ table, column }: UnusedColumn, { tables, layout }: CompileContext): string {
  const headers = [...(tables.get(table)?.headers.values() ?? [])];
  if (headers.length === 0) return '';
  const there = new Set(headers.flatMap(({ written }) => written.map(plainHeader)));
  const fields = referencesOf(layout)
    .reads.filter((read) => read.table === table && read.list === undefined)
    .flatMap((read) => read.pick?.map((key) => `${read.column}.${key}`) ?? [read.column])
    .filter((field) => !there.has(plainHeader(field)));
  return didYouMean(column, fields);
}
