/** What to do after a run: sentences and commands, in order. Pure. */
import { type AgentRecord, isUnknownAgent, NO_NAME } from '../domain/decisions.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import type { Facts } from '../facts/facts.ts';
import { checksOf, countOfCode } from '../facts/outcomes.ts';
import { type Block, heading, type Of, present, section } from './blocks.ts';
import { type CommandLines, importAll, importPlan, importRejects } from './command-line.ts';

export type NextStep = Omit<Of<'command'>, 'kind' | 'only'>;

export interface NextStepContext {
  readonly commands: CommandLines;
  readonly lookAt?: string | undefined;
  readonly isLinks?: boolean | undefined;
  readonly isPlan?: boolean | undefined;
}

const MOST_STEPS = 3;

type Ending = Pick<
  Facts,
  | 'tickets'
  | 'exitCode'
  | 'mode'
  | 'isDelta'
  | 'rejects'
  | 'problemGroups'
  | 'planFile'
  | 'people'
  | 'trial'
  | 'updates'
>;

export function nextSteps(
  facts: Ending,
  { commands, lookAt, isLinks, isPlan = false }: NextStepContext,
): NextStep[] {
  const { tickets, exitCode, mode, rejects, planFile, isDelta } = facts;
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
  const { causes, isInData } = causesOf(facts, commands, isPlan);
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
            : `Correct the errors in the export and ${isPlan ? 'make a new plan' : 'run the same command again'}.`,
        })),
  ]);
  if (isDry && !isInData) return steps.slice(0, MOST_STEPS);
  const notUpdated = facts.updates?.notUpdated ?? 0;
  const changed = isLinks || isDelta || isStopped ? 0 : countOfCode(facts, 'changed-since-import');
  const isTrialFlawed =
    mode === 'trial' && (checksOf(facts).failed > 0 || tickets.failed + tickets.inDoubt > 0);
  const isComplete = mode === 'run' && exitCode === 0 && !isLinks && tickets.done > 0;
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
        command: planFile === undefined ? importAll(commands) : importPlan(commands, planFile.path),
      },
    isDry &&
      !isDelta &&
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
function causesOf({ problemGroups, people }: Ending, commands: CommandLines, isPlan: boolean) {
  const again = isPlan ? undefined : commands.again();
  const agents = people.agents.filter(isUnknownAgent);
  const cures: Readonly<Record<string, () => NextStep>> = {
    'time-without-zone': () => settingStep(commands, isPlan),
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

function contactStep(command: string | undefined): NextStep {
  return {
    text: `Customers without an e-mail address reject their tickets. Give them placeholder addresses under a domain of yours that receives no mail; then ${command === undefined ? 'make a new plan' : 'run the same command again'}:`,
    settings: ['customersWithoutEmail:', '  synthesize: TODO'],
    command,
  };
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

const MOST_AGENTS = 20;

function agentsStep(agents: readonly AgentRecord[], command: string | undefined): NextStep {
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

export function lookAgainStep(inDoubt: number, command: string | undefined): NextStep {
  return {
    text: `${countOf(inDoubt, 'ticket')} may or may not be in the helpdesk. First run the same command again, it looks for ${them(inDoubt)} there:`,
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
