/** The first pass: looks at the whole export, sends nothing, and says what a run would do. Constant memory. */
import type { Checker } from '../check/check-ticket.ts';
import { AppError, changedSource } from '../domain/errors.ts';
import { hashOf } from '../domain/hash.ts';
import type { Ledger, TicketRecord } from '../domain/ledger.ts';
import type { ProblemSink } from '../domain/problem.ts';
import type { Emit } from '../domain/run-events.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import type { ContactNames } from '../domain/stage-plan.ts';
import type { LossReport, Survey } from '../domain/survey.ts';
import { changeProblems } from '../plan/change-problem.ts';
import { createSelection } from '../plan/selection.ts';
import type { Mode } from '../plan/step.ts';
import { createSurvey } from '../plan/survey.ts';
import { createTrialPicker } from '../plan/trial.ts';
import type { Settings } from '../settings/settings.ts';
import { type Examined, type ExaminedTicket, examine } from './examine.ts';
import { KnownTickets } from './known-tickets.ts';
import { reportOrphans } from './orphans.ts';
import { defectLocation, headerLocation, keyLocation, ticketLocation } from './problem-frames.ts';
import type { OpenedSource } from './source.ts';

interface SurveyPorts {
  readonly check: Checker;
  readonly names: ContactNames;
  readonly ledger: Pick<Ledger, 'get'> | undefined;
  readonly problem: ProblemSink;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  /** Where something is sent afterwards: told what every record holds. */
  readonly content?: Pick<SurveyedContent, 'note'> | undefined;
}

export interface Surveyed {
  readonly survey: Survey;
  readonly loss: LossReport;
  /** Rows of tickets that cannot be read, not even whose they are. */
  readonly lostRows: number;
  /** Tickets that the user did not leave out and that have no outcome yet. */
  readonly open: number;
  /** Tickets with an id, and which of them the checkpoint knows, in whatever state. */
  readonly known: KnownTickets['counts'];
  /** Tickets with something to send, and how many of them are done (a delta). */
  /** External ids of the first tickets to be created, a handful. */
  readonly toCreate: readonly string[];
  readonly toSend: { readonly tickets: number; readonly ofDone: number };
  /**
   * What earlier processes brought into the target of the tickets in the export. Messages that have changed since are not
   * there as the export has them: they count when a delta has brought them in.
   */
  readonly sentBefore: { readonly messages: number; readonly events: number };
}

/** So many tickets are asked for where a part of an export is imported with a new checkpoint. */
const FIRST_CREATES = 10;

export async function surveyExport(
  source: OpenedSource,
  settings: Settings,
  ports: SurveyPorts,
): Promise<Surveyed> {
  const { check, names, ledger, problem, emit, signal, content } = ports;
  const mode: Mode = settings.delta ? 'delta' : 'run';
  const selection = createSelection(settings.selection);
  const survey = createSurvey();
  const picker = createTrialPicker(settings.trialSize);
  const sentBefore = { messages: 0, events: 0 };
  const toCreate: string[] = [];
  const toSend = { tickets: 0, ofDone: 0 };
  let open = 0;
  const known = new KnownTickets(settings);
  let tickets = 0;
  let problems = 0;
  emit({ type: 'stage', stage: 'checking' });

  const takeTicket = (examined: ExaminedTicket) => {
    const { result, record, step, skippedBecause } = examined;
    known.add(examined);
    const { outcome, action } = step;
    survey.ticket({ result, outcome, action, skippedBecause });
    for (const { email, name, at } of result.names) names.offer(email, name, at);
    // Names are of these contacts: an only one that has a name was offered with it.
    if (result.contacts.length > 1 || result.names.length === 0)
      for (const email of result.contacts) names.offer(email, undefined, 0);
    if (action !== undefined) {
      toSend.tickets++;
      if (outcome === 'done') toSend.ofDone++;
      if (action.do === 'create' && toCreate.length < FIRST_CREATES) toCreate.push(result.externalId);
    }
    const { reached } = record ?? {};
    if ((reached === 'messaged' || reached === 'done') && !step.changed.includes('messages'))
      sentBefore.messages += result.messages;
    if (reached === 'done' && !step.changed.includes('events')) sentBefore.events += result.events;
    if (skippedBecause !== undefined) return;
    if (isOpen(record)) open++;
    // What is done is done: problems of its record in the export concern nobody any more.
    if (outcome !== 'done') {
      for (const found of result.problems) problem(found, () => ticketLocation(source, examined.item, found));
      problems += result.problems.length;
    }
    if (result.checked === undefined) return;
    const file = source.files.files[result.checked.ref.file]?.name ?? '';
    for (const found of changeProblems(step, result.checked, mode, file)) problem(found);
    picker.offer(result.checked);
  };

  const take = (examined: Examined) => {
    tickets++;
    if (examined.kind === 'ticket') {
      takeTicket(examined);
      return;
    }
    const { item, skippedBecause } = examined;
    survey.unreadable(skippedBecause === undefined ? 'rejected' : 'skipped', skippedBecause);
    if (skippedBecause !== undefined) return;
    problems++;
    problem(
      {
        severity: 'error',
        code: item.code,
        ticket: item.externalId,
        file: source.files.files[item.ref.file]?.name ?? '',
        line: item.ref.line,
        message: item.message,
        count: 1,
      },
      () =>
        item.code === 'unreadable' ? defectLocation(item.ref) : keyLocation(source, item.table, item.ref),
    );
  };

  const examination = {
    staged: source.staged,
    files: source.files,
    mapper: source.mapper,
    check,
    selection,
    ledger,
    mode,
  };
  for await (const chunk of examine(examination, signal)) {
    for (const examined of chunk) {
      take(examined);
      content?.note(examined);
    }
    emit({ type: 'checked', tickets, problems });
  }
  source.tellFileProblems();
  const { lost, ...orphans } = reportOrphans(source, problem);
  for (const found of source.mapper.problems()) problem(found, () => headerLocation(source, found));
  for (const id of selection.missing())
    problem({
      severity: 'warning',
      code: 'not-in-export',
      ticket: id,
      message: `--only names the ticket ${id}, which is not in the export; check the id.`,
      count: 1,
    });
  return {
    survey: survey.result({
      contacts: { distinct: names.distinct(), merged: countOf(names.merged()) },
      orphans,
      batchSize: settings.run.batchSize,
      budgets: settings.run.rates,
      trial: picker.picks(),
    }),
    loss: source.mapper.loss(),
    lostRows: lost,
    open,
    known: known.counts,
    toSend,
    toCreate,
    sentBefore,
  };
}

function isOpen(record: TicketRecord | undefined): boolean {
  return record === undefined || ['pending', 'created', 'messaged'].includes(record.state);
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}

/**
 * What the survey saw of every record, so that nothing else is sent, and what was sent: a digest of each, in the order of the export, 8 bytes
 * a record. Of a ticket that may be sent it is taken of its payloads, which come of all its rows and of those that were
 * looked up for it; of a rejected one of its rows; of one that the user leaves out of its id.
 */

const PAGE = 64 * 1024;

export class SurveyedContent {
  readonly #files: ExportFiles;
  /** Whether a module of the user takes part, which may give another result each time. */
  readonly #transformed: boolean;
  readonly #pages: Float64Array[] = [];
  readonly #sent: Uint8Array[] = [];
  #count = 0;
  #whole = 0;

  constructor(files: ExportFiles, transformed: boolean) {
    this.#files = files;
    this.#transformed = transformed;
  }

  /** In the first pass, for every record in its order. */
  note(examined: Examined): void {
    const at = this.#count++ % PAGE;
    if (at === 0) this.#pages.push(new Float64Array(PAGE));
    const page = this.#pages.at(-1);
    const digest = digestOf(examined);
    if (page !== undefined) page[at] = digest;
    this.#whole = hashOf(`${this.#whole} ${digest}`);
  }

  /** Of all that was surveyed, to tell later whether the export changed. */
  get digest(): string {
    return `${this.#count}-${this.#whole.toString(16)}`;
  }

  /** In a later pass. Throws AppError `source` for a record that is not what was surveyed. */
  require(examined: Examined): void {
    const { seq } = examined.item;
    const known = seq < this.#count ? this.#pages[Math.floor(seq / PAGE)]?.[seq % PAGE] : undefined;
    if (known !== digestOf(examined)) throw this.#difference(examined);
  }

  /** In the second pass: something of this ticket is sent. */
  sends(seq: number): void {
    const at = Math.floor(seq / PAGE);
    const page = this.#sent[at] ?? new Uint8Array(PAGE);
    page[seq % PAGE] = 1;
    this.#sent[at] = page;
  }

  isSent(seq: number): boolean {
    return this.#sent[Math.floor(seq / PAGE)]?.[seq % PAGE] === 1;
  }

  /** At the end of a later pass: what did not come any more, and what was added behind what was read. */
  end(records: number): AppError | undefined {
    const changed = this.#files.changed();
    return changed.length > 0 || records !== this.#count ? changedSource(changed) : undefined;
  }

  #difference({ item }: Examined): AppError {
    const changed = this.#files.changed();
    if (changed.length === 0 && this.#transformed)
      return new AppError(
        'source',
        `The transform gave another result for ticket ${item.externalId ?? `in line ${refOf(item).line}`} than when the export was checked.`,
        {
          hint: 'A transform must give the same result for the same ticket each time: take clocks, random numbers and counters out of it, and run again.',
        },
      );
    const ref = refOf(item);
    const name = this.#files.files.find(({ id }) => id === ref.file)?.name;
    return changedSource(changed.length > 0 || name === undefined ? changed : [name]);
  }
}

const refOf = (item: Examined['item']) => (item.kind === 'ticket' ? item.row.ref : item.ref);

function digestOf(examined: Examined): number {
  if (examined.skippedBecause !== undefined) return hashOf(`skipped ${examined.item.externalId ?? ''}`);
  if (examined.kind === 'unreadable') {
    const { code, externalId = '', ref } = examined.item;
    return hashOf(`${code} ${ref.file} ${ref.offset} ${ref.length} ${externalId}`);
  }
  const { item, result } = examined;
  if (result.checked === undefined) return hashOf(JSON.stringify([item.row, [...item.children]]));
  const { ticket, messages, events } = result.checked.fingerprints;
  return hashOf(`${ticket}${messages}${events}${item.externalId}`);
}
