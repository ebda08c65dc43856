/**
 * Whether the text of a message is the whole of it, as the target tells it in a thread. Lists may shorten texts (public facts: `content`
 * beside `fullContent`), and a shortened one that is sent back would cut what a person wrote. What says that a text is whole:
 * the target calls it so, or it was seen to tell texts of that length whole. Pure.
 */
import { textKey, toldString } from '../domain/snapshot-fields.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

/** What the threads of a target have shown of how it tells texts. */
export class TextsSeen {
  #longestWhole = 0;
  #shortestCut = Number.POSITIVE_INFINITY;
  #tellsFull = false;
  /** Lengths of texts of which a person may have taken the end; two of one length are none. */
  readonly #beginnings = new Set<number>();

  /** A message of the export, and the same one as the target tells it. */
  learn(ours: string, told: Snapshot): void {
    const text = toldString(told, 'content');
    if (typeof text !== 'string') return;
    if (textKey(text) === textKey(ours)) this.#longestWhole = Math.max(this.#longestWhole, text.length);
    else if (isCutOf(text, ours) && (looksCut(text) || this.#beginnings.has(text.length)))
      this.#shortestCut = Math.min(this.#shortestCut, text.length);
    else if (isCutOf(text, ours)) this.#beginnings.add(text.length);
  }

  learnAll(thread: readonly Snapshot[]): void {
    this.#tellsFull ||= thread.some(isFull);
  }

  isDoubtful(told: Snapshot): boolean {
    if (isFull(told)) return false;
    const text = toldString(told, 'content') ?? '';
    if (this.#tellsFull || FLAGS.some((flag) => told[flag] === true)) return true;
    if (text.length >= this.#shortestCut) return true;
    if (text.length < this.#longestWhole) return false;
    return looksCut(text);
  }

  /** What a message that was asked for by itself says of one that is doubtful; undefined where it stays so. */
  wholeOf(told: Snapshot, alone: Snapshot | undefined): Snapshot | undefined {
    if (alone === undefined) return undefined;
    const [text, own] = [toldString(told, 'content') ?? '', toldString(alone, 'content') ?? ''];
    const whole = { ...told, content: own };
    if (isFull(alone) || own.length > text.length) return whole;
    if (
      own !== text ||
      FLAGS.some((flag) => alone[flag] === true) ||
      FLAGS.some((flag) => told[flag] === true)
    )
      return undefined;
    return ELLIPSIS.test(own) || own.length >= this.#shortestCut || this.#tellsFull ? undefined : whole;
  }
}

/** Whether a text that the target tells is the beginning of this one. */
export function isCutOf(told: string, text: string): boolean {
  const beginning = textKey(told.replace(ELLIPSIS, ''));
  const whole = textKey(text);
  return beginning !== '' && beginning.length < whole.length && whole.startsWith(beginning);
}

function isFull(message: Snapshot): boolean {
  const full = message['fullContent'];
  return typeof full === 'string' && full !== '';
}

const FLAGS = ['truncated', 'isTruncated', 'contentTruncated', 'isShortened'];
const ELLIPSIS = /\s*(?:\u2026|\.{3}|\[\u2026\]|\[\.{3}\])\s*$/;

function looksCut(text: string): boolean {
  return ELLIPSIS.test(text) || isUsualLimit(text.length) || isUsualLimit([...text].length);
}

/** Lengths at which services cut texts. */
function isUsualLimit(length: number): boolean {
  return (
    length >= 50 && (length % 10 === 0 || ((length + 1) & length) === 0 || (length & (length - 1)) === 0)
  );
}
