/** The fields of the ticket itself. */
import type { Expression } from '../../layouts/expression-language.ts';
import type { PersonRule, TicketRule } from '../../layouts/language.ts';
import { tableName } from './choose-tables.ts';
import { bestColumn, fillRate, type ScopeColumn } from './concepts.ts';
import { labelLookup } from './label-lookup.ts';
import { type ProposalDraft, ROOT } from './proposal-draft.ts';
import { varies } from './propose-events.ts';
import { type PersonColumns, personColumns } from './propose-people.ts';
import { proposeTags } from './propose-tags.ts';
import { recognitionOf } from './recognise-table.ts';

/** The beginning of a text, up to the end of its first line: a subject where there is none. */
const FIRST_LINE = String.raw`\S[^\r\n]{0,119}`;

export function ticketRule(draft: ProposalDraft, requester: PersonRule | undefined): TicketRule {
  const { createdAt, resolvedAt, closedAt } = draft.times;
  const assignee = personColumns('assignee', draft.columns);
  const priority = bestColumn('priority', draft.columns, 0.4);
  const tags = proposeTags(draft.ticket, draft.columns, draft.tables, draft.joins, (table, columns) =>
    draft.child('tags', table, columns),
  );
  draft.use(draft.status, createdAt, resolvedAt, closedAt, priority);
  const subject = subjectOf(draft);
  // of what changes from row to row, the last one is how the ticket stands
  const last = (column: ScopeColumn, value: Expression): Expression =>
    draft.isLog && varies(draft.ticket, column) ? { rows: ROOT, take: 'last', get: value } : value;
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
      : { assignee: draft.people.rule(draft.ticket.index, undefined, assignee) }),
  };
}

/** A value through its map; where the column holds a key, the word that another table has for it. */
function wordOf(draft: ProposalDraft, column: ScopeColumn, map: string): Expression {
  const label = labelLookup(draft.ticket.index, column, draft.tables, draft.joins);
  const table = label === undefined ? undefined : draft.tables[label.table];
  if (label === undefined || table === undefined) return { column: column.path, map };
  const name = tableName(table, new Set([ROOT, 'messages', ...Object.keys(draft.lookups)]));
  draft.lookups[name] = {
    role: 'lookup',
    key: label.key,
    recognise: recognitionOf(table, [label.key, label.label.path], draft.tables),
  };
  return { lookup: name, by: column.path, get: label.label.path, map };
}

/** The subject's column, else the first line of what was said first, else the id: a ticket needs one (2.1). */
function subjectOf(draft: ProposalDraft): Expression {
  const subject = bestColumn('subject', draft.columns);
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
