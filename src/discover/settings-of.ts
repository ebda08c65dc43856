/** The settings that `init` writes, and what a person edited in them since. */

import { isDeepStrictEqual } from 'node:util';
import { type AgentOffer, agentsByPerson, isUnknownAgent, NO_NAME, usesOf } from '../domain/decisions.ts';
import { countOf, formatCount, printable, shorten } from '../domain/printable.ts';
import { isJsonObject, openPaths, type SettingPath, TODO, valueAt } from '../domain/source-file.ts';
import { ROW } from '../mapping/language/layout.ts';
import { type Choices, type Field, NONE, placeOf, type Source, SPECS, specOf } from './fields.ts';
import { knownFields, knownMapping, type TableOf } from './known-layout.ts';
import { mappingOf, openPlaces, openText, withoutUndefined } from './mapping-of.ts';
import type { Needs } from './needs.ts';
import type { Column } from './profile.ts';
import type { Fields } from './proposed.ts';
import { setAt, type Tree } from './trees.ts';

export interface Comment {
  readonly path: SettingPath;
  readonly text: string;
}

export interface ProposedSettings {
  readonly settings: Tree;
  /** Next to their lines. */
  readonly comments: readonly Comment[];
  /** Most active first. */
  readonly agents: readonly {
    readonly agent: string;
    readonly count: number;
    /** In the helpdesk, by its name. */
    readonly id?: string | undefined;
  }[];
}

type SettingsInputs = TableOf & {
  readonly files: readonly string[];
  readonly needs: Needs;
  readonly shown: readonly Field[];
  readonly given: Readonly<Record<string, string>>;
  readonly offers?: readonly AgentOffer[];
};

const MOST_AGENTS = 30;

interface Doubts {
  readonly customers: { readonly distinct: number; readonly made?: number; readonly namesakes?: number };
  /** An example whose day may be its month. */
  readonly dates: string | undefined;
  readonly encoding: { readonly name: string; readonly shows: string; readonly isSure: boolean } | undefined;
}

/** Fields of the mapping, then settings that these tickets need. */
export function shownFields(of: TableOf, needs: Needs, doubts: Doubts): Field[] {
  const fields = of.known !== undefined ? knownFields(of, needs) : [...of.fields.all.values()];
  const order = Object.keys(SPECS);
  return [...fields, ...settingFields(of, needs, doubts)].sort(
    (a, b) => order.indexOf(a.key) - order.indexOf(b.key),
  );
}

function settingFields(
  { fields, choices }: TableOf,
  needs: Needs,
  { customers, dates, encoding }: Doubts,
): Field[] {
  const { zoneless, noCreatedAt, noAgentId, noEmail, noContact, noActor } = needs;
  const { distinct, made = 0, namesakes = 0 } = customers;
  const example = zoneless ?? dates;
  const nameless = noEmail > 0 || fields === undefined ? noEmail : noContact;
  const open: Readonly<Record<string, string | false>> = {
    otherAuthors: noActor > 0 && `unknown authors of ${countOf(noActor, 'message')}`,
    'source.encoding': encoding !== undefined && `shows ${encoding.shows}: is that right?`,
    'source.timezone':
      example !== undefined && `times such as ${example} have no zone, for example Europe/Berlin`,
    'source.dayFirst': dates !== undefined && `is the day first in ${dates}?`,
    'source.missingCreatedAt':
      noCreatedAt > 0 && `${countOf(noCreatedAt, 'ticket')} without a time, for example 2020-01-01T00:00:00Z`,
    fallbackAgent:
      noAgentId > 0 &&
      `who signs the ${countOf(noAgentId, 'message')} of agents who are not in the helpdesk? An agent ID, such as agt_1`,
    'customersWithoutEmail.synthesize':
      nameless > 0 &&
      `${formatCount(made)} of ${countOf(distinct, 'customer')} have no address${namesakes === 0 ? '' : `, ${formatCount(namesakes)} of them the name of one who has`}: a domain for made-up ones, for example customers.example.com, or one address for all of them`,
  };
  return Object.keys(SPECS).flatMap((key): Field[] => {
    const { label, of } = specOf(key);
    if (of !== 'setting') return [];
    const chosen = choices.get(key);
    const mark = open[key];
    if (chosen === undefined && key === 'source.encoding' && encoding?.isSure === true)
      return [{ key, label, source: fixed(encoding.name) }];
    if (chosen !== undefined && chosen.kind !== 'none') return [{ key, label, source: chosen }];
    if (typeof mark !== 'string') return [];
    const source = key === 'source.encoding' && encoding ? fixed(encoding.name) : NONE;
    return [{ key, label, source, ...(chosen === undefined ? { mark } : {}) }];
  });
}

/** Columns that a person leaves out, after those of the layout. */
export function ignoredBy({ choices, known }: Pick<TableOf, 'choices' | 'known'>): string[] {
  const own = choices.get('ignore');
  if (own?.kind !== 'fixed') return [];
  return [...new Set([...(known?.layout.ignore ?? []), ...own.value.split('\n')])];
}

export function proposeSettings(inputs: SettingsInputs): ProposedSettings {
  const { files, known, needs, shown, given, offers = [] } = inputs;
  const marked = new Set(shown.flatMap(({ key, mark }) => (mark === undefined ? [] : [key])));
  const mapping =
    known === undefined
      ? mappingOf(inputs.fields, ({ key }) => marked.has(key))
      : knownMapping(inputs, needs, true);
  const source: Record<string, unknown> = { files, from: undefined, ...given };
  const all: Record<string, unknown> = { source, mapping };
  for (const { key, source: own } of shown) {
    if (specOf(key).of !== 'setting') continue;
    const value =
      key === 'ignore'
        ? ignoredBy(inputs)
        : own.kind === 'fixed' && (key === 'source.dayFirst' ? own.value === 'true' : own.value);
    if (marked.has(key)) setAt(all, placeOf(key) ?? [], openText(key));
    else if (own.kind === 'fixed') setAt(all, placeOf(key) ?? [], value);
  }
  const notes: Comment[] = [];
  const note = (path: SettingPath, value: unknown, text: string) => {
    setAt(all, path, value);
    notes.push({ path, text });
  };
  if (needs.noTime > 0) {
    const untimed = countOf(needs.noTime, 'message or event', 'messages or events');
    note(
      ['source', 'missingTimes'],
      'previous',
      `${untimed} without a time take that of the one before; "reject" rejects their tickets`,
    );
  }
  const { source: _, mapping: rules, ...others } = all;
  const isPlain = known !== undefined && Object.keys(rules as Tree).length === 0;
  if (isPlain) source['from'] = known.layout.name;
  const settings = {
    source: withoutUndefined(source),
    ...others,
    ...(isPlain ? {} : { mapping: { ...(known && { extends: known.layout.name }), ...(rules as Tree) } }),
  };
  return {
    settings,
    comments: [...takeOpen(settings, shown), ...notes],
    agents: agentsByPerson(
      needs.account.agents.filter((each) => isUnknownAgent(each) && each.agent !== NO_NAME),
    )
      .slice(0, MOST_AGENTS)
      .map((all) => {
        const agent = all.at(-1)?.agent ?? '';
        const name = all[0]?.name ?? agent;
        const count = all.reduce((sum, each) => sum + usesOf(each), 0);
        return { agent, count, id: offers.find((offer) => offer.name === name)?.id };
      }),
  };
}

/** `TODO`: `<label>: why; "col a" (sample), "col b" (sample)`. */
function todoText({ key, label, mark, source, likely = [] }: Field): string {
  const { of, meanings = [] } = specOf(key);
  const now = key === 'source.encoding' && source.kind === 'fixed' ? `${source.value} ` : '';
  const columns = likely.slice(0, 8).map(columnText);
  // The TODO replaces the rule; JSON is YAML.
  if (source.kind === 'rule' && mark !== undefined) columns.unshift(JSON.stringify(source.rule));
  const choices = [...columns, ...(of === 'setting' ? meanings : [])].join(', ');
  return printable(`${label}: ${now}${mark}${choices === '' ? '' : `: ${choices}`}`).replace(/\s+/g, ' ');
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
function takeOpen(settings: Record<string, unknown>, shown: readonly Field[]): Comment[] {
  return openPlaces(settings).flatMap(([place, path]) => {
    const [key, word] = placeIn(place);
    const field = shown.find((each) => each.key === key);
    setAt(settings, path, TODO);
    if (field === undefined) return [];
    const meanings =
      key === 'message.visibility'
        ? 'write the word here if only the team sees it, under `in` if everyone does'
        : specOf(key).meanings?.join(', ');
    const text = word === undefined ? todoText(field) : `${field.label} ${JSON.stringify(word)}: ${meanings}`;
    return [{ path, text }];
  });
}

/** The field, and the word of its column. */
function placeIn(place: string): readonly [key: string, word?: string] {
  const key = Object.keys(SPECS).find((each) => place.startsWith(`${each}:`));
  return key === undefined ? [place] : [key, place.slice(key.length + 1)];
}

/** Choices of a person who edited the file: settings, words and rules; and the fields that are decided there. */
export function editedChoices(
  settings: Tree,
  of: TableOf,
): { readonly choices: Choices; readonly decided: ReadonlySet<string> } {
  const choices = new Map(of.choices);
  const decided = new Set<string>();
  for (const key of Object.keys(SPECS).filter((each) => specOf(each).of === 'setting')) {
    const value = valueAt(settings, placeOf(key) ?? []);
    if (value !== undefined && value !== TODO)
      choices.set(key, fixed(Array.isArray(value) ? value.join('\n') : value));
  }
  const own = settings['mapping'];
  const { fields } = of;
  if (fields === undefined) {
    for (const kind of ['status', 'priority'])
      for (const [word, value] of Object.entries(valueAt(own, ['maps', kind, 'values']) ?? {}))
        if (value !== TODO) choices.set(`ticket.${kind}:${word}`, value === null ? NONE : fixed(value));
    return { choices, decided };
  }
  const made = mappingOf(fields);
  const isThere = ({ key, source, mark }: Field) =>
    source.kind !== 'none' || mark !== undefined || key.startsWith('ticket.');
  const undecided = [...fields.all].map(([key, field]): [string, Field] => [
    key,
    field.words === undefined
      ? field
      : { ...field, words: new Map([...field.words.keys()].map((word) => [word, undefined])) },
  ]);
  const places = [fields, { ...fields, all: new Map(undecided) }].flatMap((all) =>
    openPlaces(mappingOf(all, isThere)),
  );
  for (const [place, path] of places) {
    const [key, word] = placeIn(place);
    const isAudience = key === 'message.visibility' && word !== undefined;
    const value = isAudience ? audienceIn(valueAt(own, path.slice(0, -2)), word) : valueAt(own, path);
    if (value === undefined || openPaths(value).length > 0) continue;
    const now = word === undefined ? valueAt(made, path) : fields.all.get(key)?.words?.get(word);
    decided.add(key);
    if (isDeepStrictEqual(value, now)) continue;
    if (word === undefined) choices.set(key, sourceIn(key, value, fields));
    else choices.set(place, value === null ? NONE : fixed(value));
  }
  return { choices, decided };
}

const fixed = (value: unknown): Source => ({ kind: 'fixed', value: String(value) });

function audienceIn(rule: unknown, word: string): string | undefined {
  const has = (list: unknown) => Array.isArray(list) && list.includes(word);
  if (!isJsonObject(rule)) return undefined;
  return has(rule['in']) ? 'public' : has(rule['internal']) ? 'internal' : undefined;
}

function sourceIn(key: string, rule: unknown, { tickets, thread, people, tables }: Fields): Source {
  const { of, meanings } = specOf(key);
  const table = of === 'ticket' ? tickets : of === 'person' ? people : thread?.table;
  const list = of === 'message' ? thread?.list : undefined;
  const found = table?.columns.find((column) => column.list === list && column.path === rule);
  if (table !== undefined && found !== undefined)
    return { kind: 'column', table: tables.indexOf(table), name: found.name };
  if (key === 'ticket.id' && rule === ROW) return { kind: 'each-row' };
  if (key === 'ticket.rows') return fixed(rule === 'group' ? 'message' : 'version');
  if (typeof rule === 'boolean') return fixed(rule ? 'public' : 'internal');
  const { const: value } = isJsonObject(rule) ? rule : {};
  return meanings?.includes(String(value)) === true || typeof value === 'string'
    ? fixed(value)
    : { kind: 'rule', rule };
}
