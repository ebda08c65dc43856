/** The meaning of columns and tables, by names and values. */
import {
  isForTeam,
  isIn,
  meaningOf,
  plain,
  readingOf,
  type Scope,
  sideOf,
  vocabulary,
  yesOrNo,
} from '../domain/text/vocabulary.ts';
import { FULL_NAME } from '../mapping/people/people.ts';
import { type Column, isTimeColumn, ownColumns, type Table } from './profile.ts';
import { baseName } from './staged-tables.ts';

/** A header in words is one name. */
function partsOf(path: string): string[] {
  return /\s/.test(path) ? [plain(path)] : path.split('.').map(plain);
}

const FORMS = new Map<string, readonly string[]>();

/** As it is, and without nouns and wrappers. Each pair of columns asks for them. */
export function formsOf(path: string, scope: Scope): readonly string[] {
  const key = `${scope} ${path}`;
  const known = FORMS.get(key) ?? allForms(path, scope);
  FORMS.set(key, known);
  return known;
}

function allForms(path: string, scope: Scope): readonly string[] {
  const { wrappers, nouns } = vocabulary();
  const parts = partsOf(path);
  const own = nouns[scope] ?? [];
  while (parts.length > 1 && (wrappers.includes(parts[0] ?? '') || own.includes(parts[0] ?? '')))
    parts.shift();
  const whole = plain(parts.join(' '));
  const forms = [plain(path.replaceAll('.', ' ')), whole];
  // "Assigned To - Technician" is either.
  const [, group, last] = /^(.+?) - (.+)$/.exec(path) ?? [];
  if (group !== undefined && last !== undefined) forms.push(plain(last), plain(group));
  for (const noun of own) {
    if (whole.startsWith(`${noun} `)) forms.push(whole.slice(noun.length + 1));
    if (whole.endsWith(` ${noun}`)) forms.push(whole.slice(0, -noun.length - 1));
  }
  return [...new Set(forms)];
}

/** For resemblance only. */
function endOf(path: string): string[] {
  const parts = partsOf(path);
  return parts.length < 2 ? [] : [plain(parts.slice(-2).join(' ')), parts.at(-1) ?? ''];
}

/** Average length of what may be a message. */
export const LEAST_TEXT = 12;

interface Match {
  readonly column: Column | undefined;
  /** Equal matches, or mere resemblance: to be asked about. */
  readonly candidates: readonly Column[];
}

/** Several matches, or a nested resemblance, are candidates. */
export function matchField(scope: Scope, field: string, columns: readonly Column[]): Match {
  const tiers = vocabulary()[scope][field] ?? [];
  const fitting = columns.filter((column) => column.filled > 0 && fits(field, column));
  for (const tier of tiers) {
    const found = fitting.filter(({ path }) => formsOf(path, scope).some((form) => isIn(tier, form)));
    // A record's own fields come first.
    const own = found.filter(({ path }) => partsOf(path).length === 1);
    const best = own.length > 0 ? own : found;
    if (best.length > 0) return { column: best.length === 1 ? best[0] : undefined, candidates: best };
  }
  if (!/(?:Email|Id|^id)$/.test(field)) return { column: undefined, candidates: [] };
  const alike = fitting.filter(({ path }) =>
    tiers.some((tier) => endOf(path).some((form) => isIn(tier, form))),
  );
  const addresses = columns.filter(({ type }) => type === 'email');
  const isOnlyAddress = alike.length === 1 && addresses.length === 1 && alike[0] === addresses[0];
  return { column: isOnlyAddress ? alike[0] : undefined, candidates: alike };
}

export function isText({ type }: Column): boolean {
  return type === 'text' || type === 'html' || type === 'mixed';
}

/** "09:10", "9:10 pm". */
export const isClock = ({ values, filled }: Column) =>
  filled > 0 &&
  values.every(({ value }) => /^\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\.?)?$/i.test(value));

/** "Date opened" and "Time opened". */
export function isTimeOf(date: Column, clock: Column): boolean {
  const rest = ({ path }: Column) =>
    plain(path)
      .split(' ')
      .filter((word) => !vocabulary().nouns['time']?.includes(word));
  return rest(date).join(' ') === rest(clock).join(' ');
}

/** Days since 1900, as a spreadsheet counts them: the run names such a time. */
const isDayNumbers = ({ values }: Column) =>
  values.length > 0 && values.every(({ value }) => /^[2-6]\d{4}(?:\.\d+)?$/.test(value));

const HOLDS: Readonly<Partial<Record<Column['type'], string>>> = {
  ...{ email: 'addresses', boolean: 'yes and no', integer: 'numbers', number: 'numbers' },
  ...{ url: 'links', html: 'HTML' },
};
/** By the names of fields in `vocabulary.yaml`. */
const NEVER: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:description|answer|note|text)$/, ['times', 'addresses', 'yes and no', 'numbers']],
  [/^(?:subject|tags)$|Name$|^name$/, ['times', 'yes and no']],
  [/At$|^at$/, ['addresses', 'yes and no', 'links', 'HTML']],
  [/Id$|^(?:id|ticket)$/, ['yes and no', 'HTML']],
  [/^(?:status|priority|role|visibility)$/, ['times', 'addresses', 'links', 'HTML']],
  [/^attachment$/, ['times', 'addresses', 'yes and no', 'numbers']],
];
const LONGEST_WORD = 60;

/** The kind of values that rules a column out for a field. */
export function holdsOther(field: string, column: Column): string | undefined {
  if (column.filled === 0) return undefined;
  const has = (is: RegExp) => [...column.values, ...column.nulls].some(({ value }) => is.test(value));
  const holds = isTimeColumn(column) ? 'times' : HOLDS[column.type];
  if (NEVER.some(([is, kinds]) => is.test(field) && kinds.includes(holds ?? ''))) return holds;
  if (/Email$|^(?:email|to)$/.test(field) && !has(/@/)) return holds ?? 'no addresses';
  if (/At$|^at$/.test(field) && !has(/\d/)) return 'no times';
  const isWord = /^(?:status|priority|role|visibility)$/.test(field);
  return isWord && column.average > LONGEST_WORD ? 'long texts' : undefined;
}

function fits(field: string, column: Column): boolean {
  const { type, average, distinct } = column;
  if (field === 'to' || field === 'cc') return column.examples.some((text) => text.includes('@'));
  if (/At$|^at$/.test(field)) return isTimeColumn(column) || isDayNumbers(column);
  if (isTimeColumn(column)) return false;
  if (/Email$|^email$/.test(field)) return type === 'email' || (type === 'mixed' && hasKind(column, 'email'));
  if (/Id$|^id$/.test(field))
    return ['integer', 'text', 'email', 'mixed'].includes(type) && average <= 80 && !isFullNames(column);
  if (/Name$|^(?:name|first|last)$/.test(field))
    return ['text', 'email', 'mixed'].includes(type) && average <= 60 && !isRoles(column) && !isTold(column);
  if (field === 'subject') return isText(column) && average <= 300;
  if (field === 'description') return isText(column) && !isOurs(column);
  if (field === 'request') return isText(column) && column.average >= LEAST_TEXT && !isOurs(column);
  if (['text', 'answer', 'note'].includes(field)) return isText(column);
  if (field === 'tags') return isText(column) || type === 'list';
  if (field === 'attachment')
    return type === 'list' || column.examples.some((text) => /https?:\/\//.test(text));
  if (field === 'internal' || field === 'public') return distinct <= 4 && average <= 20;
  if (['status', 'priority', 'role', 'visibility'].includes(field))
    return ['text', 'integer', 'mixed', 'boolean'].includes(type) && distinct <= 60 && average <= 60;
  return true;
}

/** "NAME": of the ticket, or of who asked. */
export const isBareName = (path: string) => vocabulary().nouns['name']?.includes(plain(path)) === true;

/** "Our answer", "Unsere Antwort". */
const isOurs = ({ path }: Column) => {
  const words = plain(path).split(' ');
  return vocabulary().nouns['ours']?.some((word) => words.includes(word)) === true;
};

const most = ({ examples }: Column, is: RegExp) =>
  examples.length > 0 && examples.filter((text) => is.test(text)).length > examples.length / 2;

const isTold = (column: Column) => most(column, /^\S+(?:\s+\S+){5}/);

export const isFullNames = (column: Column) => most(column, FULL_NAME);

/** Nothing but words for sides, such as customer and agent; a note is the team's. */
export function isRoles({ values, distinct }: Column): boolean {
  const isRole = (value: string) =>
    !/^\d+$/.test(value) && (meaningOf('role', value) !== undefined || isForTeam(value));
  return (
    distinct >= 2 &&
    distinct <= 6 &&
    values.every(({ value }) => isRole(value)) &&
    values.some(({ value }) => meaningOf('role', value) !== undefined)
  );
}

/** Both sides are named, so it can be nothing else. */
export function isBothSides(column: Column): boolean {
  const roles = new Set(column.values.map(({ value }) => meaningOf('role', value)));
  return isRoles(column) && roles.has('customer') && roles.has('agent');
}

function hasKind({ kinds, filled }: Column, kind: string): boolean {
  return (kinds.find((each) => each.kind === kind)?.count ?? 0) >= 0.05 * filled;
}

/** Named for something that is imported otherwise, or not: no candidate for another field. */
export function isOther({ path }: Column): boolean {
  const forms = [...formsOf(path, 'ticket'), plain(path.split('.').at(-1) ?? '')];
  return vocabulary().other.some((name) => forms.includes(name));
}

/** The type fits, it is in the record itself, and has no other meaning. */
export function mayBe(scope: 'ticket' | 'message', field: string, column: Column): boolean {
  const forms = formsOf(column.path, scope);
  const { wrappers, nouns } = vocabulary();
  const parents = partsOf(column.path).slice(0, -1);
  return (
    column.filled > 0 &&
    fits(field, column) &&
    !isOther(column) &&
    parents.every((part) => wrappers.includes(part) || nouns['ticket']?.includes(part)) &&
    !Object.entries(vocabulary()[scope]).some(
      ([name, tiers]) => name !== field && tiers.some((tier) => forms.some((form) => isIn(tier, form))),
    )
  );
}

/** "Mail of the customer": never an agent's. */
export const isCustomers = ({ path }: Column): boolean =>
  formsOf(path, 'ticket').some((form) => isIn(['{customer} {email}'], form));

/** The side that a column of persons is called after; an address of the contact beside an agent's is the customer's. */
export function sideOfName(column: Column): 'customer' | 'agent' | undefined {
  const role = meaningOf('role', column.path.replace(/(?<!\d)\d+$/, ''));
  if (role === 'customer' || role === 'agent') return role;
  const isOf = (field: string) => matchField('ticket', field, [column]).column !== undefined;
  if (isOf('assigneeEmail') || isOf('assigneeName')) return 'agent';
  const isCustomers = formsOf(column.path, 'ticket').some((form) => isIn(['{customer|user} {email}'], form));
  return isCustomers ? 'customer' : undefined;
}

export function isListed(list: 'versions' | 'replies', { path }: Column): boolean {
  const forms = [...formsOf(path, 'ticket'), ...formsOf(path, 'message')];
  return vocabulary()[list].some((name) => forms.includes(name));
}

let ofTickets: ReadonlySet<string> | undefined;

function ticketNames(): ReadonlySet<string> {
  const { nouns, ticket } = vocabulary();
  const pairs = (nouns['ticket'] ?? []).flatMap((noun) =>
    (nouns['id'] ?? []).flatMap((id) => [`${noun} ${id}`, `${id} ${noun}`, `${noun}${id}`]),
  );
  return new Set([...(ticket['id']?.[0] ?? []), ...pairs]);
}

/** "Case", "Vorgang", with values such as `C-100`. */
export function isTicketNoun(column: Column): boolean {
  return (
    vocabulary().nouns['ticket']?.includes(plain(column.path)) === true &&
    most(column, /^\S*\d\S*$/) &&
    column.distinct > 1
  );
}

/** `ticket_id`, `Numéro de demande`. */
export function namesTicket({ path }: Column): boolean {
  const [whole = ''] = formsOf(path, 'message');
  ofTickets ??= ticketNames();
  return ofTickets.has(whole);
}

const roleOfWord = (value: string) => readingOf('role', value) ?? (isForTeam(value) ? 'agent' : undefined);

/** "is incoming": yes is the customer, and no the agent; of other names no says less. */
export function roleOf({ path }: Column, value: string): string | undefined {
  const yes = yesOrNo(value);
  // A number means nothing by itself.
  if (yes === undefined) return /^\d+(?:\.0)?$/.test(value) ? undefined : roleOfWord(value);
  const name = plain(path).replace(/^(?:is|from|was) /, '');
  const [side, role] = [sideOf(name), meaningOf('role', name)];
  if (yes) return side ?? role;
  return side && (side === 'agent' ? 'customer' : 'agent');
}

export function tableName({ file, collection }: Table): string {
  const { path, stream, kind } = collection;
  const base = baseName(file).replace(/(?:\.[A-Za-z]{2,6}){1,2}$/, '');
  return plain(stream ?? kind?.value ?? [...(path ?? [])].at(-1) ?? base);
}

/** `support_tickets`, `users`. */
export function isCalled(table: Table, scope: 'ticket' | 'message' | 'people'): boolean {
  return hasNoun(tableName(table), scope);
}

export function hasNoun(name: string, scope: 'ticket' | 'message' | 'people'): boolean {
  return plain(name)
    .split(' ')
    .some((word) => vocabulary().nouns[scope]?.includes(word));
}

/** "Problem description", and no "issue type". */
export function isTextName(name: string): boolean {
  return vocabulary().ticket['description']?.[0]?.includes(plain(name).split(' ').at(-1) ?? '') === true;
}

const PEOPLE = new WeakMap<Table, boolean>();

export function isPeople(table: Table): boolean {
  const known = PEOPLE.get(table) ?? holdsPeople(table);
  PEOPLE.set(table, known);
  return known;
}

function holdsPeople(table: Table): boolean {
  const columns = ownColumns(table).filter(({ path }) => partsOf(path).length === 1);
  const has = (field: string) => matchField('people', field, columns).candidates.length > 0;
  const isTicket = ['subject', 'description', 'status'].some(
    (field) => matchField('ticket', field, columns).candidates.length > 0,
  );
  return (
    !isTicket &&
    (!isCalled(table, 'ticket') || isCalled(table, 'people')) &&
    (has('email') || has('name') || has('first')) &&
    (isCalled(table, 'people') || (has('email') && has('name')))
  );
}

/** Picks among tables with the same IDs: `ticket_id` leads to the tickets. */
export function leadsTo(from: Column, other: Table): number {
  if (namesTicket(from)) return Number(isTickets(other));
  const called = tableName(other);
  return formsOf(from.path, 'message')[0]
    ?.split(' ')
    .some((word) => called.includes(word)) === true
    ? 1
    : 0;
}

/** Called tickets, or with what only tickets have. */
export function isTickets(table: Table): boolean {
  const columns = ownColumns(table);
  const [subject = 0, status = 0, text = 0] = ['subject', 'status', 'description'].map(
    (field) => matchField('ticket', field, columns).candidates.length,
  );
  const isNamed = isCalled(table, 'ticket') && !isCalled(table, 'message');
  return isNamed ? subject + status + text > 0 : subject > 0 && status > 0;
}

/** Every column of numbers has small ones, so those need a name that leads to the other table. */
export function mayJoin(from: Column, to: Column, other: Table): boolean {
  if (from.type === 'email' || to.type === 'email') return from.type === to.type;
  const [name = ''] = formsOf(from.path, 'message');
  const ids = vocabulary().nouns['id'] ?? [];
  if (ids.includes(name)) return from.path === to.path && from.type === 'text';
  if (namesTicket(from)) return !isPeople(other);
  const isNamed = (scope: Scope, fields: readonly string[]) =>
    fields.some((field) => matchField(scope, field, [from]).candidates.length > 0);
  const isPersonal =
    isNamed('ticket', ['requesterId', 'assigneeId', 'requesterName', 'assigneeName']) ||
    isNamed('message', ['authorId', 'authorName']);
  if (isPersonal) return isPeople(other);
  if (plain(from.path) === plain(to.path)) return from.distinct > 1 && from.type !== 'integer';
  const words = name.split(' ').filter((word) => !ids.includes(word));
  const called = tableName(other);
  return words.length > 0 && words.some((word) => called.includes(word));
}
