/** Losses of the import, by tickets and then by count. */
import { join } from 'node:path';
import { AGENTS_WHO_WROTE, isUnknownAgent } from '../domain/decisions.ts';
import { countOf, formatCount, inWords, shorten } from '../domain/printable.ts';
import { say, wordsIn } from '../domain/text/problem-words.ts';
import { countOfCode, type Facts, type Loss } from './facts.ts';

const FILE = join(import.meta.dirname, 'losses.yaml');

/** `kind`: a code, or `code:variant`. The other fields are data of its sentence. */
interface CountedLoss extends Readonly<Record<string, string | number | undefined>> {
  readonly kind: string;
  readonly count: number;
  readonly tickets?: number | undefined;
}

/** Behind by a rule, without anything of a ticket: these fail no `--fail-on lost`. */
const LEFT: ReadonlySet<string> = new Set([
  'repeated',
  'empty',
  'system-events',
  'people',
  'people-alone',
  'own-tables',
]);

export function isLost({ code }: Pick<Loss, 'code'>): boolean {
  return !LEFT.has(code);
}

type LossFacts = Omit<Facts, 'lost'>;

export function lostOf(facts: LossFacts): Loss[] {
  const counted = [...ofTickets(facts), linksOf(facts), ...ofTexts(facts), ...ofPeople(facts)];
  return [
    ...counted.filter(({ count }) => count > 0).map(lossOf),
    ...facts.details.notHeld.map(entryOf),
  ].sort((a, b) => (b.tickets ?? 0) - (a.tickets ?? 0) || b.count - a.count);
}

function lossOf({ kind, ...data }: CountedLoss): Loss {
  const { says = '', todo: remedy } = wordsIn(FILE)[kind] ?? {};
  const { count, tickets } = data;
  const [code = ''] = kind.split(':');
  return {
    ...{ code, count, what: say(says, data) },
    ...(tickets !== undefined && { tickets }),
    ...(remedy !== undefined && { remedy }),
  };
}

/** An entry of the ledger. */
export function lossNamed(code: string, data: Readonly<Record<string, string>>): string {
  return say(wordsIn(FILE)[code]?.says ?? '', data);
}

/** Checkpoints of earlier versions have no code. */
function entryOf({ code = 'not-held', count, what }: Facts['details']['notHeld'][number]): Loss {
  const remedy = wordsIn(FILE)[code]?.todo;
  return { code, count, what: `${what}: ${formatCount(count)}`, ...(remedy !== undefined && { remedy }) };
}

function sumOf<Row>(rows: readonly Row[], count: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + count(row), 0);
}

function ofTickets({
  mode,
  tickets,
  people,
  export: { withoutMessages, withoutStatus, made },
}: LossFacts): CountedLoss[] {
  const isOver = mode === 'run' || mode === 'checkpoint';
  const assigned = sumOf(people.agents.filter(isUnknownAgent), (agent) => agent.assigned);
  const counts = Object.entries({
    rejected: tickets.rejected,
    failed: tickets.failed,
    'in-doubt': tickets.inDoubt,
    conversations: withoutMessages,
    status: withoutStatus,
    'created:set': made?.createdSet ?? 0,
    created: made?.createdSaid ?? 0,
    [isOver ? 'assignees' : 'assignees:planned']: assigned,
  });
  const day = made?.createdSetTo?.slice(0, 10);
  return counts.map(([kind, count]) => ({ kind, count, tickets: count, day }));
}

/** `--files` fetches them. */
function linksOf({ files, attachments: { links, tickets, hosts } }: LossFacts): CountedLoss {
  const others = hosts.length > 1 ? ` and ${countOf(hosts.length - 1, 'other host')}` : '';
  const where = hosts[0] === undefined ? 'where they are' : `${hosts[0].host}${others}`;
  return { kind: 'links', count: files === undefined ? links : 0, tickets, where };
}

const NAMED = 3;

function ofTexts(facts: LossFacts): CountedLoss[] {
  const { attachments, details, problemGroups } = facts;
  // Those of the others are of rejected tickets.
  const values = details.values.filter(({ action }) => action !== 'error');
  const isDropped = problemGroups.some(({ code }) => code === 'unused-column');
  return [
    { kind: 'replaced', count: countOfCode(facts, 'text-replaced') },
    { kind: 'incomplete', count: countOfCode(facts, 'incomplete-thread') },
    { kind: 'missing', count: attachments.missing },
    { kind: 'pictures', count: countOfCode(facts, 'picture-without-file') },
    { kind: 'times', count: facts.export.made?.times ?? 0 },
    {
      kind: isDropped ? 'columns:dropped' : 'columns',
      count: sumOf(details.columns, ({ filled }) => filled),
      columns: details.columns.length,
      names: inWords([
        ...details.columns.slice(0, NAMED).map(({ column }) => shorten(column, 60)),
        ...(details.columns.length > NAMED ? [`${details.columns.length - NAMED} more`] : []),
      ]),
    },
    {
      kind: 'values',
      count: sumOf(values, ({ count }) => count),
      values: values.length,
    },
  ];
}

function ofPeople({
  contacts,
  people,
  details,
  messages,
  events,
  attachments,
  kept,
}: LossFacts): CountedLoss[] {
  const wrote = (agent: (typeof people.agents)[number]) => agent.messages + agent.events;
  const unknown = people.agents.filter((agent) => isUnknownAgent(agent) && wrote(agent) > 0);
  const isKept = kept.columns.includes(AGENTS_WHO_WROTE);
  const orphans = { messages: messages.orphans, events: events.orphans };
  return [
    { kind: 'agents', count: isKept ? 0 : sumOf(unknown, wrote), agents: unknown.length },
    { kind: 'authors', count: sumOf(details.authors, ({ count }) => count), authors: details.authors.length },
    { kind: 'orphans', count: orphans.messages + orphans.events, ...orphans },
    { kind: 'addresses', count: contacts.made ?? 0 },
    { kind: 'unreachable', count: attachments.unreachable },
  ];
}
