/**
 * Walking through the bytes of a JSON document that is larger than memory. The walk is written as generators: they give
 * control back only when they need more bytes, so a document in memory is walked without a single promise.
 */

/** The bytes at hand; whoever drives a walk fills them up when it stops, keeping what stands from `keep` on. */
export interface Bytes {
  readonly bytes: Buffer;
  /** Offset of the first of them. */
  readonly base: number;
  /** No bytes come behind them. */
  readonly ended: boolean;
}

export type Walk<T> = Generator<void, T, void>;

/** The document is not JSON. Thrown by a walk, at an offset. */
export class JsonDefect extends Error {
  readonly offset: number;

  constructor(offset: number, what: string) {
    super(what);
    this.offset = offset;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const END = -1;

export class JsonCursor {
  readonly #view: Bytes;
  /** Index in the bytes at hand. */
  #at = 0;
  /** Offset from which bytes must be kept; nothing before the cursor when it is undefined. */
  #held: number | undefined;

  constructor(view: Bytes, start: number) {
    this.#view = view;
    this.#at = start - view.base;
  }

  get offset(): number {
    return this.#view.base + this.#at;
  }

  /** What the driver of the walk must keep. */
  get keep(): number {
    return this.#held ?? this.offset;
  }

  /** Keeps bytes from the present place until `release`. */
  hold(): void {
    this.#held = this.offset;
  }

  release(): void {
    this.#held = undefined;
  }

  /** The text between two offsets that are held. */
  text(start: number, end: number): string {
    return this.#view.bytes.toString('utf8', start - this.#view.base, end - this.#view.base);
  }

  /** The next byte that is no white space, without taking it; -1 at the end. */
  *peek(): Walk<number> {
    for (;;) {
      const { bytes } = this.#view;
      while (this.#at < bytes.length) {
        const byte = bytes[this.#at] ?? 0;
        if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return byte;
        this.#at++;
      }
      if (!(yield* this.#more())) return END;
    }
  }

  /** Takes the byte that `peek` saw. */
  take(): void {
    this.#at++;
  }

  /** Takes one string; the cursor stands on its opening quote. Gives what it says. */
  *string(): Walk<string> {
    const start = this.offset;
    const held = this.#held;
    this.#held ??= start;
    yield* this.#skipString();
    const text = this.text(start, this.offset);
    this.#held = held;
    try {
      return String(JSON.parse(text));
    } catch {
      throw new JsonDefect(start, 'a key has a control character or an unknown escape in it');
    }
  }

  /** Takes one value of any kind; brackets are counted, and what stands between them is not judged. */
  *skipValue(): Walk<void> {
    const first = yield* this.peek();
    if (first === QUOTE) return yield* this.#skipString();
    if (first !== 0x7b && first !== 0x5b) return yield* this.#skipScalar(first);
    let depth = 0;
    for (;;) {
      const { bytes } = this.#view;
      let at = this.#at;
      for (; at < bytes.length; at++) {
        const byte = bytes[at];
        if (byte === QUOTE) {
          const end = closingQuote(bytes, at);
          if (end < 0) break;
          at = end;
        } else if (byte === 0x7b || byte === 0x5b) {
          depth++;
        } else if (byte === 0x7d || byte === 0x5d) {
          if (--depth === 0) {
            this.#at = at + 1;
            return;
          }
        }
      }
      this.#at = at;
      if (at < bytes.length) yield* this.#skipString();
      else if (!(yield* this.#more())) throw new JsonDefect(this.offset, 'it ends in the middle');
    }
  }

  *#skipString(): Walk<void> {
    const start = this.offset;
    /** Where the search for the closing quote goes on, so that no byte is looked at twice. */
    let from = start + 1;
    for (;;) {
      const { bytes, base } = this.#view;
      const end = closingQuote(bytes, start - base, from - base);
      if (end >= 0) {
        this.#at = end + 1;
        return;
      }
      from = Math.max(from, base + bytes.length);
      // Backslashes are counted back from a quote, so the string is held as a whole.
      const held = this.#held;
      this.#held ??= start;
      const more = yield* this.#more();
      this.#held = held;
      if (!more) throw new JsonDefect(base + bytes.length, 'it ends in the middle of a string');
    }
  }

  *#skipScalar(first: number): Walk<void> {
    if (first === END) throw new JsonDefect(this.offset, 'it ends in the middle');
    const start = this.offset;
    for (;;) {
      const { bytes } = this.#view;
      while (this.#at < bytes.length && isScalarByte(bytes[this.#at] ?? 0)) this.#at++;
      if (this.#at < bytes.length || !(yield* this.#more())) break;
    }
    if (this.offset === start) throw new JsonDefect(start, 'a value is expected');
  }

  /** Asks for more bytes; false at the end. */
  *#more(): Walk<boolean> {
    if (this.#view.ended) return false;
    const offset = this.offset;
    yield;
    this.#at = offset - this.#view.base;
    return true;
  }
}

/** Index of the quote that closes the string opened at `open`, searched from `from`; -1 where the bytes have none. */
function closingQuote(bytes: Buffer, open: number, from = open + 1): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = at;
    while (slashes > open && bytes[slashes - 1] === BACKSLASH) slashes--;
    if ((at - slashes) % 2 === 0) return at;
  }
  return -1;
}

/** Letters, digits, `+`, `-` and `.`: what numbers, true, false and null are made of. */
function isScalarByte(byte: number): boolean {
  return /[A-Za-z0-9+.-]/.test(String.fromCharCode(byte));
}
