/** Severity, sentence, title and advice of each kind of problem, from one entry of `problems.yaml`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { formatCount } from '../printable.ts';
import type { Problem, Severity } from '../problem.ts';

interface ProblemWords {
  readonly severity?: Severity;
  /** `{name}`, and by number `{count|# row is|# rows are}`. Kinds with several sentences have a name for each. */
  readonly says?: string | Readonly<Record<string, string>>;
  /** What `init` asks about it, as only a person knows it. */
  readonly asks?: string;
  /** Each one is shown, as each is said once. */
  readonly each?: boolean;
  readonly title: string;
  readonly todo: string;
}

export type ProblemData = Readonly<Record<string, string | number | undefined>>;

type Words<Entry> = Readonly<Record<string, Entry>>;
type Sentence = { readonly says: string; readonly todo?: string };

const tables = new Map<string, unknown>();

/** Sentences by name, from a YAML file of the program. */
export function wordsIn<Entry = Sentence>(path: string): Words<Entry> {
  if (!tables.has(path)) tables.set(path, read(path));
  return tables.get(path) as Words<Entry>;
}

/** The built program has them as JSON, as reading YAML takes a tenth of a second. */
function read(path: string): unknown {
  const built = path.replace(/yaml$/, 'json');
  return existsSync(built) ? JSON.parse(readFileSync(built, 'utf8')) : parse(readFileSync(path, 'utf8'));
}

const PROBLEMS = join(import.meta.dirname, 'problems.yaml');

export function allProblemWords(): Words<ProblemWords> {
  return wordsIn(PROBLEMS);
}

export function wordsOf(code: string): ProblemWords | undefined {
  return Object.hasOwn(allProblemWords(), code) ? allProblemWords()[code] : undefined;
}

/** `kind`: a code, or `code:sentence` if it has several. */
export function problemOf(
  kind: string,
  data: ProblemData,
  place: Partial<Omit<Problem, 'code' | 'message'>> = {},
): Problem {
  const [code = '', sentence = ''] = kind.split(':');
  const { severity = 'warning', title = code, says = `${title}.` } = wordsOf(code) ?? {};
  const message = say(typeof says === 'string' ? says : (says[sentence] ?? ''), {
    count: 1,
    ...place,
    ...data,
  });
  return { severity, code, count: 1, ...place, message };
}

const PART = /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g;

export function say(sentence: string, data: Readonly<Record<string, unknown>>): string {
  return sentence.replaceAll(PART, (_, name: string, one?: string, several?: string) => {
    const value = data[name] ?? '';
    const shown = typeof value === 'number' ? formatCount(value) : String(value);
    return several === undefined ? shown : ((value === 1 ? one : several) ?? '').replace('#', () => shown);
  });
}
