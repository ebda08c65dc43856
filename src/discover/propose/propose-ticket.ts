/** The fields of the ticket itself. */
import type { Expression } from '../../mapping/language/expression.ts';
import type { PersonRule, TicketRule } from '../../mapping/language/layout.ts';
import { tableWords } from '../concept-words.ts';
import { stemOf } from '../name-by-value.ts';
import { tableName } from './choose-tables.ts';
import { bestColumn, fillRate, type ScopeColumn } from './concepts.ts';
import { type PersonColumns, personColumns } from './found-columns.ts';
import { TODO } from './proposal.ts';
import { type ProposalDraft, ROOT } from './proposal-draft.ts';
import { changeTime, varies } from './propose-events.ts';
import { plainColumns } from './rule-reads.ts';
import { labelLookup, nestedColumns, recognitionOf, rowsScope } from './scopes.ts';

/** The beginning of a text, up to the end of its first line: a subject where there is none. */
const FIRST_LINE = String.raw`\S[^\r\n]{0,119}`;

export function ticketRule(draft: ProposalDraft, requester: PersonRule | undefined): TicketRule {
  const { createdAt, resolvedAt, closedAt } = draft.times;
  // What changes from message to message is about who wrote it, unless nothing else is there.
  const assignee = personColumns('assignee', draft.steady) ?? personColumns('assignee', draft.columns);
  const priority = bestColumn('priority', draft.columns, 0.4);
  const tags = proposeTags(draft);
  draft.use(draft.status, createdAt, resolvedAt, closedAt, priority);
  const subject = subjectOf(draft);
  // of what changes from row to row, the last one is how the ticket stands
  const order = draft.isLog ? inTime(changeTime(draft)) : {};
  const last = (column: ScopeColumn, value: Expression): Expression =>
    draft.isLog && varies(draft.ticket, column) ? { rows: ROOT, take: 'last', ...order, get: value } : value;
  // One row of several may name whose the ticket is.
  const named = (column: ScopeColumn, value: Expression): Expression =>
    draft.isLog || !varies(draft.ticket, column) || draft.ticket.key.role !== 'group'
      ? last(column, value)
      : { rows: ROOT, where: { column: column.path, empty: false }, take: 'first', get: value };
  const ofRows = ({ id, email, name, ...rule }: PersonRule): PersonRule => {
    const each = Object.entries({ id, email, name }).map(([aspect, value]) => {
      const column = draft.columns.find(({ path }) => path === plainColumns(value)[0]);
      return [aspect, column === undefined || value === undefined ? value : named(column, value)];
    });
    return { ...rule, ...Object.fromEntries(each.filter(([, value]) => value !== undefined)) };
  };
  return {
    subject,
    ...(draft.status === undefined
      ? {}
      : { status: last(draft.status, wordOf(draft, draft.status, 'status')) }),
    ...(priority === undefined ? {} : { priority: last(priority, wordOf(draft, priority, 'priority')) }),
    ...(tags === undefined ? {} : { tags }),
    ...(createdAt === undefined ? {} : { createdAt: createdAt.path }),
    ...(resolvedAt === undefined ? {} : { resolvedAt: last(resolvedAt, resolvedAt.path) }),
    ...(closedAt === undefined ? {} : { closedAt: last(closedAt, closedAt.path) }),
    ...(requester === undefined ? {} : { requester }),
    ...(assignee === undefined || isSamePerson(assignee, draft.requester)
      ? {}
      : { assignee: ofRows(draft.people.rule(draft.ticket.index, undefined, assignee)) }),
  };
}

/** Rows or items in the order of a time. */
export function inTime(time: ScopeColumn | undefined): { order?: Expression } {
  return time === undefined ? {} : { order: { column: time.path, time: 'auto' } };
}

// A value through its map; where the column holds a key, the word that another table has for it.

/** `#billing, #late` */
function areHashTags(text: string): boolean {
  const tags = text.split(/[\s,;]+/).filter((tag) => tag !== '');
  return tags.length > 0 && tags.every((tag) => /^#[^#]+$/.test(tag));
}

function wordOf(draft: ProposalDraft, column: ScopeColumn, map: string): Expression {
  const label = labelLookup(draft.ticket.index, column, draft.tables, draft.joins);
  const table = label === undefined ? undefined : draft.tables[label.table];
  if (label === undefined || table === undefined) return { column: column.path, map };
  const name = tableName(table, new Set([ROOT, 'messages', ...Object.keys(draft.lookups)]));
  draft.lookup(name, label.table, {
    role: 'lookup',
    key: label.key,
    recognise: recognitionOf(table, [label.key, label.label.path], draft.tables),
  });
  return { lookup: name, by: column.path, get: label.label.path, map };
}

/** The subject's column, else the first line of what was said first, else the id: a ticket needs one (2.1). */
function subjectOf(draft: ProposalDraft): Expression {
  const subject = bestColumn('subject', draft.steady);
  const rest: Expression[] = [];
  const { description, threads } = draft.threads;
  const [thread] = threads;
  if (description !== undefined) rest.push({ column: description.path, match: FIRST_LINE });
  else if (thread !== undefined) {
    const get = { column: thread.columns.content.path, match: FIRST_LINE };
    if (thread.scope.list !== undefined) rest.push({ each: thread.scope.list, take: 'first', get });
    else if (thread.table !== undefined) rest.push({ rows: draft.nameOf(thread), take: 'first', get });
    else rest.push(get);
  }
  rest.push({ template: `Ticket {${draft.ticket.key.column.path}}` });
  if (subject === undefined) {
    draft.notes.comment(['ticket', 'subject'], 'No column looks like a subject.');
    return rest.length === 1 ? (rest[0] ?? []) : rest;
  }
  draft.use(subject);
  // a few rows tell little about the others
  const always = fillRate(subject.profile) >= 1 && draft.ticket.table.rows >= 20;
  return always ? subject.path : [subject.path, ...rest];
}

/** Columns that were taken for the requester already. */
function isSamePerson(one: PersonColumns, other: PersonColumns | undefined): boolean {
  const paths = new Set(Object.values(other ?? {}).map(({ path }) => path));
  return Object.values(one).every(({ path }) => paths.has(path));
}

// Tags: a list in the ticket, a text with separators, or a table with one tag a row.

function proposeTags(draft: ProposalDraft): Expression | undefined {
  const { ticket, columns, tables, joins } = draft;
  const own = bestColumn('tags', columns, 0.6);
  if (own !== undefined) return numbered(own, columns) ?? fromColumn(draft, own);
  for (const { from, to, found } of joins) {
    const table = tables[from.table];
    if (table === undefined || to.table !== ticket.index || found === 0) continue;
    if (!tableWords(table).some((word) => ['tag', 'label', 'etiqueta', 'etiquette'].includes(word))) continue;
    const tag = bestColumn(
      'tags',
      rowsScope(table).columns.filter(({ path }) => path !== from.column),
      0.6,
    );
    if (tag !== undefined)
      return { rows: draft.child('tags', from.table, [from.column, tag.path]), get: tag.path };
  }
  return undefined;
}

/** `Tag 1`, `Tag 2`, `Tag 3`: a tag in each. */
function numbered({ path }: ScopeColumn, columns: readonly ScopeColumn[]): Expression | undefined {
  const stem = stemOf(path);
  const paths = columns.map((column) => column.path).filter((each) => stemOf(each) === stem);
  if (stem === undefined || paths.length < 2 || paths.some((each) => /[{}]/.test(each))) return undefined;
  return { template: paths.map((each) => `{${each}}`).join(';'), split: ';' };
}

/** Single words that also stand alone or in another place: `vip`, `billing vip`, `vip refund`. */
function areWords(written: readonly string[]): boolean {
  const places = new Map<string, Set<number>>();
  const all = [...new Set(written)].map((text) => text.split(' '));
  for (const words of all)
    words.forEach((word, at) => {
      // alone, a word is in a place of its own
      places.set(word, (places.get(word) ?? new Set()).add(words.length === 1 ? -1 : at));
    });
  const together = all.filter((words) => words.length > 1);
  const known = together.filter((words) => words.some((word) => (places.get(word)?.size ?? 0) > 1));
  return together.length > 0 && known.length >= 0.25 * together.length;
}

/** `billing / vip` */
const SIGN_BETWEEN = /\s[/·•>]\s/;

function fromColumn({ ticket, notes }: ProposalDraft, { path, profile }: ScopeColumn): Expression {
  if (ticket.table.collection.format === 'json' && profile.type === 'list') {
    const inner = nestedColumns(rowsScope(ticket.table), path);
    const name = inner.find((column) => /^(?:name|tag|label|title|value)$/i.test(column.path));
    return name === undefined ? path : `${path}[].${name.path}`;
  }
  const written = [...(profile.values ?? []).map(({ value }) => value), ...profile.examples];
  const isList = profile.kinds[0]?.kind === 'list' || written.some((text) => /[;|[]|^\{.*\}$/.test(text));
  if (written.length > 0 && written.every(areHashTags)) return { column: path, split: '/[\\s,;]*#/' };
  if (written.some((text) => SIGN_BETWEEN.test(text)))
    return { column: path, split: `/${SIGN_BETWEEN.source}/` };
  if (isList) return { column: path, split: 'list' };
  if (written.some((text) => text.includes(','))) return { column: path, split: ',' };
  const words = written.filter((text) => /^\S+(?: \S+)+$/.test(text));
  // words joined by - or _ are tags with spaces between them
  if (words.some((text) => /[_-]/.test(text)) || areWords(written)) return { column: path, split: ' ' };
  const [example] = words;
  // what stands there again and again is one tag
  if (example === undefined || profile.distinct > FEW_TAGS || profile.filled > 2 * profile.distinct)
    return { column: path, split: ';' };
  const tags = example
    .split(' ')
    .slice(0, 3)
    .map((word) => `"${word}"`);
  notes.decide({
    path: ['ticket', 'tags', 'split'],
    question: `Is "${example}" in the column "${path}" one tag, or ${tags.length} of them?`,
    comment: `" ": ${tags.join(', ')} are tags; ";": "${example}" is one`,
    choices: [
      { value: ' ', label: `${tags.join(', ')}` },
      { value: ';', label: `"${example}"` },
    ],
    kind: 'choice',
  });
  return { column: path, split: TODO };
}

/** Of so few different cells nothing tells whether a space separates tags or stands in one. */
const FEW_TAGS = 12;
