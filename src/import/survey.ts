/** Looks at the whole export before anything is sent: maps it, tells its problems, judges the mapping, and learns the facts. */
import { lackedPictures } from '../attachments/files-of-ticket.ts';
import { DamagedTexts } from '../check/damaged-texts.ts';
import { reviewOf, stopOfMapping } from '../discover/judge.ts';
import type { Review } from '../discover/review.ts';
import type { AppError } from '../domain/errors.ts';
import { sha256 } from '../domain/identity.ts';
import type { Problem } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { contactOf } from '../mapping/people/people.ts';
import { factsOf } from '../plan/facts-of.ts';
import { KnownTickets } from '../plan/origins.ts';
import type { TicketFile } from '../plan/queries.ts';
import { createSelection, requireMatch } from '../plan/selection.ts';
import { changeProblems } from '../plan/step.ts';
import { pickTrial } from '../plan/trial.ts';
import { guarded } from '../source/problems.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import { accountOf, type Compared, contentOf, type Made, type MadeTicket, mapTickets } from './map.ts';
import { defectFrame, headerFrame, keyFrame, looseRows, ticketFrame } from './problem-places.ts';
import { nameOf } from './read.ts';
import type { Ended, LearntSource, ReadPorts, Run } from './run.ts';

/** Without what only a run needs. */
export type Surveying = Pick<Run, 'settings' | 'problems' | 'target' | 'ledger'> & {
  readonly ports: ReadPorts;
  readonly runTag?: string | undefined;
};

interface SurveyedFiles extends Pick<Compared, 'view'> {
  /** Absent: files are of no interest. */
  readonly filesOf?: (ticket: CheckedTicket) => TicketFile[];
  /** With `--files`. */
  readonly fetches?: boolean;
}

/** Ends with `stoppedBy` if the mapping or its review has an error. Throws AppError `checkpoint` if it is another source's. */
export async function surveyExport(
  run: Surveying,
  source: LearntSource,
  { view, ...files }: SurveyedFiles,
): Promise<Ended> {
  const { settings, problems, ports, ledger } = run;
  const { steps } = source.plan;
  const selection = createSelection(settings.selection);
  const review = await reviewOf(source, settings.source.files);
  const survey = new Survey(run, source, files, review);
  const compared = { ledger, view, exportTimes: ledger?.exportTimes };
  ports.emit({ type: 'stage', stage: 'checking' });
  for await (const page of mapTickets(settings, source, selection, compared, ports.soft)) {
    for (const made of page) survey.take(made);
    ports.emit({ type: 'checked', tickets: survey.tickets, problems: survey.problems });
  }
  if (survey.tickets === 0) problems.tell(problemOf('no-tickets', {}));
  for (const problem of source.files.problems.slice(source.toldProblems)) problems.tell(problem);
  const loose = { message: 0, event: 0, row: 0, unreadable: 0, lost: 0 };
  for (const { kind, problem, frameOf } of looseRows(source)) {
    loose[kind]++;
    problems.tell(problem, frameOf);
  }
  const stoppedBy = await survey.judge();
  for (const ticket of selection.missing()) problems.tell(problemOf('not-in-export', {}, { ticket }));
  requireMatch(settings.selection, survey.tickets, steps.selected());
  steps.record(accountOf(source));
  steps.tell({
    ...survey.told(),
    orphans: { messages: loose.message, events: loose.event },
    isFlawed: loose.lost > 0,
  });
  const facts = factsOf(steps, ledger?.files, problems.snapshot());
  if (ledger !== undefined) survey.known.requireSource(ledger, settings.sandbox);
  return { facts, stoppedBy };
}

/** The tickets of an export, one by one. */
class Survey {
  tickets = 0;
  problems = 0;
  readonly known: KnownTickets;
  readonly #run: Surveying;
  readonly #source: LearntSource;
  readonly #files: Omit<SurveyedFiles, 'view'>;
  readonly #review: Review | undefined;
  readonly #damaged: DamagedTexts;
  #digest = '';

  constructor(
    run: Surveying,
    source: LearntSource,
    files: Omit<SurveyedFiles, 'view'>,
    review: Review | undefined,
  ) {
    this.known = new KnownTickets(run.settings, rejectFoldersOf(run.settings.source.files).length > 0);
    this.#run = run;
    this.#source = source;
    this.#files = files;
    this.#review = review;
    this.#damaged = new DamagedTexts(source.detection.layout.name !== 'native');
  }

  take(made: Made): void {
    this.tickets++;
    this.#digest = sha256(`${this.#digest} ${contentOf(made)}`);
    if (made.kind === 'ticket') {
      this.#takeTicket(made);
      return;
    }
    const { externalId: ticket, leftOut, code, ref, table, message } = made;
    if (leftOut !== undefined) return;
    this.problems++;
    const found = { code, message, ticket, file: nameOf(this.#source, ref), line: ref.line, count: 1 };
    this.#run.problems.tell({ severity: 'error', ...found }, () =>
      code === 'unreadable' ? defectFrame(this.#source, ref) : keyFrame(this.#source, table, ref),
    );
  }

  #takeTicket(made: MadeTicket): void {
    const { steps } = this.#source.plan;
    const { result, step, mapped } = made;
    this.#review?.see(mapped);
    this.#damaged.see(mapped);
    this.known.add(made);
    const ticket = result.checked ?? result.withheld;
    if (ticket !== undefined && step.outcome !== 'skipped')
      guarded(() => steps.addFiles(made.seq, this.#files.filesOf?.(ticket) ?? []));
    this.#offerNames(result);
    if (made.leftOut !== undefined) return;
    this.#tellProblems(made);
    for (const { message, count } of ticket === undefined ? [] : lackedPictures(ticket))
      this.#run.problems.tell(
        problemOf(
          'picture-without-file',
          { count },
          { ticket: result.externalId, field: `messages[${message}].content`, count },
        ),
      );
  }

  #offerNames({ names: found, contacts: addresses }: MadeTicket['result']): void {
    const { contacts } = this.#source;
    for (const { email, name, at } of found) contacts.offer(email, name, at);
    // A single contact's name was offered with it.
    if (addresses.length > 1 || found.length === 0)
      for (const email of addresses) contacts.offer(email, undefined, 0);
  }

  #tellProblems(made: MadeTicket): void {
    const { result, step, item, ref } = made;
    const { problems, settings } = this.#run;
    // Problems recorded for an imported ticket no longer matter.
    if (step.outcome !== 'done' || step.held === 'invalid') {
      for (const found of result.problems) problems.tell(found, () => ticketFrame(this.#source, item, found));
      this.problems += result.problems.length;
    }
    const mode = settings.delta ? 'delta' : 'run';
    // A delta reads the helpdesk's values once it has sent (fixed-fields.ts).
    const isRead = settings.delta && settings.mode === 'run';
    for (const found of changeProblems(step, made, mode, nameOf(this.#source, ref)))
      if (!isRead || found.code !== 'field-not-updatable') problems.tell(found);
  }

  async judge(): Promise<AppError | undefined> {
    const { problems } = this.#run;
    const ofMapping = this.#source.mapper.problems();
    for (const found of ofMapping) problems.tell(found, () => headerFrame(this.#source, found));
    const findings: Problem[] = [];
    const tell = (found: Problem) => {
      findings.push(found);
      problems.tell(found);
    };
    for (const found of this.#damaged.problems()) tell(found);
    const stoppedBy = stopOfMapping(ofMapping, this.#review, tell);
    this.#source.plan.steps.tell({ findings });
    return stoppedBy;
  }

  /** Facts that no table has. */
  told() {
    const { settings, target, runTag, ports } = this.#run;
    const { detection, contacts, plan } = this.#source;
    const without = settings.people.customersWithoutEmail;
    return {
      ...{ mode: settings.mode, isDelta: settings.delta, layout: detection.layout.name, runTag },
      ...{ target: target?.baseUrl, checkpoint: settings.output.checkpoint, files: settings.source.files },
      picks: pickTrial(plan, settings.trialSize),
      fetchesAt: this.#files.fetches ? ports.clock.now() : undefined,
      digest: `${this.tickets}-${this.#digest.slice(0, 16)}`,
      contacts: {
        ...contacts.counts(),
        ...(typeof without === 'object'
          ? contacts.madeUp(without.synthesize, (name) => contactOf({ name }, without)?.email)
          : {}),
      },
      timezone: settings.source.timezone,
      ...{ batchSize: settings.run.batchSize, rate: settings.run.rate },
      mustReachAll: settings.mode === 'run',
      failOn: settings.failOn,
    };
  }
}
