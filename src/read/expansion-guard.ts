/** Stops an archive that unpacks to far more than an export could be: a bomb, or a mistake. */
import { AppError } from '../domain/errors.ts';
import type { ReadTuning } from './read-tuning.ts';

export class ExpansionGuard {
  readonly #name: string;
  readonly #packedBytes: number;
  readonly #tuning: ReadTuning;
  #unpacked = 0;

  /** `packedBytes`: size of the whole file that is being unpacked. */
  constructor(name: string, packedBytes: number, tuning: ReadTuning) {
    this.#name = name;
    this.#packedBytes = packedBytes;
    this.#tuning = tuning;
  }

  /** To be called before the bytes are written. */
  add(bytes: number): void {
    this.#unpacked += bytes;
    const { maxRatio, ratioFloorBytes, maxUnpackedBytes } = this.#tuning;
    const tooDense = this.#unpacked > ratioFloorBytes && this.#unpacked > maxRatio * this.#packedBytes;
    if (!tooDense && this.#unpacked <= maxUnpackedBytes) return;
    throw new AppError(
      'source',
      `${this.#name} was not unpacked: ${tooDense ? `it holds more than ${maxRatio} times its own size` : 'it holds too much'}, as archives do that are made to fill disks.`,
      { hint: 'If it is a true export, unpack it yourself and name the unpacked files.' },
    );
  }
}
