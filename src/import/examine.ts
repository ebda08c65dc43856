/**
 * Passes over the tickets of an export: each as the plan has it, selected and compared with the checkpoint. The first pass
 * makes the plan: it maps and checks every ticket once. Every later one reads it, so what was surveyed is what is sent.
 */
import type { Checker } from '../check/check-ticket.ts';
import { AppError } from '../domain/errors.ts';
import type { Ledger, Notebook, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import { inOwnWords } from '../domain/own-words.ts';
import type { Problem } from '../domain/problem.ts';
import type { Row, SourceTicket, UnreadableRecord } from '../domain/source.ts';
import { type ExportFiles, isJsonObject } from '../domain/source-file.ts';
import type { CheckedTicket, CheckResult, MappedTicket } from '../domain/ticket.ts';
import { createSelection, type Selection } from '../plan/selection.ts';
import { type Mode, type Step, stepOf, stepOfOlder, stepOfRejected, stepOfSkipped } from '../plan/step.ts';
import type { PlanEntry, TicketEntry } from '../plan/ticket-plan.ts';
import { filesOfShard } from '../rejects/reject-folder.ts';
import type { Settings } from '../settings/settings.ts';
import { temporaryFailure } from '../source/problems.ts';
import type { OpenedSource } from './import-job.ts';
import type { TicketLinks } from './links/ticket-links.ts';

export interface ExaminedTicket extends TicketEntry {
  readonly record: TicketRecord | undefined;
  readonly step: Step;
  /** Why the user's filters leave it out. It may count as something else all the same (step.outcome). */
  readonly skippedBecause: string | undefined;
  /** While the plan is made: the ticket before it was checked, and before it was mapped. */
  readonly made?: { readonly item: SourceTicket; readonly mapped: MappedTicket } | undefined;
}

/** `skippedBecause`: as of a ticket. */
export type Examined = ExaminedTicket | (UnreadableRecord & Pick<ExaminedTicket, 'skippedBecause'>);

export interface Examination {
  readonly source: OpenedSource;
  readonly check: Checker;
  /** What checking found, with what was learnt since: new addresses of files, links between tickets. */
  readonly view?: ((result: CheckResult) => CheckResult) | undefined;
  /** A fresh one for each pass: it counts. Absent once the export was surveyed. */
  readonly selection?: Selection | undefined;
  readonly ledger: Pick<Ledger, 'get'> | undefined;
  /** Of the export that was imported: an older one sets nothing back. */
  readonly exportTimes?: Pick<Notebook<number>, 'get'> | undefined;
  readonly mode: Mode;
  /** In place of the step of an import, where links are what the run is about. */
  readonly stepOf?: TicketLinks['stepOf'];
  /** The ticket has an agent whose ID is not known yet, so changes cannot be seen. */
  readonly isUnsettled?: ((checked: CheckedTicket) => boolean) | undefined;
}

/** `entries`: those of a complete plan. */
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

/** Maps and checks every ticket of the export, and keeps what comes of it. */
async function* makePlan(
  { source: { live, plan, files }, check }: Examination,
  signal: AbortSignal,
): AsyncGenerator<readonly Made[]> {
  if (live === undefined) throw new AppError('internal', 'A plan is not made again.');
  const { joined, mapper } = live;
  plan.begin();
  for await (const items of joined.tickets(signal)) {
    const made = items.map((item): Made => {
      if (item.kind === 'unreadable') return { entry: item };
      const mapped = mapper.map(item);
      return { entry: entryOf(item, mapped, check(mapped), files), item, mapped };
    });
    plan.add(made.map(({ entry }) => entry));
    yield made;
  }
  plan.isComplete = true;
}

function entryOf(
  { seq, externalId, row }: SourceTicket,
  mapped: MappedTicket,
  result: CheckResult,
  files: ExportFiles,
): TicketEntry {
  const { subject, contact, contactId } = mapped.ticket;
  return {
    kind: 'ticket',
    seq,
    externalId,
    ref: row.ref,
    rows: mapped.rows,
    result,
    subject: textOf(subject),
    requester: {
      email:
        result.checked?.ticket.contact?.email ?? (contact === undefined ? undefined : result.contacts[0]),
      contactId: textOf(contactId),
    },
    excluded: mapped.excluded,
    exportedAt: exportTimeOf(row, files),
    refusal:
      result.checked === undefined ? inOwnWords(ticketProblem(result.problems), wordsOf(mapped)) : undefined,
  };
}

function examined(entry: PlanEntry, examination: Examination, made?: ExaminedTicket['made']): Examined {
  const { selection, ledger, exportTimes, mode, isUnsettled, stepOf: stepInstead, view } = examination;
  const { seq, externalId, ref, leftOut } = entry;
  if (entry.kind === 'unreadable') {
    const skippedBecause = selection ? selection.skip({ seq, externalId, file: ref.file }) : leftOut;
    return { ...entry, skippedBecause };
  }
  const { requester, excluded, exportedAt } = entry;
  const result = view?.(entry.result) ?? entry.result;
  const record = ledger?.get(entry.externalId);
  const { createdAt } = result;
  const skippedBecause = selection
    ? selection.skip({ seq, externalId, ...requester, createdAt, excluded, file: ref.file })
    : leftOut;
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
      : stepInstead !== undefined
        ? stepInstead(record, checked)
        : checked === undefined
          ? stepOfRejected(record)
          : isOlder
            ? stepOfOlder(compared, checked)
            : stepOf(compared, checked, mode);
  return { ...entry, result, record, step, skippedBecause, made };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What people wrote, as far as the mapping found it. Addresses and names stay: they are what a person has to correct. */
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

/** The first error, for the checkpoint; rejects and report have all. */
export function ticketProblem(problems: readonly Problem[]): TicketProblem {
  const first = problems.find((problem) => problem.severity === 'error');
  const reason = first?.field === undefined ? first?.message : `${first.field}: ${first.message}`;
  return { code: first?.code ?? 'rejected', message: (reason ?? 'Rejected.').slice(0, LONGEST_REASON) };
}

/** The part of the export that is meant. A fresh one for each pass. */
export function selectionOf({ selection }: Pick<Settings, 'selection'>, { files }: ExportFiles): Selection {
  return createSelection(selection, filesOfShard(files, selection.shard));
}

/**
 * A pass over an opened export: every record of its selection, as a run would see it. Sends nothing.
 *
 * @param ledger where it matters what the checkpoint says of a ticket now
 * @param where of a surveyed export: a condition on `ticket` and `step` (plan/queries.ts)
 */
export function examineExport(
  { settings, ...job }: Pick<Examination, 'source' | 'check' | 'view'> & { readonly settings: Settings },
  signal: AbortSignal,
  ledger?: Examination['ledger'],
  where?: string,
): AsyncGenerator<readonly Examined[]> {
  const { source, check, view } = job;
  const selection = where === undefined ? selectionOf(settings, source.files) : undefined;
  const examination: Examination = { source, check, view, selection, ledger, mode: 'run' };
  return examine(examination, signal, where === undefined ? undefined : source.plan.entries(where));
}

/** Names of columns that say when a ticket was last changed in its source, in small letters without anything between words. */
const CHANGED_AT =
  /^(?:(?:sys|user|last)?updated(?:at|on|date(?:time)?|time)?|lastupdatetime|(?:hs)?lastmodified(?:at|date)?|modified(?:at)?)$/;
/** Objects in which some platforms keep a ticket's own fields. */
const WITHIN = ['fields', 'properties', 'attributes'] as const;

/** Milliseconds since 1970; undefined where the row has no such column, or its value is no certain time: an older export must not set a ticket back. */
function exportTimeOf({ ref, cells, object }: Row, { files }: ExportFiles): number | undefined {
  const isName = (name: string) => CHANGED_AT.test(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  if (cells !== undefined) {
    const { header = [] } = files[ref.file]?.outline ?? {};
    return timeOf(cells[header.findIndex(isName)]);
  }
  for (const each of [object, ...WITHIN.map((key) => object?.[key])]) {
    const name = isJsonObject(each) ? Object.keys(each).find(isName) : undefined;
    const time = isJsonObject(each) && name !== undefined ? timeOf(each[name]) : undefined;
    if (time !== undefined) return time;
  }
  return undefined;
}

/** Two exports write their times in the same way, so one without a zone counts as UTC. */
function timeOf(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  const [, day, time = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const at = Date.parse(`${day}T${time === '' ? '00:00' : time}${zone === 'UTC' ? 'Z' : zone}`);
  return Number.isNaN(at) ? undefined : at;
}
