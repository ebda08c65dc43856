/** Line numbers as an editor counts them: LF, CRLF and a lone CR each end a line. */
const LF = 10;
const CR = 13;

/** Line ends in `bytes` from index `from` to `to`. A CR at the very end counts; the LF behind it, if any, must be inside. */
export function countLineEnds(bytes: Buffer, from: number, to: number): number {
  if (to <= from) return 0;
  const part = bytes.subarray(from, to);
  let count = 0;
  for (let at = part.indexOf(LF); at >= 0; at = part.indexOf(LF, at + 1)) count++;
  for (let at = part.indexOf(CR); at >= 0; at = part.indexOf(CR, at + 1)) {
    if (part[at + 1] !== LF) count++;
  }
  return count;
}

/** Follows a growing offset through a window and counts LFs on the way, looking at every byte once. */
export class LineCounter {
  #line = 1;
  /** Offset of the first LF that is not counted yet, or -1 where it is not known. */
  #next = -1;
  /** Where the search for it goes on. */
  #searched: number;

  constructor(start: number) {
    this.#searched = start;
  }

  /**
   * The line on which `offset` stands. Offsets never go back. Before bytes are forgotten, this has to be asked for the
   * offset up to which they are.
   */
  lineAt(offset: number, bytes: Buffer, base: number): number {
    for (;;) {
      if (this.#next < 0) {
        const from = this.#searched - base;
        const found = from < bytes.length ? bytes.indexOf(LF, from) : -1;
        if (found < 0) {
          this.#searched = Math.max(this.#searched, base + bytes.length);
          return this.#line;
        }
        this.#next = base + found;
      }
      if (this.#next >= offset) return this.#line;
      this.#line++;
      this.#searched = this.#next + 1;
      this.#next = -1;
    }
  }
}
