import { parseTime } from '../../domain/written-time.ts';

/** A prefix and the row's number with leading zeros, so that they sort by creation. */
const ID_PREFIXES = {
  ticket: 'tkt',
  message: 'msg',
  event: 'evt',
  contact: 'con',
  agent: 'agt',
  attachment: 'att',
} as const;
type IdKind = keyof typeof ID_PREFIXES;

const DIGITS = 12;

export function publicId(kind: IdKind, seq: number): string {
  return `${ID_PREFIXES[kind]}_${String(seq).padStart(DIGITS, '0')}`;
}

export function rowNumber(kind: IdKind, id: string): number | undefined {
  const prefix = `${ID_PREFIXES[kind]}_`;
  const digits = id.slice(prefix.length);
  if (!id.startsWith(prefix) || !/^\d{12,15}$/.test(digits)) return undefined;
  const seq = Number(digits);
  // Only the canonical spelling is an ID.
  return publicId(kind, seq) === id ? seq : undefined;
}

export function keptMs(text: string): number {
  const parsed = parseTime(text);
  if (parsed.kind !== 'instant') throw new Error(`not an instant: ${text}`);
  return parsed.ms;
}

export function keptIso(text: string): string {
  return isoOf(keptMs(text));
}

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T);
}
