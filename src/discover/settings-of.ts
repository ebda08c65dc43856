/** The settings that `init` writes. */

import { isDeepStrictEqual } from 'node:util';
import { isUnknownAgent, NO_NAME, usesOf } from '../domain/decisions.ts';
import { AppError } from '../domain/errors.ts';
import { countOf, printable, shorten } from '../domain/printable.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { type Choices, columnOf, type Field, NONE, type Source, SPECS, specOf } from './fields.ts';
import { defined, mappingOf, NAME_PART, openKey, openText, type SettingPath } from './mapping-of.ts';
import { meaningOf } from './names.ts';
import type { Needs } from './needs.ts';
import type { Column, Table } from './profile.ts';
import type { Fields } from './proposed.ts';
import { NOTE_PARTS } from './staged-tables.ts';

/** A run with one left ends with 2. */
export const TODO = 'TODO';

export interface Todo {
  readonly path: SettingPath;
  readonly text: string;
}

export interface ProposedSettings {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly comments: readonly { readonly path: SettingPath; readonly text: string }[];
  readonly todos: readonly Todo[];
  /** Most active first. */
  readonly agents: readonly { readonly agent: string; readonly count: number }[];
}

export interface TableOf {
  /** Undefined for a known layout: its own rules read the files. */
  readonly fields: Fields | undefined;
  readonly layout: Layout;
  readonly tables: readonly Table[];
  readonly choices: Choices;
}

interface SettingsInputs extends TableOf {
  readonly files: readonly string[];
  readonly needs: Needs;
  readonly shown: readonly Field[];
  readonly given: Readonly<Record<string, string>>;
}

const MOST_AGENTS = 30;

/** Fields of the mapping, then settings that these tickets need. */
export function shownFields(of: TableOf, needs: Needs, openDates: string | undefined): Field[] {
  const fields = of.fields === undefined ? knownFields(of, needs) : [...of.fields.all.values()];
  const order = Object.keys(SPECS);
  return [...fields, ...settingFields(of, needs, openDates)].sort(
    (a, b) => order.indexOf(a.key) - order.indexOf(b.key),
  );
}

function settingFields({ fields, choices }: TableOf, needs: Needs, openDates: string | undefined): Field[] {
  const { zoneless, noCreatedAt, noAgentId, noEmail, noContact, noActor } = needs;
  const example = zoneless.example ?? openDates;
  const nameless = noEmail.count > 0 ? noEmail.count : fields === undefined ? 0 : noContact.count;
  const open: Readonly<Record<string, string | false>> = {
    otherAuthors: noActor.count > 0 && `unknown authors of ${countOf(noActor.count, 'message')}`,
    'source.timezone':
      example !== undefined && `times such as ${example} have no zone, for example Europe/Berlin`,
    'source.dayFirst': openDates !== undefined && `is the day first in ${openDates}?`,
    'source.missingCreatedAt':
      noCreatedAt.count > 0 &&
      `${countOf(noCreatedAt.count, 'ticket')} without a time, for example 2020-01-01T00:00:00Z`,
    fallbackAgent:
      noAgentId.count > 0 &&
      `${countOf(noAgentId.count, 'message')} of agents who may not be in the helpdesk, for example agt_1`,
    'customersWithoutEmail.synthesize':
      nameless > 0 &&
      `${countOf(nameless, noEmail.count > 0 ? 'message' : 'ticket')} of customers without an address, for example customers.example.com`,
  };
  return Object.keys(SPECS).flatMap((key): Field[] => {
    const { label, of, meanings } = specOf(key);
    if (of !== 'setting') return [];
    const chosen = choices.get(key);
    const mark = open[key];
    const more = meanings === undefined ? {} : { meanings };
    if (chosen !== undefined && chosen.kind !== 'none') return [{ key, label, source: chosen, ...more }];
    if (typeof mark !== 'string') return [];
    return [{ key, label, source: NONE, ...more, ...(chosen === undefined ? { mark } : {}) }];
  });
}

function knownFields({ layout, choices, tables }: TableOf, needs: Needs): Field[] {
  const ticket: Readonly<Record<string, unknown>> = layout.ticket;
  const keys = Object.keys(SPECS).filter(
    (key) => key.startsWith('ticket.') && !['ticket.id', 'ticket.rows'].includes(key),
  );
  const lacking = lackingWords(layout, needs);
  return keys.map((key): Field => {
    const [, name = '', part] = key.split('.');
    const rule = ticket[name];
    const own =
      name === 'requester' || name === 'assignee' ? (rule as Record<string, unknown>)?.[part ?? 'id'] : rule;
    const source = choices.get(key) ?? (own === undefined ? NONE : { kind: 'rule', rule: own });
    const meanings = specOf(key).meanings;
    const chosen = columnOf(tables, source);
    const values = chosen?.values.map(({ value }) => value) ?? lacking.get(name)?.words ?? [];
    const words = new Map(
      meanings === undefined ? [] : values.map((word) => [word, wordOf(key, word, choices)]),
    );
    const isOpen = [...words.values()].includes(undefined);
    return {
      key,
      label: specOf(key).label,
      source,
      ...(words.size === 0 ? {} : { words, meanings: meanings ?? [] }),
      ...(isOpen ? { mark: 'decide the words' } : {}),
    };
  });
}

function wordOf(key: string, word: string, choices: Choices): string | undefined {
  const chosen = choices.get(`${key}:${word}`);
  if (chosen !== undefined) return chosen.kind === 'fixed' ? chosen.value : 'none';
  return key === 'ticket.status' || key === 'ticket.priority'
    ? meaningOf(key === 'ticket.status' ? 'status' : 'priority', word)
    : undefined;
}

function lackingWords(layout: Layout, needs: Needs): Map<string, { map: string; words: string[] }> {
  const found = new Map<string, { map: string; words: string[] }>();
  for (const { field, value, action } of needs.loss.unmappedValues) {
    const kind = field.endsWith('status') ? 'status' : field === 'priority' ? 'priority' : undefined;
    const map = kind && (needs.lackingMaps.get(value.slice(0, 80)) ?? kind);
    if (action !== 'error' || kind === undefined || map === undefined || layout.maps?.[map] === undefined)
      continue;
    const { words } = found.get(kind) ?? { words: [] };
    found.set(kind, { map, words: [...words, value] });
  }
  return found;
}

export function proposeSettings(inputs: SettingsInputs): ProposedSettings {
  const { files, layout, fields, needs, shown, given } = inputs;
  const marks = new Map(shown.flatMap(({ key, mark }) => (mark === undefined ? [] : [[key, mark]])));
  const mapping =
    fields === undefined ? knownMapping(inputs, true) : mappingOf(fields, ({ key }) => marks.has(key));
  const isKnown = fields === undefined;
  const isPatch = isKnown && Object.keys(mapping).length > 0;
  const source = defined({ files, from: isKnown && !isPatch ? layout.name : undefined, ...given });
  const all: Record<string, unknown> = { source };
  if (!isKnown || isPatch)
    all['mapping'] = isPatch ? { extends: layout.name, ...mapping } : structuredClone(mapping);
  const comments: { path: SettingPath; text: string }[] = [];
  const set = (path: SettingPath, value: unknown, text: string) => {
    setAt(all, path, value);
    comments.push({ path, text });
  };
  const todos: Todo[] = [];
  for (const field of shown) {
    if (specOf(field.key).of === 'setting') {
      const path = field.key === 'otherAuthors' ? ['mapping', 'otherAuthors'] : field.key.split('.');
      const { source: own } = field;
      if (own.kind === 'fixed') setAt(all, path, settingOf(field.key, own.value));
      else if (field.mark !== undefined) {
        todos.push({ path, text: todoText(field) });
        setAt(all, path, TODO);
      }
    }
  }
  if (needs.noTime.count > 0)
    set(
      ['source', 'missingTimes'],
      'previous',
      `${countOf(needs.noTime.count, 'message or event', 'messages or events')} without a time: they take the time of the one before, which keeps their order; "reject" rejects their tickets.`,
    );
  if (needs.unused > 0)
    set(
      ['unmapped'],
      'note',
      'Columns and fields that no rule uses: "note" keeps them in an internal note at the end of each ticket, "drop" leaves them out',
    );
  todos.push(...takeOpen(all, shown));
  const changed = all['mapping'] as Record<string, unknown> | undefined;
  if (isKnown && changed !== undefined && changed['extends'] === undefined) {
    all['mapping'] = { extends: layout.name, ...changed };
    all['source'] = { ...(all['source'] as object), from: undefined };
  }
  return {
    settings: inOrder(all),
    comments,
    todos,
    agents: needs.loss.agents
      .filter((each) => isUnknownAgent(each) && each.agent !== NO_NAME)
      .slice(0, MOST_AGENTS)
      .map((each) => ({ agent: each.agent, count: usesOf(each) })),
  };
}

function inOrder({ source, mapping, ...others }: Record<string, unknown>): Record<string, unknown> {
  return { source: defined(source as object), ...others, ...(mapping === undefined ? {} : { mapping }) };
}

function settingOf(key: string, text: string): unknown {
  return key === 'source.dayFirst' ? text === 'true' : text;
}

/** What is changed of a known layout; undecided words stay open. */
export function knownMapping(
  { choices, tables, layout, needs }: Omit<TableOf, 'fields'> & { readonly needs?: Needs },
  isOpen = false,
): Readonly<Record<string, unknown>> {
  const mapping: Record<string, unknown> = {};
  const lacking = needs === undefined ? undefined : lackingWords(layout, needs);
  for (const [key, source] of choices) {
    const [field = '', word] = [
      key.split(':')[0],
      key.includes(':') ? key.slice(key.indexOf(':') + 1) : undefined,
    ];
    if (!field.startsWith('ticket.') || word !== undefined) continue;
    const [, name = '', part] = field.split('.');
    const isPerson = name === 'requester' || name === 'assignee';
    const path = isPerson ? ['ticket', name, part ?? 'id'] : ['ticket', name];
    const column = columnOf(tables, source);
    const isWords = specOf(field).meanings !== undefined;
    if (column !== undefined)
      setAt(mapping, path, isWords ? { column: column.path, map: name } : column.path);
    else if (source.kind === 'fixed') setAt(mapping, path, { const: source.value });
    else if (source.kind === 'rule') setAt(mapping, path, source.rule);
  }
  for (const kind of ['status', 'priority']) {
    const key = `ticket.${kind}`;
    const column = columnOf(tables, choices.get(key) ?? NONE);
    const map = lacking?.get(kind)?.map ?? kind;
    const words = column?.values.map(({ value }) => value) ?? lacking?.get(kind)?.words ?? [];
    for (const word of words) {
      const meaning = wordOf(key, word, choices) ?? (isOpen ? openText(`${key}:${word}`) : undefined);
      if (meaning !== undefined)
        setAt(mapping, ['maps', map, 'values', word], meaning === 'none' ? null : meaning);
    }
  }
  return mapping;
}

/** `TODO`: `<label>: why; "col a" (sample), "col b" (sample)`. */
function todoText({ label, mark, likely = [], meanings = [] }: Field): string {
  const columns = likely.slice(0, 8).map(columnText);
  const choices = [...columns, ...(columns.length === 0 ? meanings : [])].join(', ');
  return printable(`${label}: ${mark}${choices === '' ? '' : `: ${choices}`}`).replace(/\s+/g, ' ');
}

const SAMPLES = 3;
const LONGEST_SAMPLE = 30;

export function columnText({ name, examples }: Pick<Column, 'name' | 'examples'>): string {
  const samples = examples
    .slice(0, SAMPLES)
    .map((text) => shorten(printable(text.replace(/\s+/g, ' ')), LONGEST_SAMPLE));
  return `"${printable(name)}" (${samples.join(' | ')})`;
}

/** Puts `TODO` where a field or a word is open. */
function takeOpen(settings: Record<string, unknown>, shown: readonly Field[]): Todo[] {
  const todos: Todo[] = [];
  const visit = (value: unknown, path: SettingPath): void => {
    const open = openKey(value);
    if (open !== undefined) {
      const key = Object.keys(SPECS).find((each) => each === open || open.startsWith(`${each}:`)) ?? open;
      const field = shown.find((each) => each.key === key);
      const word = open === key ? undefined : open.slice(key.length + 1);
      setAt(settings, path, TODO);
      if (field !== undefined)
        todos.push({
          path,
          text:
            word === undefined
              ? todoText(field)
              : `${field.label} ${JSON.stringify(word)}: ${field.meanings?.join(', ')}`,
        });
    } else if (typeof value === 'object' && value !== null)
      for (const [step, inner] of Object.entries(value))
        visit(inner, [...path, Array.isArray(value) ? Number(step) : step]);
  };
  visit(settings, []);
  return todos;
}

/** Sets the value at a path, made where it is not there yet. */
function setAt(settings: Record<string, unknown>, path: SettingPath, value: unknown): void {
  let holder = settings as Record<string | number, unknown>;
  // A word of an export may be called __proto__.
  const define = (step: string | number, own: unknown) =>
    Object.defineProperty(holder, step, { value: own, enumerable: true, writable: true, configurable: true });
  for (const [at, step] of path.entries()) {
    if (at === path.length - 1) define(step, value);
    else {
      const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
      if (typeof inner !== 'object' || inner === null)
        define(step, typeof path[at + 1] === 'number' ? [] : {});
      holder = holder[step] as Record<string | number, unknown>;
    }
  }
}

/** Settings of a file with what the table changed since it was read: all else stays. Throws AppError `usage` for a list that both changed. */
export function merged(own: unknown, before: unknown, now: unknown, path: SettingPath = []): unknown {
  if (own === TODO) return now;
  if (isTree(own) && isTree(now)) {
    const old = isTree(before) ? before : {};
    const found: Record<string, unknown> = {};
    for (const key of new Set([...Object.keys(own), ...Object.keys(now)])) {
      const [isOwn, isOld, isNow] = [own, old, now].map((tree) => Object.hasOwn(tree, key));
      if (isOwn && isNow) setAt(found, [key], merged(own[key], old[key], now[key], [...path, key]));
      else if (isOwn ? !isOld : !isOld && isNow) setAt(found, [key], isOwn ? own[key] : now[key]);
    }
    return found;
  }
  if (Array.isArray(own) && Array.isArray(now) && own.length === now.length) {
    const old = Array.isArray(before) ? before : [];
    return own.map((each, at) => merged(each, old[at], now[at], [...path, at]));
  }
  if (isDeepStrictEqual(before, now)) return own;
  if (Array.isArray(own) && Array.isArray(before) && !isDeepStrictEqual(own, before))
    throw new AppError('usage', `${path.join('.')} has rules of your own that this change would replace.`, {
      hint: 'Edit the file, write to another file with -o, or start anew with --force.',
    });
  return now;
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where `TODO` is in the settings. */
export function openPaths(settings: unknown, path: SettingPath = []): SettingPath[] {
  if (settings === TODO) return [path];
  if (Array.isArray(settings)) return settings.flatMap((value, index) => openPaths(value, [...path, index]));
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) => openPaths(value, [...path, key]));
}

type Tree = Readonly<Record<string, unknown>>;

/** Undefined if the table cannot show the mapping. */
export function choicesOf(settings: Tree, tables: readonly Table[]): Map<string, Source> | undefined {
  const choices = new Map<string, Source>();
  const at = (path: SettingPath): unknown =>
    path.reduce<unknown>((value, step) => (value as Tree | undefined)?.[step as string], settings);
  for (const key of Object.keys(SPECS)) {
    if (specOf(key).of !== 'setting') continue;
    const value = at(key === 'otherAuthors' ? ['mapping', 'otherAuthors'] : key.split('.'));
    if (value !== undefined && value !== TODO) choices.set(key, { kind: 'fixed', value: String(value) });
  }
  const mapping = settings['mapping'] as Tree | undefined;
  if (mapping === undefined) return choices;
  const rules = (at(['mapping', 'tables']) ?? {}) as Readonly<Record<string, Tree>>;
  const staged = (name: string | undefined) => tables.find((table) => isTable(table, rules[name ?? '']));
  const root = staged('tickets');
  const isKnown = mapping['extends'] !== undefined;
  const column = (table: Table | undefined, list: string | undefined, path: unknown): Source | undefined => {
    const found = table?.columns.find((each) => each.list === list && each.path === path);
    return found && table && { kind: 'column', table: table.id, name: found.name };
  };
  const anywhere = (path: unknown): Source | undefined =>
    tables.flatMap((table) => column(table, undefined, path) ?? [])[0];
  const read = (rule: unknown, table: Table | undefined, list?: string): Source | undefined => {
    if (rule === undefined) return NONE;
    if (rule === TODO) return undefined;
    if (typeof rule === 'string')
      return (isKnown ? anywhere(rule) : column(table, list, rule)) ?? { kind: 'rule', rule };
    const { const: fixed, column: own, of, ticket, rows, each, get } = rule as Tree;
    if (fixed !== undefined) return { kind: 'fixed', value: String(fixed) };
    if (own === TODO || of === TODO) return undefined;
    const [part] =
      Object.entries(NOTE_PARTS).find(([, { match }]) => match === (rule as Tree)['match']) ?? [];
    if (own === '.' && part !== undefined) return column(table, list, part);
    // the other half of a mailbox
    if ((rule as Tree)['as'] === 'name' || (rule as Tree)['match'] === NAME_PART) return NONE;
    if (ticket !== undefined) return read(ticket, root);
    if (typeof get === 'string' && typeof rows === 'string') return column(staged(rows), undefined, get);
    if (typeof get === 'string' && typeof each === 'string') return column(table, each, get);
    return of === undefined && own === undefined ? { kind: 'rule', rule } : read(of ?? own, table, list);
  };
  const put = (key: string, source: Source | undefined) => {
    if (source !== undefined) choices.set(key, source);
  };
  const words = (key: string, map: unknown, meaning = (value: unknown) => String(value)) => {
    for (const [word, value] of Object.entries((map ?? {}) as Tree))
      if (value !== TODO)
        choices.set(`${key}:${word}`, value === null ? NONE : { kind: 'fixed', value: meaning(value) });
  };
  const ticket = (mapping['ticket'] ?? {}) as Tree;
  const person = (key: string, rule: unknown, table: Table | undefined, list?: string) => {
    const { id, email, name } = (rule ?? {}) as Tree;
    const parts = { '': id, '.email': email, '.name': name };
    for (const [part, value] of Object.entries(parts)) {
      // An ID that only repeats the ticket's, the address or the name is no choice.
      const isRepeated =
        part === '' &&
        (id === name || id === email || (key === 'ticket.requester' && id === rules['tickets']?.['key']));
      const isAsker =
        key === 'ticket.requester' &&
        typeof value === 'object' &&
        value !== null &&
        ('rows' in value || 'each' in value);
      if (!isKnown || value !== undefined)
        put(`${key}${part}`, isRepeated || isAsker ? NONE : read(value, table, list));
    }
  };
  for (const field of ['subject', 'status', 'priority', 'tags', 'createdAt', 'resolvedAt', 'closedAt'])
    if (!isKnown || ticket[field] !== undefined) put(`ticket.${field}`, read(ticket[field], root));
  const subject = ticket['subject'] as Tree | undefined;
  if (typeof subject?.['template'] === 'string') choices.set('ticket.subject', NONE);
  if ((subject === undefined || Array.isArray(subject)) && !isKnown)
    choices.set('ticket.subject', { kind: 'first-line' });
  for (const kind of ['status', 'priority']) words(`ticket.${kind}`, at(['mapping', 'maps', kind, 'values']));
  person('ticket.requester', ticket['requester'], root);
  person('ticket.assignee', ticket['assignee'], root);
  if (isKnown) return choices;
  if (root === undefined) return undefined;
  const key = rules['tickets']?.['key'];
  put('ticket.id', Array.isArray(key) ? { kind: 'each-row' } : column(root, undefined, key));
  const role = rules['tickets']?.['role'];
  choices.set('ticket.rows', {
    kind: 'fixed',
    value: role === 'group' ? 'message' : rules['tickets']?.['latest'] === undefined ? 'ticket' : 'version',
  });
  for (const name of ['customer', 'agent', 'note']) choices.set(`message.text.${name}`, NONE);
  choices.set('message.text', NONE);
  for (const rule of (mapping['messages'] ?? []) as readonly Tree[]) {
    const actor = (rule['actorType'] as Tree | undefined)?.['const'];
    const isOwn = rule['from'] === undefined && rule['each'] === undefined && role !== 'group';
    const times = Array.isArray(rule['occurredAt']) ? rule['occurredAt'][0] : rule['occurredAt'];
    if (isOwn) {
      const isNote = rule['public'] === false;
      const name = actor === 'customer' ? 'customer' : isNote ? 'note' : 'agent';
      put(`message.text.${name}`, read(rule['content'], root));
      if (name !== 'note') put(`message.text.${name}.time`, read(times, root));
      const author = (rule['author'] as Tree | undefined)?.['id'];
      if (name === 'agent' && author !== undefined) put('message.text.agent.name', read(author, root));
      continue;
    }
    const each = rule['each'] as string | Tree | undefined;
    const list = typeof each === 'object' ? String(each['column']) : each;
    const table: Table | undefined = rule['from'] === undefined ? root : staged(String(rule['from']));
    if (table !== root) put('message.ticket', column(table, undefined, rules[String(rule['from'])]?.['key']));
    put('message.text', read(rule['content'], table, list));
    put('message.time', read(rule['occurredAt'], table, list));
    put('message.writer', read(rule['actorType'], table, list));
    words('message.writer', (rule['actorType'] as Tree | undefined)?.['map']);
    person('message.author', rule['author'], table, list);
    const visible = rule['public'];
    put(
      'message.visibility',
      typeof visible === 'boolean'
        ? { kind: 'fixed', value: visible ? 'public' : 'internal' }
        : visible === 'unknown'
          ? NONE
          : read(visible, table, list),
    );
    for (const [list, meaning] of [
      ['in', 'public'],
      ['internal', 'internal'],
    ] as const)
      for (const word of ((visible as Tree | undefined)?.[list] ?? []) as readonly unknown[])
        if (word !== TODO)
          choices.set(`message.visibility:${String(word)}`, { kind: 'fixed', value: meaning });
    const files = rule['attachments'] as Tree | undefined;
    put('message.attachment', files === undefined ? NONE : column(table, list, files['each']));
    put('message.id', read(rule['once'] ?? rule['messageId'], table, list));
  }
  const persons = at(['mapping', 'people', 'people']) as Tree | undefined;
  if (persons === undefined) choices.set('person.id', NONE);
  else {
    const table = staged(String(persons['table']));
    for (const field of ['id', 'email', 'name', 'role']) put(`person.${field}`, read(persons[field], table));
    words('person.role', (persons['role'] as Tree | undefined)?.['map']);
  }
  return choices;
}

function isTable({ columns, file, collection }: Table, rule: Tree | undefined): boolean {
  const recognise = rule?.['recognise'] as Tree | undefined;
  if (rule === undefined || recognise === undefined) return false;
  const name = recognise['file'];
  const place = recognise['path'];
  const has = (path: unknown) =>
    columns.some((column) => column.path === path || column.name.startsWith(`${path}[]`));
  return (
    (name === undefined || file.endsWith(String(name))) &&
    (place === undefined || place === '.' || place === collection.path?.join('.')) &&
    [rule['key']].flat().every((key) => key === TODO || has(key)) &&
    ((recognise['columns'] ?? []) as readonly unknown[]).every(has)
  );
}
