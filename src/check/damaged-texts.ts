import type { Problem } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import type { MappedTicket } from '../domain/ticket.ts';

const CELL_LIMITS: ReadonlySet<number> = new Set([32_767, 65_535]);
/** UTF-8 read as Windows-1252. */
const GARBLED = /Ã[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€[\u0080-\u00bf™œž“”¢¦]|Â[\u00a0-\u00bf]/g;
const LOOKED_AT = 1500;

const KINDS = [
  {
    code: 'cut-text',
    isFound: (text: string) => CELL_LIMITS.has(text.length),
  },
  {
    code: 'garbled-text',
    isFound: isGarbled,
  },
] as const;

/** People who write about garbled letters also write well-formed ones. */
function isGarbled(text: string): boolean {
  const begins = text.slice(0, LOOKED_AT);
  const rest = begins.replaceAll(GARBLED, '');
  return rest !== begins && !/[\u00c0-\u024f]/.test(rest);
}

/** `SIN RESPUESTA`: a text this short, in this share of the tickets, is none. */
const LONGEST_PLACEHOLDER = 40;
const SHARED = 0.4;
const LEAST_TICKETS = 5;
const MOST_KEPT = 20_000;

interface Occurrence {
  count: number;
  readonly ticket: string;
}

export class DamagedTexts {
  #tickets = 0;
  readonly #found = new Map<string, Occurrence>();
  readonly #short = new Map<string, Occurrence>();
  readonly #isMapped: boolean;

  /** `isMapped`: a rule chose the texts, perhaps a column of placeholders. */
  constructor(isMapped: boolean) {
    this.#isMapped = isMapped;
  }

  see({ externalId, messages }: MappedTicket): void {
    this.#tickets++;
    for (const { code, isFound } of KINDS) {
      const isDamaged = ({ value: { content } }: MappedTicket['messages'][number]) =>
        typeof content === 'string' && isFound(content);
      if (!messages.some(isDamaged)) continue;
      count(this.#found, code, externalId);
    }
    const said = new Set(
      messages.map(({ value: { content } }) => (typeof content === 'string' ? content.trim() : '')),
    );
    for (const text of said)
      if (text !== '' && text.length <= LONGEST_PLACEHOLDER)
        if (this.#short.size < MOST_KEPT || this.#short.has(text)) count(this.#short, text, externalId);
  }

  problems(): Problem[] {
    const damaged = KINDS.flatMap(({ code }): Problem[] => {
      const { count, ticket } = this.#found.get(code) ?? { count: 0, ticket: '' };
      const data = { total: this.#tickets, example: ticket };
      return count === 0 ? [] : [problemOf(code, data, { field: 'messages', count })];
    });
    return [...damaged, ...this.#placeholders()];
  }

  #placeholders(): Problem[] {
    const all = this.#tickets;
    const shared = [...this.#short].filter(([, found]) => found.count >= Math.max(3, SHARED * all));
    if (!this.#isMapped || all < LEAST_TICKETS) return [];
    return shared.map(([text, { count, ticket }]) => {
      const data = { total: all, text: JSON.stringify(text), example: ticket };
      return problemOf('placeholder-text', data, { field: 'messages', count });
    });
  }
}

function count(counts: Map<string, Occurrence>, key: string, ticket: string): void {
  const found = counts.get(key) ?? { count: 0, ticket };
  found.count++;
  counts.set(key, found);
}
