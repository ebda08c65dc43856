/** How the work went: requests and finished tickets over time, the processes that did it, and the checkpoints that know. */

import { html } from 'hono/html';
import { END_WORDS } from '../../summary/summary.ts';
import { formatBytes, formatCount, formatDuration, formatRate } from '../format.ts';
import { type ChartColumn, columnChart } from './column-chart.ts';
import { facts, type Markup, type Part, type Section, table, time, value } from './page-parts.ts';
import type { ReportData, ReportedRun } from './report-data.ts';
import type { Timeline } from './run-timeline.ts';

export function runSection(data: ReportData): Section | undefined {
  const { timeline, runs, checkpoints, budgets, kind } = data;
  if (kind === 'dry-run' || (timeline === undefined && runs.length === 0 && checkpoints.length === 0))
    return undefined;
  return {
    id: 'run',
    title: 'How the work went',
    content: html`${timeline !== undefined && [paceFacts(timeline), rateChart(timeline, budgets), progressChart(timeline)]}
${checkpoints.length > 1 && checkpointTable(data)}
${runs.length > 0 && runTable(runs, checkpoints.length > 1)}`,
  };
}

function paceFacts({ steps, stepMs, hasRequests, latency, pausedMs }: Timeline): Markup {
  const sum = (of: (step: Timeline['steps'][number]) => number) =>
    steps.reduce((total, step) => total + of(step), 0);
  const seconds = (steps.length * stepMs) / 1000;
  const settled = sum(({ done, notDone }) => done + notDone);
  const requests = sum((step) => step.requests);
  return facts([
    settled > 0 && {
      label: 'Tickets finished',
      value: `${formatCount(settled)}, ${formatRate(settled / seconds)}`,
    },
    hasRequests && {
      label: 'Requests',
      value: `${formatCount(requests)}, ${formatRate(requests / seconds)}`,
    },
    latency !== undefined && {
      label: 'The helpdesk answered in',
      value: `${formatDuration(latency.median)}, 95 % within ${formatDuration(latency.p95)}`,
    },
    pausedMs > 0 && { label: 'Pauses between runs, left out below', value: formatDuration(pausedMs) },
  ]);
}

function rateChart(timeline: Timeline, budgets: ReportData['budgets']): Part {
  const { steps, stepMs, hasRequests } = timeline;
  if (!hasRequests || steps.length < 2) return false;
  const perSecond = (count: number) => (count * 1000) / stepMs;
  const slowest = budgets.toSorted((a, b) => a.requests / a.seconds - b.requests / b.seconds)[0];
  const limited = steps.some(({ rateLimited }) => rateLimited > 0);
  const fastest = Math.max(...steps.map(({ requests }) => perSecond(requests)));
  return columnChart({
    title: 'Requests a second',
    summary: `Up to ${formatRate(fastest)} over ${formatDuration(steps.length * stepMs)}.`,
    header: 'Time since the start',
    series: limited
      ? [
          { label: 'answered', tone: 'plain' },
          { label: 'turned away by the rate limit', tone: 'rejected' },
        ]
      : [{ label: 'requests a second', tone: 'plain' }],
    columns: timeColumns(timeline, ({ requests, rateLimited }) =>
      limited ? [perSecond(requests - rateLimited), perSecond(rateLimited)] : [perSecond(requests)],
    ),
    format: (rate) => (rate === 0 || rate >= 10 ? formatCount(rate) : rate.toFixed(1)),
    limit: slowest && {
      value: slowest.requests / slowest.seconds,
      label: `budget ${formatCount(slowest.requests)} in ${durationOf(slowest.seconds * 1000)}`,
    },
    height: 130,
    dense: true,
  });
}

function progressChart(timeline: Timeline): Part {
  const { steps, stepMs } = timeline;
  if (steps.length < 2) return false;
  let done = 0;
  let notDone = 0;
  const columns = timeColumns(timeline, (step) => {
    done += step.done;
    notDone += step.notDone;
    return [done, notDone];
  });
  if (done + notDone === 0) return false;
  const others = notDone > 0;
  return columnChart({
    title: 'Tickets finished',
    summary: `${formatCount(done + notDone)} after ${formatDuration(steps.length * stepMs)}${others ? `, ${formatCount(notDone)} of them not done` : ''}.`,
    header: 'Time since the start',
    series: [
      { label: 'done', tone: 'done' },
      ...(others ? [{ label: 'failed or in doubt', tone: 'failed' as const }] : []),
    ],
    columns: columns.map((column) => ({
      ...column,
      values: others ? column.values : column.values.slice(0, 1),
    })),
    height: 130,
    dense: true,
  });
}

function timeColumns(
  { steps, stepMs }: Timeline,
  valuesOf: (step: Timeline['steps'][number]) => readonly number[],
): ChartColumn[] {
  return steps.map((step, index) => {
    const since = index * stepMs;
    return {
      label: `after ${durationOf(since)}`,
      tick: index === 0 ? '0' : durationOf(since),
      values: valuesOf(step),
    };
  });
}

/** `2 s` where it is exact: steps and budgets are. */
function durationOf(milliseconds: number): string {
  return formatDuration(milliseconds).replace('.0 s', ' s');
}

function checkpointTable({ checkpoints }: ReportData): Markup {
  return table({
    caption: 'Checkpoints',
    columns: [
      { title: 'Checkpoint' },
      { title: 'Target' },
      { title: 'Tickets', align: 'right' },
      { title: 'Size', align: 'right' },
    ],
    rows: checkpoints.map(({ path, target, tickets, bytes }) => [
      value(path),
      value(target),
      formatCount(tickets),
      formatBytes(bytes),
    ]),
  });
}

function runTable(runs: readonly ReportedRun[], withCheckpoint: boolean): Markup {
  return table({
    caption: 'Runs, the newest first',
    columns: [
      { title: 'Began' },
      ...(withCheckpoint ? [{ title: 'Checkpoint' }] : []),
      { title: 'Kind' },
      { title: 'Took', align: 'right' },
      { title: 'Tickets', align: 'right' },
      { title: 'How it ended' },
    ],
    rows: runs.map((run) => [
      time(run.startedAt),
      ...(withCheckpoint ? [value(run.checkpoint)] : []),
      run.mode,
      run.endedAt === undefined ? '–' : durationOf(Date.parse(run.endedAt) - Date.parse(run.startedAt)),
      formatCount(run.tickets),
      endOf(run),
    ]),
  });
}

function endOf({ isGoingOn, exitCode }: ReportedRun): Markup {
  if (isGoingOn) return html`<span class="tag">goes on</span>`;
  if (exitCode === undefined) return html`<span class="tag warn">was cut off</span>`;
  const tone = exitCode === 0 ? 'good' : [3, 4, 130, 143].includes(exitCode) ? 'warn' : 'bad';
  return html`<span class="tag ${tone}">${END_WORDS[exitCode] ?? `exit code ${exitCode}`}</span>`;
}
