/**
 * Unread columns that may say which of the agents' messages customers saw: few words, which differ within a ticket, and a name
 * or a word that speaks of notes.
 */
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import { isAboutReaders, mentions, vocabulary } from '../../domain/text/vocabulary.ts';
import type { Place } from './paths.ts';
import { truthOf } from './values.ts';

/** Without a word the export does not say it at all. */
export interface WordCount {
  readonly word: string | undefined;
  readonly count: number;
}

const MOST_WORDS = 6;
const LONGEST_WORD = 40;
const MOST_COLUMNS = 500;
const NO_WORD = /@|\d{2}|:\/\//;

interface Seen {
  readonly words: Map<string, number>;
  /** The last ticket with a word here. */
  ticket: number;
  word: string;
  differs: boolean;
}

const NO_WORDS: Seen = { words: new Map(), ticket: -1, word: '', differs: false };

export interface Audience {
  readonly column: string;
  /** Its name or a word of it speaks of readers. */
  readonly isHint: boolean;
  readonly words: readonly WordCount[];
}

export class AudienceColumns {
  readonly #places = new Map<
    Place,
    { readonly columns: Map<string, Seen>; messages: number; ticket: number }
  >();

  /** Called for an agent's message that all may see, with its row or item. */
  see(place: Place, ticket: number, object: unknown): void {
    if (!isJsonObject(object)) return;
    const known = this.#places.get(place) ?? { columns: new Map<string, Seen>(), messages: 0, ticket: -1 };
    this.#places.set(place, known);
    const { columns } = known;
    for (const column of Object.keys(object))
      if (!columns.has(column) && columns.size < MOST_COLUMNS) {
        const words = new Map(known.messages > 0 ? [['', known.messages]] : []);
        columns.set(column, { words, ticket: known.ticket, word: '', differs: false });
      }
    for (const [column, seen] of columns) {
      const word = wordIn(object[column]);
      if (word === undefined || seen.words.size > MOST_WORDS) columns.set(column, NO_WORDS);
      else if (seen !== NO_WORDS) {
        seen.words.set(word, (seen.words.get(word) ?? 0) + 1);
        seen.differs ||= seen.ticket === ticket && seen.word !== word;
        seen.ticket = ticket;
        seen.word = word;
      }
    }
    known.messages++;
    known.ticket = ticket;
  }

  /** `isRead`: a rule or a mark reads it. */
  found(isRead: (place: Place, column: string) => boolean): Audience[] {
    return [...this.#places].flatMap(([place, { columns }]) =>
      [...columns].flatMap(([column, { words, differs }]): Audience[] => {
        const isFew = words.size >= 2 && words.size <= MOST_WORDS;
        if (!(differs && isFew) && !isAgainst(column, words)) return [];
        if (isRead(place, column)) return [];
        const said = [...words.keys()].filter((word) => word !== '');
        const isHint = said.some((word) => isAboutReaders(word, 'words')) || isAboutReaders(column, 'names');
        // Times, IDs and addresses.
        if (!isHint && (!differs || said.every((word) => NO_WORD.test(word)))) return [];
        return [{ column, isHint, words: [...words].map(([word, count]) => ({ word, count })) }];
      }),
    );
  }
}

/** `internal_only: true`, `is_visible: false`: the name and a truth word speak against a public message. */
function isAgainst(column: string, words: ReadonlyMap<string, number>): boolean {
  if (words.size > MOST_WORDS) return false;
  const truths = [...words.keys()].filter((word) => word !== '').map(truthOf);
  if (truths.includes(undefined)) return false;
  const { internal, public: open } = vocabulary().readers;
  return (
    (truths.includes(true) && mentions(internal, column)) ||
    (truths.includes(false) && mentions(open, column))
  );
}

/** Undefined for a long text or an object. */
function wordIn(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return undefined;
  const text = textOf(value).trim();
  return text.length > LONGEST_WORD ? undefined : text;
}
