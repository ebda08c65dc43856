/** The first pass: makes the plan, sends nothing, and says what a run would do. */

import { keyOf } from '../attachments/address.ts';
import { DamagedTexts } from '../check/damaged-texts.ts';
import type { CheckpointMeta } from '../checkpoint/meta.ts';
import { OriginTally, requireSameSource, type SourceComparison } from '../checkpoint/same-source.ts';
import { type ReviewedSource, unreadTexts } from '../discover/findings.ts';
import type { Review } from '../discover/review.ts';
import { AppError } from '../domain/errors.ts';
import { originReader, sha256 } from '../domain/identity.ts';
import type { FileRecord } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { Facts } from '../plan/facts.ts';
import { factsOf, type RunKnowledge } from '../plan/facts-of.ts';
import type { TicketFile } from '../plan/queries.ts';
import { changeProblems, type Mode } from '../plan/step.ts';
import { pickTrial, traitsOf } from '../plan/trial.ts';
import { guarded } from '../source/problems.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import { type Examination, type Examined, type ExaminedTicket, examine } from './examine.ts';
import type { ImportJob, ImportPorts, OpenedSource } from './import-job.ts';
import type { Options } from './options.ts';
import { createSelection } from './options.ts';
import { defectLocation, headerLocation, keyLocation, looseRows, ticketLocation } from './problem-places.ts';

/** Without what only a run needs. */
type SurveyJob = Omit<ImportJob, 'sourceName' | 'files' | 'notUpdated' | 'fixed' | 'started' | 'ports'> & {
  readonly fixed?: Set<string>;
  readonly ports: Pick<ImportPorts, 'emit' | 'soft' | 'clock'>;
};

export interface Surveyed {
  readonly facts: Facts;
  readonly knowledge: RunKnowledge;
  /** The review of the mapped tickets found an error. */
  readonly stoppedBy: AppError | undefined;
  readonly findings: readonly Problem[];
  readonly lostRows: number;
  readonly totals: ReturnType<OpenedSource['plan']['steps']['totals']>;
  readonly known: KnownTickets['counts'];
}

/** Fewer messages a ticket than this are no conversation. */
const LEAST_MESSAGES = 0.1;

interface Compared extends Pick<Examination, 'ledger' | 'exportTimes' | 'isUnsettled'> {
  readonly files?: { all(): readonly FileRecord[] } | undefined;
  /** Where `--files` keeps them. */
  readonly filesOf?: ((ticket: CheckedTicket) => TicketFile[]) | undefined;
}

export async function surveyExport(job: SurveyJob, compared: Compared): Promise<Surveyed> {
  const { source, problem, ports, isDelta, reading } = job;
  const { emit, soft: signal } = ports;
  const { steps } = source.plan;
  const mode: Mode = isDelta ? 'delta' : 'run';
  const selection = createSelection(job.selection);
  // The native layout names everything; a few rejected rows prove nothing about a mapping.
  const reviewed = rejectFoldersOf(reading.inputs).length === 0 ? source : undefined;
  const review =
    reviewed && source.detection.layout.name !== 'native'
      ? new (await import('../discover/review.ts')).Review(reviewed)
      : undefined;
  const survey = new Survey(job, compared, mode, review);
  emit({ type: 'stage', stage: 'checking' });
  for await (const chunk of examine(
    { ...job, ...compared, selection, mode, originOf: originsOf(reading) },
    signal,
  )) {
    for (const examined of chunk) survey.take(examined);
    emit({ type: 'checked', tickets: survey.tickets, problems: survey.problems });
  }
  if (survey.tickets === 0) problem(problemOf('no-tickets', {}));
  source.tellFileProblems();
  const loose = tellLooseRows(source, problem);
  const { stoppedBy, findings } = await judgeMapping(job, survey, reviewed, review);
  for (const ticket of selection.missing()) problem(problemOf('not-in-export', {}, { ticket }));
  requireMatch(job.selection, survey.tickets, steps.selected());
  steps.record(source.mapper.loss());
  const knowledge = knowledgeOf(job, compared, survey, loose);
  return {
    facts: factsOf(steps, compared.files, knowledge),
    knowledge,
    stoppedBy,
    findings,
    lostRows: loose.lost,
    totals: steps.totals(),
    known: survey.known.counts,
  };
}

/** The tickets of the first pass, one by one. */
class Survey {
  tickets = 0;
  problems = 0;
  readonly mapped = { tickets: 0, messages: 0 };
  readonly known: KnownTickets;
  readonly damaged: DamagedTexts;
  readonly #job: SurveyJob;
  readonly #compared: Compared;
  readonly #mode: Mode;
  readonly #review: Review | undefined;
  #digest = '';

  constructor(job: SurveyJob, compared: Compared, mode: Mode, review: Review | undefined) {
    this.#job = job;
    this.#compared = compared;
    this.#mode = mode;
    this.#review = review;
    this.known = new KnownTickets(job.reading);
    this.damaged = new DamagedTexts(review !== undefined);
  }

  get digest(): string {
    return `${this.tickets}-${this.#digest.slice(0, 16)}`;
  }

  take(examined: Examined): void {
    const { source, problem } = this.#job;
    this.tickets++;
    this.#digest = sha256(`${this.#digest} ${contentOf(examined)}`);
    if (examined.kind === 'ticket') {
      this.#takeTicket(examined);
      return;
    }
    const { seq, externalId, skippedBecause, code, ref, table, message } = examined;
    guarded(() => source.plan.steps.addUnreadable(seq, externalId, skippedBecause));
    if (skippedBecause !== undefined) return;
    this.problems++;
    const place = { file: source.nameOf(ref), line: ref.line };
    problem({ severity: 'error', code, ticket: externalId, ...place, message, count: 1 }, () =>
      code === 'unreadable' ? defectLocation(ref) : keyLocation(source, table, ref),
    );
  }

  #takeTicket(examined: ExaminedTicket): void {
    const { steps } = this.#job.source.plan;
    const { result, step, skippedBecause, made } = examined;
    const { checked } = result;
    if (made !== undefined) {
      this.#review?.see(made.mapped);
      this.damaged.see(made.mapped);
    }
    if (examined.excluded === undefined) {
      this.mapped.tickets++;
      this.mapped.messages += result.messages;
    }
    guarded(() => steps.add(examined, checked && traitsOf(checked)));
    this.known.add(examined);
    const ticket = checked ?? result.withheld;
    if (ticket !== undefined && step.outcome !== 'skipped')
      guarded(() => steps.addFiles(examined.seq, (this.#compared.filesOf ?? linksOf)(ticket)));
    this.#offerNames(result);
    if (skippedBecause === undefined) this.#tellProblems(examined);
  }

  #offerNames({ names: found, contacts }: ExaminedTicket['result']): void {
    const { names } = this.#job;
    for (const { email, name, at } of found) names.offer(email, name, at);
    // A single contact's name was offered with it.
    if (contacts.length > 1 || found.length === 0)
      for (const email of contacts) names.offer(email, undefined, 0);
  }

  #tellProblems(examined: ExaminedTicket): void {
    const { result, step, made, ref } = examined;
    const { source, problem, fixed, isDelta, mode } = this.#job;
    // Problems recorded for an imported ticket no longer matter.
    if (step.outcome !== 'done' || step.held === 'invalid') {
      for (const found of result.problems)
        problem(found, () => made && ticketLocation(source, made.item, found));
      this.problems += result.problems.length;
    }
    for (const found of changeProblems(step, examined, this.#mode, source.nameOf(ref)))
      if (found.code === 'field-not-updatable' && isDelta && mode !== 'dry-run' && fixed !== undefined)
        fixed.add(examined.externalId);
      else problem(found);
  }
}

function tellLooseRows(source: OpenedSource, problem: ProblemSink) {
  const loose = { message: 0, event: 0, row: 0, unreadable: 0, lost: 0 };
  for (const { kind, problem: found, locate } of looseRows(source)) {
    loose[kind]++;
    problem(found, locate);
  }
  return loose;
}

/** `stoppedBy`: the mapping or its review found an error. */
async function judgeMapping(
  { source, problem }: SurveyJob,
  { damaged, mapped }: Survey,
  reviewed: ReviewedSource | undefined,
  review: Review | undefined,
): Promise<Pick<Surveyed, 'stoppedBy' | 'findings'>> {
  const ofMapping = source.mapper.problems();
  for (const found of ofMapping) problem(found, () => headerLocation(source, found));
  const findings: Problem[] = damaged.problems();
  for (const found of findings) problem(found);
  const stoppedBy =
    undecided(ofMapping) ??
    (reviewed &&
      (await stoppedByReview(reviewed, review, mapped, (found) => {
        findings.push(found);
        problem(found);
      })));
  return { stoppedBy, findings };
}

function knowledgeOf(
  job: SurveyJob,
  { filesOf }: Compared,
  { digest }: Survey,
  loose: ReturnType<typeof tellLooseRows>,
): RunKnowledge {
  const { source, names, reading } = job;
  let merged = 0;
  for (const _ of names.merged()) merged++;
  return {
    mode: job.mode,
    isDelta: job.isDelta,
    layout: source.detection.layout.name,
    target: job.target?.baseUrl,
    checkpoint: job.checkpointPath,
    picks: pickTrial(source.plan, job.trialSize),
    fetchesAt: filesOf && job.ports.clock.now(),
    runTag: job.runTag,
    digest,
    contacts: { distinct: names.distinct(), merged },
    orphans: { messages: loose.message, events: loose.event },
    files: reading.inputs,
    batchSize: job.batchSize,
    rate: job.pace.budgets,
    problems: job.log.snapshot(),
    isFlawed: loose.lost > 0,
    mustReachAll: job.mode === 'run',
  };
}

/** A selection without a ticket is a typing mistake. Throws AppError `usage`. */
function requireMatch(
  { since, until, only, limit }: Options['selection'],
  read: number,
  selected: number,
): void {
  const isSelected = [since, until, only, limit].some((part) => part !== undefined);
  if (!isSelected || read === 0 || selected > 0) return;
  throw new AppError('usage', `No ticket matches: the export has ${read}, and all are left out.`, {
    hint: 'Nothing was sent. Check --only, --since, --until and --limit.',
  });
}

function linksOf({ messages, exported }: CheckedTicket): TicketFile[] {
  return (exported?.messages ?? messages).flatMap(({ attachments = [] }) =>
    attachments.flatMap(({ url, sizeBytes: bytes }) => {
      const host = URL.parse(url)?.host;
      return host === undefined ? [] : [{ key: keyOf(url), host, bytes }];
    }),
  );
}

type Learnt = 'requests' | 'look' | 'planFile' | 'rejects' | 'openFirst' | 'sent' | 'duplicates';

export interface JobResult extends Readonly<{ [Part in Learnt]?: RunKnowledge[Part] | undefined }> {
  readonly surveyed: Surveyed;
  readonly trial?:
    | (NonNullable<Facts['trial']> & {
        readonly attachments: { readonly checked: number; readonly unreachable: number };
        readonly failed: boolean;
      })
    | undefined;
  readonly shownBefore?: ReadonlySet<string> | undefined;
  readonly stoppedBy?: AppError | undefined;
}

/** From another export only the warnings: errors have other places there. */
export function shownBefore(
  meta: Pick<CheckpointMeta, 'shown'> | undefined,
  { facts }: Surveyed,
): ReadonlySet<string> {
  const { content, groups = [] } = meta?.shown ?? {};
  return new Set(groups.filter((key) => content === facts.export.digest || key.startsWith('warning ')));
}

export function summarize(
  job: ImportJob,
  files: { all(): readonly FileRecord[] } | undefined,
  result: JobResult,
): Facts {
  const { source, log, ports, started } = job;
  const { surveyed, trial, stoppedBy, requests, look, planFile, sent, duplicates, rejects, openFirst } =
    result;
  const { knowledge } = surveyed;
  return factsOf(source.plan.steps, files, {
    ...knowledge,
    ...{ requests, look, planFile, sent, duplicates, rejects, openFirst, stoppedBy },
    problems: log.snapshot(),
    trial: trial && { tickets: trial.tickets },
    probed: trial?.attachments,
    notUpdated: job.notUpdated.size,
    isFlawed: knowledge.isFlawed === true || trial?.failed === true,
    durationMs: Math.round(ports.clock.monotonic() - started),
  });
}

export function requireSource(
  { reading, checkpointPath, helpdesk }: Pick<Options, 'reading' | 'checkpointPath' | 'helpdesk'>,
  { known }: Surveyed,
  ledger: { size(): number },
): void {
  const ofRejects = rejectFoldersOf(reading.inputs).length > 0;
  requireSameSource({ known: ledger.size(), ...known, ofRejects }, checkpointPath, helpdesk.sandbox);
}

function undecided(problems: readonly Problem[]): AppError | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  return new AppError('configuration', 'The mapping needs a decision; nothing was sent.', {
    lines: errors.map(({ message }) => message),
  });
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

export function originsOf(reading: Options['reading']): (ticket: TicketPayload) => string {
  const { timezone, dayFirst, missingTimes, missingCreatedAt, customersWithoutEmail, mapping } = reading;
  return originReader(
    JSON.stringify([timezone, dayFirst, missingTimes, missingCreatedAt, customersWithoutEmail, mapping]),
  );
}

export class KnownTickets {
  readonly #originOf: (ticket: TicketPayload) => string;
  readonly #origins = new OriginTally();
  #inExport = 0;
  #shared = 0;

  constructor(reading: Options['reading']) {
    this.#originOf = originsOf(reading);
  }

  /** A rejected or refused ticket may be corrected in any way, so it is not compared. */
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
