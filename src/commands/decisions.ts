/**
 * What a person decided about tickets in doubt, checked against the checkpoint before anything is changed: either all of
 * it is carried out, or nothing.
 */
import { resolve as pathOf } from 'node:path';
import { type Checkpoint, openCheckpoint } from '../checkpoint/checkpoint.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import {
  adoptedRecord,
  type Ledger,
  releasedRecord,
  settledRecord,
  type TicketRecord,
} from '../domain/ledger.ts';
import type { TicketState } from '../domain/ticket-state.ts';
import { expandIdList, parseIdList } from '../settings/parsers.ts';

/** `adopt`: this ticket of the target is it. `retry`: the target has none, so the next run creates it. `skip`: leave it out. `release`: take an adoption back. */
export interface Settled {
  readonly externalId: string;
  readonly action: 'adopt' | 'retry' | 'skip' | 'release';
  /** Of the target, to adopt. */
  readonly ticketId?: string | undefined;
}

export interface Decision extends Settled {
  /** `--adopt`, `decisions[2]`. */
  readonly where: string;
}

/** Throws AppError `usage` with every complaint about the flags, or where a file of ids cannot be read. */
export async function readDecisions(
  flags: Flags,
  ledger: Pick<Ledger, 'get' | 'inStates'>,
  { cwd }: Pick<CliContext, 'cwd'>,
): Promise<Decision[]> {
  const complaints: string[] = [];
  const decisions: Decision[] = [];
  for (const text of [flags['adopt'] ?? []].flat().map(String)) {
    const cut = adoption(text, (externalId) => ledger.get(externalId) !== undefined);
    if (cut !== undefined) decisions.push({ ...cut, action: 'adopt', where: '--adopt' });
    else
      complaints.push(
        `--adopt must be an external id, = and a ticket id, such as 4711=tkt_8f3a, not "${text}".`,
      );
  }
  const bare = (['retry', 'skip'] as const).filter((action) => flags[action] === true);
  const [allOf] = bare;
  if (flags['all'] === true && (allOf === undefined || bare.length > 1))
    complaints.push('--all goes with --retry or with --skip, and without ids.');
  else if (flags['all'] === true && allOf !== undefined)
    for (const { externalId } of ledger.inStates(['creating', 'inDoubt']))
      decisions.push({ externalId, action: allOf, where: `--${allOf} --all` });
  else
    for (const action of bare)
      complaints.push(`--${action} names no ticket: give external ids, or --all for every ticket in doubt.`);
  for (const action of ['retry', 'skip', 'release'] as const) {
    const text = flags[action];
    if (typeof text !== 'string') continue;
    const ids = parseIdList(text);
    if ('problem' in ids) complaints.push(`--${action} ${ids.problem}.`);
    else
      for (const externalId of await expandIdList(ids.value, (name) => pathOf(cwd, name)))
        decisions.push({ externalId, action, where: `--${action}` });
  }
  if (complaints.length === 0) return decisions;
  throw new AppError('usage', 'It is unclear what to settle.', {
    lines: complaints,
    hint: 'Nothing was changed. See helpdesk-import resolve --help.',
  });
}

/**
 * Cuts `<external id>=<ticket id>`. Both may contain `=`, so the text is cut after a known external id, else at the last
 * sign with a ticket id behind it.
 */
export function adoption(
  text: string,
  isKnown: (externalId: string) => boolean,
): { readonly externalId: string; readonly ticketId: string } | undefined {
  const cuts = [...text.matchAll(/=/g)]
    .map(({ index }) => ({ externalId: text.slice(0, index), ticketId: text.slice(index + 1).trim() }))
    .filter(({ externalId, ticketId }) => externalId !== '' && ticketId !== '');
  return cuts.find(({ externalId }) => isKnown(externalId)) ?? cuts.at(-1);
}

/** Opens an existing checkpoint for writing. Throws AppError `checkpoint` where there is none, or it is in use or damaged. */
export function openExisting(
  path: string,
  ports: { readonly clock: Clock; readonly version: string },
  target?: string,
): Checkpoint {
  const reader = readCheckpoint(path, target);
  const owner = reader.meta.target;
  reader.close();
  return openCheckpoint(path, { target: owner, clock: ports.clock, programVersion: ports.version });
}

/** Throws AppError `usage` with every complaint, and then nothing was changed. */
export async function settle(decisions: readonly Decision[], ledger: Ledger): Promise<Settled[]> {
  const wanted = new Map<string, Decision>();
  const adoptedBy = new Map<string, string>();
  const lines: string[] = [];
  for (const decision of decisions) {
    const before = wanted.get(decision.externalId);
    const problem = problemOf(decision, before, adoptedBy, ledger);
    if (problem !== undefined) lines.push(`${decision.where}: ${problem}`);
    else wanted.set(decision.externalId, before ?? decision);
  }
  if (lines.length > 0)
    throw new AppError(
      'usage',
      lines.length === 1
        ? 'A decision cannot be carried out.'
        : `${lines.length} decisions cannot be carried out.`,
      { lines, hint: 'Nothing was changed. See what is in doubt with: helpdesk-import resolve' },
    );
  // Asked for in one turn of the event loop, so that they share one commit.
  await Promise.all([...wanted.values()].flatMap((decision) => carryOut(decision, ledger)));
  return [...wanted.values()].map(({ where: _, ...settled }) => settled);
}

function problemOf(
  { externalId, action, ticketId = '' }: Decision,
  before: Decision | undefined,
  adoptedBy: Map<string, string>,
  ledger: Pick<Ledger, 'get' | 'ownerOf'>,
): string | undefined {
  const record = ledger.get(externalId);
  if (record === undefined) return `the checkpoint has no ticket ${externalId}.`;
  if (action === 'release')
    return record.ticketId === undefined
      ? `ticket ${externalId} has no ticket id that could be taken back.`
      : undefined;
  const known = STATE_SENTENCES[record.state]?.(record);
  if (known !== undefined) return `ticket ${externalId} is not in doubt: ${known}`;
  if (before !== undefined && (before.action !== action || (before.ticketId ?? '') !== ticketId))
    return `ticket ${externalId} was decided otherwise before (${before.where}).`;
  if (action !== 'adopt') return undefined;
  // No ticket of the target is two tickets of the source.
  const owner = ledger.ownerOf(ticketId);
  if (owner !== undefined && owner !== externalId)
    return `the ticket ${ticketId} of the target is ticket ${owner} already, so it cannot be ${externalId} too.`;
  const other = adoptedBy.get(ticketId);
  if (other !== undefined && other !== externalId)
    return `the ticket ${ticketId} of the target cannot be both ${other} and ${externalId}.`;
  adoptedBy.set(ticketId, externalId);
  return undefined;
}

type Sentence = (record: TicketRecord) => string;

const halfDone: Sentence = ({ ticketId }) =>
  ticketId === undefined
    ? 'the target refused it, and the next run tries again.'
    : `it is in the target as ${ticketId}, and the next run sends what is missing.`;

/** What is the matter with a ticket that is not in doubt. A skipped one may be decided anew. */
const STATE_SENTENCES: Partial<Readonly<Record<TicketState, Sentence>>> = {
  done: ({ ticketId }) => `it is in the target as ${ticketId}.`,
  created: halfDone,
  failed: halfDone,
  rejected: () => 'it was rejected, and nothing of it was sent.',
  pending: () => 'nothing of it was sent, and the next run creates it.',
};

function carryOut({ externalId, action, ticketId = '' }: Decision, ledger: Ledger): Promise<void>[] {
  const record = settledRecord(ledger, externalId);
  if (action === 'adopt') return [ledger.put(adoptedRecord(ledger, externalId, ticketId))];
  if (action === 'release') return [ledger.put(releasedRecord(ledger, externalId))];
  if (action === 'retry') return [ledger.put({ ...record, state: 'pending' })];
  return record.state === 'skipped' ? [] : [ledger.put({ ...record, state: 'skipped' })];
}
