/** Search words and tags as SQL conditions. */

export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Further words are ignored, so that a pasted subject is found quickly. */
const MOST_TERMS = 16;
/** The index has sequences of three characters; shorter words are searched in the texts. */
const INDEXED_FROM = 3;

/** For the index: width variants (`ＡＢＣ`) become usual letters; NUL would end a text in SQLite. */
export function indexed(text: string): string {
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
export function bound(conditions: readonly Condition[]): (string | number)[] {
  return conditions.flatMap(({ values }) => values);
}
