/** A known layout in the table of `init`: its own rules with their values, and a person's changes. */

import { AppError } from '../domain/errors.ts';
import { plainHeader } from '../domain/source.ts';
import { isJsonObject, type SettingPath, valueAt } from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';
import { columnNames } from '../mapping/compile/columns.ts';
import { comparable } from '../mapping/compile/values.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import {
  changedMessages,
  type Layout,
  type MessageRule,
  messagesByPlace,
  ROW,
  rootTableOf,
} from '../mapping/language/layout.ts';
import {
  AGENT_TEXT,
  type Choices,
  CUSTOMER_TEXT,
  columnOf,
  type Field,
  NONE,
  NOTE_TEXT,
  placeOf,
  type Source,
  SPECS,
  specOf,
} from './fields.ts';
import { filesIn, sourceRule, wordRule } from './mapping-of.ts';
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

const OWN_TEXTS = [CUSTOMER_TEXT, AGENT_TEXT, NOTE_TEXT] as const;

const ownTextOf = (key: string) => OWN_TEXTS.find((each) => key === each || key.startsWith(`${each}.`));

/** The part of a rule for messages. */
const partOf = (key: string, text: string): SettingPath =>
  ({ '.time': ['occurredAt'], '.name': ['author', 'name'] })[key.slice(text.length)] ?? ['content'];

/** The first column of the rule that the files have. */
function columnIn(
  rule: unknown,
  { tables, known }: KnownTable,
): { table: Table; column: Column } | undefined {
  if (Array.isArray(rule))
    return rule.map((each) => columnIn(each, { tables, known } as KnownTable)).find(Boolean);
  if (isJsonObject(rule)) {
    const { column, of, get, row, when } = rule;
    const cases = Array.isArray(when)
      ? when.flatMap(({ then, else: other, if: test }) => [then, other, test])
      : [];
    return columnIn([column, of, get, row, ...cases].filter(Boolean), { tables, known } as KnownTable);
  }
  if (typeof rule !== 'string') return undefined;
  const names = columnNames(known.layout, rule).map(plainHeader);
  const files = known.tables
    .toSorted((a, b) => Number(isRoot(b)) - Number(isRoot(a)))
    .flatMap((of) => of.files);
  const all = files.flatMap((file) => tables.filter((table) => table.file === file));
  for (const name of names)
    for (const table of all) {
      const column = table.columns.find(
        (each) => plainHeader(each.path) === name || plainHeader(each.name) === name,
      );
      if (column !== undefined) return { table, column };
    }
  return undefined;
}

const isRoot = ({ role }: { readonly role: string }) => role === 'root' || role === 'group';

/** A text of the ticket's own row, as its field says whose it is. */
const isOwnText =
  (key: string) =>
  ({ from, each, actorType, public: isPublic }: MessageRule): boolean => {
    const said = isJsonObject(actorType) ? actorType['const'] : undefined;
    const isNote = isPublic === false;
    return (
      from === undefined &&
      each === undefined &&
      (key === NOTE_TEXT ? isNote : !isNote && said === (key === AGENT_TEXT ? 'agent' : 'customer'))
    );
  };

/** The rule of a ticket's field: some layouts name a contact instead of a requester. */
function ticketPath(key: string, { ticket }: Layout): readonly PropertyKey[] {
  const path = placeOf(key) ?? [];
  const isContact = path[0] === 'requester' && path[1] !== 'id' && ticket.contact !== undefined;
  return isContact ? ['contact', ...path.slice(1)] : path;
}

/** The rules of the layout that make a field; several rules for messages may differ. */
function rulesOf(key: string, { layout }: Known): unknown[] {
  const { ticket, messages = [], tables, people = {} } = layout;
  const root = rootTableOf(layout);
  const text = ownTextOf(key);
  if (key === 'ticket.id') return [tables[root]?.key];
  if (key === 'message.ticket')
    return messages.flatMap(({ from }) => (from === undefined ? [] : [tables[from]?.key]));
  if (key.startsWith('person.')) {
    const part = key.slice('person.'.length);
    return Object.values(people).map((of) =>
      part === 'id' ? (of.key ?? tables[of.table]?.key) : valueAt(of, [part]),
    );
  }
  if (text !== undefined) {
    return messages.filter(isOwnText(text)).map((rule) => valueAt(rule, partOf(key, text)));
  }
  if (key.startsWith('ticket.')) return [valueAt(ticket, ticketPath(key, layout))];
  return messages.map((rule) => valueAt(rule, placeOf(key) ?? ['']));
}

function ruleOf(key: string, known: Known): unknown {
  const rules = rulesOf(key, known).filter((rule) => rule !== undefined);
  const texts = new Map(rules.map((own) => [JSON.stringify(own), own]));
  return texts.size < 2 ? rules[0] : [...texts.values()];
}

export function knownFields(of: KnownTable, needs: Needs): Field[] {
  const { choices, known, tables } = of;
  return Object.keys(SPECS).flatMap((key): Field[] => {
    if (specOf(key).of === 'setting' || key === 'ticket.rows') return [];
    const rule = ruleOf(key, known);
    const found = columnIn(rule, of);
    const isPlain = found !== undefined && (!isJsonObject(rule) || Object.keys(rule).length < 4);
    const own: Source = isPlain
      ? { kind: 'column', table: tables.indexOf(found.table), name: found.column.name }
      : rule === undefined
        ? NONE
        : { kind: 'rule', rule };
    const field = { key, label: specOf(key).label, source: choices.get(key) ?? own };
    const words = wordsOf(key, of, needs);
    if (words.size === 0) return [field];
    const isOpen = [...words.values()].includes(undefined);
    return [{ ...field, words, ...(isOpen && { mark: 'decide the words' }) }];
  });
}

/** The maps of a field's words, each with the rule that reads them, in the order of the layout. */
function mapsIn(rule: unknown): { readonly map: string; readonly rule: unknown }[] {
  if (Array.isArray(rule)) return rule.flatMap(mapsIn);
  if (!isJsonObject(rule)) return [];
  const { map } = rule;
  return typeof map === 'string' ? [{ map, rule }] : Object.values(rule).flatMap(mapsIn);
}

/** The words of the chosen column or of the layout's own, as the layout or the person reads them. */
function wordsOf(key: string, of: KnownTable, needs: Needs | undefined): Map<string, string | undefined> {
  const { choices, tables, known } = of;
  if (specOf(key).words === undefined) return new Map();
  const source = choices.get(key);
  const chosen = source && columnOf(tables, source);
  const rule = ruleOf(key, known);
  const valuesOf = (column: Column | undefined) =>
    (column?.values ?? []).slice(0, 40).map(({ value }) => value);
  const told = [...choices.keys()].flatMap((each) =>
    each.startsWith(`${key}:`) ? [each.slice(key.length + 1)] : [],
  );
  if (chosen !== undefined) return meaningsOf(key, chosen, [...valuesOf(chosen), ...told], choices);
  if (source !== undefined) return new Map();
  const lacking = needs && lackingWords(key, needs);
  const name = mapsIn(rule)[0]?.map;
  const map = Object.entries(known.layout.maps?.[name ?? '']?.values ?? {});
  const own = new Map(map.map(([word, value]) => [comparable(word), value]));
  const column = name === undefined ? undefined : columnIn(rule, of)?.column;
  const shown = valuesOf(column).filter((word) => own.has(comparable(word)));
  const asked = meaningsOf(key, column, [...(lacking ?? []), ...told], choices);
  return new Map([
    ...shown.map((word) => [word, String(own.get(comparable(word)) ?? 'none')] as const),
    ...asked,
  ]);
}

/** Words of a ticket's status or priority that no map of the layout has. */
function lackingWords(key: string, { account }: Needs): string[] {
  return account.entries.flatMap(({ kind, at: field = '', what: word, action }) => {
    const isOf = key === 'ticket.status' ? field.endsWith('status') : key === `ticket.${field}`;
    return kind === 'values' && action === 'error' && isOf ? [word] : [];
  });
}

/** A person's changes of the layout, and nothing else of it. */
export function knownMapping(of: KnownTable, needs?: Needs, isOpen = false): Tree {
  return new Changing(of, needs, isOpen).mapping();
}

/** Words of messages are read in the layout's own column unless another is chosen. */
function withColumns(of: KnownTable): Choices {
  const { choices, tables, known } = of;
  const keys = ['message.writer', 'message.visibility'].filter(
    (key) => !choices.has(key) && [...choices.keys()].some((each) => each.startsWith(`${key}:`)),
  );
  const found = keys.map((key): [string, Source] => {
    const { table, column } = columnIn(ruleOf(key, known), of) ?? {};
    if (table === undefined || column === undefined) throw noMessageRules(key, known.layout, column);
    return [key, { kind: 'column', table: tables.indexOf(table), name: column.name }];
  });
  return new Map([...choices, ...found]);
}

function noMessageRules(key: string, { name }: Layout, column: Column | undefined): AppError {
  const where = column === undefined ? '' : ` where "${column.name}" is`;
  return stop('no-message-rules', { name, where, key });
}

class Changing {
  readonly #of: KnownTable;
  readonly #needs: Needs | undefined;
  readonly #isOpen: boolean;
  readonly #mapping: Record<string, unknown> = {};

  constructor(of: KnownTable, needs: Needs | undefined, isOpen: boolean) {
    this.#of = { ...of, choices: withColumns(of) };
    this.#needs = needs;
    this.#isOpen = isOpen;
  }

  mapping(): Tree {
    const { choices } = this.#of;
    const plain = [...choices].filter(([key]) => !key.includes(':') && specOf(key).of !== 'setting');
    // The text comes before its time and its author.
    for (const [key, source] of plain.toSorted(([a], [b]) => a.split('.').length - b.split('.').length))
      this.#change(key, source);
    for (const key of ['ticket.status', 'ticket.priority']) this.#words(key);
    return this.#mapping;
  }

  get #layout(): Layout {
    return this.#of.known.layout;
  }

  #change(key: string, source: Source): void {
    const { tables } = this.#of;
    const column = columnOf(tables, source);
    const file = source.kind === 'column' ? tables[source.table]?.file : undefined;
    const read = this.#of.known.tables.find(({ files }) => file !== undefined && files.includes(file));
    const root = rootTableOf(this.#layout);
    const text = ownTextOf(key);
    const isOwn = column !== undefined && column.list === undefined && read?.name === root;
    if (key === 'ticket.id')
      this.#set(['tables', root, 'key'], source.kind === 'each-row' ? ROW : column?.path);
    else if (key === 'ticket.rows') {
      const rows = source.kind === 'fixed' && source.value === 'message' ? 'group' : 'root';
      this.#set(['tables', root, 'role'], rows);
    } else if (key === 'message.ticket') {
      if (read === undefined || read.role !== 'child') throw noMessageRules(key, this.#layout, column);
      this.#set(['tables', read.name, 'key'], column?.path);
    } else if (key.startsWith('person.'))
      this.#person(key.slice('person.'.length), read?.name, column, source);
    else if (text !== undefined) this.#ownText(text, key, this.#rule(key, source, column));
    else if (key === 'message.text' && isOwn && this.#rulesAt(source, column).length === 0)
      this.#ownText(CUSTOMER_TEXT, CUSTOMER_TEXT, column.path);
    else if (key.startsWith('ticket.')) this.#ticket(key, this.#rule(key, source, column) ?? { const: '' });
    else {
      const found = this.#rulesAt(source, column);
      if (found.length === 0) throw noMessageRules(key, this.#layout, column);
      for (const place of found) this.#setMessage(place, placeOf(key) ?? [], this.#rule(key, source, column));
    }
  }

  #set(path: readonly (string | number)[], value: unknown): void {
    if (value !== undefined) setAt(this.#mapping, path, value);
  }

  /** A person is one field of a rule, so the other parts are written again. */
  #setMessage(place: string, [field = '', part]: SettingPath, value: unknown): void {
    const held = this.#messages().get(place)?.[field as keyof MessageRule];
    const whole = part === undefined ? value : { ...(isJsonObject(held) ? held : {}), [part]: value };
    setAt(this.#mapping, ['messages', place, field], whole ?? null);
  }

  #rule(key: string, source: Source, column: Column | undefined): unknown {
    if (key === 'message.attachment' && column !== undefined) return filesIn({ column: column.path });
    const hasWords = column !== undefined && specOf(key).words !== undefined;
    const words = hasWords ? wordsOf(key, this.#of, this.#needs) : undefined;
    const rule = sourceRule(key, source, column?.path, words, this.#isOpen);
    return key === 'message.visibility' ? (rule ?? 'unknown') : rule;
  }

  /** Rules for one field replace the layout's own, so the other parts of a person are written again. */
  #ticket(key: string, rule: unknown): void {
    const path = ticketPath(key, this.#layout) as string[];
    const [field = '', part] = path;
    if (part === undefined) {
      this.#set(['ticket', field], rule);
      return;
    }
    const own = valueAt(this.#layout, ['ticket', field]);
    const written = valueAt(this.#mapping, ['ticket', field]);
    this.#set(['ticket', field], {
      ...(isJsonObject(own) ? own : {}),
      ...(isJsonObject(written) ? written : {}),
      [part]: rule,
    });
  }

  #person(part: string, table: string | undefined, column: Column | undefined, source: Source): void {
    const { people = {}, tables } = this.#layout;
    const value = source.kind === 'fixed' ? { const: source.value } : column?.path;
    const found = Object.entries(people).filter(([, of]) => table === undefined || of.table === table);
    if (found.length === 0)
      throw new AppError(
        'usage',
        `The layout ${this.#layout.name} reads no people${column === undefined ? '' : ` where "${column.name}" is`}.`,
      );
    for (const [name, of] of found)
      if (part === 'id' && of.key === undefined && tables[of.table] !== undefined)
        this.#set(['tables', of.table, 'key'], value);
      else this.#set(['people', name], { ...of, [part === 'id' ? 'key' : part]: value });
  }

  #messages(): Map<string, MessageRule> {
    return changedMessages(this.#layout, (this.#mapping['messages'] ?? {}) as Tree);
  }

  /** A text of the ticket's row: the layout's own rule is changed, or one is added. */
  #ownText(text: string, key: string, rule: unknown): void {
    const messages = this.#messages();
    const [place] = [...messages].find(([, each]) => isOwnText(text)(each)) ?? [];
    if (place !== undefined && key === text && rule === undefined) this.#set(['messages', place], null);
    else if (place !== undefined) this.#setMessage(place, partOf(key, text), rule);
    else if (key !== text) throw new AppError('usage', `Set ${text} before ${key}.`);
    else if (rule !== undefined) this.#set(['messages', this.#newPlace(messages)], this.#newText(text, rule));
  }

  #newPlace(taken: ReadonlyMap<string, MessageRule>): string {
    const root = rootTableOf(this.#layout);
    const others = [...messagesByPlace(this.#layout).keys(), ...taken.keys()];
    let place = root;
    for (let n = 2; others.includes(place); n++) place = `${root}#${n}`;
    return place;
  }

  #newText(text: string, content: unknown): MessageRule {
    const { contact, requester, assignee, createdAt, resolvedAt, closedAt } = this.#layout.ticket;
    const isCustomer = text === CUSTOMER_TEXT;
    const parts = isJsonObject(contact) && ('email' in contact || 'name' in contact) ? contact : undefined;
    const times = isCustomer || text === NOTE_TEXT ? [createdAt] : [resolvedAt, closedAt];
    const filled = times.flatMap((time) => time ?? []);
    const made = {
      content,
      occurredAt: filled.length === 0 ? undefined : filled,
      public: text !== NOTE_TEXT,
      actorType: { const: isCustomer ? 'customer' : 'agent' },
      author: (isCustomer ? (requester ?? parts) : assignee) ?? {},
      use: isCustomer ? 'unless-repeated' : undefined,
    };
    return JSON.parse(JSON.stringify(made)) as MessageRule;
  }

  /** The rules for messages that read the rows or items of the column; all of them for a fixed value. */
  #rulesAt(source: Source, column: Column | undefined): string[] {
    const { tables, known } = this.#of;
    const file = source.kind === 'column' ? tables[source.table]?.file : undefined;
    return [...messagesByPlace(this.#layout)].flatMap(([place, { from, each }]) => {
      const table = known.tables.find((one) => (from === undefined ? isRoot(one) : one.name === from));
      const isIts = file !== undefined && table?.files.includes(file) === true && each === column?.list;
      return column === undefined || isIts ? [place] : [];
    });
  }

  /** The person's words go before those of the layout's own map. */
  #words(key: string): void {
    const { choices } = this.#of;
    if (choices.has(key)) return;
    const rule = ruleOf(key, this.#of.known);
    const lacking = this.#needs ? lackingWords(key, this.#needs) : [];
    const words = [...wordsOf(key, this.#of, this.#needs)].filter(
      ([word, meaning]) => meaning === undefined || choices.has(`${key}:${word}`) || lacking.includes(word),
    );
    for (const [map, own] of Map.groupBy(words, ([word]) => this.#mapOf(rule, word))) {
      const { map: values } = wordRule(key, '', own, this.#isOpen);
      if (Object.keys(values as Tree).length === 0) continue;
      if (map !== undefined) this.#set(['maps', map, 'values'], values);
      else if (rule !== undefined) this.#ticket(key, { of: rule, map: values, unlisted: 'keep' });
    }
  }

  /** The map of the column that has the word. */
  #mapOf(rule: unknown, word: string): string | undefined {
    const maps = mapsIn(rule).filter(({ map }) => this.#layout.maps?.[map] !== undefined);
    const stands = maps.find(({ rule: reads }) =>
      columnIn(reads, this.#of)?.column.values?.some(({ value }) => value === word),
    );
    return (stands ?? maps[0])?.map;
  }
}
