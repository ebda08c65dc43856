/** Every setting of the file as a row: the reference documentation is made from them. */

import { z } from 'zod';
import { longFlag } from '../../src/settings/option-spec.ts';
import { ALL_SETTINGS } from '../../src/settings/table/table.ts';

export interface SettingRow {
  /** Dotted name in the settings file. */
  readonly key: string;
  readonly description: string;
  /** What may stand there: `text`, `true or false`, `"reject" or "fill"` … */
  readonly allowed: string;
  /** As it would be written; absent without a default. */
  readonly byDefault?: string | undefined;
  readonly flag?: string | undefined;
  readonly env?: string | undefined;
  readonly example?: string | undefined;
}

/** Rows of all settings of the file, in its order, without the `mapping` section (the layouts' language has its own pages). */
export function settingsReference(): SettingRow[] {
  return ALL_SETTINGS.flatMap(({ name, description, schema, default: held, flag, env, examples }) =>
    description === undefined
      ? []
      : [
          {
            key: name,
            description,
            allowed: allowed(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })),
            byDefault: written(held),
            flag: flag === undefined ? undefined : longFlag(flag.flags),
            env,
            example: written(examples?.[0]),
          },
        ],
  );
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'true or false',
  array: 'list of texts',
  object: 'keys and values',
};

function allowed({ anyOf, enum: words, const: word, type }: z.core.JSONSchema.JSONSchema): string {
  if (anyOf !== undefined) return anyOf.map(allowed).join(' or ');
  const all = words ?? (word === undefined ? [] : [word]);
  return all.length > 0
    ? all.map((one) => `"${one}"`).join(' or ')
    : [type]
        .flat()
        .map((one) => TYPES[String(one)] ?? 'anything')
        .join(' or ');
}

function written(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}
