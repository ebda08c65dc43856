/** Failed tickets, tickets in doubt, and what to do next, for every command that shows a checkpoint. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type CheckpointReader, readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import type { CheckpointStatus, RunStatus } from '../checkpoint/status.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { loadSettings } from '../cli/load-settings.ts';
import { AppError } from '../domain/errors.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import { LEFT_OPEN, type TicketState } from '../domain/ticket-state.ts';
import { OUTCOME_VIEWS } from '../facts/outcomes.ts';
import type { TypedRun } from '../import/import-job.ts';
import { SANDBOX_FOLDER } from '../settings/table/run.ts';
import { type Block, blocks, heading, list, paragraph } from '../view/blocks.ts';
import { type CommandLines, quoteArgument } from '../view/command-line.ts';
import { lookAgainStep, type NextStep, settleStep, tryAgainStep } from '../view/next-steps.ts';
import { doubtTable, failedTable } from '../view/report.ts';
import type { DoubtfulTicket, Excerpt, FailedTicket } from '../view/run-view.ts';
import type { Reason } from './results.ts';

export const ALL_TICKETS = 2 ** 31 - 1;

/** The named checkpoint, or that of `--checkpoint`, `--sandbox`, the settings or the default. Faults in other settings do not matter. */
export async function checkpointPath(
  named: string | undefined,
  flags: Flags,
  context: CliContext,
): Promise<string> {
  if (named !== undefined) return named;
  const { checkpoint, sandbox, config } = flags;
  if (typeof checkpoint === 'string' && sandbox === undefined) return checkpoint;
  const { settings } = await loadSettings([], { checkpoint, sandbox, config }, [], {
    ...context,
    env: {},
  });
  const path = settings.output.checkpoint;
  const local = join(dirname(path), SANDBOX_FOLDER, 'checkpoint.sqlite');
  if (sandbox === undefined && !existsSync(path) && existsSync(local))
    throw new AppError('checkpoint', `There is no checkpoint at ${path}.`, {
      hint: 'There is one of imports into the local sandbox service: add --sandbox.',
    });
  return path;
}

export async function withReader<T>(
  path: string,
  work: (reader: CheckpointReader) => T | Promise<T>,
): Promise<T> {
  const reader = readCheckpoint(path);
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}

export function listFailed(
  reader: Pick<CheckpointReader, 'page'>,
  limit: number,
  states: readonly TicketState[] = LEFT_OPEN,
): FailedTicket[] {
  return reader.page(states, limit).map(failedTicket);
}

export function failureReasons(reader: Pick<CheckpointReader, 'inStates'>): Reason[] {
  const reasons = new Map<string, { -readonly [K in keyof Reason]: Reason[K] }>();
  for (const record of reader.inStates(LEFT_OPEN)) {
    const { outcome, code, reason, externalId } = failedTicket(record);
    const key = JSON.stringify([outcome, code, reason]);
    const known = reasons.get(key) ?? { outcome, code, reason, count: 0, example: externalId };
    known.count++;
    reasons.set(key, known);
  }
  return [...reasons.values()].sort((a, b) => b.count - a.count);
}

function failedTicket({ externalId, state, ticketId, problem }: TicketRecord): FailedTicket {
  return {
    externalId,
    outcome: state === 'rejected' ? 'rejected' : 'failed',
    ticketId,
    code: problem?.code ?? 'unknown',
    status: problem?.status,
    reason: problem?.message ?? 'The reason is not recorded.',
  };
}

const INTERRUPTED = 'An earlier run ended while this ticket was being created.';

export function listDoubts(
  reader: Pick<CheckpointReader, 'page' | 'writer'>,
  limit: number,
): DoubtfulTicket[] {
  // Without a process a create was interrupted; else it may just wait for its answer.
  return reader
    .page(reader.writer() === undefined ? ['creating', 'inDoubt'] : ['inDoubt'], limit)
    .map(({ externalId, sent, problem }) => ({
      externalId,
      tag: sent?.tag,
      sentAt: sent && new Date(sent.at).toISOString(),
      reason: problem?.message ?? INTERRUPTED,
    }));
}

const MOST_REASONS = 12;

export function failedBlocks(
  { rows, total }: Excerpt<FailedTicket>,
  reasons: readonly Reason[],
  more: string,
): Block[] {
  if (total === 0) return [heading('No ticket failed or was rejected.', { level: 1, tone: 'good' })];
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  return blocks(
    heading('Why tickets failed or were rejected'),
    list(
      'counts',
      reasons.slice(0, MOST_REASONS).map(({ count, outcome, reason }) => ({
        lead: formatCount(count),
        text: `${OUTCOME_VIEWS[outcome].word}: ${reason}`,
        tone: 'bad',
      })),
    ),
    rest > 0 && paragraph(`and ${countOf(rest, 'ticket')} with other reasons`, { look: 'more' }),
    heading('Tickets'),
    failedTable(rows, { withOutcome: true }),
    moreBlock(rows.length, total, more),
  );
}

export function doubtBlocks({ rows, total }: Excerpt<DoubtfulTicket>, more: string): Block[] {
  if (total === 0) return [heading('No ticket is in doubt.', { level: 1, tone: 'good' })];
  return blocks(
    heading(`${countOf(total, 'ticket')} in doubt: check the helpdesk for ${total === 1 ? 'it' : 'them'}`),
    doubtTable(rows),
    moreBlock(rows.length, total, more),
  );
}

function moreBlock(shown: number, total: number, command: string): Block | false {
  const text = `${formatCount(shown)} of ${formatCount(total)} are shown. To see all:`;
  return shown < total && { kind: 'command', text, command };
}

export interface StatusAsked {
  readonly commands: CommandLines;
  /** Commands of runs may have been typed elsewhere. */
  readonly folder: string;
  /** Every command has to name it too. */
  readonly isNamed: boolean;
}

export function statusSteps(
  status: CheckpointStatus,
  { commands, folder, isNamed }: StatusAsked,
): NextStep[] {
  const { tickets, writer, checkpoint } = status;
  const about = (command: string, ...more: string[]) =>
    commands.about(command, { checkpoint: isNamed ? checkpoint : undefined, more });
  if (writer !== undefined)
    return [{ text: 'A run is in progress. See how far it is:', command: about('status') }];
  const [unfinished] = status.undo?.unfinished ?? [];
  if (unfinished !== undefined)
    return [
      {
        text: 'An undo was stopped before it finished, and nothing else is sent until it has. Run it again:',
        command: about('undo', '--run', unfinished),
      },
    ];
  const steps: NextStep[] = [];
  const on = goOn(status, folder);
  if (on?.exitCode === 5) steps.push({ text: 'Check the token and its scopes:', command: about('doctor') });
  if (tickets.inDoubt > 0)
    steps.push(lookAgainStep(tickets.inDoubt, on?.command), settleStep(about('resolve')));
  else if (on !== undefined && !on.isForFailed) steps.push({ text: on.text, command: on.command });
  const wrong = tickets.failed + tickets.rejected;
  if (wrong > 0)
    steps.push({
      text: `See why ${countOf(wrong, 'ticket')} failed or ${wrong === 1 ? 'was' : 'were'} rejected:`,
      command: about('status', '--failed'),
    });
  if (on?.isForFailed === true) steps.push({ text: on.text, command: on.command });
  return steps;
}

export interface GoOn extends NextStep {
  readonly exitCode: number | undefined;
  /** Only refused tickets are left. */
  readonly isForFailed: boolean;
}

/** Undefined once all of the import is settled. */
export function goOn(
  { runs, tickets, export: progress }: Pick<CheckpointStatus, 'runs' | 'tickets' | 'export'>,
  folder: string,
): GoOn | undefined {
  const [latest] = runs;
  const whole = runs.find(({ summary }) => summary?.['isPart'] !== true) ?? latest;
  const left = progress?.left ?? tickets.pending;
  const isCutOff = latest !== undefined && (latest.exitCode === undefined || !FINISHED.has(latest.exitCode));
  const run = isCutOff ? latest : whole;
  const isForFailed = !isCutOff && left === 0 && tickets.inDoubt === 0;
  if (run === undefined || (isForFailed && tickets.failed === 0)) return undefined;
  const { exitCode } = run;
  const isTrialOver = run.mode === 'trial' && !isCutOff && !isForFailed && tickets.inDoubt === 0;
  const failedChecks = Number(run.summary?.['failedChecks'] ?? 0);
  const isTrialFlawed = isTrialOver && failedChecks > 0;
  const command = commandOf(run, isTrialOver && !isTrialFlawed ? 'all' : 'again', folder);
  const remaining = `${countOf(left, 'ticket')} ${left === 1 ? 'is' : 'are'} left.`;
  const text = isCutOff
    ? 'The latest run did not finish. Run the same command again to continue:'
    : isForFailed
      ? tryAgainStep(tickets.failed, command).text
      : isTrialFlawed
        ? `The trial failed ${countOf(failedChecks, 'check')}. Look at what failed, then try again:`
        : isTrialOver
          ? `The trial has finished; ${remaining} To import the rest:`
          : `${remaining} Run the same command again to continue:`;
  return { text, command, exitCode, isForFailed };
}

/** Runs that saw every ticket. */
const FINISHED: ReadonlySet<number> = new Set([0, 3, 4]);

function commandOf({ summary }: RunStatus, which: 'again' | 'all', here: string): string | undefined {
  const typed = summary?.['typed'] as Partial<TypedRun> | undefined;
  const { folder, [which]: command } = typed ?? {};
  if (typeof command !== 'string' || typeof folder !== 'string') return undefined;
  return resolve(here) === folder ? command : `cd ${quoteArgument(folder)} && ${command}`;
}
