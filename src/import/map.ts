/** Arrow 3: each ticket is mapped and checked once, page by page. `ticket` gets its payloads, `step` the run's next action for it. */
import { basename } from 'node:path';
import type { Account, Entry } from '../domain/decisions.ts';
import type { Ledger, Notebook, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import { inOwnWords } from '../domain/own-words.ts';
import { countOf } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceTicket, UnreadableRecord } from '../domain/source.ts';
import { textOf } from '../domain/text/foreign.ts';
import type { CheckResult, MappedTicket } from '../domain/ticket.ts';
import { balances } from '../mapping/compile/ledger.ts';
import { columnPatterns } from '../mapping/compile/paths.ts';
import { exportTimeOf } from '../plan/export-time.ts';
import { originsOf } from '../plan/origins.ts';
import type { Selection } from '../plan/selection.ts';
import { decideStep, type Mode, type Step } from '../plan/step.ts';
import { TAKEN_ROWS, type TicketEntry } from '../plan/ticket-plan.ts';
import { traitsOf } from '../plan/trial.ts';
import type { Settings } from '../settings/settings.ts';
import { guarded, temporaryFailure } from '../source/problems.ts';
import type { FilesView } from './known-files.ts';
import { nameOf } from './read.ts';
import type { LearntSource } from './run.ts';

type MapSettings = Pick<Settings, 'delta' | 'source' | 'people' | 'mapping'>;

export interface SteppedTicket extends TicketEntry {
  readonly record: TicketRecord | undefined;
  readonly step: Step;
  /** It may have another outcome all the same (step.outcome). */
  readonly leftOut: string | undefined;
}

export interface MadeTicket extends SteppedTicket {
  readonly item: SourceTicket;
  readonly mapped: MappedTicket;
}

export type Made = MadeTicket | (UnreadableRecord & Pick<SteppedTicket, 'leftOut'>);

export interface Compared {
  readonly ledger?: Pick<Ledger, 'get'> | undefined;
  /** From the imported export: an older one sets nothing back. */
  readonly exportTimes?: Pick<Notebook<number>, 'get'> | undefined;
  /** Adds the new addresses of files. */
  readonly view?: FilesView | undefined;
}

/** `selection`: fresh, as it counts. */
export async function* mapTickets(
  settings: MapSettings,
  source: LearntSource,
  selection: Selection,
  compared: Compared,
  signal: AbortSignal,
): AsyncGenerator<readonly Made[]> {
  const { joined, mapper, check, plan, files } = source;
  const stepOf = stepper(settings, source, compared);
  try {
    plan.begin();
    for await (const items of joined.tickets(signal)) {
      const page: Made[] = [];
      const entries: Parameters<typeof plan.add>[0][number][] = [];
      for (const item of items) {
        if (item.kind === 'unreadable') {
          entries.push(item);
          page.push({ ...item, leftOut: selection.skip({ externalId: item.externalId }) });
          continue;
        }
        const mapped = await mapper.mapAsking(item, signal);
        const { notKept, ...result } = check(mapped);
        const entry = entryOf(item, mapped, result, exportTimeOf(item.row, files));
        entries.push(entry);
        const { externalId, excluded } = entry;
        const leftOut = selection.skip({ externalId, createdAt: result.createdAt, excluded });
        const isRejected = (result.checked ?? result.withheld) === undefined;
        mapper.ledger.settle({ isLeft: isRejected || leftOut !== undefined, notKept });
        page.push({ ...stepOf(entry, leftOut), item, mapped });
      }
      plan.add(entries);
      for (const made of page) addStep(source, made);
      yield page;
    }
  } catch (error) {
    throw temporaryFailure(error);
  }
}

/** Once all tickets are mapped. Each row is in a ticket, an orphan, an older version or a repeat; any other is lost. */
export function accountOf(source: LearntSource): Account {
  const { mapper, joined, detection } = source;
  const { agents, entries } = mapper.account();
  const forgotten = joined.forgottenRows(TAKEN_ROWS);
  if (balances.hasSubscribers) balances.publish({ source, forgotten, cells: [...mapper.ledger.cells()] });
  const { technical = {} } = detection.layout;
  const own = new Set(Object.keys(technical).filter((table) => technical[table]?.includes('*')));
  const ofPeople = new Set(Object.values(detection.layout.people ?? {}).map(({ table }) => table));
  const rows = [...forgotten, ...joined.unaskedRows(own)].map(({ table, file, rows: count }) => ({
    kind: own.has(table) ? 'own-tables' : ofPeople.has(table) ? 'people-alone' : 'rows',
    ...{ what: table, at: table, file: nameOf(source, { file }), count },
  }));
  return { agents, entries: [...entries, ...rows, ...unreadOf(source)] };
}

const MOST_UNREAD = 20;

/** Files and lists that the mapping does not ignore; an export may have thousands of them. */
function unreadOf({ joined, detection: { layout } }: LearntSource): Entry[] {
  const isIgnored = columnPatterns(layout.ignore ?? []);
  const all = joined.unreadRows().filter(({ file, list }) => {
    return !isIgnored('', basename(file)) && (list === '' || !isIgnored(basename(file), list));
  });
  const frames = all.flatMap(({ file, list, rows: count, isFrame }) =>
    isFrame ? [{ kind: 'columns', what: list, at: '', file, count }] : [],
  );
  const unread = all.flatMap(({ file, list: at, rows: count, isFrame }) => {
    const what = at === '' ? basename(file) : `${at} in ${basename(file)}`;
    return isFrame ? [] : [{ kind: 'unread', what, at, file, count }];
  });
  const [shown, others] = [unread.slice(0, MOST_UNREAD), unread.slice(MOST_UNREAD)];
  const count = others.reduce((sum, each) => sum + each.count, 0);
  const what = countOf(others.length, 'other file or list', 'other files and lists');
  return [...frames, ...shown, ...(count > 0 ? [{ kind: 'unread', what, count }] : [])];
}

function addStep({ plan: { steps } }: LearntSource, made: Made): void {
  guarded(() => {
    if (made.kind === 'unreadable') return steps.addUnreadable(made.seq, made.externalId, made.leftOut);
    steps.add(made, made.result.checked && traitsOf(made.result.checked));
    steps.addMapped(made);
  });
}

/** Again for the tickets of `where`, once more is known of their files. */
export function stepAgain(
  settings: MapSettings,
  source: LearntSource,
  compared: Compared,
  where: string,
): void {
  const { plan } = source;
  const stepOf = stepper(settings, source, compared);
  for (const page of plan.entries(where))
    for (const entry of page) {
      if (entry.kind === 'unreadable') continue;
      const stepped = stepOf(entry, entry.leftOut);
      guarded(() => plan.steps.add(stepped, stepped.result.checked && traitsOf(stepped.result.checked)));
    }
}

function stepper(settings: MapSettings, source: LearntSource, { ledger, exportTimes, view }: Compared) {
  const mode: Mode = settings.delta ? 'delta' : 'run';
  const originOf = originsOf(settings);
  return (entry: TicketEntry, leftOut: string | undefined): SteppedTicket => {
    const { externalId, exportedAt, ref } = entry;
    const result = view?.(entry.result, nameOf(source, ref)) ?? entry.result;
    const { checked } = result;
    const record = ledger?.get(externalId);
    const imported = record?.ticketId === undefined ? undefined : exportTimes?.get(externalId);
    const isOlder = exportedAt !== undefined && imported !== undefined && exportedAt < imported;
    const origin = checked && originOf(checked.ticket);
    const step = decideStep(record, { checked, leftOut, isOlder, origin }, mode);
    return { ...entry, result, record, step, leftOut };
  };
}

function entryOf(
  { seq, externalId, row }: SourceTicket,
  mapped: MappedTicket,
  result: CheckResult,
  exportedAt: number | undefined,
): TicketEntry {
  const { subject } = mapped.ticket;
  return {
    kind: 'ticket',
    ...{ seq, externalId, ref: row.ref, rows: mapped.rows, agents: agentsOf(mapped), result, exportedAt },
    subject: textOf(subject),
    excluded: mapped.excluded,
    refusal:
      result.checked === undefined ? inOwnWords(ticketProblem(result.problems), wordsOf(mapped)) : undefined,
  };
}

/** Exports in the API's own format have IDs alone. */
function agentsOf({ ticket, assignee, messages, events }: MappedTicket): TicketEntry['agents'] {
  const called = [...messages, ...events].map(({ agent, value }) => agent ?? textOf(value['agentId']));
  return [
    assignee ?? textOf(ticket['assignedToId']) ?? null,
    ...called.filter((agent) => agent !== undefined),
  ];
}

function wordsOf({ ticket, messages }: MappedTicket): string[] {
  const texts = [ticket['subject'], ...messages.map(({ value }) => value['content'])];
  return texts.flatMap((text) =>
    typeof text === 'string'
      ? [text]
      : typeof text === 'object' && text !== null
        ? [JSON.stringify(text)]
        : [],
  );
}

const LONGEST_REASON = 300;

/** For the checkpoint; rejects and report have all. */
export function ticketProblem(problems: readonly Problem[]): TicketProblem {
  const first = problems.find((problem) => problem.severity === 'error');
  const reason = first?.field === undefined ? first?.message : `${first.field}: ${first.message}`;
  return { code: first?.code ?? 'rejected', message: (reason ?? 'Rejected.').slice(0, LONGEST_REASON) };
}

/** Identifies it with all that is sent. */
export function contentOf(made: Made): string {
  if (made.leftOut !== undefined || made.kind === 'unreadable') return made.externalId ?? '';
  const { checked, withheld } = made.result;
  const { ticket, messages, events } = (checked ?? withheld)?.fingerprints ?? {};
  return `${made.externalId} ${ticket} ${messages} ${events}`;
}
