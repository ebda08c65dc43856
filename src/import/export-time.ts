/** When a ticket was last changed in its source, as its row says: an older export must not set it back. */
import type { Row } from '../domain/source.ts';
import { type ExportFiles, isJsonObject } from '../domain/source-file.ts';

/** Names of such columns, in small letters without anything between words. */
const NAMES: ReadonlySet<string> = new Set([
  'updatedat',
  'updated',
  'updateddate',
  'updateddatetime',
  'updatedtime',
  'updatedon',
  'sysupdatedon',
  'userupdatedat',
  'lastupdated',
  'lastupdatedat',
  'lastupdatetime',
  'lastupdatedtime',
  'lastmodified',
  'lastmodifiedat',
  'lastmodifieddate',
  'hslastmodifieddate',
  'modified',
  'modifiedat',
]);
/** Objects in which some platforms keep a ticket's own fields. */
const WITHIN = ['fields', 'properties', 'attributes'] as const;

/** Milliseconds since 1970; undefined where the row has no such column, or its value is no certain time. */
export function exportTimeOf({ ref, cells, object }: Row, { files }: ExportFiles): number | undefined {
  if (cells !== undefined) {
    const { header = [] } = files[ref.file]?.outline ?? {};
    return timeOf(cells[header.findIndex(isName)]);
  }
  const objects = [object, ...WITHIN.map((key) => object?.[key])];
  for (const each of objects) {
    if (!isJsonObject(each)) continue;
    const name = Object.keys(each).find(isName);
    const time = name === undefined ? undefined : timeOf(each[name]);
    if (time !== undefined) return time;
  }
  return undefined;
}

function isName(name: string): boolean {
  return NAMES.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
}

/** Two exports write their times in the same way, so one without a zone counts as UTC. */
function timeOf(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (/^\d{10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{13}$/.test(text)) return Number(text);
  const [, day, time = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const at = Date.parse(`${day}T${time === '' ? '00:00' : time}${zone === 'UTC' ? 'Z' : zone}`);
  return Number.isNaN(at) ? undefined : at;
}
