/**
 * A changed export is another source if it has no ticket of the checkpoint, or if most common tickets have other times and
 * people. Tickets of rejects may get other IDs.
 */

import { AppError } from '../domain/errors.ts';
import { compareOrigins, requesterOf } from '../domain/identity.ts';
import { say } from '../domain/text/problem-words.ts';
import { stop } from '../domain/text/stops.ts';

export interface SourceComparison {
  readonly known: number;
  readonly inExport: number;
  readonly shared: number;
  readonly origins: OriginCounts;
  readonly ofRejects?: boolean | undefined;
}

/** A few corrections prove nothing about an export of one or two tickets. */
const FEW = 3;

export type SourceVerdict = 'same' | 'unknown tickets' | 'other tickets';

export function sameSource({ known, inExport, shared, origins, ofRejects }: SourceComparison): SourceVerdict {
  if (known > 0 && inExport > 0 && shared === 0) return ofRejects === true ? 'same' : 'unknown tickets';
  const { compared, both, either } = origins;
  const differing = both + either;
  const isMost = differing * 2 > compared;
  return isMost && (both > 0 || either >= FEW) ? 'other tickets' : 'same';
}

export function requireSameSource(comparison: SourceComparison, path: string, sandbox?: string): void {
  const verdict = sameSource(comparison);
  if (verdict === 'same') return;
  const { known, inExport, origins } = comparison;
  const why =
    verdict === 'unknown tickets'
      ? say(UNKNOWN_TICKETS, { known, inExport })
      : `of the ${origins.compared} tickets of this export with an ID of the checkpoint, ${origins.both + origins.either} have another creation time or requester, for example ticket ${origins.example}.`;
  if (sandbox !== undefined) throw stop('other-export-in-sandbox', { sandbox, why });
  const hint =
    'Give this import its own checkpoint with --checkpoint and its own name with --set source.name=<name>.';
  throw new AppError('checkpoint', `The checkpoint ${path} belongs to another source: ${why}`, {
    hint:
      verdict === 'unknown tickets'
        ? hint
        : `${hint} If only times or addresses were corrected, run: \`helpdesk-import checkpoint rebuild\``,
  });
}

const UNKNOWN_TICKETS =
  '{known|its ticket is not|none of its # tickets is} in this export ({inExport|# ticket|# tickets}).';

export interface OriginCounts {
  readonly compared: number;
  readonly both: number;
  /** One or both changed under the same settings. One corrected address counts once. */
  readonly either: number;
  readonly example: string | undefined;
}

const CORRECTIONS_KEPT = 1000;

export class OriginTally {
  #compared = 0;
  #both = 0;
  #either = 0;
  #example: string | undefined;
  readonly #corrections = new Set<string>();

  add(externalId: string, then: string, now: string): void {
    this.#compared++;
    const { differs, sameSettings } = compareOrigins(then, now);
    if (differs === 'same' || (differs !== 'both' && !sameSettings)) return;
    if (differs === 'both') {
      this.#both++;
    } else {
      if (differs === 'requester' && !this.#isNew(`${requesterOf(then)} ${requesterOf(now)}`)) return;
      this.#either++;
    }
    this.#example ??= externalId;
  }

  get counts(): OriginCounts {
    return {
      compared: this.#compared,
      both: this.#both,
      either: this.#either,
      example: this.#example,
    };
  }

  #isNew(correction: string): boolean {
    if (this.#corrections.has(correction)) return false;
    if (this.#corrections.size < CORRECTIONS_KEPT) this.#corrections.add(correction);
    return true;
  }
}
