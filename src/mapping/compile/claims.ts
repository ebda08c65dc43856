/** Claims of the export, compared with the mapped messages: their number, their files, whole texts. */
import type { JsonObject, SourceTicket } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import { plain, remembered, vocabulary } from '../../domain/text/vocabulary.ts';
import type { UnmetClaim } from '../../domain/ticket.ts';
import { type CompileContext, type Notes, newNotes, rowPlace, rowScope } from './context.ts';
import { compileExpression } from './expressions.ts';
import { compileSource } from './items.ts';
import { truthOf } from './values.ts';

type Claim = 'files' | 'IDs of files' | 'cut' | 'messages';

/** Letters of a name alone: `hasAttachments`, `attachment_count`, `hs_attachment_ids`, `isContentTruncated`. */
const FILES =
  /^(?:property)?(?:hs)?(?:is|has|with|no|num|number|count|total)?(?:of)?(?:attach|attachments?|files?)(?:count|total|num|number|ids?)?$/;
const CUT =
  /^(?:is|has|was)?(?:content|body|text|message|html|description)?(?:is|was)?(?:truncated|truncation|clipped|cut|cutoff|shortened)(?:status)?$/;
/** Records of some platforms hold their fields one level down. */
const ENVELOPES: ReadonlySet<string> = new Set(['properties', 'fields', 'attributes']);
const MOST_FILES = 1000;

export const claimOf = remembered((column): Claim | undefined => {
  const letters = column.toLowerCase().replace(/[^\p{L}]/gu, '');
  if (CUT.test(letters)) return 'cut';
  if (FILES.test(letters)) return /ids?$/.test(letters) ? 'IDs of files' : 'files';
  return vocabulary().counts.includes(plain(column)) ? 'messages' : undefined;
});

/** Undefined where a cell is no claim, such as a list of addresses. */
export function claimedIn(column: string, value: unknown): number | undefined {
  const claim = claimOf(column);
  if (claim === undefined || value === undefined || value === null || value === '') return undefined;
  if (claim === 'IDs of files')
    return Array.isArray(value) ? value.length : (textOf(value).match(/[^\s,;|"'[\]{}]+/g)?.length ?? 0);
  if (typeof value === 'object') return undefined;
  if (claim === 'cut') return /^(?:truncated|cut|partial)$/i.test(textOf(value)) ? 1 : Number(truthOf(value));
  const count = Number(value);
  if (Number.isInteger(count) && count >= 0 && count <= MOST_FILES) return count;
  const truth = claim === 'messages' ? undefined : truthOf(value);
  return truth === undefined ? undefined : Number(truth);
}

/** The most that a column claims. */
function mostClaimed(object: JsonObject, isOf: (claim: Claim) => boolean): { count: number; column: string } {
  const most = { count: 0, column: '' };
  for (const column in object) {
    const value = object[column];
    const claim = claimOf(column);
    const found =
      claim !== undefined && isOf(claim)
        ? { count: claimedIn(column, value) ?? 0, column }
        : isJsonObject(value) && ENVELOPES.has(column)
          ? mostClaimed(value, isOf)
          : most;
    if (found.count > most.count) Object.assign(most, found);
  }
  return most;
}

/** The column that says so. */
export function cutBy(object: unknown): string | undefined {
  const { count, column } = isJsonObject(object) ? mostClaimed(object, (claim) => claim === 'cut') : NONE;
  return count > 0 ? column : undefined;
}

const NONE = { count: 0, column: '' };

/** Files that a ticket's rows and items claim, beside those of the messages made of them. */
export class ClaimedFiles {
  readonly #has = new Map<JsonObject, number>();

  see(holder: unknown, files: unknown): void {
    if (isJsonObject(holder))
      this.#has.set(holder, (this.#has.get(holder) ?? 0) + (Array.isArray(files) ? files.length : 0));
  }

  /** `whole`: the row that speaks for all messages of the ticket. */
  missing(whole: JsonObject | undefined): number {
    const claimed = (object: JsonObject) => mostClaimed(object, (claim) => claim.endsWith('files')).count;
    let [all, apart] = [0, 0];
    for (const [holder, has] of this.#has) {
      all += has;
      if (holder !== whole) apart += Math.max(0, claimed(holder) - has);
    }
    return Math.max(apart, whole === undefined ? 0 : claimed(whole) - all);
  }
}

/** Messages that the export claims of a ticket and does not hold in their fullest place; `made` of them are mapped. */
export function compileClaims(
  context: CompileContext,
): (ticket: SourceTicket, notes: Notes, made: number) => UnmetClaim | undefined {
  const { layout, rootTable } = context;
  const isNamed = layout.isOwn === true && layout.tables[rootTable]?.role === 'root';
  const claims = (layout.claims ?? []).map(({ messages, in: all, says }) => ({
    says,
    read: compileExpression(messages, rowPlace(rootTable), context, 'compare'),
    places: all
      .filter(({ from }) => from === undefined || context.tables.has(from))
      .map((place) => compileSource(place, context)),
  }));
  return (ticket, notes, made) => {
    for (const { says, read, places } of claims) {
      const messages = Number(read(rowScope(ticket, ticket.row, newNotes(notes))) ?? Number.NaN);
      if (!Number.isInteger(messages) || messages < 1) continue;
      const has = Math.max(0, ...places.map(({ scopes }) => scopes(ticket, newNotes(notes)).length));
      if (has < messages) return { messages, has, says };
    }
    if (!isNamed || ticket.row.object === undefined) return undefined;
    const { count } = mostClaimed(ticket.row.object, (claim) => claim === 'messages');
    return count > made ? { messages: count, has: made, says: undefined } : undefined;
  };
}
