/**
 * Where a ticket comes from, in 8 bytes: what its source says of it for good, which is when it was created and who asked.
 * An external id alone is none: every helpdesk has a ticket 1. The first two bytes stand for the settings by which it was
 * read, since a time zone or a mapping that was corrected changes what is read of the same ticket.
 */

import { sha256 } from './hash.ts';
import type { TicketPayload } from './payload.ts';

const SETTINGS = 4;
const PART = 6;

/** `settings`: any text that stands for those by which times and requesters are read. */
export function originReader(settings: string): (ticket: TicketPayload) => string {
  const prefix = sha256(settings).slice(0, SETTINGS);
  return ({ createdAt, contact, contactId }) =>
    prefix +
    sha256(`at ${Date.parse(createdAt)}`).slice(0, PART) +
    sha256(`by ${contact?.email ?? contactId ?? ''}`).slice(0, PART);
}

type OriginVerdict = 'same' | 'time' | 'requester' | 'both';

/** What differs between two origins of one external id; `sameSettings`: the difference is not one of settings. */
function compareOrigins(
  then: string,
  now: string,
): { readonly differs: OriginVerdict; readonly sameSettings: boolean } {
  const part = (origin: string, index: number) =>
    origin.slice(SETTINGS + index * PART, SETTINGS + (index + 1) * PART);
  const time = part(then, 0) !== part(now, 0);
  const requester = part(then, 1) !== part(now, 1);
  return {
    differs: time && requester ? 'both' : time ? 'time' : requester ? 'requester' : 'same',
    sameSettings: then.slice(0, SETTINGS) === now.slice(0, SETTINGS),
  };
}

/** Of all tickets that both the checkpoint and the export know. */
export interface OriginCounts {
  /** Tickets whose origin could be compared. */
  readonly compared: number;
  /** Of those, with another time and another requester. */
  readonly both: number;
  /** With one of them changed and the settings as they were. Of one address that became another, all tickets are one. */
  readonly either: number;
  /** One of those that differ. */
  readonly example: string | undefined;
}

/** Enough to tell a few corrected addresses from another source. */
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
      if (differs === 'requester' && !this.#isNew(`${then.slice(-PART)} ${now.slice(-PART)}`)) return;
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
