/** Usage events on a screen: what came of an import, what to do next, and what their checkpoint holds. Lines without line ends. */

import type { UsageStatus } from '../../billing/usage-checkpoint.ts';
import type { UsageSummary } from '../../billing/usage-import.ts';
import type { UsageTrialEvent } from '../../billing/usage-trial.ts';
import { printable } from '../../domain/printable.ts';
import type { Outcome } from '../../domain/ticket-state.ts';
import { OUTCOMES } from '../../domain/ticket-state.ts';
import { type CommandLines, importAll, importRejects } from '../../present/terminal/command-line.ts';
import { countOf, formatCount, formatDuration } from '../../present/terminal/format.ts';
import { type NextStep, stepLines } from '../../present/terminal/next-steps.ts';
import { outcomeTableLines } from '../../present/terminal/outcome-table.ts';
import { type Advice, adviceFor } from '../../present/terminal/problem-advice.ts';
import { problemLines } from '../../present/terminal/problem-view.ts';
import type { Style } from '../../present/terminal/style.ts';
import { type Fact, factLines, heading, tableLines, wrap } from '../../present/terminal/text-block.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { runLines, statusHead } from '../status/status-view.ts';

const MOST_NAMES = 10;

/** @param quiet the verdict, the counts and the errors */
export function usageSummaryLines(
  summary: UsageSummary,
  style: Style,
  commands: CommandLines,
  quiet = false,
): string[] {
  const { mode, requests, problemGroups, rejects, checkpoint, durationMs, trial } = summary;
  const sent = `${formatCount(requests.sent)} sent, ${formatCount(requests.retried)} of them again, ${formatCount(requests.rateLimited)} answered with 429`;
  const facts: Fact[] = [
    ...(mode === 'dry-run'
      ? []
      : [
          { label: 'requests', text: sent },
          { label: 'checkpoint', text: checkpoint },
        ]),
    ...(rejects === undefined ? [] : [{ label: 'rejects', text: rejects }]),
    { label: 'took', text: formatDuration(durationMs) },
  ];
  const shown = (trial?.events ?? []).filter(({ checks }) => !quiet || checks.some(({ ok }) => !ok));
  const groups = problemGroups.filter(({ severity }) => !quiet || severity === 'error');
  return [
    ...wrap(headline(summary), style, { paint: style.bold }),
    ...factLines([...countFacts(summary, style), ...(quiet ? [] : facts)], style),
    ...(quiet ? [] : nameLines(summary, style)),
    ...trialLines(shown, style),
    ...problemLines({ groups }, style, { what: 'events', advice: usageAdvice }),
    ...(quiet ? [] : nextLines(summary, style, commands)),
  ];
}

function headline({ mode, events, target, exitCode }: UsageSummary): string {
  if (mode === 'dry-run')
    return `Dry run: ${countOf(events.pending + events.failed + events.inDoubt, 'usage event')} would be sent.`;
  const of = exitCode === 0 ? '' : ` of ${formatCount(events.read)}`;
  return `${countOf(events.done, 'usage event')}${of} done${target === undefined ? '' : ` in ${target}`}.`;
}

function countFacts(
  { events, skippedBecause, customers, firstAt, lastAt }: UsageSummary,
  style: Style,
): Fact[] {
  const { distinct, isLowerBound } = customers;
  const who = `${isLowerBound ? 'more than ' : ''}${countOf(distinct, 'customer')}`;
  const span = firstAt && lastAt && `, from ${firstAt.slice(0, 10)} to ${lastAt.slice(0, 10)}`;
  const why = skippedBecause.map(({ reason, count }) => `${formatCount(count)} ${reason}`).join(', ');
  return [
    {
      label: 'read',
      text: `${countOf(events.read, 'event')}${distinct === 0 ? '' : ` of ${who}`}${span ?? ''}`,
    },
    ...OUTCOMES.filter((outcome) => events[outcome] > 0).map((outcome) => ({
      label: OUTCOME_VIEWS[outcome].word,
      text: `${formatCount(events[outcome])}${outcome === 'skipped' ? ` (${why})` : ''}`,
      paint: style[OUTCOME_VIEWS[outcome].paint],
    })),
  ];
}

function nameLines({ eventNames }: UsageSummary, style: Style): string[] {
  if (eventNames.length === 0) return [];
  const rows = eventNames.slice(0, MOST_NAMES).map(({ name, count }) => [name, formatCount(count)]);
  const more = eventNames.length - rows.length;
  return [
    ...heading('Events to send', style),
    ...tableLines(rows, [{ flexible: true }, { align: 'right' }], style),
    ...(more > 0 ? [style.dim(`  and ${countOf(more, 'more name')}: see --json`)] : []),
  ];
}

function trialLines(events: readonly UsageTrialEvent[], style: Style): string[] {
  if (events.length === 0) return [];
  const { tick, cross } = style.symbols;
  return [
    ...heading('The trial', style),
    ...events.flatMap(({ eventName, customerId, why, checks }) => [
      ...wrap(printable(`${eventName} of ${customerId}: ${why.join('; ')}`), style, { indent: 2 }),
      ...checks.flatMap(({ ok, detail }) =>
        wrap(printable(detail), style, {
          indent: 4,
          lead: `${ok ? tick : cross} `,
          paintLead: ok ? style.green : style.red,
        }),
      ),
    ]),
  ];
}

const MAP = 'Correct it in the file, or map it under appApi.usageEvents in helpdesk-import.yaml.';
const AGAIN = 'Run the same command again: it is sent once more, and counts once.';

/** Where it differs from what is said of tickets. */
const USAGE_ADVICE: ReadonlyMap<string, Advice> = new Map(
  Object.entries({
    unreadable: {
      title: 'The record cannot be read',
      todo: 'Correct the line in the file or in the rejects.',
    },
    'missing-field': { title: 'A needed field is empty', todo: MAP },
    'missing-time': { title: 'The event has no time', todo: MAP },
    'invalid-type': { title: 'The value is of the wrong type', todo: MAP },
    'invalid-properties': { title: 'The properties are not an object', todo: MAP },
    'too-long': { title: 'The value is too long', todo: MAP },
    'duplicate-event': {
      title: 'A row repeats the event id of an earlier one',
      todo: 'It is not sent. If these are different events, give each its own id.',
    },
    'unknown-field': {
      title: 'A column that usage events have no field for',
      todo: 'Name it properties.<name>, or map it, if it matters.',
    },
    'not-in-export': {
      title: 'An event named by --only is not in the files',
      todo: 'Check its id.',
    },
    refused: {
      title: 'The target refused the event',
      todo: 'Correct what it says in the rejects and send them.',
    },
    'unknown-outcome': { title: 'It is not known whether the target took the event', todo: AGAIN },
    'cut-off': { title: 'The request was cut off', todo: AGAIN },
  }),
);

function usageAdvice(code: string): Advice | undefined {
  return USAGE_ADVICE.get(code) ?? adviceFor(code);
}

function nextLines(
  { mode, events, exitCode, rejects }: UsageSummary,
  style: Style,
  commands: CommandLines,
): string[] {
  const steps: NextStep[] = [];
  if (mode === 'dry-run' && events.pending > 0)
    steps.push({ text: 'Try a few of them:', command: importAll(commands, ['--trial']) });
  if (mode === 'trial' && exitCode === 0 && events.pending > 0)
    steps.push({ text: 'Send the rest:', command: importAll(commands) });
  if (rejects !== undefined && mode !== 'dry-run')
    steps.push({
      text: `Correct the events in ${rejects} and send them:`,
      command: importRejects(commands, 'usage-events', rejects),
    });
  if (events.inDoubt > 0 || exitCode >= 6)
    steps.push({
      text:
        events.inDoubt > 0
          ? 'Run the same command again: it sends the events in doubt once more, and each counts once:'
          : 'Run the same command again to continue:',
      command: commands.again(),
    });
  return steps.length === 0 ? [] : [...heading('Next', style), ...stepLines(steps, style)];
}

export function usageStatusLines(status: UsageStatus, style: Style): string[] {
  const { writer, runs, events } = status;
  const [latest] = runs;
  const isUnfinished = latest !== undefined && (latest.exitCode === undefined || latest.exitCode >= 5);
  const left = events.failed + events.inDoubt;
  const unsent = `${countOf(left, 'usage event')} ${left === 1 ? 'is' : 'are'} not known to be in the target: run`;
  const next = `${left > 0 ? unsent : 'Run'} the same usage-events command again, it continues where it stopped.`;
  return [
    ...statusHead(status, style, ': usage events'),
    ...outcomeTableLines(
      {
        counts: events,
        meaning: (outcome) => MEANING[outcome],
        total: { label: 'known', count: events.known },
      },
      style,
    ),
    ...runLines(runs, style),
    ...(writer === undefined && (isUnfinished || left > 0) ? ['', ...wrap(next, style, { indent: 2 })] : []),
  ];
}

const MEANING: Partial<Readonly<Record<Outcome, string>>> = {
  done: 'in the target',
  failed: 'refused by the target; the next run tries again',
  inDoubt: 'no answer came; the next run sends them again, and each counts once',
};
