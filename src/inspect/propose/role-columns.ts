/** Which column says whether a customer or an agent is speaking, and how it says it. */
import type { ActorType } from '../../domain/payload.ts';
import type { Expression } from '../../layouts/expression-language.ts';
import { wordsOf } from '../column-words.ts';
import { conceptScore, type ScopeColumn } from './concepts.ts';
import { roleOfName, roleOfWord } from './value-words.ts';

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

export function roleColumn(columns: readonly ScopeColumn[]): RoleSource | undefined {
  return flagColumn(columns) ?? wordColumn(columns);
}

/** Also by keys of which one is filled in each item: only in lists, where a column is a key. */
export function roleOfItems(columns: readonly ScopeColumn[]): RoleSource | undefined {
  return roleColumn(columns) ?? filledColumns(columns);
}

function wordColumn(columns: readonly ScopeColumn[]): RoleSource | undefined {
  const found = columns
    .flatMap((column) => {
      const { values, filled, type } = column.profile;
      if (values === undefined || values.length === 0 || values.length > MOST_ROLES || type !== 'text')
        return [];
      const known = values.map(({ value, count }) => ({ value, count, role: roleOfWord(value) }));
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

const CUSTOMER_FLAGS: ReadonlySet<string> = new Set(['incoming', 'inbound', 'entrante', 'eingehend']);
const AGENT_FLAGS: ReadonlySet<string> = new Set([
  'agent',
  'staff',
  'outgoing',
  'outbound',
  'support',
  'admin',
]);

function flagColumn(columns: readonly ScopeColumn[]): RoleSource | undefined {
  for (const column of columns) {
    const isFlag =
      column.profile.type === 'boolean' ||
      (column.profile.values ?? []).every(({ value }) => /^[01]$/.test(value));
    if (!isFlag || column.profile.filled === 0 || column.path.includes('.')) continue;
    const words = wordsOf(column.path);
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

function filledColumns(columns: readonly ScopeColumn[]): RoleSource | undefined {
  const named = columns.flatMap((column) => {
    const role =
      column.path.includes('.') || column.profile.type !== 'text'
        ? undefined
        : roleOfName(column.path.replace(/\d+$/, ''));
    return role === undefined || column.profile.averageLength > 60 ? [] : [{ column, role }];
  });
  const roles = new Set(named.map(({ role }) => role));
  if (!roles.has('customer') || !roles.has('agent')) return undefined;
  const rows = Math.max(...named.map(({ column }) => column.profile.rows));
  const filled = named.reduce((sum, { column }) => sum + column.profile.filled, 0);
  // one of them in each item, not both
  return filled <= rows * 1.05 ? { kind: 'filled', columns: named } : undefined;
}
