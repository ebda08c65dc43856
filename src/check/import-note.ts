/**
 * The note and the tags in which a ticket keeps what no rule uses of it (`unmapped`). They are no part of its fingerprints: what is kept, and
 * whether, changes no ticket for a later run.
 */

import { plainText } from '../domain/own-words.ts';
import type { MessagePayload, TicketPayload } from '../domain/payload.ts';
import {
  type Amount,
  addTo,
  type HomelessValue,
  NOTE_BEGINS,
  type SourceValues,
  type ValueShare,
} from '../domain/unmapped.ts';

/** Characters of a note, and of one value in it. */
const LONGEST_NOTE = 100_000;
const LONGEST_VALUE = 50_000;
/** From so many characters on a value that a message says already is not said again. */
const LEAST_REPEATED = 40;
const LONGEST_TAG = 60;
const SECRET =
  /pass(?:word|wd|phrase|code)|secret|(?:api|access|private|auth|refresh)[ _-]?(?:key|token)|credential|cookie|encrypted_|\bcvv\b|card[ _-]?number/i;
const HIDDEN = '(left out: it looks like a secret)';

export interface KeptValues {
  readonly note: MessagePayload | undefined;
  readonly tags: readonly string[];
  readonly share: ValueShare;
}

/**
 * `whose`: the ticket as a person would look for it in the source. `addresses`: others of people in it, which are in the note
 * whatever else is.
 */
export function keepValues(
  { read, used, dropped, homeless }: SourceValues,
  { createdAt }: Pick<TicketPayload, 'createdAt'>,
  messages: readonly MessagePayload[],
  whose: string,
  addresses: ReadonlyMap<string, readonly string[]> = new Map(),
): KeptValues {
  const found: Amount = { ...used };
  const withNote: Amount = { ...used };
  addTo(withNote, dropped);
  const tags = new Set<string>();
  const noted: HomelessValue[] = [];
  const isSaid = saidIn(messages);
  for (const value of homeless) {
    addTo(withNote, value);
    if (isSaid(value.text)) {
      addTo(found, value);
      continue;
    }
    const tag = value.fate === 'tags' ? tagOf(value) : undefined;
    if (tag === undefined) noted.push(value);
    else {
      tags.add(tag);
      addTo(found, value);
    }
  }
  for (const [first, others] of addresses)
    noted.push({
      table: noted[0]?.table ?? '',
      row: '',
      column: `other addresses of ${first}`,
      text: others.join(', '),
      fate: 'note',
      cells: 0,
      bytes: 0,
    });
  const content = noted.length === 0 ? undefined : noteText(noted, whose, found);
  const note: MessagePayload | undefined =
    content === undefined
      ? undefined
      : {
          actorType: 'system',
          content,
          contentType: 'html',
          occurredAt: timeOfNote(createdAt, messages),
          isInternal: true,
        };
  return { note, tags: [...tags], share: { read, byRules: used, found, withNote } };
}

/** Exports have a text as HTML, as plain text and as it came: the others say nothing new. */
function saidIn(messages: readonly MessagePayload[]): (text: string) => boolean {
  let said: Set<string> | undefined;
  return (text) => {
    if (text.length < LEAST_REPEATED) return false;
    said ??= new Set(messages.map(({ content }) => plainText(content)));
    return said.has(plainText(text));
  };
}

/** At the top, also where a list is sorted by time. */
function timeOfNote(createdAt: string, [first]: readonly MessagePayload[]): string {
  if (first === undefined) return createdAt;
  return new Date(Math.min(Date.parse(createdAt), Date.parse(first.occurredAt) - 1)).toISOString();
}

/** Undefined for what does not fit in a tag: services cut tags at commas and white space, and long ones. */
function tagOf({ column, text }: HomelessValue): string | undefined {
  const tag = `${column}:${text}`.trim().replace(/[ \t]+/g, '-');
  return tag.length > LONGEST_TAG || /[,;\p{Cc}\s]/u.test(tag) || SECRET.test(column)
    ? undefined
    : tag.toWellFormed();
}

/** Adds to `found` what stands in it. */
function noteText(values: readonly HomelessValue[], whose: string, found: Amount): string {
  const rows: string[] = [];
  let length = 0;
  let left = 0;
  const add = (row: string): boolean => {
    if (length + row.length > LONGEST_NOTE) return false;
    rows.push(row);
    length += row.length;
    return true;
  };
  for (const [table, ofTable] of Map.groupBy(values, (value) => value.table)) {
    const names = new Set(ofTable.map(({ row }) => row));
    const [only = ''] = names.size === 1 ? names : [];
    const isOwn = table === values[0]?.table && ofTable.some(({ row }) => row === '');
    if (!isOwn) add(`<tr><th colspan="2">${escaped(`${table} ${only}`.trim())}</th></tr>`);
    for (const [column, same] of Map.groupBy(ofTable, (value) => value.column)) {
      const text = SECRET.test(column)
        ? HIDDEN
        : same.length === 1 || names.size === 1
          ? shown(same)
          : byRow(same);
      const isIn = add(`<tr><td>${escaped(column)}</td><td>${escaped(text)}</td></tr>`);
      if (!isIn) left += same.length;
      else if (text !== HIDDEN)
        for (const value of same) addTo(found, { cells: value.cells, bytes: bytesKept(value) });
    }
  }
  const more =
    left === 0 ? '' : `<p>${left} more values did not fit in this note; they are in the export alone.</p>`;
  return `<p><strong>${NOTE_BEGINS}</strong>: what ${escaped(whose)} had and no field here holds. The customer does not see this.</p><table><tbody>${rows.join('')}</tbody></table>${more}`;
}

/** Of several rows: `1-3, 7: web`. */
function byRow(values: readonly HomelessValue[]): string {
  return [...Map.groupBy(values, ({ text }) => text)]
    .map(([text, same]) => `${runs(same.map(({ row }) => row))}: ${cut(text)}`)
    .join('\n');
}

function runs(names: readonly string[]): string {
  const parts: { from: string; to: string }[] = [];
  for (const name of names) {
    const last = parts.at(-1);
    if (last !== undefined && /^\d{1,9}$/.test(name) && Number(name) === Number(last.to) + 1) last.to = name;
    else if (last?.to !== name) parts.push({ from: name, to: name });
  }
  return parts.map(({ from, to }) => (from === to ? from : `${from}-${to}`)).join(', ');
}

function shown(values: readonly HomelessValue[]): string {
  return [...new Set(values.map(({ text }) => cut(text)))].join('\n');
}

function bytesKept({ text, bytes }: HomelessValue): number {
  return text.length > LONGEST_VALUE
    ? Math.min(bytes, Buffer.byteLength(text.slice(0, LONGEST_VALUE)))
    : bytes;
}

function cut(text: string): string {
  if (text.length <= LONGEST_VALUE) return text;
  return `${text.slice(0, LONGEST_VALUE)}… (${text.length - LONGEST_VALUE} more characters are in the export alone)`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '\n': '<br>' }),
);

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[&<>\n]|[^\P{Cc}\t]/gu, (character) => ESCAPES.get(character) ?? '');
}
