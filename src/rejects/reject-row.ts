import type { RecordRef } from '../domain/source.ts';

/** A row of the export that goes into the rejects; the table says where in a JSON document it belongs. */
export interface RejectRow {
  readonly table: string | undefined;
  readonly ref: RecordRef;
}

/** Each row once, in file order, and none that stands within another: an element of an array in the ticket's own record. */
export function outermost<R extends RejectRow>(rows: readonly R[]): R[] {
  const sorted = [...rows].sort(
    (a, b) => a.ref.file - b.ref.file || a.ref.offset - b.ref.offset || b.ref.length - a.ref.length,
  );
  const kept: R[] = [];
  for (const row of sorted) {
    const last = kept.at(-1)?.ref;
    const within = last?.file === row.ref.file && row.ref.offset < last.offset + Math.max(1, last.length);
    if (!within) kept.push(row);
  }
  return kept;
}
