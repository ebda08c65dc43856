/** Not in the fingerprints, so it never counts as a change. */

import { plainText } from '../domain/own-words.ts';
import type { MessagePayload, TicketPayload } from '../domain/payload.ts';
import { NOTE_BEGINS, type UnmappedValue } from '../domain/snapshot.ts';

const LONGEST_NOTE = 100_000;
const LONGEST_VALUE = 50_000;
/** A longer value is left out if a message says it. */
const LEAST_REPEATED = 40;
const SECRET =
  /pass(?:word|wd|phrase|code)|secret|(?:api|access|private|auth|refresh)[ _-]?(?:key|token)|credential|cookie|encrypted_|\bcvv\b|card[ _-]?number/i;
const HIDDEN = '(left out: it looks like a secret)';

interface ImportNote {
  readonly note: MessagePayload | undefined;
  /** Values that it does not have: a message says them, or they are secret or did not fit. */
  readonly notKept: ReadonlyMap<UnmappedValue, 'same' | 'lost'>;
}

/** No note without values. `whose`: the ticket's name in the source. */
export function importNote(
  values: readonly UnmappedValue[],
  { createdAt }: Pick<TicketPayload, 'createdAt'>,
  messages: readonly MessagePayload[],
  whose: string,
): ImportNote {
  const isSaid = saidIn(messages);
  const notKept = new Map<UnmappedValue, 'same' | 'lost'>();
  for (const value of values) if (isSaid(value.text)) notKept.set(value, 'same');
  const noted = values.filter((value) => !notKept.has(value));
  if (noted.length === 0) return { note: undefined, notKept };
  const note: MessagePayload = {
    actorType: 'system',
    content: noteHtml(noted, whose, (value) => notKept.set(value, 'lost')),
    contentType: 'html',
    occurredAt: timeOfNote(createdAt, messages),
    isInternal: true,
  };
  return { note, notKept };
}

/** Exports hold a text as HTML, plain and raw: one is enough. */
function saidIn(messages: readonly MessagePayload[]): (text: string) => boolean {
  let said: Set<string> | undefined;
  return (text) => {
    if (text.length < LEAST_REPEATED) return false;
    said ??= new Set(messages.map(({ content }) => plainText(content)));
    return said.has(plainText(text));
  };
}

/** Last in a list sorted by time. */
function timeOfNote(createdAt: string, messages: readonly MessagePayload[]): string {
  const last = messages.at(-1);
  if (last === undefined) return createdAt;
  return new Date(Math.max(Date.parse(createdAt), Date.parse(last.occurredAt) + 1)).toISOString();
}

function noteHtml(
  values: readonly UnmappedValue[],
  whose: string,
  leave: (value: UnmappedValue) => void,
): string {
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
      const texts = new Set(same.map(({ text }) => cut(text)));
      const isSecret = SECRET.test(column);
      const text = isSecret ? HIDDEN : [...texts].join('\n');
      const fits = add(`<tr><td>${escaped(column)}</td><td>${escaped(text)}</td></tr>`);
      if (!fits) left += same.length;
      if (isSecret || !fits) for (const value of same) leave(value);
    }
  }
  const more =
    left === 0 ? '' : `<p>${left} more values did not fit in this note; they are in the export alone.</p>`;
  return `<p><strong>${NOTE_BEGINS}</strong>: fields of ${escaped(whose)} with no place here. Customers do not see this.</p><table><tbody>${rows.join('')}</tbody></table>${more}`;
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
