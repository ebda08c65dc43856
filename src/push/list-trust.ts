/**
 * May the target's list be believed when it does not show a ticket? Only where it has shown what is certainly there: the
 * tickets that were created lately. A list that lags behind, that shows only some tickets to this token, or that changes the
 * fields by which tickets are recognised, fails this, and then a doubt stays a doubt.
 *
 * Once it has shown a ticket created at some time, it is believed for everything that was sent before that time.
 */
import type { CreateIntent, Ledger } from '../domain/ledger.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { matchTicket } from './match-ticket.ts';

interface Landmark {
  readonly ticketId: string;
  readonly intent: CreateIntent;
}

/** How the target is read: the same way as for the doubt itself. */
export interface Reading {
  search(text: string): Promise<readonly Snapshot[]>;
  /** Undefined where the target does not show single tickets, or not this one. */
  read(ticketId: string): Promise<Snapshot | undefined>;
}

/** Landmarks stand at least this far apart, milliseconds, and so many are kept: a minute's worth. */
const APART_MS = 1_000;
const MOST_LANDMARKS = 60;

export class ListTrust {
  /** In the order of their creation. */
  readonly #landmarks: Landmark[] = [];
  /** The latest one that the list has shown. */
  #shown: Landmark | undefined;

  /** A ticket was created: a landmark, if the last one is not too near. */
  created(ticketId: string, intent: CreateIntent): void {
    const last = this.#landmarks.at(-1);
    if (last !== undefined && intent.at < last.intent.at + APART_MS) return;
    this.#landmarks.push({ ticketId, intent });
    if (this.#landmarks.length > MOST_LANDMARKS) this.#landmarks.shift();
  }

  /**
   * Whether a ticket whose create was sent at `at` would be seen. The first ticket created after that moment proves it, so a
   * list that lags by seconds passes when it has caught up; else the last one created serves, or one of an earlier
   * process. Where there is none at all, there is nothing to doubt the list with.
   */
  async covers(at: number, reading: Reading, ledger: Ledger): Promise<boolean> {
    if (this.#shown !== undefined && at <= this.#shown.intent.at) return true;
    const landmark =
      this.#landmarks.find(({ intent }) => intent.at >= at) ??
      this.#landmarks.at(-1) ??
      this.#shown ??
      (await olderLandmark(reading, ledger));
    if (landmark === undefined || landmark === this.#shown) return true;
    const listed = await reading.search(searchText(landmark.intent.subject));
    const shown = listed.find((snapshot) => snapshot.id === landmark.ticketId);
    if (shown === undefined || matchTicket(shown, landmark.intent) === 'different') return false;
    this.#shown = landmark;
    return true;
  }
}

async function olderLandmark(reading: Reading, ledger: Ledger): Promise<Landmark | undefined> {
  for (const { ticketId } of ledger.inStates(['done'])) {
    const snapshot = ticketId === undefined ? undefined : await reading.read(ticketId);
    const subject = snapshot?.['subject'];
    const createdAt = snapshot?.['createdAt'];
    if (ticketId === undefined || typeof subject !== 'string' || typeof createdAt !== 'string')
      return undefined;
    // Whatever it looks like today: only its presence in the list is in question.
    const contact = snapshot?.['contact'] as { email?: unknown } | null | undefined;
    const email = typeof contact?.email === 'string' ? { email: contact.email } : {};
    return { ticketId, intent: { subject, createdAt, ...email, at: Number.NEGATIVE_INFINITY } };
  }
  return undefined;
}

/** Long subjects make long addresses; a beginning, cut between words, finds the ticket and perhaps some more. */
const LONGEST_SEARCH = 200;

export function searchText(subject: string): string {
  const text = subject.trim();
  if (text.length <= LONGEST_SEARCH) return text;
  const cut = text.slice(0, LONGEST_SEARCH);
  const space = cut.lastIndexOf(' ');
  return (space > LONGEST_SEARCH / 2 ? cut.slice(0, space) : cut).toWellFormed();
}
