/**
 * The mapped tickets looked at as a whole: twelve checks for mistakes that do damage and that a look at three tickets may
 * miss. Tickets and messages are rows of a temporary database, and each check is a query.
 */
import { AppError } from '../domain/errors.ts';
import type { Problem, ProblemSink } from '../domain/problem.ts';
import { textOf } from '../domain/source-file.ts';
import type { MappedTicket, NamedPerson } from '../domain/ticket.ts';
import { comparableText } from '../present/conversation/comparable-text.ts';
import { openTempDatabase } from '../source/stage.ts';
import { type Filled, type Finding, many, type ReviewCode } from './finding.ts';
import { incompleteStreams } from './incomplete-streams.ts';
import { type UnreadField, unreadFields, unreadTexts } from './unread.ts';
import type { ReviewedSource } from './unread-lists.ts';

export type { Finding } from './finding.ts';
export type { UnreadField } from './unread.ts';

/** Messages of a ticket, and characters of each, that are looked at. */
const MOST_MESSAGES = 30;
const MOST_TEXT = 1500;
/** Shorter texts may well be said twice: "Thank you!" */
const LEAST_TEXT = 20;
/** Words by which people mark a text that is for the team alone. */
const FOR_TEAM =
  /^\W{0,4}(?:(?:internal|private|interne?[rs]?|privad[ao]|priv[ée]e?)\b[\p{L} ]{0,20}|(?:nota|notiz|note|comentario|commentaire)[ _-](?:interna|interno|interne|privada|privado|priv[ée]e)|(?:staff|team|agents?) only|nur intern|do not (?:share|send)[\p{L} ]{0,20}|not for (?:the )?(?:customer|client)s?)\s?[\])}:*>|–—-]/iu;
/** What an ID reads like that is none. */
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
    tickets: 0,
    messages: 0,
    subject: 0,
    status: 0,
    priority: 0,
    tags: 0,
    requester: 0,
    assignee: 0,
    visibility: 0,
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

  see({ externalId, ticket, messages, requester, rows, problems, excluded, declared }: MappedTicket): void {
    if (excluded !== undefined) return;
    const n = this.#count++;
    const asked = requester ?? personOf(ticket['contact']);
    this.#fill(ticket, messages, asked !== undefined || ticket['contactId'] !== undefined, problems);
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

  /** Fields that came out empty beside a column that nothing reads and that has their name. */
  unreadFields(): UnreadField[] {
    return unreadFields(this.#source.mapper.unread(), this.#filled);
  }

  async findings(): Promise<Finding[]> {
    this.#database.exec('CREATE INDEX person_named ON person (side, name)');
    const talks = this.#one<{ n: number }>(
      'SELECT count(*) AS n FROM (SELECT 1 FROM message GROUP BY ticket HAVING count(*) > 1)',
    ).n;
    const hasTicket = this.#database.prepare('SELECT 1 FROM ticket WHERE id = ?');
    const tickets = this.#count;
    const withMessages = this.#one<{ n: number }>('SELECT count(DISTINCT ticket) AS n FROM message').n;
    return [
      ...unreadTexts(this.#source, {
        tickets,
        lacksMessages: tickets > 0 && withMessages < 0.1 * tickets,
        read: this.#characters,
        isTicket: (id) => hasTicket.get(id) !== undefined,
      }),
      ...this.unreadFields().map(
        ({ message, field }): Finding => ({
          code: 'unread-field',
          severity: 'warning',
          message,
          count: tickets,
          setting: field === 'visibility' ? 'mapping.messages' : `mapping.ticket.${field}`,
        }),
      ),
      ...this.#published(),
      ...this.#sides(talks),
      ...this.#people(),
      ...this.#repeated(talks),
      ...unjoined(this.#source),
      ...this.#keys(),
      ...this.#times(),
      ...this.#incomplete(),
      ...(await incompleteStreams(this.#source.files.files)),
    ];
  }

  #published(): Finding[] {
    const { count, ticket } = this.#seen(`
      SELECT DISTINCT b.ticket FROM message b
      LEFT JOIN message a ON a.ticket = b.ticket AND a.internal = 1 AND length(a.said) >= ${LEAST_TEXT} AND ${HOLDS}
      WHERE b.internal = 0 AND (b.marked = 1 OR a.ticket IS NOT NULL)`);
    return count === 0
      ? []
      : [
          found(
            'note-published',
            count,
            `In ${many(count, 'ticket')} a public message is a copy of an internal note or begins with words that mark it as internal.`,
            'mapping.messages',
            ticket,
          ),
        ];
  }

  #sides(talks: number): Finding[] {
    const one = this.#one<{ role: string; count: number; ticket: string } | undefined>(`
      SELECT role, count(*) AS count, min(id) AS ticket FROM (
        SELECT ticket, min(role) AS role FROM message GROUP BY ticket HAVING count(*) > 1 AND min(role) = max(role)
      ) JOIN ticket ON ticket.n = ticket WHERE role <> 'system' GROUP BY role ORDER BY 2 DESC`);
    const findings: Finding[] = [];
    if (one !== undefined && talks >= 4 && one.count >= 0.95 * talks)
      findings.push(
        found(
          'one-author-type',
          one.count,
          `In ${one.count} of ${many(talks, 'ticket')} with several messages, all are from ${one.role === '' ? 'unknown people' : `${one.role}s`}, as if only one side had written.`,
          'mapping.messages',
          one.ticket,
        ),
      );
    const answered = this.#one<{ n: number }>(
      "SELECT count(DISTINCT ticket) AS n FROM message WHERE role = 'customer'",
    ).n;
    const first = this.#seen(`
      SELECT ticket FROM message m WHERE role = 'agent' AND internal = 0
      AND n = (SELECT min(n) FROM message o WHERE o.ticket = m.ticket AND o.internal = 0)
      AND EXISTS (SELECT 1 FROM message o WHERE o.ticket = m.ticket AND o.role = 'customer')`);
    if (answered >= 4 && first.count >= 0.5 * answered)
      findings.push(
        found(
          'agent-writes-first',
          first.count,
          `${first.count} of ${many(answered, 'ticket')} begin with a message of an agent, as if customers and agents had changed places.`,
          'mapping.messages',
          first.ticket,
        ),
      );
    return findings;
  }

  #people(): Finding[] {
    const { agents, asking } = this.#one<{ agents: number; asking: number }>(`
      SELECT count(DISTINCT person) AS agents,
        count(DISTINCT CASE WHEN EXISTS (SELECT 1 FROM person r WHERE r.side = 'requester' AND r.name = a.name) THEN person END) AS asking
      FROM person a WHERE side = 'agent'`);
    const findings: Finding[] = [];
    const add = (count: number, message: string, ticket?: string) =>
      findings.push(found('agents-like-requesters', count, message, 'mapping.messages', ticket));
    if (agents >= 4 && asking >= 0.3 * agents)
      add(
        asking,
        `${Math.round((100 * asking) / agents)}% of the ${agents} people mapped as agents also opened tickets. Are customers mapped as agents?`,
      );
    const own = this.#seen('SELECT ticket FROM message WHERE own = 1');
    const ofAgents = this.#one<{ n: number }>("SELECT count(*) AS n FROM message WHERE role = 'agent'").n;
    if (own.count >= 2 && own.count >= 0.1 * ofAgents)
      add(
        own.count,
        `${own.count} of ${many(ofAgents, 'message')} of agents were written by the requester of the ticket.`,
        own.ticket,
      );
    return findings;
  }

  #repeated(talks: number): Finding[] {
    const { count, ticket } = this.#seen(`
      SELECT ticket FROM message GROUP BY ticket HAVING count(*) > 2 AND count(DISTINCT said) = 1 AND min(said) <> ''
      UNION SELECT b.ticket FROM message a JOIN message b ON b.ticket = a.ticket AND a.n < b.n
      WHERE length(a.said) >= ${LEAST_TEXT} AND ${HOLDS} AND (a.role = b.role OR a.said = b.said OR (a.n = 0 AND b.n = 1 AND a.at = b.at))`);
    const transcripts = this.#seen(`
      SELECT a.ticket FROM message a JOIN message b ON b.ticket = a.ticket AND a.n < b.n
      WHERE length(b.said) >= ${LEAST_TEXT} AND a.said <> b.said AND instr(a.said, b.said) > 0
      GROUP BY a.ticket, a.n HAVING count(DISTINCT b.said) > 1`);
    const begun = this.#seen(`
      SELECT a.ticket FROM message a JOIN message b ON b.ticket = a.ticket AND a.n = 0 AND b.n = 1
      WHERE a.at = b.at AND a.said <> '' AND ((length(a.said) >= ${LEAST_TEXT} AND ${HOLDS}) OR (a.role = b.role AND a.said = b.said))`);
    const least = Math.max(1, 0.05 * talks);
    if (transcripts.count >= least)
      return [
        found(
          'repeated-text',
          transcripts.count,
          `In ${transcripts.count} of ${many(talks, 'ticket')} with several messages, one message holds the texts of later ones, as a transcript does.`,
          'mapping.messages',
          transcripts.ticket,
        ),
      ];
    if (begun.count < least && (count < 2 || count < 0.2 * talks)) return [];
    return [
      found(
        'repeated-text',
        Math.max(count, begun.count),
        `In ${Math.max(count, begun.count)} of ${many(talks, 'ticket')} with several messages, two have the same text.`,
        'mapping.messages',
        begun.ticket ?? ticket,
      ),
    ];
  }

  #keys(): Finding[] {
    const odd = this.#one<{ n: number; ticket: string; rows: number }>(
      'SELECT coalesce(sum(odd), 0) AS n, min(CASE WHEN odd = 1 THEN id END) AS ticket, coalesce(sum(rows), 0) AS rows FROM ticket',
    );
    const setting = 'mapping.tables';
    if (this.#count >= 5 && odd.n >= 0.9 * this.#count)
      return [
        found(
          'odd-key',
          odd.n,
          `The IDs of ${odd.n} of ${many(this.#count, 'ticket')} are dates, addresses, amounts or yes and no: ${JSON.stringify(odd.ticket)}.`,
          setting,
          odd.ticket,
        ),
      ];
    if (this.#count > 0 && this.#count <= 12 && odd.rows >= 20 * this.#count)
      return [
        found(
          'odd-key',
          this.#count,
          `${many(odd.rows, 'row')} make ${many(this.#count, 'ticket')} only, as if the key were a value that many tickets share.`,
          setting,
        ),
      ];
    return [];
  }

  #times(): Finding[] {
    const add = (sql: string, share: number, what: string, least: number): Finding[] => {
      const { count, ticket } = this.#seen(sql);
      return this.#count >= 5 && count >= Math.max(least, share * this.#count)
        ? [
            found(
              'odd-times',
              count,
              `${count} of ${many(this.#count, 'ticket')} ${what}.`,
              'mapping.ticket.createdAt',
              ticket,
            ),
          ]
        : [];
    };
    return [
      ...add(
        "SELECT n AS ticket FROM ticket WHERE times = 'midnight' AND at <> ''",
        0.95,
        'have no time of day: all times are at midnight',
        1,
      ),
      ...add(
        "SELECT n AS ticket FROM ticket WHERE times = 'future'",
        0.05,
        'have times in the future or before 1990',
        2,
      ),
      ...add(
        "SELECT n AS ticket FROM ticket WHERE first <> '' AND substr(first, 1, 10) < substr(at, 1, 10)",
        0.6,
        'have messages of days before they were created',
        1,
      ),
    ];
  }

  #incomplete(): Finding[] {
    const all = this.#database
      .prepare<[], { id: string; declared: number; has: number }>(
        'SELECT id, declared, has FROM ticket WHERE declared > has ORDER BY n LIMIT 100',
      )
      .all();
    const total = this.#one<{ n: number }>('SELECT count(*) AS n FROM ticket WHERE declared > has').n;
    return all.map(({ id, declared, has }, at) =>
      found(
        'incomplete-thread',
        at === all.length - 1 ? total - at : 1,
        `The export says that ticket ${id} has ${many(declared, 'message')}, and it holds ${has}.`,
        'source.files',
        id,
      ),
    );
  }

  #fill(
    ticket: MappedTicket['ticket'],
    messages: MappedTicket['messages'],
    isAsked: boolean,
    problems: MappedTicket['problems'],
  ): void {
    const filled = this.#filled;
    const has = (field: string) =>
      ticket[field] !== undefined && textOf(ticket[field]) !== '' && textOf(ticket[field]) !== '[]';
    filled.tickets++;
    filled.messages += messages.length;
    for (const field of ['subject', 'status', 'priority', 'tags'] as const) if (has(field)) filled[field]++;
    if (isAsked) filled.requester++;
    if (has('assignedToId') || problems.some(({ code }) => code === 'lost-assignee')) filled.assignee++;
    filled.visibility += messages.filter(({ value }) => value['isInternal'] !== undefined).length;
  }

  #person(side: string, person: NamedPerson | undefined): void {
    const names = person === undefined ? [] : namesOf(person);
    for (const name of names) this.#add.person.run(side, names[0], name);
  }

  #seen(sql: string): { count: number; ticket: string | undefined } {
    const { count, ticket } = this.#one<{ count: number; ticket: string | null }>(
      `WITH s AS MATERIALIZED (${sql})
       SELECT count(*) AS count, (SELECT id FROM ticket WHERE n = (SELECT min(ticket) FROM s)) AS ticket FROM s`,
    );
    return { count, ticket: ticket ?? undefined };
  }

  #one<T>(sql: string): T {
    return this.#database.prepare(sql).get() as T;
  }
}

/** One text is in the other, and is at least half of it: quoting below an answer is no repetition. */
const HOLDS = `(CASE WHEN length(a.said) <= length(b.said)
  THEN 2 * length(a.said) >= length(b.said) AND instr(b.said, a.said) > 0
  ELSE length(b.said) >= ${LEAST_TEXT} AND 2 * length(b.said) >= length(a.said) AND instr(a.said, b.said) > 0 END)`;

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
  const told = findings.map(
    ({ code, severity, message, count, ticket, setting }): Problem => ({
      severity,
      code,
      ...(ticket === undefined ? {} : { ticket }),
      field: setting,
      message: `${message} See ${setting} in the settings.`,
      count,
    }),
  );
  for (const each of told) problem(each);
  const errors = told.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  return new AppError('configuration', 'The mapping needs a decision; nothing was sent.', {
    lines: errors.map(({ code, message }) => `${code}: ${message}`),
    hint: 'Map what is named, or list it under ignore in the mapping.',
  });
}

/** Rows of messages that belong to no ticket: many of them are joined by the wrong column. */
function unjoined({ joined, detection }: ReviewedSource): Finding[] {
  const tables = new Set((detection.layout.messages ?? []).flatMap(({ from }) => from ?? []));
  const counts = new Map<string, number>();
  for (const { table } of joined.unmatchedRows())
    if (tables.has(table)) counts.set(table, (counts.get(table) ?? 0) + 1);
  return [...counts].flatMap(([table, count]) => {
    const rows = joined.rowCounts().get(table) ?? count;
    return count < 2 || count < 0.3 * rows
      ? []
      : [
          found(
            'unjoined-rows',
            count,
            `${many(count, 'row')} of ${rows} in ${table} belong to no ticket of the export, so their text is not imported.`,
            `mapping.tables.${table}.key`,
          ),
        ];
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
