/** What checkpoints hold, on screen. Lines without line ends. */

import { printable } from '../../domain/printable.ts';
import type { Outcome } from '../../domain/ticket-state.ts';
import type { CheckpointStatus, RateStep, RunStatus } from '../../import/checkpoint-status.ts';
import {
  countOf,
  formatBytes,
  formatCount,
  formatDuration,
  formatRate,
} from '../../present/terminal/format.ts';
import { type NextStep, stepLines } from '../../present/terminal/next-steps.ts';
import { outcomeTableLines } from '../../present/terminal/outcome-table.ts';
import type { Style } from '../../present/terminal/style.ts';
import { type Cell, tableLines } from '../../present/terminal/table.ts';
import { type Fact, factLines, heading } from '../../present/terminal/text-block.ts';

/** What each outcome means for what comes next. */
const MEANING: Readonly<Record<Outcome, string>> = {
  done: 'in the target, complete',
  rejected: 'not valid; tried again when the export is corrected',
  failed: 'refused by the target, or incomplete there; the next run tries again',
  inDoubt: 'sent, and the outcome is unknown',
  skipped: 'left out when a doubt was settled',
  pending: 'begun; the next run goes on with them',
};

export function statusLines(status: CheckpointStatus, steps: readonly NextStep[], style: Style): string[] {
  const { tickets, runs, rate } = status;
  return [
    ...statusHead(status, style),
    ...outcomeTableLines(
      { counts: tickets, meaning: MEANING, total: { label: 'known', count: tickets.known } },
      style,
    ),
    ...runLines(runs, style),
    ...rateLines(rate, style),
    ...nextLines(steps, style),
  ];
}

export function nextLines(steps: readonly NextStep[], style: Style): string[] {
  return steps.length === 0 ? [] : [...heading('Next', style), ...stepLines(steps, style)];
}

function exportFact({ export: progress }: Pick<CheckpointStatus, 'export'>): Fact[] {
  if (progress === undefined) return [];
  const { total, done, left } = progress;
  return [
    {
      label: 'export',
      text: `${countOf(total, 'ticket')}: ${formatCount(done)} done, ${formatCount(left)} left`,
    },
  ];
}

/** Whose checkpoint it is and who uses it. `what`: behind its name, what it is of. */
export function statusHead(
  status: Omit<CheckpointStatus, 'tickets' | 'rate'>,
  style: Style,
  what = '',
): string[] {
  const { checkpoint, target, createdAt, createdBy, bytes, writer } = status;
  return [
    style.bold(printable(checkpoint) + what),
    ...factLines(
      [
        { label: 'target', text: target },
        { label: 'made', text: `${timeOf(createdAt)} by version ${createdBy}` },
        { label: 'size', text: formatBytes(bytes) },
        ...exportFact(status),
        { label: 'now', text: nowSentence(status), paint: writer === undefined ? same : style.green },
      ],
      style,
    ),
    '',
  ];
}

export function nowSentence({ writer, runs }: Pick<CheckpointStatus, 'writer' | 'runs'>): string {
  if (writer !== undefined) {
    const who = writer.pid === undefined ? 'a process' : `process ${writer.pid}`;
    return `${who} writes to it${writer.since === undefined ? '' : ` since ${timeOf(writer.since)}`}`;
  }
  const [latest] = runs;
  if (latest !== undefined && latest.endedAt === undefined)
    return 'no run is going on; the latest one was cut off';
  return 'no run is going on';
}

/** By exit code (contract, "Exit codes"). */
const ENDS: Readonly<Record<number, string>> = {
  0: 'all done',
  1: 'a defect of the program',
  2: 'refused to go on',
  3: 'some rejected or failed',
  4: 'some in doubt',
  5: 'permission refused',
  6: 'stopped early',
  130: 'interrupted',
  143: 'terminated',
};

export function runLines(runs: readonly RunStatus[], style: Style): string[] {
  if (runs.length === 0) return [];
  const rows = runs.map((run): Cell[] => {
    const { mode, startedAt, endedAt, exitCode, isGoingOn, batches } = run;
    const took = endedAt === undefined ? '' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt));
    const end = isGoingOn
      ? 'going on'
      : exitCode === undefined
        ? 'cut off'
        : `${exitCode} ${ENDS[exitCode] ?? 'ended with an error'}`;
    const paint = isGoingOn || exitCode === 0 ? style.green : style.yellow;
    return [timeOf(startedAt), mode, took, formatCount(batches.count), { text: end, paint }];
  });
  return [
    ...heading('Latest runs', style),
    ...tableLines(
      rows,
      [
        { header: 'began' },
        { header: 'mode' },
        { header: 'took', align: 'right' },
        { header: 'batches', align: 'right' },
        { header: 'end' },
      ],
      style,
    ),
  ];
}

const BAR = 24;

function rateLines(rate: readonly RateStep[], style: Style): string[] {
  // One step is no course of things.
  if (rate.length < 2) return [];
  const most = Math.max(...rate.map(({ tickets }) => tickets));
  const [first] = rate;
  const rows = rate.map(({ from, seconds, tickets }): Cell[] => [
    timeOf(from),
    formatCount(tickets),
    formatRate(tickets / seconds),
    { text: style.symbols.barFull.repeat(Math.round((tickets / most) * BAR)), paint: style.cyan },
  ]);
  return [
    ...heading(`Tickets settled in the latest run, in steps of ${stepText(first?.seconds ?? 0)}`, style),
    ...tableLines(rows, [{}, { align: 'right' }, { align: 'right' }, {}], style),
  ];
}

function stepText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

/** `2025-06-02 08:00:12 UTC`. */
export function timeOf(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

function same(text: string): string {
  return text;
}
