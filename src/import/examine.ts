/** Passes over the tickets of an export. The first makes the plan; later ones read it, so what was surveyed is what is sent. */

import type { Checker } from '../check/check-ticket.ts';
import type { Ledger, Notebook, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import { inOwnWords } from '../domain/own-words.ts';
import type { TicketPayload } from '../domain/payload.ts';
import type { Problem } from '../domain/problem.ts';
import type { Row, SourceTicket, UnreadableRecord } from '../domain/source.ts';
import { type ExportFiles, isJsonObject } from '../domain/source-file.ts';
import { textOf } from '../domain/text/foreign.ts';
import type { CheckedTicket, CheckResult, MappedTicket } from '../domain/ticket.ts';
import { type Mode, type Step, stepOf, stepOfOlder, stepOfRejected, stepOfSkipped } from '../plan/step.ts';
import type { PlanEntry, TicketEntry } from '../plan/ticket-plan.ts';
import { temporaryFailure } from '../source/problems.ts';
import type { OpenedSource } from './import-job.ts';
import type { Options } from './options.ts';
import { createSelection, type Selection } from './options.ts';

export interface ExaminedTicket extends TicketEntry {
  readonly record: TicketRecord | undefined;
  readonly step: Step;
  /** It may have another outcome all the same (step.outcome). */
  readonly skippedBecause: string | undefined;
  /** Only while the plan is made. */
  readonly made?: { readonly item: SourceTicket; readonly mapped: MappedTicket } | undefined;
}

export type Examined = ExaminedTicket | (UnreadableRecord & Pick<ExaminedTicket, 'skippedBecause'>);

export interface Examination {
  readonly source: OpenedSource;
  readonly check: Checker;
  /** Adds the new addresses of files. */
  readonly view?: ((result: CheckResult) => CheckResult) | undefined;
  /** Fresh for each pass: it counts. Absent once surveyed. */
  readonly selection?: Selection | undefined;
  readonly ledger: Pick<Ledger, 'get'> | undefined;
  /** From the imported export: an older one sets nothing back. */
  readonly exportTimes?: Pick<Notebook<number>, 'get'> | undefined;
  readonly mode: Mode;
  readonly originOf?: ((ticket: TicketPayload) => string) | undefined;
  /** An agent's ID is unknown yet, so changes cannot be seen. */
  readonly isUnsettled?: ((checked: CheckedTicket) => boolean) | undefined;
}

export async function* examine(
  examination: Examination,
  signal: AbortSignal,
  entries?: Iterable<readonly PlanEntry[]>,
): AsyncGenerator<readonly Examined[]> {
  const { plan } = examination.source;
  try {
    if (!plan.isComplete) {
      for await (const made of makePlan(examination, signal))
        yield made.map(({ entry, ...live }) => examined(entry, examination, live.item && live));
      return;
    }
    for (const page of entries ?? plan.entries()) {
      signal.throwIfAborted();
      yield page.map((entry) => examined(entry, examination));
    }
  } catch (error) {
    throw temporaryFailure(error);
  }
}

type Made =
  | { readonly entry: TicketEntry; readonly item: SourceTicket; readonly mapped: MappedTicket }
  | { readonly entry: UnreadableRecord; readonly item?: undefined };

async function* makePlan(
  { source: { joined, mapper, plan, files }, check }: Examination,
  signal: AbortSignal,
): AsyncGenerator<readonly Made[]> {
  plan.begin();
  for await (const items of joined.tickets(signal)) {
    const made: Made[] = [];
    for (const item of items)
      if (item.kind === 'unreadable') made.push({ entry: item });
      else {
        const mapped = await mapper.mapAsking(item, signal);
        made.push({ entry: entryOf(item, mapped, check(mapped), files), item, mapped });
      }
    plan.add(made.map(({ entry }) => entry));
    yield made;
  }
  plan.complete();
}

function entryOf(
  { seq, externalId, row }: SourceTicket,
  mapped: MappedTicket,
  result: CheckResult,
  files: ExportFiles,
): TicketEntry {
  const { subject } = mapped.ticket;
  return {
    kind: 'ticket',
    seq,
    externalId,
    ref: row.ref,
    rows: mapped.rows,
    agents: agentsOf(mapped),
    result,
    subject: textOf(subject),
    excluded: mapped.excluded,
    exportedAt: exportTimeOf(row, files),
    refusal:
      result.checked === undefined ? inOwnWords(ticketProblem(result.problems), wordsOf(mapped)) : undefined,
  };
}

function examined(entry: PlanEntry, examination: Examination, made?: ExaminedTicket['made']): Examined {
  const { selection, ledger, exportTimes, mode, isUnsettled, view, originOf } = examination;
  const { externalId, leftOut } = entry;
  if (entry.kind === 'unreadable') {
    const skippedBecause = selection ? selection.skip({ externalId }) : leftOut;
    return { ...entry, skippedBecause };
  }
  const { excluded, exportedAt } = entry;
  const result = view?.(entry.result) ?? entry.result;
  const record = ledger?.get(entry.externalId);
  const { createdAt } = result;
  const skippedBecause = selection ? selection.skip({ externalId, createdAt, excluded }) : leftOut;
  const { checked } = result;
  const imported = record?.ticketId === undefined ? undefined : exportTimes?.get(entry.externalId);
  const isOlder = exportedAt !== undefined && imported !== undefined && exportedAt < imported;
  const compared =
    record !== undefined && checked !== undefined && isUnsettled?.(checked) === true
      ? { ...record, fingerprints: undefined }
      : record;
  const step =
    skippedBecause !== undefined
      ? stepOfSkipped(record)
      : checked === undefined
        ? stepOfRejected(record, mode)
        : isOlder
          ? stepOfOlder(compared, checked)
          : stepOf(compared, checked, mode, originOf?.(checked.ticket));
  return { ...entry, result, record, step, skippedBecause, made };
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

/**
 * Every record of the selection, as a run sees it. Sends nothing. @param ledger if the checkpoint's view matters @param where a
 * condition on `ticket` and `step` (plan/queries.ts), once surveyed
 */
export function examineExport(
  {
    selection: rules,
    source,
    check,
    view,
  }: Pick<Examination, 'source' | 'check' | 'view'> & Pick<Options, 'selection'>,
  signal: AbortSignal,
  ledger?: Examination['ledger'],
  where?: string,
): AsyncGenerator<readonly Examined[]> {
  const selection = where === undefined ? createSelection(rules) : undefined;
  const examination: Examination = { source, check, view, selection, ledger, mode: 'run' };
  return examine(examination, signal, where === undefined ? undefined : source.plan.entries(where));
}

const CHANGED_AT =
  /^(?:(?:sys|user|last)?updated(?:at|on|date(?:time)?|time)?|lastupdatetime|(?:hs)?lastmodified(?:at|date)?|modified(?:at)?)$/;
/** Some platforms keep a ticket's fields in these objects. */
const WITHIN = ['fields', 'properties', 'attributes'] as const;

/** Index by header; -1 without one. */
const changedColumns = new WeakMap<readonly string[], number>();

/** Undefined without a certain time: an older export must not set a ticket back. */
function exportTimeOf({ ref, cells, object }: Row, { files }: ExportFiles): number | undefined {
  const isName = (name: string) => CHANGED_AT.test(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  if (cells !== undefined) {
    const { header = [] } = files[ref.file]?.outline ?? {};
    const column = changedColumns.get(header) ?? header.findIndex(isName);
    changedColumns.set(header, column);
    return timeOf(cells[column]);
  }
  for (const each of [object, ...WITHIN.map((key) => object?.[key])]) {
    const name = isJsonObject(each) ? Object.keys(each).find(isName) : undefined;
    const time = isJsonObject(each) && name !== undefined ? timeOf(each[name]) : undefined;
    if (time !== undefined) return time;
  }
  return undefined;
}

/** Both exports write times alike, so one without a zone counts as UTC. */
function timeOf(value: unknown): number | undefined {
  const text = textOf(value)?.trim() ?? '';
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  const [, day, time = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const at = Date.parse(`${day}T${time === '' ? '00:00' : time}${zone === 'UTC' ? 'Z' : zone}`);
  return Number.isNaN(at) ? undefined : at;
}
