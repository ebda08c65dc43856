import type { RecordRef } from '../domain/source.ts';

/** A row of the export that goes into the rejects; the table says where in a JSON document it belongs. */
export interface RejectRow {
  readonly table: string | undefined;
  readonly ref: RecordRef;
}
