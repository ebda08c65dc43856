/** What stands in one column, gathered value by value in bounded memory. */

import { KeySketch } from '../findings/key-sketch.ts';
import { noEvidence, type OrderEvidence, weigh } from '../mapping/time/day-order.ts';
import { CONCEPT_WORDS, isTellingName, wordsOf } from './concept-words.ts';
import {
  epochPattern,
  kindOfValue,
  nullText,
  orderedPattern,
  timePattern,
  type ValueKind,
} from './value-kind.ts';

type ColumnType = ValueKind | 'empty' | 'mixed';

interface TimeStyle {
  /** `dd/MM/yyyy HH:mm`; with `or` where the order of day and month is open. */
  readonly pattern: string;
  readonly zoned: boolean;
  readonly count: number;
  readonly example: string;
}

/** Which of day and month stands first: proven by some value, open, or values that contradict each other. */
export type DayOrder = 'day-first' | 'month-first' | 'open' | 'contradictory';

export interface ColumnProfile {
  /** Header, or path from the record on: `messages[].body`. */
  readonly name: string;
  /** What it is called by what stands in it, where its name says nothing. */
  readonly called?: string | undefined;
  /** Rows looked at; for what stands inside of a list, its items. */
  readonly rows: number;
  readonly filled: number;
  readonly type: ColumnType;
  /** Values by kind, most frequent first. */
  readonly kinds: readonly { readonly kind: ValueKind; readonly count: number }[];
  readonly distinct: number;
  /** False: `distinct` is an estimate. */
  readonly distinctExact: boolean;
  /** All of them, most frequent first, where they are few. */
  readonly values: readonly ValueCount[] | undefined;
  /** First different values as they stand, cut. */
  readonly examples: readonly string[];
  /** Longest value, and the average, in UTF-16 units. */
  readonly longest: number;
  /** Values with lines, and values where `\\n` as two characters stands between their lines. */
  readonly lines: { readonly broken: number; readonly escaped: number };
  readonly averageLength: number;
  /** Texts that mean nothing is there, e.g. `NULL`; not counted as filled. */
  readonly nulls: readonly ValueCount[];
  /** The one text that stands among values of other kinds, where all texts are the same. */
  readonly onlyText: ValueCount | undefined;
  /** How times are written, most frequent first. */
  readonly times: readonly TimeStyle[];
  readonly dayOrder: DayOrder | undefined;
  readonly keys: KeySketch;
  /** Smallest number, where all values are whole numbers. */
  readonly least: number | undefined;
}

/** `\\n` after a sentence or before one, as between lines. */
const ESCAPED_LINES = /\\n\\n|[\s.,;:!?]\\n|\\n\p{Lu}/u;
const EXAMPLES = 3;
const EXAMPLE_LENGTH = 200;
/** Longer texts are no keys, and are not compared. */
const LONGEST_KEY = 200;
/** Kinds that are one thing written in two ways; what differs beyond is mixed. */
const ALIKE: Readonly<Partial<Record<ValueKind, ValueKind>>> = {
  integer: 'number',
  date: 'time',
  html: 'text',
};
/** So large a share of the filled values makes the type; the rest is noise. */
const CLEAR = 0.95;
/** So many times beside one word make a column of times. */
const LEAST_TIMES = 3;
const MOST_STYLES = 20;
const REMEMBERED = 250;

export class ColumnCollector {
  readonly name: string;
  rows = 0;
  #filled = 0;
  #length = 0;
  #longest = 0;
  #broken = 0;
  #escaped = 0;
  readonly #kinds = new Map<ValueKind, number>();
  readonly #known = new Map<string, ValueKind | undefined>();
  readonly #values = new DistinctValues();
  readonly #nulls = new Map<string, number>();
  readonly #examples: string[] = [];
  readonly #styles = new Map<string, { zoned: boolean; count: number; example: string }>();
  readonly #order: OrderEvidence = noEvidence();
  readonly #keys = new KeySketch();
  readonly #texts = new DistinctValues(1);
  readonly #standIns: ReadonlySet<string>;
  #least: number | undefined;

  /** `standIns`: what this export writes where nothing is known (stand-ins.ts). */
  constructor(name: string, standIns: ReadonlySet<string> = new Set()) {
    this.name = name;
    this.#standIns = standIns;
  }

  /** One more row without a value. */
  addEmpty(): void {
    this.rows++;
  }

  add(value: unknown): void {
    this.rows++;
    const kind = typeof value === 'string' ? this.#kindOf(value) : kindOfValue(value);
    if (kind === undefined) return;
    const text = typeof value === 'object' ? '' : String(value);
    const nothing = nullText(text) ?? this.#standIn(text);
    if (nothing !== undefined) {
      this.#nulls.set(nothing, (this.#nulls.get(nothing) ?? 0) + 1);
      return;
    }
    this.#filled++;
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    if (typeof value === 'object') return;
    this.#length += text.length;
    if (text.length > this.#longest) this.#longest = text.length;
    const trimmed = text.trim();
    if (trimmed.includes('\n')) this.#broken++;
    else if (ESCAPED_LINES.test(trimmed)) this.#escaped++;
    this.#values.add(trimmed);
    if (kind === 'text') this.#texts.add(trimmed);
    if (trimmed.length <= LONGEST_KEY) this.#keys.add(trimmed);
    if (this.#examples.length < EXAMPLES) {
      const example = trimmed.slice(0, EXAMPLE_LENGTH);
      if (!this.#examples.includes(example)) this.#examples.push(example);
    }
    if (kind === 'integer') this.#least = Math.min(this.#least ?? Number.POSITIVE_INFINITY, Number(text));
    if (kind === 'time' || kind === 'date') {
      this.#addStyle(timePattern(trimmed), trimmed);
      weigh(this.#order, trimmed);
    } else if (kind === 'integer' || kind === 'number') this.#addStyle(epochPattern(trimmed), trimmed);
  }

  profile(rows = this.rows): ColumnProfile {
    const distinct = this.#keys.distinct();
    const values = this.#values.list();
    const kinds = [...this.#kinds]
      .map(([kind, count]) => ({ kind, count }))
      .sort((a, b) => b.count - a.count);
    return {
      name: this.name,
      rows,
      filled: this.#filled,
      type: this.#isTimesButOneWord(kinds) ? 'time' : typeOf(kinds, this.#filled),
      kinds,
      distinct: values?.length ?? distinct.count,
      distinctExact: values !== undefined || distinct.exact,
      values,
      examples: this.#examples,
      longest: this.#longest,
      lines: { broken: this.#broken, escaped: this.#escaped },
      averageLength: this.#filled === 0 ? 0 : Math.round(this.#length / this.#filled),
      nulls: [...this.#nulls].map(([value, count]) => ({ value, count })),
      onlyText: kinds.length > 1 ? this.#texts.list()?.[0] : undefined,
      times: this.#timeStyles(),
      dayOrder: this.#dayOrder(),
      keys: this.#keys,
      least: kinds.length === 1 ? this.#least : undefined,
    };
  }

  /** `open` where there is no time yet: still a column of times, and whoever imports it is told of the word. */
  #isTimesButOneWord(kinds: readonly { kind: ValueKind; count: number }[]): boolean {
    const count = (...some: readonly ValueKind[]) =>
      kinds.filter(({ kind }) => some.includes(kind)).reduce((sum, { count }) => sum + count, 0);
    const words = this.#texts.list()?.[0]?.count ?? 0;
    const times = count('time', 'date');
    return words > 0 && times >= LEAST_TIMES && times + words === this.#filled && count('text') === words;
  }

  #standIn(text: string): string | undefined {
    const trimmed = text.trim();
    return this.#standIns.has(trimmed) ? trimmed : undefined;
  }

  /** Columns of words repeat them, so what was told of a word is remembered. */
  #kindOf(text: string): ValueKind | undefined {
    if (text.length > 64) return kindOfValue(text);
    if (this.#known.has(text)) return this.#known.get(text);
    const kind = kindOfValue(text);
    if (this.#known.size < REMEMBERED) this.#known.set(text, kind);
    return kind;
  }

  #addStyle(style: { pattern: string; zoned: boolean } | undefined, example: string): void {
    if (style === undefined) return;
    const known = this.#styles.get(style.pattern);
    if (known !== undefined) known.count++;
    else if (this.#styles.size < MOST_STYLES)
      this.#styles.set(style.pattern, { zoned: style.zoned, count: 1, example });
  }

  #dayOrder(): DayOrder | undefined {
    const { dayFirst, monthFirst, either } = this.#order;
    if (dayFirst !== undefined && monthFirst !== undefined) return 'contradictory';
    if (dayFirst !== undefined) return 'day-first';
    if (monthFirst !== undefined) return 'month-first';
    return either === undefined ? undefined : 'open';
  }

  #timeStyles(): TimeStyle[] {
    const order = this.#dayOrder();
    const dayFirst = order === 'day-first' ? true : order === 'month-first' ? false : undefined;
    const styles = [...this.#styles].map(([pattern, { zoned, count, example }]) => ({
      pattern: orderedPattern(pattern, dayFirst),
      zoned,
      count,
      example,
    }));
    // numbers are times only where all of them could be, and the column is named like one
    const numbers = styles.filter(({ pattern }) => pattern.endsWith('since 1970'));
    const isEpoch =
      numbers.reduce((sum, { count }) => sum + count, 0) === this.#filled &&
      (TIME_NAME.test(this.name) || isNamedTime(this.name) || !isTellingName(this.name));
    return alike(styles.filter((style) => isEpoch || !numbers.includes(style))).sort(
      (a, b) => b.count - a.count,
    );
  }
}

/** `9:26` and `10:26` are one style: hours without a leading zero. */
function alike(styles: readonly TimeStyle[]): TimeStyle[] {
  const merged = new Map<string, TimeStyle>();
  const short = new Set(
    styles.map(({ pattern }) => pattern).filter((pattern) => /(?<![Hh])[Hh][:.'h]/.test(pattern)),
  );
  for (const style of styles) {
    const plain = style.pattern.replace(/HH|hh/, (hours) => hours[0] ?? '');
    const pattern = short.has(plain) ? plain : style.pattern;
    const known = merged.get(pattern);
    merged.set(
      pattern,
      known === undefined ? { ...style, pattern } : { ...known, count: known.count + style.count },
    );
  }
  return [...merged.values()];
}

/** The words of a time in any language that concepts have. */
function isNamedTime(name: string): boolean {
  return wordsOf(name).some((word) =>
    (['createdAt', 'updatedAt', 'resolvedAt', 'closedAt', 'sentAt'] as const).some(
      (concept) =>
        (Object.hasOwn(CONCEPT_WORDS[concept], word) ? (CONCEPT_WORDS[concept][word] ?? 0) : 0) >= 0.7,
    ),
  );
}

const TIME_NAME =
  /(?:time|date|created|updated|closed|solved|resolved|opened|_at$|At$|_on$|On$|stamp|(?:^|[._\]])ts$|zeit|datum|fecha|data)/i;

/** Whether the values of a column can be read as times: written as such, or numbers of seconds. */
export function isTimeColumn({ type, times }: ColumnProfile): boolean {
  return (
    type === 'time' || type === 'date' || (times.length > 0 && (type === 'integer' || type === 'number'))
  );
}

function typeOf(kinds: readonly { kind: ValueKind; count: number }[], filled: number): ColumnType {
  const [first] = kinds;
  if (first === undefined) return 'empty';
  if (first.count >= CLEAR * filled) return first.kind;
  const merged = new Map<ValueKind, number>();
  for (const { kind, count } of kinds) {
    const plain = ALIKE[kind] ?? kind;
    merged.set(plain, (merged.get(plain) ?? 0) + count);
  }
  // among texts there are some that look like something else: a number, a date, a link
  const share = (kind: ValueKind) => (merged.get(kind) ?? 0) / filled;
  for (const [kind] of merged) if (share(kind) >= CLEAR) return kind;
  const written = share('text') + share('url') + share('email') + share('list');
  return share('text') >= 0.5 && written >= CLEAR ? 'text' : 'mixed';
}

// The different values of a column with their counts, as long as they are few; memory is bounded.

interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** More different values than this are no set of values. */
const MOST_VALUES = 250;
/** A value of a set is a word or a few; longer ones are texts. In UTF-16 units. */
const LONGEST_VALUE = 120;

export class DistinctValues {
  #counts: Map<string, number> | undefined = new Map();
  readonly #most: number;

  constructor(most = MOST_VALUES) {
    this.#most = most;
  }

  add(value: string): void {
    const counts = this.#counts;
    if (counts === undefined) return;
    const known = counts.get(value);
    if (known !== undefined) counts.set(value, known + 1);
    else if (counts.size >= this.#most || value.length > LONGEST_VALUE) this.#counts = undefined;
    else counts.set(value, 1);
  }

  /** Most frequent first, then in the order of their text; undefined when there are too many. */
  list(): ValueCount[] | undefined {
    if (this.#counts === undefined) return undefined;
    return [...this.#counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  }
}
