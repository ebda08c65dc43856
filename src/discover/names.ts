/** Names of columns and words of values, as `names.yaml` lists them. Exact names: nothing is weighed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { AppError } from '../domain/errors.ts';
import { type Column, isTimeColumn, ownColumns, type Table } from './profile.ts';
import { type Question, RANK } from './questions.ts';
import { baseName } from './staged-tables.ts';

/** Lists of names for each field, to be tried in turn. */
type Fields = Readonly<Record<string, readonly (readonly string[])[]>>;
type Words = 'status' | 'priority' | 'role' | 'visibility';
/** A kind of table: whose nouns may be part of a name. */
type Scope = 'ticket' | 'message' | 'people' | 'file';

type Names = Readonly<
  Record<Scope, Fields> &
    Record<Words | 'nouns', Readonly<Record<string, readonly string[]>>> &
    Record<'wrappers' | 'other' | 'versions' | 'replies' | 'yes' | 'no', readonly string[]>
>;
type Asked = Readonly<Record<string, readonly [rank: keyof typeof RANK, concept: string, question: string]>>;
type Left = Readonly<
  Record<string, Omit<Question, 'key' | 'path' | 'rank'> & { readonly rank: keyof typeof RANK }>
>;

let read: { readonly names: Names; readonly asked: Asked; readonly left: Left } | undefined;

/** The lists in their plain form, and the questions as they are written. */
function lists(): NonNullable<typeof read> {
  if (read !== undefined) return read;
  const { asked, left, ...written } = parse(readFileSync(join(import.meta.dirname, 'names.yaml'), 'utf8'));
  read = { names: eachPlain(written) as Names, asked, left };
  return read;
}

const names = () => lists().names;

/** How the column of a field is asked for. */
export function fieldQuestion(field: string): Pick<Question, 'rank' | 'concept' | 'question'> {
  const asked = new Map(Object.entries(lists().asked)).get(field);
  const [rank, concept, question] = asked ?? ['other', field, `Which column is the ${field}?`];
  return { rank: RANK[rank], concept, question };
}

/** A question that is left once the tickets are mapped; its key is its path. */
export function leftQuestion(key: string, words: Readonly<Record<string, string | number>>): Question {
  const asked = new Map(Object.entries(lists().left)).get(key);
  if (asked === undefined) throw new AppError('internal', `There is no question about ${key}.`);
  const filled = (text: string) =>
    Object.entries(words).reduce(
      (all, [name, word]) => all.replaceAll(`{${name}}`, () => String(word)),
      text,
    );
  const { rank, concept, question } = asked;
  return {
    ...asked,
    key,
    path: key.split('.'),
    rank: RANK[rank],
    concept: filled(concept),
    question: filled(question),
  };
}

/** Names compare in their plain form. */
function eachPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(eachPlain);
  if (typeof value !== 'object' || value === null) return plain(String(value));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, eachPlain(inner)]));
}

const STOP = new Set(
  'the of a an de del der des die das dem den la le les l d du da do dos el los y und et'.split(' '),
);

/** Small letters without accents and separators, one word for each part: `Fecha_de-Envío` is `fecha envio`. */
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

/** Objects around a column and its own name; a header in words is one name. */
function partsOf(path: string): string[] {
  return /\s/.test(path) ? [plain(path)] : path.split('.').map(plain);
}

/** Forms of a column's name: as it is, and without nouns and wrappers around it. */
export function formsOf(path: string, scope: Scope): string[] {
  const { wrappers, nouns } = names();
  const parts = partsOf(path);
  const own = nouns[scope] ?? [];
  while (parts.length > 1 && (wrappers.includes(parts[0] ?? '') || own.includes(parts[0] ?? '')))
    parts.shift();
  const whole = plain(parts.join(' '));
  const forms = [plain(path.replaceAll('.', ' ')), whole];
  for (const noun of own) {
    if (whole.startsWith(`${noun} `)) forms.push(whole.slice(noun.length + 1));
    if (whole.endsWith(` ${noun}`)) forms.push(whole.slice(0, -noun.length - 1));
  }
  return [...new Set(forms)];
}

/** The last parts of a nested name: what only resembles. */
function endOf(path: string): string[] {
  const parts = partsOf(path);
  return parts.length < 2 ? [] : [plain(parts.slice(-2).join(' ')), parts.at(-1) ?? ''];
}

interface Match {
  /** The one column that has the name. */
  readonly column: Column | undefined;
  /** Columns that match equally well, or that only resemble: to be asked about. */
  readonly candidates: readonly Column[];
}

/** The column of a field; where two have its name, or a nested one only ends in it, both are candidates. */
export function matchField(scope: Scope, field: string, columns: readonly Column[]): Match {
  const tiers = names()[scope][field] ?? [];
  const fitting = columns.filter((column) => column.filled > 0 && fits(field, column));
  for (const tier of tiers) {
    const found = fitting.filter(({ path }) => formsOf(path, scope).some((form) => tier.includes(form)));
    // a record's own fields come first
    const own = found.filter(({ path }) => partsOf(path).length === 1);
    const best = own.length > 0 ? own : found;
    if (best.length > 0) return { column: best.length === 1 ? best[0] : undefined, candidates: best };
  }
  if (!/(?:Email|Id|^id)$/.test(field)) return { column: undefined, candidates: [] };
  const alike = fitting.filter(({ path }) =>
    tiers.some((tier) => endOf(path).some((form) => tier.includes(form))),
  );
  const addresses = columns.filter(({ type }) => type === 'email');
  const isOnlyAddress = alike.length === 1 && addresses.length === 1 && alike[0] === addresses[0];
  return { column: isOnlyAddress ? alike[0] : undefined, candidates: alike };
}

export function isText({ type }: Column): boolean {
  return type === 'text' || type === 'html' || type === 'mixed';
}

/** Whether what a column holds can be the field: by its type alone. */
function fits(field: string, column: Column): boolean {
  const { type, average, distinct } = column;
  if (/At$|^at$/.test(field)) return isTimeColumn(column);
  if (isTimeColumn(column)) return false;
  if (/Email$|^email$/.test(field)) return type === 'email' || (type === 'mixed' && hasKind(column, 'email'));
  if (/Id$|^id$/.test(field)) return ['integer', 'text', 'email', 'mixed'].includes(type) && average <= 80;
  if (/Name$|^(?:name|first|last)$/.test(field))
    return ['text', 'email', 'mixed'].includes(type) && average <= 80;
  if (field === 'subject') return isText(column) && average <= 300;
  if (['text', 'description', 'answer', 'note'].includes(field)) return isText(column);
  if (field === 'tags') return isText(column) || type === 'list';
  if (field === 'attachment') return ['url', 'list', 'text', 'mixed'].includes(type);
  if (field === 'internal' || field === 'public') return distinct <= 4 && average <= 20;
  if (['status', 'priority', 'role', 'visibility'].includes(field))
    return ['text', 'integer', 'mixed', 'boolean'].includes(type) && distinct <= 60 && average <= 60;
  return true;
}

function hasKind({ kinds, filled }: Column, kind: string): boolean {
  return (kinds.find((each) => each.kind === kind)?.count ?? 0) >= 0.05 * filled;
}

/** Named for something that is imported otherwise, or not: no candidate for another field. */
export function isOther({ path }: Column): boolean {
  const forms = [...formsOf(path, 'ticket'), plain(path.split('.').at(-1) ?? '')];
  return names().other.some((name) => forms.includes(name));
}

/** Whether a column without the name of a field may be it: of its type, in the record itself, and not called otherwise. */
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
      ([name, tiers]) => name !== field && tiers.some((tier) => forms.some((form) => tier.includes(form))),
    )
  );
}

/** Of a person that is an object, the name in that object: one person is one record. */
export function nameBeside(column: Column, columns: readonly Column[]): Column | undefined {
  const parent = parentOf(column);
  if (parent === '') return undefined;
  const [tier = []] = names().people['name'] ?? [];
  const found = columns.filter(
    (other) => other !== column && other.filled > 0 && parentOf(other) === parent && fits('name', other),
  );
  const last = ({ path }: Column) => plain(path.slice(parent.length + 1));
  return (
    found.find((other) => tier.includes(last(other))) ??
    found.find((other) => tier.some((name) => last(other).endsWith(` ${name}`)))
  );
}

function parentOf({ path }: Column): string {
  return partsOf(path).length < 2 ? '' : path.slice(0, path.lastIndexOf('.'));
}

export function isListed(list: 'versions' | 'replies', { path }: Column): boolean {
  const forms = [...formsOf(path, 'ticket'), ...formsOf(path, 'message')];
  return names()[list].some((name) => forms.includes(name));
}

/** Whether a name is that of a ticket's id in another table: `ticket_id`, `Numéro de demande`. */
export function namesTicket({ path }: Column): boolean {
  const [whole = ''] = formsOf(path, 'message');
  const { nouns, ticket } = names();
  const [exact = []] = ticket['id'] ?? [];
  if (exact.includes(whole)) return true;
  const isOf = (noun: string, id: string) =>
    [`${noun} ${id}`, `${id} ${noun}`, `${noun}${id}`].includes(whole);
  return (nouns['ticket'] ?? []).some((noun) => (nouns['id'] ?? []).some((id) => isOf(noun, id)));
}

/** What a word of the source means; undefined for a word that is not listed. */
export function meaningOf(kind: Words, value: string): string | undefined {
  const word = plain(value);
  const bare = word.replace(/^\d+ (?=\p{L})/u, '');
  return Object.entries(names()[kind]).find(([, words]) =>
    [word, bare].some((each) => words.includes(each)),
  )?.[0];
}

export function yesOrNo(value: string): boolean | undefined {
  const word = plain(value);
  if (names().yes.includes(word)) return true;
  return names().no.includes(word) ? false : undefined;
}

/** Words of a table's own name: of its list, stream or kind, else of its file. */
function tableName({ file, collection }: Table): string {
  const { path, stream, kind } = collection;
  const base = baseName(file).replace(/(?:\.[A-Za-z]{2,6}){1,2}$/, '');
  return plain(stream ?? kind?.value ?? [...(path ?? [])].at(-1) ?? base);
}

/** Whether a table is called after one of the nouns: `support_tickets`, `users`. */
export function isCalled(table: Table, scope: 'ticket' | 'message' | 'people'): boolean {
  return hasNoun(tableName(table), scope);
}

export function hasNoun(name: string, scope: 'ticket' | 'message' | 'people'): boolean {
  return plain(name)
    .split(' ')
    .some((word) => names().nouns[scope]?.includes(word));
}

export function isPeople(table: Table): boolean {
  const columns = ownColumns(table).filter(({ path }) => partsOf(path).length === 1);
  const has = (field: string) => matchField('people', field, columns).candidates.length > 0;
  if (matchField('ticket', 'subject', columns).column !== undefined) return false;
  return (
    (has('email') || has('name') || has('first')) &&
    (isCalled(table, 'people') || (has('email') && has('name')))
  );
}

/** Small numbers are in every column of numbers, so those need a name that leads to the other table. */
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

/** Whether a column that nothing reads has the name of a field. */
export function hasName(scope: 'ticket' | 'message', field: string, path: string): boolean {
  const [first = []] = names()[scope][field] ?? [];
  return formsOf(path, scope).some((form) => first.includes(form));
}
