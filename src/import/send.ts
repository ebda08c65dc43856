/** Arrow 5: files are fetched, then tickets are sent, each in its turn. From the first request on nothing is thrown away. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import type { TrialPick } from '../domain/decisions.ts';
import { AppError } from '../domain/errors.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { CreatedTicket } from '../domain/ticket-api.ts';
import type { CoreApi } from '../helpdesk/api.ts';
import type { Facts } from '../plan/facts.ts';
import { idsIn } from '../plan/queries.ts';
import { push } from '../push/push.ts';
import { allowedErrors } from '../push/run-control.ts';
import { LAST_CREATED } from '../push/settling.ts';
import { paceOf } from '../settings/settings.ts';
import { fetchFiles, type Keeping } from './fetch-files.ts';
import type { FilesView } from './known-files.ts';
import type { LearntSource, Run } from './run.ts';
import type { CheckedTarget } from './target-check.ts';
import { listening } from './trial-check.ts';
import { Turns } from './turns.ts';

const SETTLE_MS = 2000;

/** Resolves with what stops the run. */
export async function fetchAll(
  run: Run,
  source: LearntSource,
  picks: readonly TrialPick[] | undefined,
  keeping: Keeping,
  checkpoint: Checkpoint,
): Promise<AppError | undefined> {
  const which = picks === undefined ? 'TRUE' : idsIn(picks.map(({ externalId }) => externalId));
  const wanted = source.plan.entries(`leftOut IS NULL AND does <> 'record' AND ${which}`);
  try {
    await fetchFiles(wanted, run, source, keeping, checkpoint.files);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

interface Sending {
  readonly facts: Facts;
  readonly checkpoint: Checkpoint;
  readonly view: FilesView;
  readonly checked: Omit<CheckedTarget, 'stop'>;
  readonly picks: readonly TrialPick[] | undefined;
  readonly api: CoreApi;
}

/** `stop`: reason to send nothing. Unsent tickets are still recorded. */
export async function sendTickets(
  run: Run,
  source: LearntSource,
  { facts, checkpoint, view, checked, picks, api }: Sending,
  stop: AppError | undefined,
) {
  const { settings, ports } = run;
  const { maxErrors } = settings.run;
  const { connections, timeoutMs, giveUpAfterMs } = paceOf(settings.run);
  const answers = new Map<string, CreatedTicket>();
  const ids = picks && new Set(picks.map(({ externalId }) => externalId));
  const turns = new Turns(run, source, { checkpoint, view, picks: ids });
  checkpoint.leaveOut(turns.textsOf);
  tellStart(run, source, facts, checkpoint, ids);
  const { tickets } = facts;
  const pushed = await push(
    turns.tickets(ports.hard),
    {
      api: picks === undefined ? api : listening(api, answers),
      ledger: checkpoint,
      names: source.contacts,
      ...{ clock: ports.clock, random: ports.random },
      emit: (event) => {
        turns.onEvent(event);
        ports.emit(event);
      },
      learnt: (learnt) =>
        void checkpoint.usedWith({ facts: { ...checkpoint.meta.facts, ...learnt } }).catch(() => undefined),
    },
    {
      ...{ concurrency: connections, timeoutMs, giveUpAfterMs },
      ...{ source: source.name.name, settleMs: SETTLE_MS, isDelta: settings.delta, ...checked },
      maxErrors:
        maxErrors === undefined
          ? undefined
          : { allowed: allowedErrors(maxErrors, tickets.read), already: tickets.rejected },
    },
    { soft: stop === undefined ? ports.soft : AbortSignal.abort(stop), hard: ports.hard },
  );
  if (pushed.lastCreated.length > 0 && checkpoint.failure === undefined)
    await checkpoint.usedWith({
      lastCreated: [...(checkpoint.meta.lastCreated ?? []), ...pushed.lastCreated].slice(-LAST_CREATED),
    });
  const { namesKept: count } = pushed;
  if (count > 0) run.problems.tell(problemOf('name-kept', {}, { count }));
  source.plan.steps.tell({
    sent: { messages: pushed.messagesSent, events: pushed.eventsSent, updates: pushed.updated },
  });
  return { stoppedBy: pushed.stoppedBy, doubted: pushed.doubted, answers };
}

function tellStart(
  { ports: { emit } }: Run,
  { plan }: LearntSource,
  facts: Facts,
  checkpoint: Checkpoint,
  picks: ReadonlySet<string> | undefined,
): void {
  const totals = plan.steps.totals();
  const ofPicks = picks && [...picks].filter((id) => checkpoint.get(id)?.state !== 'done').length;
  emit({ type: 'stage', stage: 'importing' });
  emit({
    type: 'start-import',
    tickets: ofPicks ?? totals.toSend,
    alreadyDone: picks === undefined ? facts.tickets.done - totals.ofDone : picks.size - (ofPicks ?? 0),
    requests: ofPicks === undefined ? facts.plan.requests.total : ofPicks * 3,
  });
}
