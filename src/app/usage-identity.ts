/**
 * What an event is known by, so that sending it again counts once: its own event id, or one derived from its source row.
 *
 * Derived ids come from the row's values by their column names, so they do not change when rows are added, sorted or moved
 * to another file. Rows that are equal in every column are events of their own (two orders of one customer in one second):
 * the second one is told from the first by its number among its equals. A derived id changes when a column is added or a
 * value is written differently; where that may happen, an id of the source should be mapped.
 */
import { hash } from 'node:crypto';
import type { Statement } from 'better-sqlite3';
import type { Row } from '../domain/source.ts';
import { guarded, openTempDatabase } from '../stage/temp-database.ts';

/** 128 bits: among a billion events two equal ones are less likely than a broken disk. */
const DIGEST_BYTES = 16;
export const DERIVED_PREFIX = 'row-';

/** How an event id is kept and compared. */
export function digestOf(eventId: string): Buffer {
  return hash('sha256', eventId, 'buffer').subarray(0, DIGEST_BYTES);
}

/** The row's own values as one text, whatever order its columns have. Without the `_reason` of rejects. */
export function rowText(row: Row, header: readonly string[]): string {
  if (row.object !== undefined) return canonical(row.object, true);
  const filled = header.flatMap((name, index) => {
    const cell = row.cells?.[index] ?? '';
    return cell === '' || name === '_reason' ? [] : [[name, cell] as const];
  });
  filled.sort(byText);
  return JSON.stringify(filled);
}

function byText(a: readonly [string, string], b: readonly [string, string]): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] < b[1] ? -1 : 1;
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown, isRow = false): string {
  if (Array.isArray(value)) return `[${value.map((element) => canonical(element)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const parts = Object.entries(value)
    .filter(([key, part]) => part !== undefined && part !== null && !(isRow && key === '_reason'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`);
  return `{${parts.join(',')}}`;
}

/** `number`: how many equal rows stand before it. */
export function derivedId(text: string, number: number): string {
  const whole = number === 0 ? text : `${text}\u0000${number}`;
  return DERIVED_PREFIX + hash('sha256', whole, 'hex').slice(0, 2 * DIGEST_BYTES);
}

export interface Identified {
  readonly eventId: string;
  readonly digest: Buffer;
}

/** Gives every row of one pass its event id. Remembers in a temporary file, so memory does not grow with the export. */
export class EventIdentities implements Disposable {
  readonly #database = openTempDatabase();
  readonly #claim: Statement<[Buffer]>;
  readonly #count: Statement<[Buffer], number>;
  readonly #isTaken: (digest: Buffer) => boolean;

  /**
   * `isTaken`: an event id that rows without one must not get. In rejects the equals before a row may be missing, because
   * they were done; then the row is the next of them that is not.
   */
  constructor(isTaken: (digest: Buffer) => boolean) {
    this.#isTaken = isTaken;
    this.#database.exec('CREATE TABLE ids (digest BLOB PRIMARY KEY) WITHOUT ROWID');
    this.#database.exec('CREATE TABLE equals (digest BLOB PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID');
    this.#claim = this.#database.prepare('INSERT OR IGNORE INTO ids VALUES (?)');
    this.#count = this.#database
      .prepare<[Buffer], number>(
        'INSERT INTO equals VALUES (?, 1) ON CONFLICT (digest) DO UPDATE SET n = n + 1 RETURNING n - 1',
      )
      .pluck();
  }

  /** To be asked once for every row of the pass. `text` is the row's own values (`rowText`), needed without an event id. */
  identify(eventId: string | undefined, text: () => string): Identified {
    if (eventId !== undefined) return { eventId, digest: digestOf(eventId) };
    const row = text();
    const key = digestOf(row);
    for (;;) {
      const derived = derivedId(
        row,
        guarded(() => this.#count.get(key) ?? 0),
      );
      const digest = digestOf(derived);
      if (!this.#isTaken(digest)) return { eventId: derived, digest };
    }
  }

  /** True for the first event with this id that is to be sent; later ones say the same again. */
  claim(digest: Buffer): boolean {
    return guarded(() => this.#claim.run(digest).changes === 1);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
