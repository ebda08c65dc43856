/** The plan: every mapped and checked ticket, in the database of its rows. Sending, counting, showing and rejecting read it. */

import type { TicketProblem } from '../domain/ledger.ts';
import { CONTENT_ID, type MessagePayload } from '../domain/payload.ts';
import type { RecordRef, UnreadableRecord } from '../domain/source.ts';
import type { CheckedTicket, CheckResult } from '../domain/ticket.ts';
import type { Database, Statement } from '../sqlite/database.ts';
import { Steps } from './queries.ts';

export interface TicketEntry {
  readonly kind: 'ticket';
  readonly seq: number;
  readonly externalId: string;
  readonly ref: RecordRef;
  readonly rows: readonly { readonly table: string; readonly ref: RecordRef }[];
  readonly result: CheckResult;
  readonly subject: string | undefined;
  readonly excluded: string | undefined;
  /** Milliseconds since 1970. */
  readonly exportedAt: number | undefined;
  /** For the checkpoint, without words of the ticket. */
  readonly refusal: TicketProblem | undefined;
}

export type PlanEntry = (TicketEntry | UnreadableRecord) & { readonly leftOut?: string | undefined };

const PAGE = 16;
const SCHEMA = `
  DROP TABLE IF EXISTS ticket;
  CREATE TABLE ticket (seq INTEGER PRIMARY KEY, external_id TEXT, row INTEGER, file INTEGER, line INTEGER, verdict TEXT, why TEXT,
    status TEXT, created_at TEXT, requester TEXT, ticket TEXT, messages TEXT, events TEXT, rest TEXT)`;

interface TicketRow {
  readonly seq: number;
  readonly external_id: string | null;
  readonly row: number;
  readonly file: number;
  readonly line: number;
  readonly verdict: 'valid' | 'rejected' | 'skipped' | 'unreadable';
  readonly why: string | null;
  readonly ticket: string | null;
  readonly messages: string | null;
  readonly events: string | null;
  readonly rest: string;
  readonly left_out: string | null;
}

type Rest = Omit<TicketEntry, 'kind' | 'seq' | 'externalId' | 'ref' | 'rows' | 'result'> & {
  readonly result: Omit<CheckResult, 'checked'>;
  readonly checked: Omit<CheckedTicket, 'ticket' | 'messages' | 'events' | 'rows'> | undefined;
  readonly rows: readonly (readonly [table: string, row: number, file: number, line: number])[];
};

export class TicketPlan {
  readonly #db: Database;
  #insert: Statement | undefined;
  readonly steps: Steps;
  readonly #completed: (ticket: CheckedTicket) => CheckedTicket;
  isComplete: boolean;

  /** `kept`: how tickets of a kept plan are completed. */
  constructor(db: Database, kept?: 'kept' | ((ticket: CheckedTicket) => CheckedTicket)) {
    this.#db = db;
    this.isComplete = kept !== undefined;
    this.#completed = typeof kept === 'function' ? kept : (ticket) => ticket;
    this.steps = new Steps(db);
  }

  begin(): void {
    this.#db.exec(SCHEMA);
  }

  add(entries: readonly (TicketEntry | UnreadableRecord)[]): void {
    this.#insert ??= this.#db.prepare('INSERT INTO ticket VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const insert = this.#insert;
    for (const entry of entries) {
      const { seq, ref } = entry;
      const place = [ref.row, ref.file, ref.line];
      if (entry.kind === 'unreadable') {
        const { table, code, message, externalId } = entry;
        const rest = JSON.stringify({ table, code, message });
        insert.run(seq, externalId, ...place, 'unreadable', message, ...Array(6).fill(null), rest);
        continue;
      }
      const { kind: _, seq: __, externalId, ref: ___, rows, result, ...others } = entry;
      const { checked, ...judged } = result;
      const { ticket, messages, events, rows: ____, ...more } = checked ?? NO_TICKET;
      const rest: Rest = {
        ...others,
        result: judged,
        checked: checked && (more as Rest['checked'] & object),
        rows: rows.map(({ table, ref: at }) => [table, at.row, at.file, at.line] as const),
      };
      const verdict = checked ? 'valid' : others.excluded === undefined ? 'rejected' : 'skipped';
      insert.run(
        ...[seq, externalId, ...place, verdict, others.excluded ?? others.refusal?.message],
        ...[ticket?.status, ticket?.createdAt, ticket?.contact?.email],
        ...[
          ticket && JSON.stringify(ticket),
          messages && written(messages),
          events && JSON.stringify(events),
        ],
        JSON.stringify(rest),
      );
    }
  }

  /** `where`: a condition on `ticket` and `step` (queries.ts). */
  *entries(where = 'TRUE'): Generator<readonly PlanEntry[]> {
    yield* this.#pages(
      `SELECT seq AS nr, ticket.*, leftOut AS left_out FROM ticket LEFT JOIN step USING (seq)
      WHERE seq > ? AND (${where}) ORDER BY seq LIMIT ${PAGE}`,
    );
  }

  *queued(): Generator<readonly PlanEntry[]> {
    yield* this.#pages(
      `SELECT nr, ticket.*, NULL AS left_out FROM turn JOIN ticket USING (seq) WHERE nr > ? ORDER BY nr LIMIT ${PAGE}`,
    );
  }

  *#pages(sql: string): Generator<readonly PlanEntry[]> {
    const page = this.#db.prepare<[number], TicketRow & { readonly nr: number }>(sql);
    for (let last = -1; ; ) {
      const rows = page.all(last);
      const end = rows.at(-1);
      if (end === undefined) return;
      yield rows.map((row) => this.#entry(row));
      last = end.nr;
    }
  }

  #entry(row: TicketRow): PlanEntry {
    const { seq, external_id: externalId } = row;
    const ref = { file: row.file, row: row.row, line: row.line };
    if (row.verdict === 'unreadable') {
      const { table, code, message } = JSON.parse(row.rest) as UnreadableRecord;
      return {
        kind: 'unreadable',
        seq,
        ref,
        table,
        code,
        message,
        leftOut: row.left_out ?? undefined,
        ...(externalId === null ? {} : { externalId }),
      };
    }
    const { result, checked, rows: places, ...rest } = JSON.parse(row.rest) as Rest;
    const rows = places.map(([table, at, file, line]) => ({ table, ref: { file, row: at, line } }));
    const whole =
      checked === undefined || row.ticket === null
        ? undefined
        : this.#completed({
            ...checked,
            ticket: JSON.parse(row.ticket) as CheckedTicket['ticket'],
            messages: read(row.messages ?? '[]'),
            events: JSON.parse(row.events ?? '[]') as CheckedTicket['events'],
            rows,
          });
    return {
      ...rest,
      excluded: row.verdict === 'skipped' ? (row.why ?? '') : undefined,
      kind: 'ticket',
      seq,
      externalId: externalId ?? '',
      ref,
      rows,
      result: { ...result, checked: whole },
      leftOut: row.left_out ?? undefined,
    };
  }
}

const NO_TICKET: Partial<CheckedTicket> = {};
const CONTENT_KEY = '@contentId';

/** The content ID is not sent, so its key is a symbol. */
function written(messages: readonly MessagePayload[]): string {
  return JSON.stringify(messages.map(withContentIds));
}

function withContentIds(message: MessagePayload): MessagePayload {
  const { attachments } = message;
  if (attachments?.some((attachment) => CONTENT_ID in attachment) !== true) return message;
  const named = attachments.map((attachment) =>
    CONTENT_ID in attachment ? { ...attachment, [CONTENT_KEY]: attachment[CONTENT_ID] } : attachment,
  );
  return { ...message, attachments: named };
}

function read(text: string): MessagePayload[] {
  const messages = JSON.parse(text) as MessagePayload[];
  if (!text.includes(CONTENT_KEY)) return messages;
  return messages.map((message) => ({
    ...message,
    ...(message.attachments && {
      attachments: message.attachments.map((attachment) => {
        const { [CONTENT_KEY]: id, ...rest } = attachment as typeof attachment & { [CONTENT_KEY]?: string };
        return id === undefined ? rest : { ...rest, [CONTENT_ID]: id };
      }),
    }),
  }));
}
