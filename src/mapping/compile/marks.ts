/**
 * Columns that say in any export whether customers saw a message, or whether it counts: `is_private`, `visibility`,
 * `_fivetran_deleted`. Marks that no rule of the layout reads are read here.
 */
import { type JsonObject, plainHeader, type Row } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import { isNoteKind, meaningOf, plain, remembered, vocabulary } from '../../domain/text/vocabulary.ts';
import type { Layout } from '../language/layout.ts';
import { isAbsent, truthOf } from './values.ts';

type Ask = 'private' | 'public' | 'audience' | 'kind' | 'gone' | 'goneAt';

let asks: ReadonlyMap<string, Ask> | undefined;

function asksByName(): ReadonlyMap<string, Ask> {
  const { message, marks } = vocabulary();
  const [audience = [], kind = []] = message['visibility'] ?? [];
  const all: readonly (readonly [Ask, readonly string[]])[] = [
    ['kind', [...kind, ...marks.kind]],
    ['audience', audience],
    ['public', message['public']?.flat() ?? []],
    ['private', message['internal']?.flat() ?? []],
    ['gone', marks.gone],
    ['goneAt', marks.goneAt],
  ];
  return new Map(
    all.flatMap(([ask, names]) => names.map((name) => [name.replaceAll(' ', ''), ask] as const)),
  );
}

/** By the name of a column alone, without "is" before it. */
export const askOf = remembered((column): Ask | undefined => {
  asks ??= asksByName();
  const letters = plain(column).replace(/[^\p{L}]/gu, '');
  return asks.get(letters) ?? asks.get(letters.replace(/^is/, ''));
});

/** `unknown`: a word of which it is not known what it means. */
export interface Mark {
  readonly says: 'internal' | 'leave out' | 'unknown';
  readonly column: string;
  readonly word: string;
}

/** Unread columns of a row or item. A ticket's row says who saw its text, and whether the ticket counts. */
export function compileMarks(
  { words = {}, unasked = [] }: Layout,
  read: readonly string[],
  of: 'ticket' | 'text' | 'message',
): (object: JsonObject | undefined, row: Row) => Mark | undefined {
  const asks = new Map<string, Ask | undefined>();
  const written = new Set(read);
  const plain = new Set(read.map(plainHeader));
  const asked = (column: string): Ask | undefined => {
    if (asks.has(column)) return asks.get(column);
    const ask = askOf(column) ?? (unasked.includes(column) ? 'audience' : undefined);
    const isOfTicket = ask === 'gone' || ask === 'goneAt';
    const own = of === 'message' || (of === 'ticket') === isOfTicket ? ask : undefined;
    // JSON keys may be data.
    if (asks.size < MOST_COLUMNS) asks.set(column, own);
    return own;
  };
  return (object, { cells }) => {
    let found: Mark | undefined;
    for (const column in object) {
      const ask = asked(column);
      if (ask === undefined || written.has(column)) continue;
      if (cells !== undefined && plain.has(plainHeader(column))) continue;
      for (const value of [object[column]].flat()) {
        if (isAbsent(value)) continue;
        const word = textOf(value).trim();
        const own = Object.hasOwn(words, column) ? words[column] : undefined;
        const meaning = typeof own === 'object' ? own[word] : own;
        const says = meaning ?? sayingOf(ask, value);
        if (says === 'public' || says === 'keep') continue;
        found = { says, column, word };
        if (says === 'leave out') return found;
      }
    }
    return found;
  };
}

const MOST_COLUMNS = 2000;

const audienceOf = remembered((word): Mark['says'] | 'public' => {
  const says = meaningOf('visibility', word) as 'public' | 'internal' | undefined;
  return says ?? (vocabulary().readers.team.includes(plain(word)) ? 'internal' : 'unknown');
});

function sayingOf(ask: Ask, value: unknown): Mark['says'] | 'public' {
  const truth = truthOf(value);
  if (ask === 'goneAt') return truth === false ? 'public' : 'leave out';
  if (ask === 'kind') return isNoteKind(textOf(value)) ? 'internal' : 'public';
  if (ask === 'audience') {
    if (isJsonObject(value)) return Object.values(value).every(isAbsent) ? 'public' : 'internal';
    return audienceOf(textOf(value));
  }
  if (isJsonObject(value)) return 'public';
  if (truth === undefined) return 'unknown';
  if (truth === (ask === 'public')) return 'public';
  return ask === 'gone' ? 'leave out' : 'internal';
}
