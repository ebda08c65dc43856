/** What to do next: sentences and commands, in order. Pure. */
import { resolve } from 'node:path';
import { type AgentRecord, isUnknownAgent, NO_NAME } from '../domain/decisions.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import { yamlLines } from '../domain/text/yaml.ts';
import { checksOf, countOfCode, type Facts } from '../plan/facts.ts';
import { type Block, heading, type Of, present, section } from './blocks.ts';
import { type CommandLines, importAll, importRejects, quoteArgument } from './command-line.ts';

export type NextStep = Omit<Of<'command'>, 'kind' | 'only'>;

export interface NextStepContext {
  readonly commands: CommandLines;
  readonly lookAt?: string | undefined;
}

const MOST_STEPS = 3;

type Ending = Pick<
  Facts,
  | 'tickets'
  | 'exitCode'
  | 'mode'
  | 'isDelta'
  | 'rejects'
  | 'planFile'
  | 'problemGroups'
  | 'people'
  | 'trial'
  | 'updates'
>;

export function nextSteps(facts: Ending, { commands, lookAt }: NextStepContext): NextStep[] {
  const { tickets, exitCode, mode, rejects, planFile, isDelta } = facts;
  const approved = planFile === undefined ? [] : [`--approved ${quoteArgument(planFile.path)}`];
  const again = commands.again();
  if (exitCode === 130 || exitCode === 143)
    return [
      {
        text:
          tickets.inDoubt === 0
            ? 'Requests under way were finished and recorded. Run the same command again to continue:'
            : `${countOf(tickets.inDoubt, 'ticket')} may or may not be in the helpdesk. Run the same command again: it looks there first, then continues:`,
        command: again,
      },
    ];
  if (exitCode === 5)
    return [
      { text: 'Check the token and its scopes:', command: commands.about('doctor') },
      { text: 'Then run the same command again to continue:', command: again },
    ];
  const [isDry, isStopped] = [mode === 'dry-run', exitCode === 6];
  const { causes, isInData } = causesOf(facts, commands);
  const corrected = (text: string) =>
    rejects !== undefined &&
    !isDry && {
      text: `${text} in ${rejects}, then import the folder:`,
      command: importRejects(commands, 'run', rejects),
    };
  const steps = present<NextStep>([
    isStopped && {
      text: 'Nothing is lost. Once the cause is fixed, run the same command again to continue:',
      command: again,
    },
    // Settled too early, a ticket on its way would be created twice.
    tickets.inDoubt > 0 && !isStopped && lookAgainStep(tickets.inDoubt, again),
    tickets.inDoubt > 0 && settleStep(commands.about('resolve')),
    ...(tickets.failed > 0 && !isDry && !isStopped
      ? [
          {
            text: `${countOf(tickets.failed, 'ticket')} ${tickets.failed === 1 ? 'was' : 'were'} refused, or ${tickets.failed === 1 ? 'is' : 'are'} incomplete in the helpdesk. See why:`,
            command: commands.about('status', { more: ['--failed'] }),
          },
          tryAgainStep(tickets.failed, again),
        ]
      : []),
    ...causes,
    isInData &&
      ((tickets.rejected > 0 && corrected(`Correct ${countOf(tickets.rejected, 'rejected ticket')}`)) ||
        // In the helpdesk, with invalid rows now.
        (tickets.failed > 0 && !isStopped && corrected('Correct invalid rows')) ||
        (tickets.rejected > 0 && {
          text: isDry
            ? `Nothing was sent. Correct the errors in the export, or go on without ${countOf(tickets.rejected, 'rejected ticket')}.`
            : `Correct the errors in the export and run the same command again.`,
        })),
  ]);
  if (isDry && !isInData) return steps.slice(0, MOST_STEPS);
  const notUpdated = facts.updates?.notUpdated ?? 0;
  const changed = isDelta || isStopped ? 0 : countOfCode(facts, 'changed-since-import');
  const isTrialFlawed =
    mode === 'trial' && (checksOf(facts).failed > 0 || tickets.failed + tickets.inDoubt > 0);
  const isComplete = mode === 'run' && exitCode === 0 && tickets.done > 0;
  return present<NextStep>([
    ...steps,
    mode === 'run' &&
      notUpdated > 0 && {
        text: `${countOf(notUpdated, 'ticket')} could not be updated. Follow the advice to each above, then run the same command again:`,
        command: again,
      },
    countOfCode(facts, 'older-than-imported') > 0 && {
      text: 'Run again with the newest export. Tickets that are older in this one were not changed.',
    },
    changed > 0 &&
      mode === 'run' && {
        text: `${countOf(changed, 'ticket')} changed in the export after ${changed === 1 ? 'it was' : 'they were'} imported. To bring the changes in:`,
        command: commands.again({ more: ['--delta'] }),
      },
    isDry &&
      isDelta &&
      tickets.create + tickets.update > 0 && {
        text: 'Nothing was sent. To import new and changed tickets:',
        command: importAll(commands, approved),
      },
    isDry &&
      !isDelta &&
      tickets.pending > 0 && {
        text: `${steps.length === 0 ? 'Nothing was sent. ' : ''}To import a few representative tickets first:`,
        command: importAll(commands, ['--trial', ...approved]),
      },
    mode === 'trial' &&
      !isStopped &&
      tickets.read > tickets.rejected + tickets.skipped && {
        text: isTrialFlawed
          ? 'Look at what failed above and correct it. Then try again:'
          : exitCode === 0
            ? 'Look at these tickets in the helpdesk. If they are right, import the rest:'
            : 'Look at these tickets in the helpdesk and at the rejects, then import the rest:',
        command: isTrialFlawed ? again : importAll(commands),
      },
    lookAt !== undefined && tickets.done > 0 && { text: 'To look at the imported tickets:', command: lookAt },
    isComplete && {
      text: 'Compare the helpdesk with the export:',
      command: commands.about('verify', { files: commands.files }),
    },
    isComplete && {
      text: 'Write the report to file:',
      command: commands.about('report', { files: commands.files }),
    },
  ]).slice(0, MOST_STEPS);
}

/** Settings that cure causes, by tickets; and whether errors in rows remain. */
function causesOf({ problemGroups, people }: Ending, commands: CommandLines) {
  const again = commands.again();
  const agents = people.agents.filter(isUnknownAgent);
  const cures: Readonly<Record<string, () => NextStep>> = {
    'time-without-zone': () => settingStep(commands),
    'missing-contact': () => contactStep(again),
    ...(agents.length > 0 && { 'missing-agent': () => agentsStep(agents, again) }),
  };
  const errors = problemGroups.filter(({ severity }) => severity === 'error');
  const sizes = new Map<string, number>();
  for (const { code, tickets, count } of errors)
    sizes.set(code, Math.max(sizes.get(code) ?? 0, tickets ?? count));
  const cured = [...sizes].filter(([code]) => Object.hasOwn(cures, code)).sort(([, a], [, b]) => b - a);
  return {
    causes: cured.flatMap(([code]) => cures[code]?.() ?? []),
    isInData: errors.length === 0 || cured.length < sizes.size,
  };
}

function contactStep(command: string): NextStep {
  return {
    text: `Customers without an e-mail address reject their tickets. Give them placeholder addresses under a domain of yours that receives no mail; then run the same command again:`,
    settings: ['customersWithoutEmail:', '  synthesize: TODO'],
    command,
  };
}

function settingStep(commands: CommandLines): NextStep {
  const { files } = commands;
  const text = 'The times of the export have no time zone.';
  const set = 'Set `source.timezone` in the settings file and';
  return files.length > 0
    ? {
        text: `${text} Let init ask for it and write the settings file:`,
        command: commands.about('init', { files }),
      }
    : { text: `${text} ${set} run the same command again:`, command: commands.again() };
}

const MOST_AGENTS = 20;

function agentsStep(agents: readonly AgentRecord[], command: string): NextStep {
  const named = agents.filter(({ agent }) => agent !== NO_NAME);
  const more = named.length - MOST_AGENTS;
  const shown = named.slice(0, MOST_AGENTS).map(({ agent }) => [agent, 'TODO'] as const);
  return {
    text:
      named.length === 0
        ? `Messages of agents name no agent. Set \`fallbackAgent\` in the settings file to the agent ID that they get; then run the same command again:`
        : `The helpdesk ID of ${countOf(named.length, 'agent')} is unknown. Add ${them(named.length)} to the settings file with the agent ID, or set \`fallbackAgent\` for those who left; then run the same command again:`,
    settings: present([
      ...(named.length > 0 ? yamlLines({ agents: new Map(shown) }) : []),
      more > 0 && `  # and ${formatCount(more)} more`,
      named.length < agents.length && 'fallbackAgent: TODO',
    ]),
    command,
  };
}

function lookAgainStep(inDoubt: number, command: string | undefined): NextStep {
  return {
    text: `${countOf(inDoubt, 'ticket')} may or may not be in the helpdesk. First run the same command again, it looks for ${them(inDoubt)} there:`,
    command,
  };
}

function tryAgainStep(failed: number, command: string | undefined): NextStep {
  return {
    text: `Once the cause is fixed, run the same command again to try ${them(failed)} again:`,
    command,
  };
}

function settleStep(command: string): NextStep {
  return { text: 'If any are still in doubt, settle them:', command };
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

type Recorded = Pick<Facts, 'tickets' | 'writer' | 'checkpoint' | 'undo' | 'runs' | 'export'>;

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
      text: `See why ${countOf(wrong, 'ticket')} failed or ${wrong === 1 ? 'was' : 'were'} rejected:`,
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
export function goOn({ runs = [], tickets, export: progress }: Recorded, folder: string): GoOn | undefined {
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

function them(count: number): string {
  return count === 1 ? 'it' : 'them';
}
