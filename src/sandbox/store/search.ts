import type { ContentType } from '../../domain/payload.ts';
import { htmlText } from '../../view/conversation/html-text.ts';

export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

/** So that a pasted subject is found quickly. */
const MOST_WORDS = 16;
const SEARCHED = 200_000;

/** `ＡＢＣ` as usual letters, without accents and case. */
function folded(text: string): string {
  const plain = /[^\x20-\x7e]/.test(text) ? text.normalize('NFKD').replace(/\p{M}/gu, '') : text;
  return plain.replaceAll('\u0000', ' ').toLowerCase();
}

export const SQL_FUNCTIONS = {
  holds: (text: string, words: string) => {
    const within = folded(text);
    return Number((JSON.parse(words) as string[]).every((word) => within.includes(word)));
  },
  message_text: messageText,
} as const;

const SUBJECT = `concat_ws(char(10), tickets.subject,
  (SELECT concat_ws(' ', name, email) FROM contacts WHERE contacts.seq = tickets.contact_seq))`;
const EVERYWHERE = `concat_ws(char(10), ${SUBJECT},
  (SELECT group_concat(tag, ' ') FROM ticket_tags WHERE ticket_seq = tickets.seq AND offered = 1),
  (SELECT group_concat(concat_ws(' ', agents.name, email, agent_names.name), ' ')
    FROM (SELECT tickets.assigned_to_id AS agent UNION SELECT agent_id FROM messages WHERE ticket_seq = tickets.seq)
    LEFT JOIN agents ON agents.id = agent LEFT JOIN agent_names ON agent_names.id = agent),
  (SELECT group_concat(concat_ws(char(10), message_text(content, content_type), attachments), char(10))
    FROM messages WHERE ticket_seq = tickets.seq))`;

const ASSIGNEE = `iif(assigned_to_id IS NULL, 'unassigned', concat_ws(' ', assigned_to_id,
  (SELECT concat_ws(' ', name, email) FROM agents WHERE id = assigned_to_id),
  (SELECT name FROM agent_names WHERE id = assigned_to_id)))`;

/** `subject`: also in the contact's name or address. */
export function searchConditions(text: string, place: 'subject' | 'everywhere'): Condition[] {
  return holding(place === 'subject' ? SUBJECT : EVERYWHERE, text);
}

export function assigneeConditions(text: string): Condition[] {
  return holding(ASSIGNEE, text);
}

/** Every word must occur, also within words. */
function holding(within: string, text: string): Condition[] {
  if (text.trim() === '') return [];
  const words = [...new Set(folded(text).split(/\s+/u))].filter((word) => word !== '');
  if (words.length === 0) return [{ sql: '0', values: [] }];
  return [{ sql: `holds(${within}, ?)`, values: [JSON.stringify(words.slice(0, MOST_WORDS))] }];
}

export function allTags(tags: readonly string[]): Condition {
  const wanted = [...new Set(tags)];
  return {
    sql: `tickets.seq IN (SELECT ticket_seq FROM ticket_tags WHERE tag IN (SELECT value FROM json_each(?))
      GROUP BY ticket_seq HAVING count(*) = ?)`,
    values: [JSON.stringify(wanted), wanted.length],
  };
}

export function where(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}

export function bound(conditions: readonly Condition[]): (string | number | null)[] {
  return conditions.flatMap(({ values }) => values);
}

function messageText(content: string, contentType: unknown): string {
  const start = content.slice(0, SEARCHED);
  return contentType === 'html' ? htmlText(start, ' ') : start;
}

const LONGEST = 180;
/** Mails begin with kilobytes of style. */
const LOOKED_AT = 20_000;

export function excerptOf(content: string, contentType: ContentType = 'text'): string {
  const start = content.slice(0, LOOKED_AT);
  const text =
    contentType === 'html' ? htmlText(start, ' ') : contentType === 'markdown' ? withoutSyntax(start) : start;
  const line = text
    .slice(0, LONGEST * 8)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= LONGEST) return line.toWellFormed();
  return `${line
    .slice(0, LONGEST)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()}…`;
}

function withoutSyntax(markdown: string): string {
  return markdown
    .slice(0, 4_000)
    .replace(/!?\[([^\][]{0,300})\]\([^()\s]{0,500}\)/g, '$1')
    .replace(/^ {0,3}(?:#{1,6} |> ?|[-*+] |\d{1,9}[.)] |```\w*|---+$)/gm, '')
    .replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, '');
}
