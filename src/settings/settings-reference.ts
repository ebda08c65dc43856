/** Every setting with its words, as rows: the reference documentation and `doctor` are made from them. */
import { settingsJsonSchema } from './file-schema.ts';
import { type Places, SETTING_PLACES } from './sources.ts';

export interface SettingRow {
  /** Dotted name in the settings file. */
  readonly key: string;
  readonly description: string;
  /** What may stand there: `text`, `true or false`, `"reject" or "fill"` … */
  readonly allowed: string;
  /** As it would be written; absent where there is none. */
  readonly byDefault?: string;
  readonly flag?: string;
  readonly env?: string;
  readonly example?: string;
}

/** Rows of all settings of the file, in its order, without the `mapping` section (the layouts' language has its own pages). */
export function settingsReference(): SettingRow[] {
  return rows(settingsJsonSchema(), '').filter(({ key }) => key !== 'mapping');
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rows(node: Node, prefix: string): SettingRow[] {
  const properties = isNode(node['properties']) ? node['properties'] : {};
  return Object.entries(properties).flatMap(([name, value]) => {
    if (!isNode(value)) return [];
    const key = prefix + name;
    return isNode(value['properties']) ? rows(value, `${key}.`) : [row(key, value)];
  });
}

function row(key: string, node: Node): SettingRow {
  const places: Places = Object.entries<Places>(SETTING_PLACES).find(([name]) => name === key)?.[1] ?? {};
  const examples: unknown = node['examples'];
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return {
    key,
    description: typeof node['description'] === 'string' ? node['description'] : '',
    allowed: allowed(node),
    ...(node['default'] === undefined ? {} : { byDefault: written(node['default']) }),
    ...(places.flag === undefined ? {} : { flag: places.flag }),
    ...(places.env === undefined ? {} : { env: places.env }),
    ...(example === undefined ? {} : { example: written(example) }),
  };
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'true or false',
  object: 'keys and values',
  array: 'list of texts',
};

function allowed(node: Node): string {
  if (Array.isArray(node['enum'])) return node['enum'].map((word) => `"${String(word)}"`).join(' or ');
  if (node['const'] !== undefined) return `"${String(node['const'])}"`;
  if (Array.isArray(node['anyOf']))
    return [...new Set(node['anyOf'].filter(isNode).map(allowed))].join(' or ');
  const types: readonly unknown[] = Array.isArray(node['type']) ? node['type'] : [node['type']];
  return types.map((type) => WORDS[String(type)] ?? 'anything').join(' or ');
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
