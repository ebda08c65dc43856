/** The bounds of reading, in bytes. Tests set them small; nobody else needs to. */
export interface ReadTuning {
  /** How much of a file is read at a time; a window grows beyond it only for a larger record. */
  readonly chunkBytes: number;
  /** A CSV record longer than this is taken for an unclosed quote. */
  readonly maxCsvRecordBytes: number;
  /** A JSON record longer than this is not read: its text would not fit into one string with room to work. */
  readonly maxJsonRecordBytes: number;
  /** Unpacking stops when more than `ratioFloorBytes` came out and it is more than `maxRatio` times what went in. */
  readonly maxRatio: number;
  readonly ratioFloorBytes: number;
  /** Unpacking one input stops beyond this. */
  readonly maxUnpackedBytes: number;
  /** Plain files held open at a time. */
  readonly openFiles: number;
}

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Rows of CSV and JSONL are handed on by so many bytes of their file at most. All that is made of them is alive together,
 * and copied by every collection that falls into it: with 128 KiB twice as much is.
 */
export const ROWS_BYTES = 64 * KiB;

export const DEFAULT_TUNING: ReadTuning = {
  chunkBytes: 128 * KiB,
  maxCsvRecordBytes: 64 * MiB,
  maxJsonRecordBytes: 384 * MiB,
  maxRatio: 250,
  ratioFloorBytes: 256 * MiB,
  maxUnpackedBytes: 512 * KiB * MiB,
  openFiles: 64,
};
