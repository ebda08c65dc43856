/** The columns of a JSON record: paths to its values, through objects and through the items of lists. */

/** Levels below the record that are looked at, and columns of one table; what is beyond is counted. */
const DEEPEST = 6;
/** Items of one list that are looked at in one record. */
const MOST_ITEMS = 100;
/** A list of lists is a list of rows with so many cells at most: `[speaker, text]`. */
const MOST_CELLS = 6;

/**
 * Calls `found` with the path and the value of everything in a record: lists themselves as `tags` (the list), their
 * items as `tags[]`, what stands in these as `messages[].body` or, in a list of lists, `original[][0]`.
 */
export function jsonColumns(record: object, found: (path: string, value: unknown) => void): void {
  const object = (value: object, prefix: string, depth: number) => {
    for (const [key, inner] of Object.entries(value)) {
      if (key === '_reason' && prefix === '') continue;
      walk(inner, prefix === '' ? key : `${prefix}.${key}`, depth);
    }
  };
  const walk = (value: unknown, path: string, depth: number) => {
    if (Array.isArray(value)) {
      found(path, value.length === 0 ? undefined : value);
      if (depth < DEEPEST) for (const item of value.slice(0, MOST_ITEMS)) items(item, `${path}[]`, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      if (depth < DEEPEST && Object.keys(value).length > 0) object(value, path, depth + 1);
      else found(path, Object.keys(value).length > 0 ? value : undefined);
    } else found(path, value);
  };
  const items = (item: unknown, path: string, depth: number) => {
    if (Array.isArray(item)) {
      item.slice(0, MOST_CELLS).forEach((cell, index) => {
        found(`${path}[${index}]`, cell);
      });
    } else if (typeof item === 'object' && item !== null) object(item, path, depth);
    else found(path, item);
  };
  object(record, '', 0);
}

/** The list in whose items a path leads: `messages` of `messages[].body`; the innermost one; undefined outside of lists. */
export function listOfPath(path: string): string | undefined {
  const at = path.lastIndexOf('[]');
  return at < 0 ? undefined : path.slice(0, at);
}

/** The path from an item of the list on: `body` of `messages[].body`, `0` of `original[][0]`, `.` of `tags[]`. */
export function itemPath(path: string): string {
  const rest = path.slice(path.lastIndexOf('[]') + 2);
  if (rest === '') return '.';
  const cell = /^\[(\d+)\]$/.exec(rest);
  return cell?.[1] ?? rest.replace(/^\./, '');
}
