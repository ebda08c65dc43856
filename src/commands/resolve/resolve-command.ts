/**
 * `helpdesk-import resolve`: lists tickets in doubt, or settles them. Ends with 0 when none is in doubt any more, and with 4
 * while some are.
 */

import { resolve as resolvePath } from 'node:path';
import type { CheckpointMeta } from '../../checkpoint/meta.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { answer, numberFlag } from '../../cli/answer.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { listenForStop, portsOf } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { checkpointStatus } from '../../import/checkpoint-status.ts';
import { addressOf, connect, type TargetAddress } from '../../import/target.ts';
import { quoteArgument } from '../../present/terminal/command-line.ts';
import { countOf } from '../../present/terminal/format.ts';
import { createStyle } from '../../present/terminal/style.ts';
import { wrap } from '../../present/terminal/text-block.ts';
import { wholeNumber } from '../../settings/parsers.ts';
import type { Settings } from '../../settings/settings.ts';
import { version } from '../../version.ts';
import { listDoubts } from '../status/status-lists.ts';
import { goOn } from '../status/status-next.ts';
import { doubtLines } from '../status/status-view.ts';
import { doubtsCsv, writeDoubts } from './doubts-file.ts';
import { actionsForAll, openExisting, type ResolveAction, type Settled, settle } from './resolve-actions.ts';
import { type AskedDecisions, adoption, askedDecisions } from './resolve-flags.ts';
import { settleByLookup, whatIsThere } from './resolve-lookup.ts';
import { howToSettle, settledLines } from './resolve-view.ts';

const LIMIT = 50;
const ALL = Number.MAX_SAFE_INTEGER;
/** The target is asked about so many of those that are taken back. */
const MOST_ASKED = 20;

interface Outcome {
  readonly path: string;
  readonly settled: readonly Settled[];
  /** Whether anything was to be settled; else the doubts are listed. */
  readonly wasAsked: boolean;
  readonly wasRead: boolean;
  readonly stoppedBy?: unknown;
}

export async function resolveCommand(
  _args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const limit = numberFlag(flags, 'limit', wholeNumber(1, 1_000_000)) ?? LIMIT;
  if (typeof flags['toFile'] === 'string') return await writeList(flags['toFile'], flags, context);
  const asked = await askedDecisions(flags, context);
  const isDecided = asked.actions.length + asked.adoptions.length > 0 || asked.all !== undefined;
  const outcome =
    flags['lookup'] === true
      ? await lookUp(asked, flags, context)
      : await decide(asked, isDecided, flags, context);
  const remaining = show(outcome, limit, flags, context);
  if (outcome.stoppedBy !== undefined) throw outcome.stoppedBy;
  return remaining > 0 ? 4 : 0;
}

async function writeList(file: string, flags: Flags, context: CliContext): Promise<number> {
  const decisions = ['adopt', 'retry', 'skip', 'release', 'fromFile', 'lookup'] as const;
  if (decisions.some((name) => flags[name] !== undefined && flags[name] !== false))
    throw new AppError(
      'usage',
      '--to-file only writes the list of tickets in doubt: leave out the decisions.',
    );
  const [path] = await checkpointPaths([], flags, context);
  const reader = readCheckpoint(path);
  try {
    const doubts = listDoubts(reader, ALL);
    const { commands } = context;
    await writeDoubts(
      resolvePath(context.cwd, file),
      doubtsCsv(doubts, (reason) => commands.inText(reason)),
    );
    const json = () => ({ version: 1, checkpoint: path, file, inDoubtTotal: doubts.length });
    answer(context, flags, json, (style) => [
      ...wrap(`${file} lists ${countOf(doubts.length, 'ticket')} in doubt, grouped by reason.`, style),
      ...wrap('Fill in action (adopt, retry or skip) and, for adopt, ticket_id. Then:', style),
      `  ${commands.about('resolve', { more: ['--from-file', quoteArgument(file)] })}`,
    ]);
    return doubts.length > 0 ? 4 : 0;
  } finally {
    reader.close();
  }
}

async function decide(
  asked: AskedDecisions,
  isDecided: boolean,
  flags: Flags,
  context: CliContext,
): Promise<Outcome> {
  const [path] = await checkpointPaths([], flags, context);
  if (!isDecided) return { path, settled: [], wasAsked: flags['fromFile'] !== undefined, wasRead: false };
  const checkpoint = openExisting(path, { clock: context.clock, version: version() });
  try {
    const actions = allActions(asked, checkpoint);
    const released = actions.flatMap(({ externalId, decision }) => {
      const ticketId = checkpoint.get(externalId)?.ticketId;
      return decision.do === 'release' && ticketId !== undefined ? [{ externalId, ticketId }] : [];
    });
    const settled = await settle(actions, checkpoint);
    if (released.length > 0)
      await tellReleased(released.slice(0, MOST_ASKED), checkpoint.meta, flags, context);
    return { path, settled, wasAsked: true, wasRead: false };
  } finally {
    await checkpoint.close();
  }
}

/** Tells what the target has under the ids of tickets that were taken back, where its address and a token are known. */
async function tellReleased(
  released: readonly { readonly externalId: string; readonly ticketId: string }[],
  { target: owner, sourceName }: CheckpointMeta,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  let target: TargetAddress;
  let settings: Settings;
  try {
    ({ settings } = await loadSettings([], flags, ['target', 'credentials'], context));
    target = await addressOf(settings);
  } catch (error) {
    if (error instanceof AppError) return;
    throw error;
  }
  if (target.key !== owner) return;
  const say = saying(flags, context);
  using stop = listenForStop(context, say);
  const ports = { ...portsOf(context, stop), emit: () => {} };
  const { api } = connect(target, settings, ports, undefined);
  try {
    for (const ticket of released) say(await whatIsThere(ticket, sourceName, api, stop.hard));
  } finally {
    await api.close();
  }
}

async function lookUp(asked: AskedDecisions, flags: Flags, context: CliContext): Promise<Outcome> {
  const { settings } = await loadSettings([], flags, ['target', 'credentials'], context);
  const say = saying(flags, context);
  using stop = listenForStop(context, say);
  const { settled, unreadable, stoppedBy } = await settleByLookup(
    settings,
    (ledger) => allActions(asked, ledger),
    { ...portsOf(context, stop), emit: () => {} },
  );
  if (unreadable !== undefined)
    say(`The target cannot be read, so a person has to look: ${unreadable.message}`);
  return { path: settings.output.checkpoint, settled, wasAsked: true, wasRead: true, stoppedBy };
}

function allActions(
  { actions, adoptions, all }: AskedDecisions,
  ledger: ReturnType<typeof openExisting>,
): ResolveAction[] {
  return [
    ...actions,
    ...adoptions.map((text) => adoption(text, (externalId) => ledger.get(externalId) !== undefined)),
    ...(all === undefined ? [] : actionsForAll({ do: all }, `--${all} --all`, ledger)),
  ];
}

/** Shows what was settled, or what is in doubt; the number of tickets that are in doubt now. */
function show(outcome: Outcome, limit: number, flags: Flags, context: CliContext): number {
  const { path, settled, wasAsked, wasRead } = outcome;
  const reader = readCheckpoint(path);
  try {
    const status = checkpointStatus(reader);
    const remaining = status.tickets.inDoubt;
    const doubts = listDoubts(reader, limit);
    const { commands } = context;
    const json = () => ({
      version: 1,
      checkpoint: path,
      target: reader.meta.target,
      settled,
      inDoubt: doubts.map((doubt) => ({ ...doubt, reason: commands.inText(doubt.reason) })),
      inDoubtTotal: remaining,
    });
    answer(context, flags, json, (style) => {
      const again = goOn(status, context.cwd)?.command;
      const command = (...more: string[]) => commands.about('resolve', { more });
      if (wasAsked) return settledLines({ settled, remaining, list: command(), again, wasRead }, style);
      const more = command('--limit', String(limit * 10));
      const first = doubts[0]?.externalId;
      return [
        ...doubtLines({ rows: doubts, total: remaining, more }, style),
        ...(first === undefined ? [] : howToSettle(first, { again, command }, style)),
      ];
    });
    return remaining;
  } finally {
    reader.close();
  }
}

function saying(flags: Flags, { stderr, env, commands }: CliContext): (message: string) => void {
  const style = createStyle({ stream: stderr, env, color: flags['color'] !== false, commands });
  return (message) => void stderr.write(`${wrap(message, style).join('\n')}\n`);
}
