/**
 * `helpdesk-import resolve`: lists tickets in doubt, or settles them. Sends nothing. Ends with 0 when none is in doubt any
 * more, and with 4 while some are.
 */
import { checkpointStatus } from '../checkpoint/status.ts';
import { type CommandSpec, JSON_RESULT, shared, WHICH_CHECKPOINT } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { checkpointPaths } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { printable } from '../domain/printable.ts';
import { option } from '../settings/option-spec.ts';
import { version } from '../version.ts';
import { type Block, heading, list, paragraph } from '../view/blocks.ts';
import { quoteArgument } from '../view/command-line.ts';
import { countOf } from '../view/format.ts';
import type { NextStep } from '../view/next-steps.ts';
import { ALL_TICKETS, doubtBlocks, goOn, listDoubts, withReaders } from './checkpoint-view.ts';
import { openExisting, readDecisions, type Settled, settle } from './decisions.ts';

export const command: CommandSpec = {
  options: [
    option(
      'What to do',
      '--adopt <external id=ticket id>',
      'the ticket is in the target under this id; the next run sends its messages and events; may be given more than once',
      { repeat: true },
    ),
    option(
      'What to do',
      '--retry [ids]',
      'these tickets are not in the target; the next run creates them: comma-separated external ids, or @file with one per line',
    ),
    option('What to do', '--skip [ids]', 'leave these tickets out for good; written like --retry'),
    option(
      'What to do',
      '--release <ids>',
      'take back which ticket of the target these are, after a wrong --adopt or an id that is not a ticket: they are in doubt again; nothing is changed in the target; written like --retry',
    ),
    option('What to do', '--all', 'with --retry or --skip without ids: every ticket in doubt'),
    ...WHICH_CHECKPOINT,
    shared('--config'),
    JSON_RESULT,
  ],
  examples: [
    ['resolve', 'list what is in doubt'],
    ['resolve --adopt 4711=tkt_8f3a', 'it is there, under this id'],
    ['resolve --retry 4712', 'it is not there: create it with the next run'],
    ['resolve --retry @ids.txt', 'many of them: one id a line'],
    ['resolve --skip 4713', 'leave it out for good'],
    ['resolve --release 4711', 'take a wrong --adopt back'],
  ],
  run: resolveCommand,
};

/** Tickets on screen; `--json` has all. */
const SHOWN = 50;
/** Settled tickets beyond this number are counted, not listed. */
const LISTED = 20;

async function resolveCommand(_: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { commands, cwd } = context;
  const [path] = await checkpointPaths([], flags, context);
  const isAsked = ['adopt', 'retry', 'skip', 'release', 'all'].some((flag) => flags[flag] !== undefined);
  const settled = isAsked ? await settleIn(path, flags, context) : undefined;
  return await withReaders([path], (readers) => {
    const [reader] = readers;
    if (reader === undefined) return 0;
    const status = checkpointStatus(reader);
    const inDoubtTotal = status.tickets.inDoubt;
    const doubts = listDoubts(readers, flags['json'] === true ? ALL_TICKETS : SHOWN);
    const inDoubt = doubts.map((doubt) => ({ ...doubt, reason: commands.inText(doubt.reason) }));
    const again = goOn(status, cwd)?.command;
    const resolve = (...more: string[]) => commands.about('resolve', { more });
    const [first] = doubts;
    answer(
      context,
      flags,
      {
        version: 1,
        checkpoint: path,
        target: reader.meta.target,
        settled: settled ?? [],
        inDoubt,
        inDoubtTotal,
      },
      settled !== undefined
        ? [...settledBlocks(settled), afterwards(inDoubtTotal, again, resolve())]
        : [
            ...doubtBlocks({ rows: doubts, total: inDoubtTotal }, resolve('--json')),
            ...(first === undefined ? [] : howToSettle(first.externalId, again, resolve)),
          ],
    );
    return inDoubtTotal > 0 ? 4 : 0;
  });
}

async function settleIn(path: string, flags: Flags, context: CliContext): Promise<Settled[]> {
  const checkpoint = openExisting(path, { clock: context.clock, version: version() });
  try {
    return await settle(await readDecisions(flags, checkpoint, context), checkpoint);
  } finally {
    await checkpoint.close();
  }
}

const CONSEQUENCES: Readonly<Record<Settled['action'], (count: number) => string>> = {
  adopt: (count) =>
    `${countOf(count, 'ticket')} adopted: the next run sends ${count === 1 ? 'its' : 'their'} messages and events.`,
  retry: (count) => `${countOf(count, 'ticket')} to be created by the next run.`,
  skip: (count) => `${countOf(count, 'ticket')} left out.`,
  release: (count) =>
    `${countOf(count, 'ticket')} in doubt again: use --adopt to link ${count === 1 ? 'it to the right ticket' : 'them to the right tickets'}, or --retry if the target has none.`,
};

const RETRY_WARNING =
  'The next run looks for the tag of each first. Where the target does not show it, a ticket that is there after all will be there twice.';

function settledBlocks(settled: readonly Settled[]): Block[] {
  if (settled.length === 0) return [paragraph('Nothing was in doubt.')];
  const groups = [...Map.groupBy(settled, ({ action }) => action)];
  const items = groups.map(([action, those]) => ({
    text: CONSEQUENCES[action](those.length),
    tone: 'good' as const,
    below: (those.length > LISTED ? [] : those).map(({ externalId, ticketId }) =>
      paragraph(`${externalId}${ticketId === undefined ? '' : ` → ${ticketId}`}`),
    ),
  }));
  const isRetried = settled.some(({ action }) => action === 'retry');
  return [list('checks', [...items, ...(isRetried ? [{ text: RETRY_WARNING, tone: 'warn' as const }] : [])])];
}

function afterwards(inDoubt: number, again: string | undefined, resolve: string): Block {
  const step: NextStep =
    inDoubt === 0
      ? { text: 'No tickets are in doubt any longer. Run the import again to continue:', command: again }
      : {
          text: `${countOf(inDoubt, 'ticket')} ${inDoubt === 1 ? 'is' : 'are'} in doubt still:`,
          command: resolve,
        };
  return { kind: 'command', ...step };
}

/** First what the program can find out, last what only a person can know. */
function howToSettle(
  first: string,
  again: string | undefined,
  resolve: (...more: string[]) => string,
): Block[] {
  const id = quoteArgument(printable(first));
  const steps: NextStep[] = [
    {
      text: 'You found it in the target: take it over, and the next run sends its messages and events.',
      command: resolve(`--adopt ${id}=<ticket id>`),
    },
    {
      text: 'You looked for it in the target, and it is not there: the next run creates it.',
      command: resolve(`--retry ${id}`),
    },
    { text: 'Leave it out for good.', command: resolve(`--skip ${id}`) },
  ];
  const look = 'First run the import again: it looks for them in the target.';
  return [
    heading('To settle them'),
    ...[...(again === undefined ? [] : [{ text: look, command: again }]), ...steps].map(
      (step): Block => ({ kind: 'command', ...step }),
    ),
  ];
}
