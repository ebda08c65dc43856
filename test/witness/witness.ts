/**
 * An independent reader of an import: the words of each cell of the raw export are looked for in what the helpdesk holds afterwards.
 * It shares no code with the program. A cell is `found` with the places of its words, `named` by what the run said, `read`
 * (a code, time, ID or address of a column that the layout names), or `unexplained`.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { parse as parseCsv } from 'csv-parse/sync';
import { decodeHTML } from 'entities';
import iconv from 'iconv-lite';
import { parse as parseYaml } from 'yaml';
import { inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';

export interface Cell {
  readonly file: string;
  /** Without indexes: `messages[].author.id`. */
  readonly column: string;
  readonly text: string;
  /** Its record in the file, and the stream that this is of. */
  readonly row: number;
  readonly stream: string;
}

export type Verdict = 'found' | 'named' | 'read' | 'unexplained';
export interface Sorted extends Cell {
  readonly verdict: Verdict;
  /** Of a found cell: fields of the helpdesk, sorted. */
  readonly places: string;
}

interface Said {
  readonly layout: string;
  readonly mapping: readonly { readonly from: string }[];
  readonly kept: { readonly columns: readonly string[] };
  readonly lost: readonly { readonly what: string }[];
  readonly details: {
    readonly columns: readonly { readonly column: string; readonly file: string }[];
    readonly values: readonly { readonly value: string }[];
    readonly authors: readonly { readonly author: string }[];
    readonly notHeld: readonly { readonly what: string }[];
  };
  readonly people: { readonly agents: readonly { readonly agent: string; readonly name?: string }[] };
  readonly problems: readonly { readonly code: string; readonly file?: string; readonly message: string }[];
}

const PLATFORMS = resolve(import.meta.dirname, '../../src/mapping/platforms');
const NOT_EXPORTED = /^(?:expected|settings)\.json$|^README|\.(?:ya?ml|md|sh|py|mjs|txt)$/;

export function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !NOT_EXPORTED.test(name) && !name.startsWith('.'))
    .flatMap(({ name }) => filesOf(join(path, name)));
}

export function cellsOf(path: string): Cell[] {
  const raw = readFileSync(path);
  const bytes = path.endsWith('.gz') ? gunzipSync(raw) : raw;
  const utf8 = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const text = utf8.includes('\uFFFD') ? iconv.decode(bytes, 'windows-1252') : utf8;
  const file = basename(path);
  const cells: Cell[] = [];
  const see = (value: unknown, column: string, row: number, stream = '') =>
    leaves(value, column, (at, one, inner) =>
      cells.push({ file, column: at, text: one, row: row + inner, stream }),
    );
  if (/^\s*[[{]/.test(text))
    for (const [row, document] of documents(text).entries()) {
      const { stream, record } = document as { stream?: unknown; record?: { stream?: unknown } };
      see(document, '', row, String(stream ?? record?.stream ?? ''));
    }
  else {
    const [first = ''] = text.split(/\r?\n|\r/);
    const many = (delimiter: string) => first.split(delimiter).length;
    const [delimiter = ','] = [',', ';', '\t', '|'].toSorted((a, b) => many(b) - many(a));
    const rows: string[][] = parseCsv(text, { delimiter, relax_column_count: true, relax_quotes: true });
    const [header = [], ...records] = rows;
    for (const [row, record] of records.entries())
      for (const [at, cell] of record.entries())
        see(
          /^\s*[[{].*[\]}]\s*$/s.test(cell) ? documentIn(cell) : cell,
          header[at]?.trim() || `column ${at + 1}`,
          row,
        );
  }
  return cells;
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function documents(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(documentIn);
  }
}

/** `row`: which element of the outermost list. */
function leaves(
  value: unknown,
  column: string,
  tell: (column: string, text: string, row: number) => void,
  row = -1,
): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value))
    for (const [at, each] of value.entries()) leaves(each, `${column}[]`, tell, row < 0 ? at : row);
  else if (typeof value === 'object')
    for (const [key, inner] of Object.entries(value))
      leaves(inner, column === '' ? key : `${column}.${key}`, tell, row);
  else if (String(value).trim() !== '') tell(column, String(value).trim(), Math.max(row, 0));
}

/** Words of a text as people read it. */
export function wordsOf(text: string): string[] {
  const bare = text
    .replace(/<[a-z][^<>]*?(?:href|src)="([^"]*)"[^<>]*>/gi, ' $1 ')
    .replace(/<\/?[a-z!][^<>@]*>/gi, ' ');
  const plain = /[<&]/.test(text) ? decodeHTML(bare) : text;
  return (
    plain
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Of all time zones. */
const OFFSETS = Array.from({ length: 2 * 56 + 1 }, (_, at) => (at - 56) * 900_000);
const TIME = /(\d{1,4})[-./](\d{1,2}|[A-Za-z]{3})[-./](\d{1,4})(?:[T ,]+(\d{1,2}):(\d\d)(?::(\d\d))?)?/;
const TIMES = new RegExp(`${TIME.source}(?: [AP]M)?`, 'g');
const MONTHS =
  /^(jan|ene)|(f)|(m[aä]r|mrz)|(a[pbv]r)|(ma[iy])|(jun)|(jul)|(aug|ago)|(sep)|(o[ck]t)|(nov)|(de[cz]|dic)/i;
/** Of Jira's wiki: its signs become those of Markdown. */
const MARKUP = /\{(?:code|noformat|quote|panel|color)(?:[:=][^{}]*)?\}|^h[1-6]\. |(?<=[;\n])h[1-6]\. /g;

/** Milliseconds as if it were UTC; days may stand before months. */
function instantsIn(text: string): number[] {
  if (/^\d{10}(?:\.\d+)?$/.test(text)) return [Math.floor(Number(text)) * 1000];
  if (/^\d{13}$/.test(text)) return [Number(text)];
  const [, a = '', b = '', c = '', hour = '0', minute = '0', second = '0'] = TIME.exec(text) ?? [];
  if (a === '') return [];
  const month = Number.isNaN(Number(b))
    ? (MONTHS.exec(b) ?? []).findIndex((part, at) => at > 0 && part !== undefined)
    : Number(b);
  const year = (text: string) => (text.length === 2 ? 2000 + Number(text) : Number(text));
  const clock =
    (Number(hour) + (/\bPM\b/i.test(text) && Number(hour) < 12 ? 12 : 0)) * 3_600_000 +
    Number(minute) * 60_000 +
    Number(second) * 1000;
  const days =
    a.length === 4
      ? [Date.UTC(Number(a), month - 1, Number(c))]
      : [Date.UTC(year(c), month - 1, Number(a)), Date.UTC(year(c), Number(a) - 1, month)];
  return days.map((day) => day + clock);
}

/** What programs write for nothing. */
const NOTHING = /^(?:null|none|nil|n\/?a|unknown|undefined|nan)$/i;

interface Held {
  /** Word → fields that hold it. */
  readonly words: ReadonlyMap<string, ReadonlySet<string>>;
  readonly instants: ReadonlySet<number>;
}

/** What the helpdesk holds, and the rows that the run left out, in the same words. */
function heldIn(folder: string, rejects: string): Held {
  const words = new Map<string, Set<string>>();
  const instants = new Set<number>();
  const add = (place: string, text: string) => {
    for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? new Set()).add(place));
    if (/^\d{4}-\d\d-\d\dT/.test(text)) instants.add(Math.floor(Date.parse(text) / 1000) * 1000);
  };
  const db = new Database(join(folder, 'service.sqlite'), { readonly: true });
  const rows = <Row>(sql: string) => db.prepare<[], Row>(sql).all();
  for (const table of ['tickets', 'messages', 'events'])
    for (const { body } of rows<{ body: string }>(`SELECT body FROM ${table}`))
      leaves(JSON.parse(body), table, add);
  for (const { content } of rows<{ content: string }>('SELECT content FROM messages'))
    add(content.includes('Kept by helpdesk-import') ? 'note' : 'messages.content', content);
  for (const { email, name } of rows<{ email: string; name: string | null }>(
    'SELECT email, name FROM contacts',
  )) {
    add('contacts.email', email);
    add('contacts.name', name ?? '');
  }
  for (const row of rows<Record<string, unknown>>('SELECT external_id, subject, reason, rows FROM left_out'))
    leaves({ ...row, rows: documentIn(String(row['rows'])) }, 'left out', (_, text) => add('left out', text));
  db.close();
  for (const path of readable(rejects)) for (const { text } of cellsOf(path)) add('left out', text);
  return { words, instants };
}

function readable(folder: string): string[] {
  try {
    return filesOf(folder);
  } catch {
    return [];
  }
}

/** Keys of a layout whose words are no columns of a row. */
const NO_COLUMN =
  /^(?:recognise|title|reason|says|const|in|is|known|as|person|table|from|lookup|use|zone|unlisted|values)$/;
/** Keys whose columns are meant with all that is below them. */
const WHOLE = /^(?:technical|same|ignore|content)$/;

interface Known {
  /** Of columns that the layout, or a person's mapping, names. */
  readonly columns: readonly RegExp[];
  /** In its value maps and conditions. */
  readonly words: ReadonlySet<string>;
}

function knownBy(layouts: unknown): Known {
  const columns = new Map<string, RegExp>();
  const words = new Set<string>();
  const add = (name: string, whole: boolean) => {
    const plain = name.replace(/\[\d*\]/g, '').replace(/^\.$/, '');
    const escaped = plain.replace(/[.*+?^${}()|[\]\\]/g, (sign) => (sign === '*' ? '.*' : `\\${sign}`));
    if (plain !== '')
      columns.set(`${plain} ${whole}`, new RegExp(`(?:^|\\.)${escaped}(?:${whole ? '\\.|' : ''}$)`, 'i'));
  };
  const visit = (value: unknown, whole: boolean, isColumn: boolean): void => {
    if (typeof value === 'string') {
      words.add(value.toLowerCase());
      if (!isColumn) return;
      add(value, whole);
      for (const [, inner = ''] of value.matchAll(/\{([^{}]+)\}/g)) add(inner, whole);
    } else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        words.add(key.toLowerCase());
        if (whole && !Array.isArray(value)) add(key, true);
        visit(inner, whole || WHOLE.test(key), isColumn && (Array.isArray(value) || !NO_COLUMN.test(key)));
      }
  };
  visit(layouts, false, true);
  return { columns: [...columns.values()], words };
}

/** What people say: several words with letters, or an address. Anything else is a code. */
const isSaid = (text: string) =>
  !/^[\w-]+: .*\r?\n[\w-]+: /.test(text) &&
  (/\S@\S+\.\S/.test(text) ||
    (!/^\w+:\/\/\S+$/.test(text) && (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= 3 && /\s/.test(text)));

/** The settings of a fixture, as of a settings file. */
export const settingsOf = ({ timezone, ...settings }: { readonly timezone?: string }): object => ({
  ...settings,
  ...(timezone !== undefined && { source: { timezone } }),
});

export interface Witnessed {
  readonly code: number;
  readonly stderr: string;
  readonly cells: readonly Sorted[];
}

/** Imports the files into a new sandbox, in this process. A run that stops names everything by its stop. */
export async function witness(paths: readonly string[], settings: object | string = {}): Promise<Witnessed> {
  using folder = temporaryFolder();
  const config = typeof settings === 'string' ? settings : folder.join('helpdesk-import.yaml');
  if (typeof settings !== 'string') writeFileSync(config, JSON.stringify(settings));
  const [sandbox, rejects] = [folder.join('sandbox'), folder.join('rejects')];
  const { code, stdout, stderr } = await inProcess(
    'run',
    paths.map((path) => resolve(path)),
    { config, sandbox, rejects, checkpoint: folder.join('checkpoint.sqlite'), yes: true, json: true },
    { cwd: folder.path },
  );
  const folders =
    stdout === ''
      ? []
      : (JSON.parse(stdout) as Said).problems.flatMap(({ code, file }) =>
          code === 'ignored-folder' && file !== undefined ? [file] : [],
        );
  const cells = paths
    .flatMap(filesOf)
    .filter((path) => !folders.some((folder) => path.startsWith(`${folder}/`)))
    .flatMap(cellsOf);
  if (code === 2 || stdout === '')
    return { code, stderr, cells: cells.map((cell) => ({ ...cell, verdict: 'named', places: 'stop' })) };
  const said = JSON.parse(stdout) as Said;
  const held = heldIn(sandbox, rejects);
  const own = parseYaml(readFileSync(config, 'utf8')) as { mapping?: unknown; agents?: object } | null;
  const layouts = new Set([
    said.layout,
    ...[...JSON.stringify(own?.mapping ?? {}).matchAll(/"extends":"([^"]+)"/g)].map(([, name = '']) => name),
  ]);
  const known = knownBy([own?.mapping, ...[...layouts].flatMap((name) => layoutText(name))]);
  return {
    code,
    stderr,
    cells: forgiven(sorted(cells, held, said, known, Object.keys(own?.agents ?? {})), said),
  };
}

function layoutText(name: string): unknown[] {
  try {
    return [parseYaml(readFileSync(join(PLATFORMS, `${name}.yaml`), 'utf8'))];
  } catch {
    return [];
  }
}

function sorted(
  cells: readonly Cell[],
  { words, instants }: Held,
  said: Said,
  known: Known,
  listed: readonly string[],
): Sorted[] {
  const plain = (column: string) => column.replaceAll('[]', '').replace(/^\./, '');
  const team = [...listed, ...said.people.agents.flatMap(({ agent, name = '' }) => [agent, name])];
  const { columns, values, authors, notHeld } = said.details;
  const lost = new Set([...columns.map(({ column }) => column), ...said.kept.columns].map(plain));
  const passed = said.problems.filter(({ code }) => code.startsWith('ignored-'));
  const lists = passed.flatMap(({ message }) => /^The list (\S+) of/.exec(message)?.[1] ?? []);
  const ignored = new Set(
    passed.flatMap(({ file, message }) =>
      file === undefined || message.startsWith('The list') ? [] : [basename(file)],
    ),
  );
  const meant = new Set(
    [
      ...said.mapping.map(({ from }) => from),
      ...values.map(({ value }) => value),
      ...authors.map(({ author }) => author),
      ...team,
    ].map((text) => text.toLowerCase()),
  );
  const sentences = [...notHeld, ...said.lost].map(({ what }) => what);
  const isLost = (cell: Cell) => {
    const column = plain(cell.column);
    const parts = column.split('.');
    if (lists.some((list) => cell.stream === list || column.startsWith(`${list}.`))) return true;
    return (
      ignored.has(cell.file) ||
      parts.some(
        (_, at) =>
          lost.has(parts.slice(at).join('.')) ||
          parts.some((__, to) => to > at && lost.has(parts.slice(at, to).join('.'))),
      ) ||
      sentences.some(
        (what) =>
          what.includes(` (`) &&
          parts.some(
            (part) =>
              `${what.replaceAll(')', ',').replaceAll('(', ' ')} `.includes(` ${part},`) ||
              what.includes(` ${part})`),
          ),
      )
    );
  };
  const columnsOf = new Map<string, Set<string>>();
  for (const { text, file, column } of cells)
    columnsOf.set(text, (columnsOf.get(text) ?? new Set()).add(`${file} ${column}`));
  /** Of a page, outside of its records. */
  const isAround = ({ file, column }: Cell) => !column.includes('[]') && pages.has(file);
  const isKey = ({ text }: Cell) => /\d/.test(text) && (columnsOf.get(text)?.size ?? 0) > 1;
  const domains = new Set(team.flatMap((agent) => /@([^\s>]+)/.exec(agent)?.[1]?.toLowerCase() ?? []));
  /** Mailboxes of the team decide who wrote; the helpdesk has its own. */
  const isOfTeam = (text: string) =>
    domains.has(/^[^@]*@([^\s@>;,]+)>?$/.exec(text)?.[1]?.toLowerCase() ?? '');
  const isInstant = (text: string) =>
    instantsIn(text).some((at) => OFFSETS.some((offset) => instants.has(at + offset)));
  const placesOf = ({ text }: Cell): string | undefined => {
    if (isInstant(text)) return 'time';
    const rest = text.replace(TIMES, (time) => (isInstant(time) ? ' ' : time)).replace(MARKUP, ' ');
    const own = [...new Set(wordsOf(rest))].filter((word) => !meant.has(word) || words.has(word));
    const places = own.map((word) => words.get(word));
    if (places.some((place) => place === undefined)) return undefined;
    return (
      [...(places[0] ?? [])]
        .filter((place) => places.every((all) => all?.has(place)))
        .sort()
        .join(' ') || 'several'
    );
  };
  const pages = new Set(cells.filter(({ column }) => column.includes('[].')).map(({ file }) => file));
  return cells
    .filter(({ text }) => wordsOf(text).length > 0 && !NOTHING.test(text))
    .map((cell): Sorted => {
      const places = placesOf(cell);
      if (places !== undefined) return { ...cell, verdict: 'found', places };
      if (isLost(cell)) return { ...cell, verdict: 'named', places: '' };
      const isNamed = known.columns.some((pattern) => pattern.test(plain(cell.column)));
      const word = cell.text.toLowerCase();
      if (isNamed && (meant.has(word) || known.words.has(word.replace(/ \([^()]*\)$/, ''))))
        return { ...cell, verdict: 'read', places: '' };
      if (isNamed && isOfTeam(cell.text)) return { ...cell, verdict: 'read', places: '' };
      if (!isSaid(cell.text) && (isNamed || isKey(cell) || isAround(cell)))
        return { ...cell, verdict: 'read', places: '' };
      return { ...cell, verdict: 'unexplained', places: '' };
    });
}

/** Rows that the run names by their number: older versions, and rows that no ticket has. */
function forgiven(cells: readonly Sorted[], { lost, problems }: Said): Sorted[] {
  const counts = [...lost.map(({ what }) => what), ...problems.map(({ message }) => message)].flatMap(
    (what) => {
      const [, table = '', rows] =
        /^rows of (\S+) that no ticket has: ([\d,]+)$/.exec(what) ??
        /^()(\d+) rows? (?:is an|are) older version/.exec(what) ??
        [];
      return rows === undefined
        ? []
        : [
            {
              table: table.toLowerCase().replaceAll('_', '').slice(0, 4),
              left: Number(rows.replace(',', '')),
            },
          ];
    },
  );
  const rows = new Map<string, boolean>();
  return cells.map((cell) => {
    if (cell.verdict !== 'unexplained') return cell;
    const row = `${cell.file} ${cell.row}`;
    if (!rows.has(row)) {
      const count = counts.find(
        ({ table, left }) =>
          left > 0 && `${cell.file} ${cell.stream}`.toLowerCase().replaceAll('_', '').includes(table),
      );
      if (count !== undefined) count.left--;
      rows.set(row, count !== undefined);
    }
    return rows.get(row) === true ? { ...cell, verdict: 'named' } : cell;
  });
}
