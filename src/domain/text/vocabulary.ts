/** Words that people use for fields and in values, in seven languages: all of them are in `vocabulary.yaml`. */
import { join } from 'node:path';
import { wordsIn } from './problem-words.ts';

type Words = readonly string[];
type Lists<Name extends string> = Readonly<Record<Name, Words>>;
export type WordKind = 'status' | 'priority' | 'role' | 'visibility';
/** Its nouns may be part of a name. */
export type Scope = 'ticket' | 'message' | 'people' | 'file';

type Vocabulary = Readonly<
  /** Lists of one field are tried in order. */
  Record<Scope, Readonly<Record<string, readonly Words[]>>> &
    Record<WordKind | 'nouns' | 'direction', Readonly<Record<string, Words>>> &
    Record<
      'readers',
      Lists<'internal' | 'public' | 'notes' | 'own' | 'names' | 'words' | 'team' | 'phrases'>
    > &
    Record<'marks', Lists<'kind' | 'gone' | 'goneAt'>> &
    Record<'likely', Lists<'priority' | 'author'>> &
    Lists<'wrappers' | 'other' | 'versions' | 'replies' | 'counts' | 'survey'> &
    Lists<'yes' | 'no' | 'absent' | 'nobody' | 'nobodyToo' | 'negation' | 'articles'>
>;
let read: Vocabulary | undefined;

/** Words as `plain` makes them, except for `absent`. */
export function vocabulary(): Vocabulary {
  read ??= words();
  return read;
}

function words(): Vocabulary {
  const { articles, absent, ...lists } = wordsIn<unknown>(FILE) as Vocabulary;
  ARTICLES = new Set(articles);
  return { ...(eachPlain(lists) as Vocabulary), articles, absent };
}

const FILE = join(import.meta.dirname, 'vocabulary.yaml');
let ARTICLES: ReadonlySet<string> | undefined;

function eachPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(eachPlain);
  if (typeof value !== 'object' || value === null)
    return String(value).includes('{') ? String(value) : String(value).split('*').map(plain).join('*');
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, eachPlain(inner)]));
}

/** `Fecha_de-Envío` → `fecha envio`. */
export function plain(name: string): string {
  const articles = ARTICLES ?? new Set(vocabulary().articles);
  const words = name
    .slice(0, 300)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .split(/[^\p{L}\p{N}#]+/u)
    .filter((word) => word !== '');
  const kept = words.filter((word) => !articles.has(word));
  return (kept.length === 0 ? words : kept).join(' ').replace(/\be mail\b/g, 'email');
}

const MOST_REMEMBERED = 5000;

/** Answers for words that come again and again, in each row. */
export function remembered<T>(of: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>();
  return (word) => {
    if (known.has(word)) return known.get(word) as T;
    const found = of(word);
    if (known.size < MOST_REMEMBERED) known.set(word, found);
    return found;
  };
}

const TESTS = new WeakMap<Words, RegExp>();

/** True if the text has words of the list, where `*` is the rest of a word. */
export function mentions(list: Words, text: string): boolean {
  let test = TESTS.get(list);
  if (test === undefined) {
    test = new RegExp(`(?:^| )(?:${list.join('|').replaceAll('*', '[^ ]*')})(?: |$)`);
    TESTS.set(list, test);
  }
  return test.test(plain(text));
}

/** The list has the whole name, or a pattern such as `{customer} {email?}`. */
export const isIn = (list: Words, form: string): boolean =>
  list.some((name) => name === form || (name.includes('{') && isMadeOf(`${name}\0${form}`)));

/** Words of these classes in any order, also as one word: `Kundenmail`. */
const isMadeOf = remembered((both: string): boolean => {
  const [pattern = '', form = ''] = both.split('\0');
  const { nouns } = vocabulary();
  const parts = pattern.split(' ').map((part) => ({
    isNeeded: !part.includes('?'),
    words: part
      .replace(/[{}?]/g, '')
      .split('|')
      .flatMap((name) => nouns[name] ?? []),
  }));
  const all = new Set(parts.flatMap(({ words: own }) => own));
  const own = form.split(' ').flatMap((word) => (all.has(word) ? [word] : halvesOf(word, all)));
  const needed = parts.filter(({ isNeeded }) => isNeeded);
  return (
    own.length >= needed.length &&
    own.every((word) => all.has(word)) &&
    needed.every((part) => part.words.some((word) => own.includes(word)))
  );
});

function halvesOf(word: string, all: ReadonlySet<string>): string[] {
  for (let at = 2; at < word.length - 1; at++) {
    const [one, other] = [word.slice(0, at), word.slice(at)];
    const rest = [other, other.replace(/^(?:s|n|en|es)(?=..)/, '')].find((each) => all.has(each));
    if (all.has(one) && rest !== undefined) return [one, rest];
  }
  return [word];
}

export function meaningOf(kind: WordKind, value: string): string | undefined {
  const word = plain(value);
  const whole = wordIn(kind, word) ?? wordIn(kind, word.replace(/^\d+ (?=\p{L})/u, ''));
  return whole ?? (kind === 'role' ? sideOf(word) : undefined);
}

const wordIn = (kind: WordKind | 'direction', word: string) =>
  Object.entries(vocabulary()[kind]).find(([, list]) => list.includes(word))?.[0];

/** "Incoming email": the customer's. */
export function sideOf(name: string): string | undefined {
  const sides = new Set(name.split(' ').flatMap((word) => wordIn('direction', word) ?? []));
  return sides.size === 1 ? [...sides][0] : undefined;
}

const isEnd = (status: string) => status === 'resolved' || status === 'closed';

/**
 * By the first words that are known, without brackets and the field's own name: "High priority", "Processando (atribuído)".
 * Undefined if it is not clear whether the ticket is still open.
 */
export function readingOf(kind: WordKind, value: string): string | undefined {
  const bare = value.replace(/\s*[([{].*?[)\]}]/g, '');
  const whole = meaningOf(kind, value) ?? (bare.trim() === '' ? undefined : meaningOf(kind, bare));
  if (whole !== undefined || (kind !== 'status' && kind !== 'priority')) return whole;
  const field = vocabulary().ticket[kind]?.flat() ?? [];
  const said = plain(bare)
    .split(' ')
    .filter((word) => !field.includes(word));
  if (mentions(vocabulary().negation, said.join(' '))) return undefined;
  const found = said.flatMap((_, from) => {
    const longest = said.slice(from).map((__, at) => said.slice(from, said.length - at).join(' '));
    return longest.map((words) => wordIn(kind, words)).find((meaning) => meaning !== undefined) ?? [];
  });
  const isDoubt = kind === 'status' && new Set(found.map(isEnd)).size > 1;
  return isDoubt ? undefined : found[0];
}

let truths: ReadonlyMap<string, boolean> | undefined;

/** Undefined for other words. `1.0` is 1, as a warehouse writes it. */
export function yesOrNo(value: string): boolean | undefined {
  truths ??= new Map([
    ...vocabulary().yes.map((word) => [word, true] as const),
    ...vocabulary().no.map((word) => [word, false] as const),
  ]);
  const word = value
    .trim()
    .toLowerCase()
    .replace(/^([01])\.0+$/, '$1');
  return truths.get(word) ?? (/^[\p{L}\p{M}]{2,12}$/u.test(word) ? truths.get(plain(word)) : undefined);
}

/** The name says that a text is the team's own. */
export function isForTeam(name: string): boolean {
  const { internal, notes, own } = vocabulary().readers;
  return [internal, notes, own].some((list) => mentions(list, name));
}

/** The name of a column, or a word in it, speaks of who may see a text. */
export function isAboutReaders(text: string, of: 'names' | 'words'): boolean {
  const { internal, public: open, notes, [of]: others } = vocabulary().readers;
  const bare = plain(text).replace(/\bis ?(?=..)/g, '');
  return [internal, open, notes, others].some((list) => mentions(list, bare));
}

/** A message of this kind is a note: "Private", "interne Notiz", "agent note". */
export const isNoteKind = remembered((kind: string): boolean => {
  const { readers, nouns } = vocabulary();
  const said = plain(kind).split(' ');
  const isNote = (word: string) => mentions(readers.internal, word) || mentions(readers.notes, word);
  const isBeside = (word: string) => ['message', 'ours'].some((noun) => nouns[noun]?.includes(word));
  return said.some(isNote) && said.every((word) => isNote(word) || word === 'work' || isBeside(word));
});

/** A text begins with words for the team alone: "[internal]", "Nota interna:", "do not share - ". */
export function isMarkedForTeam(text: string): boolean {
  const label = /^\W{0,4}(\p{L}[\p{L} _-]{1,34}?)\s?(?:[\])}:*>|–—]|-(?!\p{L}))/u.exec(text)?.[1];
  if (label === undefined) return false;
  const { internal, phrases } = vocabulary().readers;
  const [first = '', ...more] = plain(label).split(' ');
  const isInternal = (word: string) => mentions(internal, word);
  return isInternal(first) || (isNoteKind(label) && more.some(isInternal)) || mentions(phrases, plain(label));
}
