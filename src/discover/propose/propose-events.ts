/** Status changes from a history: a row for each update of a ticket, or a table of changed fields. */
import type { EventRule, PersonRule } from '../../mapping/language/layout.ts';
import { wordsOf } from '../concept-words.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import type { TicketTable } from './choose-tables.ts';
import { bestColumn, type ScopeColumn } from './concepts.ts';
import { changerColumns } from './found-columns.ts';
import { Grouping } from './grouping.ts';
import type { ProposedPeople } from './propose-people.ts';
import { rowsScope } from './scopes.ts';

export interface StatusHistory {
  readonly rule: EventRule;
  /** The table of changes, where it is one of its own, with the column that names the ticket. */
  readonly table:
    | { readonly index: number; readonly key: string; readonly used: readonly string[] }
    | undefined;
  /** Columns whose values are statuses. */
  readonly values: readonly ScopeColumn[];
}

/** Rows of one ticket show different statuses: each row is an update. */
export function isUpdateLog(ticket: TicketTable, status: ScopeColumn | undefined): boolean {
  return ticket.key.role === 'group' && status !== undefined && varies(ticket, status);
}

/** When a row of a log was written. */
export function changeTime({
  ticket,
  times,
  columns,
}: {
  readonly ticket: TicketTable;
  readonly times: { readonly updatedAt: ScopeColumn | undefined };
  readonly columns: readonly ScopeColumn[];
}): ScopeColumn | undefined {
  const { updatedAt } = times;
  return updatedAt !== undefined && varies(ticket, updatedAt) ? updatedAt : bestColumn('updatedAt', columns);
}

export function logHistory(
  ticket: TicketTable,
  people: ProposedPeople,
  status: ScopeColumn,
  time: ScopeColumn | undefined,
): StatusHistory | undefined {
  const { columns } = rowsScope(ticket.table);
  if (time === undefined) return undefined;
  return {
    rule: rule(undefined, time, status, undefined, changer(people, ticket.index, columns)),
    table: undefined,
    values: [status],
  };
}

/** A table of changed fields: one column names the field, one holds the value, one the time. */
export function fieldHistory(
  ticket: TicketTable,
  people: ProposedPeople,
  tables: readonly TableProfile[],
  joins: readonly Join[],
): StatusHistory | undefined {
  for (const { from, to, found } of joins) {
    const table = tables[from.table];
    if (table === undefined || to.table !== ticket.index || found === 0) continue;
    const { columns } = rowsScope(table);
    const field = columns.find(
      ({ path, profile }) =>
        /field|property|attribute|campo|feld|champ/i.test(path) &&
        (profile.values ?? []).some(({ value }) => STATUS_FIELD.test(value)),
    );
    const find = (pattern: RegExp) =>
      columns.find(({ path, profile }) => profile.filled > 0 && pattern.test(wordsOf(path).join(' ')));
    const value = find(/^(?:new value|to string|to value|value|to|new|after)$/);
    const before = find(/^(?:old value|from string|from value|previous value|from|old|before)$/);
    const time = bestColumn('updatedAt', columns) ?? bestColumn('sentAt', columns, 0.35);
    if (field === undefined || value === undefined || time === undefined) continue;
    const names = (field.profile.values ?? [])
      .map((entry) => entry.value)
      .filter((name) => STATUS_FIELD.test(name));
    const history = rule(
      before,
      time,
      value,
      { column: field.path, in: names },
      changer(people, from.table, columns) ?? byUser(columns),
    );
    return {
      rule: history,
      table: {
        index: from.table,
        key: from.column,
        used: [from.column, field.path, value.path, time.path],
      },
      values: [],
    };
  }
  return undefined;
}

const STATUS_FIELD = /^(?:status|state|estado|statut|etat|stato|situacao)$/i;

function rule(
  before: ScopeColumn | undefined,
  time: ScopeColumn,
  status: ScopeColumn,
  where: EventRule['where'],
  actor: PersonRule | undefined,
): EventRule {
  return {
    ...(where === undefined ? {} : { where }),
    ...(before === undefined ? {} : { oldValue: { status: { column: before.path, map: 'status' } } }),
    newValue: { status: { column: status.path, map: 'status' } },
    occurredAt: time.path,
    history: true,
    ...(actor === undefined ? { actorType: { const: 'system' } } : { actor }),
  };
}

/** As the table of people knows them, or by one id. */
function changer(
  people: ProposedPeople,
  table: number,
  columns: readonly ScopeColumn[],
): PersonRule | undefined {
  const found = changerColumns(columns);
  if (found === undefined) return undefined;
  const { id, email, name } = found;
  const only = id ?? name;
  const rule = people.rule(table, undefined, found);
  return email === undefined && rule.person === undefined && found.given === undefined && only !== undefined
    ? { id: only.path }
    : rule;
}

function byUser(columns: readonly ScopeColumn[]): PersonRule | undefined {
  const found = columns.find(
    ({ path, profile }) =>
      profile.filled > 0 && /^(?:user|author|creator)(?: id)?$/.test(wordsOf(path).join(' ')),
  );
  return found === undefined ? undefined : { id: found.path };
}

/** Whether rows of one ticket differ in this column. */
export function varies({ table, key }: TicketTable, column: ScopeColumn): boolean {
  return !new Grouping(table, key.column.path).isConstant(column);
}
