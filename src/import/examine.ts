/**
 * One pass over the export: every record mapped, checked, selected and compared with the checkpoint. The first pass
 * surveys with it, the second one sends; both see the same, because it is the same code over the same rows.
 */
import type { Checker } from '../check/check-ticket.ts';
import type { JoinedExport } from '../domain/join-plan.ts';
import type { ExportTimes, Ledger, TicketRecord } from '../domain/ledger.ts';
import type { SourceItem, SourceTicket, UnreadableRecord } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import type { CheckedTicket, CheckResult, MappedTicket } from '../domain/ticket.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import { createSelection, type Selection } from '../plan/selection.ts';
import { type Mode, type Step, stepOf, stepOfOlder, stepOfRejected, stepOfSkipped } from '../plan/step.ts';
import { filesOfShard } from '../rejects/rejects-read.ts';
import type { Settings } from '../settings/settings.ts';
import { exportTimeOf } from './export-time.ts';
import type { TicketLinks } from './links/ticket-links.ts';
import type { OpenedSource } from './source.ts';

export interface ExaminedTicket {
  readonly kind: 'ticket';
  readonly item: SourceTicket;
  readonly mapped: MappedTicket;
  readonly result: CheckResult;
  readonly record: TicketRecord | undefined;
  readonly step: Step;
  /** When it was last changed in its source, milliseconds since 1970, where its row says so. */
  readonly exportedAt: number | undefined;
  /** Why the user's filters leave it out. It may count as something else all the same (step.outcome). */
  readonly skippedBecause: string | undefined;
}

interface ExaminedRecord {
  readonly kind: 'unreadable';
  readonly item: UnreadableRecord;
  readonly skippedBecause: string | undefined;
}

export type Examined = ExaminedTicket | ExaminedRecord;

export interface Examination {
  readonly joined: JoinedExport;
  readonly files: ExportFiles;
  readonly mapper: Mapper;
  readonly check: Checker;
  /** A fresh one for each pass: it counts. */
  readonly selection: Selection;
  readonly ledger: Pick<Ledger, 'get'> | undefined;
  /** Of the export that was imported: an older one sets nothing back. */
  readonly exportTimes?: Pick<ExportTimes, 'get'> | undefined;
  readonly mode: Mode;
  /** Of a ticket that names somebody whose id is not known yet: whether it has changed cannot be told. */
  /** In place of the step of an import, where links are what the run is about. */
  readonly stepOf?: TicketLinks['stepOf'];
  readonly isUnsettled?: ((checked: CheckedTicket) => boolean) | undefined;
}

/** `tickets`: in another order than that of the export. */
export async function* examine(
  examination: Examination,
  signal: AbortSignal,
  tickets = examination.joined.tickets(signal),
): AsyncGenerator<readonly Examined[]> {
  for await (const items of tickets) yield examineAll(items, examination);
}

function examineAll(items: readonly SourceItem[], examination: Examination): Examined[] {
  const { mapper, check, selection } = examination;
  const examined: Examined[] = [];
  for (const item of items) {
    if (item.kind === 'unreadable') {
      const { seq, externalId } = item;
      examined.push({
        kind: 'unreadable',
        item,
        skippedBecause: selection.skip({ seq, externalId, file: item.ref.file }),
      });
      continue;
    }
    const mapped = mapper.map(item);
    examined.push(examinedTicket(item, mapped, check(mapped), examination));
  }
  return examined;
}

function examinedTicket(
  item: SourceTicket,
  mapped: MappedTicket,
  result: CheckResult,
  { selection, ledger, exportTimes, files, mode, isUnsettled, stepOf: stepInstead }: Examination,
): ExaminedTicket {
  const record = ledger?.get(item.externalId);
  const skippedBecause = selection.skip({
    seq: item.seq,
    externalId: item.externalId,
    email: requesterOf(result, mapped),
    contactId: textOf(mapped.ticket['contactId']),
    createdAt: result.createdAt,
    excluded: mapped.excluded,
    file: item.row.ref.file,
  });
  const { checked } = result;
  const exportedAt = exportTimeOf(item.row, files);
  const imported = record?.ticketId === undefined ? undefined : exportTimes?.get(item.externalId);
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
  return { kind: 'ticket', item, mapped, result, record, step, exportedAt, skippedBecause };
}

/** The address that decides the shard: the ticket's own, as checking normalized it. */
function requesterOf({ checked, contacts }: CheckResult, { ticket }: MappedTicket): string | undefined {
  if (checked !== undefined) return checked.ticket.contact?.email;
  return ticket['contact'] === undefined ? undefined : contacts[0];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The part of the export that is meant. A fresh one for each pass. */
export function selectionOf({ selection }: Pick<Settings, 'selection'>, { files }: ExportFiles): Selection {
  return createSelection(selection, filesOfShard(files, selection.shard));
}

/**
 * A pass over an opened export: every record of its selection, as a run would see it. For whoever sends nothing.
 *
 * @param ledger where it matters what the checkpoint says of a ticket now
 */
export function examineExport(
  { source, settings, check }: { source: OpenedSource; settings: Settings; check: Checker },
  signal: AbortSignal,
  ledger?: Examination['ledger'],
): AsyncGenerator<readonly Examined[]> {
  const { joined, mapper, files } = source;
  // What an earlier pass counted in it stays out of the counts of this one.
  mapper.restart();
  const selection = selectionOf(settings, files);
  return examine({ joined, files, mapper, check, selection, ledger, mode: 'run' }, signal);
}
