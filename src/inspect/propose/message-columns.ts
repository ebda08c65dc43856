/** Which columns of a scope make a message: what was said, when, by whom, and for whose eyes. */
import { wordsOf } from '../column-words.ts';
import { bestColumn, conceptScore, ranked, type ScopeColumn } from './concepts.ts';
import { onlyEmail, type PersonColumns, personColumns } from './propose-people.ts';
import { type RoleSource, roleColumn, roleOfItems } from './role-columns.ts';
import type { ProfileScope } from './scopes.ts';
import { roleOfWord, yesOrNo } from './value-words.ts';

const PUBLIC_NAME = /public|visib|visivel|visible|offentlich|öffentlich|publi|sichtbar/i;

/** Words that name an internal note and can name nothing else. */
const INTERNAL_KIND =
  /^(?:internal|private|interne?r?|interna|interno|privada?|privado|privee?|privée?)(?:[\s_-]*(?:notes?|comments?|notiz|kommentar|nota|commentaire))?$|^(?:note|nota|comentario|comentário|notiz)[\s_-]+(?:interna?|interno|privada?|privado|priv[ée]e?|interne)$/i;

export interface MessageColumns {
  readonly content: ScopeColumn;
  readonly time: ScopeColumn | undefined;
  readonly author: PersonColumns | undefined;
  readonly role: RoleSource | undefined;
  readonly internal: ScopeColumn | undefined;
  readonly attachment: ScopeColumn | undefined;
  /** How surely these are messages. */
  readonly points: number;
}

/** Undefined where nothing is said. */
export function messageColumns(scope: ProfileScope): MessageColumns | undefined {
  const { columns } = scope;
  const rows = positional(scope);
  const content = rows?.content ?? contentColumn(columns);
  if (content === undefined) return undefined;
  const others = columns.filter((column) => column !== content);
  const time = bestColumn('sentAt', others, 0.35);
  const role = rows?.role ?? (scope.list === undefined ? roleColumn(others) : roleOfItems(others));
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
    internal: internalColumn(others),
    attachment: bestColumn('attachment', others, 0.5),
    points,
  };
}

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
    personColumns('requester', columns) ??
    personColumns('assignee', columns);
  // an address that stands beside the message and names nobody else is its author's
  const email = named?.email ?? onlyEmail(columns);
  return named === undefined && email === undefined
    ? undefined
    : { ...named, ...(email === undefined ? {} : { email }) };
}

function internalColumn(columns: readonly ScopeColumn[]): ScopeColumn | undefined {
  const [found] = ranked(columns, (column) => conceptScore('internal', column), 0.5);
  if (found === undefined) return columns.find(saysInternal);
  const values = found.profile.values ?? [];
  return values.length > 0 && values.every(({ value }) => internalValue(value, found.path) !== undefined)
    ? found
    : undefined;
}

/** Some kinds of messages are internal, whatever the column is called: `reply`, `internal note`. */
function saysInternal({ profile }: ScopeColumn): boolean {
  const values = profile.values ?? [];
  return (
    profile.type === 'text' &&
    values.length > 1 &&
    profile.averageLength <= 30 &&
    values.some(({ value, count }) => INTERNAL_KIND.test(value.trim()) && count < profile.filled)
  );
}

/** What a word in a column of visibility means: true for internal. `yes` depends on what the column is called. */
export function internalValue(value: string, path: string): boolean | undefined {
  const yes = yesOrNo(value);
  if (yes !== undefined) return PUBLIC_NAME.test(wordsOf(path).join(' ')) ? !yes : yes;
  const word = value.trim().toLowerCase();
  if (INTERNAL_KIND.test(word)) return true;
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
