/** What to do after any end of a run, from its checkpoint, in order. */
import { resolve } from 'node:path';
import type { CheckpointStatus, RunStatus } from '../../checkpoint/status.ts';
import type { TypedRun } from '../../import/import-job.ts';
import { type CommandLines, quoteArgument } from '../../view/command-line.ts';
import { countOf } from '../../view/format.ts';
import { lookAgainStep, type NextStep, settleStep, tryAgainStep } from '../../view/next-steps.ts';

export interface StatusAsked {
  /** What was typed to see this. */
  readonly commands: CommandLines;
  /** Where: commands of runs may have been typed elsewhere. */
  readonly folder: string;
  /** The checkpoint was named, or there are several: every command has to name it too. */
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
  if (on?.exitCode === 5)
    steps.push({ text: 'See what is wrong with the token or its scopes:', command: about('doctor') });
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
  /** How the run ended that is gone on with. */
  readonly exitCode: number | undefined;
  /** Nothing is left but what the target refused. */
  readonly isForFailed: boolean;
}

/** The command of the run to go on with; none where all of the import is settled. */
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
  const typed = typedOf(run);
  const isTrialOver = run.mode === 'trial' && !isCutOff && !isForFailed && tickets.inDoubt === 0;
  const command =
    typed === undefined ? undefined : typedIn(folder, isTrialOver ? typed.all : typed.again, typed);
  const text = isCutOff
    ? 'The latest run did not finish. Run the same command again to continue:'
    : isForFailed
      ? tryAgainStep(tickets.failed, command).text
      : isTrialOver
        ? `The trial has finished; ${countOf(left, 'ticket')} ${left === 1 ? 'is' : 'are'} left. To import the rest:`
        : `${countOf(left, 'ticket')} ${left === 1 ? 'is' : 'are'} left. Run the same command again to continue:`;
  return { text, command, exitCode, isForFailed };
}

/** Ends of a run that saw every ticket (contract, "Exit codes"). */
const FINISHED: ReadonlySet<number> = new Set([0, 3, 4]);

function typedOf({ summary }: RunStatus): TypedRun | undefined {
  const typed = summary?.['typed'];
  if (typeof typed !== 'object' || typed === null) return undefined;
  const { again, all, folder } = typed as Record<string, unknown>;
  return typeof again === 'string' && typeof all === 'string' && typeof folder === 'string'
    ? { again, all, folder }
    : undefined;
}

/** A command of a run, as it is to be typed in this folder. */
function typedIn(folder: string, command: string, typed: TypedRun): string {
  return resolve(folder) === typed.folder ? command : `cd ${quoteArgument(typed.folder)} && ${command}`;
}
