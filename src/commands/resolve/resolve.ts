/**
 * `helpdesk-import resolve`: lists tickets in doubt, or settles them. Sends nothing. Ends with 0 when none is in doubt any
 * more, and with 4 while some are.
 */
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { checkpointStatus } from '../../checkpoint/status.ts';
import { answer } from '../../cli/answer.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { printable } from '../../domain/printable.ts';
import { version } from '../../version.ts';
import { type Block, heading } from '../../view/blocks.ts';
import { quoteArgument } from '../../view/command-line.ts';
import { countOf } from '../../view/format.ts';
import type { NextStep } from '../../view/next-steps.ts';
import { blockLines } from '../../view/terminal/blocks.ts';
import type { Style } from '../../view/terminal/style.ts';
import { wrap } from '../../view/terminal/text-block.ts';
import { doubtBlocks } from '../status/list-view.ts';
import { ALL_TICKETS, listDoubts } from '../status/status-lists.ts';
import { goOn } from '../status/status-next.ts';
import { openExisting, readDecisions, type Settled, settle } from './decisions.ts';

/** Tickets on screen; `--json` has all. */
const SHOWN = 50;
/** Settled tickets beyond this number are counted, not listed. */
const LISTED = 20;

export async function resolveCommand(
  _args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const [path] = await checkpointPaths([], flags, context);
  const isAsked = ['adopt', 'retry', 'skip', 'release', 'all'].some((flag) => flags[flag] !== undefined);
  const settled = isAsked ? await settleIn(path, flags, context) : undefined;
  return show(path, settled, flags, context) > 0 ? 4 : 0;
}

async function settleIn(path: string, flags: Flags, context: CliContext): Promise<Settled[]> {
  const checkpoint = openExisting(path, { clock: context.clock, version: version() });
  try {
    return await settle(await readDecisions(flags, checkpoint, context), checkpoint);
  } finally {
    await checkpoint.close();
  }
}

/** Shows what was settled, or what is in doubt; returns the number of tickets in doubt. */
function show(
  path: string,
  settled: readonly Settled[] | undefined,
  flags: Flags,
  context: CliContext,
): number {
  const { commands, cwd } = context;
  const reader = readCheckpoint(path);
  try {
    const status = checkpointStatus(reader);
    const total = status.tickets.inDoubt;
    const doubts = listDoubts(reader, flags['json'] === true ? ALL_TICKETS : SHOWN);
    const json = () => ({
      version: 1,
      checkpoint: path,
      target: reader.meta.target,
      settled: settled ?? [],
      inDoubt: doubts.map((doubt) => ({ ...doubt, reason: commands.inText(doubt.reason) })),
      inDoubtTotal: total,
    });
    answer(context, flags, json, (style) => {
      const again = goOn(status, cwd)?.command;
      const command = (...more: string[]) => commands.about('resolve', { more });
      if (settled !== undefined) {
        const next = total === 0 ? allSettled(again) : stillInDoubt(total, command());
        return [...settledLines(settled, style), '', ...blockLines([{ kind: 'command', ...next }], style)];
      }
      const [first] = doubts;
      const blocks = doubtBlocks({ rows: doubts, total, more: command('--json') });
      if (first === undefined) return blockLines(blocks, style);
      const steps = howToSettle(first.externalId, again, command);
      const how = steps.map((step): Block => ({ kind: 'command', ...step }));
      return blockLines([...blocks, heading('To settle them'), ...how], style);
    });
    return total;
  } finally {
    reader.close();
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

function settledLines(settled: readonly Settled[], style: Style): string[] {
  const { tick, arrow, warning } = style.symbols;
  if (settled.length === 0) return ['Nothing was in doubt.'];
  const lines = [...Map.groupBy(settled, ({ action }) => action)].flatMap(([action, those]) => [
    style.green(`${tick} ${CONSEQUENCES[action](those.length)}`),
    ...(those.length > LISTED ? [] : those).map(({ externalId, ticketId }) =>
      printable(`    ${externalId}${ticketId === undefined ? '' : ` ${arrow} ${ticketId}`}`),
    ),
  ]);
  const isRetried = settled.some(({ action }) => action === 'retry');
  const lead = { lead: `${warning} `, paintLead: style.yellow };
  return [...lines, ...(isRetried ? wrap(RETRY_WARNING, style, lead) : [])];
}

function allSettled(again: string | undefined): NextStep {
  return { text: 'No tickets are in doubt any longer. Run the import again to continue:', command: again };
}

function stillInDoubt(total: number, command: string): NextStep {
  return { text: `${countOf(total, 'ticket')} ${total === 1 ? 'is' : 'are'} in doubt still:`, command };
}

/** First what the program can find out, last what only a person can know. */
function howToSettle(
  first: string,
  again: string | undefined,
  command: (...more: string[]) => string,
): NextStep[] {
  const id = quoteArgument(printable(first));
  const look = 'First run the import again: it looks for them in the target.';
  return [
    ...(again === undefined ? [] : [{ text: look, command: again }]),
    {
      text: 'You found it in the target: take it over, and the next run sends its messages and events.',
      command: command(`--adopt ${id}=<ticket id>`),
    },
    {
      text: 'You looked for it in the target, and it is not there: the next run creates it.',
      command: command(`--retry ${id}`),
    },
    { text: 'Leave it out for good.', command: command(`--skip ${id}`) },
  ];
}
