/** A file of the export as UTF-8 with random access, before anybody knows what stands in it. */
import type { SourceFile } from '../../domain/source-file.ts';
import type { ByteSource, ReadTuning } from './byte-source.ts';
import type { InvalidText } from './file-problems.ts';

export interface DecodedFile {
  readonly id: number;
  readonly name: string;
  readonly source: ByteSource;
  /** Bytes of a byte order mark that is still there. */
  readonly offset: number;
  readonly encoding: string;
  readonly compression: SourceFile['compression'];
  readonly invalidText: InvalidText;
  readonly tuning: ReadTuning;
}
