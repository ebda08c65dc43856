/**
 * Which tickets are read back: all of them, or a sample that is spread evenly over the export and is the same each time.
 * How many there are is known only at the end of the export, so the sample is thinned out as it grows: constant memory.
 */
export interface Sample {
  /** To be called for every ticket that could be read back, in the order of the export. */
  offer(externalId: string): void;
  /** At most `size` of those offered, evenly spread. */
  chosen(): ReadonlySet<string>;
  readonly offered: number;
}

/** Pure but for its own memory, which is twice the sample. */
export function createSample(size: number): Sample {
  let kept: string[] = [];
  let stride = 1;
  let offered = 0;
  return {
    get offered() {
      return offered;
    },
    offer(externalId) {
      if (offered % stride === 0) kept.push(externalId);
      offered++;
      if (kept.length < size * 2) return;
      kept = kept.filter((_, index) => index % 2 === 0);
      stride *= 2;
    },
    chosen() {
      if (kept.length <= size) return new Set(kept);
      return new Set(
        Array.from({ length: size }, (_, place) => kept[Math.floor((place * kept.length) / size)] ?? ''),
      );
    },
  };
}
