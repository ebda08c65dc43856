/** Exact names of columns and words of values, from `names.yaml`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Column, isTimeColumn, ownColumns, type Table } from './profile.ts';
import { baseName } from './staged-tables.ts';

/** Tried in order. */
type Fields = Readonly<Record<string, readonly (readonly string[])[]>>;
export type Words = 'status' | 'priority' | 'role' | 'visibility';
/** Its nouns may be part of a name. */
type Scope = 'ticket' | 'message' | 'people' | 'file';

type Names = Readonly<
  Record<Scope, Fields> &
    Record<Words | 'nouns' | 'direction', Readonly<Record<string, readonly string[]>>> &
    Record<'wrappers' | 'other' | 'versions' | 'replies' | 'yes' | 'no', readonly string[]>
>;
let read: Names | undefined;

function names(): Names {
  read ??= eachPlain(parse(readFileSync(join(import.meta.dirname, 'names.yaml'), 'utf8'))) as Names;
  return read;
}

function eachPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(eachPlain);
  if (typeof value !== 'object' || value === null)
    return String(value).includes('{') ? value : plain(String(value));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, eachPlain(inner)]));
}

const STOP = new Set(
  'the of a an de del der des die das dem den la le les l d du da do dos el los y und et'.split(' '),
);

/** `Fecha_de-Envío` → `fecha envio`. */
export function plain(name: string): string {
  const words = name
    .slice(0, 300)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .split(/[^\p{L}\p{N}#]+/u)
    .filter((word) => word !== '');
  const kept = words.filter((word) => !STOP.has(word));
  return (kept.length === 0 ? words : kept).join(' ').replace(/\be mail\b/g, 'email');
}

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
  const { wrappers, nouns } = names();
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

const isIn = (names: readonly string[], form: string): boolean =>
  names.some((name) => name === form || (name.includes('{') && isMadeOf(name, form)));

const MADE = new Map<string, boolean>();

/** `{customer} {email?}`: words of these classes in any order, also as one word: `Kundenmail`. */
function isMadeOf(pattern: string, form: string): boolean {
  const key = `${pattern} ${form}`;
  const known = MADE.get(key);
  if (known !== undefined) return known;
  const { nouns } = names();
  const parts = pattern.split(' ').map((part) => ({
    isNeeded: !part.includes('?'),
    words: part
      .replace(/[{}?]/g, '')
      .split('|')
      .flatMap((name) => nouns[name] ?? []),
  }));
  const all = new Set(parts.flatMap(({ words }) => words));
  const words = form.split(' ').flatMap((word) => (all.has(word) ? [word] : halvesOf(word, all)));
  const needed = parts.filter(({ isNeeded }) => isNeeded);
  const is =
    words.length >= needed.length &&
    words.every((word) => all.has(word)) &&
    needed.every((part) => part.words.some((word) => words.includes(word)));
  MADE.set(key, is);
  return is;
}

function halvesOf(word: string, all: ReadonlySet<string>): string[] {
  for (let at = 2; at < word.length - 1; at++) {
    const [one, other] = [word.slice(0, at), word.slice(at)];
    const rest = [other, other.replace(/^(?:s|n|en|es)(?=..)/, '')].find((each) => all.has(each));
    if (all.has(one) && rest !== undefined) return [one, rest];
  }
  return [word];
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
  const tiers = names()[scope][field] ?? [];
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
      .filter((word) => !names().nouns['time']?.includes(word));
  return rest(date).join(' ') === rest(clock).join(' ');
}

/** Days since 1900, as a spreadsheet counts them: the run names such a time. */
const isDayNumbers = ({ values }: Column) =>
  values.length > 0 && values.every(({ value }) => /^[2-6]\d{4}(?:\.\d+)?$/.test(value));

function fits(field: string, column: Column): boolean {
  const { type, average, distinct } = column;
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
export const isBareName = (path: string) => names().nouns['name']?.includes(plain(path)) === true;

/** "Our answer", "Unsere Antwort". */
const isOurs = ({ path }: Column) =>
  (names().nouns['ours'] ?? []).some((word) => plain(path).split(' ').includes(word));

const most = ({ examples }: Column, is: RegExp) =>
  examples.length > 0 && examples.filter((text) => is.test(text)).length > examples.length / 2;

/** Escaped HTML: `&lt;p&gt;`. */
export const isEscaped = (column: Column) => most(column, /&lt;\/?\w+/i);

const isTold = (column: Column) => most(column, /^\S+(?:\s+\S+){5}/);

/** First and last names, perhaps with a number: "Polyanna M (2970)". */
export const isFullNames = (column: Column) =>
  most(column, /^\p{Lu}[\p{L}.'’-]*(?:\s+[\p{L}.'’-]+){1,4}(?:\s*\(\d+\))?$/u);

/** Nothing but words for sides, such as customer and agent. */
export function isRoles({ values, distinct }: Column): boolean {
  const isRole = (value: string) => !/^\d+$/.test(value) && meaningOf('role', value) !== undefined;
  return distinct >= 2 && distinct <= 6 && values.every(({ value }) => isRole(value));
}

/** Both sides are named, so it can be nothing else. */
export function isBothSides(column: Column): boolean {
  const roles = new Set(column.values.map(({ value }) => meaningOf('role', value)));
  return isRoles(column) && roles.has('customer') && roles.has('agent');
}

function hasKind({ kinds, filled }: Column, kind: string): boolean {
  return (kinds.find((each) => each.kind === kind)?.count ?? 0) >= 0.05 * filled;
}

const FOR_TEAM =
  /\b(?:staff|internal|intern[aeo]?|privat[eo]?|privad[ao]|prive|remarks?|notes?|notiz(?:en)?|notas?|bemerkung(?:en)?|remarques?|observa(?:cion|cao|tion)(?:es|s)?|vermerk|memo)\b/;

/** Whether the name says that a text is the team's own. */
export function isForTeam(name: string): boolean {
  return FOR_TEAM.test(plain(name));
}

/** Named for something that is imported otherwise, or not: no candidate for another field. */
export function isOther({ path }: Column): boolean {
  const forms = [...formsOf(path, 'ticket'), plain(path.split('.').at(-1) ?? '')];
  return names().other.some((name) => forms.includes(name));
}

/** The type fits, it is in the record itself, and has no other meaning. */
export function mayBe(scope: 'ticket' | 'message', field: string, column: Column): boolean {
  const forms = formsOf(column.path, scope);
  const { wrappers, nouns } = names();
  const parents = partsOf(column.path).slice(0, -1);
  return (
    column.filled > 0 &&
    fits(field, column) &&
    !isOther(column) &&
    parents.every((part) => wrappers.includes(part) || nouns['ticket']?.includes(part)) &&
    !Object.entries(names()[scope]).some(
      ([name, tiers]) => name !== field && tiers.some((tier) => forms.some((form) => isIn(tier, form))),
    )
  );
}

/** "Mail of the customer": never an agent's. */
export const isCustomers = ({ path }: Column): boolean =>
  formsOf(path, 'ticket').some((form) => isIn(['{customer} {email}'], form));

export function isListed(list: 'versions' | 'replies', { path }: Column): boolean {
  const forms = [...formsOf(path, 'ticket'), ...formsOf(path, 'message')];
  return names()[list].some((name) => forms.includes(name));
}

let ofTickets: ReadonlySet<string> | undefined;

function ticketNames(): ReadonlySet<string> {
  const { nouns, ticket } = names();
  const pairs = (nouns['ticket'] ?? []).flatMap((noun) =>
    (nouns['id'] ?? []).flatMap((id) => [`${noun} ${id}`, `${id} ${noun}`, `${noun}${id}`]),
  );
  return new Set([...(ticket['id']?.[0] ?? []), ...pairs]);
}

/** "Case", "Vorgang", with values such as `C-100`. */
export function isTicketNoun(column: Column): boolean {
  return (
    names().nouns['ticket']?.includes(plain(column.path)) === true &&
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

export function meaningOf(kind: Words, value: string): string | undefined {
  const word = plain(value);
  const whole = wordIn(kind, word) ?? wordIn(kind, word.replace(/^\d+ (?=\p{L})/u, ''));
  return whole ?? (kind === 'role' ? sideOf(word) : undefined);
}

const wordIn = (kind: Words | 'direction', word: string) =>
  Object.entries(names()[kind]).find(([, words]) => words.includes(word))?.[0];

/** "Incoming email": the customer's. */
function sideOf(name: string): string | undefined {
  const sides = new Set(name.split(' ').flatMap((word) => wordIn('direction', word) ?? []));
  return sides.size === 1 ? [...sides][0] : undefined;
}

/** "is incoming": yes is the customer, and no the agent; of other names no says less. */
export function roleOf({ path }: Column, value: string): string | undefined {
  const yes = yesOrNo(value);
  // A number means nothing by itself.
  if (yes === undefined) return /^\d+(?:\.0)?$/.test(value) ? undefined : readingOf('role', value);
  const name = plain(path).replace(/^(?:is|from|was) /, '');
  const [side, role] = [sideOf(name), meaningOf('role', name)];
  if (yes) return side ?? role;
  return side && (side === 'agent' ? 'customer' : 'agent');
}

const NEGATION = /\b(?:not|no|non|nicht|kein\w*|nao|pas|niet|geen|un|never)\b/;

/** Without brackets and the field's own name: "High priority"; then by the words that are known, if they agree. */
export function readingOf(kind: Words, value: string): string | undefined {
  const whole = meaningOf(kind, value);
  const bare = value.replace(/\s*[([{].*?[)\]}]/g, '');
  const inner = whole ?? (bare.trim() === '' || bare === value ? undefined : meaningOf(kind, bare));
  if (inner !== undefined || (kind !== 'status' && kind !== 'priority')) return inner;
  const own = names().ticket[kind]?.flat() ?? [];
  const words = plain(bare)
    .split(' ')
    .filter((word) => !own.includes(word));
  if (NEGATION.test(words.join(' '))) return undefined;
  const known = new Set([wordIn(kind, words.join(' '))].concat(words.map((word) => wordIn(kind, word))));
  known.delete(undefined);
  return known.size === 1 ? [...known][0] : undefined;
}

export function yesOrNo(value: string): boolean | undefined {
  const word = plain(value);
  if (names().yes.includes(word)) return true;
  return names().no.includes(word) ? false : undefined;
}

function tableName({ file, collection }: Table): string {
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
    .some((word) => names().nouns[scope]?.includes(word));
}

/** "Problem description", and no "issue type". */
export function isTextName(name: string): boolean {
  return names().ticket['description']?.[0]?.includes(plain(name).split(' ').at(-1) ?? '') === true;
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
  const ids = names().nouns['id'] ?? [];
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
