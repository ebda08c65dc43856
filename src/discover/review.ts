/**
 * The mapped tickets looked at as a whole: twelve checks for mistakes that do damage and that a look at three tickets may
 * miss. Tickets and messages are rows of a temporary database, and each check is a query.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { AppError } from '../domain/errors.ts';
import { comparableText } from '../domain/own-words.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import { textOf } from '../domain/source-file.ts';
import type { MappedTicket, NamedPerson } from '../domain/ticket.ts';
import { openTempDatabase } from '../source/stage.ts';
import {
  type Filled,
  type Finding,
  incompleteStreams,
  many,
  type ReviewCode,
  type ReviewedSource,
  type UnreadField,
  unreadFields,
  unreadTexts,
} from './findings.ts';

/** Messages of a ticket, and characters of each, that are looked at. */
const MOST_MESSAGES = 30;
const MOST_TEXT = 1500;
/** Shorter texts may well be said twice: "Thank you!" */
const LEAST_TEXT = 20;
/** Words by which people mark a text that is for the team alone. */
const FOR_TEAM =
  /^\W{0,4}(?:(?:internal|private|interne?[rs]?|privad[ao]|priv[ée]e?)\b[\p{L} ]{0,20}|(?:nota|notiz|note|comentario|commentaire)[ _-](?:interna|interno|interne|privada|privado|priv[ée]e)|(?:staff|team|agents?) only|nur intern|do not (?:share|send)[\p{L} ]{0,20}|not for (?:the )?(?:customer|client)s?)\s?[\])}:*>|–—-]/iu;
/** A text that looks like an ID and is not. */
const NO_ID =
  /^\d{4}-\d\d?-\d\d?(?:[T ].*)?$|^\d\d?[./]\d\d?[./]\d{4}(?: .*)?$|^[^\s@]+@[^\s@]+\.[^\s@]+$|^-?\d+[.,]\d{1,4}$|^(?:true|false|yes|no)$/i;

const SCHEMA = `
  CREATE TABLE ticket (n INTEGER PRIMARY KEY, id TEXT, at TEXT, first TEXT, asked INT, times TEXT, rows INT, odd INT, declared INT, has INT);
  CREATE TABLE message (ticket INT, n INT, role TEXT, internal INT, marked INT, said TEXT, at TEXT, own INT);
  CREATE TABLE person (side TEXT, person TEXT, name TEXT);
  CREATE INDEX message_of ON message (ticket, n);
`;

export class Review implements Disposable {
  readonly #source: ReviewedSource;
  readonly #now: string;
  readonly #database = openTempDatabase();
  readonly #add: Record<'ticket' | 'message' | 'person', { run(...values: unknown[]): unknown }>;
  #count = 0;
  #characters = 0;
  readonly #filled: Filled = {
    ...{ tickets: 0, messages: 0, visibility: 0 },
    ...{ subject: 0, status: 0, priority: 0, tags: 0, requester: 0, assignee: 0 },
  };

  constructor(source: ReviewedSource, now: Date) {
    this.#source = source;
    this.#now = now.toISOString();
    this.#database.exec(SCHEMA);
    this.#add = {
      ticket: this.#database.prepare('INSERT INTO ticket VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
      message: this.#database.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
      person: this.#database.prepare('INSERT INTO person VALUES (?, ?, ?)'),
    };
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  see(mapped: MappedTicket): void {
    const { externalId, ticket, messages, requester, rows, declared } = mapped;
    if (mapped.excluded !== undefined) return;
    const n = this.#count++;
    const asked = requester ?? personOf(ticket['contact']);
    this.#fill(mapped, asked !== undefined || ticket['contactId'] !== undefined);
    this.#person('requester', asked);
    const times = messages.map(({ value }) => textOf(value['occurredAt'])).filter((at) => at !== '');
    const createdAt = textOf(ticket['createdAt']);
    const all = [createdAt, ...times].filter((at) => at !== '');
    this.#add.ticket.run(
      n,
      externalId,
      createdAt,
      times.toSorted()[0] ?? '',
      asked === undefined ? 0 : 1,
      all.every((at) => /[T ]00:00(?::00(?:\.0+)?)?(?:$|[Z+-])|^\d{4}-\d\d-\d\d$/.test(at))
        ? 'midnight'
        : all.some((at) => /^\d{4}-/.test(at) && (at > this.#now || at < '1990'))
          ? 'future'
          : '',
      rows.length,
      NO_ID.test(externalId) ? 1 : 0,
      declared?.messages ?? null,
      declared?.has ?? null,
    );
    const inTime = times.length === messages.length && times.every((at) => /^\d{4}-\d\d-/.test(at));
    const shown = messages
      .slice(0, MOST_MESSAGES)
      .map(({ value, who }) => ({ value, who, at: textOf(value['occurredAt']) }));
    if (inTime) shown.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    for (const [index, { value, who, at }] of shown.entries()) {
      const text = textOf(value['content']).slice(0, MOST_TEXT);
      const author = who ?? personOf(value['contact']);
      this.#characters += text.length;
      if (value['actorType'] === 'agent') this.#person('agent', author);
      this.#add.message.run(
        n,
        index,
        textOf(value['actorType']),
        value['isInternal'] === true ? 1 : 0,
        FOR_TEAM.test(text.slice(0, 300).replace(/<[^<>]*>/g, '')) ? 1 : 0,
        comparableText(text),
        at.slice(0, 16),
        value['actorType'] === 'agent' && author !== undefined && asked !== undefined && isSame(author, asked)
          ? 1
          : 0,
      );
    }
  }

  /** Fields that came out empty though a column that nothing reads and that has their name. */
  unreadFields(): UnreadField[] {
    return unreadFields(this.#source.mapper.unread(), this.#filled);
  }

  async findings(): Promise<Finding[]> {
    this.#database.exec(VIEWS);
    const hasTicket = this.#database.prepare('SELECT 1 FROM ticket WHERE id = ?');
    const tickets = this.#count;
    const { n } = this.#one<{ n: number }>('SELECT count(DISTINCT ticket) AS n FROM message');
    return [
      ...unreadTexts(this.#source, {
        tickets,
        lacksMessages: tickets > 0 && n < 0.1 * tickets,
        read: this.#characters,
        isTicket: (id) => hasTicket.get(id) !== undefined,
      }),
      ...this.unreadFields().map(({ message, field }) => {
        const place = field === 'visibility' ? 'messages' : `ticket.${field}`;
        return found('unread-field', tickets, message, `mapping.${place}`);
      }),
      ...this.#checked(),
      ...unjoined(this.#source),
      ...this.#incomplete(),
      ...(await incompleteStreams(this.#source.files.files)),
    ];
  }

  /** What `review.yaml` asks of the tickets. */
  #checked(): Finding[] {
    const { counts, checks } = parse(
      readFileSync(join(import.meta.dirname, 'review.yaml'), 'utf8'),
    ) as Checks;
    const totals = new Map(
      Object.entries(counts).map(([name, sql]) => [
        name,
        this.#database.prepare(sql).pluck().get() as number,
      ]),
    );
    const findings: Finding[] = [];
    for (const { code, sql, of, from = 1, least = 1, share = 0, setting, message } of checks) {
      const total = totals.get(of) ?? 0;
      if (total < from || findings.some((known) => known.code === code)) continue;
      const { count, ticket } = this.#one<{ count: number; ticket: string | null }>(
        `WITH s AS MATERIALIZED (${sql})
         SELECT count(*) AS count, (SELECT id FROM ticket WHERE n = (SELECT min(ticket) FROM s)) AS ticket FROM s`,
      );
      if (count < Math.max(least, share * total)) continue;
      const text = message
        .replaceAll('{count}', count.toLocaleString('en-US'))
        .replaceAll('{total}', total.toLocaleString('en-US'))
        .replaceAll('{ticket}', () => JSON.stringify(ticket));
      findings.push(found(code, count, text, setting, ticket ?? undefined));
    }
    return findings;
  }

  #incomplete(): Finding[] {
    const all = this.#database
      .prepare<[], { id: string; declared: number; has: number; total: number }>(
        'SELECT id, declared, has, count(*) OVER () AS total FROM ticket WHERE declared > has ORDER BY n LIMIT 100',
      )
      .all();
    return all.map(({ id, declared, has, total }, at) =>
      found(
        'incomplete-thread',
        at === all.length - 1 ? total - at : 1,
        `The export says that ticket ${id} has ${many(declared, 'message')}, and it holds ${has}.`,
        'source.files',
        id,
      ),
    );
  }

  #fill({ ticket, messages, problems }: MappedTicket, isAsked: boolean): void {
    const filled = this.#filled;
    filled.tickets++;
    filled.messages += messages.length;
    for (const field of ['subject', 'status', 'priority', 'tags'] as const)
      if (!['', '[]'].includes(textOf(ticket[field]))) filled[field]++;
    if (isAsked) filled.requester++;
    const isAssigned = !['', '[]'].includes(textOf(ticket['assignedToId']));
    if (isAssigned || problems.some(({ code }) => code === 'lost-assignee')) filled.assignee++;
    filled.visibility += messages.filter(({ value }) => value['isInternal'] !== undefined).length;
  }

  #person(side: string, person: NamedPerson | undefined): void {
    const names = person === undefined ? [] : namesOf(person);
    for (const name of names) this.#add.person.run(side, names[0], name);
  }

  #one<T>(sql: string): T {
    return this.#database.prepare(sql).get() as T;
  }
}

/** Two messages of one ticket; one holds the other if that is at least half of it: quoting below an answer is no repetition. */
const VIEWS = `
  CREATE INDEX person_named ON person (side, name);
  CREATE VIEW pair AS SELECT ticket, a, b, a_internal, b_internal, a_said, b_said, one_side, one_time, a_said = b_said AS same,
    length(short) >= ${LEAST_TEXT} AND 2 * length(short) >= length(long) AND instr(long, short) > 0 AS holds
  FROM (SELECT a.ticket AS ticket, a.n AS a, b.n AS b, a.internal AS a_internal, b.internal AS b_internal, a.said AS a_said,
      b.said AS b_said, a.role = b.role AS one_side, a.at = b.at AS one_time,
      CASE WHEN length(a.said) <= length(b.said) THEN a.said ELSE b.said END AS short,
      CASE WHEN length(a.said) <= length(b.said) THEN b.said ELSE a.said END AS long
    FROM message a JOIN message b ON b.ticket = a.ticket AND a.n < b.n);
`;

interface Checks {
  readonly counts: Readonly<Record<string, string>>;
  readonly checks: readonly {
    readonly code: ReviewCode;
    readonly sql: string;
    readonly of: string;
    readonly from?: number;
    readonly least?: number;
    readonly share?: number;
    readonly setting: string;
    readonly message: string;
  }[];
}

function found(
  code: ReviewCode,
  count: number,
  message: string,
  setting: string,
  ticket?: string | undefined,
): Finding {
  return { code, severity: 'warning', count, message, setting, ticket };
}

/** Findings become problems; an error among them keeps everything from being sent. */
export function tellFindings(findings: readonly Finding[], problem: ProblemSink): AppError | undefined {
  const problems = findings.map(({ message, setting, ticket, ...finding }): Problem => {
    const text = `${message} See ${setting} in the settings.`;
    return { ...finding, ...(ticket === undefined ? {} : { ticket }), field: setting, message: text };
  });
  for (const each of problems) problem(each);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  return new AppError('configuration', 'The mapping needs a decision; nothing was sent.', {
    lines: errors.map(({ code, message }) => `${code}: ${message}`),
    hint: 'Map what is named, or list it under ignore in the mapping.',
  });
}

/** Rows of messages that belong to no ticket: many of them are joined by the wrong column. */
function unjoined({ joined, detection }: ReviewedSource): Finding[] {
  const tables = (detection.layout.messages ?? []).flatMap(({ from }) => from ?? []);
  const counts = new Map<string, number>();
  for (const { table } of joined.unmatchedRows()) counts.set(table, (counts.get(table) ?? 0) + 1);
  return [...counts].flatMap(([table, count]) => {
    const rows = joined.rowCounts().get(table) ?? count;
    if (!tables.includes(table) || count < 2 || count < 0.3 * rows) return [];
    const text = `${many(count, 'row')} of ${rows} in ${table} belong to no ticket of the export, so their text is not imported.`;
    return [found('unjoined-rows', count, text, `mapping.tables.${table}.key`)];
  });
}

function personOf(contact: unknown): NamedPerson | undefined {
  return typeof contact === 'object' && contact !== null ? (contact as NamedPerson) : undefined;
}

function namesOf({ email, id, name }: NamedPerson): string[] {
  return [email, id, name].flatMap((text) =>
    typeof text === 'string' && text !== '' ? [text.toLowerCase()] : [],
  );
}

function isSame(one: NamedPerson, other: NamedPerson): boolean {
  const names = namesOf(other);
  return namesOf(one).some((name) => names.includes(name));
}
