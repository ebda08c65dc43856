/** Which columns of a scope make a message: what was said, when, by whom, and for whose eyes. */

import type { ActorType } from '../../domain/payload.ts';
import type { Expression } from '../../mapping/language/expression.ts';
import { isTimeColumn } from '../column-profile.ts';
import { isInternalName, wordsOf } from '../concept-words.ts';
import { bestColumn, conceptScore, nameOf, ranked, type ScopeColumn } from './concepts.ts';
import { changerColumns, onlyEmail, type PersonColumns, personColumns } from './found-columns.ts';
import { otherThanCustomers, roleOfName, roleOfWord, yesOrNo } from './propose-values.ts';
import type { ProfileScope } from './scopes.ts';

const PUBLIC_NAME =
  /public|visib|visivel|visible|offentlich|öffentlich|offentlig|publi|pubbl|sichtbar|openba|(?<!ne)verejn|julkin|herkese|^(?!.*非)公開/i;
const INTERNAL_NAME =
  /intern|priv|prywat|confiden|vertraul|restrict|hidden|soukrom|neverejn|sisai|gizli|non public|非公開/i;

/** Words that name an internal note and can name nothing else. */
const INTERNAL_KIND =
  /^(?:internal|private|interne?r?|interna|interno|privada?|privado|privee?|privée?)(?:[\s_-]*(?:notes?|comments?|notiz|kommentar|nota|commentaire))?$|^(?:note|nota|comentario|comentário|notiz)[\s_-]+(?:interna?|interno|privada?|privado|priv[ée]e?|interne)$/i;

/** Texts of their own, for the team alone: `Internal remark`, `work_notes`. */
export function isInternalText({ path, profile }: ScopeColumn): boolean {
  const name = wordsOf(path).join(' ');
  const { type, distinct, averageLength } = profile;
  return (
    (INTERNAL_NAME.test(name) || /\bwork notes?\b/.test(name)) &&
    ['text', 'html', 'mixed'].includes(type) &&
    distinct > 2 &&
    averageLength >= SHORTEST_NOTE
  );
}

/** Characters of a note, on average; what is shorter is a word that says who may see a message. */
const SHORTEST_NOTE = 15;

export interface MessageColumns {
  readonly content: ScopeColumn;
  readonly time: ScopeColumn | undefined;
  readonly author: PersonColumns | undefined;
  readonly role: RoleSource | undefined;
  readonly internal: InternalColumn | undefined;
  readonly attachment: ScopeColumn | undefined;
  /** How surely these are messages. */
  readonly points: number;
}

export interface InternalColumn extends ScopeColumn {
  /** Of a column of yes and no: whether yes is internal; undefined where only a person can tell. */
  readonly yesIsInternal: boolean | undefined;
}

/** Undefined where nothing is said. */
export function messageColumns(scope: ProfileScope): MessageColumns | undefined {
  const { columns } = scope;
  const rows = positional(scope);
  const content = rows?.content ?? contentColumn(columns) ?? onlyText(scope);
  if (content === undefined) return undefined;
  const others = columns.filter((column) => column !== content);
  const time =
    bestColumn('sentAt', others, 0.35) ?? bestColumn('updatedAt', others, 0.55) ?? onlyTime(others);
  const role = rows?.role ?? roleOfMessages(others, scope.list !== undefined);
  const roleNames =
    role === undefined
      ? []
      : role.kind === 'filled'
        ? role.columns.map(({ column }) => column)
        : [role.column];
  const people = others.filter((column) => role?.kind === 'filled' || !roleNames.includes(column));
  const author = rows === undefined ? authorColumns(people, role) : undefined;
  const points =
    Math.max(conceptScore('body', content), rows === undefined ? 0 : 1) +
    (time === undefined ? 0 : 0.5) +
    (author === undefined ? 0 : 0.4) +
    (role === undefined ? 0 : 0.6);
  return {
    content,
    time,
    role,
    author,
    internal: internalColumn(others, role, scope),
    attachment: bestColumn('attachment', others, 0.5),
    points,
  };
}

function onlyTime(columns: readonly ScopeColumn[]): ScopeColumn | undefined {
  const times = columns.filter(({ profile }) => isTimeColumn(profile));
  return times.length === 1 ? times[0] : undefined;
}

/** Of a list or table beside the tickets that has one column of written texts, whatever that is called. */
function onlyText({ columns }: ProfileScope): ScopeColumn | undefined {
  const texts = columns.filter(
    ({ profile: { type, averageLength, distinct, filled } }) =>
      ['text', 'html', 'mixed'].includes(type) && averageLength >= LEAST_WRITTEN && distinct >= 0.5 * filled,
  );
  return texts.length === 1 ? texts[0] : undefined;
}

/** Characters of a written text on average, at least. */
const LEAST_WRITTEN = 30;

/** Among several bodies the one that people see: `body_html` before `body_text`, never what is stripped or cut. */
export function contentColumn(columns: readonly ScopeColumn[]): ScopeColumn | undefined {
  return ranked(
    columns,
    (column) => conceptScore('body', column) * (column.profile.averageLength < 3 ? 0.5 : 1),
    0.45,
  )[0];
}

/** Where a filled key says who speaks, its value is who. */
function authorColumns(
  columns: readonly ScopeColumn[],
  role: RoleSource | undefined,
): PersonColumns | undefined {
  if (role?.kind === 'filled') return undefined;
  const named =
    personColumns('author', columns) ??
    changerColumns(columns) ??
    personColumns('requester', columns) ??
    personColumns('assignee', columns);
  // an address that stands beside the message and names nobody else is its author's
  const email = named?.email ?? onlyEmail(columns);
  return named === undefined && email === undefined
    ? undefined
    : { ...named, ...(email === undefined ? {} : { email }) };
}

function internalColumn(
  columns: readonly ScopeColumn[],
  role: RoleSource | undefined,
  scope: ProfileScope,
): InternalColumn | undefined {
  const [named] = ranked(columns, (column) => conceptScore('internal', column), 0.5);
  const found =
    named ??
    columns.find(saysInternal) ??
    columns.find(mayBeNotes) ??
    columns.find(
      (column) => column.profile.type === 'boolean' && telling(column, role, scope)?.varies === true,
    );
  if (found === undefined) return undefined;
  const values = (found.profile.values ?? []).map(({ value }) => value);
  const isFlag = values.length > 0 && values.every((value) => yesOrNo(value) !== undefined);
  if (!isFlag) {
    const isOpen =
      named !== undefined && values.some((value) => internalValue(value, nameOf(found)) === undefined);
    const isAsked = saysWho(found) && values.length === 2;
    return (isOpen && !isAsked) || values.length === 0 ? undefined : { ...found, yesIsInternal: undefined };
  }
  const words = wordsOf(nameOf(found)).join(' ');
  const byName = PUBLIC_NAME.test(words) ? false : INTERNAL_NAME.test(words) ? true : undefined;
  const reported = telling(found, role, scope);
  const byValue = reported?.varies === true && named !== undefined ? !reported.ofCustomers : undefined;
  const isAgreed = byName === undefined || byValue === undefined || byName === byValue;
  return { ...found, yesIsInternal: isAgreed ? (byName ?? byValue) : undefined };
}

/** What customers wrote is public: the one value that all of it has, and whether others have another one. */
function telling(
  { path }: ScopeColumn,
  role: RoleSource | undefined,
  { table, list }: ProfileScope,
): { readonly ofCustomers: boolean; readonly varies: boolean } | undefined {
  if (role === undefined || role.kind === 'filled') return undefined;
  const isCustomers = (row: ReadonlyMap<string, string>) => {
    const said = row.get(role.column.path);
    if (said === undefined) return undefined;
    return role.kind === 'words' ? role.customers.includes(said) : yesOrNo(said) === role.customerWhen;
  };
  const rows = (list === undefined ? table.firstRows : table.firstItems.get(list)) ?? [];
  const values = { customers: new Set<boolean>(), agents: new Set<boolean>() };
  for (const row of rows) {
    const value = yesOrNo(row.get(path) ?? '');
    const who = isCustomers(row);
    if (value !== undefined && who !== undefined) (who ? values.customers : values.agents).add(value);
  }
  const [ofCustomers] = values.customers;
  return values.customers.size === 1 && ofCustomers !== undefined
    ? { ofCustomers, varies: values.agents.size > 1 }
    : undefined;
}

/** Some kinds of messages are internal, whatever the column is called: `reply`, `internal note`. */
function saysInternal({ profile }: ScopeColumn): boolean {
  const values = profile.values ?? [];
  return (
    profile.type === 'text' &&
    values.length > 1 &&
    profile.averageLength <= 30 &&
    values.some(({ value, count }) => isInternalKind(value) && count < profile.filled)
  );
}

/** `internal note`, `internal_comments`. */
function isInternalKind(value: string): boolean {
  const words = wordsOf(value);
  return INTERNAL_KIND.test(value.trim()) || (words.length <= MOST_WORDS && isInternalName(words));
}

/** Words of a kind of message, at most. */
const MOST_WORDS = 3;

/** What is said of a message here and there, and so the same in most tickets. */
export function mayTellNotes(column: ScopeColumn): boolean {
  return conceptScore('internal', column) >= 0.5 || saysInternal(column) || mayBeNotes(column);
}

const NOTE = /^(?:notes?|nota|notas|notiz|notizen|remarque|comment|comentario|kommentar|work note)$/i;
const MOST_KINDS = 8;

/** A column of kinds, some of which may be notes of the team: `reply`, `note`. */
function mayBeNotes({ profile }: ScopeColumn): boolean {
  const values = profile.values ?? [];
  return (
    profile.type === 'text' &&
    values.length > 1 &&
    values.length <= MOST_KINDS &&
    values.some(({ value }) => isNote(value))
  );
}

/** `note`, `NoteAdded`, `ticket.note.created`. */
function isNote(value: string): boolean {
  const words = wordsOf(value);
  return (
    NOTE.test(value.trim()) ||
    (words.length <= 4 && words.some((word) => NOTE.test(word) && word !== 'comment'))
  );
}

/** Whether only a person can tell if this kind of message is internal. */
export function isOpenKind(value: string, path: string): boolean {
  return internalValue(value, path) === undefined && (isNote(value) || VISIBILITY.test(plainName(path)));
}

const plainName = (path: string) => wordsOf(path).join(' ');

/** `everyone` and `team only` in a column so called: nothing but who may read it. */
const VISIBILITY =
  /\b(?:visibility|audience|sichtbarkeit|visibilite|visibilita|visibilidad|visibilidade|zichtbaarheid|widocznosc|synlighet|gorunurluk|shown to|visible to|vis)\b/;

const saysWho = (column: ScopeColumn) => VISIBILITY.test(plainName(nameOf(column)));

/** What a word in a column of visibility means: true for internal. `yes` depends on what the column is called. */
export function internalValue(value: string, path: string): boolean | undefined {
  const yes = yesOrNo(value);
  if (yes !== undefined) return PUBLIC_NAME.test(wordsOf(path).join(' ')) ? !yes : yes;
  const word = value.trim().toLowerCase();
  if (isInternalKind(value)) return true;
  if (
    /^(?:internal|private|interno|interna|privado|privada|intern|privat|prive|privé|agents?_?only)$/.test(
      word,
    )
  )
    return true;
  return /^(?:public|external|publico|público|publica|pública|offentlich|öffentlich|extern|externo)$/.test(
    word,
  )
    ? false
    : undefined;
}

/** A list of rows: `["agent", "How can I help?"]`. One cell is a role, the longest other one the text. */
function positional(scope: ProfileScope): { content: ScopeColumn; role: RoleSource } | undefined {
  if (scope.list === undefined || !scope.columns.every(({ path }) => /^\d$/.test(path))) return undefined;
  const role = scope.columns.find(({ profile }) => {
    const values = profile.values ?? [];
    const roles = new Set(values.map(({ value }) => roleOfWord(value)));
    return values.length <= 8 && !roles.has(undefined) && roles.size >= 2;
  });
  if (role === undefined) return undefined;
  const content = scope.columns
    .filter((column) => column !== role && ['text', 'mixed', 'html'].includes(column.profile.type))
    .sort((a, b) => b.profile.averageLength - a.profile.averageLength)[0];
  if (content === undefined) return undefined;
  const customers = (role.profile.values ?? [])
    .filter(({ value }) => roleOfWord(value) === 'customer')
    .map(({ value }) => value);
  return { content, role: { kind: 'words', column: role, customers } };
}

// Which column says whether a customer or an agent is speaking, and how it says it.

export type RoleSource =
  /** Words: `visitor`, `agent`. */
  | { readonly kind: 'words'; readonly column: ScopeColumn; readonly customers: readonly string[] }
  /** Yes or no: `incoming`, `from_agent`. */
  | {
      readonly kind: 'flag';
      readonly column: ScopeColumn;
      readonly expression: Expression;
      readonly customerWhen: boolean;
    }
  /** The key that is filled says who speaks: `{client: …}` or `{agent: …}`. */
  | {
      readonly kind: 'filled';
      readonly columns: readonly { readonly column: ScopeColumn; readonly role: ActorType }[];
    };

/** Share of the rows whose word must be a known one. */
const KNOWN = 0.5;
const MOST_ROLES = 12;

/** In a table of people. */
export function roleColumn(columns: readonly ScopeColumn[]): RoleSource | undefined {
  return flagColumn(columns) ?? wordColumn(columns);
}

/** Of messages also by the columns of which one is filled in each. */
export function roleOfMessages(columns: readonly ScopeColumn[], isList: boolean): RoleSource | undefined {
  return roleColumn(columns) ?? filledColumns(columns, isList);
}

function wordColumn(columns: readonly ScopeColumn[]): RoleSource | undefined {
  const found = columns
    .flatMap((column) => {
      const { values, filled, type } = column.profile;
      if (values === undefined || values.length === 0 || values.length > MOST_ROLES || type !== 'text')
        return [];
      const team = otherThanCustomers(values.map(({ value }) => value));
      const known = values.map(({ value, count }) => ({
        value,
        count,
        role: value === team ? 'agent' : roleOfWord(value),
      }));
      const roles = new Set(
        known.flatMap(({ role }) => (role === undefined || role === 'system' ? [] : [role])),
      );
      const share =
        known.reduce((sum, { role, count }) => sum + (role === undefined ? 0 : count), 0) / filled;
      const named = conceptScore('role', column);
      const isOne = roles.size === 1 && named >= 0.8;
      if ((roles.size < 2 && !isOne) || share < KNOWN) return [];
      const customers = known.flatMap(({ value, role }) => (role === 'customer' ? [value] : []));
      return [{ column, customers, points: share + named + roles.size }];
    })
    .sort((a, b) => b.points - a.points)[0];
  return found === undefined
    ? undefined
    : { kind: 'words', column: found.column, customers: found.customers };
}

const CUSTOMER_FLAGS: ReadonlySet<string> = new Set(
  'incoming inbound eingehend eingang entrante entrada entrata entrant inkomend przychodzaca przychodzacy inkommande gelen'.split(
    ' ',
  ),
);
const AGENT_FLAGS: ReadonlySet<string> = new Set(
  'agent staff outgoing outbound support admin agente mitarbeiter ausgehend operatore medewerker handlaggare saliente saida sortant uscita'.split(
    ' ',
  ),
);

function flagColumn(columns: readonly ScopeColumn[]): RoleSource | undefined {
  for (const column of columns) {
    const isFlag =
      column.profile.type === 'boolean' ||
      (column.profile.values ?? []).every(({ value }) => /^[01]$/.test(value));
    if (!isFlag || column.profile.filled === 0 || nameOf(column).includes('.')) continue;
    const words = wordsOf(nameOf(column));
    const isCustomer = words.some((word) => CUSTOMER_FLAGS.has(word));
    const isAgent = words.length <= 3 && words.some((word) => AGENT_FLAGS.has(word));
    if (isCustomer === isAgent) continue;
    const yes: Expression = { const: isCustomer ? 'customer' : 'agent' };
    const no: Expression = { const: isCustomer ? 'agent' : 'customer' };
    return {
      kind: 'flag',
      column,
      customerWhen: isCustomer,
      expression: {
        // biome-ignore lint/suspicious/noThenProperty: a word of the mapping language
        when: [{ if: { column: column.path, in: [true, 'yes', 1] }, then: yes }, { else: no }],
      },
    };
  }
  return undefined;
}

/** What says whose column it is: its name without a number, or the object that it stands in. */
const sideOf = (path: string) => (path.split('.').at(-2) ?? path).replace(/(?<!\d)\d+$/, '');

/** In rows columns of customers and agents may be about the ticket: there each row has to fill one side only. */
const MOST_EMPTY = 0.1;

function filledColumns(columns: readonly ScopeColumn[], isList: boolean): RoleSource | undefined {
  const named = columns.flatMap((column) => {
    const { type, averageLength, filled, rows } = column.profile;
    const role =
      !['text', 'email', 'integer'].includes(type) || isTimeColumn(column.profile)
        ? undefined
        : roleOfName(sideOf(column.path));
    const isEach = filled > 0.95 * rows;
    return (role !== 'customer' && role !== 'agent') ||
      averageLength > 60 ||
      filled === 0 ||
      (!isList && isEach)
      ? []
      : [{ column, role }];
  });
  const most = (role: ActorType) =>
    Math.max(0, ...named.filter((each) => each.role === role).map(({ column }) => column.profile.filled));
  const [customers, agents] = [most('customer'), most('agent')];
  if (customers === 0 || agents === 0) return undefined;
  const rows = Math.max(...named.map(({ column }) => column.profile.rows));
  // one of them in each item, not both
  const isEither =
    customers + agents <= rows * 1.05 && (isList || customers + agents >= (1 - MOST_EMPTY) * rows);
  return isEither ? { kind: 'filled', columns: named } : undefined;
}
