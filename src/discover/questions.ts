/** What only a person knows: a question on a terminal, or a line `TODO` in the settings. Answers are the settings themselves. */
import { printable, shorten } from '../domain/printable.ts';
import type { Column } from './profile.ts';

/** Where in the settings file something is. */
export type SettingPath = readonly (string | number)[];

/** A run with one left in the settings stops with exit code 2. */
export const TODO = 'TODO';

/** `null`: none of the choices. */
export type AnswerValue = string | boolean | null;

export interface Choice {
  readonly value: AnswerValue;
  readonly label: string;
}

export interface Question {
  /** By this an answer is known again when the mapping is proposed anew with it. */
  readonly key: string;
  /** At this path of the settings is `TODO` until it is answered. */
  readonly path: SettingPath;
  /** What is asked for, in a word or two: the comment of the line begins with it. */
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
export function openAt(settings: Record<string, unknown>, path: SettingPath): SettingPath {
  let at: unknown = settings;
  for (const step of path) at = (at as Record<string | number, unknown> | undefined)?.[step];
  const inner = typeof at === 'object' && at !== null && 'column' in at ? [...path, 'column'] : path;
  setAt(settings, inner, TODO);
  return inner;
}

/** The value at a path, made where it is not there yet. */
export function setAt(settings: Record<string, unknown>, path: SettingPath, value: unknown): void {
  let holder = settings as Record<string | number, unknown>;
  for (const [at, step] of path.slice(0, -1).entries()) {
    const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
    const empty = typeof path[at + 1] === 'number' ? [] : {};
    if (typeof inner !== 'object' || inner === null)
      Object.defineProperty(holder, step, {
        value: empty,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    holder = holder[step] as Record<string | number, unknown>;
  }
  const last = path.at(-1);
  if (last !== undefined)
    Object.defineProperty(holder, last, { value, enumerable: true, writable: true, configurable: true });
}

/** Where `TODO` is in the settings. */
export function openPaths(settings: unknown, path: SettingPath = []): SettingPath[] {
  if (settings === TODO) return [path];
  if (Array.isArray(settings)) return settings.flatMap((value, index) => openPaths(value, [...path, index]));
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) => openPaths(value, [...path, key]));
}
