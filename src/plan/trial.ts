/**
 * Chooses the tickets of a trial: few, and together showing as much as possible of what the export holds.
 *
 * Tickets pass by once, and memory does not grow: for every quality a few tickets are kept, those that have most
 * qualities at once, and for every extreme the one that holds it. At the end the ticket that shows most of what has not
 * been shown yet is taken, again and again. The same export gives the same choice.
 */

import type { TrialPick } from '../domain/survey.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import { EXTREMES } from './trial-extremes.ts';
import {
  countFeatures,
  eachFeature,
  type FeatureSet,
  type Features,
  featuresOf,
  hasNonLatinText,
  NON_LATIN,
  quickFeatures,
} from './trial-features.ts';

/** Tickets kept for each quality. */
const KEPT = 8;
/** Characters of a thread that may be held on to. */
const SMALL = 100_000;

interface Candidate {
  readonly seq: number;
  readonly externalId: string;
  readonly features: Features;
  readonly size: number;
}

export interface TrialPicker {
  /** A ticket that could be sent, in the order of the export. */
  offer(checked: CheckedTicket): void;
  /** At most as many as asked for, the most telling one first; all of them where there are no more. */
  picks(): TrialPick[];
}

export function createTrialPicker(count: number): TrialPicker {
  const byFeature: Candidate[][] = [];
  const extremes = new Map<string, { readonly candidate: () => Candidate; readonly measure: number }>();
  /** Fills up a trial of an export whose tickets are all alike. */
  const first: Candidate[] = [];

  /** Whether a ticket with `size` features would be kept for one of `set`. */
  const isWanted = (set: FeatureSet, size: number): boolean => {
    for (let left = set; left !== 0; left &= left - 1) {
      const kept = byFeature[31 - Math.clz32(left & -left)];
      if (kept === undefined || kept.length < KEPT || (kept.at(-1)?.size ?? 0) < size) return true;
    }
    return false;
  };
  /** Texts are looked at only where the answer decides whether the ticket is kept. */
  const keptFeatures = (checked: CheckedTicket): FeatureSet | undefined => {
    const quick = quickFeatures(checked);
    const size = countFeatures(quick);
    if (!isWanted(quick | NON_LATIN, size + 1)) return undefined;
    if (hasNonLatinText(checked)) return quick | NON_LATIN;
    return isWanted(quick, size) ? quick : undefined;
  };

  return {
    offer: (checked) => {
      const candidate = candidateLater(checked);
      if (first.length < count) first.push(candidate());
      const set = keptFeatures(checked);
      if (set !== undefined)
        for (const feature of eachFeature(set)) {
          byFeature[feature] ??= [];
          keepRichest(byFeature[feature], candidate());
        }
      for (const { key, measure } of EXTREMES) {
        const measured = measure(checked);
        if (measured === undefined || measured <= (extremes.get(key)?.measure ?? Number.NEGATIVE_INFINITY))
          continue;
        extremes.set(key, {
          candidate: isSmall(checked) ? candidate : always(candidate()),
          measure: measured,
        });
      }
    },
    picks: () => {
      const shown = new Map<Candidate, Map<string, string>>();
      for (const candidate of [...byFeature.flat(), ...first])
        shown.set(candidate, new Map(candidate.features));
      for (const { key, words } of EXTREMES) {
        const holder = extremes.get(key);
        if (holder === undefined) continue;
        const candidate = holder.candidate();
        const features = shown.get(candidate) ?? new Map(candidate.features);
        shown.set(candidate, features.set(key, words(holder)));
      }
      return cover(shown, count);
    },
  };
}

/**
 * Made when it is asked for, and then the same: in an export in order of time every ticket is the newest for a moment.
 * Holds the ticket until then.
 */
function candidateLater(checked: CheckedTicket): () => Candidate {
  let made: Candidate | undefined;
  return () => {
    if (made !== undefined) return made;
    const features = featuresOf(checked);
    made = { seq: checked.seq, externalId: checked.externalId, features, size: features.size };
    return made;
  };
}

function always(candidate: Candidate): () => Candidate {
  return () => candidate;
}

/** Whether the ticket may stay in memory to the end of the export. */
function isSmall({ messages }: CheckedTicket): boolean {
  let characters = 0;
  for (const { content } of messages) characters += content.length;
  return characters < SMALL;
}

function keepRichest(kept: Candidate[], candidate: Candidate): void {
  const isFull = kept.length >= KEPT;
  if (isFull && (kept.at(-1)?.size ?? 0) >= candidate.size) return;
  if (isFull) kept.pop();
  // Richest first; of equally rich ones the earlier stays before.
  const at = kept.findIndex((other) => other.size < candidate.size);
  kept.splice(at === -1 ? kept.length : at, 0, candidate);
}

/** Greedy: within a few per cent of the best cover, and its reasons can be told one by one. */
function cover(shown: ReadonlyMap<Candidate, ReadonlyMap<string, string>>, count: number): TrialPick[] {
  const left = [...shown].sort(([a], [b]) => a.seq - b.seq);
  const covered = new Set<string>();
  const picks: TrialPick[] = [];
  while (picks.length < count && left.length > 0) {
    let best = 0;
    let mostNew = -1;
    for (const [index, [, features]] of left.entries()) {
      let fresh = 0;
      for (const key of features.keys()) if (!covered.has(key)) fresh++;
      if (fresh > mostNew) {
        best = index;
        mostNew = fresh;
      }
    }
    const [picked] = left.splice(best, 1);
    if (picked === undefined) break;
    const [candidate, features] = picked;
    const why = [...features].filter(([key]) => !covered.has(key)).map(([, words]) => words);
    for (const key of features.keys()) covered.add(key);
    picks.push({
      externalId: candidate.externalId,
      why: why.length > 0 ? why : ['one more ordinary ticket'],
    });
  }
  return picks;
}
