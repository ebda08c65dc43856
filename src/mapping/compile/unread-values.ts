/**
 * Unread values that a person would miss: custom fields, groups, ratings. Not addresses, IDs of other tables, flags and
 * bookkeeping times.
 */
import { plainHeader } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';

export const DEEPEST = 8;

/** A custom field goes by its own name; a list of texts is one text. */
export function leavesOf(
  value: unknown,
  column: string,
  row: string,
  add: (column: string, text: string, row: string, cells: number) => void,
  depth = 1,
): void {
  if (isNothing(value)) return;
  if (typeof value !== 'object' || value === null) add(column, textOf(value), row, 1);
  else if (Array.isArray(value) && !value.some((each) => typeof each === 'object' && each !== null))
    add(column, value.filter((each) => !isNothing(each)).join(', '), row, cellsIn(value));
  else if (depth > DEEPEST) add(column, textOf(value), row, cellsIn(value));
  else if (Array.isArray(value))
    for (const [index, element] of value.entries()) {
      const named = namedValue(element);
      if (named !== undefined)
        leavesOf(named.value, `${column}: ${named.name}`, row, add, Number.POSITIVE_INFINITY);
      else if (!isJsonObject(element) || !('value' in element) || !isNothing(element['value']))
        leavesOf(element, `${column}[]`, nth(row, index), add, depth + 1);
    }
  else
    for (const [key, inner] of Object.entries(value))
      leavesOf(inner, `${column}.${key}`, row, add, depth + 1);
}

const NAMES = ['name', 'title', 'label', 'field_name', 'key', 'field', 'id'];

/** A name or ID, and a value, perhaps in words as well. */
function namedValue(element: unknown): { readonly name: string; readonly value: unknown } | undefined {
  if (!isJsonObject(element) || !('value' in element)) return undefined;
  const name = NAMES.map((key) => element[key]).find(
    (each) => ['string', 'number'].includes(typeof each) && each !== '',
  );
  const value = isNothing(element['text']) ? element['value'] : element['text'];
  return name === undefined || isNothing(value) ? undefined : { name: String(name).slice(0, 200), value };
}

export function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Filled values at any depth. */
export function cellsIn(value: unknown): number {
  if (isNothing(value)) return 0;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + cellsIn(inner), 0);
}

export function nth(row: string, index: number): string {
  return row === '' ? String(index + 1) : `${row}.${index + 1}`;
}

/** From this length on a text that a rule read elsewhere in the ticket is the same text. */
const LEAST_COVERED = 12;

/** Short words need the same name too: a group and a status may both be "open". */
export function coverKey(column: string, text: string): string {
  const said = text.trim().toLowerCase();
  if (said.length >= LEAST_COVERED) return said;
  const name = plainHeader(column.split(/[.\]]/).at(-1) ?? column).replace(/^(?:raw|plain|original)_/, '');
  return `${name}\u0000${said}`;
}

/** Names given by users of the old helpdesk are always kept. */
export function isCustom(column: string): boolean {
  return /custom[_ ]?(?:field|attribute|value)s?\b|(?:^|\.)(?:cf|c)_|__c$/i.test(column);
}

export function isNoise(text: string): boolean {
  return /^(?:false|unoffered)$/i.test(text.trim());
}

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/\/|data:)\S*$/i;
const ADDRESS_NAME = /(?:^|[._ ])(?:urls?|uri|href|self)$|[a-z](?:Url|Uri|Href)$/;
const ID_NAME = /(?:^|[._ ])(?:id|ids|uuid|guid|gid|etag)$|[a-z](?:Id|Ids|ID|IDs)$/;
const OF_ANOTHER_SYSTEM = /external|foreign|reference|order|invoice|customer number/i;
const BOOKKEEPING =
  /(?:^|[._ ])(?:created|updated|modified|generated|deleted)(?:[_ ]?(?:at|on|date|time|datetime|timestamp))?$|(?:created|updated|modified)(?:At|On|Date|Time)$/i;

/** On a known platform: no address, ID, flag or time of bookkeeping. */
export function isForPeople(column: string, text: string): boolean {
  const said = text.trim();
  if (said === '' || /^(?:true|false)$/i.test(said) || ADDRESS.test(said)) return false;
  if (/(?:^|\.)_/.test(column) || ADDRESS_NAME.test(column)) return false;
  if (ID_NAME.test(column) && !OF_ANOTHER_SYSTEM.test(column)) return false;
  return !BOOKKEEPING.test(column) || !/\d/.test(said);
}

/** Five words in a row, which no name of a browser and no date has. */
const WORDS = /(?:(?:^|\s)\p{L}[\p{L}'’-]*[.,;:!?…]*(?=\s|$)){5}/u;

export function isSentence(text: string): boolean {
  return WORDS.test(text.slice(0, 1000));
}

const SENTENCE = /\S\s+\S+\s+\S+\s+\S/;
const MOST_ITEMS = 20;

/** At least four words, at any depth. */
export function sentences(value: unknown): number {
  if (typeof value === 'string')
    return value.length >= 15 && SENTENCE.test(value.slice(0, 200)) ? value.length : 0;
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Array.isArray(value) ? value.slice(0, MOST_ITEMS) : Object.values(value);
  return inner.reduce<number>((sum, item) => sum + sentences(item), 0);
}
