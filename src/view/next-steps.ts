/** Next steps of a person: sentences and commands, in order. Pure. */
import { resolve } from 'node:path';
import { countOf } from '../domain/printable.ts';
import { say, wordsOf } from '../domain/text/problem-words.ts';
import { checksOf, countOfCode, type Facts } from '../plan/facts.ts';
import { type Block, heading, type Of, present, section } from './blocks.ts';
import { type CommandLines, importAll, importRejects, quoteArgument } from './command-line.ts';

export type NextStep = Omit<Of<'command'>, 'kind' | 'only'>;

export interface NextStepContext {
  readonly commands: CommandLines;
  readonly lookAt?: string | undefined;
  /** Absent if `init` would refuse to write the settings. */
  readonly init?: { readonly more: readonly string[] } | undefined;
  /** The named files are no longer there, as a folder of rejects that was imported. */
  readonly isGone?: boolean | undefined;
}

const MOST_STEPS = 3;

const REFUSED =
  '{failed|# ticket was|# tickets were} refused, or {failed|is|are} incomplete in the helpdesk. See why:';
const CHANGED =
  '{changed|# ticket|# tickets} changed in the export after {changed|it was|they were} imported. To bring the changes in:';
const LOOK_AGAIN =
  '{inDoubt|# ticket|# tickets} may or may not be in the helpdesk. First run the same command again, it looks for {inDoubt|it|them} there:';

type Ending = Pick<
  Facts,
  | 'tickets'
  | 'exitCode'
  | 'mode'
  | 'isDelta'
  | 'rejects'
  | 'planFile'
  | 'problemGroups'
  | 'trial'
  | 'export'
  | 'updates'
>;

export function nextSteps(facts: Ending, context: NextStepContext): NextStep[] {
  const { tickets, exitCode, mode } = facts;
  const stopped = stepsOfStopped(facts, context.commands);
  if (stopped !== undefined) return stopped;
  const steps = [...stepsOfUnfinished(facts, context), ...causesOf(facts, context)];
  // A trial would import none of them.
  const isNone = mode === 'dry-run' && tickets.pending + tickets.done === 0;
  const others = isNone
    ? []
    : [
        ...stepsOfChanges(facts, context),
        ...stepsOfPreview(facts, context, steps.length === 0),
        ...(exitCode === 6 ? [] : stepsOfTrial(facts, context.commands)),
        ...stepsOfImported(facts, context),
      ];
  return [...steps, ...others].slice(0, MOST_STEPS);
}

/** Undefined unless a signal or the token stopped the run. */
function stepsOfStopped({ tickets, exitCode }: Ending, commands: CommandLines): NextStep[] | undefined {
  const again = commands.again();
  if (exitCode === 5)
    return [
      { text: 'Check the token and its scopes:', command: commands.about('doctor') },
      { text: 'Then run the same command again to continue:', command: again },
    ];
  if (exitCode !== 130 && exitCode !== 143) return undefined;
  const text =
    tickets.inDoubt === 0
      ? 'Requests under way were finished and recorded. Run the same command again to continue:'
      : `${countOf(tickets.inDoubt, 'ticket')} may or may not be in the helpdesk. Run the same command again: it looks there first, then continues:`;
  return [{ text, command: again }];
}

function stepsOfUnfinished(facts: Ending, { commands }: NextStepContext): NextStep[] {
  const { tickets, exitCode, mode } = facts;
  const isStopped = exitCode === 6;
  const again = commands.again();
  const refused = tickets.failed > 0 && mode !== 'dry-run' && !isStopped;
  return present<NextStep>([
    isStopped && {
      text: 'Nothing is lost. Once the cause is fixed, run the same command again to continue:',
      command: again,
    },
    // Settled too early, a ticket on its way would be created twice.
    tickets.inDoubt > 0 && !isStopped && !isForAPerson(facts) && lookAgainStep(tickets.inDoubt, again),
    tickets.inDoubt > 0 && settleStep(commands.about('resolve')),
    refused && {
      text: say(REFUSED, { failed: tickets.failed }),
      command: commands.about('status', { more: ['--failed'] }),
    },
    refused && tryAgainStep(tickets.failed, again),
  ]);
}

function stepsOfChanges(facts: Ending, { commands }: NextStepContext): NextStep[] {
  const { exitCode, mode, isDelta } = facts;
  // A change that the API cannot carry is said once, and another run sends no more.
  const notUpdated = countOfCode(facts, 'delta-held');
  const changed = isDelta || exitCode === 6 ? 0 : countOfCode(facts, 'changed-since-import');
  return present<NextStep>([
    mode === 'run' &&
      notUpdated > 0 && {
        text: `${countOf(notUpdated, 'ticket')} could not be updated. Run the same command again:`,
        command: commands.again(),
      },
    countOfCode(facts, 'older-than-imported') > 0 && {
      text: 'Run again with the newest export. Tickets that are older in this one were not changed.',
    },
    changed > 0 &&
      mode === 'run' && {
        text: say(CHANGED, { changed }),
        command: commands.again({ more: ['--delta'] }),
      },
  ]);
}

function stepsOfPreview(facts: Ending, { commands }: NextStepContext, isFirst: boolean): NextStep[] {
  const { tickets, mode, planFile, isDelta } = facts;
  if (mode !== 'dry-run') return [];
  const approved = planFile === undefined ? [] : [`--approved ${quoteArgument(planFile.path)}`];
  return present<NextStep>([
    isDelta &&
      tickets.create + tickets.update > 0 && {
        text: `${isFirst ? 'Nothing was sent. ' : ''}To import new and changed tickets:`,
        command: importAll(commands, approved),
      },
    !isDelta &&
      tickets.pending > 0 && {
        text: `${isFirst ? 'Nothing was sent. ' : ''}To import a few representative tickets first:`,
        command: importAll(commands, ['--trial', ...approved]),
      },
  ]);
}

function stepsOfTrial(facts: Ending, commands: CommandLines): NextStep[] {
  const { tickets, exitCode, mode } = facts;
  if (mode !== 'trial' || tickets.read <= tickets.rejected + tickets.skipped) return [];
  if (checksOf(facts).failed > 0 || tickets.failed + tickets.inDoubt > 0)
    return [{ text: 'Look at what failed above and correct it. Then try again:', command: commands.again() }];
  const rest = exitCode === 0 ? 'If they are right' : 'If they are right, and the rejects are no loss';
  const isServed = commands.again().includes(' --serve');
  return present<NextStep>([
    !isServed &&
      tickets.done > 0 && {
        text: 'Compare these tickets with the export, side by side, and sign:',
        command: importAll(commands, ['--trial', '--serve']),
      },
    tickets.pending > 0 && { text: `${rest}, import the rest:`, command: importAll(commands) },
  ]);
}

function stepsOfImported({ tickets, exitCode, mode }: Ending, context: NextStepContext): NextStep[] {
  const { commands, lookAt, isGone = false } = context;
  const isComplete = mode === 'run' && exitCode === 0 && tickets.done > 0;
  return present<NextStep>([
    lookAt !== undefined && tickets.done > 0 && { text: 'To look at the imported tickets:', command: lookAt },
    isComplete &&
      !isGone && {
        text: 'Compare the helpdesk with the export:',
        command: commands.about('verify', { files: commands.files }),
      },
    isComplete && {
      text: 'Write the report to file:',
      command: commands.about('report', { files: isGone ? [] : commands.files }),
    },
  ]);
}

interface Cause {
  readonly tickets: number;
  readonly step: NextStep;
}

/** The causes of rejected tickets, largest first: decisions, which `init` asks for, and errors in rows. */
function causesOf(facts: Ending, { commands, init }: NextStepContext): NextStep[] {
  const { tickets, mode, rejects, problemGroups, export: content } = facts;
  const isDry = mode === 'dry-run';
  const isStopped = facts.exitCode === 6;
  const sizes = new Map<string, number>();
  for (const { severity, code, tickets: size, count } of problemGroups)
    if (severity === 'error') sizes.set(code, Math.max(sizes.get(code) ?? 0, size ?? count));
  const asked = [...sizes]
    .filter(([code]) => wordsOf(code)?.asks !== undefined)
    .sort(([, a], [, b]) => b - a);
  const inRows = [...sizes].filter(([code]) => wordsOf(code)?.asks === undefined);
  const most = (of: typeof asked) => Math.max(0, ...of.map(([, size]) => size));
  const files = commands.files.length > 0 ? commands.files : content.files;
  const isAsked = init !== undefined && files.length > 0 && !files.includes('-');
  const named = asked
    .slice(0, 3)
    .map(([code, size]) => `${wordsOf(code)?.asks} (${countOf(size, 'ticket')})`);
  const what = `${named.join(', ')}${asked.length > 3 ? ', and more' : ''}`;
  const corrected = (text: string): NextStep | false =>
    rejects !== undefined &&
    !isDry && {
      text: `${text} in ${rejects}, then import the folder:`,
      command: importRejects(commands, 'run', rejects),
    };
  const isNone = tickets.done + tickets.pending + tickets.failed + tickets.inDoubt === 0;
  const others = countOf(tickets.rejected, 'rejected ticket');
  const row =
    (tickets.rejected > 0 && corrected(`Correct ${others}`)) ||
    // In the helpdesk, with invalid rows now.
    (tickets.failed > 0 && !isStopped && corrected('Correct invalid rows')) ||
    (tickets.rejected > 0 && {
      text: isNone
        ? 'No ticket can be imported yet. Correct the errors above in the export, then run the same command again.'
        : isDry && tickets.pending > 0
          ? `Nothing was sent. Correct the errors in the export first, or import only the ${countOf(tickets.pending, 'valid ticket')}.`
          : 'Correct the errors in the export and run the same command again.',
    });
  const causes: (Cause | false)[] = [
    asked.length > 0 && {
      tickets: most(asked),
      step: isAsked
        ? {
            text: `Only you know: ${what}. Let init ask, and write the settings:`,
            command: commands.about('init', { files, more: init.more }),
          }
        : {
            text: `Only you know: ${what}. Set it as the advice above says, then run the same command again.`,
          },
    },
    row !== false && (inRows.length > 0 || asked.length === 0) && { tickets: most(inRows), step: row },
  ];
  return present(causes)
    .sort((a, b) => b.tickets - a.tickets)
    .map(({ step }) => step);
}

/** They were looked for, and another look would show no more. */
const LOOKED_FOR = ['not-proven-absent', 'several-matches', 'unclear-match'];

function isForAPerson({ problemGroups, tickets }: Ending): boolean {
  const held = LOOKED_FOR.reduce((sum, code) => sum + countOfCode({ problemGroups }, code), 0);
  return held >= tickets.inDoubt;
}

function lookAgainStep(inDoubt: number, command: string | undefined): NextStep {
  return {
    text: say(LOOK_AGAIN, { inDoubt }),
    command,
  };
}

function tryAgainStep(failed: number, command: string | undefined): NextStep {
  return {
    text: say('Once the cause is fixed, run the same command again to try {failed|it|them} again:', {
      failed,
    }),
    command,
  };
}

function settleStep(command: string): NextStep {
  return { text: 'Settle those that stay in doubt, by looking for them in the helpdesk:', command };
}

export function stepBlocks(steps: readonly NextStep[]): Block[] {
  return section(
    heading('Next', { id: 'next' }),
    steps.map((step): Block => ({ kind: 'command', ...step })),
  );
}

interface StatusAsked {
  readonly commands: CommandLines;
  /** Commands of runs may have been typed elsewhere. */
  readonly folder: string;
  /** Every command has to name it too. */
  readonly isNamed: boolean;
}

type Recorded = Pick<Facts, 'tickets' | 'writer' | 'checkpoint' | 'undo' | 'runs' | 'export' | 'marks'>;

export function statusSteps(facts: Recorded, { commands, folder, isNamed }: StatusAsked): NextStep[] {
  const { tickets, writer, checkpoint } = facts;
  const about = (command: string, ...more: string[]) =>
    commands.about(command, { checkpoint: isNamed ? checkpoint : undefined, more });
  if (writer !== undefined)
    return [{ text: 'A run is in progress. See how far it is:', command: about('status') }];
  const [unfinished] = facts.undo?.unfinished ?? [];
  if (unfinished !== undefined)
    return [
      {
        text: 'An undo was stopped before it finished, and nothing else is sent until it has. Run it again:',
        command: about('undo', '--run', unfinished),
      },
    ];
  const steps: NextStep[] = [];
  const on = goOn(facts, folder);
  if (on?.exitCode === 5) steps.push({ text: 'Check the token and its scopes:', command: about('doctor') });
  if (tickets.inDoubt > 0)
    steps.push(lookAgainStep(tickets.inDoubt, on?.command), settleStep(about('resolve')));
  else if (on !== undefined && !on.isForFailed) steps.push({ text: on.text, command: on.command });
  const wrong = tickets.failed + tickets.rejected;
  if (wrong > 0)
    steps.push({
      text: say('See why {wrong|# ticket failed or was|# tickets failed or were} rejected:', { wrong }),
      command: about('status', '--failed'),
    });
  if (on?.isForFailed === true) steps.push({ text: on.text, command: on.command });
  return steps;
}

interface GoOn extends NextStep {
  readonly exitCode: number | undefined;
  /** Only refused tickets are left. */
  readonly isForFailed: boolean;
}

/** Undefined once all of the import is settled. */
export function goOn(
  { runs = [], tickets, export: progress, marks }: Recorded,
  folder: string,
): GoOn | undefined {
  const [latest] = runs;
  const whole = runs.find(({ summary }) => summary?.['isPart'] !== true) ?? latest;
  const left = progress.left ?? tickets.pending;
  const isCutOff = latest !== undefined && (latest.exitCode === undefined || !FINISHED.has(latest.exitCode));
  const run = isCutOff ? latest : whole;
  const isForFailed = !isCutOff && left === 0 && tickets.inDoubt === 0;
  if (run === undefined || (isForFailed && tickets.failed === 0)) return undefined;
  const { exitCode } = run;
  const isTrialOver = run.mode === 'trial' && !isCutOff && !isForFailed && tickets.inDoubt === 0;
  const failedChecks = Number(run.summary?.['failedChecks'] ?? 0);
  const isTrialFlawed = isTrialOver && failedChecks > 0;
  const command = commandOf(run, isTrialOver && !isTrialFlawed ? 'all' : 'again', folder);
  const remaining = `${countOf(left, 'ticket is', 'tickets are')} left.`;
  const wrong = marks?.wrong.length ?? 0;
  const text = isCutOff
    ? 'The latest run did not finish. Run the same command again to continue:'
    : isForFailed
      ? tryAgainStep(tickets.failed, command).text
      : isTrialFlawed
        ? `The trial failed ${countOf(failedChecks, 'check')}. Look at what failed, then try again:`
        : isTrialOver
          ? `The trial has finished; ${remaining} ${wrong === 0 ? 'To import the rest:' : `${countOf(wrong, 'of its tickets is', 'of its tickets are')} marked wrong. To import the rest all the same:`}`
          : `${remaining} Run the same command again to continue:`;
  return { text, command, exitCode, isForFailed };
}

/** Runs that saw every ticket. */
const FINISHED: ReadonlySet<number> = new Set([0, 3, 4]);

function commandOf(
  { summary }: Readonly<{ summary?: Readonly<Record<string, unknown>> | undefined }>,
  which: 'again' | 'all',
  here: string,
): string | undefined {
  const typed = summary?.['typed'] as Readonly<Record<string, unknown>> | undefined;
  const { folder, [which]: command } = typed ?? {};
  if (typeof command !== 'string' || typeof folder !== 'string') return undefined;
  return resolve(here) === folder ? command : `cd ${quoteArgument(folder)} && ${command}`;
}
