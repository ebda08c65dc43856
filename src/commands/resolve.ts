/** Lists tickets in doubt, or settles them. Sends nothing. Exit 4 while some are in doubt. */

import { resolve as pathOf } from 'node:path';
import { openExisting } from '../checkpoint/checkpoint.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { listDoubts } from '../checkpoint/status.ts';
import { type CommandSpec, WHICH_CHECKPOINT } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { ALL_TICKETS, checkpointPath } from '../cli/load-settings.ts';
import { answer } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import * as ledgers from '../domain/ledger.ts';
import { countOf, printable } from '../domain/printable.ts';
import { say } from '../domain/text/problem-words.ts';
import type { TicketState } from '../domain/ticket-state.ts';
import { factsOfCheckpoint } from '../plan/recorded.ts';
import { option } from '../settings/option-spec.ts';
import { expandIdList, parseIdList } from '../settings/parsers.ts';
import { version } from '../version.ts';
import { type Block, heading, list, paragraph } from '../view/blocks.ts';
import { quoteArgument } from '../view/command-line.ts';
import { goOn } from '../view/next-steps.ts';
import { doubtBlocks } from './status.ts';

export const command: CommandSpec = {
  options: [
    option(
      'What to do',
      '--adopt <external id=ticket id>',
      'the ticket is in the helpdesk under this id; the next run sends its messages and events; may be given more than once',
      { repeat: true },
    ),
    option(
      'What to do',
      '--retry [ids]',
      'these tickets are not in the helpdesk; the next run creates them: comma-separated external ids, or @file with one per line',
    ),
    option('What to do', '--skip [ids]', 'leave these tickets out for good; written like --retry'),
    option(
      'What to do',
      '--release <ids>',
      'take back which ticket of the helpdesk these are, after a wrong --adopt or an id that is not a ticket: they are in doubt again; nothing is changed in the helpdesk; written like --retry',
    ),
    option('What to do', '--all', 'with --retry or --skip without ids: every ticket in doubt'),
    ...WHICH_CHECKPOINT,
  ],
  examples: [
    ['resolve', 'list tickets in doubt'],
    ['resolve --adopt 4711=tkt_8f3a', 'the helpdesk has it, under this ID'],
    ['resolve --retry 4712', 'the helpdesk lacks it: create it with the next run'],
    ['resolve --retry @ids.txt', 'many of them: one id a line'],
    ['resolve --skip 4713', 'leave it out for good'],
    ['resolve --release 4711', 'take a wrong --adopt back'],
  ],
  run: resolveCommand,
};

const SHOWN = 50;
const LISTED = 20;

async function resolveCommand(_: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { commands, cwd } = context;
  const path = await checkpointPath(undefined, flags, context);
  const isAsked = ['adopt', 'retry', 'skip', 'release', 'all'].some((flag) => flags[flag] !== undefined);
  const settled = isAsked ? await settleIn(path, flags, context) : undefined;
  using reader = readCheckpoint(path);
  const facts = factsOfCheckpoint(reader);
  const inDoubtTotal = facts.tickets.inDoubt;
  const doubts = listDoubts(reader, flags['json'] === true ? ALL_TICKETS : SHOWN);
  const inDoubt = doubts.map((doubt) => ({ ...doubt, reason: doubt.reason ?? '' }));
  const again = goOn(facts, cwd)?.command;
  const resolve = (...more: string[]) => commands.about('resolve', { more });
  const [first] = doubts;
  const target = reader.meta.target;
  answer(
    context,
    flags,
    { version: 1, checkpoint: path, target, settled: settled ?? [], inDoubt, inDoubtTotal },
    settled !== undefined
      ? [...settledBlocks(settled), afterwards(inDoubtTotal, again, resolve())]
      : [
          ...doubtBlocks({ ...facts, inDoubt: doubts }, resolve('--json')),
          ...(first === undefined ? [] : howToSettle(first.externalId, again, resolve)),
        ],
  );
  return inDoubtTotal > 0 ? 4 : 0;
}

/** `adopt`: link it to this ticket. `retry`: the next run creates it. `skip`: leave it out. `release`: undo an adoption. */
interface Settled {
  readonly externalId: string;
  readonly action: 'adopt' | 'retry' | 'skip' | 'release';
  readonly ticketId?: string | undefined;
}

async function settleIn(path: string, flags: Flags, context: CliContext): Promise<Settled[]> {
  const checkpoint = openExisting(path, { clock: context.clock, programVersion: version() });
  try {
    return await settle(await readDecisions(flags, checkpoint, context), checkpoint);
  } finally {
    await checkpoint.close();
  }
}

const CONSEQUENCES: Readonly<Record<Settled['action'], string>> = {
  adopt: 'adopted: the next run sends {count|its|their} messages and events.',
  retry: 'to be created by the next run.',
  skip: 'left out.',
  release:
    'in doubt again: use --adopt to link {count|it to the right ticket|them to the right tickets}, or --retry if the helpdesk has none.',
};

const RETRY_WARNING =
  'The next run looks for the tag of each first. If the helpdesk hides a ticket, it will be created twice.';

function settledBlocks(settled: readonly Settled[]): Block[] {
  if (settled.length === 0) return [paragraph('Nothing was in doubt.')];
  const groups = [...Map.groupBy(settled, ({ action }) => action)];
  const items = groups.map(([action, those]) => ({
    text: say(`{count|# ticket|# tickets} ${CONSEQUENCES[action]}`, { count: those.length }),
    tone: 'good' as const,
    below: (those.length > LISTED ? [] : those).map(({ externalId, ticketId }) =>
      paragraph(`${externalId}${ticketId === undefined ? '' : ` → ${ticketId}`}`),
    ),
  }));
  const isRetried = settled.some(({ action }) => action === 'retry');
  return [list('checks', [...items, ...(isRetried ? [{ text: RETRY_WARNING, tone: 'warn' as const }] : [])])];
}

const commandBlock = (text: string, command: string | undefined): Block => ({
  kind: 'command',
  text,
  command,
});

function afterwards(inDoubt: number, again: string | undefined, resolve: string): Block {
  return inDoubt === 0
    ? commandBlock('No tickets are in doubt any longer. Run the import again to continue:', again)
    : commandBlock(`${countOf(inDoubt, 'ticket is', 'tickets are')} in doubt still:`, resolve);
}

/** First what the program can find out, last what only a person knows. */
function howToSettle(
  first: string,
  again: string | undefined,
  resolve: (...more: string[]) => string,
): Block[] {
  const id = quoteArgument(printable(first));
  const look = 'First run the import again: it looks for them in the helpdesk.';
  return [
    heading('To settle them'),
    ...(again === undefined ? [] : [commandBlock(look, again)]),
    commandBlock(
      'You found it in the helpdesk: take it over, and the next run sends its messages and events.',
      resolve(`--adopt ${id}=<ticket id>`),
    ),
    commandBlock(
      'You looked for it in the helpdesk and it is missing: the next run creates it.',
      resolve(`--retry ${id}`),
    ),
    commandBlock('Leave it out for good.', resolve(`--skip ${id}`)),
  ];
}

export interface Decision extends Settled {
  readonly where: string;
}

async function readDecisions(
  flags: Flags,
  ledger: Pick<ledgers.Ledger, 'get' | 'inStates'>,
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
    hint: 'Nothing was changed. See `helpdesk-import resolve --help`.',
  });
}

/** Both IDs may contain `=`: cut after a known external ID, else at the last sign with a ticket ID behind it. */
export function adoption(
  text: string,
  isKnown: (externalId: string) => boolean,
): { readonly externalId: string; readonly ticketId: string } | undefined {
  const cuts = [...text.matchAll(/=/g)]
    .map(({ index }) => ({ externalId: text.slice(0, index), ticketId: text.slice(index + 1).trim() }))
    .filter(({ externalId, ticketId }) => externalId !== '' && ticketId !== '');
  return cuts.find(({ externalId }) => isKnown(externalId)) ?? cuts.at(-1);
}

export async function settle(decisions: readonly Decision[], ledger: ledgers.Ledger): Promise<Settled[]> {
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
      { lines, hint: 'Nothing was changed. See the tickets in doubt with: `helpdesk-import resolve`' },
    );
  // In one turn, so that they share one commit.
  await Promise.all([...wanted.values()].flatMap((decision) => carryOut(decision, ledger)));
  return [...wanted.values()].map(({ where: _, ...settled }) => settled);
}

function problemOf(
  { externalId, action, ticketId = '' }: Decision,
  before: Decision | undefined,
  adoptedBy: Map<string, string>,
  ledger: Pick<ledgers.Ledger, 'get' | 'ownerOf'>,
): string | undefined {
  const record = ledger.get(externalId);
  if (record === undefined) return `the checkpoint has no ticket ${externalId}.`;
  if (action === 'release')
    return record.ticketId === undefined
      ? `ticket ${externalId} has no ticket id that could be taken back.`
      : undefined;
  const isDecided = action === 'adopt' || !ledgers.isMissing(record);
  const known = isDecided ? STATE_SENTENCES[record.state]?.(record) : undefined;
  if (known !== undefined) return `ticket ${externalId} is not in doubt: ${known}`;
  if (before !== undefined && (before.action !== action || (before.ticketId ?? '') !== ticketId))
    return `ticket ${externalId} was decided otherwise before (${before.where}).`;
  if (action !== 'adopt') return undefined;
  // A ticket of the helpdesk belongs to one ticket of the source.
  const owner = ledger.ownerOf(ticketId);
  if (owner !== undefined && owner !== externalId)
    return `the ticket ${ticketId} of the helpdesk is ticket ${owner} already, so it cannot be ${externalId} too.`;
  const other = adoptedBy.get(ticketId);
  if (other !== undefined && other !== externalId)
    return `the ticket ${ticketId} of the helpdesk cannot be both ${other} and ${externalId}.`;
  adoptedBy.set(ticketId, externalId);
  return undefined;
}

type Sentence = (record: ledgers.TicketRecord) => string;

const halfDone: Sentence = ({ ticketId }) =>
  `it is in the helpdesk as ${ticketId}; the next run sends the rest.`;

/** A skipped ticket may be decided anew. */
const STATE_SENTENCES: Partial<Readonly<Record<TicketState, Sentence>>> = {
  done: ({ ticketId }) => `it is in the helpdesk as ${ticketId}.`,
  created: halfDone,
  incomplete: halfDone,
  refused: () => 'the helpdesk refused it, and the next run tries again.',
  rejected: () => 'it was rejected, and nothing of it was sent.',
  pending: () => 'nothing of it was sent, and the next run creates it.',
};

function carryOut({ externalId, action, ticketId = '' }: Decision, ledger: ledgers.Ledger): Promise<void>[] {
  const record = ledgers.settledRecord(ledger, externalId);
  if (action === 'adopt') return [ledger.put(ledgers.adoptedRecord(ledger, externalId, ticketId))];
  if (action === 'release') return [ledger.put(ledgers.releasedRecord(ledger, externalId))];
  if (ledgers.isMissing(ledgers.recordOf(ledger, externalId)))
    return [
      ledger.put(ledgers.givenUpRecord(ledger, externalId, action === 'retry' ? 'pending' : 'skipped')),
    ];
  if (action === 'retry') return [ledger.put({ ...record, state: 'pending' })];
  return record.state === 'skipped' ? [] : [ledger.put({ ...record, state: 'skipped' })];
}
