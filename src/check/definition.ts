/**
 * Definitions of records: zod schemas with advice. A check gives the record as sent, or all its faults, each with a `message` for API
 * clients and `advice` for the owner of the export.
 */
import * as z from 'zod';
import { didYouMean } from '../domain/nearest.ts';
import { isJsonObject } from '../domain/source-file.ts';
import { shown } from './findings.ts';

interface Fault {
  /** `attachments[0].url`; empty for the record itself. */
  readonly path: string;
  /** Code of the problem. */
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

export type Field<Value> = z.ZodType<Value>;

/** The texts for a wrong value. */
export type Advise = (value: unknown, path: string) => { readonly code: string; readonly advice: string };

/** A rule over several fields, checked even if single fields are wrong. */
export type Rule = (record: Readonly<Record<string, unknown>>) => Fault | undefined;

export interface Definition<Record> {
  /** In the order of sending. */
  readonly fields: readonly string[];
  judge(value: unknown): { readonly record: Record } | { readonly faults: readonly Fault[] };
}

type OptionalKeys<Record> = {
  [K in keyof Record]-?: object extends Pick<Record, K> ? K : never;
}[keyof Record];
type FieldsOf<Record> = {
  [K in keyof Record]-?: K extends OptionalKeys<Record>
    ? z.ZodOptional<Field<NonNullable<Record[K]>>>
    : Field<NonNullable<Record[K]>>;
};

export function define<Record extends object>(
  fields: FieldsOf<Record>,
  rules: readonly Rule[],
): Definition<Record> {
  const names = Object.keys(fields);
  const schema = object<Record>(fields as z.ZodRawShape);
  return {
    fields: names,
    judge: (value) => {
      const faults = faultsOf(schema, value);
      if (isJsonObject(value)) faults.push(...rules.flatMap((rule) => rule(value) ?? []));
      if (faults.length > 0) return { faults };
      // the originals: attachments carry symbols that are not sent
      const parts = value as globalThis.Record<string, unknown>;
      const sent = names.filter((name) => parts[name] !== undefined).map((name) => [name, parts[name]]);
      return { record: Object.fromEntries(sent) as Record };
    },
  };
}

/** A list of records. */
export function defineList<Record>(of: Definition<Record>): Definition<Record[]> {
  const anyList = list(z.unknown());
  return {
    fields: [],
    judge: (value) => {
      if (!Array.isArray(value)) return { faults: faultsOf(anyList, value) };
      const judged = value.map(of.judge);
      const faults = judged.flatMap((result, index) =>
        ('faults' in result ? result.faults : []).map((fault) => {
          return { ...fault, path: join(`[${index}]`, fault.path) };
        }),
      );
      if (faults.length > 0) return { faults };
      return { record: judged.flatMap((result) => ('record' in result ? [result.record] : [])) };
    },
  };
}

function faultsOf(schema: z.ZodType, value: unknown): Fault[] {
  return (schema.safeParse(value).error?.issues ?? []).flatMap((issue): Fault[] => {
    let part = value;
    let at: z.core.$ZodType = schema;
    let path = '';
    for (const key of issue.path) {
      part = (part as Record<PropertyKey, unknown> | undefined)?.[key];
      at = within(at, key);
      path = typeof key === 'number' ? `${path}[${key}]` : join(path, String(key));
    }
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => {
        const message = `Unrecognized key: ${JSON.stringify(key)}`;
        return { path, code: 'unknown-field', message, advice: message };
      });
    const advise = ADVICE.get(unwrapped(at)) ?? wrongType('object');
    return [{ path, message: issue.message, ...advise(part, path) }];
  });
}

function within(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType {
  const at = unwrapped(schema);
  if (at instanceof z.ZodObject) return at.shape[String(key)] ?? at;
  return at instanceof z.ZodArray ? at.element : at;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

const ADVICE = new WeakMap<z.core.$ZodType, Advise>();

function advised<Value>(schema: z.ZodType, advise: Advise): Field<Value> {
  ADVICE.set(schema, advise);
  return schema as Field<Value>;
}

export function optional<Value>(field: Field<Value>): z.ZodOptional<Field<Value>> {
  return field.optional();
}

export const text = (advise = wrongType('string')) => advised<string>(z.string(), advise);
export const boolean = () => advised<boolean>(z.boolean(), wrongType('boolean'));
export const values = () =>
  advised<Record<string, unknown>>(z.record(z.string(), z.unknown()), wrongType('object'));
export const wholeNumber = (advise: Advise) => advised<number>(z.int().min(0), advise);
export const list = <Value>(of: Field<Value>, advise = wrongType('array')) =>
  advised<Value[]>(z.array(of), advise);

/** A text that passes a test. */
export function textThat(test: (text: string) => boolean, message: string, advise: Advise): Field<string> {
  return advised(z.string().refine(test, message), advise);
}

/** One of these words. `missing`: the texts for a missing value. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  code: string,
  missing?: string,
): Field<Word> {
  return advised(z.enum(words as readonly [Word, ...Word[]]), (value, path) => ({
    code,
    advice: (value === undefined ? missing : undefined) ?? notListed(path, value, words),
  }));
}

/** An object with exactly these fields. */
export function object<Value>(fields: z.ZodRawShape, advise = wrongType('object')): Field<Value> {
  return advised(z.strictObject(fields), advise);
}

const WORDS = { string: 'text', boolean: 'true or false', array: 'a list', object: 'an object' };

export function wrongType(expected: keyof typeof WORDS): Advise {
  return (value, path) => {
    const code = 'invalid-type';
    const leaf = path.slice(path.lastIndexOf('.') + 1);
    if (value === undefined) return { code, advice: `${leaf} is missing; add it to the export.` };
    // ids often come as numbers
    const quotes = expected === 'string' && typeof value === 'number' ? '; write it in quotes' : '';
    const isWord = expected === 'boolean' && typeof value === 'string';
    const meant = isWord ? didYouMean(value, ['true', 'false']) : '';
    return { code, advice: `${path} must be ${WORDS[expected]}, not ${shown(value)}${quotes}.${meant}` };
  };
}

/** The fault of an unknown word. */
export function notListed(path: string, value: unknown, words: readonly string[]): string {
  const known = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const meant = typeof value === 'string' ? didYouMean(value, words) : '';
  return `${path} is ${shown(value)} but must be ${known}.${meant}`;
}

function join(path: string, name: string): string {
  return path === '' || name === '' || name.startsWith('[') ? path + name : `${path}.${name}`;
}
