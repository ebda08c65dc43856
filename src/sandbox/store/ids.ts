/**
 * Public ids: a prefix and the row's number with leading zeros, so that they sort in the order of creation.
 * The number is the row id in SQLite, which saves an index and makes an id that never existed cheap to refuse.
 */
export const ID_PREFIXES = {
  ticket: 'tkt',
  message: 'msg',
  event: 'evt',
  contact: 'con',
  agent: 'agt',
  attachment: 'att',
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

const DIGITS = 12;

export function publicId(kind: IdKind, seq: number): string {
  return `${ID_PREFIXES[kind]}_${String(seq).padStart(DIGITS, '0')}`;
}

/** The row's number, or undefined where the text is no id of this kind. */
export function rowNumber(kind: IdKind, id: string): number | undefined {
  const prefix = `${ID_PREFIXES[kind]}_`;
  const digits = id.slice(prefix.length);
  if (!id.startsWith(prefix) || !/^\d{12,15}$/.test(digits)) return undefined;
  const seq = Number(digits);
  // Only the canonical spelling is an id: no second text may name the same row.
  return publicId(kind, seq) === id ? seq : undefined;
}
