/** Rules for messages, from the columns that were found. */

import type { ActorType } from '../../domain/payload.ts';
import type { Condition, Expression } from '../../mapping/language/expression.ts';
import type { MessageRule, PersonRule } from '../../mapping/language/layout.ts';
import { wordsOf } from '../concept-words.ts';
import { isName } from '../name-by-value.ts';
import { nameOf, type ScopeColumn } from './concepts.ts';
import type { Thread } from './find-threads.ts';
import { isId, personColumns, personOf, timeBeside } from './found-columns.ts';
import {
  type InternalColumn,
  internalValue,
  isOpenKind,
  type MessageColumns,
  type RoleSource,
} from './message-columns.ts';
import { type ProposalNotes, type SettingPath, TODO } from './proposal.ts';
import type { ProposalDraft } from './proposal-draft.ts';
import { ADDRESS, NO_ADDRESS } from './propose-people.ts';
import { proposeMap, yesOrNo } from './propose-values.ts';
import { isInternalTable, nestedColumns, type ProfileScope } from './scopes.ts';
import { withdrawn } from './withdrawn.ts';

/** Where the messages stand: a child table, a list in the ticket's row, or the rows of a group. */
type MessagePlace = Pick<MessageRule, 'from' | 'each'>;

function proposeMessage(
  scope: ProfileScope,
  found: MessageColumns,
  place: MessagePlace,
  author: PersonRule | undefined,
  at: SettingPath,
  notes: ProposalNotes,
): MessageRule {
  const { content, time, role, internal, attachment } = found;
  const type = contentType(content);
  const attachments = attachment === undefined ? undefined : attachmentsOf(scope, attachment);
  const taken = withdrawn(scope.columns.filter((column) => column !== internal));
  if (taken !== undefined)
    notes.comment(
      [...at, 'where'],
      `Messages that are ${taken.what} by "${taken.column.path}" are left out; their values are in the note.`,
    );
  return {
    ...place,
    ...(taken === undefined ? {} : { where: taken.holdsNot }),
    content: contentOf(content),
    ...(type === undefined ? {} : { contentType: type }),
    ...(time === undefined ? {} : { occurredAt: time.path }),
    ...(role === undefined ? {} : { actorType: actorType(role, at, notes) }),
    author: author ?? {},
    ...(internal === undefined ? {} : { isInternal: isInternal(internal, at, notes) }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

function actorType(role: RoleSource, at: SettingPath, notes: ProposalNotes): Expression {
  if (role.kind === 'flag') return role.expression;
  if (role.kind === 'filled')
    return {
      when: role.columns.map(({ column, role: who }) => ({
        if: { column: column.path, empty: false },
        // biome-ignore lint/suspicious/noThenProperty: a word of the mapping language
        then: { const: who },
      })),
    };
  const place = { values: [...at, 'actorType', 'map'], unlisted: [...at, 'actorType', 'unlisted', 'value'] };
  const { values, unlisted } = proposeMap('role', [role.column], place, notes);
  return {
    column: role.column.path,
    map: values,
    ...(unlisted === undefined ? {} : { unlisted: { value: unlisted.value } }),
  };
}

/** Holds for items of which the customer is the author; undefined where nothing tells. */
export function isCustomers(role: RoleSource | undefined): Condition | undefined {
  if (role === undefined) return undefined;
  if (role.kind === 'flag')
    return role.customerWhen
      ? { column: role.column.path, in: [true, 'yes', 1] }
      : { column: role.column.path, notIn: [true, 'yes', 1] };
  if (role.kind === 'words')
    return role.customers.length === 0 ? undefined : { column: role.column.path, in: [...role.customers] };
  const [first, ...others] = role.columns
    .filter((entry) => entry.role === 'customer')
    .map(({ column }): Condition => ({ column: column.path, empty: false }));
  return first === undefined || others.length === 0 ? first : { any: [first, ...others] };
}

/** Where no text has lines and some have `\\n` between them, that is how the export writes line breaks. */
function contentOf({ path, profile: { lines, filled } }: ScopeColumn): Expression {
  const isEscaped = lines.broken === 0 && lines.escaped >= Math.max(2, 0.1 * filled);
  return isEscaped ? { column: path, as: 'line-breaks' } : path;
}

/** `html`, or a choice for each message where some are; undefined for plain text, which is what the API takes it for. */
function contentType({ path, profile }: ScopeColumn): Expression | undefined {
  const html = profile.kinds.find(({ kind }) => kind === 'html')?.count ?? 0;
  if (html < 0.02 * profile.filled || html === 0 || profile.type === 'object') return undefined;
  if (html >= 0.95 * profile.filled) return { const: 'html' };
  return {
    when: [
      // biome-ignore lint/suspicious/noThenProperty: a word of the mapping language
      { if: { column: path, matches: '<[A-Za-z/][^<>]*>' }, then: { const: 'html' } },
      { else: { const: 'text' } },
    ],
  };
}

function isInternal(column: InternalColumn, at: SettingPath, notes: ProposalNotes): Expression {
  const { path, profile, yesIsInternal } = column;
  const called = nameOf(column);
  const meaning = (value: string) => {
    const yes = yesOrNo(value);
    if (yes === undefined) return internalValue(value, called);
    return yesIsInternal === undefined ? undefined : yes === yesIsInternal;
  };
  const isOpen = (value: string) =>
    yesOrNo(value) === undefined ? isOpenKind(value, called) : yesIsInternal === undefined;
  const values = (profile.values ?? []).map(({ value }) => [value, meaning(value)] as const);
  // words that every layout reads as yes and no need no map
  const isPlain = values.every(
    ([value, internal]) => /^(?:true|false|yes|no|1|0)$/i.test(value) && internal === yesOrNo(value),
  );
  if (isPlain) return { column: path, as: 'boolean' };
  const open = values.filter(([value]) => isOpen(value));
  for (const [value] of open)
    notes.decide({
      path: [...at, 'isInternal', 'map', value],
      question: `Are messages with "${value}" in the column "${path}" internal notes of the team?`,
      comment: 'true: internal, never shown to the customer; false: public',
      choices: [
        { value: true, label: 'internal' },
        { value: false, label: 'public' },
      ],
      kind: 'choice',
    });
  return {
    column: path,
    map: Object.fromEntries(
      values.map(([value, internal]) => [value, isOpen(value) ? TODO : (internal ?? false)]),
    ),
  };
}

/** A link in a cell, or a list of objects with a link in them. */
function attachmentsOf(scope: ProfileScope, { path, profile }: ScopeColumn): Expression | undefined {
  if (profile.type === 'url') return { each: path, item: { url: '.' } };
  if (profile.type !== 'list') return undefined;
  const columns = nestedColumns(scope, path);
  const find = (pattern: RegExp) => columns.find((column) => pattern.test(column.path))?.path;
  const url =
    find(/^\.$/) ?? find(/(?:^|_|\.)(?:content_?url|attachment_?url|download_?url|url|href|link)$/i);
  if (url === undefined) return undefined;
  const rest = {
    name: find(/^(?:file_?name|name|title)$/i),
    contentType: find(/^(?:content_?type|mime_?type|media_?type)$/i),
    sizeBytes: find(/^(?:size|file_?size|size_?bytes|bytes)$/i),
    contentId: find(/(?:^|[._])(?:content_?id|cid)$/i),
  };
  const given = Object.entries(rest).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return { each: path, item: { url, ...Object.fromEntries(given) } };
}

// Rules for all messages of a ticket: its own text, threads in lists or tables, repeated columns, the answer.

export function messageRules(draft: ProposalDraft, requester: PersonRule | undefined): MessageRule[] {
  const { description, answer, threads, repeated, sides, note } = draft.threads;
  const rules: MessageRule[] = [];
  if (description !== undefined) {
    draft.use(description);
    const type = contentType(description);
    rules.push({
      content: contentOf(description),
      ...(type === undefined ? {} : { contentType: type }),
      ...(threads.length > 0 || repeated !== undefined ? { use: 'unless-repeated' as const } : {}),
      ...(draft.times.createdAt === undefined ? {} : { occurredAt: draft.times.createdAt.path }),
      actorType: { const: requester === undefined ? 'system' : 'customer' },
      author: requester ?? {},
    });
    if (requester === undefined)
      draft.notes.comment(
        ['messages', 0, 'actorType'],
        'The export does not say who asked, and a message of a customer needs an address.',
      );
  }
  if (sides !== undefined) {
    const assignee = personColumns('assignee', draft.columns);
    draft.use(sides.customer, sides.agent, sides.time);
    for (const [role, column] of [
      ['customer', sides.customer],
      ['agent', sides.agent],
    ] as const) {
      const type = contentType(column);
      rules.push({
        content: contentOf(column),
        ...(type === undefined ? {} : { contentType: type }),
        ...(sides.time === undefined ? {} : { occurredAt: sides.time.path }),
        actorType: { const: role },
        author:
          role === 'customer'
            ? (requester ?? {})
            : assignee === undefined
              ? {}
              : draft.people.rule(draft.ticket.index, undefined, assignee),
      });
    }
    draft.notes.comment(
      ['messages', 0],
      'Each row fills one of two columns: what customers said, and what the team said.',
    );
  }
  for (const thread of threads) rules.push(threadRule(draft, thread, rules.length));
  if (repeated !== undefined)
    rules.push({
      columns: repeated.header,
      ...(repeated.parts
        ? {
            parts: { by: ';', names: ['at', 'author', 'text'] },
            content: 'text',
            occurredAt: 'at',
            author: repeated.addresses
              ? { email: { column: 'author', match: ADDRESS }, name: { column: 'author', match: NO_ADDRESS } }
              : { id: 'author' },
          }
        : { content: '.', author: {} }),
    });
  if (answer !== undefined) {
    const times = [timeBeside(answer, draft.columns), draft.times.resolvedAt, draft.times.closedAt];
    const paths = [...new Set(times.flatMap((column) => (column === undefined ? [] : [column.path])))];
    rules.push({
      content: contentOf(answer),
      ...(paths.length === 0 ? {} : { occurredAt: paths.length === 1 ? (paths[0] ?? []) : paths }),
      actorType: { const: 'agent' },
      author: agentBeside(answer, draft),
    });
    draft.notes.comment(
      ['messages', rules.length - 1, 'content'],
      `"${answer.path}" is taken for the last answer of the team.`,
    );
  }
  if (note !== undefined) rules.push(noteRule(note, draft));
  return rules;
}

/** The columns that are called after this one name who wrote it, `Answered by` beside `Answer`; else it is the assignee. */
function agentBeside(text: ScopeColumn, { people, ticket, columns }: ProposalDraft): PersonRule {
  const beginnings = wordsOf(nameOf(text)).flatMap((word) =>
    word.length < STEM ? [] : [word.slice(0, STEM)],
  );
  const beside = columns.filter((column) => {
    const words = wordsOf(nameOf(column));
    return (
      column !== text && words.length > 1 && words.some((word) => beginnings.includes(word.slice(0, STEM)))
    );
  });
  const email = beside.find(({ profile }) => profile.type === 'email');
  const named = email ?? beside.find(({ profile }) => isName(profile));
  const own = named && (email === undefined ? { name: named } : { email: named });
  const person = own ?? personColumns('assignee', columns);
  return person === undefined ? {} : people.rule(ticket.index, undefined, person);
}

/** Letters by which `answer` and `answered` are one word. */
const STEM = 4;

function noteRule(note: ScopeColumn, draft: ProposalDraft): MessageRule {
  const thread = draft.threads.threads.find(
    ({ scope, table }) => table === undefined && scope.list === undefined,
  );
  const time = timeBeside(note, draft.columns) ?? thread?.columns.time ?? draft.threads.sides?.time;
  const type = contentType(note);
  const file = thread?.columns.attachment;
  const attachments = thread && file && attachmentsOf(thread.scope, file);
  draft.use(note);
  return {
    where: { column: note.path, empty: false },
    content: contentOf(note),
    ...(type === undefined ? {} : { contentType: type }),
    ...(time === undefined ? {} : { occurredAt: time.path }),
    actorType: { const: 'agent' },
    author:
      thread?.columns.role?.kind === 'filled'
        ? filledPerson(draft, thread, thread.columns.role, 'agent')
        : thread?.columns.author === undefined
          ? agentBeside(note, draft)
          : draft.people.rule(draft.ticket.index, undefined, thread.columns.author),
    isInternal: { const: true },
    ...(attachments === undefined ? {} : { attachments }),
  };
}

/** The person of the columns of which one side is filled; `role`: of the columns of this side alone. */
export function filledPerson(
  { people, ticket }: ProposalDraft,
  { scope, table }: Thread,
  { columns }: Extract<RoleSource, { kind: 'filled' }>,
  side?: ActorType,
): PersonRule {
  const own = columns.filter(({ role }) => side === undefined || role === side).map(({ column }) => column);
  if (own.every((column) => column.profile.type === 'text' && !isId(column))) {
    const paths = own.map(({ path }) => path);
    const handle = paths.length === 1 ? (paths[0] ?? '') : paths;
    const known = own.flatMap(
      (name) => people.rule(table ?? ticket.index, scope.list, { name }).person ?? [],
    );
    return known.length === 0 ? { id: handle, name: handle } : { person: [...new Set(known)], id: handle };
  }
  const of = (role: ActorType) =>
    personOf(columns.filter((each) => each.role === role).map(({ column }) => column));
  const rules = (side === undefined ? (['customer', 'agent'] as const) : [side]).map((role) =>
    people.rule(table ?? ticket.index, scope.list, of(role)),
  );
  const either = (field: 'id' | 'email' | 'name'): Expression | undefined => {
    const found = rules.flatMap((rule) => rule[field] ?? []);
    return found.length < 2 ? found[0] : (found as Expression);
  };
  const names = [...new Set(rules.flatMap(({ person }) => person ?? []))];
  const [id, email, name] = [either('id'), either('email'), either('name')];
  return {
    ...(names.length === 0 ? {} : { person: names }),
    ...(id === undefined ? {} : { id }),
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name }),
  };
}

function threadRule(draft: ProposalDraft, thread: Thread, index: number): MessageRule {
  const { scope, columns, table } = thread;
  const { author, role, content, time } = columns;
  const place =
    scope.list !== undefined
      ? { each: scope.list }
      : table === undefined
        ? {}
        : { from: draft.nameOf(thread) };
  if (table === undefined) draft.use(content, time);
  const person =
    role?.kind === 'filled'
      ? filledPerson(draft, thread, role)
      : author === undefined
        ? undefined
        : draft.people.rule(table ?? draft.ticket.index, scope.list, author);
  const rule = proposeMessage(scope, columns, place, person, ['messages', index], draft.notes);
  const { note } = draft.threads;
  // a file beside a note is the note's
  if (note !== undefined && table === undefined && scope.list === undefined && rule.attachments !== undefined)
    return { where: { column: note.path, empty: true }, ...rule };
  return table !== undefined && columns.internal === undefined && isInternalTable(scope.table)
    ? { ...rule, isInternal: { const: true } }
    : rule;
}
