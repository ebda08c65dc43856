/** Decisions about tickets in doubt, as flags give them. */
import { resolve as pathOf } from 'node:path';
import type { CliContext, Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { expandIdList } from '../../settings/id-list.ts';
import { parseIdList } from '../../settings/parsers.ts';
import type { ResolveAction } from './resolve-actions.ts';

export interface AskedDecisions {
  /** Of `--retry`, `--skip` and `--release`. */
  readonly actions: readonly ResolveAction[];
  /** `--adopt`, as they were written: where they are cut depends on the external ids that there are. */
  readonly adoptions: readonly string[];
  /** `--retry --all` or `--skip --all`. */
  readonly all: 'retry' | 'skip' | undefined;
}

/** Throws AppError `usage` with every complaint, `source` where a file cannot be read. */
export async function askedDecisions(flags: Flags, context: CliContext): Promise<AskedDecisions> {
  const complaints: string[] = [];
  const adoptions = [flags['adopt'] ?? []].flat().filter((text) => typeof text === 'string');
  for (const text of adoptions) {
    if (!/^.+=.*\S/s.test(text))
      complaints.push(
        `--adopt must be an external id, = and a ticket id, such as 4711=tkt_8f3a, not "${text}".`,
      );
  }
  const all = allOf(flags, complaints);
  const actions: ResolveAction[] = [];
  for (const what of ['retry', 'skip', 'release'] as const) {
    const text = flags[what];
    if (typeof text !== 'string') continue;
    const ids = parseIdList(text);
    if ('problem' in ids) complaints.push(`--${what} ${ids.problem}.`);
    else
      for (const externalId of await expandIdList(ids.value, (name) => pathOf(context.cwd, name)))
        actions.push({ externalId, decision: { do: what }, where: `--${what}` });
  }
  if (complaints.length > 0)
    throw new AppError('usage', 'It is unclear what to settle.', {
      lines: complaints,
      hint: 'Nothing was changed. See helpdesk-import resolve --help.',
    });
  return { actions, adoptions, all };
}

/**
 * Cuts `<external id>=<ticket id>`. Both may have `=` in them, so it is cut where the left part is a ticket that is known;
 * else at the last one that leaves a ticket id.
 */
export function adoption(text: string, isKnown: (externalId: string) => boolean): ResolveAction {
  const cuts = [...text.matchAll(/=/g)]
    .map(({ index }) => ({ externalId: text.slice(0, index), ticketId: text.slice(index + 1).trim() }))
    .filter(({ externalId, ticketId }) => externalId !== '' && ticketId !== '');
  const cut = cuts.find(({ externalId }) => isKnown(externalId)) ?? cuts.at(-1);
  if (cut === undefined) throw new AppError('internal', `"${text}" was taken for an adoption.`);
  return { externalId: cut.externalId, decision: { do: 'adopt', ticketId: cut.ticketId }, where: '--adopt' };
}

function allOf(flags: Flags, complaints: string[]): 'retry' | 'skip' | undefined {
  const bare = (['retry', 'skip'] as const).filter((what) => flags[what] === true);
  const [first, second] = bare;
  if (flags['all'] !== true) {
    for (const what of bare)
      complaints.push(`--${what} names no ticket: give external ids, or --all for every ticket in doubt.`);
    return undefined;
  }
  if (second !== undefined) complaints.push('--all goes with --retry or --skip, not with both.');
  if (first === undefined) complaints.push('--all goes with --retry or --skip, without ids.');
  return first;
}
