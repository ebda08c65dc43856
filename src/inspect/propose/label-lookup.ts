/** Words that stand in a table of their own: `status_id` 3 is "In progress" in the table of statuses. */

import { wordsOf } from '../column-words.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import type { ScopeColumn } from './concepts.ts';
import { rowsScope } from './scopes.ts';

export interface LabelLookup {
  /** Index of the table of words. */
  readonly table: number;
  readonly key: string;
  readonly label: ScopeColumn;
}

/** A table of words is short. */
const MOST_ROWS = 500;
const LABEL = /^(?:(?:status|state|priority|stage|display) )?(?:name|label|title|value|text)$/;

export function labelLookup(
  table: number,
  column: ScopeColumn,
  tables: readonly TableProfile[],
  joins: readonly Join[],
): LabelLookup | undefined {
  const join = joins.find(
    ({ from, found }) => from.table === table && from.column === column.path && found > 0,
  );
  const other = join === undefined ? undefined : tables[join.to.table];
  if (join === undefined || other === undefined || other.rows > MOST_ROWS) return undefined;
  const label = rowsScope(other).columns.find(
    ({ path, profile }) =>
      path !== join.to.column && profile.type === 'text' && LABEL.test(wordsOf(path).join(' ')),
  );
  return label === undefined ? undefined : { table: join.to.table, key: join.to.column, label };
}
