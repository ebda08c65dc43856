/** An import of usage events on a screen: what was found, what came of it, what to do next. Lines without line ends. */
import { OUTCOMES } from '../domain/outcome.ts';
import { printable } from '../domain/printable.ts';
import { countOf, formatCount, formatDuration } from '../report/format.ts';
import { OUTCOME_WORDS } from '../report/next-steps.ts';
import { outcomePaint } from '../report/outcome-table.ts';
import type { Style } from '../report/style.ts';
import { tableLines } from '../report/table.ts';
import { type Fact, factLines, heading, wrap } from '../report/text-block.ts';
import { usageProblemLines } from './usage-problem-view.ts';
import type { UsageProgress } from './usage-progress.ts';
import type { UsageSummary } from './usage-summary.ts';

const MOST_NAMES = 10;

export function usageSummaryLines(summary: UsageSummary, style: Style, command: string): string[] {
  const { mode, requests, problemGroups, rejects, checkpoint } = summary;
  return [
    ...wrap(headline(summary), style, { paint: style.bold }),
    ...factLines(
      [
        ...countFacts(summary, style),
        ...(mode === 'dry-run'
          ? []
          : [
              {
                label: 'requests',
                text: `${formatCount(requests.sent)} sent, ${formatCount(requests.retried)} of them again, ${formatCount(requests.rateLimited)} answered with 429`,
              },
              { label: 'checkpoint', text: checkpoint },
            ]),
        ...(rejects === undefined ? [] : [{ label: 'rejects', text: rejects }]),
        { label: 'took', text: formatDuration(summary.durationMs) },
      ],
      style,
    ),
    ...nameLines(summary, style),
    ...trialLines(summary.trial, style),
    ...usageProblemLines(problemGroups, style),
    ...nextLines(summary, style, command),
  ];
}

/** `--quiet`: the verdict, the counts and the errors. */
export function quietUsageLines(summary: UsageSummary, style: Style): string[] {
  const { trial, problemGroups } = summary;
  const failed = (trial?.events ?? []).filter(({ checks }) => checks.some(({ ok }) => !ok));
  return [
    ...wrap(headline(summary), style, { paint: style.bold }),
    ...factLines(countFacts(summary, style), style),
    ...(failed.length === 0 ? [] : trialLines({ events: failed }, style)),
    ...usageProblemLines(
      problemGroups.filter(({ severity }) => severity === 'error'),
      style,
    ),
  ];
}

function countFacts(summary: UsageSummary, style: Style): Fact[] {
  const read = { label: 'read', text: `${countOf(summary.events.read, 'event')}${span(summary)}` };
  return [read, ...outcomes(summary, style)];
}

function headline({ mode, events, target, exitCode }: UsageSummary): string {
  if (mode === 'dry-run')
    return `Dry run: ${countOf(events.pending + events.failed + events.inDoubt, 'usage event')} would be sent.`;
  const where = target === undefined ? '' : ` in ${target}`;
  if (exitCode === 0) return `${countOf(events.done, 'usage event')} done${where}.`;
  return `${countOf(events.done, 'usage event')} of ${formatCount(events.read)} done${where}.`;
}

function span({ firstAt, lastAt, customers }: UsageSummary): string {
  const who =
    customers.distinct === 0
      ? ''
      : ` of ${customers.isLowerBound ? 'more than ' : ''}${countOf(customers.distinct, 'customer')}`;
  return firstAt === undefined || lastAt === undefined
    ? who
    : `${who}, from ${firstAt.slice(0, 10)} to ${lastAt.slice(0, 10)}`;
}

function outcomes({ events, skippedBecause }: UsageSummary, style: Style): Fact[] {
  return OUTCOMES.filter((outcome) => events[outcome] > 0).map((outcome) => {
    const why =
      outcome === 'skipped'
        ? ` (${skippedBecause.map(({ reason, count }) => `${formatCount(count)} ${reason}`).join(', ')})`
        : '';
    return {
      label: OUTCOME_WORDS[outcome],
      text: `${formatCount(events[outcome])}${why}`,
      paint: outcomePaint(outcome, style),
    };
  });
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

function trialLines(trial: UsageSummary['trial'], style: Style): string[] {
  if (trial === undefined) return [];
  const { tick, cross } = style.symbols;
  return [
    ...heading('The trial', style),
    ...trial.events.flatMap(({ eventName, customerId, why, checks }) => [
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

function nextLines(
  { mode, events, exitCode, rejects }: UsageSummary,
  style: Style,
  command: string,
): string[] {
  const steps: string[] = [];
  if (mode === 'dry-run' && events.pending > 0) steps.push(`Try a few of them: ${command} --trial`);
  if (mode === 'trial' && exitCode === 0 && events.pending > 0) steps.push(`Send the rest: ${command}`);
  if (rejects !== undefined)
    steps.push(`Correct the events in ${rejects} and send them: helpdesk-import usage-events ${rejects}`);
  if (events.inDoubt > 0)
    steps.push(
      `Run the same command again: it sends the events in doubt once more, and each counts once. ${command}`,
    );
  return steps.length === 0
    ? []
    : [
        ...heading('Next', style),
        ...steps.flatMap((step) =>
          wrap(style.typed(step), style, { indent: 2, lead: `${style.symbols.arrow} ` }),
        ),
      ];
}

/** One line, for a terminal or a log. */
export function usageProgressLine(progress: UsageProgress): string {
  if (progress.stage === 'checking') return `checking: ${countOf(progress.read, 'event')}`;
  const { counts, toSend } = progress;
  const wrong = counts.failed + counts.rejected;
  return [
    `sending: ${formatCount(counts.done)} done`,
    `${countOf(toSend, 'event')} to send`,
    ...(wrong > 0 ? [`${formatCount(wrong)} failed or rejected`] : []),
    ...(counts.inDoubt > 0 ? [`${formatCount(counts.inDoubt)} in doubt`] : []),
  ].join(', ');
}
