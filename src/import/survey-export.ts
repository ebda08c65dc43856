/** The first pass: looks at the whole export, sends nothing, and says what a run would do. Constant memory. */

import { requireSameSource } from '../checkpoint/same-source.ts';
import type { Review } from '../discover/review.ts';
import { unreadTexts } from '../discover/unread.ts';
import type { AppError } from '../domain/errors.ts';
import { hashOf } from '../domain/hash.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import type { LossReport, Survey } from '../domain/survey.ts';
import type { CheckResult } from '../domain/ticket.ts';
import { changeProblems, type Mode } from '../plan/step.ts';
import { createSurvey } from '../plan/survey.ts';
import { createTrialPicker } from '../plan/trial.ts';
import { rejectFoldersOf } from '../rejects/rejects-read.ts';
import type { Settings } from '../settings/settings.ts';
import { guarded } from '../source/problems.ts';
import type { TicketToCreate } from '../target/same-target.ts';
import { type Examination, type Examined, type ExaminedTicket, examine, selectionOf } from './examine.ts';
import type { ImportJob, ImportPorts } from './import-job.ts';
import { KnownTickets } from './known-tickets.ts';
import type { OpenedSource } from './opened-source.ts';
import { defectLocation, headerLocation, keyLocation, ticketLocation } from './problem-frames.ts';
import { reportUnmatchedRows } from './unmatched-rows.ts';

/** What of an import its survey needs. */
type SurveyJob = Pick<ImportJob, 'source' | 'settings' | 'check' | 'view' | 'names' | 'problem'> & {
  readonly ports: Pick<ImportPorts, 'emit' | 'soft' | 'clock'>;
};

interface SurveyOptions extends Pick<Examination, 'ledger' | 'exportTimes' | 'stepOf' | 'isUnsettled'> {
  /** Called for every record. */
  readonly onRecord?: ((examined: Examined) => void) | undefined;
}

export interface Surveyed {
  readonly survey: Survey;
  readonly loss: LossReport;
  /** Why nothing may be sent: the review of the mapped tickets found an error. */
  readonly stoppedBy: AppError | undefined;
  /** What was found wrong with the mapping as a whole. */
  readonly findings: readonly Problem[];
  /** Rows of tickets that cannot be read, not even whose they are. */
  readonly lostRows: number;
  /** Tickets that the user did not leave out and that have no outcome yet. */
  readonly open: number;
  /** Tickets with an id, and which of them the checkpoint knows, in whatever state. */
  readonly known: KnownTickets['counts'];
  /** Digest of everything to send, by which a later run sees changes of the export. */
  readonly digest: string;
  /** The first tickets to be created, a handful. */
  readonly toCreate: readonly TicketToCreate[];
  /** Open and pending tickets to be sent, where these go first (`run.order`). */
  readonly openFirst?: number | undefined;
  /** Tickets with something to send, and how many of them are done (a delta). */
  readonly toSend: { readonly tickets: number; readonly ofDone: number };
  /**
   * What earlier processes brought into the target of the tickets in the export. Messages that have changed since are not
   * there as the export has them: they count when a delta has brought them in.
   */
  readonly sentBefore: { readonly messages: number; readonly events: number };
}

/** So many tickets are asked for where a part of an export is imported with a new checkpoint. */
const FIRST_CREATES = 10;
/** Fewer messages for each ticket than this are no conversation. */
const LEAST_MESSAGES = 0.1;

export async function surveyExport(job: SurveyJob, options: SurveyOptions): Promise<Surveyed> {
  const { source, settings, names, problem, ports } = job;
  const { onRecord, ...compared } = options;
  const { emit, soft: signal, clock } = ports;
  const mode: Mode = settings.delta ? 'delta' : 'run';
  const selection = selectionOf(settings, source.files);
  const survey = createSurvey();
  const picker = createTrialPicker(settings.trialSize);
  const sentBefore = { messages: 0, events: 0 };
  const toCreate: TicketToCreate[] = [];
  const toSend = { tickets: 0, ofDone: 0 };
  let open = 0;
  const isOpenFirst = settings.run.order !== 'file' && settings.links === undefined;
  let openFirst = 0;
  const known = new KnownTickets(settings);
  const mapped = { tickets: 0, messages: 0 };
  let tickets = 0;
  let problems = 0;
  // The native layout has a name for everything; a few rejected rows say nothing about a mapping.
  const isOfRejects = rejectFoldersOf(settings.source.files).length > 0;
  using review =
    isOfRejects || source.kept !== undefined || source.detection.layout.name === 'native'
      ? undefined
      : new (await import('../discover/review.ts')).Review(source, new Date(clock.now()));
  emit({ type: 'stage', stage: 'checking' });

  const takeTicket = (examined: ExaminedTicket) => {
    if (examined.made !== undefined) review?.see(examined.made.mapped);
    if (examined.excluded === undefined) {
      mapped.tickets++;
      mapped.messages += examined.result.messages;
    }
    const { result, record, step, skippedBecause } = examined;
    if (skippedBecause !== undefined) guarded(() => source.plan.skip(examined.seq, skippedBecause));
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
      const ticket = result.checked?.ticket;
      if (action.do === 'create' && ticket !== undefined && toCreate.length < FIRST_CREATES)
        toCreate.push({
          externalId: result.externalId,
          subject: ticket.subject,
          createdAt: ticket.createdAt,
        });
    }
    if (action !== undefined && skippedBecause === undefined && rankOf(result) === 0) openFirst++;
    const { reached } = record ?? {};
    if ((reached === 'messaged' || reached === 'done') && !step.changed.includes('messages'))
      sentBefore.messages += result.messages;
    if (reached === 'done' && !step.changed.includes('events')) sentBefore.events += result.events;
    if (skippedBecause !== undefined) return;
    if (isOpen(record)) open++;
    // Problems of an imported ticket's record no longer matter.
    if (outcome !== 'done' && options.stepOf === undefined) {
      const { made } = examined;
      for (const found of result.problems)
        problem(found, () => made && ticketLocation(source, made.item, found));
      problems += result.problems.length;
    }
    if (result.checked === undefined) return;
    const file = source.nameOf(result.checked.ref);
    for (const found of changeProblems(step, result.checked, mode, file)) problem(found);
    picker.offer(result.checked);
  };

  let digest = 0;
  const take = (examined: Examined) => {
    tickets++;
    digest = hashOf(`${digest} ${contentOf(examined)}`);
    if (examined.kind === 'ticket') {
      takeTicket(examined);
      return;
    }
    const { skippedBecause, ...item } = examined;
    survey.unreadable(skippedBecause === undefined ? 'rejected' : 'skipped', skippedBecause);
    if (skippedBecause !== undefined) return;
    problems++;
    problem(
      {
        severity: 'error',
        code: item.code,
        ticket: item.externalId,
        file: source.nameOf(item.ref),
        line: item.ref.line,
        message: item.message,
        count: 1,
      },
      () =>
        item.code === 'unreadable' ? defectLocation(item.ref) : keyLocation(source, item.table, item.ref),
    );
  };

  const examination = { ...job, ...compared, selection, mode };
  for await (const chunk of examine(examination, signal)) {
    for (const examined of chunk) {
      take(examined);
      onRecord?.(examined);
    }
    emit({ type: 'checked', tickets, problems });
  }
  if (tickets === 0)
    problem({
      severity: 'warning',
      code: 'no-tickets',
      message: 'The export has no ticket; check that it was exported completely.',
      count: 1,
    });
  source.tellFileProblems();
  const { lost, ...orphans } = reportUnmatchedRows(source, problem);
  for (const found of source.mapper.problems()) problem(found, () => headerLocation(source, found));
  const findings: Problem[] = [];
  const stoppedBy =
    isOfRejects || source.kept !== undefined
      ? undefined
      : await stoppedByReview(source, review, mapped, (found) => {
          findings.push(found);
          problem(found);
        });
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
      budgets: settings.run.rate,
      trial: picker.picks(),
    }),
    loss: source.mapper.loss(),
    stoppedBy,
    findings,
    lostRows: lost,
    open,
    known: known.counts,
    openFirst: isOpenFirst ? openFirst : undefined,
    toSend,
    digest: `${tickets}-${digest.toString(16)}`,
    toCreate,
    sentBefore,
  };
}

/** Throws AppError `checkpoint` where the checkpoint is of another source. */
export function requireSource(
  { source, output }: Settings,
  { known }: Surveyed,
  ledger: { size(): number },
): void {
  const ofRejects = rejectFoldersOf(source.files).length > 0;
  requireSameSource({ known: ledger.size(), ...known, ofRejects }, output.checkpoint);
}

async function stoppedByReview(
  source: OpenedSource,
  review: Review | undefined,
  { tickets, messages }: { readonly tickets: number; readonly messages: number },
  problem: ProblemSink,
): Promise<AppError | undefined> {
  if (review === undefined && messages >= LEAST_MESSAGES * tickets) return undefined;
  const { tellFindings } = await import('../discover/review.ts');
  if (review !== undefined) return tellFindings(await review.findings(), problem);
  const all = { tickets, lacksMessages: true, read: 0, isTicket: () => false };
  return tellFindings(unreadTexts(source, all), problem);
}

function contentOf(examined: Examined): string {
  if (examined.skippedBecause !== undefined || examined.kind === 'unreadable')
    return examined.externalId ?? '';
  const { checked, withheld } = examined.result;
  const { ticket, messages, events } = (checked ?? withheld)?.fingerprints ?? {};
  return `${examined.externalId} ${ticket} ${messages} ${events}`;
}

/** What people work on goes first; what is only recorded as rejected goes last. */
export function rankOf({ checked, withheld }: Pick<CheckResult, 'checked' | 'withheld'>): number {
  const ticket = (checked ?? withheld)?.ticket;
  if (ticket === undefined) return 2;
  return ticket.status === undefined || ticket.status === 'open' || ticket.status === 'pending' ? 0 : 1;
}

function isOpen(record: TicketRecord | undefined): boolean {
  return record === undefined || ['pending', 'created', 'messaged'].includes(record.state);
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}
