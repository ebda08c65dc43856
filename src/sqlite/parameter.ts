/**
 * A bound value in a query with ORDER BY, LIMIT or a LEFT JOIN. SQLite with STAT4 compiles such a statement again for every new value of a
 * plain `?`, as the value could change the plan; the sub-select hides it.
 */
export const PARAMETER = '(SELECT ?)';
