/** Decisions about tickets in doubt as flags and a file give them. What they mean for the checkpoint is app/resolve-actions.ts. */
import { resolve as pathOf } from 'node:path';
import type { CliContext, Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/nearest.ts';
import type { ReadRecord, SourceFile } from '../../domain/source-file.ts';
import { expandIdList } from '../../settings/id-list.ts';
import { parseIdList } from '../../settings/parsers.ts';
import { openExport } from '../../source/open-export.ts';
import type { ResolveAction } from './resolve-actions.ts';

export interface AskedDecisions {
  /** Of `--retry`, `--skip` and the file. */
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
  if (flags['release'] === true) complaints.push('--release names no ticket: give external ids.');
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
  if (typeof flags['fromFile'] === 'string')
    actions.push(...(await readDecisions(flags['fromFile'], context, complaints)));
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

/** Decisions from a file: external_id, action, ticket_id as the columns of a CSV or the keys of JSON objects. */
const ACTIONS = ['adopt', 'retry', 'skip', 'release'] as const;
const COLUMNS = ['external_id', 'action', 'ticket_id'] as const;

/** Rows without an action are passed over, so that a list can be filled in bit by bit. Complaints are collected. */
async function readDecisions(
  path: string,
  context: Pick<CliContext, 'stdin'>,
  complaints: string[],
): Promise<ResolveAction[]> {
  const signal = new AbortController().signal;
  await using opened = await openExport([path], { stdin: context.stdin, signal });
  const actions: ResolveAction[] = [];
  for (const file of opened.files) {
    const missing = missingColumn(file);
    if (missing !== undefined)
      throw new AppError('usage', `The file ${file.name} has no column ${missing}.`, {
        hint: `It needs the columns ${COLUMNS.join(', ')}. Nothing was changed.`,
      });
    for await (const chunk of file.records(undefined, signal)) {
      for (const record of chunk) {
        const where = `${file.name}:${record.ref.line}`;
        const read = decisionOf(record, file, where);
        if (typeof read === 'string') complaints.push(`${where}: ${read}`);
        else if (read !== undefined) actions.push(read);
      }
    }
  }
  return actions;
}

function missingColumn({ outline }: SourceFile): string | undefined {
  const names = outline.header?.map(plain);
  return names && COLUMNS.slice(0, 2).find((column) => !names.includes(column));
}

function plain(cell: string): string {
  return cell
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

function decisionOf(record: ReadRecord, file: SourceFile, where: string): ResolveAction | string | undefined {
  if (record.error !== undefined) return record.error;
  const value = (column: (typeof COLUMNS)[number]) => {
    const at = file.outline.header?.findIndex((cell) => plain(cell) === column) ?? -1;
    const found: unknown = record.object === undefined ? record.cells?.[at] : record.object[column];
    return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
  };
  const externalId = value('external_id');
  const written = value('action').trim().toLowerCase();
  const ticketId = value('ticket_id').trim();
  if (written === '' && ticketId === '') return undefined;
  const action = ACTIONS.find((name) => name === written);
  if (externalId === '') return 'there is no external_id.';
  if (action === undefined)
    return `the action must be adopt, retry or skip, not "${written}".${didYouMean(written, ACTIONS)}`;
  if (action !== 'adopt')
    return ticketId === ''
      ? { externalId, decision: { do: action }, where }
      : `a ticket_id goes with adopt, and the action is ${action}.`;
  if (ticketId === '') return 'adopt needs the ticket_id in the target.';
  return { externalId, decision: { do: 'adopt', ticketId }, where };
}
