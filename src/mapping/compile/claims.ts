/** Claims of the export, compared with the mapped messages: their number, their files, whole texts. */
import type { JsonObject, SourceTicket } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import type { UnmetClaim } from '../../domain/ticket.ts';
import { type CompileContext, type Notes, newNotes, rowPlace, rowScope } from './context.ts';
import { compileExpression } from './expressions.ts';
import { compileSource } from './items.ts';
import { truthOf } from './values.ts';

type Claim = 'files' | 'IDs of files' | 'cut';

/** Letters of a name alone: `hasAttachments`, `attachment_count`, `hs_attachment_ids`, `isContentTruncated`. */
const FILES =
  /^(?:property)?(?:hs)?(?:is|has|with|no|num|number|count|total)?(?:of)?(?:attach|attachments?|files?)(?:count|total|num|number|ids?)?$/;
const CUT =
  /^(?:is|has|was)?(?:content|body|text|message|html|description)?(?:is|was)?(?:truncated|truncation|clipped|cut|cutoff|shortened)(?:status)?$/;
/** Records of some platforms hold their fields one level down. */
const ENVELOPES: ReadonlySet<string> = new Set(['properties', 'fields', 'attributes']);
const MOST_COLUMNS = 2000;
const MOST_FILES = 1000;

const claims = new Map<string, Claim | undefined>();

export function claimOf(column: string): Claim | undefined {
  if (claims.has(column)) return claims.get(column);
  const letters = column.toLowerCase().replace(/[^\p{L}]/gu, '');
  const claim = CUT.test(letters)
    ? 'cut'
    : !FILES.test(letters)
      ? undefined
      : /ids?$/.test(letters)
        ? 'IDs of files'
        : 'files';
  // JSON keys may be data.
  if (claims.size < MOST_COLUMNS) claims.set(column, claim);
  return claim;
}

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
  const truth = truthOf(value);
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
    const claimed = (object: JsonObject) => mostClaimed(object, (claim) => claim !== 'cut').count;
    let [all, apart] = [0, 0];
    for (const [holder, has] of this.#has) {
      all += has;
      if (holder !== whole) apart += Math.max(0, claimed(holder) - has);
    }
    return Math.max(apart, whole === undefined ? 0 : claimed(whole) - all);
  }
}

/** Messages that the export claims of a ticket and does not hold in their fullest place. */
export function compileClaims(
  context: CompileContext,
): (ticket: SourceTicket, notes: Notes) => UnmetClaim | undefined {
  const claims = (context.layout.claims ?? []).map(({ messages, in: all, says }) => ({
    says,
    read: compileExpression(messages, rowPlace(context.rootTable), context, 'compare'),
    places: all
      .filter(({ from }) => from === undefined || context.tables.has(from))
      .map((place) => compileSource(place, context)),
  }));
  return (ticket, notes) => {
    for (const { says, read, places } of claims) {
      const messages = Number(read(rowScope(ticket, ticket.row, newNotes(notes))) ?? Number.NaN);
      if (!Number.isInteger(messages) || messages < 1) continue;
      const has = Math.max(0, ...places.map(({ scopes }) => scopes(ticket, newNotes(notes)).length));
      if (has < messages) return { messages, has, says };
    }
    return undefined;
  };
}
