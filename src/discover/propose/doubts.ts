/**
 * What a proposal cannot be sure of, told by the columns alone. A field is certain where a column is called after it, or
 * where no other column could hold it; whatever could be meant by a column that nothing reads is asked.
 */
import { baseName, type Finding, type FindingCode } from '../../findings/finding.ts';
import {
  CONCEPT_WORDS,
  type Concept,
  isOtherName,
  PERSON_WORDS,
  type PersonConcept,
  singular,
  tableWords,
  wordsOf,
} from '../concept-words.ts';
import { tableSort } from '../table-sort.ts';
import { fits, isAside, type ScopeColumn } from './concepts.ts';
import {
  areTags,
  couldHold,
  isFile,
  isGrade,
  isPerson,
  isSubject,
  isText,
  isTime,
  isWord,
  meant,
  SURE,
} from './could-be.ts';
import { mixedRows, rowsOfOthers, unreadChanges, unreadTables } from './doubtful-tables.ts';
import type { Thread } from './find-threads.ts';
import { Grouping } from './grouping.ts';
import { type ProposalDraft, ROOT } from './proposal-draft.ts';
import { isLastOfFile, plainColumns, Reads, type Rules, stringsIn } from './rule-reads.ts';
import { listScopes, rowsScope } from './scopes.ts';

interface Field {
  readonly code: FindingCode;
  readonly name: string;
  readonly concepts: readonly (Concept | PersonConcept)[];
  /** Where its rule stands. */
  readonly at: string;
  /** No ticket or message is right without it. */
  readonly needed?: true;
  /** Whether what stands in a column could be it. */
  fits(column: ScopeColumn, draft: ProposalDraft): boolean;
}

/** What stands there tells people and tags from all else. */
const TELLING: ReadonlySet<Field['fits']> = new Set([isPerson, areTags]);
/** A name that is as good as the one that was chosen. */
const MARGIN = 0.08;
/** Of two people with a part in a ticket names say little about which one is meant: `owner`, `responsible`. */
const PERSONAL = 0.25;
const NAMED = 4;

const TICKET: readonly Field[] = [
  { code: 'unsure-subject', name: 'subject', concepts: ['subject'], at: 'subject', fits: isSubject },
  { code: 'unsure-status', name: 'status', concepts: ['status'], at: 'status', needed: true, fits: isWord },
  { code: 'unsure-priority', name: 'priority', concepts: ['priority'], at: 'priority', fits: isGrade },
  { code: 'unsure-tags', name: 'tags', concepts: ['tags'], at: 'tags', fits: areTags },
  { code: 'unsure-times', name: 'created time', concepts: ['createdAt'], at: 'createdAt', fits: isTime },
  {
    code: 'unsure-times',
    name: 'time of the end',
    concepts: ['closedAt', 'resolvedAt'],
    at: 'closedAt',
    fits: isTime,
  },
  {
    code: 'unsure-requester',
    name: 'requester',
    concepts: ['requester'],
    at: 'requester',
    needed: true,
    fits: isPerson,
  },
  { code: 'unsure-assignee', name: 'assignee', concepts: ['assignee'], at: 'assignee', fits: isPerson },
];

const MESSAGE: readonly Field[] = [
  { code: 'unsure-text', name: 'text', concepts: ['body'], at: 'content', fits: isText },
  { code: 'unsure-times', name: 'time', concepts: ['sentAt'], at: 'occurredAt', fits: isTime },
  { code: 'unsure-author', name: 'author', concepts: ['author'], at: 'author', fits: isPerson },
  {
    code: 'unsure-author',
    name: 'kind of author',
    concepts: ['role'],
    at: 'actorType',
    needed: true,
    fits: isWord,
  },
  {
    code: 'unsure-visibility',
    name: 'visibility',
    concepts: ['internal'],
    at: 'isInternal',
    fits: isWord,
  },
  {
    code: 'unsure-attachments',
    name: 'attachments',
    concepts: ['attachment'],
    at: 'attachments',
    fits: isFile,
  },
];

export function doubtsOf(draft: ProposalDraft, rules: Rules): Finding[] {
  const reads = new Reads(draft, rules);
  const { ticket, threads } = draft;
  const inGroup = ticket.key.role === 'group';
  const grouping = new Grouping(ticket.table, ticket.key.column.path);
  const varies = (column: ScopeColumn) => inGroup && grouping.tells && grouping.varies(column);
  const root = { scope: ROOT, columns: draft.columns };
  const found: Finding[] = [];
  const elsewhere = draft.tables.flatMap((table, index) =>
    index === ticket.index || ['people', 'beside'].includes(tableSort(table) ?? '')
      ? []
      : rowsScope(table).columns.filter(({ path }) => !reads.has(reads.nameOf(index) ?? '', path)),
  );
  // people in lists that nothing reads: `participants`, each with a role
  const inLists = listScopes(ticket.table).flatMap(({ list, columns }) =>
    list === undefined || reads.hasList(list) || isOtherName(list)
      ? []
      : columns.flatMap((column) =>
          column.profile.type === 'email'
            ? [{ path: `${list}[].${column.path}`, profile: column.profile }]
            : [],
        ),
  );
  for (const field of TICKET) {
    const stated = (rules.ticket as Readonly<Record<string, unknown>>)[field.at];
    const rule = isFirstLine(stated) ? undefined : stated;
    const ends = [
      rule,
      ...(field.at === 'closedAt' ? [(rules.ticket as { resolvedAt?: unknown }).resolvedAt] : []),
    ].filter((each) => each !== undefined);
    found.push(
      ...doubt(
        field,
        {
          ...root,
          own: [
            // of what changes from row to row, a log has the ticket's own
            ...draft.columns.filter((column) => draft.isLog || !varies(column)),
            ...(field.fits === isPerson && rule === undefined ? inLists : []),
          ],
          elsewhere,
        },
        ends.length === 0 ? undefined : ends,
        reads,
        draft,
      ),
    );
    const addresses =
      field.at === 'requester' ? unreadAddresses(rule, [...draft.columns, ...inLists], reads) : [];
    if (addresses.length > 0)
      found.push({
        code: field.code,
        message: `The requester is read without an address, and nothing reads ${addresses.slice(0, NAMED).map(shown).join(', ')}.`,
        setting: 'mapping.ticket.requester',
      });
    if (isLastOfFile(rule))
      found.push({
        code: field.code,
        message: `The ${field.name} differs between the rows of one ticket, and the last one in the file counts, as nothing says when each was written.`,
        setting: `mapping.ticket.${field.at}`,
      });
    // who asked is the first one who wrote, in any row
    const plain = new Set(field.at === 'requester' ? [] : ends.flatMap(plainColumns));
    const unsteady = draft.columns.find((column) => plain.has(column.path) && !grouping.isConstant(column));
    if (unsteady !== undefined && ticket.table.files === 1 && ticket.key.latest === undefined)
      found.push({
        code: field.code,
        message: `The ${field.name} is read from ${shown(unsteady)}, which differs between the rows of one ticket, and the first of them counts.`,
        setting: `mapping.ticket.${field.at}`,
      });
  }
  const isRequesterKnown = (rules.ticket as { requester?: unknown }).requester !== undefined;
  (rules.messages ?? []).forEach((rule, index) => {
    if (isConstant(rule.actorType) && JSON.stringify(rule.actorType).includes('system'))
      found.push({
        // Whoever asked wrote it: one answer for both.
        code: isRequesterKnown ? 'unsure-author' : 'unsure-requester',
        message: "No column was found for who wrote the text of the tickets, so it is nobody's.",
        setting: `mapping.messages[${index}].actorType`,
      });
    const thread = threads.threads.find(({ scope, table }) =>
      rule.each !== undefined
        ? scope.list === rule.each
        : rule.from !== undefined && table !== undefined && reads.nameOf(table) === rule.from,
    );
    const isRows = rule.from === undefined && rule.each === undefined && inGroup;
    if (thread === undefined && !isRows) return;
    const writer = thread?.columns.author?.email?.profile.keys;
    const asked = draft.requester?.email?.profile.keys;
    // texts of the team alone, beside others: a table of notes, whatever it is called
    if (
      threads.threads.length > 1 &&
      thread?.table !== undefined &&
      rule.isInternal === undefined &&
      writer !== undefined &&
      asked !== undefined &&
      writer.matches(asked).found === 0
    )
      found.push({
        code: 'unsure-visibility',
        message: `None of those who asked wrote in ${baseName(draft.tables[thread.table]?.file ?? '')}, and nothing says whether its texts are internal.`,
        setting: `mapping.messages[${index}].isInternal`,
      });
    else if (
      thread !== undefined &&
      rule.isInternal === undefined &&
      isNamedNotes(thread) &&
      (writer === undefined || asked === undefined || writer.matches(asked).found === 0)
    )
      found.push({
        code: 'unsure-visibility',
        message: `${thread.scope.list ?? baseName(thread.scope.table.file)} may be notes of the team, by what it is called, and nothing says whether its texts are internal.`,
        setting: `mapping.messages[${index}].isInternal`,
      });
    const columns = thread?.scope.columns.filter(({ path }) => path !== thread.key) ?? draft.columns;
    const scope = thread?.scope.list !== undefined ? `[]${thread.scope.list}` : (rule.from ?? ROOT);
    const own = thread === undefined ? columns.filter(varies) : columns;
    for (const field of MESSAGE) {
      const value = (rule as Readonly<Record<string, unknown>>)[field.at];
      if (field.at === 'actorType' && value === undefined && draft.people.knowsRole(rule.author)) continue;
      if (value !== undefined && isConstant(value)) continue;
      if (field.at === 'actorType' && value === undefined && areNotes(rule.isInternal)) continue;
      const these = field.at === 'isInternal' ? readers(thread, columns, own, grouping) : own;
      found.push(...doubt(field, { scope, columns, own: these }, value, reads, draft, index));
    }
  });
  return merged([
    ...unreadTables(draft, reads),
    ...mixedRows(draft),
    ...rowsOfOthers(draft),
    ...unreadChanges(draft, rules.events ?? []),
    ...found,
  ]);
}

/** Addresses that stand beside the id or the name by which a requester is known: `requester.identities[].email`. */
function unreadAddresses(rule: unknown, columns: readonly ScopeColumn[], reads: Reads): ScopeColumn[] {
  const { person, email, id, name } = (rule ?? {}) as Readonly<Record<string, unknown>>;
  if (person !== undefined || email !== undefined) return [];
  const parents = [id, name].flatMap((path) =>
    typeof path === 'string' && path.includes('.') ? [path.slice(0, path.lastIndexOf('.') + 1)] : [],
  );
  return columns.filter(
    ({ path, profile }) =>
      profile.type === 'email' && !reads.has(ROOT, path) && parents.some((parent) => path.startsWith(parent)),
  );
}

/**
 * What may say who reads a message. Few are notes, so that in most tickets it is the same; and it may be a list of words,
 * `["customer", "team"]`, of which the items tell.
 */
function readers(
  thread: Thread | undefined,
  columns: readonly ScopeColumn[],
  own: readonly ScopeColumn[],
  grouping: Grouping,
): readonly ScopeColumn[] {
  if (thread === undefined)
    return grouping.tells ? columns.filter((column) => !grouping.isConstant(column)) : own;
  const { table, list } = thread.scope;
  return own.map((column) => {
    const name = `${list === undefined ? '' : `${list}[].`}${column.path}[]`;
    const items = column.profile.type === 'list' && table.columns.find((each) => each.name === name);
    return items ? { path: column.path, profile: items } : column;
  });
}

/** `work_notes.csv`, a list `notes`. */
function isNamedNotes({ scope: { table, list } }: Thread): boolean {
  const words = list === undefined ? tableWords(table) : wordsOf(list).map(singular);
  return NOTES.has(words.at(-1) ?? '');
}

const NOTES: ReadonlySet<string> = new Set(['note', 'nota', 'notiz', 'notizen', 'notas', 'remark']);

/** Nothing but notes, which are the team's. */
function areNotes(rule: unknown): boolean {
  const { map } = (rule ?? {}) as { map?: Readonly<Record<string, unknown>> };
  return isConstant(rule) || (map !== undefined && Object.values(map).every((internal) => internal === true));
}

/** A subject that is the beginning of a text or the id, as no column was found for it. */
function isFirstLine(rule: unknown): boolean {
  const first: unknown = Array.isArray(rule) ? rule[0] : rule;
  if (typeof first !== 'object' || first === null) return false;
  return 'match' in first || 'template' in first || ('get' in first && isFirstLine(first.get));
}

const isConstant = (rule: unknown): boolean => typeof rule === 'object' && rule !== null && 'const' in rule;

interface Within {
  readonly scope: string;
  readonly columns: readonly ScopeColumn[];
  /** Those that the field can be in. */
  readonly own: readonly ScopeColumn[];
  /** Of other tables, which nothing reads. */
  readonly elsewhere?: readonly ScopeColumn[];
}

function doubt(
  field: Field,
  { scope, columns, own, elsewhere = [] }: Within,
  rule: unknown,
  reads: Reads,
  draft: ProposalDraft,
  message?: number,
): Finding[] {
  const paths = stringsIn(rule);
  const chosen = columns.filter(({ path }) => paths.has(path));
  const best = Math.max(0, ...chosen.map((column) => points(field, column)));
  const isGuessed = chosen.some(({ profile }) => profile.called !== undefined);
  const isFree = (column: ScopeColumn) => !own.includes(column) || !reads.has(scope, column.path);
  const free = own.filter((column) => column.profile.filled > 1 && isFree(column));
  // called after the field as much as the one that was chosen, or more, and read by nothing
  const better = elsewhere.filter((column) => best < SURE || points(field, column) > best);
  const named = [...free, ...better].filter(
    (column) =>
      points(field, column) >= Math.max(SURE, best - (field.fits === isPerson ? PERSONAL : MARGIN)) &&
      // where nothing was found a column that is called so is asked, whatever stands in it
      (rule === undefined || field.fits(column, draft)) &&
      !isSame(column, chosen, field.fits === isPerson),
  );
  // or called by nothing that is known here, where what was chosen is not called after the field
  const unknown =
    best >= SURE && field.code !== 'unsure-text'
      ? []
      : free.filter(
          (column) =>
            field.fits(column, draft) &&
            !isUnderstood(field, column, draft) &&
            !isSame(column, chosen, field.fits === isPerson),
        );
  // where names say nothing, whatever is left may be what was not found, and so may what was taken for something else
  const taken = own.filter(
    (column) =>
      column.profile.filled > 1 &&
      !isFree(column) &&
      saysNothing(column) &&
      TELLING.has(field.fits) &&
      field.fits(column, draft),
  );
  const left =
    rule === undefined && columns.some(({ profile }) => profile.called !== undefined)
      ? [...free.filter((column) => couldHold(field.at, column)), ...taken].filter(
          (column) => !isOtherName(column.path) && (field.fits === isTime || !isAside(column)),
        )
      : [];
  const rivals = [...new Set([...named, ...unknown, ...left])];
  const isMissing = rule === undefined && field.needed === true;
  // what was guessed is asked by itself, but not what was left out of it
  const isAsked = isGuessed && rivals.every(({ profile }) => profile.called !== undefined);
  if (isAsked || (rivals.length === 0 && (!isMissing || isGuessed))) return [];
  const reported =
    chosen.length === 0
      ? field.at === 'actorType'
        ? 'No column says who is a customer and who is an agent, so everybody but the requester is taken for an agent'
        : field.at === 'status'
          ? 'No column was found for the status, so every ticket comes in as open'
          : `No column was found for the ${field.name}`
      : `The ${field.name} is read from ${chosen.slice(0, 2).map(shown).join(' and ')}`;
  const [unread, read] = [rivals.filter(isFree), rivals.filter((column) => !isFree(column))];
  const some = (these: readonly ScopeColumn[]) => these.slice(0, NAMED).map(shown).join(', ');
  const others = [
    unread.length === 0 ? '' : `, and nothing reads ${some(unread)}`,
    unread.length >= NAMED || read.length === 0 ? '' : `, and ${some(read)} may be taken for something else`,
  ].join('');
  return [
    {
      code: field.code,
      message: `${reported}${others}.`,
      setting:
        message === undefined ? `mapping.ticket.${field.at}` : `mapping.messages[${message}].${field.at}`,
    },
  ];
}

function points({ concepts }: Field, { path, profile }: ScopeColumn): number {
  if (profile.called !== undefined) return 0;
  return Math.max(...concepts.map((concept) => meant(concept, path)));
}

const ALL = [...Object.keys(CONCEPT_WORDS), ...Object.keys(PERSON_WORDS)] as (Concept | PersonConcept)[];

/** A name that says so little about something else. */
const HINT = 0.35;
/** A column called `type` may be either. */
const ALIKE: ReadonlySet<string> = new Set(['role', 'internal', 'author', 'requester', 'assignee']);

/** `Lukket_date` is a time of some kind. */
const TIMES: ReadonlySet<string> = new Set(['createdAt', 'closedAt', 'resolvedAt', 'sentAt']);

function areAlike(one: string, others: readonly string[]): boolean {
  return [ALIKE, TIMES].some((these) => these.has(one) && others.some((other) => these.has(other)));
}

/** Alone they may say of a message or a ticket whatever a word can say. */
const OPEN_NAME = /^(?:type|level|kind|reason|role|status|priority)s?(?:[_ ]?id)?$/i;

/** Nothing that is known here. */
function saysNothing({ path, profile }: ScopeColumn): boolean {
  return profile.called !== undefined || ALL.every((concept) => meant(concept, path) < HINT);
}

/** Its name says that it is something else, and what stands there can be that. */
function isUnderstood({ concepts }: Field, column: ScopeColumn, draft: ProposalDraft): boolean {
  return (
    isOtherName(column.path) ||
    (isAside(column) && !OPEN_NAME.test(column.path)) ||
    ALL.some(
      (concept) =>
        !concepts.includes(concept) &&
        meant(concept, column.path) >= (areAlike(concept, concepts) ? SURE : HINT) &&
        mayHold(concept, column, draft),
    )
  );
}

const WRITTEN: ReadonlySet<string> = new Set(['body', 'subject']);

function mayHold(concept: Concept | PersonConcept, column: ScopeColumn, draft: ProposalDraft): boolean {
  // `Msg Scope` is no message, and `Mail kind` none either
  if (WRITTEN.has(concept) && isWord(column)) return false;
  return concept in CONCEPT_WORDS
    ? fits(concept as Concept, column.profile)
    : column.profile.type !== 'boolean' && (isPerson(column, draft) || !isWord(column));
}

/** What stands in two columns alike is one thing: an id and its name, a time twice. */
function isSame({ profile }: ScopeColumn, chosen: readonly ScopeColumn[], isPersonal: boolean): boolean {
  return chosen.some(
    (other) =>
      other.profile.filled === profile.filled &&
      other.profile.distinct === profile.distinct &&
      (isPersonal || other.profile.examples.join() === profile.examples.join()),
  );
}

const shown = ({ path, profile }: ScopeColumn) =>
  `"${path}" (${profile.examples[0]?.replace(/\s+/g, ' ').slice(0, 30) ?? profile.type})`;

function merged(findings: readonly Finding[]): Finding[] {
  return [...Map.groupBy(findings, ({ code }) => code).values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, message: [first, ...others].map(({ message }) => message).join(' ') }],
  );
}
