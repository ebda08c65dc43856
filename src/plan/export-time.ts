/** When a ticket was changed last, by its own row. */
import type { Row } from '../domain/source.ts';
import { type ExportFiles, isJsonObject } from '../domain/source-file.ts';
import { textOf } from '../domain/text/foreign.ts';
import { parseTime, readEpoch } from '../domain/written-time.ts';

const CHANGED_AT =
  /^(?:(?:sys|user|last)?updated(?:at|on|date(?:time)?|time)?|lastupdatetime|(?:hs)?lastmodified(?:at|date)?|modified(?:at)?)$/;
/** Some platforms keep a ticket's fields in these objects. */
const WITHIN = ['fields', 'properties', 'attributes'] as const;

/** Index by header; -1 without one. */
const changedColumns = new WeakMap<readonly string[], number>();

/** Undefined without a certain time: an older export must not set a ticket back. */
export function exportTimeOf({ ref, cells, object }: Row, { files }: ExportFiles): number | undefined {
  const isName = (name: string) => CHANGED_AT.test(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  if (cells !== undefined) {
    const { header = [] } = files[ref.file] ?? {};
    const column = changedColumns.get(header) ?? header.findIndex(isName);
    changedColumns.set(header, column);
    return timeOf(cells[column]);
  }
  for (const each of [object, ...WITHIN.map((key) => object?.[key])]) {
    const name = isJsonObject(each) ? Object.keys(each).find(isName) : undefined;
    const time = isJsonObject(each) && name !== undefined ? timeOf(each[name]) : undefined;
    if (time !== undefined) return time;
  }
  return undefined;
}

/** Both exports write times alike, so one without a zone counts as UTC. */
function timeOf(value: unknown): number | undefined {
  const text = textOf(value)?.trim() ?? '';
  if (/^(?:\d{10}|\d{13})$/.test(text)) return readEpoch(text);
  const time = parseTime(text.replace(/ ?UTC$/, 'Z'));
  return time.kind === 'invalid' ? undefined : time.ms;
}
