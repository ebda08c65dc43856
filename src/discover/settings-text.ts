/** The settings file as text: YAML with comments that say why, and one on each open line. */

import { isDeepStrictEqual } from 'node:util';
import {
  Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  type Node,
  Pair,
  parse,
  parseDocument,
  Scalar,
  YAMLMap,
} from 'yaml';
import { printable, printableJson } from '../domain/printable.ts';
import { openPaths, type SettingPath } from '../domain/source-file.ts';
import { say } from '../domain/text/problem-words.ts';
import { yamlText } from '../domain/text/yaml.ts';
import type { ProposedSettings } from './settings-of.ts';
import { merged } from './trees.ts';

interface SettingsTextInputs {
  readonly proposed: ProposedSettings;
  readonly schema: string;
  readonly about: readonly string[];
  readonly changes: readonly string[];
  /** Settings that are edited: what the table did not change stays as it is written. */
  readonly before?: { readonly text: string; readonly proposed: ProposedSettings } | undefined;
}

const WIDTH = 118;
const SHORT = 90;

const SECTIONS: ReadonlyMap<string, string> = new Map([
  ['source', 'The export and how to read it.'],
  ['mapping', 'How tickets, messages and events come out of the files.'],
]);

/** Throws if the text does not load as the settings. */
export function settingsText({ proposed, schema, about, changes, before }: SettingsTextInputs): string {
  const { settings, comments, agents } = proposed;
  if (before !== undefined) return withChanges(editedText(before, proposed), changes);
  const document = new Document(settings, { aliasDuplicateObjects: false });
  if (isMap(document.contents)) flow(document.contents, 0);
  for (const { path, text } of comments) commentBeside(document, path, text);
  if (isMap(document.contents))
    for (const [at, { key }] of document.contents.items.entries()) if (isScalar(key)) section(key, at > 0);
  const open = openPaths(settings).length;
  const head = [
    `yaml-language-server: $schema=./${schema}`,
    ...about,
    ' ',
    open === 0
      ? 'Nothing is left to decide. Check it with: `helpdesk-import run --dry-run`'
      : say(OPEN_LINES, { open }),
  ];
  document.commentBefore = [...head, '', ...TARGET].map(comment).join('\n');
  if (agents.length > 0) document.comment = agentsComment(agents);
  return loadingAs(settings, withChanges(asText(document), changes));
}

const OPEN_LINES =
  '{open|One line is marked TODO: replace it|# lines are marked TODO: replace each} with one of the choices on its line. A run stops until then.';

function loadingAs(meant: unknown, text: string): string {
  const options = { stringKeys: true, logLevel: 'error', maxAliasCount: 0 } as const;
  if (isDeepStrictEqual(parse(Buffer.from(text).toString(), options) ?? {}, meant)) return text;
  throw new Error('The settings that were written do not load as chosen.');
}

const CHANGES = 'Your choices, which init reads again:';
const WRITTEN = new RegExp(`^# ${CHANGES}\\n((?:#   ".*"\\n)*)#\\n`, 'm');

/** The changes are part of the text above the settings. */
function withChanges(text: string, changes: readonly string[]): string {
  const lines = changes.map((change) => `#   ${printableJson(JSON.stringify(change))}\n`).join('');
  const block = lines === '' ? '' : `# ${CHANGES}\n${lines}#\n`;
  if (WRITTEN.test(text)) return text.replace(WRITTEN, () => block);
  return text.replace(/^#\n|^(?!#)/m, (found) => (found === '' ? block : `${found}${block}`));
}

export function changesIn(text: string): string[] {
  const [, lines = ''] = WRITTEN.exec(text) ?? [];
  return [...lines.matchAll(/^# {3}(".*")$/gm)].map(([, change = '']) => JSON.parse(change));
}

function editedText(
  before: NonNullable<SettingsTextInputs['before']>,
  { settings, comments }: ProposedSettings,
): string {
  const document = parseDocument(before.text);
  const own = document.toJS() ?? {};
  const now = merged(own, before.proposed.settings, settings);
  if (isDeepStrictEqual(own, now)) return before.text;
  update(document, [], own, now);
  for (const { path, text } of comments) commentBeside(document, path, text);
  return loadingAs(now, asText(document));
}

function update(document: Document, path: SettingPath, own: unknown, now: unknown): void {
  if (isDeepStrictEqual(own, now)) return;
  const isBoth = (is: (value: unknown) => boolean) => is(own) && is(now);
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isBoth(isObject) || (isBoth(Array.isArray) && (own as []).length === (now as []).length)) {
    const [old, next] = [own, now] as Record<string, unknown>[];
    for (const key of Object.keys({ ...old, ...next })) {
      const step = Array.isArray(own) ? Number(key) : key;
      if (next?.[key] === undefined) document.deleteIn([...path, step]);
      else update(document, [...path, step], old?.[key], next[key]);
    }
    return;
  }
  const node = document.createNode(now, { aliasDuplicateObjects: false });
  flow(node, path.length);
  document.setIn(path, node);
}

function asText(document: Document): string {
  return yamlText(document, { lineWidth: WIDTH, flowCollectionPadding: true }).replace(
    /^(?:[^#\n]*[:-] | *)TODO(?= #)/gm,
    '$& ',
  );
}

const TARGET = [
  'The helpdesk service. The token goes into the environment (HELPDESK_TOKEN), never into this file.',
  'target:',
  '  baseUrl: https://helpdesk.example.com',
  '  tag: imported',
];

/** Without the # it is what it says: agents by the names of the export. */
function agentsComment(agents: ProposedSettings['agents']): string {
  const names = new YAMLMap();
  for (const { agent, count, id: offered = null } of agents) {
    const [name, id] = [new Scalar(agent), new Scalar(offered)];
    name.type = 'QUOTE_DOUBLE';
    id.comment = ` ${say('{count|once|# times}', { count })}${offered === null ? '' : ', by its name in the helpdesk'}`;
    names.items.push(new Pair(name, id));
  }
  const lines = [
    'Agents found in the export. The helpdesk is asked for those with an e-mail address when the tickets are imported;',
    'for the others remove the # and give each their agent ID in the helpdesk.',
    ...yamlText(new Document({ agents: names }), { nullStr: '', lineWidth: 0 })
      .trimEnd()
      .split('\n'),
  ];
  return lines.map(comment).join('\n');
}

/** On the line itself, so that a program can answer it. */
function commentBeside(document: Document, path: SettingPath, text: string): void {
  const node = document.getIn(path, true);
  if (!isScalar(node)) return;
  node.comment = comment(text);
  unfold(document, path);
}

function unfold(document: Document, path: SettingPath): void {
  for (let depth = 0; depth <= path.length; depth++) {
    const above = document.getIn(path.slice(0, depth), true);
    if (isCollection(above)) above.flow = false;
  }
}

function section(key: Scalar, isApart: boolean): void {
  const text = SECTIONS.get(String(key.value));
  key.spaceBefore = isApart;
  if (text !== undefined)
    key.commentBefore = ` ${text}${key.commentBefore == null ? '' : `\n${key.commentBefore}`}`;
}

function flow(node: Node, depth: number): void {
  if (!isCollection(node)) return;
  const json = JSON.stringify(node.toJSON());
  if (depth >= 2 && json.length <= SHORT && node.items.length > 0) {
    node.flow = true;
    return;
  }
  for (const item of node.items) {
    const inner = isMap(node) ? (item as Pair).value : item;
    if (isNode(inner)) flow(inner, depth + 1);
  }
}

const comment = (line: string) => (line === '' || line === ' ' ? line : ` ${printable(line)}`);
