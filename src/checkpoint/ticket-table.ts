/** The statements of the table `ticket`. Every one ends before it returns: none keeps a cursor open over other code. */

import type { TicketRecord } from '../domain/ledger.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { TICKET_STATES, type TicketState } from '../domain/ticket-state.ts';
import { BatchInsert } from '../sqlite/batch-insert.ts';
import type { Database, Statement } from '../sqlite/database.ts';
import {
  COLUMNS,
  IntentWriter,
  idOfKey,
  keyOfId,
  type ReadRow,
  recordOf,
  rowOf,
  stateCode,
  stateOfCode,
  stepOf,
} from './ticket-row.ts';

/** An intent that stands behind its end is not read: whoever wrote it takes it out later (ticket-row.ts). */
const READ = `SELECT ${COLUMNS},
  CASE WHEN state IN (${stateCode('creating')}, ${stateCode('inDoubt')})
    THEN (SELECT intent FROM intent WHERE intent.external_id = ticket.external_id) END
  FROM ticket`;
/** Records read at a time when iterating. */
const PAGE = 500;

export class TicketTable {
  readonly #db: Database;
  readonly #get: Statement<[string], ReadRow>;
  readonly #has: Statement<[string], number>;
  readonly #owner: Statement<[string], ReadRow>;
  readonly #countByState: Statement<[], [number, number]>;

  constructor(db: Database) {
    this.#db = db;
    this.#get = db.prepare<[string], ReadRow>(`${READ} WHERE external_id = ?`).raw();
    this.#has = db.prepare<[string], number>('SELECT 1 FROM ticket WHERE external_id = ?').pluck();
    this.#owner = db.prepare<[string], ReadRow>(`${READ} WHERE ticket_id = ? LIMIT 1`).raw();
    this.#countByState = db
      .prepare<[], [number, number]>('SELECT state, count(*) FROM ticket GROUP BY state')
      .raw();
  }

  get(externalId: string): TicketRecord | undefined {
    const row = this.#get.get(keyOfId(externalId));
    return row === undefined ? undefined : recordOf(row);
  }

  has(externalId: string): boolean {
    return this.#has.get(keyOfId(externalId)) !== undefined;
  }

  ownerOf(ticketId: string): TicketRecord | undefined {
    const row = this.#owner.get(ticketId);
    return row === undefined ? undefined : recordOf(row);
  }

  /** How many tickets have an id in the target; of those the ones that were changed last, and some others. */
  inTarget(newest: number): { count: number; newest: TicketRecord[]; others: TicketRecord[] } {
    const count = this.#db.prepare<[], number>('SELECT count(ticket_id) FROM ticket').pluck().get() as number;
    const some = (rest: string) =>
      this.#db
        .prepare<[], string>(`SELECT external_id FROM ticket WHERE ticket_id IS NOT NULL ORDER BY ${rest}`)
        .pluck()
        .all()
        .flatMap((key) => this.get(idOfKey(key)) ?? []);
    const latest = some(`updated_at DESC LIMIT ${newest}`);
    const known = new Set(latest.map(({ externalId }) => externalId));
    const others = [
      ...some('external_id LIMIT 1'),
      ...some(`external_id LIMIT 1 OFFSET ${Math.floor(count / 2)}`),
    ];
    return { count, newest: latest, others: others.filter(({ externalId }) => !known.has(externalId)) };
  }

  counts(): Record<TicketState, number> {
    const counts = Object.fromEntries(TICKET_STATES.map((state) => [state, 0])) as Record<
      TicketState,
      number
    >;
    for (const [code, count] of this.#countByState.all()) counts[stateOfCode(code)] = count;
    return counts;
  }

  /** Records in these states, by external id, `limit` at most, behind `after`. */
  page(states: readonly TicketState[], limit: number, after?: string): TicketRecord[] {
    const codes = states.map(stateCode).join(', ');
    const behind = after === undefined ? '' : 'AND external_id > ?';
    const statement = this.#db
      .prepare<string[], ReadRow>(
        `${READ} WHERE state IN (${codes}) ${behind} ORDER BY external_id LIMIT ${limit}`,
      )
      .raw();
    return statement.all(...(after === undefined ? [] : [keyOfId(after)])).map(recordOf);
  }

  /** How many tickets in these states were last changed in each second since the epoch. */
  changesBySecond(states: readonly TicketState[]): { second: number; tickets: number }[] {
    const codes = states.map(stateCode).join(', ');
    return this.#db
      .prepare<[], { second: number; tickets: number }>(
        `SELECT updated_at AS second, count(*) AS tickets FROM ticket WHERE state IN (${codes})
         GROUP BY updated_at ORDER BY updated_at`,
      )
      .all();
  }

  *inStates(states: readonly TicketState[]): IterableIterator<TicketRecord> {
    let page = this.page(states, PAGE);
    while (page.length > 0) {
      yield* page;
      page = page.length < PAGE ? [] : this.page(states, PAGE, page.at(-1)?.externalId);
    }
  }
}

export interface RecordWriter {
  /**
   * A record whole with its intent, new or not; it is written with `flush` at the latest. `stored`: the digests of its row, where they
   * are known; `at` in seconds since the epoch. No ticket twice between two flushes.
   */
  put(record: TicketRecord, stored: Fingerprints | undefined, at: number): void;
  flush(): void;
}

/** Most changes only take a ticket one step further, with the digests that its row has: those take a shorter statement. */
export function recordWriter(db: Database): RecordWriter {
  const whole = new BatchInsert(
    db,
    `INSERT INTO ticket (${COLUMNS}, updated_at)`,
    9,
    `ON CONFLICT (external_id) DO UPDATE SET
       state = excluded.state, reached = excluded.reached, ticket_id = excluded.ticket_id,
       thread = excluded.thread, fingerprints = excluded.fingerprints, problem = excluded.problem,
       origin = excluded.origin, updated_at = excluded.updated_at`,
  );
  const steps = new BatchInsert(
    db,
    'INSERT INTO ticket (external_id, state, reached, ticket_id, thread, updated_at)',
    6,
    `ON CONFLICT (external_id) DO UPDATE SET
       state = excluded.state, reached = excluded.reached, ticket_id = excluded.ticket_id,
       thread = excluded.thread, problem = NULL, updated_at = excluded.updated_at`,
  );
  const intents = new IntentWriter(db);
  return {
    put(record, stored, at) {
      intents.put(record);
      const isStep =
        stored !== undefined &&
        record.fingerprints === stored &&
        record.intent === undefined &&
        record.problem === undefined;
      if (isStep) steps.add(...stepOf(record), at);
      else whole.add(...rowOf(record), at);
    },
    flush() {
      whole.flush();
      steps.flush();
      intents.flush();
    },
  };
}
