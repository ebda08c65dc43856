/** A known layout in the table of `init`: its own rules, and what is changed of them. */
import { AppError } from '../domain/errors.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { type Choices, columnOf, type Field, placeOf, type Source, SPECS, specOf } from './fields.ts';
import { wordRule } from './mapping-of.ts';
import type { Needs } from './needs.ts';
import type { Column, Table } from './profile.ts';
import { type Fields, meaningsOf } from './proposed.ts';
import { setAt, type Tree } from './trees.ts';

type Known = Pick<Detection, 'layout' | 'tables'>;

interface Chosen {
  readonly tables: readonly Table[];
  readonly choices: Choices;
}

export interface KnownTable extends Chosen {
  readonly known: Known;
  readonly fields: undefined;
}

/** A known layout reads the files by its own rules, another export by the fields. */
export type TableOf = KnownTable | (Chosen & { readonly known: undefined; readonly fields: Fields });

/** Throws AppError `usage` with the lines to write instead. */
export function refuseUnchangeable(key: string, { layout }: Known): void {
  if (placeOf(key) !== undefined) return;
  const place =
    key === 'message.ticket' || specOf(key).of === 'ticket'
      ? 'mapping.tables: the key of each table'
      : key.startsWith('person.')
        ? 'mapping.people: the columns of each table of people'
        : 'mapping.messages: one rule for each text';
  throw new AppError('usage', `The layout ${layout.name} reads ${key} itself.`, {
    hint: `Write it under "extends: ${layout.name}" in ${place}.`,
  });
}

export function knownFields(of: KnownTable, needs: Needs): Field[] {
  const { choices, known } = of;
  const { ticket, messages = [] } = known.layout;
  return Object.keys(SPECS).flatMap((key): Field[] => {
    const part = placeOf(key);
    const isSilent = key.startsWith('message.') && messages.length === 0;
    if (part === undefined || specOf(key).of === 'setting' || isSilent) return [];
    const rules = (key.startsWith('ticket.') ? [ticket] : messages).flatMap((rule) => {
      const own = part.reduce<unknown>((tree, step) => (tree as Tree | undefined)?.[step], rule);
      return own === undefined ? [] : [own];
    });
    const texts = new Map(rules.map((own) => [JSON.stringify(own), own]));
    const rule = texts.size < 2 ? rules[0] : [...texts.values()];
    const source: Source =
      choices.get(key) ?? (rule === undefined ? { kind: 'none' } : { kind: 'rule', rule });
    const field = { key, label: specOf(key).label, source };
    const words = wordsOf(key, of, needs);
    if (words.size === 0) return [field];
    const isOpen = [...words.values()].includes(undefined);
    return [{ ...field, words, ...(isOpen && { mark: 'decide the words' }) }];
  });
}

/** Those of the chosen column, or those that the layout's own value map lacks. */
function wordsOf(key: string, { choices, tables, known }: KnownTable, needs: Needs | undefined) {
  const source = choices.get(key);
  const column = source && columnOf(tables, source);
  const lacking = needs && lackingWords(known.layout, needs).get(key)?.words;
  return meaningsOf(key, column, column?.values.map(({ value }) => value) ?? lacking ?? [], choices);
}

function lackingWords(layout: Layout, needs: Needs): Map<string, { map: string; words: string[] }> {
  const found = new Map<string, { map: string; words: string[] }>();
  for (const { field, value, action } of needs.loss.unmappedValues) {
    const kind = field.endsWith('status') ? 'status' : field === 'priority' ? 'priority' : undefined;
    const map = kind && (needs.lackingMaps.get(value.slice(0, 80)) ?? kind);
    if (action !== 'error' || map === undefined || layout.maps?.[map] === undefined) continue;
    const key = `ticket.${kind}`;
    found.set(key, { map, words: [...(found.get(key)?.words ?? []), value] });
  }
  return found;
}

/** What is changed of the layout. A list replaces the layout's own, so all its rules for messages are in it. */
export function knownMapping(of: KnownTable, needs?: Needs, isOpen = false): Tree {
  const { choices, tables, known } = of;
  const { layout } = known;
  const mapping: Record<string, unknown> = {};
  for (const [key, source] of choices) {
    const part = key.includes(':') ? undefined : placeOf(key);
    if (part === undefined || specOf(key).of === 'setting') continue;
    const column = columnOf(tables, source);
    const words = [...wordsOf(key, of, needs)];
    const rule = (): unknown => {
      if (source.kind === 'rule') return source.rule;
      if (key === 'message.visibility' && column === undefined)
        return source.kind === 'fixed' ? source.value !== 'internal' : 'unknown';
      if (source.kind === 'fixed') return { const: source.value };
      if (column === undefined) return undefined;
      if (key === 'message.attachment') return { each: column.path, item: { url: '.' } };
      if (key.startsWith('message.') && words.length > 0) return wordRule(key, column.path, words, isOpen);
      return specOf(key).meanings === undefined ? column.path : { column: column.path, map: part[0] };
    };
    if (key.startsWith('ticket.')) {
      if (source.kind !== 'none') setAt(mapping, ['ticket', ...part], rule());
      continue;
    }
    mapping['messages'] ??= structuredClone(layout.messages ?? []);
    for (const at of rulesReading(source, column, of)) setAt(mapping, ['messages', at, ...part], rule());
  }
  for (const key of ['ticket.status', 'ticket.priority']) {
    const map = (needs && lackingWords(layout, needs).get(key)?.map) ?? key.slice('ticket.'.length);
    const { map: values } = wordRule(key, map, [...wordsOf(key, of, needs)], isOpen);
    if (Object.keys(values as Tree).length > 0) setAt(mapping, ['maps', map, 'values'], values);
  }
  return mapping;
}

/** The rules for messages that read the rows or items of the column; all of them for a fixed value. */
function rulesReading(source: Source, column: Column | undefined, { known, tables }: KnownTable): number[] {
  const { layout, tables: read } = known;
  const file = source.kind === 'column' ? tables[source.table]?.file : undefined;
  const found = (layout.messages ?? []).flatMap(({ from, each }, at) => {
    const table = read.find(({ name, role }) =>
      from === undefined ? /root|group/.test(role) : name === from,
    );
    const isIts = file !== undefined && table?.files.includes(file) === true && each === column?.list;
    return column === undefined || isIts ? [at] : [];
  });
  if (found.length === 0)
    throw new AppError(
      'usage',
      column === undefined
        ? `The layout ${layout.name} reads no messages.`
        : `The layout ${layout.name} reads no messages where "${column.name}" is.`,
      { hint: `Write a rule for them under "extends: ${layout.name}" in mapping.messages.` },
    );
  return found;
}
