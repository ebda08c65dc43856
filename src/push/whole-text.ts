/**
 * Whether the text of a message is the whole of it, as the target tells it in a thread. Lists may shorten texts (public facts: `content`
 * beside `fullContent`), and a shortened one that is sent back would cut what a person wrote. What says that a text is whole:
 * the target calls it so, or it was seen to tell texts of that length whole. Pure.
 */
import { reportedString, textKey } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

/** What the threads of a target have shown of how it tells texts. */
export class TextsSeen {
  #longestWhole = 0;
  #shortestCut = Number.POSITIVE_INFINITY;
  #tellsFull = false;

  /** A message of the export, and the same one as the target tells it. */
  learn(ours: string, reported: Snapshot): void {
    const text = reportedString(reported, 'content');
    if (typeof text !== 'string') return;
    if (textKey(text) === textKey(ours)) this.#longestWhole = Math.max(this.#longestWhole, text.length);
    // A person may have taken the end off as well; a longer text that is told whole then says so.
    else if (isCutOf(text, ours) && (looksCut(text) || text.length >= LEAST_CUT))
      this.#shortestCut = Math.min(this.#shortestCut, text.length);
  }

  learnAll(thread: readonly Snapshot[]): void {
    this.#tellsFull ||= thread.some(isFull);
  }

  /** Whether the message has to be asked for by itself before it is sent back. */
  isDoubtful(reported: Snapshot): boolean {
    if (isFull(reported)) return false;
    const { length } = reportedString(reported, 'content') ?? '';
    return this.#isSuspect(reported) || (length >= LEAST_CUT && length > this.#longestWhole);
  }

  /** The target does something, or the text looks so, that a text told whole would not. */
  #isSuspect(reported: Snapshot): boolean {
    const text = reportedString(reported, 'content') ?? '';
    if (this.#tellsFull || isFlagged(reported) || this.#isCutAt(text.length)) return true;
    return text.length >= this.#longestWhole && looksCut(text);
  }

  /** Cuts between words are not all of one length. */
  #isCutAt(length: number): boolean {
    return length >= this.#shortestCut && this.#longestWhole < this.#shortestCut + LEAST_CUT;
  }

  /** What a message that was asked for by itself says of one that is doubtful; undefined where it stays so. */
  wholeOf(reported: Snapshot, alone: Snapshot | undefined): Snapshot | undefined {
    if (alone === undefined) return this.#isSuspect(reported) ? undefined : reported;
    const [text, own] = [reportedString(reported, 'content') ?? '', reportedString(alone, 'content') ?? ''];
    const whole = { ...reported, content: own };
    if (isFull(alone)) return whole;
    if (own.length > text.length) {
      this.#shortestCut = Math.min(this.#shortestCut, text.length);
      return isFlagged(alone) || ELLIPSIS.test(own) ? undefined : whole;
    }
    if (own !== text || isFlagged(alone) || isFlagged(reported)) return undefined;
    const isCut = ELLIPSIS.test(own) || this.#isCutAt(own.length) || this.#tellsFull;
    return isCut || (own.length > this.#longestWhole && PREVIEWS.has(own.length)) ? undefined : whole;
  }
}

/** Whether a text that the target tells is the beginning of this one. */
export function isCutOf(reported: string, text: string): boolean {
  const beginning = textKey(reported.replace(ELLIPSIS, ''));
  const whole = textKey(text);
  return beginning !== '' && beginning.length < whole.length && whole.startsWith(beginning);
}

function isFull(message: Snapshot): boolean {
  const full = message['fullContent'];
  return typeof full === 'string' && full !== '';
}

function isFlagged(message: Snapshot): boolean {
  return FLAGS.some((flag) => message[flag] === true);
}

const FLAGS = ['truncated', 'isTruncated', 'contentTruncated', 'isShortened'];
const ELLIPSIS = /(?:\u2026|\.{3}|\[\u2026\]|\[\.{3}\])\s*$/;
/** Nobody cuts texts to fewer characters than this. */
const LEAST_CUT = 40;

function looksCut(text: string): boolean {
  return ELLIPSIS.test(text) || isUsualLimit(text.length) || isUsualLimit([...text].length);
}

/** Lengths at which services cut texts. */
function isUsualLimit(length: number): boolean {
  const isPower = ((length + 1) & length) === 0 || (length & (length - 1)) === 0;
  return length >= 50 && (length % 10 === 0 || isPower);
}

/** Those of previews, so that a text of that length is held rather than believed. */
const PREVIEWS: ReadonlySet<number> = new Set([100, 140, 150, 160, 200, 250, 255, 256, 280, 300]);
