/** A schedule: everything that happens in one simulation, as plain data that is drawn from one seed and can be made smaller. */
import type { Rate } from '../../src/domain/limits.ts';
import { FAIR, STARTED, shown, type Ways } from '../support/helpdesk.ts';
import { mix, type Seeded, seeded } from '../support/seeded.ts';
import { ACTS, type ActKind } from './people.ts';

/** `before`: the request has no effect. `after`: it has one. `late`: after the time-out. */
export interface Fault {
  /** The n-th request of the simulation, or of those with this method, or of the creates of this ticket, from 1. */
  readonly request: number;
  readonly of?: 'POST' | 'PUT' | `POST ${string}`;
  readonly at: 'before' | 'after' | 'late';
  /** A status; or the connection breaks or never comes about, the answer is another ticket's, or the request arrives twice. */
  readonly how: number | 'cut' | 'refused' | 'other-ticket' | 'twice';
  readonly retryAfterS: number;
  /** What a person does between its answer and the repeat. */
  readonly meanwhile?: Act;
}

export interface Act {
  /** After this request, and as soon as a program could know of it. */
  readonly request: number;
  readonly kind: ActKind;
  readonly pick: number;
}

/** A newer export has one message more and a changed text, and perhaps another ticket, other times or one message less; or the text alone; or what is internal alone. */
export type Later = 'kept' | 'reused' | 'shifted' | 'lost' | 'corrected' | 'marked';

export type Mode = 'run' | 'delta' | 'undo';

export interface Process {
  readonly mode: Mode;
  /** It dies at this of its steps. */
  readonly dieAt: number;
  /** Its wall clock is wrong. */
  readonly skewMs: number;
}

export interface Schedule {
  readonly seed: number;
  readonly ways: Ways;
  readonly tickets: readonly {
    readonly messages: number;
    readonly events: number;
    readonly later: Later;
    readonly isClosed?: boolean;
  }[];
  /** Another ticket has the tag of this one of the import: a stranger, perhaps with its subject and time, or one of the import. */
  readonly mistagged?: { readonly by: 'stranger' | 'copy' | 'x0'; readonly name: string };
  /** The helpdesk proves what it lacks: after the first process all is done. */
  readonly isProvable?: boolean;
  /** Each ticket has the note of what no rule uses. */
  readonly hasNote: boolean;
  readonly concurrency: number;
  readonly budget: Rate;
  readonly faults: readonly Fault[];
  readonly acts: readonly Act[];
  readonly processes: readonly Process[];
}

/** Hardly a request waits for it. */
const FAST: Rate = { requests: 100, seconds: 0.1 };

const STATUSES = [401, 409, 413, 422, 429, 429, 429, 500, 502, 503, 504] as const;

export function scheduleOf(seed: number): Schedule {
  if (seed % 6 === 5) return repeatedOf(seed, seeded(seed, 44), true);
  if (seed % 2 === 1) return doubtsOf(seed, seeded(seed, 43));
  const draw = seeded(seed, 42);
  if (draw.chance(10)) return longOf(seed, draw);
  if (draw.chance(5)) return unreadableOf(seed, draw);
  return draw.chance(15) ? repeatedOf(seed, draw) : shortOf(seed, draw);
}

function shortOf(seed: number, draw: Seeded): Schedule {
  const tickets = Array.from({ length: draw.between(1, 3) }, () => ({
    messages: draw.between(1, 4),
    events: draw.between(0, 2),
    later: draw.pick<Later>(['kept', 'kept', 'reused', 'shifted', 'lost', 'corrected']),
  }));
  const reach = 14 * tickets.length;
  const faults = listOf(draw, 5, () => faultOf(draw, draw.chance(30) ? 8 : reach));
  const modes = draw.pick<readonly Mode[]>([
    ['run'],
    ['run', 'delta'],
    ['run', 'delta'],
    ['run', 'delta', 'undo'],
    ['run', 'undo', 'run'],
  ]);
  return {
    seed,
    ways: waysOf(draw),
    tickets,
    hasNote: draw.chance(25),
    concurrency: draw.between(1, 3),
    budget: draw.pick([FAST, FAST, { requests: 1_000, seconds: 60 }, { requests: 20, seconds: 60 }]),
    faults,
    acts: listOf(draw, 4, () => ({
      // Often between a request that fails and its repeat.
      request: faults.length > 0 && draw.chance(50) ? draw.pick(faults).request : draw.between(1, reach),
      kind: draw.pick(ACTS),
      pick: draw.between(0, 99),
    })),
    processes: modes.flatMap((mode) => [
      ...listOf(draw, 1, () => processOf(draw, mode, draw.between(1, 40))),
      processOf(draw, mode, 0),
    ]),
  };
}

/** A helpdesk without reads, whose answers are all that there is. */
function unreadableOf(seed: number, draw: Seeded): Schedule {
  const putAnswer = draw.pick(['list', 'refuses'] as const);
  const ways: Ways = { ...FAIR, readable: false, hasContacts: false, putAnswer };
  return { ...shortOf(seed, draw), ways, faults: [], acts: [], processes: [processOf(draw, 'run', 0)] };
}

/** A write that fails, and often a person who works in its ticket before it is repeated; or a create that is refused after its effect. */
function repeatedOf(seed: number, draw: Seeded, isDelta = false): Schedule {
  const kind = draw.pick(['answer', 'edit', 'delete', 'priority'] as const);
  const meanwhile = { request: 1, kind, pick: draw.between(0, 99) };
  const how = draw.pick(isDelta ? ([502, 503] as const) : ([429, 502, 503] as const));
  const write = {
    of: 'PUT',
    request: isDelta ? draw.between(2, 3) : draw.between(1, 6),
    how,
    at: 'before',
    retryAfterS: 1,
    ...(draw.chance(60) && { meanwhile }),
  } as const;
  const create = { of: 'POST', request: 1, how: 422, at: 'after', retryAfterS: 0 } as const;
  const fault = isDelta || draw.chance(75) ? write : create;
  const later = draw.pick<Later>(isDelta ? ['corrected', 'marked'] : ['kept', 'corrected', 'marked']);
  return {
    ...shortOf(seed, draw),
    tickets: [{ messages: 2, events: isDelta ? 0 : draw.between(0, 1), later }],
    ...{ budget: FAST, faults: [fault], acts: [] },
    processes: [processOf(draw, 'run', 0), processOf(draw, 'delta', 0)],
  };
}

/** Creates of unknown outcome in a helpdesk whose lists prove what it lacks; or hide it, count it otherwise or are old. */
function doubtsOf(seed: number, draw: Seeded): Schedule {
  const names = Array.from({ length: draw.pick([8, 12, 16, 16]) }, (_, at) => `x${at}`);
  const [last = '', ...others] = names.toReversed();
  const some = (most: number, of = others) => draw.shuffled(of).slice(0, draw.between(1, Math.floor(most)));
  const [one = '', often = '', once = ''] = draw.shuffled(others);
  const nth = draw.between(2, 3);
  const everyNth = names.slice(0, -1).filter((_, at) => at % nth === nth - 1);
  const total = draw.pick(['all', 'none', 'shown', 'shown', 'shown'] as const);
  const kinds: (() => Doubts)[] = [
    // While the first ticket of a customer is in doubt the others wait, and one of them may come last.
    () => ({ doubted: some(names.length / 5, others.slice(0, -2)), at: 'before', isProvable: true }),
    () => ({
      doubted: some(names.length, names),
      isProvable: true,
      ways: draw.pick<Partial<Ways>>([
        { ignoresTags: true },
        { listed: ({ id, payload }) => ({ id, subject: payload.subject }) },
        { listed: (ticket) => ({ ...shown(ticket), subject: 'Cut' }) },
        { listed: (ticket) => ({ ...shown(ticket), createdAt: STARTED }) },
      ]),
    }),
    () => ({ doubted: some(3), at: 'after', how: 'other-ticket', isProvable: true }),
    () => ({ doubted: [one, one, one, one, often, often, once], at: 'before' }),
    () => ({
      doubted: draw.chance(70) ? everyNth : some(2, everyNth),
      ways: { hides: everyNth, total: 'shown' },
    }),
    () => {
      const doubted = some(6);
      const known = others.filter((name) => !doubted.includes(name));
      // A hidden ticket that is known proves that the list hides some.
      return { doubted, canDie: false, ways: { hides: [...some(1, doubted), ...some(6, known)], total } };
    },
    () => ({
      doubted: [one],
      ways: { hides: [one], total: 'shown', totalOfOne: draw.pick(['none', 'all'] as const) },
    }),
    () => ({ doubted: [one], closed: [one], ways: { hides: ['closed'], total } }),
    () => {
      const name = draw.pick([one, last, last]);
      const old = { tickets: STRANGERS + names.indexOf(name), untilMs: 600_000 };
      return { doubted: [name], at: 'after', concurrency: 1, ways: { old } };
    },
    () => {
      const by = draw.pick(['stranger', 'copy', 'x0'] as const);
      const name = one === 'x0' ? often : one;
      return { doubted: [name], at: by === 'copy' ? 'after' : 'before', mistagged: { by, name } };
    },
  ];
  const kind = (kinds[((seed - 1) / 2) % kinds.length] as () => Doubts)();
  const { at = draw.pick(['after', 'after', 'late'] as const) } = kind;
  const isKilled = kind.isProvable !== true && kind.canDie !== false && draw.chance(30);
  return {
    ...{ seed, hasNote: false, budget: FAST, acts: [] },
    concurrency: draw.pick([1, 3, names.length]),
    ...kind,
    ways: { ...FAIR, ...kind.ways },
    tickets: names.map((name) => ({
      ...{ messages: 1, events: 0, later: 'kept' },
      isClosed: kind.closed?.includes(name) === true,
    })),
    faults: kind.doubted.map((name, index) => ({
      of: `POST ${name}`,
      request: kind.doubted.slice(0, index + 1).filter((each) => each === name).length,
      ...{ how: kind.how ?? draw.pick([500, 504, 'cut'] as const), at, retryAfterS: 0 },
    })),
    processes: [
      ...(isKilled ? [processOf(draw, 'run', draw.between(20, 6 * names.length))] : []),
      processOf(draw, 'run', 0),
    ],
  };
}

interface Doubts extends Partial<Pick<Schedule, 'mistagged' | 'isProvable' | 'concurrency'>> {
  /** Each create of unknown outcome, by its ticket. */
  readonly doubted: readonly string[];
  readonly at?: Fault['at'];
  readonly how?: Fault['how'];
  readonly closed?: readonly string[];
  readonly canDie?: false;
  readonly ways?: Partial<Ways>;
}

/** Tickets that were there before. */
export const STRANGERS = 2;

/** So many tickets prove that a list is whole: a create in doubt, often in a process that dies; or nothing unfair. */
function longOf(seed: number, draw: Seeded): Schedule {
  const isDoubtful = draw.chance(70);
  const doubt = {
    of: 'POST',
    request: draw.between(2, 3),
    how: 504,
    at: draw.pick(['before', 'after', 'late', 'late', 'late'] as const),
    retryAfterS: 0,
  } as const;
  const ways = waysOf(draw);
  return {
    seed,
    ways: { ...ways, ownLine: false, ...(isDoubtful ? { total: 'all', losesTags: draw.chance(50) } : {}) },
    tickets: Array.from({ length: 9 }, () => ({ messages: 1, events: 0, later: 'kept' as const })),
    hasNote: draw.chance(50),
    concurrency: isDoubtful ? 2 : draw.between(1, 4),
    budget: FAST,
    faults: isDoubtful ? [doubt] : [],
    acts: [],
    processes: isDoubtful
      ? [
          { mode: 'run', dieAt: draw.between(30, 75), skewMs: 0 },
          { mode: 'run', dieAt: 0, skewMs: draw.pick([0, 7_200_000, 7_200_000]) },
        ]
      : [processOf(draw, 'run', 0), processOf(draw, 'delta', 0)],
  };
}

function listOf<T>(draw: Seeded, most: number, make: () => T): T[] {
  return Array.from({ length: draw.between(0, most) }, make);
}

function processOf(draw: Seeded, mode: Mode, dieAt: number): Process {
  return { mode, dieAt, skewMs: draw.chance(70) ? 0 : draw.between(-3, 3) * 3_600_000 };
}

function faultOf(draw: Seeded, reach: number): Fault {
  const how = draw.chance(75)
    ? draw.pick(STATUSES)
    : draw.pick(['cut', 'refused', 'other-ticket', 'twice'] as const);
  const isBefore = how === 401 || how === 413 || how === 429 || how === 'refused';
  const at = isBefore ? 'before' : draw.pick(['before', 'before', 'after', 'late'] as const);
  return { request: draw.between(1, reach), how, at, retryAfterS: draw.pick([0, 1, 3, 30]) };
}

function waysOf(draw: Seeded): Ways {
  return {
    ...FAIR,
    total: draw.chance(70) ? 'all' : 'none',
    hasMessage: draw.chance(60),
    messageId: draw.pick(['kept', 'dropped', 'refused']),
    ownLine: draw.chance(25),
    putAnswer: draw.pick(['list', 'list', 'empty', 'accepted', 'dropped']),
    tagsLagMs: draw.pick([0, 0, 3_000]),
    losesTags: draw.chance(15),
    appendsEvents: draw.chance(20),
    copies: draw.pick(['no', 'answer', 'later']),
    hasContacts: draw.chance(70),
  };
}

/** How long the n-th request takes on its way there, and back: milliseconds. */
export function travelOf(seed: number, request: number): readonly [number, number] {
  const at = (salt: number) =>
    mix(seed, request, salt) % 25 === 0 ? 3_500 : 2 + (mix(seed, request, salt + 1) % 40);
  return [at(1), at(3)];
}

/** Without each of the parts that a failure does not need. */
export async function shrunk(
  schedule: Schedule,
  fails: (smaller: Schedule) => Promise<boolean>,
): Promise<Schedule> {
  let least = schedule;
  const smaller = async (next: Schedule) => {
    if (await fails(next)) least = next;
  };
  for (const part of ['faults', 'acts', 'processes'] as const)
    for (let at = schedule[part].length - 1; at >= 0; at -= 1)
      await smaller({ ...least, [part]: least[part].filter((_, index) => index !== at) });
  const canLack = least.isProvable !== true && least.ways.hides.length === 0;
  for (let at = least.tickets.length - 1; canLack && at > 0; at -= 1)
    await smaller({ ...least, tickets: least.tickets.slice(0, at) });
  for (const way of Object.keys(FAIR) as (keyof Ways)[])
    if (least.ways[way] !== FAIR[way]) await smaller({ ...least, ways: { ...least.ways, [way]: FAIR[way] } });
  return least;
}

export function described({
  seed,
  ways,
  tickets,
  hasNote,
  concurrency,
  budget,
  faults,
  acts,
  processes,
}: Schedule): string {
  return [
    `seed ${seed}: ${JSON.stringify({ tickets, hasNote, concurrency, budget })}`,
    `ways ${JSON.stringify(ways)}`,
    ...faults.map(
      (fault) => `request ${fault.request}: ${fault.how} ${fault.at}, Retry-After ${fault.retryAfterS}`,
    ),
    ...acts.map((act) => `after request ${act.request} a person: ${act.kind} (${act.pick})`),
    ...processes.map(
      (each) =>
        `process: ${each.mode}${each.dieAt > 0 ? `, dies at step ${each.dieAt}` : ''}, clock ${each.skewMs} ms`,
    ),
  ].join('\n');
}
