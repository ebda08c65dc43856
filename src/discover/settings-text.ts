/** The settings file as text: YAML with comments that say why, and one on each open line. */
import { isDeepStrictEqual } from 'node:util';
import {
  Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
} from 'yaml';
import { printable } from '../domain/printable.ts';
import { openPaths, type SettingPath } from '../domain/source-file.ts';
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

export function settingsText({ proposed, schema, about, changes, before }: SettingsTextInputs): string {
  const { settings, comments, agents } = proposed;
  if (before !== undefined) return withChanges(editedText(before, proposed), changes);
  const document = new Document(settings, { aliasDuplicateObjects: false });
  if (isMap(document.contents)) flow(document.contents, 0);
  for (const { path, text } of comments) commentBeside(document, path, ` ${text}`);
  if (isMap(document.contents))
    for (const { key } of document.contents.items) if (isScalar(key)) section(key);
  const open = openPaths(settings).length;
  const head = [
    `yaml-language-server: $schema=./${schema}`,
    ...about,
    '',
    open === 0
      ? 'Nothing is left to decide. Check it with: helpdesk-import run --dry-run'
      : `${open === 1 ? 'One line is marked TODO: replace it' : `${open} lines are marked TODO: replace each`} with one of the choices on its line. A run stops until then.`,
  ];
  return withChanges(`${commented(head)}\n\n${TARGET}\n${asText(document)}${agentsText(agents)}`, changes);
}

const CHANGES = 'Changes made in the table, which init goes on with:';
const WRITTEN = new RegExp(`^# ${CHANGES}\\n((?:#   ".*"\\n)*)#\\n`, 'm');

/** The changes are part of the text above the settings. */
function withChanges(text: string, changes: readonly string[]): string {
  const lines = changes.map((change) => `#   ${JSON.stringify(change)}\n`).join('');
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
  for (const { path, text } of comments) commentBeside(document, path, ` ${text}`);
  return asText(document);
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
  return document
    .toString({ lineWidth: WIDTH, flowCollectionPadding: true })
    .replace(/^(?:[^#\n]*[:-] | *)TODO(?= #)/gm, '$& ');
}

const TARGET = commented([
  'The helpdesk service. The token goes into the environment (HELPDESK_TOKEN), never into this file.',
  'target:',
  '  baseUrl: https://helpdesk.example.com',
  '  tag: imported',
]);

function agentsText(agents: ProposedSettings['agents']): string {
  if (agents.length === 0) return '';
  const lines = agents.map(
    ({ agent, count }) =>
      `#   ${JSON.stringify(printable(agent))}:    # ${count === 1 ? 'once' : `${count} times`}`,
  );
  const head = [
    '',
    '# Agents found in the export. The helpdesk is asked for those with an e-mail address when the tickets are imported;',
    '# for the others remove the # and give each their agent ID in the helpdesk.',
    '# agents:',
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

/** On the line itself, so that a program can answer it. */
function commentBeside(document: Document, path: SettingPath, text: string): void {
  const node = document.getIn(path, true);
  if (!isScalar(node)) return;
  node.comment = text;
  unfold(document, path);
}

function unfold(document: Document, path: SettingPath): void {
  for (let depth = 0; depth <= path.length; depth++) {
    const above = document.getIn(path.slice(0, depth), true);
    if (isCollection(above)) above.flow = false;
  }
}

function section(key: Scalar): void {
  const text = SECTIONS.get(String(key.value));
  key.spaceBefore = true;
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

function commented(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '#' : `# ${line}`)).join('\n');
}
