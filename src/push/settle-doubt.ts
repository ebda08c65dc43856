/**
 * Settles a create of unknown outcome by reading the target: looks, pauses without holding a slot, looks again, and decides by
 * the table in doubt-decision.ts. Writes nothing; whoever called records what came of it.
 */
import type { Clock, Random } from '../domain/clock.ts';
import type { CreateIntent, Ledger, TicketProblem } from '../domain/ledger.ts';
import type { TicketApi } from '../domain/ticket-api.ts';
import type { TicketCount } from './count-tickets.ts';
import { decideDoubt, type Evidence, type Held } from './doubt-decision.ts';
import { type ReadFailure, readFailure } from './failure-meaning.ts';
import type { Landmark, Landmarks } from './landmarks.ts';
import { looksLike } from './marks.ts';
import type { RunControl } from './run-control.ts';
import {
  type Found,
  findAlike,
  findTagged,
  isShown,
  isThere,
  type Reading,
  searchText,
} from './search-target.ts';
import type { Slot } from './ticket-job.ts';

export type Settlement =
  /** `isCertain`: by its own tag, so that it is as it was created. */
  | { readonly outcome: 'adopted'; readonly ticketId: string; readonly isCertain: boolean }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'held'; readonly problem: TicketProblem }
  /** The target cannot be read at all, which holds for every other doubt of this run too. */
  | { readonly outcome: 'unreadable'; readonly problem: TicketProblem }
  /** The run stopped meanwhile; the doubt stands as it was recorded. `stop`: it stops for what this reading met. */
  | { readonly outcome: 'stopped'; readonly stop?: unknown };

export interface SettleDeps {
  readonly api: TicketApi;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly control: RunControl;
  readonly landmarks: Landmarks;
  /** Some tickets of the checkpoint that are in the target with their tag, whichever process created them; in any order. */
  readonly known: () => readonly Landmark[];
  /** Whether the target is known not to keep tags, which the answer to a later create may tell. */
  readonly areTagsDropped?: (() => boolean) | undefined;
  /** The first pause between two looks, milliseconds; then twice as long. */
  readonly settleMs: number;
  /** What the target counts (count-tickets.ts). */
  readonly count: Pick<TicketCount, 'compare' | 'beyond' | 'shows'>;
}

export interface Doubt {
  readonly externalId: string;
  readonly intent: CreateIntent;
  readonly status: string;
  /** When nothing of the create can be under way any more, milliseconds of the monotonic clock. */
  readonly dueAt: number;
  /** Called once that time has come. */
  onDue(): void;
  /** Whether tickets are created yet that may serve as landmarks; it is waited for them then. */
  mayFollow(): boolean;
}

/** Looks once the time has come, and failed ones in a row, before it is held. */
const LOOKS = 5;
const LONGEST_PAUSE_MS = 30_000;
/** Where the tickets of this source cannot be counted, so many tickets have to be shown, and none of those that are there missing: one that hides every third would show these once in a hundred times. */
const ENOUGH_SHOWN = 12;

/** The slot is held when this ends with `adopted` or `absent`, since there is more to send then. */
export async function settleByReading(doubt: Doubt, slot: Slot, deps: SettleDeps): Promise<Settlement> {
  const { control, clock, random, settleMs } = deps;
  let failures = 0;
  let looksWhenDue = 0;
  for (let looks = 0; ; looks += 1) {
    const isDue = clock.monotonic() >= doubt.dueAt;
    if (isDue) doubt.onDue();
    const step = control.isStopping ? undefined : await withSlot(slot, control);
    if (step === undefined) return { outcome: 'stopped' };
    const seen = deps.landmarks.count;
    try {
      const settlement = await oneLook(doubt, isDue, looksWhenDue, deps);
      if ('outcome' in settlement) return settlement;
      failures = 0;
      const lacksLater = settlement.again === 'nothing-later';
      if (isDue && lacksLater) {
        slot.release('ignore');
        const later = await laterCreated(doubt, seen, deps);
        if (later === 'stopped') return { outcome: 'stopped' };
        if (later === 'none')
          return { outcome: 'held', problem: holdProblem(settlement.again, settlement.ids) };
        if (settlement.isFirst) continue;
      } else if (isDue) looksWhenDue += 1;
      if (looksWhenDue >= LOOKS)
        return { outcome: 'held', problem: holdProblem(settlement.again, settlement.ids) };
    } catch (error) {
      const settlement = settlementOfFailure(readFailure(error, control.hard), ++failures);
      if (settlement !== undefined) return settlement;
    }
    slot.release('ignore');
    const growing = Math.min(settleMs * 2 ** Math.min(looks, 10), LONGEST_PAUSE_MS) * (1 + random() / 4);
    const untilDue = doubt.dueAt - clock.monotonic();
    const pauseMs = untilDue > 0 ? Math.min(growing, untilDue) : growing;
    if (!(await slept(clock, pauseMs, control.taking))) return { outcome: 'stopped' };
  }
}

/** Waits for another ticket that is created after the doubt is due, for as long as there may be one. */
async function laterCreated(
  { mayFollow }: Doubt,
  seen: number,
  { clock, control, landmarks, settleMs }: SettleDeps,
): Promise<'yes' | 'none' | 'stopped'> {
  while (landmarks.count === seen) {
    if (!mayFollow()) return 'none';
    if (!(await slept(clock, settleMs, control.taking))) return 'stopped';
  }
  return 'yes';
}

type Look =
  | Settlement
  /** `isFirst`: there was no ticket yet that could prove the list, so the next one is worth a look at once. */
  | { readonly again: Held; readonly ids: readonly string[]; readonly isFirst: boolean };

async function oneLook(doubt: Doubt, isDue: boolean, tries: number, deps: SettleDeps): Promise<Look> {
  const { intent, externalId } = doubt;
  const { api, ledger, control } = deps;
  const reading: Reading = {
    api,
    signal: control.hard,
    areTagsDropped: deps.areTagsDropped?.() === true,
    isTaken: (ticketId) => {
      const owner = ledger.ownerOf(ticketId);
      return owner !== undefined && owner !== externalId;
    },
  };
  // First the list's own proof, then what it shows: what it does not show then was not there.
  const later = isDue ? await laterShown(doubt, tries, reading, deps.landmarks) : NOTHING_LATER;
  const tagged = intent.tag === undefined ? undefined : await findTagged(intent.tag, intent, reading);
  const isFound = tagged !== undefined && tagged.own.length > 0;
  const unclear = tagged?.unclear ?? [];
  const alike =
    !isFound && (isDue || tagged?.isFiltered !== true)
      ? await findAlike(intent, later.areTagsKept, reading)
      : NONE;
  const own = isFound ? tagged.own : alike.own;
  const isCertain = isFound || alike.isCertain;
  const seen: Evidence = {
    own,
    sharing: [...new Set([...unclear, ...alike.sharing])],
    hasTwin: !isCertain && hasTwin(externalId, intent, ledger),
    isDue,
    later: later.is,
    isLaterAlike: later.landmark !== undefined && isAlike(later.landmark.status, doubt.status),
    isStatusShown: true,
    ...(own.length === 0 && later.is === 'shown' && later.landmark !== undefined
      ? await counted(intent, later.landmark, later.areTagsKept, alike, deps)
      : UNCOUNTED),
  };
  const decision = decideDoubt(await provenWhole(seen, later, doubt.status, reading, deps));
  switch (decision.do) {
    case 'adopt':
      return { outcome: 'adopted', ticketId: decision.ticketId, isCertain };
    case 'absent':
      return { outcome: 'absent' };
    case 'hold':
      return {
        outcome: 'held',
        problem: holdProblem(decision.because, own.length > 0 ? own : seen.sharing),
      };
    case 'look-again':
      return { again: decision.because, ids: seen.sharing, isFirst: later.is === 'none' };
  }
}

interface Later {
  readonly is: Evidence['later'];
  readonly landmark?: Landmark | undefined;
  readonly areTagsKept: boolean;
}

const NOTHING_LATER: Later = { is: 'none', areTagsKept: false };
const NONE: Found = { own: [], isCertain: false, sharing: [], shown: new Map() };
const UNCOUNTED = { count: 'unreported', ownCount: 'unreported' } as const;

/** By the tag where tags are kept, else by the words that were searched for. */
async function counted(
  { tag }: CreateIntent,
  landmark: Landmark,
  areTagsKept: boolean,
  { shown }: Found,
  { count }: SettleDeps,
): Promise<Pick<Evidence, 'count' | 'ownCount'>> {
  const isByTag = areTagsKept && tag !== undefined && landmark.tag !== undefined;
  const ownCount = isByTag
    ? await count.beyond({ tags: [landmark.tag] }, [[{ tags: [tag] }, 0]])
    : await count.beyond(
        { search: searchText(landmark.subject) },
        [...shown].map(([search, tickets]) => [{ search }, tickets]),
      );
  return { count: await count.compare(), ownCount };
}

/** Whether the list shows what was created after the doubt is due, by the query that would show the ticket in doubt. */
async function laterShown(
  { dueAt, status, intent }: Doubt,
  tries: number,
  reading: Reading,
  landmarks: Landmarks,
): Promise<Later> {
  const known = landmarks.shownAfter(dueAt, status);
  const shownBefore = (landmark: Landmark): Later => ({
    is: 'shown',
    landmark,
    areTagsKept: landmark.tag !== undefined && !reading.areTagsDropped,
  });
  if (known !== undefined && isAlike(known.status, status)) return shownBefore(known);
  const landmark = landmarks.after(dueAt, status, tries);
  if (landmark === undefined) return known === undefined ? NOTHING_LATER : shownBefore(known);
  const byTag = intent.tag !== undefined && landmark.tag !== undefined && !reading.areTagsDropped;
  const shown = await isShown(landmark, byTag, reading);
  // A service that does not filter by tags shows them all the same where it is asked for the subject.
  const isThere = shown !== 'no' || (byTag && (await isShown(landmark, false, reading)) === 'tagged');
  if (!isThere || (byTag && shown === 'untagged')) return { is: 'hidden', landmark, areTagsKept: false };
  landmarks.shown(landmark);
  return { is: 'shown', landmark, areTagsKept: byTag };
}

/**
 * Where all else speaks for absence: a list may leave out the tickets of a status and count what it shows, so one of our
 * status has to be shown, whenever it was created. And where the tickets of this source cannot be counted (those of a
 * shard, or without tags), tickets that are known to be there are asked for, as ours was, by tag also those of earlier runs: a
 * list that hides one of them (every third, those of an old status) counts fewer than there are.
 */
async function provenWhole(
  seen: Evidence,
  { landmark, areTagsKept }: Later,
  status: string,
  reading: Reading,
  { landmarks, count, known }: SettleDeps,
): Promise<Evidence> {
  if (landmark === undefined || decideDoubt(seen).do !== 'absent') return seen;
  if (seen.count !== 'unreported') {
    const isStatusShown =
      (await showsOneOf(status, areTagsKept, reading, landmarks)) || (await count.shows(status));
    return { ...seen, isStatusShown };
  }
  const others = [...landmarks.until(landmark.sentAt), ...(areTagsKept ? known() : [])];
  for (const other of others) {
    if (landmarks.settled.has(other.ticketId)) continue;
    const shown = await isShown(other, areTagsKept, reading);
    const isHidden =
      shown === 'no' &&
      (await isThere(other.ticketId, landmark.ticketId, areTagsKept ? other.tag : undefined, reading));
    if (isHidden) return { ...seen, count: 'fewer' };
    if (shown === 'no') landmarks.settled.add(other.ticketId);
    else landmarks.shown(other);
  }
  if (landmarks.shownCount < ENOUGH_SHOWN) return { ...seen, later: 'none' };
  return { ...seen, isStatusShown: landmarks.hasShown(status) };
}

async function showsOneOf(
  status: string,
  areTagsKept: boolean,
  reading: Reading,
  landmarks: Landmarks,
): Promise<boolean> {
  for (const other of landmarks.hasShown(status) ? [] : landmarks.samplesOf(status)) {
    if ((await isShown(other, areTagsKept, reading)) === 'no') continue;
    landmarks.shown(other);
    break;
  }
  return landmarks.hasShown(status);
}

/** Another ticket of the import whose create is not settled, and that would look the same in the target. */
function hasTwin(externalId: string, intent: CreateIntent, ledger: Ledger): boolean {
  for (const other of ledger.inStates(['creating', 'inDoubt']))
    if (other.externalId !== externalId && other.intent !== undefined && looksLike(other.intent, intent))
      return true;
  return false;
}

function settlementOfFailure(failure: ReadFailure, failures: number): Settlement | undefined {
  switch (failure.outcome) {
    case 'stopped':
      return { outcome: 'stopped', ...('stop' in failure ? { stop: failure.stop } : {}) };
    case 'unreadable':
      return { outcome: 'unreadable', problem: failure.problem };
    case 'again':
      return failures < LOOKS ? undefined : { outcome: 'held', problem: failure.problem };
  }
}

/** What was found, and what a person does about it. */
export function holdProblem(because: Held, ids: readonly string[]): TicketProblem {
  const reported: Record<Held, readonly [code: string, message: string]> = {
    several: [
      'several-matches',
      `Several tickets of the target may be this one (${someOf(ids)}): choose one with "helpdesk-import resolve --adopt".`,
    ],
    twin: [
      'unclear-match',
      'Another ticket of the import looks the same and is in doubt too: look for both in the target, then settle each with "helpdesk-import resolve --adopt" or --retry.',
    ],
    unclear: [
      'unclear-match',
      `The target has a ticket that may be this one (${someOf(ids)}): compare them, then use "helpdesk-import resolve --adopt" if it is, or --retry if it is not.`,
    ],
    'list-lags': [
      'list-incomplete',
      'The list of the target does not show yet what was created last: run the same command again in some minutes.',
    ],
    'list-hides': [
      'list-incomplete',
      'The list of the target leaves out tickets that are there, so it may leave out this one: look for it in the target, then use "helpdesk-import resolve --adopt" or --retry.',
    ],
    'count-differs': [
      'count-differs',
      'The target counts more tickets (total) than it shows or than the checkpoint knows, so this one may be among them: look for its tag in the target, then use "helpdesk-import resolve --adopt" or --retry.',
    ],
    'nothing-later': [
      'not-proven-absent',
      'The ticket was not found, and too few tickets were created after it to prove that the list is complete: if it is not in the target, use "helpdesk-import resolve --retry".',
    ],
    uncounted: [
      'not-proven-absent',
      'The ticket was not found, but the list of the target does not say how many tickets it has (total), so it may leave this one out: look for it in the target, then use "helpdesk-import resolve --adopt" or --retry.',
    ],
  };
  const [code, message] = reported[because];
  return { code, message };
}

function someOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ');
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}

async function withSlot(slot: Slot, control: RunControl): Promise<true | undefined> {
  try {
    await slot.hold(control.taking);
    return true;
  } catch (error) {
    if (control.isStopping) return undefined;
    throw error;
  }
}

/** Waits while others use the slot. False when the run stops meanwhile; then the slot is not held. */
export async function waited(
  ms: number,
  slot: Slot,
  { clock, control }: Pick<SettleDeps, 'clock' | 'control'>,
): Promise<boolean> {
  slot.release('ignore');
  return (await slept(clock, ms, control.taking)) && (await withSlot(slot, control)) === true;
}

/** False when the signal ended it. */
export async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Open tickets go first (`run.order`), so a closed one has to tell for them that the list does not lag. */
function isAlike(shown: string, status: string): boolean {
  const isOver = shown === 'closed' || shown === 'resolved';
  return shown === status || (isOver && (status === 'open' || status === 'pending'));
}
