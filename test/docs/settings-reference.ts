/** Every setting of the file as a row: the reference documentation is made from them. */

import { longFlag } from '../../src/settings/option-spec.ts';
import type { Written } from '../../src/settings/setting.ts';
import { ALL_SETTINGS } from '../../src/settings/table/table.ts';

export interface SettingRow {
  /** Dotted name in the settings file. */
  readonly key: string;
  readonly description: string;
  /** What may stand there: `text`, `true or false`, `"reject" or "fill"` … */
  readonly allowed: string;
  /** As it would be written; absent where there is none. */
  readonly byDefault?: string | undefined;
  readonly flag?: string | undefined;
  readonly env?: string | undefined;
  readonly example?: string | undefined;
}

const KINDS: Readonly<Record<keyof Written, string>> = {
  text: 'text',
  switch: 'true or false',
  amount: 'number or text',
  texts: 'text or list of texts',
  agents: 'text or keys and values',
  emails: '"reject" or keys and values',
  mapping: 'keys and values',
  answers: 'keys and values',
};

/** Rows of all settings of the file, in its order, without the `mapping` section (the layouts' language has its own pages). */
export function settingsReference(): SettingRow[] {
  return ALL_SETTINGS.flatMap(({ name, meaning, kind, words, default: held, flag, env, examples }) =>
    meaning === undefined
      ? []
      : [
          {
            key: name,
            description: meaning,
            allowed: words?.map((word) => `"${word}"`).join(' or ') ?? KINDS[kind],
            byDefault: written(held),
            flag: flag === undefined ? undefined : longFlag(flag.flags),
            env,
            example: written(examples?.[0]),
          },
        ],
  );
}

function written(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}
