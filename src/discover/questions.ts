/** Questions for a person: on a terminal, or as `TODO` lines of the settings. Answers are settings. */
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import { printable, shorten } from '../domain/printable.ts';
import type { Column, ValueCount } from './profile.ts';

/** Where in the settings file something is. */
export type SettingPath = readonly (string | number)[];

/** A run with one left in the settings stops with exit code 2. */
export const TODO = 'TODO';

/** `null`: no choice fits. */
export type AnswerValue = string | boolean | null;

export interface Choice {
  readonly value: AnswerValue;
  readonly label: string;
}

export interface Question {
  /** Identifies its answer in the next proposal. */
  readonly key: string;
  /** At this path of the settings is `TODO` until it is answered. */
  readonly path: SettingPath;
  /** Its subject in a word or two, for the comment of the line. */
  readonly concept: string;
  /** For a terminal. */
  readonly question: string;
  /** The likeliest first. Without choices any text that `kind` allows. */
  readonly choices?: readonly Choice[];
  readonly kind: 'choice' | 'zone' | 'time' | 'domain' | 'text';
  /** Offered as the answer to a free question. */
  readonly suggestion?: string;
  /** Questions are asked in this order: what does most damage comes first. */
  readonly rank: number;
}

/** Order of the questions. */
export const RANK = {
  table: 0,
  key: 1,
  rows: 2,
  text: 3,
  parent: 4,
  role: 5,
  visibility: 6,
  requester: 7,
  createdAt: 8,
  subject: 9,
  status: 10,
  word: 11,
  time: 12,
  other: 13,
} as const;

/** Questions of one export at most; what is beyond stays unmapped. */
export const MOST_QUESTIONS = 10;

export interface Comment {
  readonly path: SettingPath;
  readonly text: string;
}

/** Answers by the key of their question. */
export type Answers = ReadonlyMap<string, AnswerValue>;

const SAMPLES = 3;
const LONGEST_SAMPLE = 30;

/** A column as a choice: its name with samples. */
export function columnChoice({ name, path, examples }: Column): Choice {
  const samples = examples
    .slice(0, SAMPLES)
    .map((text) => shorten(printable(text.replace(/\s+/g, ' ')), LONGEST_SAMPLE));
  return { value: path, label: `"${printable(name)}" (${samples.join(' | ')})` };
}

export const NONE: Choice = { value: null, label: 'none of these' };

const choicesOf = (values: readonly string[]) => values.map((value): Choice => ({ value, label: value }));
export const ROLE_CHOICES: readonly Choice[] = [
  { value: 'agent', label: 'an agent of the team' },
  { value: 'customer', label: 'a customer' },
  { value: 'system', label: 'a program' },
];
const MEANINGS = {
  status: choicesOf(TICKET_STATUSES),
  priority: choicesOf(TICKET_PRIORITIES),
  role: ROLE_CHOICES,
} as const;
export type WordKind = keyof typeof MEANINGS;

/** A question for each word that a map lacks, up to so many; then one for all. */
const MOST_WORDS = 3;

/** Questions about the words that the map at `path` lacks. */
export function wordQuestions(kind: WordKind, words: readonly ValueCount[], path: SettingPath): Question[] {
  const choices = MEANINGS[kind];
  const about = (at: SettingPath, concept: string, question: string, last: readonly Choice[]): Question => ({
    key: at.join('.'),
    path: at,
    concept: `${kind} ${concept}`,
    question,
    choices: [...choices, ...last],
    kind: 'choice',
    rank: kind === 'role' ? RANK.role : RANK.word,
  });
  const named = words.map(({ value }) => JSON.stringify(value));
  if (words.length > MOST_WORDS)
    return [
      about(
        [...path.slice(0, -1), 'unlisted', 'value'],
        `of ${named.slice(0, 12).join(', ')}`,
        `${words.length} words of the ${kind} are unknown, such as ${named.slice(0, 3).join(', ')}. What do they mean?`,
        [],
      ),
    ];
  const none = kind === 'role' ? [] : [{ value: null, label: `no ${kind}` }];
  return words.map(({ value, count }) =>
    about(
      [...path, value],
      JSON.stringify(value),
      `What does the ${kind} "${value}" mean (${count} times)?`,
      none,
    ),
  );
}

/** Behind `TODO`: `<concept>: "col a" (sample), "col b" (sample)`. */
export function todoComment({ concept, choices, suggestion }: Question): string {
  const shown = (choices ?? [])
    .filter(({ value }) => value !== 'different')
    .map(({ value, label }) =>
      label.startsWith('"') || value === label
        ? label
        : value === null
          ? 'null (none of these)'
          : `${value} (${label})`,
    );
  const what = shown.length > 0 ? shown.join(', ') : `for example ${suggestion}`;
  return ` ${printable(`${concept}: ${what}`).replace(/\s+/g, ' ')}`;
}

/** Opens a place: in a rule that does more with a column, the column is what is open. */
export function openAt(settings: Record<string, unknown>, path: SettingPath): void {
  let at: unknown = settings;
  for (const step of path) at = (at as Record<string | number, unknown> | undefined)?.[step];
  setAt(settings, typeof at === 'object' && at !== null && 'column' in at ? [...path, 'column'] : path, TODO);
}

/** Sets the value at a path, made where it is not there yet. */
export function setAt(settings: Record<string, unknown>, path: SettingPath, value: unknown): void {
  let holder = settings as Record<string | number, unknown>;
  // a word of an export may be called __proto__
  const define = (step: string | number, own: unknown) =>
    Object.defineProperty(holder, step, { value: own, enumerable: true, writable: true, configurable: true });
  for (const [at, step] of path.entries()) {
    if (at === path.length - 1) define(step, value);
    else {
      const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
      if (typeof inner !== 'object' || inner === null)
        define(step, typeof path[at + 1] === 'number' ? [] : {});
      holder = holder[step] as Record<string | number, unknown>;
    }
  }
}

/** Where `TODO` is in the settings. */
export function openPaths(settings: unknown, path: SettingPath = []): SettingPath[] {
  if (settings === TODO) return [path];
  if (Array.isArray(settings)) return settings.flatMap((value, index) => openPaths(value, [...path, index]));
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) => openPaths(value, [...path, key]));
}
