/** Finds texts that the helpdesk cut, by its answer to a PUT; lists may shorten, so a doubtful message is read alone. */
import { plainText } from '../domain/own-words.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { pairMessages, reportedString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { problemIn } from './failure-meaning.ts';
import type { CarryDeps } from './run-control.ts';

export class KeptTexts {
  readonly #deps: Pick<CarryDeps, 'api' | 'control'>;
  /** The longest text known to be kept whole, in characters: shorter ones need no reading. */
  #longest = 0;

  constructor(deps: Pick<CarryDeps, 'api' | 'control'>) {
    this.#deps = deps;
  }

  /** @returns the answer in the order of sending, with the texts that the helpdesk has, and how many are shorter than they were sent. Throws RunEnds. */
  async compare(
    ticketId: string,
    sent: readonly MessagePayload[],
    echo: readonly Snapshot[],
  ): Promise<{ readonly echo: readonly Snapshot[]; readonly shortened: number }> {
    if (echo.every((each, at) => shownText(each) === sent[at]?.content)) return { echo, shortened: 0 };
    const pairs = new Map(pairMessages(sent, echo).pairs);
    // Some services answer with the newest first.
    const inOrder = pairs.size === sent.length ? sent.flatMap((each) => pairs.get(each) ?? []) : echo;
    const kept = new Map<Snapshot, Snapshot>();
    for (const [at, { content }] of sent.entries()) {
      const reported = inOrder[at];
      if (reported === undefined || content.length <= this.#longest || !isCut(content, shownText(reported)))
        continue;
      const alone = await this.#alone(ticketId, reported);
      if (isCut(content, alone)) kept.set(reported, { ...reported, fullContent: alone });
      else this.#longest = content.length;
    }
    return { echo: inOrder.map((each) => kept.get(each) ?? each), shortened: kept.size };
  }

  async #alone(ticketId: string, reported: Snapshot): Promise<string | undefined> {
    const { api, control } = this.#deps;
    try {
      return shownText(await api.readMessage(ticketId, reported.id, control.hard));
    } catch (error) {
      problemIn(error, control.hard);
      return shownText(reported);
    }
  }
}

function shownText(reported: Snapshot): string | undefined {
  return reportedString(reported, 'fullContent') || (reportedString(reported, 'content') ?? undefined);
}

/** A beginning of the text, whatever sign or half a tag the service ends it with. */
function isCut(sent: string, shown: string | undefined): boolean {
  if (shown === undefined || shown === sent) return false;
  const [whole, kept] = [
    withoutEnd(plainText(sent)),
    withoutEnd(plainText(shown.replace(/[<&][^<>&;]*$/, ''))),
  ];
  return kept.length < whole.length && whole.startsWith(kept);
}

function withoutEnd(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\uFFFD]/gu, '').replace(/(?:…|\.{3})$/, '');
}
