/**
 * How it is written down what a record must be: fields, what each of them takes, and a rule over several of them. Judging by
 * a definition gives the record as it is sent, or everything that is wrong with it, each with what a program is told that sent
 * such a record (`message`) and what a person is told whose export has it (`advice`).
 *
 * Not zod: nearly every record of millions is good, and zod takes as long to load as half of the program's start. For the
 * same reason each part says twice what it takes, from the same test: `takes` with a yes alone, `judge` with all that is wrong.
 */
import { didYouMean } from '../domain/nearest.ts';
import { isRecord } from './fields.ts';
import { shown } from './findings.ts';

interface Fault {
  /** `attachments[0].url`; empty for the record itself. */
  readonly path: string;
  /** Code of the problem. */
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

/** What a field takes, as JSON Schema says it: for programs that ask before they send. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a field takes. `Value` is for the compiler alone. */
export interface Field<Value> {
  readonly schema: JsonSchema;
  readonly isOptional?: boolean | undefined;
  readonly value?: Value | undefined;
  /** A yes is certain; whatever it denies is judged. */
  takes(value: unknown): boolean;
  judge(value: unknown, path: string, faults: Fault[]): void;
}

/** What is said of a value that a field does not take. */
type Advise = (value: unknown, path: string) => { readonly code: string; readonly advice: string };

/** Over several fields: undefined where it is kept. Judged even where single fields are wrong. */
export type Rule = (record: Readonly<Record<string, unknown>>) => Fault | undefined;

export interface Definition<Record> {
  /** In the order in which they are sent. */
  readonly fields: readonly string[];
  readonly schema: JsonSchema;
  judge(value: unknown): { readonly record: Record } | { readonly faults: readonly Fault[] };
}

type OptionalKeys<Record> = {
  [K in keyof Record]-?: object extends Pick<Record, K> ? K : never;
}[keyof Record];
type FieldsOf<Record> = {
  [K in keyof Record]-?: Field<NonNullable<Record[K]>> &
    (K extends OptionalKeys<Record> ? { isOptional: true } : object);
};

export function define<Record extends object>(
  fields: FieldsOf<Record>,
  rules: readonly Rule[],
): Definition<Record> {
  const { takes, judge, schema } = object(fields, rules);
  const names = Object.keys(fields);
  return {
    fields: names,
    schema,
    judge: (value) => {
      if (takes(value)) return { record: value as Record };
      const faults: Fault[] = [];
      judge(value, '', faults);
      if (faults.length > 0) return { faults };
      const record: globalThis.Record<string, unknown> = {};
      for (const name of names) {
        const part = (value as globalThis.Record<string, unknown>)[name];
        if (part !== undefined) record[name] = part;
      }
      return { record: record as Record };
    },
  };
}

/** A list of records. */
export function defineList<Record>(of: Definition<Record>): Definition<Record[]> {
  return {
    fields: [],
    schema: { type: 'array', items: of.schema },
    judge: (value) => {
      if (!Array.isArray(value)) {
        const faults: Fault[] = [];
        list(text()).judge(value, '', faults);
        return { faults };
      }
      const judged = value.map(of.judge);
      const faults = judged.flatMap((result, index) =>
        'faults' in result
          ? result.faults.map((fault) => ({ ...fault, path: join(`[${index}]`, fault.path) }))
          : [],
      );
      if (faults.length > 0) return { faults };
      return { record: judged.flatMap((result) => ('record' in result ? [result.record] : [])) };
    },
  };
}

export function optional<Value>(field: Field<Value>): Field<Value> & { isOptional: true } {
  return { ...field, isOptional: true };
}

const WORDS = {
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function ofType<Value>(
  expected: keyof typeof WORDS,
  takes: (value: unknown) => boolean,
  advise: Advise = wrongType(expected),
): Field<Value> {
  return {
    schema: { type: expected === 'record' ? 'object' : expected },
    takes,
    judge: (value, path, faults) => {
      if (!takes(value)) faults.push({ path, message: notOfType(expected, value), ...advise(value, path) });
    },
  };
}

const isText = (value: unknown) => typeof value === 'string';
export const text = (advise?: Advise) => ofType<string>('string', isText, advise);
export const boolean = () => ofType<boolean>('boolean', (value) => typeof value === 'boolean');
export const values = () => ofType<Record<string, unknown>>('record', isRecord);

/** A text for which a test holds; a value of another type or none at all is told as such by `advise` too. */
export function textThat(
  test: (text: string) => boolean,
  message: string,
  advise: Advise,
  more: JsonSchema = {},
): Field<string> {
  return {
    schema: { type: 'string', ...more },
    takes: (value) => typeof value === 'string' && test(value),
    judge: (value, path, faults) => {
      if (typeof value !== 'string')
        faults.push({ path, message: notOfType('string', value), ...advise(value, path) });
      else if (!test(value)) faults.push({ path, message, ...advise(value, path) });
    },
  };
}

export function wholeNumber(advise: Advise): Field<number> {
  const takes = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
  return {
    schema: { type: 'integer', minimum: 0 },
    takes,
    judge: (value, path, faults) => {
      const message = Number.isSafeInteger(value)
        ? 'Too small: expected number to be >=0'
        : notOfType(typeof value === 'number' ? 'int' : 'number', value);
      if (!takes(value)) faults.push({ path, message, ...advise(value, path) });
    },
  };
}

/** One of these words. `missing`: what is said where there is none. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  code: string,
  missing?: string,
): Field<Word> {
  const message = `Invalid option: expected one of ${words.map((word) => JSON.stringify(word)).join('|')}`;
  const takes = (value: unknown): boolean => words.includes(value as Word);
  return {
    schema: { type: 'string', enum: words },
    takes,
    judge: (value, path, faults) => {
      if (takes(value)) return;
      const advice = (value === undefined ? missing : undefined) ?? notListed(path, value, words);
      faults.push({ path, message, code, advice });
    },
  };
}

export function list<Value>(of: Field<Value>, advise?: Advise): Field<Value[]> {
  const isList = ofType<Value[]>('array', Array.isArray, advise);
  return {
    schema: { type: 'array', items: of.schema },
    takes: (value) => Array.isArray(value) && value.every(of.takes),
    judge: (value, path, faults) => {
      isList.judge(value, path, faults);
      if (Array.isArray(value))
        for (const [index, element] of value.entries()) of.judge(element, `${path}[${index}]`, faults);
    },
  };
}

/** An object with exactly these fields. */
export function object<Fields extends Record<string, Field<unknown>>, Value>(
  fields: Fields,
  rules: readonly Rule[] = [],
  advise?: Advise,
): Field<Value> {
  const entries = Object.entries(fields);
  const names = entries.map(([name]) => name);
  const parts = entries.map(([, field]) => field);
  const isObject = ofType<Value>('object', isRecord, advise);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, field]) => [name, field.schema])),
      required: entries.filter(([, field]) => field.isOptional !== true).map(([name]) => name),
      additionalProperties: false,
    },
    // In the order of the definition, so that it can be sent as it is.
    takes: (value) => {
      if (!isRecord(value)) return false;
      let at = 0;
      for (const name in value) {
        while (at < names.length && names[at] !== name) if (parts[at++]?.isOptional !== true) return false;
        if (parts[at++]?.takes(value[name]) !== true) return false;
      }
      while (at < parts.length) if (parts[at++]?.isOptional !== true) return false;
      for (const rule of rules) if (rule(value) !== undefined) return false;
      return true;
    },
    judge: (value, path, faults) => {
      isObject.judge(value, path, faults);
      if (!isRecord(value)) return;
      for (const [name, field] of entries) {
        const part = value[name];
        if (part !== undefined || field.isOptional !== true) field.judge(part, join(path, name), faults);
      }
      for (const name in value) {
        if (Object.hasOwn(fields, name)) continue;
        const message = `Unrecognized key: ${JSON.stringify(name)}`;
        faults.push({ path, code: 'unknown-field', message, advice: message });
      }
      for (const rule of rules) {
        const fault = rule(value);
        if (fault !== undefined) faults.push({ ...fault, path: join(path, fault.path) });
      }
    },
  };
}

export function wrongType(expected: keyof typeof WORDS): Advise {
  const words = WORDS[expected];
  return (value, path) => {
    const leaf = path.slice(path.lastIndexOf('.') + 1);
    if (value === undefined)
      return { code: 'invalid-type', advice: `${leaf} is missing; add it to the export.` };
    const isNumber = expected === 'string' && typeof value === 'number';
    const meant = expected === 'boolean' && isText(value) ? didYouMean(String(value), ['true', 'false']) : '';
    return {
      code: 'invalid-type',
      // ids often come as numbers
      advice: `${path} must be ${words}, not ${shown(value)}${isNumber ? '; write it in quotes' : ''}.${meant}`,
    };
  };
}

function notOfType(expected: string, value: unknown): string {
  const received =
    value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isNaN(value) ? 'NaN' : typeof value;
  return `Invalid input: expected ${expected}, received ${received}`;
}

/** A word that is none of those that the API takes. */
export function notListed(path: string, value: unknown, words: readonly string[]): string {
  const known = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return `${path} is ${shown(value)} but must be ${known}.${isText(value) ? didYouMean(String(value), words) : ''}`;
}

function join(path: string, name: string): string {
  return path === '' || name === '' ? path + name : name.startsWith('[') ? path + name : `${path}.${name}`;
}
