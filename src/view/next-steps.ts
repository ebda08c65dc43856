/** What to do after a run, by its exit code and outcomes: sentences and commands, in the order of doing. Pure. */
import { type LossReport, NO_NAME } from '../domain/survey.ts';
import type { Summary } from '../summary/summary.ts';
import { type Block, heading, type Of, present, section } from './blocks.ts';
import { type CommandLines, importAll, importPlan, importRejects } from './command-line.ts';
import { countOf, formatCount } from './format.ts';

/** A sentence, lines for the settings file, and a command line to copy. */
export type NextStep = Omit<Of<'command'>, 'kind' | 'only'>;

export interface NextStepContext {
  /** What was typed, and what follows from it. */
  readonly commands: CommandLines;
  /** `helpdesk-import sandbox …`: where the imported tickets can be looked at. */
  readonly lookAt?: string | undefined;
  /** Tickets were not imported, but links in them rewritten. */
  readonly isLinks?: boolean | undefined;
  /** A plan is run: what it maps and leaves out is changed by another plan of the export alone. */
  readonly isPlan?: boolean | undefined;
  /** Agents of the export without an id in the helpdesk, the most frequent first. */
  readonly unknownAgents?: LossReport['agentsWithoutId'] | undefined;
}

type Ending = Pick<
  Summary,
  'tickets' | 'exitCode' | 'mode' | 'rejects' | 'problemGroups' | 'updates' | 'planFile'
>;

export function nextSteps(
  summary: Ending,
  { commands, lookAt, isLinks, isPlan = false, unknownAgents = [] }: NextStepContext,
): NextStep[] {
  const { tickets, exitCode, mode, rejects, planFile } = summary;
  const again = commands.again();
  if (exitCode === 130 || exitCode === 143)
    return [
      {
        text:
          tickets.inDoubt === 0
            ? 'What was in flight has been finished and recorded. Run the same command again to continue:'
            : `${countOf(tickets.inDoubt, 'ticket')} may or may not be in the target. Run the same command again: it looks there first, then continues:`,
        command: again,
      },
    ];
  if (exitCode === 5)
    return [
      { text: 'See what is wrong with the token or its scopes:', command: commands.about('doctor') },
      { text: 'Then run the same command again to continue:', command: again },
    ];
  const [isDry, isStopped] = [mode === 'dry-run', exitCode === 6];
  const { needsSetting, agents, isInData } = causesOf(summary, unknownAgents);
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
    // Settled by hand too early, a ticket that is still on its way would be created a second time.
    tickets.inDoubt > 0 && !isStopped && lookAgainStep(tickets.inDoubt, again),
    tickets.inDoubt > 0 && settleStep(commands.about('resolve')),
    ...(tickets.failed > 0 && !isDry && !isStopped
      ? [
          {
            text: `${countOf(tickets.failed, 'ticket')} ${tickets.failed === 1 ? 'was' : 'were'} refused, or ${tickets.failed === 1 ? 'is' : 'are'} incomplete in the target. See why:`,
            command: commands.about('status', { more: ['--failed'] }),
          },
          tryAgainStep(tickets.failed, again),
        ]
      : []),
    needsSetting && settingStep(commands, isPlan),
    agents.length > 0 && agentsStep(agents, isPlan ? undefined : again),
    isInData &&
      ((tickets.rejected > 0 && corrected(`Correct ${countOf(tickets.rejected, 'rejected ticket')}`)) ||
        // Tickets that are in the target, and whose rows are not valid now.
        (tickets.failed > 0 && !isStopped && corrected('Where rows are not valid, correct them')) ||
        (tickets.rejected > 0 && {
          text: isDry
            ? `Nothing was sent. Correct the errors in the export, or go on without ${countOf(tickets.rejected, 'rejected ticket')}.`
            : `Correct the errors in the export and ${isPlan ? 'make a new plan' : 'run the same command again'}.`,
        })),
  ]);
  if (isDry && !isInData) return steps;
  const changed = isLinks || summary.updates || isStopped ? 0 : countOfCode(summary, 'changed-since-import');
  return present<NextStep>([
    ...steps,
    countOfCode(summary, 'older-than-imported') > 0 && {
      text: 'Run again with the newest export. Tickets of which this one has an older version were left as they are.',
    },
    changed > 0 &&
      mode === 'run' && {
        text: `${countOf(changed, 'ticket')} changed in the export after ${changed === 1 ? 'it was' : 'they were'} imported. To bring the changes in:`,
        command: commands.again({ more: ['--delta'] }),
      },
    isDry &&
      summary.updates !== undefined &&
      tickets.pending + summary.updates.found > 0 && {
        text: 'Nothing was sent. To bring in what is new and changed:',
        command: planFile === undefined ? importAll(commands) : importPlan(commands, planFile.path),
      },
    isDry &&
      summary.updates === undefined &&
      tickets.pending > 0 && {
        text: `${steps.length === 0 ? 'Nothing was sent. ' : ''}To import a few representative tickets first:`,
        command:
          planFile === undefined
            ? importAll(commands, ['--trial'])
            : importPlan(commands, planFile.path, ['--trial']),
      },
    mode === 'trial' &&
      !isStopped &&
      tickets.read > tickets.rejected + tickets.skipped && {
        text:
          exitCode === 0
            ? 'Look at these tickets in the target. If they are right, import the rest:'
            : tickets.failed + tickets.inDoubt === 0 && tickets.rejected > 0
              ? 'Look at these tickets in the target and at what was rejected, then import the rest:'
              : 'Look at what failed before you import the rest:',
        command: importAll(commands),
      },
    lookAt !== undefined && tickets.done > 0 && { text: 'To look at the imported tickets:', command: lookAt },
  ]);
}

/** What the errors come from: a setting that `init` asks for, agents without an ID, or the rows themselves. */
function causesOf({ problemGroups }: Ending, unknownAgents: LossReport['agentsWithoutId']) {
  const errors = problemGroups.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  const needsSetting = errors.includes('time-without-zone');
  const agents = errors.includes('missing-agent')
    ? unknownAgents.filter(({ fallback }) => fallback === undefined)
    : [];
  const isCured = (code: string) =>
    code === 'time-without-zone' || (agents.length > 0 && code === 'missing-agent');
  return { needsSetting, agents, isInData: errors.length === 0 || !errors.every(isCured) };
}

function settingStep(commands: CommandLines, isPlan: boolean): NextStep {
  const { files } = commands;
  const text = 'The times of the export have no time zone.';
  const set = 'Set `source.timezone` in the settings file and';
  if (isPlan) return { text: `${text} ${set} make a new plan of the export.` };
  return files.length > 0
    ? {
        text: `${text} Let init ask for it and write the settings file:`,
        command: commands.about('init', { files }),
      }
    : { text: `${text} ${set} run the same command again:`, command: commands.again() };
}

/** Agents that are listed. */
const MOST_AGENTS = 20;

/** Without a command: for a plan. */
function agentsStep(agents: LossReport['agentsWithoutId'], command: string | undefined): NextStep {
  const named = agents.filter(({ agent }) => agent !== NO_NAME);
  const more = named.length - MOST_AGENTS;
  const then = command === undefined ? 'make a new plan' : 'run the same command again';
  return {
    text:
      named.length === 0
        ? `Messages of agents name no agent. Set \`fallbackAgent\` in the settings file to the agent ID that they get; then ${then}:`
        : `The helpdesk ID of ${countOf(named.length, 'agent')} is unknown. Add ${them(named.length)} to the settings file with the agent ID, or set \`fallbackAgent\` for those who left; then ${then}:`,
    settings: present([
      named.length > 0 && 'agents:',
      ...named.slice(0, MOST_AGENTS).map(({ agent }) => `  ${JSON.stringify(agent)}: TODO`),
      more > 0 && `  # and ${formatCount(more)} more`,
      named.length < agents.length && 'fallbackAgent: TODO',
    ]),
    command,
  };
}

export function countOfCode({ problemGroups }: Pick<Summary, 'problemGroups'>, code: string): number {
  return problemGroups.filter((group) => group.code === code).reduce((sum, { count }) => sum + count, 0);
}

export function lookAgainStep(inDoubt: number, command: string | undefined): NextStep {
  return {
    text: `${countOf(inDoubt, 'ticket')} may or may not be in the target. First run the same command again, it looks for ${them(inDoubt)} there:`,
    command,
  };
}

export function tryAgainStep(failed: number, command: string | undefined): NextStep {
  return {
    text: `Once the cause is fixed, run the same command again to try ${them(failed)} again:`,
    command,
  };
}

export function settleStep(command: string): NextStep {
  return { text: 'If any are still in doubt, settle them:', command };
}

export function stepBlocks(steps: readonly NextStep[]): Block[] {
  return section(
    heading('Next', { id: 'next' }),
    steps.map((step): Block => ({ kind: 'command', ...step })),
  );
}

function them(count: number): string {
  return count === 1 ? 'it' : 'them';
}
