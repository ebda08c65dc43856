import type { Problem } from '../domain/problem.ts';
import type { MappedTicket } from '../domain/ticket.ts';

const CELL_LIMITS: ReadonlySet<number> = new Set([32_767, 65_535]);
/** UTF-8 read as Windows-1252. */
const GARBLED = /Ã[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€[\u0080-\u00bf™œž“”¢¦]|Â[\u00a0-\u00bf]/g;
const LOOKED_AT = 1500;

const KINDS = [
  {
    code: 'cut-text',
    isFound: (text: string) => CELL_LIMITS.has(text.length),
    what: 'have a text of exactly 32,767 or 65,535 characters, the limits of spreadsheets and databases',
  },
  {
    code: 'garbled-text',
    isFound: isGarbled,
    what: 'have garbled letters such as Ã¤ or â€™, as of UTF-8 that was read in another encoding',
  },
] as const;

/** People who write about garbled letters also write well-formed ones. */
function isGarbled(text: string): boolean {
  const begins = text.slice(0, LOOKED_AT);
  const rest = begins.replaceAll(GARBLED, '');
  return rest !== begins && !/[\u00c0-\u024f]/.test(rest);
}

export class DamagedTexts {
  #tickets = 0;
  readonly #found = new Map<string, { count: number; readonly ticket: string }>();

  see({ externalId, messages }: MappedTicket): void {
    this.#tickets++;
    for (const { code, isFound } of KINDS) {
      const isDamaged = ({ value: { content } }: MappedTicket['messages'][number]) =>
        typeof content === 'string' && isFound(content);
      if (!messages.some(isDamaged)) continue;
      const found = this.#found.get(code) ?? { count: 0, ticket: externalId };
      found.count++;
      this.#found.set(code, found);
    }
  }

  problems(): Problem[] {
    return KINDS.flatMap(({ code, what }): Problem[] => {
      const { count, ticket } = this.#found.get(code) ?? { count: 0, ticket: '' };
      const message = `${count.toLocaleString('en-US')} of ${this.#tickets.toLocaleString('en-US')} tickets ${what}, such as ticket ${ticket}.`;
      return count === 0 ? [] : [{ severity: 'warning', code, field: 'messages', message, count }];
    });
  }
}
