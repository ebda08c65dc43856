/** What to do after a run, by its exit code and outcomes: sentences and commands, in the order of doing. Pure. */

import { type LossReport, NO_NAME } from '../domain/survey.ts';
import type { Summary } from '../summary/summary.ts';
import { type Block, heading } from './blocks.ts';
import { type CommandLines, importAll, importPlan, importRejects } from './command-line.ts';
import { countOf, formatCount } from './format.ts';

export interface NextStep {
  readonly text: string;
  /** Lines for the settings file, to copy. */
  readonly settings?: readonly string[] | undefined;
  /** A command line to copy. */
  readonly command?: string | undefined;
}

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
  { commands, lookAt, isLinks, isPlan = false, unknownAgents }: NextStepContext,
): NextStep[] {
  const { tickets, exitCode, mode, rejects } = summary;
  const steps: NextStep[] = [];
  if (exitCode === 130 || exitCode === 143)
    return [
      {
        text:
          tickets.inDoubt === 0
            ? 'What was in flight has been finished and recorded. Run the same command again to continue:'
            : `${countOf(tickets.inDoubt, 'ticket')} may or may not be in the target. Run the same command again: it looks there first, then continues:`,
        command: commands.again(),
      },
    ];
  if (exitCode === 5)
    return [
      {
        text: 'See what is wrong with the token or its scopes:',
        command: commands.about('doctor'),
      },
      { text: 'Then run the same command again to continue:', command: commands.again() },
    ];
  if (exitCode === 6)
    steps.push({
      text: 'Nothing is lost. Once the cause is fixed, run the same command again to continue:',
      command: commands.again(),
    });
  // Settled by hand too early, a ticket that is still on its way would be created a second time.
  if (tickets.inDoubt > 0)
    steps.push(
      ...(exitCode === 6 ? [] : [lookAgainStep(tickets.inDoubt, commands.again())]),
      settleStep(commands.about('resolve')),
    );
  if (tickets.failed > 0 && mode !== 'dry-run' && exitCode !== 6)
    steps.push(
      {
        text: `${countOf(tickets.failed, 'ticket')} ${tickets.failed === 1 ? 'was' : 'were'} refused, or ${tickets.failed === 1 ? 'is' : 'are'} incomplete in the target. See why:`,
        command: commands.about('status', { more: ['--failed'] }),
      },
      tryAgainStep(tickets.failed, commands.again()),
    );
  const causes = causesOf(summary, unknownAgents);
  if (causes.needsSetting) steps.push(settingStep(commands, isPlan));
  if (causes.agents.length > 0) steps.push(agentsStep(causes.agents, isPlan ? undefined : commands.again()));
  if (!causes.isInData) {
    if (mode === 'dry-run') return steps;
  } else if (tickets.rejected > 0 && rejects !== undefined && mode !== 'dry-run')
    steps.push({
      text: `Correct ${countOf(tickets.rejected, 'rejected ticket')} in ${rejects}, then import the folder:`,
      command: importRejects(commands, 'run', rejects),
    });
  // Tickets that are in the target, and whose rows are not valid now.
  else if (tickets.failed > 0 && rejects !== undefined && mode !== 'dry-run' && exitCode !== 6)
    steps.push({
      text: `Where rows are not valid, correct them in ${rejects}, then import the folder:`,
      command: importRejects(commands, 'run', rejects),
    });
  else if (tickets.rejected > 0)
    steps.push({
      text:
        mode === 'dry-run'
          ? `Nothing was sent. Correct the errors in the export, or go on without ${countOf(tickets.rejected, 'rejected ticket')}.`
          : `Correct the errors in the export and ${isPlan ? 'make a new plan' : 'run the same command again'}.`,
    });
  if (countOfCode(summary, 'older-than-imported') > 0)
    steps.push({
      text: 'Run again with the newest export. Tickets of which this one has an older version were left as they are.',
    });
  const changed = countOfCode(summary, 'changed-since-import');
  if (changed > 0 && isLinks !== true && summary.updates === undefined && mode === 'run' && exitCode !== 6)
    steps.push({
      text: `${countOf(changed, 'ticket')} changed in the export after ${changed === 1 ? 'it was' : 'they were'} imported. To bring the changes in:`,
      command: commands.again({ more: ['--delta'] }),
    });
  if (mode === 'dry-run' && tickets.pending > 0)
    steps.push({
      text: `${steps.length === 0 ? 'Nothing was sent. ' : ''}To import a few representative tickets first:`,
      command:
        summary.planFile === undefined
          ? importAll(commands, ['--trial'])
          : importPlan(commands, summary.planFile.path, ['--trial']),
    });
  if (mode === 'trial' && exitCode !== 6 && tickets.read > tickets.rejected + tickets.skipped)
    steps.push({
      text:
        exitCode === 0
          ? 'Look at these tickets in the target. If they are right, import the rest:'
          : tickets.failed + tickets.inDoubt === 0 && tickets.rejected > 0
            ? 'Look at these tickets in the target and at what was rejected, then import the rest:'
            : 'Look at what failed before you import the rest:',
      command: importAll(commands),
    });
  if (lookAt !== undefined && tickets.done > 0)
    steps.push({ text: 'To look at the imported tickets:', command: lookAt });
  return steps;
}

interface Causes {
  /** A setting is missing that `init` asks for. */
  readonly needsSetting: boolean;
  readonly agents: LossReport['agentsWithoutId'];
  /** Something is wrong with the rows themselves, or nothing says what is. */
  readonly isInData: boolean;
}

/** Codes of errors that a setting cures for all tickets. */
const OF_SETTINGS: ReadonlySet<string> = new Set(['time-without-zone']);
/** Codes of errors that an agent's id in the settings cures. */
const OF_AGENTS: ReadonlySet<string> = new Set(['missing-agent']);

function causesOf(
  { problemGroups }: Ending,
  unknownAgents: LossReport['agentsWithoutId'] | undefined = [],
): Causes {
  const errors = problemGroups.filter(({ severity }) => severity === 'error');
  const hasAgents = errors.some(({ code }) => OF_AGENTS.has(code));
  const agents = hasAgents ? unknownAgents.filter(({ fallback }) => fallback === undefined) : [];
  const isCured = (code: string) => OF_SETTINGS.has(code) || (agents.length > 0 && OF_AGENTS.has(code));
  return {
    needsSetting: errors.some(({ code }) => OF_SETTINGS.has(code)),
    agents,
    isInData: errors.length === 0 || errors.some(({ code }) => !isCured(code)),
  };
}

function settingStep(commands: CommandLines, isPlan: boolean): NextStep {
  if (isPlan)
    return {
      text: 'The times of the export have no time zone. Set `source.timezone` in the settings file and make a new plan of the export.',
    };
  return commands.files.length > 0
    ? {
        text: 'The times of the export have no time zone. Let init ask for it and write the settings file:',
        command: commands.about('init', { files: commands.files }),
      }
    : {
        text: 'The times of the export have no time zone. Set `source.timezone` in the settings file and run the same command again:',
        command: commands.again(),
      };
}

/** Agents that are listed. */
const MOST_AGENTS = 20;

/** Without a command: for a plan. */
function agentsStep(agents: Causes['agents'], command: string | undefined): NextStep {
  const named = agents.filter(({ agent }) => agent !== NO_NAME);
  const more = named.length - MOST_AGENTS;
  const then = command === undefined ? 'make a new plan' : 'run the same command again';
  return {
    text:
      named.length === 0
        ? `Messages of agents name no agent. Set \`fallbackAgent\` in the settings file to the agent ID that they get; then ${then}:`
        : `The helpdesk ID of ${countOf(named.length, 'agent')} is unknown. Add ${them(named.length)} to the settings file with the agent ID, or set \`fallbackAgent\` for those who left; then ${then}:`,
    settings: [
      ...(named.length === 0 ? [] : ['agents:']),
      ...named.slice(0, MOST_AGENTS).map(({ agent }) => `  ${JSON.stringify(agent)}: TODO`),
      ...(more > 0 ? [`  # and ${formatCount(more)} more`] : []),
      ...(named.length === agents.length ? [] : ['fallbackAgent: TODO']),
    ],
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
  if (steps.length === 0) return [];
  return [heading('Next', { id: 'next' }), ...steps.map((step): Block => ({ kind: 'command', ...step }))];
}

function them(count: number): string {
  return count === 1 ? 'it' : 'them';
}
