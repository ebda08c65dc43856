/** The first pass: makes the plan, sends nothing, and says what a run would do. What it counts is asked of the plan. */

import { requireSameSource, type SourceComparison } from '../checkpoint/same-source.ts';
import { type ReviewedSource, unreadTexts } from '../discover/findings.ts';
import type { Review } from '../discover/review.ts';
import type { AppError } from '../domain/errors.ts';
import { sha256 } from '../domain/hash.ts';
import { OriginTally, originReader } from '../domain/origin.ts';
import type { TicketPayload } from '../domain/payload.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import type { LossReport, Survey } from '../domain/survey.ts';
import { changeProblems, type Mode } from '../plan/step.ts';
import { pickTrial, traitsOf } from '../plan/trial.ts';
import { rejectFoldersOf } from '../rejects/reject-folder.ts';
import type { Settings } from '../settings/settings.ts';
import { guarded } from '../source/problems.ts';
import { type Examination, type Examined, type ExaminedTicket, examine, selectionOf } from './examine.ts';
import type { ImportJob, ImportPorts, OpenedSource } from './import-job.ts';
import { looseRows } from './loose-rows.ts';
import { defectLocation, headerLocation, keyLocation, ticketLocation } from './problem-frames.ts';

/** What of an import its survey needs. */
type SurveyJob = Pick<ImportJob, 'source' | 'settings' | 'check' | 'view' | 'names' | 'problem'> & {
  readonly ports: Pick<ImportPorts, 'emit' | 'soft' | 'clock'>;
};

export interface Surveyed {
  readonly survey: Survey;
  readonly loss: LossReport;
  /** Why nothing may be sent: the review of the mapped tickets found an error. */
  readonly stoppedBy: AppError | undefined;
  /** What was found wrong with the mapping as a whole. */
  readonly findings: readonly Problem[];
  /** Rows of tickets that cannot be read, not even whose they are. */
  readonly lostRows: number;
  readonly totals: ReturnType<OpenedSource['plan']['steps']['totals']>;
  /** Tickets with an id, and which of them the checkpoint has, in any state. */
  readonly known: KnownTickets['counts'];
  /** Digest of everything to send, by which a later run sees changes of the export. */
  readonly digest: string;
}

/** Fewer messages for each ticket than this are no conversation. */
const LEAST_MESSAGES = 0.1;

export async function surveyExport(
  job: SurveyJob,
  compared: Pick<Examination, 'ledger' | 'exportTimes' | 'stepOf' | 'isUnsettled'>,
): Promise<Surveyed> {
  const { source, settings, names, problem, ports } = job;
  const { emit, soft: signal, clock } = ports;
  const { steps } = source.plan;
  const mode: Mode = settings.delta ? 'delta' : 'run';
  const selection = selectionOf(settings, source.files);
  const known = new KnownTickets(settings);
  // The native layout has a name for everything; a few rejected rows say nothing about a mapping.
  const { files, detection, live } = source;
  const reviewed =
    live && rejectFoldersOf(settings.source.files).length === 0 ? { files, detection, ...live } : undefined;
  using review =
    reviewed && source.detection.layout.name !== 'native'
      ? new (await import('../discover/review.ts')).Review(reviewed, new Date(clock.now()))
      : undefined;
  emit({ type: 'stage', stage: 'checking' });
  let [tickets, problems, digest] = [0, 0, ''];
  const mapped = { tickets: 0, messages: 0 };

  const takeTicket = (examined: ExaminedTicket) => {
    const { result, step, skippedBecause, made } = examined;
    const { checked, contacts } = result;
    if (made !== undefined) review?.see(made.mapped);
    if (examined.excluded === undefined) {
      mapped.tickets++;
      mapped.messages += result.messages;
    }
    guarded(() => steps.add(examined, checked && traitsOf(checked)));
    known.add(examined);
    for (const { email, name, at } of result.names) names.offer(email, name, at);
    // Names are of these contacts: an only one that has a name was offered with it.
    if (contacts.length > 1 || result.names.length === 0)
      for (const email of contacts) names.offer(email, undefined, 0);
    if (skippedBecause !== undefined) return;
    // Problems of an imported ticket's record no longer matter.
    if (step.outcome !== 'done' && compared.stepOf === undefined) {
      for (const found of result.problems)
        problem(found, () => made && ticketLocation(source, made.item, found));
      problems += result.problems.length;
    }
    if (checked === undefined) return;
    for (const found of changeProblems(step, checked, mode, source.nameOf(checked.ref))) problem(found);
  };

  const take = (examined: Examined) => {
    tickets++;
    digest = sha256(`${digest} ${contentOf(examined)}`);
    if (examined.kind === 'ticket') return takeTicket(examined);
    const { seq, externalId, skippedBecause, code, ref, table, message } = examined;
    guarded(() => steps.addUnreadable(seq, externalId, skippedBecause));
    if (skippedBecause !== undefined) return;
    problems++;
    const place = { file: source.nameOf(ref), line: ref.line };
    problem({ severity: 'error', code, ticket: externalId, ...place, message, count: 1 }, () =>
      code === 'unreadable' ? defectLocation(ref) : keyLocation(source, table, ref),
    );
  };

  for await (const chunk of examine({ ...job, ...compared, selection, mode }, signal)) {
    for (const examined of chunk) take(examined);
    emit({ type: 'checked', tickets, problems });
  }
  const warn = (code: string, message: string, ticket?: string) =>
    problem({ severity: 'warning', code, ticket, message, count: 1 });
  if (tickets === 0) warn('no-tickets', 'The export has no ticket; check that it was exported completely.');
  source.tellFileProblems();
  const loose = { message: 0, event: 0, row: 0, unreadable: 0, lost: 0 };
  for (const { kind, problem: found, locate } of looseRows(source)) {
    loose[kind]++;
    problem(found, locate);
  }
  const orphans = { messages: loose.message, events: loose.event };
  for (const found of source.mapper.problems()) problem(found, () => headerLocation(source, found));
  const findings: Problem[] = [];
  const stoppedBy =
    reviewed &&
    (await stoppedByReview(reviewed, review, mapped, (found) => {
      findings.push(found);
      problem(found);
    }));
  for (const id of selection.missing())
    warn('not-in-export', `--only names the ticket ${id}, which is not in the export; check the id.`, id);
  const contacts = { distinct: names.distinct(), merged: countOf(names.merged()) };
  const trial = pickTrial(source.plan, settings.trialSize);
  return {
    survey: steps.survey({ contacts, orphans, trial }, settings.run.batchSize, settings.run.rate),
    loss: source.mapper.loss(),
    stoppedBy,
    findings,
    lostRows: loose.lost,
    totals: steps.totals(),
    known: known.counts,
    digest: `${tickets}-${digest.slice(0, 16)}`,
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
  source: ReviewedSource,
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

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}

/** By the settings of this run. */
export function originsOf({ source, people, mapping }: Settings): (ticket: TicketPayload) => string {
  const { timezone, dayFirst, missingTimes, missingCreatedAt } = source;
  const { customersWithoutEmail } = people;
  return originReader(
    JSON.stringify([timezone, dayFirst, missingTimes, missingCreatedAt, customersWithoutEmail, mapping]),
  );
}

export class KnownTickets {
  readonly #originOf: (ticket: TicketPayload) => string;
  readonly #origins = new OriginTally();
  #inExport = 0;
  #shared = 0;

  constructor(settings: Settings) {
    this.#originOf = originsOf(settings);
  }

  /** Only what may be in the target is compared: a rejected or refused ticket may be corrected in any way. */
  add({ record, result, externalId }: ExaminedTicket): void {
    this.#inExport++;
    if (record === undefined) return;
    this.#shared++;
    const { ticketId, state, origin } = record;
    const mayExist = ticketId !== undefined || state === 'creating' || state === 'inDoubt';
    if (mayExist && origin !== undefined && result.checked !== undefined)
      this.#origins.add(externalId, origin, this.#originOf(result.checked.ticket));
  }

  get counts(): Pick<SourceComparison, 'inExport' | 'shared' | 'origins'> {
    return { inExport: this.#inExport, shared: this.#shared, origins: this.#origins.counts };
  }
}
