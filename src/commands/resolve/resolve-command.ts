/**
 * `helpdesk-import resolve`: lists tickets in doubt, or settles them. Ends with 0 when none is in doubt any more, and with 4
 * while some are.
 */

import type { CheckpointMeta } from '../../checkpoint/meta.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { answer } from '../../cli/answer.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { listenForStop, portsOf } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { hasTag, identityTag } from '../../domain/identity.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import { checkpointStatus } from '../../import/checkpoint-status.ts';
import { addressOf, connect, type TargetAddress } from '../../import/target.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CoreApi } from '../../target/api.ts';
import { version } from '../../version.ts';
import { createStyle } from '../../view/terminal/style.ts';
import { wrap } from '../../view/terminal/text-block.ts';
import { ALL_TICKETS, listDoubts } from '../status/status-lists.ts';
import { goOn } from '../status/status-next.ts';
import { doubtLines } from '../status/status-view.ts';
import { actionsForAll, openExisting, type ResolveAction, type Settled, settle } from './resolve-actions.ts';
import { type AskedDecisions, adoption, askedDecisions } from './resolve-flags.ts';
import { howToSettle, settledLines } from './resolve-view.ts';

/** Tickets on screen; `--json` has all. */
const SHOWN = 50;
/** The target is asked about so many of those that are taken back. */
const MOST_ASKED = 20;

interface Outcome {
  readonly path: string;
  readonly settled: readonly Settled[];
  /** Whether anything was to be settled; else the doubts are listed. */
  readonly wasAsked: boolean;
}

export async function resolveCommand(
  _args: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const asked = await askedDecisions(flags, context);
  const outcome = await decide(asked, flags, context);
  return show(outcome, flags, context) > 0 ? 4 : 0;
}

async function decide(asked: AskedDecisions, flags: Flags, context: CliContext): Promise<Outcome> {
  const [path] = await checkpointPaths([], flags, context);
  const wasAsked = asked.actions.length + asked.adoptions.length > 0 || asked.all !== undefined;
  if (!wasAsked) return { path, settled: [], wasAsked };
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
    return { path, settled, wasAsked };
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
  const { stderr, env, commands } = context;
  const style = createStyle({ stream: stderr, env, commands });
  const say = (message: string) => void stderr.write(`${wrap(message, style).join('\n')}\n`);
  using stop = listenForStop(context, say);
  const ports = { ...portsOf(context, stop), emit: () => {} };
  const { api } = connect(target, settings, ports, undefined);
  try {
    for (const ticket of released) say(await whatIsThere(ticket, sourceName, api, stop.hard));
  } finally {
    await api.close();
  }
}

/** What the target has under the id of a ticket that was taken back, in a sentence. */
async function whatIsThere(
  { externalId, ticketId }: { readonly externalId: string; readonly ticketId: string },
  source: string | undefined,
  api: Pick<CoreApi, 'readTicket'>,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { tags } = await api.readTicket(ticketId, signal);
    if (source !== undefined && hasTag(tags, identityTag(source, externalId)))
      return `The ticket ${ticketId} of the target carries the tag of ticket ${externalId}. If it is the right one after all, take it again with "helpdesk-import resolve --adopt ${externalId}=${ticketId}".`;
    return `The target has a ticket ${ticketId}, and it does not carry the tag of ticket ${externalId}.`;
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    const isMissing = error instanceof ApiFailure && (error.status === 404 || error.status === 410);
    return isMissing
      ? `The target shows no ticket ${ticketId}.`
      : `The target could not be asked about ticket ${ticketId}: ${error.message}`;
  }
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
function show(outcome: Outcome, flags: Flags, context: CliContext): number {
  const { path, settled, wasAsked } = outcome;
  const reader = readCheckpoint(path);
  try {
    const status = checkpointStatus(reader);
    const remaining = status.tickets.inDoubt;
    const doubts = listDoubts(reader, flags['json'] === true ? ALL_TICKETS : SHOWN);
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
      if (wasAsked) return settledLines({ settled, remaining, list: command(), again }, style);
      const more = command('--json');
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
