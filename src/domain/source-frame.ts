/** Where in the export a bad value stands, and the line there with the value marked: what a person opens the file for. */
import type { RecordRef } from './source.ts';

/**
 * A part of a record: the cell of a CSV row, by its index in the header; the value of a JSON record at a path from the
 * record itself; or the place at which the record stops being CSV or JSON.
 */
export type RecordPart =
  | { readonly cell: number }
  | { readonly path: readonly (string | number)[] }
  | 'defect';

export interface SourceSpot {
  readonly ref: RecordRef;
  readonly part: RecordPart;
}

/** Finds it only when asked: most problems are never shown. Undefined where nothing of the export can be pointed at. */
export type LocateSpot = () => SourceSpot | undefined;

/** A line of the export, as text of bounded length: three stretches of it that follow each other. */
export interface SourceFrame {
  readonly file: string;
  /** Physical line on which the marked part begins, from 1. */
  readonly line: number;
  /** Its first character, in UTF-16 units from 1; absent where the line is too long for counting them. */
  readonly column?: number;
  readonly before: string;
  /** Empty where a value is missing: it would stand here. */
  readonly marked: string;
  readonly after: string;
  /** The line has more before `before`, and more behind `after`. */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}
