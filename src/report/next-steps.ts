/** What to do after a run, by its exit code and outcomes: sentences and commands, in the order of doing. Pure. */
import type { Outcome } from '../domain/outcome.ts';
import { countOf } from './format.ts';
import type { Summary } from './summary.ts';

export interface NextStep {
  readonly text: string;
  /** A command line to copy. */
  readonly command?: string;
}

export interface NextStepContext {
  /** The command line as it was typed, without the flags of this mode: `helpdesk-import run export.jsonl`. */
  readonly command: string;
  /** `helpdesk-import sandbox …`: where the imported tickets can be looked at. */
  readonly lookAt?: string;
}

export function nextSteps(summary: Summary, { command, lookAt }: NextStepContext): NextStep[] {
  const { tickets, exitCode, mode, rejects } = summary;
  const steps: NextStep[] = [];
  if (exitCode === 130 || exitCode === 143)
    return [
      { text: 'What was in flight is finished and recorded. Run the same command again to go on:', command },
    ];
  if (exitCode === 5)
    return [{ text: 'See what is wrong with the token or its scopes:', command: 'helpdesk-import doctor' }];
  if (exitCode === 6)
    steps.push({
      text: 'Nothing is lost. Once the cause is gone, run the same command again to go on:',
      command,
    });

  if (tickets.inDoubt > 0)
    steps.push({
      text: `${countOf(tickets.inDoubt, 'ticket')} may or may not be in the target. See and settle ${them(tickets.inDoubt)}:`,
      command: 'helpdesk-import resolve',
    });
  if (tickets.failed > 0 && mode !== 'dry-run' && exitCode !== 6)
    steps.push({
      text: `The target refused ${countOf(tickets.failed, 'ticket')}. See why; running the same command again tries ${them(tickets.failed)} again:`,
      command: 'helpdesk-import status --failed',
    });
  if (tickets.rejected > 0 && rejects !== undefined && mode !== 'dry-run')
    steps.push({
      text: `Correct ${countOf(tickets.rejected, 'rejected ticket')} in ${rejects}, then import the folder:`,
      command: `helpdesk-import run ${quoteArgument(rejects)}`,
    });
  else if (tickets.rejected > 0)
    steps.push({
      text:
        mode === 'dry-run'
          ? `Nothing was sent. Correct the errors above, or go on without ${countOf(tickets.rejected, 'rejected ticket')}.`
          : 'Correct the errors above in the export and run the same command again.',
    });
  if (mode === 'dry-run' && tickets.pending > 0)
    steps.push({
      text: `${steps.length === 0 ? 'Nothing was sent. ' : ''}To import a few telling tickets first:`,
      command: `${command} --trial`,
    });
  if (mode === 'trial' && exitCode !== 6)
    steps.push({
      text:
        exitCode === 0
          ? 'Look at these tickets in the target. If they are right, import the rest:'
          : 'Look at what failed before you import the rest:',
      command,
    });
  if (lookAt !== undefined) steps.push({ text: 'To look at the imported tickets:', command: lookAt });
  return steps;
}

/** What the outcomes are called on screen. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  done: 'done',
  rejected: 'rejected',
  failed: 'failed',
  inDoubt: 'in doubt',
  skipped: 'skipped',
  pending: 'pending',
};

function them(count: number): string {
  return count === 1 ? 'it' : 'them';
}

/** As a shell takes it. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
