/** Where columns can be read together: the rows of a table, or the items of a list within its rows. */

import { itemPath, listOfPath } from '../json-columns.ts';
import type { TableProfile } from '../table-profile.ts';
import type { ScopeColumn } from './concepts.ts';

export interface ProfileScope {
  readonly table: TableProfile;
  /** Path of the list whose items these are; undefined for the rows themselves. */
  readonly list: string | undefined;
  readonly columns: readonly ScopeColumn[];
  /** Rows or items looked at. */
  readonly rows: number;
}

export function rowsScope(table: TableProfile): ProfileScope {
  const columns = table.columns
    // a column without a header cannot be named
    .filter(({ name }) => listOfPath(name) === undefined && !/^\(column \d+\)$/.test(name))
    .map((profile) => ({ path: profile.name, profile }));
  return { table, list: undefined, columns, rows: table.rows };
}

/** Lists of objects, or of rows (`[speaker, text]`), that stand directly in the record. */
export function listScopes(table: TableProfile): ProfileScope[] {
  const byList = Map.groupBy(
    table.columns.filter(({ name }) => listOfPath(name) !== undefined),
    ({ name }) => listOfPath(name) ?? '',
  );
  return [...byList].flatMap(([list, profiles]) => {
    if (list.includes('[]')) return [];
    const columns = profiles.map((profile) => ({ path: itemPath(profile.name), profile }));
    return [{ table, list, columns, rows: Math.max(...profiles.map(({ rows }) => rows)) }];
  });
}

/** What stands in the items of a list that is itself in the scope: `url` of `attachments` in each message. */
export function nestedColumns(scope: ProfileScope, list: string): ScopeColumn[] {
  const whole = `${scope.list === undefined ? '' : `${scope.list}[].`}${list}`;
  return scope.table.columns
    .filter(({ name }) => listOfPath(name) === whole)
    .map((profile) => ({ path: itemPath(profile.name), profile }));
}
