/** Search words and tags as SQL conditions, the index of the texts, and their excerpts in lists. */
import type { ContentType } from '../../domain/payload.ts';
import { htmlText } from '../../view/conversation/html-text.ts';
import { Table } from './database.ts';

export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

/** Further words are ignored, so that a pasted subject is found quickly. */
const MOST_TERMS = 16;
/** The index has sequences of three characters; shorter words are searched in the texts. */
const INDEXED_FROM = 3;

/** For the index: width variants (`ＡＢＣ`) become usual letters; NUL would end a text in SQLite. */
function indexed(text: string): string {
  return text.normalize('NFKC').replaceAll('\u0000', ' ');
}

/** Without capitals and accents. */
export function folded(text: string): string {
  return indexed(text).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Every word must occur, also within words. `subject`: in the subject, or the contact's name or address. */
export function searchConditions(text: string, place: 'subject' | 'everywhere'): Condition[] {
  if (text.trim() === '') return [];
  const terms = [...new Set(indexed(text).split(/\s+/u))].filter((term) => term !== '');
  if (terms.length === 0) return [{ sql: '0', values: [] }];
  return terms.slice(0, MOST_TERMS).map((term) => anyOf(placesOf(term, place)));
}

const MATCHING_AGENTS = `
  SELECT id FROM agents WHERE instr(lower(coalesce(name, '') || ' ' || email), ?)
  UNION SELECT id FROM agent_names WHERE instr(lower(name), ?)`;

function placesOf(term: string, place: 'subject' | 'everywhere'): Condition[] {
  const contact: Condition = {
    sql: 'tickets.contact_seq IN (SELECT seq FROM contacts WHERE instr(search, ?))',
    values: [folded(term)],
  };
  const places = [contact, ...textsWith(term, place)];
  if (place === 'subject') return places;
  const agent = [term.toLowerCase(), term.toLowerCase()];
  return [
    ...places,
    { sql: `tickets.assigned_to_id IN (${MATCHING_AGENTS})`, values: agent },
    {
      sql: `tickets.seq IN (SELECT ticket_seq FROM messages WHERE agent_id IN (${MATCHING_AGENTS}))`,
      values: agent,
    },
  ];
}

function textsWith(term: string, place: 'subject' | 'everywhere'): Condition[] {
  if ([...term].length >= INDEXED_FROM) {
    const phrase = `"${term.replaceAll('"', '""')}"`;
    return [
      {
        sql: 'tickets.seq IN (SELECT rowid FROM tickets_fts WHERE tickets_fts MATCH ?)',
        values: [place === 'subject' ? `subject : ${phrase}` : phrase],
      },
    ];
  }
  const like = `%${term.replace(/[!%_]/g, '!$&')}%`;
  const subject = { sql: "tickets.subject LIKE ? ESCAPE '!'", values: [like] };
  if (place === 'subject') return [subject];
  return [
    subject,
    {
      sql: "tickets.seq IN (SELECT ticket_seq FROM messages WHERE content LIKE ? ESCAPE '!')",
      values: [like],
    },
  ];
}

function anyOf(conditions: readonly Condition[]): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`,
    values: conditions.flatMap(({ values }) => values),
  };
}

export function allTags(tags: readonly string[]): Condition {
  const wanted = [...new Set(tags)];
  return {
    sql: `tickets.seq IN (SELECT ticket_seq FROM ticket_tags WHERE tag IN (SELECT value FROM json_each(?))
      GROUP BY ticket_seq HAVING count(*) = ?)`,
    values: [JSON.stringify(wanted), wanted.length],
  };
}

/** The conditions as a WHERE clause, or nothing. */
export function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}

/** The values of the clause. */
export function bound(conditions: readonly Condition[]): (string | number | null)[] {
  return conditions.flatMap(({ values }) => values);
}

/** So many changed tickets are indexed at once, so that a search after a large import does not wait for all of them. */
const BATCH = 500;

interface Texts {
  readonly content: string;
  readonly content_type: string;
  /** The agent, and the attachments as JSON. */
  readonly more: string;
}

/**
 * The full-text index of tickets. It is brought up to date before a search and after many changes, as each commit with a change
 * of the index costs several times as much as one without.
 */
export class TextIndex extends Table {
  #changed = 0;

  /** Call inside the write that changes the ticket. */
  changed(seq: number): void {
    this.#changed += this.sql.run('INSERT OR IGNORE INTO unindexed VALUES (?)', seq).changes;
    if (this.#changed >= BATCH) this.bringUpToDate();
  }

  bringUpToDate(): void {
    const seqs = this.sql.column<number>('SELECT ticket_seq FROM unindexed');
    this.#changed = 0;
    if (seqs.length === 0) return;
    this.sql.write(() => {
      for (const seq of seqs) this.#index(seq);
      this.sql.run('DELETE FROM unindexed');
    });
  }

  /** Subject, messages, file names, agents and tags. */
  #index(seq: number): void {
    const body = this.sql.value<string>('SELECT body FROM tickets WHERE seq = ?', seq) ?? '{}';
    const { subject = '', tags = [] } = JSON.parse(body) as { subject?: string; tags?: readonly string[] };
    const thread = this.sql.all<Texts>(
      `SELECT content, content_type, concat_ws(char(10), agent_id, attachments) AS more FROM messages
       WHERE ticket_seq = ? ORDER BY position`,
      seq,
    );
    const texts = thread.flatMap(({ content, content_type, more }) => [
      messageText(content, content_type),
      more,
    ]);
    this.sql.run(
      'INSERT OR REPLACE INTO tickets_fts (rowid, subject, thread) VALUES (?, ?, ?)',
      seq,
      indexed(subject),
      indexed([...tags, ...texts].join('\n')),
    );
  }
}

// Bodies are hostile and long: all of this takes linear time.

/** Characters of the excerpt. */
const LONGEST = 180;
/** Characters of a body to read: mails begin with kilobytes of style. */
const LOOKED_AT = 20_000;

/** Characters of a body to search. */
const SEARCHED = 200_000;

/** The searchable text of a message: HTML without its elements. */
export function messageText(content: string, contentType: unknown): string {
  const start = content.slice(0, SEARCHED);
  return contentType === 'html' ? htmlText(start, ' ') : start;
}

/** The first of the words in a text with its surroundings in one line, if it occurs. */
export function passageOf(text: string, words: readonly string[]): string | undefined {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  if (places.length === 0) return undefined;
  const from = Math.max(0, Math.min(...places) - AROUND);
  const line = text
    .slice(from, from + LONGEST)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
  return `${from > 0 ? '…' : ''}${line}${from + LONGEST < text.length ? '…' : ''}`;
}

/** Characters before the found word. */
const AROUND = 30;

export function excerptOf(content: string, contentType: ContentType = 'text'): string {
  const start = content.slice(0, LOOKED_AT);
  const text =
    contentType === 'html' ? htmlText(start, ' ') : contentType === 'markdown' ? withoutSyntax(start) : start;
  const line = text
    .slice(0, LONGEST * 8)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= LONGEST) return line.toWellFormed();
  // Drops half of a surrogate pair.
  return `${line
    .slice(0, LONGEST)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()}…`;
}

/** Without emphasis, headings, lists and code fences; the words of links and pictures. */
function withoutSyntax(markdown: string): string {
  return markdown
    .slice(0, 4_000)
    .replace(/!?\[([^\][]{0,300})\]\([^()\s]{0,500}\)/g, '$1')
    .replace(/^ {0,3}(?:#{1,6} |> ?|[-*+] |\d{1,9}[.)] |```\w*|---+$)/gm, '')
    .replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, '');
}
