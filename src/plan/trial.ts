/**
 * Chooses the tickets of a trial: few, and together showing as much as possible of what the export holds.
 *
 * Tickets pass by once, and memory does not grow: for every quality a few tickets are kept, those that have most
 * qualities at once, and for every extreme the one that holds it. At the end the ticket that shows most of what has not
 * been shown yet is taken, again and again. The same export gives the same choice.
 */
import type { CheckedTicket } from '../domain/checked.ts';
import type { TrialPick } from '../domain/survey.ts';
import { EXTREMES, type Features, featuresOf } from './trial-features.ts';

/** Tickets kept for each quality. */
const KEPT = 8;

interface Candidate {
  readonly seq: number;
  readonly externalId: string;
  readonly features: Features;
}

export interface TrialPicker {
  /** A ticket that could be sent, in the order of the export. */
  offer(checked: CheckedTicket): void;
  /** At most as many as asked for, the most telling one first; all of them where there are no more. */
  picks(): TrialPick[];
}

export function createTrialPicker(count: number): TrialPicker {
  const byFeature = new Map<string, Candidate[]>();
  const extremes = new Map<string, { readonly candidate: Candidate; readonly measure: number }>();
  /** Fills up a trial of an export whose tickets are all alike. */
  const first: Candidate[] = [];

  return {
    offer: (checked) => {
      const candidate = { seq: checked.seq, externalId: checked.externalId, features: featuresOf(checked) };
      if (first.length < count) first.push(candidate);
      for (const key of candidate.features.keys()) keepRichest(byFeature, key, candidate);
      for (const { key, measure } of EXTREMES) {
        const measured = measure(checked);
        if (measured === undefined || measured <= (extremes.get(key)?.measure ?? Number.NEGATIVE_INFINITY))
          continue;
        extremes.set(key, { candidate, measure: measured });
      }
    },
    picks: () => {
      const shown = new Map<Candidate, Map<string, string>>();
      for (const candidate of [...[...byFeature.values()].flat(), ...first])
        shown.set(candidate, new Map(candidate.features));
      for (const { key, words } of EXTREMES) {
        const holder = extremes.get(key);
        if (holder === undefined) continue;
        const features = shown.get(holder.candidate) ?? new Map(holder.candidate.features);
        shown.set(holder.candidate, features.set(key, words(holder)));
      }
      return cover(shown, count);
    },
  };
}

function keepRichest(byFeature: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const kept = byFeature.get(key);
  if (kept === undefined) {
    byFeature.set(key, [candidate]);
    return;
  }
  const poorest = kept.at(-1);
  const isFull = kept.length >= KEPT;
  if (isFull && poorest !== undefined && poorest.features.size >= candidate.features.size) return;
  if (isFull) kept.pop();
  // Richest first; of equally rich ones the earlier stays before.
  const at = kept.findIndex((other) => other.features.size < candidate.features.size);
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
