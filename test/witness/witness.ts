/**
 * Imports an export into a sandbox and looks for the words of each of its cells in what the helpdesk then holds. It shares no
 * code with the program. A cell is `found`, `named` by what the run said, `read` (a code of a column that the layout names), or
 * `unexplained`.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { parse as parseCsv } from 'csv-parse/sync';
import { decodeHTML } from 'entities';
import iconv from 'iconv-lite';
import { parse as parseYaml } from 'yaml';
import type { Facts } from '../../src/plan/facts.ts';
import { inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';
import { isLeftBy, isLostBy, type Place, plain } from './named.ts';

export interface Cell extends Place {
  readonly text: string;
}

export interface Sorted extends Cell {
  readonly verdict: 'found' | 'named' | 'read' | 'unexplained';
  /** Of a found cell: fields of the helpdesk. */
  readonly places: string;
}

export interface Witnessed {
  readonly code: number;
  readonly stderr: string;
  readonly cells: readonly Sorted[];
  /** All that the helpdesk holds, without what differs from run to run. */
  readonly arrived: readonly string[];
}

const PLATFORMS = resolve(import.meta.dirname, '../../src/mapping/platforms');
const NO_DATA = /^(?:expected|settings)\.json$|^README|^LICENSE|\.(?:ya?ml|md|sh|py|mjs|txt)$|^\./;

export function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => !NO_DATA.test(name));
  return names.flatMap((name) => filesOf(join(path, name)));
}

export function cellsOf(path: string): Cell[] {
  const bytes = path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path);
  const text = iconv.decode(bytes, isUtf8(bytes) ? 'utf8' : 'windows-1252');
  const cells: Cell[] = [];
  const see = (value: unknown, name: string, stream = '') =>
    leaves(value, name, (column, one) => cells.push({ file: basename(path), column, text: one, stream }));
  if (/^\s*[[{]/.test(text)) {
    const whole = documentIn(text);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    for (const one of typeof whole === 'string' ? lines.map(documentIn) : [whole]) {
      const { stream, record } = one as { stream?: unknown; record?: { stream?: unknown } };
      see(one, '', String(stream ?? record?.stream ?? ''));
    }
    return cells;
  }
  const [first = ''] = text.split(/[\r\n]/);
  const many = (delimiter: string) => first.split(delimiter).length;
  const [delimiter = ','] = [',', ';', '\t', '|'].toSorted((a, b) => many(b) - many(a));
  const rows: string[][] = parseCsv(text, { delimiter, relax_column_count: true, relax_quotes: true });
  const [header = []] = rows;
  for (const record of rows.slice(1))
    for (const [at, cell] of record.entries())
      see(/^\s*[[{]/.test(cell) ? documentIn(cell) : cell, header[at]?.trim() || `column ${at + 1}`);
  return cells;
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type Tell = (column: string, text: string) => void;
function leaves(value: unknown, column: string, tell: Tell): void {
  if (Array.isArray(value)) for (const each of value) leaves(each, `${column}[]`, tell);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value))
      leaves(inner, column === '' ? key : `${column}.${key}`, tell);
  else if (String(value ?? '').trim() !== '') tell(column, String(value).trim());
}

/** Words of a text as people read it, with the addresses behind links and pictures. */
export function wordsOf(text: string): string[] {
  const bare = text.replace(/<[a-z][^<>]*?(?:href|src)="([^"]*)"[^<>]*>/gi, ' $1 ');
  const plain = /[<&]/.test(text) ? decodeHTML(bare.replace(/<\/?[a-z!][^<>@]*>/gi, ' ')) : text;
  const words = plain
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words ?? [];
}

/** Of all time zones, in milliseconds. */
const OFFSETS = Array.from({ length: 113 }, (_, at) => (at - 56) * 900_000);
const TIME = /(\d{1,4})[-./](\d{1,2}|[A-Za-z]{3})[-./](\d{1,4})(?:[T ,]+(\d{1,2}):(\d\d)(?::(\d\d))?( PM)?)?/;
const MONTHS = ' jan|ene f m[aä]r|mrz a[pbv]r ma[iy] jun jul a[ug] sep o nov d'.split(' ');
/** Of Jira's wiki: its signs become those of Markdown. */
const MARKUP = /\{(?:code|noformat|quote|panel|color)(?:[:=][^{}]*)?\}|(?<=^|[;\n])h[1-6]\. /g;
/** What programs write for nothing. */
const NOTHING = /^(?:null|none|nil|n\/?a|unknown|undefined|nan)$/i;

/** Milliseconds as if it were UTC; the day may come before the month. */
function instantsIn(text: string): number[] {
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return [Math.floor(Number(text)) * 1000];
  if (/^\d{13}$/.test(text)) return [Number(text)];
  const [, a = '', b = '', c = '', ...clock] = TIME.exec(text) ?? [];
  const named = MONTHS.findIndex((name) => name !== '' && new RegExp(`^(?:${name})`, 'i').test(b));
  const [month, first, last] = [named > 0 ? named : Number(b), Number(a), Number(c)];
  const year = c.length === 2 ? 2000 + last : last;
  const [hour = 0, minute = 0, second = 0] = clock.slice(0, 3).map((part) => Number(part ?? 0));
  const time = [clock[3] !== undefined && hour < 12 ? hour + 12 : hour, minute, second] as const;
  if (a.length === 4) return [Date.UTC(first, month - 1, last, ...time)];
  return a === ''
    ? []
    : [Date.UTC(year, month - 1, first, ...time), Date.UTC(year, first - 1, month, ...time)];
}

/** Who sees a text, as what, and whose it is. */
const AS_SEEN = `SELECT content, concat_ws(' ', body ->> 'isInternal', body ->> 'actorType', body ->> 'contentType') AS how FROM messages`;

const MOST_TEXTS = 100;

interface Held {
  /** Of each text. */
  readonly places: string[];
  /** Word → texts that hold it. */
  readonly words: Map<string, Set<number>>;
  /** Time → fields that hold it. */
  readonly instants: Map<number, string[]>;
  readonly arrived: string[];
}

/** What the helpdesk holds, and the rows that the run left out. */
function heldIn(folder: string, rejects: string): Held {
  const held: Held = { places: [], words: new Map(), instants: new Map(), arrived: [] };
  const add: Tell = (place, text) => {
    const nr = held.places.push(place);
    for (const word of wordsOf(text)) held.words.set(word, (held.words.get(word) ?? new Set()).add(nr));
    const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Math.floor(Date.parse(text) / 1000) * 1000 : undefined;
    if (at !== undefined)
      held.instants.set(at, [...(held.instants.get(at) ?? []).slice(0, MOST_TEXTS), place]);
    if (!/@import\.invalid>|^run-\d/.test(text)) held.arrived.push(`${place}: ${text}`);
  };
  const db = new Database(join(folder, 'service.sqlite'), { readonly: true });
  const rows = (sql: string) => db.prepare<[], Record<string, unknown>>(sql).all();
  for (const table of ['tickets', 'messages', 'events'])
    for (const { body } of rows(`SELECT body FROM ${table}`)) leaves(documentIn(String(body)), table, add);
  for (const { content, how } of rows(AS_SEEN))
    leaves(content, String(content).includes('Kept by helpdesk-import') ? 'note' : `text ${how}`, add);
  for (const contact of rows('SELECT email, name FROM contacts')) leaves(contact, 'contacts', add);
  const leftOut: Tell = (_, text) => add('left out', text);
  for (const row of rows('SELECT external_id, subject, reason, rows FROM left_out'))
    leaves({ ...row, rows: documentIn(String(row['rows'])) }, '', leftOut);
  db.close();
  for (const path of existsSync(rejects) ? filesOf(rejects) : [])
    for (const { text } of cellsOf(path)) leftOut('', text);
  return held;
}

/** Keys of a layout with words that are no columns, and those whose columns are meant with all below them. */
const NO_COLUMN =
  /^(?:recognise|title|reason|says|const|in|is|known|as|person|table|from|lookup|use|zone|unlisted|values)$/;
const WHOLE = /^(?:technical|same|ignore|content)$/;

/** The columns that a layout, or a person's mapping, names, and the words of its maps and conditions. */
function knownBy(layouts: unknown): { readonly columns: RegExp; readonly words: ReadonlySet<string> } {
  const [names, words] = [new Set<string>(), new Set<string>()];
  const add = (name: string, isWhole: boolean) => {
    const plain = name
      .replace(/\[\d*\]/g, '')
      .replace(/[.*+?^${}()|[\]\\]/g, (sign) => (sign === '*' ? '.*' : `\\${sign}`));
    if (plain !== '' && plain !== '\\.') names.add(`${plain}${isWhole ? '(?:\\..*)?' : ''}`);
  };
  const visit = (value: unknown, isWhole: boolean, isColumn: boolean): void => {
    if (typeof value === 'string') {
      words.add(value.toLowerCase());
      const inner = [...value.matchAll(/\{([^{}]+)\}/g)].map(([, one = '']) => one);
      for (const name of isColumn ? [value, ...inner] : []) add(name, isWhole);
    } else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        words.add(key.toLowerCase());
        if (isWhole && !Array.isArray(value)) add(key, true);
        visit(inner, isWhole || WHOLE.test(key), isColumn && (Array.isArray(value) || !NO_COLUMN.test(key)));
      }
  };
  visit(layouts, false, true);
  return { columns: new RegExp(`(?:^|\\.)(?:${[...names].join('|')})$`, 'i'), words };
}

/** What people say: several words, or an address. Anything else is a code. */
const isSaid = (text: string) =>
  /\S@\S+\.\S/.test(text)
    ? !/^[\w-]+: .*\s/.test(text)
    : (text.match(/\p{L}{2,}[.,;:!?]?(?:\s|$)/gu)?.length ?? 0) >= 3;

/** Imports the files in this process. A run that stops names everything by its stop. */
export async function witness(paths: readonly string[], settings: object | string = {}): Promise<Witnessed> {
  using folder = temporaryFolder();
  const config = typeof settings === 'string' ? settings : folder.join('helpdesk-import.yaml');
  if (typeof settings !== 'string') writeFileSync(config, JSON.stringify(settings));
  const [sandbox, rejects, checkpoint] = ['sandbox', 'rejects', 'x.sqlite'].map((name) => folder.join(name));
  const flags = { config, sandbox, rejects, checkpoint, yes: true, json: true };
  const { code, stdout, stderr } = await inProcess('run', paths, flags, { cwd: folder.path });
  const said = stdout === '' || code === 2 ? undefined : (JSON.parse(stdout) as Facts);
  const skipped =
    said?.problems.flatMap(({ code: of, file = '' }) => (of === 'ignored-folder' ? file : [])) ?? [];
  const files = paths.flatMap(filesOf).filter((path) => !skipped.some((of) => path.startsWith(`${of}/`)));
  const cells = files.flatMap(cellsOf).filter(({ text }) => wordsOf(text).length > 0 && !NOTHING.test(text));
  if (said === undefined) {
    const stopped = cells.map((cell) => ({ ...cell, verdict: 'named', places: 'stop' }) as const);
    return { code, stderr, arrived: [], cells: stopped };
  }
  const held = heldIn(sandbox ?? '', rejects ?? '');
  const own = readFileSync(config, 'utf8');
  const names = [said.layout, ...[...own.matchAll(/extends"?: *"?([\w-]+)/g)].map(([, name = '']) => name)];
  const layouts = names.map((name) => join(PLATFORMS, `${name}.yaml`)).filter((path) => existsSync(path));
  const { agents, ...given } = (parseYaml(own) ?? {}) as { mapping?: object; agents?: object };
  const proposal = folder.join('proposal.yaml');
  if (layouts.length === 0 && given.mapping === undefined)
    await inProcess('init', paths, { yes: true, output: proposal }, { cwd: folder.path });
  const mappings = [...layouts, proposal].filter((path) => existsSync(path));
  const known = knownBy([given.mapping, ...mappings.map((path) => parseYaml(readFileSync(path, 'utf8')))]);
  return {
    code,
    stderr,
    arrived: held.arrived.sort(),
    cells: sorted(cells, held, said, known, Object.keys(agents ?? {})),
  };
}

function sorted(
  cells: readonly Cell[],
  { places: all, words, instants }: Held,
  facts: Facts,
  known: ReturnType<typeof knownBy>,
  listed: readonly string[],
): Sorted[] {
  const { people, details, mapping } = facts;
  const team = [...listed, ...people.agents.flatMap(({ agent, name = '' }) => [agent, name])];
  const values = [
    ...mapping.map(({ from }) => from),
    ...details.values.map(({ value }) => value),
    ...details.authors.map(({ author }) => author),
  ];
  const meant = new Set([...values, ...team].map((text) => text.toLowerCase()));
  const [isLost, isLeft] = [isLostBy(facts), isLeftBy(facts)];
  const hasOlder = facts.problems.some(({ code }) => code === 'older-version');
  const columnsOf = Map.groupBy(cells, ({ text }) => text);
  const pages = new Set(cells.filter(({ column }) => column.includes('[].')).map(({ file }) => file));
  /** An ID that joins rows, the number of a row, or a field of a page outside of its records. */
  const isKey = ({ file, column, text }: Cell) =>
    /(?:^|\.)_?id: \d+$/i.test(`${plain(column)}: ${text}`) ||
    (/\d/.test(text) && new Set(columnsOf.get(text)?.map((of) => of.file + of.column)).size > 1) ||
    (!column.includes('[]') && pages.has(file));
  const domains = new Set(team.flatMap((agent) => /@([^\s>]+)/.exec(agent)?.[1]?.toLowerCase() ?? []));
  /** Mailboxes of the team decide who wrote; the helpdesk has its own. */
  const isOfTeam = (text: string) =>
    domains.has(/^[^@]*@([^\s@>;,]+)>?$/.exec(text)?.[1]?.toLowerCase() ?? '');
  const placesAt = (text: string) =>
    instantsIn(text).flatMap((at) => OFFSETS.flatMap((offset) => instants.get(at + offset) ?? []));
  const placesOf = (text: string): string | undefined => {
    const times = placesAt(text);
    if (times.length > 0) return `time ${times.sort()}`;
    const rest = text
      .replace(new RegExp(TIME, 'g'), (time) => (placesAt(time).length > 0 ? ' ' : time))
      .replace(MARKUP, ' ');
    const own = wordsOf(rest).filter((word) => !meant.has(word) || words.has(word));
    const found = own.flatMap((word) => words.get(word) ?? []);
    if (found.length < own.length) return undefined;
    const [rarest = new Set(), ...others] = found.toSorted((a, b) => a.size - b.size);
    if (rarest.size > MOST_TEXTS) return `${rarest.size} texts`;
    const whole = [...rarest].filter((nr) => others.every((of) => of.has(nr)));
    const nrs = whole.length > 0 ? whole : [...rarest];
    return `${nrs.map((nr) => all[nr - 1]).sort()}`;
  };
  return cells.map((cell): Sorted => {
    const as = (verdict: Sorted['verdict'], places = '') => ({ ...cell, verdict, places });
    const places = placesOf(cell.text);
    if (places !== undefined) return as('found', places);
    if (isLost(cell)) return as('named');
    const isNamed = known.columns.test(plain(cell.column));
    const word = cell.text.toLowerCase().replace(/ \([^()]*\)$/, '');
    if (isNamed && (meant.has(word) || known.words.has(word) || isOfTeam(cell.text))) return as('read');
    if (!isSaid(cell.text) && (isNamed || isKey(cell))) return as('read');
    return as(hasOlder || isLeft(cell) ? 'named' : 'unexplained');
  });
}
