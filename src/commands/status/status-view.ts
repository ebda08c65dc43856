/** What checkpoints hold, on screen. Lines without line ends. */

import { printable } from '../../domain/printable.ts';
import { OUTCOMES } from '../../domain/ticket-state.ts';
import {
  type CheckpointStatus,
  type KnownCounts,
  type RunStatus,
  runTagOf,
} from '../../import/checkpoint-status.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { END_WORDS } from '../../summary/summary.ts';
import { countOf, formatBytes, formatCount, formatDuration } from '../../view/format.ts';
import { type NextStep, stepLines } from '../../view/next-steps.ts';
import { outcomeTableLines } from '../../view/terminal/outcome-table.ts';
import type { Style } from '../../view/terminal/style.ts';
import {
  type Cell,
  type Fact,
  factLines,
  heading,
  tableLines,
  wrap,
} from '../../view/terminal/text-block.ts';
import type { Doubt, FailedTicket, Reason } from './status-lists.ts';

const MISSING_FILES = 5;

export function statusLines(status: CheckpointStatus, steps: readonly NextStep[], style: Style): string[] {
  const { tickets, runs } = status;
  return [
    ...statusHead(status, style),
    ...outcomeTableLines(
      {
        counts: tickets,
        meaning: (outcome) => OUTCOME_VIEWS[outcome].meaningInCheckpoint,
        total: { label: 'known', count: tickets.known },
      },
      style,
    ),
    ...runLines(runs, style),
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

function filesFact({ files }: Pick<CheckpointStatus, 'files'>): Fact[] {
  if (files === undefined) return [];
  const { contents, bytes, missing } = files;
  return [
    {
      label: 'files',
      text: `${formatCount(contents)} fetched (${formatBytes(bytes)}), ${formatCount(missing.length)} missing`,
    },
    ...missing.slice(0, MISSING_FILES).map(({ detail }) => ({ label: '', text: detail })),
    ...(missing.length > MISSING_FILES ? [{ label: '', text: 'All missing files: --json' }] : []),
  ];
}

/** Whose checkpoint it is and who uses it. */
function statusHead(status: CheckpointStatus, style: Style): string[] {
  const { checkpoint, target, createdAt, createdBy, bytes, writer } = status;
  return [
    style.bold(printable(checkpoint)),
    ...factLines(
      [
        { label: 'target', text: target },
        { label: 'made', text: `${timeOf(createdAt)} by version ${createdBy}` },
        { label: 'size', text: formatBytes(bytes) },
        ...exportFact(status),
        ...filesFact(status),
        ...(status.undo === undefined ? [] : [{ label: 'undone', text: undoWords(status.undo) }]),
        { label: 'now', text: nowSentence(status), paint: writer === undefined ? same : style.green },
      ],
      style,
    ),
    '',
  ];
}

function undoWords({ undone, begun }: NonNullable<CheckpointStatus['undo']>): string {
  const ended = `${countOf(undone, 'ticket')} closed and emptied in the target`;
  return begun === 0 ? ended : `${ended}, ${formatCount(begun)} begun`;
}

function nowSentence({ writer, runs }: Pick<CheckpointStatus, 'writer' | 'runs'>): string {
  if (writer !== undefined) {
    const who = writer.pid === undefined ? 'a process' : `process ${writer.pid}`;
    return `${who} writes to it${writer.since === undefined ? '' : ` since ${timeOf(writer.since)}`}`;
  }
  const [latest] = runs;
  if (latest !== undefined && latest.endedAt === undefined)
    return 'no run is going on; the latest one was cut off';
  return 'no run is going on';
}

function runLines(runs: readonly RunStatus[], style: Style): string[] {
  if (runs.length === 0) return [];
  const areTagged = runs.some((run) => runTagOf(run) !== undefined);
  const rows = runs.map((run): Cell[] => {
    const { mode, startedAt, endedAt, exitCode, isGoingOn, batches } = run;
    const took = endedAt === undefined ? '' : formatDuration(Date.parse(endedAt) - Date.parse(startedAt));
    const end = isGoingOn
      ? 'going on'
      : exitCode === undefined
        ? 'cut off'
        : `${exitCode} ${END_WORDS[exitCode] ?? 'ended with an error'}`;
    const paint = isGoingOn || exitCode === 0 ? style.green : style.yellow;
    return [
      timeOf(startedAt),
      mode,
      took,
      formatCount(batches.count),
      ...(areTagged ? [runTagOf(run) ?? ''] : []),
      { text: end, paint },
    ];
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
        ...(areTagged ? [{ header: 'run tag' }] : []),
        { header: 'end' },
      ],
      style,
    ),
  ];
}

/** `2025-06-02 08:00:12 UTC`. */
function timeOf(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

function same(text: string): string {
  return text;
}

/** Checkpoints of shards and their sum, to compare with the tickets of the export. Lines without line ends. */
export function shardLines(
  statuses: readonly CheckpointStatus[],
  total: KnownCounts,
  style: Style,
): string[] {
  const rows = statuses.map(({ checkpoint, tickets, writer }): Cell[] => [
    checkpoint,
    ...OUTCOMES.map((outcome) => formatCount(tickets[outcome])),
    formatCount(tickets.known),
    { text: writer === undefined ? '' : 'run going on', paint: style.green },
  ]);
  const sum: Cell[] = [
    'all',
    ...OUTCOMES.map((outcome) => ({ text: formatCount(total[outcome]), paint: style.bold })),
    { text: formatCount(total.known), paint: style.bold },
    '',
  ];
  const columns = [
    { header: 'checkpoint', flexible: true },
    ...OUTCOMES.map((outcome) => ({ header: OUTCOME_VIEWS[outcome].word, align: 'right' as const })),
    { header: 'known', align: 'right' as const },
    {},
  ];
  return [
    style.bold(`${formatCount(statuses.length)} checkpoints`),
    ...tableLines([...rows, sum], columns, style),
    ...shardNotes(statuses, total).flatMap((text) => wrap(printable(text), style, { indent: 2 })),
  ];
}

function shardNotes(statuses: readonly CheckpointStatus[], { known }: KnownCounts): string[] {
  const targets = [...new Set(statuses.map(({ target }) => target))];
  const [read, ...others] = new Set(statuses.map((status) => status.export?.total));
  return [
    ...(targets.length > 1 ? [`They are of different targets: ${targets.join(', ')}.`] : []),
    ...(read !== undefined && others.length === 0
      ? [`The export has ${countOf(read, 'ticket')}; the checkpoints have ${formatCount(known)}.`]
      : []),
  ];
}

/** Tickets of a checkpoint on screen: those that failed with their reasons, those in doubt with what to look for. */
const MOST_REASONS = 12;

interface ListPart<T> {
  readonly rows: readonly T[];
  /** Of all of them, shown or not. */
  readonly total: number;
  /** The command that shows all. */
  readonly more: string;
}

export function failedLines(
  { rows, total, more }: ListPart<FailedTicket>,
  reasons: readonly Reason[],
  style: Style,
): string[] {
  if (total === 0) return [style.green(`${style.symbols.tick} No ticket failed or was rejected.`)];
  const shown = reasons.slice(0, MOST_REASONS);
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  return [
    style.bold('Why tickets failed or were rejected'),
    ...tableLines(
      shown.map(({ count, outcome, reason }): Cell[] => [
        { text: `${formatCount(count)} ${style.symbols.times}`, paint: style.red },
        OUTCOME_VIEWS[outcome].word,
        reason,
      ]),
      [{ align: 'right' }, {}, { flexible: true }],
      style,
    ),
    ...(rest > 0 ? [style.dim(`  and ${countOf(rest, 'ticket')} with other reasons`)] : []),
    ...heading('Tickets', style),
    ...tableLines(
      rows.map(({ externalId, outcome, ticketId, reason }): Cell[] => [
        externalId,
        { text: OUTCOME_VIEWS[outcome].word, paint: style.red },
        { text: ticketId ?? '', paint: style.dim },
        reason,
      ]),
      [
        { header: 'external id' },
        { header: 'outcome' },
        { header: 'in the target' },
        { header: 'reason', flexible: true },
      ],
      style,
    ),
    ...moreLines(rows.length, total, more, style),
  ];
}

export function doubtLines({ rows, total, more }: ListPart<Doubt>, style: Style): string[] {
  if (total === 0) return [style.green(`${style.symbols.tick} No ticket is in doubt.`)];
  return [
    style.bold(
      `${countOf(total, 'ticket')} in doubt: look in the target whether ${total === 1 ? 'it is' : 'they are'} there`,
    ),
    ...rows.flatMap((doubt) => ['', ...doubtBlock(doubt, style)]),
    ...moreLines(rows.length, total, more, style),
  ];
}

function doubtBlock(doubt: Doubt, style: Style): string[] {
  const { externalId, subject, createdAt, email, contactId, sentAt, reason } = doubt;
  const contact = email ?? (contactId === undefined ? 'none' : `contact ${contactId}`);
  return [
    `  ${style.yellow(printable(externalId))}`,
    ...factLines(
      [
        { label: '  subject', text: subject ?? 'not recorded' },
        ...(subject === undefined
          ? []
          : [
              { label: '  contact', text: contact },
              { label: '  opened', text: createdAt === undefined ? 'not recorded' : timeOf(createdAt) },
            ]),
        ...(sentAt === undefined ? [] : [{ label: '  sent', text: timeOf(sentAt) }]),
        { label: '  why', text: style.typed(reason), paint: style.dim },
      ],
      style,
    ),
  ];
}

function moreLines(shown: number, total: number, more: string, style: Style): string[] {
  if (shown >= total) return [];
  const text = `${formatCount(shown)} of ${formatCount(total)} are shown. To see all:`;
  return ['', ...stepLines([{ text, command: more }], style)];
}
