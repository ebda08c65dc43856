/** `helpdesk-import status`: what a checkpoint holds. Changes nothing, and needs no connection. */

import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { failureReasons, listDoubts, listFailed } from '../checkpoint/status.ts';
import { type CommandSpec, WHICH_CHECKPOINT } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { ALL_TICKETS, checkpointPath } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import { say } from '../domain/text/problem-words.ts';
import type { Facts } from '../plan/facts.ts';
import { factsOfCheckpoint } from '../plan/recorded.ts';
import { option } from '../settings/option-spec.ts';
import * as b from '../view/blocks.ts';
import { formatBytes, formatMinute } from '../view/format.ts';
import { statusSteps, stepBlocks } from '../view/next-steps.ts';
import { doubtTable, failedTable, runTable } from '../view/report.ts';
import { OUTCOME_VIEWS, outcomeTable } from '../view/summary.ts';
import { trialSentence } from '../view/trial-words.ts';

export const command: CommandSpec = {
  arguments: [['[checkpoint]', 'the checkpoint file']],
  options: [
    option('What to do', '--failed', 'list the tickets that failed or were rejected, with their reasons'),
    option(
      'What to do',
      '--in-doubt',
      'list the tickets whose create has an unknown outcome; resolve settles them',
    ),
    ...WHICH_CHECKPOINT,
  ],
  examples: [
    ['status', 'how far the import is, and what to do next'],
    ['status --failed', 'list the tickets that failed, with the reasons'],
  ],
  run: statusCommand,
};

/** Tickets of a list on screen; `--json` has all. */
const SHOWN = 50;

async function statusCommand([named]: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  using reader = readCheckpoint(await checkpointPath(named, flags, context));
  const { commands, cwd: folder } = context;
  const limit = flags['json'] === true ? ALL_TICKETS : SHOWN;
  const facts: Facts = {
    ...factsOfCheckpoint(reader),
    ...(flags['failed'] === true && {
      failed: listFailed(reader, limit),
      reasons: failureReasons(reader),
    }),
    ...(flags['inDoubt'] === true && { inDoubt: listDoubts(reader, limit) }),
  };
  const { failed, inDoubt, tickets } = facts;
  const totals = {
    ...(failed && { failedTotal: tickets.failed + tickets.rejected }),
    ...(inDoubt && { inDoubtTotal: tickets.inDoubt }),
  };
  const next = statusSteps(facts, { commands, folder, isNamed: named !== undefined });
  const more = commands.again({ more: ['--json'] });
  const lists = b.blocks(failed && failedBlocks(facts, more), inDoubt && doubtBlocks(facts, more));
  const shown = lists.length > 0 ? lists : [...statusBlocks(facts), ...stepBlocks(next)];
  answer(context, flags, { ...facts, ...totals, next }, shown);
  return 0;
}

const MISSING_FILES = 5;

function statusBlocks(facts: Facts): b.Block[] {
  const { checkpoint, tickets, runs = [] } = facts;
  return b.blocks(
    b.heading(checkpoint),
    b.facts(statusFacts(facts)),
    outcomeTable({ counts: tickets, total: { label: 'all', count: tickets.read } }),
    b.section('Latest runs', runs.length > 0 && runTable(runs)),
  );
}

function statusFacts(facts: Facts): (b.Fact | false)[] {
  const { target = '', createdAt = '', createdBy, bytes = 0, writer, undo, fetched, marks } = facts;
  const { total, done = 0, left = 0 } = facts.export;
  const more = (fetched?.missing.length ?? 0) - MISSING_FILES;
  return [
    { label: 'helpdesk', value: target },
    { label: 'made', value: formatMinute(createdAt), remarks: [`version ${createdBy}`] },
    { label: 'size', value: formatBytes(bytes) },
    total !== undefined && {
      label: 'export',
      value: countOf(total, 'ticket'),
      remarks: [`${formatCount(done)} done`, `${formatCount(left)} left`],
    },
    ...(fetched === undefined
      ? []
      : [
          {
            label: 'files',
            value: `${formatCount(fetched.contents)} fetched`,
            remarks: [formatBytes(fetched.bytes), `${formatCount(fetched.missing.length)} missing`],
          },
          ...fetched.missing.slice(0, MISSING_FILES).map(({ detail }) => ({ label: '', value: detail })),
          more > 0 && { label: '', value: 'All missing files: --json' },
        ]),
    undo !== undefined && {
      label: 'undone',
      value: `${countOf(undo.undone, 'ticket')} closed and emptied in the helpdesk`,
      remarks: undo.begun === 0 ? [] : [`${formatCount(undo.begun)} begun`],
    },
    marks !== undefined && {
      label: 'trial',
      value: trialSentence(marks),
      tone: marks.wrong.length > 0 ? 'warn' : undefined,
    },
    { label: 'now', value: nowSentence(facts), tone: writer === undefined ? undefined : 'good' },
  ];
}

function nowSentence({ writer, known }: Facts): string {
  if (writer === undefined)
    return known.isCutOff ? 'no run in progress; the latest one was cut off' : 'no run in progress';
  const who = writer.pid === undefined ? 'a process' : `process ${writer.pid}`;
  return `${who} writes to it${writer.since === undefined ? '' : ` since ${formatMinute(writer.since)}`}`;
}

const MOST_REASONS = 12;

function failedBlocks({ tickets, failed = [], reasons = [] }: Facts, more: string): b.Block[] {
  const total = tickets.failed + tickets.rejected;
  if (total === 0) return [b.heading('No ticket failed or was rejected.', { level: 1, tone: 'good' })];
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  return b.blocks(
    b.heading('Why tickets failed or were rejected'),
    b.list(
      'counts',
      reasons.slice(0, MOST_REASONS).map(({ count, outcome, reason }) => ({
        lead: formatCount(count),
        text: `${OUTCOME_VIEWS[outcome].word}: ${reason}`,
        tone: 'bad',
      })),
    ),
    rest > 0 && b.paragraph(`and ${countOf(rest, 'ticket')} with other reasons`, { look: 'more' }),
    b.heading('Tickets'),
    failedTable(failed, { withOutcome: true }),
    moreBlock(failed.length, total, more),
  );
}

export function doubtBlocks(
  { tickets, inDoubt = [] }: Pick<Facts, 'tickets' | 'inDoubt'>,
  more: string,
): b.Block[] {
  const total = tickets.inDoubt;
  if (total === 0) return [b.heading('No ticket is in doubt.', { level: 1, tone: 'good' })];
  return b.blocks(
    b.heading(say('{total|# ticket|# tickets} in doubt: check the helpdesk for {total|it|them}', { total })),
    doubtTable(inDoubt),
    moreBlock(inDoubt.length, total, more),
  );
}

function moreBlock(shown: number, total: number, command: string): b.Block | false {
  const text = `${formatCount(shown)} of ${formatCount(total)} are shown. To see all:`;
  return shown < total && { kind: 'command', text, command };
}
