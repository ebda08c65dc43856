/**
 * One setting, said once: what it means, how it is written, what it becomes, and by which flag, variable and option of the
 * library it can be given. The schema of the file, the options of `run`, the reference, the rows of `doctor` and the type
 * `Settings` are made from these entries.
 */
import type { OptionSpec } from './option-spec.ts';
import { good, oneOf, type Parsed, parseBoolean } from './parsers.ts';

/** What the reading of one setting may depend on. */
export interface ReadContext {
  /** Zone of times that do not say theirs: `source.timezone`, which stands before every time in the table. */
  readonly zone: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What may stand in the file, by kind. */
export interface Written {
  readonly text: string;
  readonly switch: boolean;
  readonly amount: number | string;
  readonly texts: string | string[];
  readonly agents: string | Record<string, string | number>;
  readonly emails: 'reject' | { synthesize: string };
  readonly mapping: Record<string, unknown>;
  readonly answers: Record<string, boolean>;
}

/** Its example is what stands behind `helpdesk-import run`; its default is that of the setting unless it is said in words. */
type FlagSpec = OptionSpec;

interface Spec {
  /** For the reference and for editors, a sentence. Absent: the setting has no place in the file. */
  readonly meaning?: string;
  /** As it would be written. */
  readonly default?: string | number | boolean | readonly string[];
  readonly examples?: readonly unknown[];
  readonly flag?: FlagSpec;
  /** What a flag means that is given without its value. */
  readonly alone?: string;
  readonly env?: string;
  /** Its name in the options of the library, dotted. */
  readonly option?: string;
  /** A file or folder: in the settings file relative to that. */
  readonly isPath?: true;
  /**
   * For what is meant for one service: in a sandbox only the flag counts, and this is the default there, of a path below
   * the sandbox's folder. `default`: the usual one.
   */
  readonly inSandbox?: 'default' | { readonly default: string | readonly string[] };
  /** How `doctor` shows a value that is more than a text. */
  readonly show?: (value: never) => string;
}

export interface Setting<T = unknown, W = unknown> extends Spec {
  readonly kind: keyof Written;
  /** All that may be said. */
  readonly words?: readonly string[];
  readonly isList?: boolean;
  /** Read as it is, not as text. */
  readonly isWhole?: boolean;
  /** Gets a text, or with `isWhole` what the schema has let through. */
  readonly read: (written: never, context: ReadContext) => Parsed<unknown>;
  /** For the compiler: what it becomes, and what may stand in the file. */
  readonly types?: { readonly value: T; readonly written: W };
}

type Read<T> = (text: string, context: ReadContext) => Parsed<T>;
type Value<T, S> = S extends { readonly default: unknown } ? T : T | undefined;
type InFile<K extends keyof Written, S> = S extends { readonly meaning: string } ? Written[K] : never;

export function text<T, const S extends Spec>(
  read: Read<T>,
  spec: S,
): Setting<Value<T, S>, InFile<'text', S>> & S {
  return { ...spec, kind: 'text', read };
}

/** A number, or a text with a number in it. */
export function amount<T, const S extends Spec>(
  read: Read<T>,
  spec: S,
): Setting<Value<T, S>, InFile<'amount', S>> {
  return { ...spec, kind: 'amount', read };
}

/** One or several; every one is read by itself. */
export function texts<T, const S extends Spec>(
  read: Read<T>,
  spec: S,
): Setting<Value<readonly T[], S>, InFile<'texts', S>> {
  return { ...spec, kind: 'texts', isList: true, read };
}

/** True or false. */
export function toggle<const S extends Spec>(spec: S): Setting<Value<boolean, S>, InFile<'switch', S>> {
  return { ...spec, kind: 'switch', read: parseBoolean };
}

export function word<const W extends string, const S extends Spec, T = W>(
  words: readonly W[],
  spec: S,
  become: (word: W) => T = (chosen) => chosen as unknown as T,
): Setting<Value<T, S>, S extends { readonly meaning: string } ? W : never> {
  return {
    ...spec,
    kind: 'text',
    words,
    read: (written: string) => {
      const chosen = oneOf(words)(written);
      return 'value' in chosen ? good(become(chosen.value)) : chosen;
    },
  };
}

/** What has keys and values of its own. */
export function whole<
  K extends 'agents' | 'emails' | 'mapping' | 'answers',
  const S extends Spec,
  T = Written[K],
>(
  kind: K,
  spec: S,
  become: (written: Written[K]) => T = (written) => written as T,
  read: (written: Written[K]) => Parsed<T> = (written) => good(become(written)),
): Setting<Value<T, S>, InFile<K, S>> {
  return { ...spec, kind, isWhole: true, read };
}
