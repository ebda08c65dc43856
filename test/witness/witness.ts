/**
 * Imports an export into a sandbox and looks for each cell in the tickets that hold most of its row. It shares no code with
 * the program. A cell is `found`, `named` by what the run said, `read` (a code of a column that the layout names), or
 * `unexplained`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { parse as parseYaml } from 'yaml';
import type { Facts } from '../../src/plan/facts.ts';
import { inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';
import { isLeftBy, isLostBy, plain } from './named.ts';
import { type Cell, documentIn, filesOf, leavesOf, type Row, rowsOf, wordsOf } from './raw.ts';

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
/** What programs write for nothing. */
const NOTHING = /^(?:null|none|nil|n\/?a|unknown|undefined|nan)$/i;
const TIME =
  /(?<![\p{L}\p{N}])(\d{1,4})[-./](\d{1,2}|[A-Za-z]{3})[-./](\d{1,4})(?:[T ,]+(\d{1,2}):(\d\d)(?::(\d\d)(\.\d+)?)?(?: ([AP]M))?\s?(Z|UTC|[+-]\d\d:?\d\d)?)?(?![\p{L}\p{N}])/gu;
const MONTHS = ' jan|ene f m[aä]r|mrz a[pbv]r ma[iy] jun jul a[ug] sep o nov d'.split(' ');
/** Of Jira's wiki: its signs become those of Markdown. */
const MARKUP =
  /\[~(?:accountid:)?|\|(?:width|thumbnail)[^!\n]*(?=!)|\{(?:code|noformat|quote|panel|color)(?:[:=][^{}]*)?\}|(?<=^|[;\n])h[1-6]\. /g;
/** Of all time zones, in milliseconds. */
const OFFSETS = Array.from({ length: 113 }, (_, at) => (at - 56) * 900_000);

/** UTC milliseconds; the day may come before the month, and a time without a zone may be of any. */
function instantsOf([, a = '', b = '', c = '', ...clock]: RegExpMatchArray): number[] {
  const [hour = '0', minute = '00', second = '00', part = '', half, zone] = clock;
  const named = MONTHS.findIndex((name) => name !== '' && new RegExp(`^(?:${name})`, 'i').test(b));
  const month = named > 0 ? String(named) : b;
  const two = (digits: number | string) => String(digits).padStart(2, '0');
  const hours = half === undefined ? hour : (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  const time = `T${two(hours)}:${minute}:${second}${part}${zone?.replace('UTC', 'Z') ?? 'Z'}`;
  const at = (year: string, ...rest: string[]) =>
    Date.parse(`${year.padStart(4, '20')}-${rest.map(two).join('-')}${time}`);
  const instants = a.length === 4 ? [at(a, month, c)] : [at(c, month, a), at(c, a, month)];
  return instants.flatMap((one) => (zone === undefined ? OFFSETS.map((offset) => one + offset) : one));
}

/** Held where one of its instants is, or all of its words. */
interface Token {
  readonly instants: readonly string[];
  readonly words: readonly string[];
}

const keyOf = (instant: number) => `@${instant}`;

function tokensOf(text: string): Token[] {
  if (/^\d{10}(?:\.\d+)?$|^\d{13}$/.test(text)) {
    const instant = Math.round(Number(text) * (text.length === 13 ? 1 : 1000));
    return [{ instants: [keyOf(instant)], words: wordsOf(text) }];
  }
  const times = [...text.matchAll(TIME)].map((time) => ({
    instants: instantsOf(time).map(keyOf),
    words: wordsOf(time[0]),
  }));
  const words = wordsOf(text.replace(TIME, ' ').replace(MARKUP, ' '));
  return [...times, ...words.map((word) => ({ instants: [], words: [word] }))];
}

/** A ticket with its conversation and people, or a row that the run left out: word or instant → its fields, with commas. */
type Holder = Map<string, string>;

const LEFT_OUT = '@left out';

/** The fields with most of the tokens. */
function placesIn(holder: Holder, tokens: readonly Token[]): string[] {
  const fields = tokens.flatMap(({ instants, words }) => {
    const times = instants.filter((key) => holder.has(key));
    return [
      ...new Set((times.length > 0 ? times : words).flatMap((key) => holder.get(key)?.split(',') ?? [])),
    ];
  });
  const counts = Map.groupBy(fields, (field) => field);
  const most = Math.max(...[...counts.values()].map(({ length }) => length));
  return [...counts].flatMap(([field, { length }]) => (length === most ? field : []));
}

/** Who sees a text, as what. */
const MESSAGES = `SELECT ticket_seq, contact_seq, body, content,
  concat_ws(' ', 'text', body ->> 'isInternal', body ->> 'actorType', body ->> 'contentType') AS how FROM messages`;

function heldIn(
  folder: string,
  rejects: string,
  names: (agentId: string) => readonly string[],
): Pick<Witnessed, 'arrived'> & { holders: Holder[] } {
  const arrived: string[] = [];
  const tell = (holder: Holder, field: string, value: unknown) => {
    for (const { column, text } of leavesOf(value, field)) {
      const instants = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? [keyOf(Date.parse(text))] : [];
      for (const key of [...wordsOf(text), ...instants])
        holder.set(key, [...new Set(holder.get(key)?.split(',')).add(column)].join());
      if (!/@import\.invalid>|^run-\d/.test(text)) arrived.push(`${column}: ${text}`);
    }
    return holder;
  };
  const db = new Database(join(folder, 'service.sqlite'), { readonly: true });
  const rows = (sql: string) => db.prepare<[], Record<string, unknown>>(sql).all();
  const people = new Map(
    rows('SELECT seq, email, name FROM contacts').map(({ seq, ...person }) => [seq, person]),
  );
  const tickets = new Map<unknown, Holder>();
  const see = (table: string, sql: string) => {
    for (const { ticket_seq, contact_seq, body, content, how } of rows(sql)) {
      const holder = tickets.get(ticket_seq) ?? new Map();
      tickets.set(ticket_seq, holder);
      const own = documentIn(String(body)) as { agentId?: unknown; assignedToId?: unknown };
      tell(holder, table, own);
      tell(holder, `${table}.contact`, people.get(contact_seq));
      tell(holder, `${table}.agent`, names(String(own.agentId ?? own.assignedToId)));
      tell(holder, String(content).includes('Kept by helpdesk-import') ? 'note' : String(how), content);
    }
  };
  see('tickets', 'SELECT seq AS ticket_seq, contact_seq, body FROM tickets');
  see('messages', MESSAGES);
  see('events', 'SELECT ticket_seq, contact_seq, body FROM events');
  const out = rows('SELECT external_id, subject, reason, rows FROM left_out');
  db.close();
  const left = [
    ...out.map((row) => ({ ...row, rows: documentIn(String(row['rows'])) })),
    ...(existsSync(rejects) ? filesOf(rejects) : [])
      .flatMap(rowsOf)
      .map(({ cells }) => cells.map(({ text }) => text)),
  ];
  const holders = [
    ...tickets.values(),
    ...left.map((each) => tell(new Map([[LEFT_OUT, '']]), 'left out', each)),
  ];
  return { holders, arrived: arrived.sort() };
}

/** A holder of few cells tells more of a row than one of many. */
const FEW = 20;

/** The fields that hold each cell of a row, in the holders with most of its cells. */
function finderIn(holders: readonly Holder[], isMeant: (word: string) => boolean) {
  const byKey = new Map<string, Holder[]>();
  for (const holder of holders)
    for (const key of holder.keys()) {
      const list = byKey.get(key) ?? [];
      byKey.set(key, list);
      list.push(holder);
    }
  const sizeOf = (lists: readonly Holder[][]) => lists.reduce((sum, { length }) => sum + length, 0);
  const rarest = (lists: Holder[][]) =>
    lists.reduce((one, other) => (other.length < one.length ? other : one), lists[0] ?? []);
  const withKeys = (keys: readonly string[]) => keys.map((key) => byKey.get(key) ?? []);
  const texts = new Map<string, { tokens: readonly Token[]; by: ReadonlySet<Holder> }>();
  const seek = (text: string) => {
    const tokens = tokensOf(
      text.replace(/\(([^()]*)\)|[^\s;,()[\]]+/g, (all, label: string = all) =>
        isMeant(label) && /[^\p{L}]/u.test(all) ? ' ' : all,
      ),
    );
    const sought = tokens.map(({ instants, words }) => ({
      dated: new Set(withKeys(instants).flat()),
      words,
    }));
    const lists = sought.map(({ dated, words }) => [[...dated], rarest(withKeys(words))]);
    const [fewest = []] = lists.toSorted((a, b) => sizeOf(a) - sizeOf(b));
    const isHeldBy = (holder: Holder) =>
      sought.every(({ dated, words }) => dated.has(holder) || words.every((word) => holder.has(word)));
    const by = new Set(fewest.flat().filter(isHeldBy));
    return { tokens, by };
  };
  const sought = ({ text }: Cell) => {
    const known = texts.get(text) ?? seek(text);
    texts.set(text, known);
    return known;
  };
  return ({ cells, around }: Row): (string | undefined)[] => {
    const all = [...new Set([...cells, ...around].map(sought))].filter(({ by }) => by.size > 0);
    const few = Math.max(FEW, Math.min(...all.map(({ by }) => by.size)));
    const candidates = new Set(all.flatMap(({ by }) => (by.size <= few ? [...by] : [])));
    const weigh = (holder: Holder) =>
      all.reduce((sum, { tokens, by }) => sum + (by.has(holder) ? tokens.length / by.size : 0), 0);
    const weights = new Map([...candidates].map((holder) => [holder, weigh(holder)]));
    const own = [...Map.groupBy(weights, ([holder]) => holder.has(LEFT_OUT)).values()].flatMap((of) => {
      const most = Math.max(...of.map(([, weight]) => weight));
      return of.flatMap(([holder, weight]) => (weight === most ? [holder] : []));
    });
    return cells.map((cell) => {
      const { tokens, by } = sought(cell);
      const holding = own.filter((holder) => by.has(holder));
      if (tokens.length === 0) return 'nothing';
      return holding.length === 0
        ? undefined
        : [...new Set(holding.flatMap((holder) => placesIn(holder, tokens)))].sort().join();
    });
  };
}

/** Strings and keys of a layout or mapping, or those below some keys. */
function namesIn(value: unknown, below?: RegExp): string[] {
  const isWanted = below === undefined;
  if (typeof value === 'string') return isWanted ? [value, ...(value.match(/[^{}]+(?=\})/g) ?? [])] : [];
  return Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(([key, inner]) => [
    ...(isWanted ? [key] : []),
    ...namesIn(inner, below?.test(key) === true ? undefined : below),
  ]);
}

/** The columns and words that layouts name; some with all below them. */
function knownBy(layouts: unknown): { readonly columns: RegExp; readonly words: ReadonlySet<string> } {
  const any = (names: readonly string[]) =>
    [...new Set(names)]
      .map((name) =>
        name.replace(/\[\d*\]|[.+?^${}()|[\]\\]/g, (sign) => (sign.length > 1 ? '' : `\\${sign}`)),
      )
      .flatMap((name) => (name === '' || name === '\\.' ? [] : name.replaceAll('*', '.*')))
      .join('|');
  const [all, whole] = [namesIn(layouts), namesIn(layouts, /^(?:technical|same|ignore|content)$/)];
  const columns = new RegExp(`(?:^|\\.)(?:(?:${any(all)})|(?:${any(whole)})(?:\\..*)?)$`, 'i');
  return { columns, words: new Set(all.map((name) => name.toLowerCase())) };
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
  const isFilled = ({ text }: Cell) => wordsOf(text).length > 0 && !NOTHING.test(text);
  const all = files
    .flatMap(rowsOf)
    .map(({ cells, around }) => ({ cells: cells.filter(isFilled), around: around.filter(isFilled) }));
  if (said === undefined) {
    const stopped = all
      .flatMap(({ cells }) => cells)
      .map((cell) => ({ ...cell, verdict: 'named', places: 'stop' }) as const);
    return { code, stderr, arrived: [], cells: stopped };
  }
  const own = readFileSync(config, 'utf8');
  const names = [said.layout, ...[...own.matchAll(/extends"?: *"?([\w-]+)/g)].map(([, name = '']) => name)];
  const layouts = names.map((name) => join(PLATFORMS, `${name}.yaml`)).filter((path) => existsSync(path));
  const { agents, ...given } = (parseYaml(own) ?? {}) as {
    mapping?: object;
    agents?: Record<string, string>;
  };
  const listed = Object.entries(agents ?? {}).map(([agent, id]) => ({ agent, name: agent, id }));
  const team = [...listed, ...said.people.agents];
  const namesOf = (of: typeof team) => of.flatMap(({ agent, name = agent }) => [agent, name]);
  const { arrived, holders } = heldIn(sandbox ?? '', rejects ?? '', (agentId) =>
    namesOf(team.filter(({ id }) => id === agentId)),
  );
  const proposal = folder.join('proposal.yaml');
  if (layouts.length === 0 && given.mapping === undefined)
    await inProcess('init', paths, { yes: true, output: proposal }, { cwd: folder.path });
  const mappings = [...layouts, proposal].filter((path) => existsSync(path));
  const known = knownBy([given.mapping, ...mappings.map((path) => parseYaml(readFileSync(path, 'utf8')))]);
  return { code, stderr, arrived, cells: sorted(all, holders, said, known, namesOf(team)) };
}

function sorted(
  rows: readonly Row[],
  holders: readonly Holder[],
  facts: Facts,
  known: ReturnType<typeof knownBy>,
  team: readonly string[],
): Sorted[] {
  const { details, mapping } = facts;
  const cells = rows.flatMap(({ cells: of }) => of);
  const values = [
    ...mapping.map(({ from }) => from),
    ...details.values.map(({ value }) => value),
    ...details.authors.map(({ author }) => author),
  ];
  const meant = new Set([...values, ...team].map((text) => text.toLowerCase()));
  const [isLost, isLeft] = [isLostBy(facts), isLeftBy(facts)];
  const older = facts.problems.filter(({ code }) => code === 'older-version');
  /** A row with the key of another one. */
  const isOlder = ({ cells: own, around }: Row) =>
    [...own, ...around].some(
      (cell) =>
        older.some(
          ({ file = '', column = '' }) =>
            basename(file) === cell.file && `.${plain(cell.column)}`.endsWith(`.${column}`),
        ) && (columnsOf.get(cell.text)?.filter(({ column }) => column === cell.column).length ?? 0) > 1,
    );
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
  const find = finderIn(
    holders,
    (word) =>
      [meant, known.words].some((words) => words.has(word.toLowerCase())) ||
      (/\d\D|\D\d/.test(word) && (columnsOf.get(word)?.length ?? 0) > 1),
  );
  return rows.flatMap((row) => {
    const found = find(row);
    return row.cells.map((cell, at): Sorted => {
      const as = (verdict: Sorted['verdict'], places = '') => ({ ...cell, verdict, places });
      const places = found[at];
      if (places !== undefined) return as('found', places);
      if (isLost(cell)) return as('named');
      const isNamed = known.columns.test(plain(cell.column));
      const word = cell.text.toLowerCase().replace(/ \([^()]*\)$/, '');
      if (isNamed && (meant.has(word) || known.words.has(word) || isOfTeam(cell.text))) return as('read');
      if (!isSaid(cell.text) && (isNamed || isKey(cell))) return as('read');
      return as(isLeft(cell) || isOlder(row) ? 'named' : 'unexplained');
    });
  });
}
