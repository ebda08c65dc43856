/**
 * Columns beside the rules: marks that hide a message or leave it out (`is_private`, `_fivetran_deleted`), claims about
 * messages, files and cut texts, and few words that may name the readers of an agent's message.
 */
import type { JsonObject } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import {
  isAboutReaders,
  isNoteKind,
  meaningOf,
  mentions,
  plain,
  remembered,
  vocabulary,
} from '../../domain/text/vocabulary.ts';
import type { Layout } from '../language/layout.ts';
import type { Place } from './paths.ts';
import { isAbsent, truthOf } from './values.ts';

type Ask = 'private' | 'public' | 'audience' | 'kind' | 'gone' | 'goneAt';
type Claim = 'files' | 'IDs of files' | 'cut' | 'messages';

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

/** Letters of a name alone: `hasAttachments`, `attachment_count`, `hs_attachment_ids`, `isContentTruncated`. */
const FILES =
  /^(?:property)?(?:hs)?(?:is|has|with|no|num|number|count|total)?(?:of)?(?:attach|attachments?|files?)(?:count|total|num|number|ids?)?$/;
const CUT =
  /^(?:is|has|was)?(?:content|body|text|message|html|description)?(?:is|was)?(?:truncated|truncation|clipped|cut|cutoff|shortened)(?:status)?$/;
const MOST_FILES = 1000;

export const claimOf = remembered((column): Claim | undefined => {
  const letters = column.toLowerCase().replace(/[^\p{L}]/gu, '');
  if (CUT.test(letters)) return 'cut';
  if (FILES.test(letters)) return /ids?$/.test(letters) ? 'IDs of files' : 'files';
  return vocabulary().counts.includes(plain(column)) ? 'messages' : undefined;
});

/** Undefined where a cell is no claim, such as a list of addresses. */
export function claimedBy(claim: Claim | undefined, value: unknown): number | undefined {
  if (claim === undefined || value === undefined || value === null || value === '') return undefined;
  if (claim === 'IDs of files')
    return Array.isArray(value) ? value.length : (textOf(value).match(/[^\s,;|"'[\]{}]+/g)?.length ?? 0);
  if (typeof value === 'object') return undefined;
  const truth = truthOf(value);
  if (claim === 'cut') return Number(truth ?? /^(?:truncated|cut|partial)$/i.test(textOf(value)));
  const count = Number(value);
  if (Number.isInteger(count) && count >= 0 && count <= MOST_FILES) return count;
  return claim === 'messages' || truth === undefined ? undefined : Number(truth);
}

/** `unknown`: a word of which it is not known what it means. */
export interface Mark {
  readonly says: 'internal' | 'leave out' | 'unknown';
  readonly column: string;
  readonly word: string;
}

/** The most that a column claims; `cut` is the column. */
export interface Said {
  mark: Mark | undefined;
  files: number;
  messages: number;
  cut: string | undefined;
}

/** Without a word the export does not say it at all. */
export interface WordCount {
  readonly word: string | undefined;
  readonly count: number;
}

/** Each word and its messages; `differs` within a ticket. */
interface Words {
  readonly counts: Map<string, number>;
  differs: boolean;
}

/** Records of some platforms hold their fields one level down; rules read their marks. */
const ENVELOPES: ReadonlySet<string> = new Set(['properties', 'fields', 'attributes']);
/** JSON keys may be data. */
const MOST_COLUMNS = 2000;
const MOST_WITH_WORDS = 500;
const MOST_WORDS = 6;
const LONGEST_WORD = 40;
const NO_WORD = /@|\d{2}|:\/\//;

interface Meaning {
  readonly ask: Ask | undefined;
  readonly claim: Claim | undefined;
  readonly isEnvelope: boolean;
}

/** A rule's rows or items. A ticket's row says who saw its text, and whether the ticket counts. */
export class Aside {
  readonly place: Place;
  readonly #of: 'ticket' | 'text' | 'message';
  readonly #layout: Pick<Layout, 'words' | 'unasked'>;
  /** Columns whose marks rules read. */
  readonly #read: ReadonlySet<string>;
  readonly #meanings = new Map<string, Meaning | undefined>();
  /** Undefined: long texts, or too many words. */
  readonly #words = new Map<string, Words | undefined>();
  #messages = 0;

  constructor(place: Place, layout: Layout, read: readonly string[], of: 'ticket' | 'text' | 'message') {
    this.place = place;
    this.#of = of;
    this.#layout = layout;
    this.#read = new Set(read);
  }

  said(object: JsonObject | undefined): Said {
    const said: Said = { mark: undefined, files: 0, messages: 0, cut: undefined };
    this.#take(said, object, false);
    return said;
  }

  #take(said: Said, object: JsonObject | undefined, isInner: boolean): void {
    for (const column in object) {
      const meaning = this.#meaningOf(column);
      if (meaning === undefined) continue;
      const value = object[column];
      const { ask, claim, isEnvelope } = meaning;
      const claimed = claimedBy(claim, value) ?? 0;
      if (claim === 'cut') said.cut ??= claimed > 0 ? column : undefined;
      else if (claim === 'messages') said.messages = Math.max(said.messages, claimed);
      else said.files = Math.max(said.files, claimed);
      if (isEnvelope && isJsonObject(value)) this.#take(said, value, true);
      if (ask !== undefined && !isInner && said.mark?.says !== 'leave out')
        said.mark = this.#markIn(ask, column, value) ?? said.mark;
    }
  }

  #meaningOf(column: string): Meaning | undefined {
    const known = this.#meanings;
    if (known.has(column)) return known.get(column);
    const asked = askOf(column) ?? (this.#layout.unasked?.includes(column) ? 'audience' : undefined);
    const isOfTicket = asked === 'gone' || asked === 'goneAt';
    const isAsked = this.#of === 'message' || (this.#of === 'ticket') === isOfTicket;
    const ask = isAsked && !this.#read.has(column) ? asked : undefined;
    const [claim, isEnvelope] = [claimOf(column), ENVELOPES.has(column)];
    const meaning = (ask ?? claim) !== undefined || isEnvelope ? { ask, claim, isEnvelope } : undefined;
    if (known.size < MOST_COLUMNS) known.set(column, meaning);
    return meaning;
  }

  #markIn(ask: Ask, column: string, value: unknown): Mark | undefined {
    const { words = {} } = this.#layout;
    const own = Object.hasOwn(words, column) ? words[column] : undefined;
    let found: Mark | undefined;
    for (const each of [value].flat()) {
      if (isAbsent(each)) continue;
      const word = textOf(each).trim();
      const says = (typeof own === 'object' ? own[word] : own) ?? sayingOf(ask, each);
      if (says === 'public' || says === 'keep') continue;
      found = { says, column, word };
      if (says === 'leave out') return found;
    }
    return found;
  }

  /** Rows or items of a ticket's messages that an agent wrote and all may see. */
  see(objects: readonly JsonObject[]): void {
    const columns = this.#words;
    for (const column of objects.flatMap((object) => Object.keys(object)))
      if (!columns.has(column) && columns.size < MOST_WITH_WORDS)
        columns.set(column, {
          counts: new Map(this.#messages > 0 ? [['', this.#messages]] : []),
          differs: false,
        });
    for (const [column, seen] of columns) {
      if (seen === undefined) continue;
      const words = objects.map((object) => wordIn(object[column]));
      for (const word of words) seen.counts.set(word ?? '', (seen.counts.get(word ?? '') ?? 0) + 1);
      seen.differs ||= new Set(words).size > 1;
      if (words.includes(undefined) || seen.counts.size > MOST_WORDS) columns.set(column, undefined);
    }
    this.#messages += objects.length;
  }

  /**
   * Columns of few words that differ within a ticket, or speak against a public message. `isHint`: name or words speak of
   * readers. `isRead`: by a rule.
   */
  audience(isRead: (place: Place, column: string) => boolean) {
    return [...this.#words].flatMap(([column, seen]) => {
      if (seen === undefined) return [];
      const { counts, differs } = seen;
      const words = [...counts].map(([word, count]): WordCount => ({ word, count }));
      const said = [...counts.keys()].filter((word) => word !== '');
      if (!(differs && words.length > 1) && !isAgainst(column, said)) return [];
      const ask = askOf(column);
      if (Object.hasOwn(this.#layout.words ?? {}, column) || (ask !== undefined && ask !== 'kind')) return [];
      if (isRead(this.place, column)) return [];
      const isHint = said.some((word) => isAboutReaders(word, 'words')) || isAboutReaders(column, 'names');
      // Times, IDs and addresses.
      if (!isHint && (!differs || said.every((word) => NO_WORD.test(word)))) return [];
      return [{ column, isHint, words }];
    });
  }
}

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

/** `internal_only: true`, `is_visible: false`. */
function isAgainst(column: string, words: readonly string[]): boolean {
  const truths = words.map(truthOf);
  const { internal, public: open } = vocabulary().readers;
  return (
    !truths.includes(undefined) &&
    ((truths.includes(true) && mentions(internal, column)) ||
      (truths.includes(false) && mentions(open, column)))
  );
}

/** Undefined for a long text or an object. */
function wordIn(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return undefined;
  const text = textOf(value).trim();
  return text.length > LONGEST_WORD ? undefined : text;
}
