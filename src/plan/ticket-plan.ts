/** The plan: every mapped and checked ticket, in the database of its rows. Sending, counting, showing and rejecting read it. */

import type { Database, Statement } from '../domain/database.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import { CONTENT_ID, type MessagePayload } from '../domain/payload.ts';
import type { RecordRef, UnreadableRecord } from '../domain/source.ts';
import type { CheckedTicket, CheckResult, Fingerprints, PlannedAction } from '../domain/ticket.ts';
import type { Outcome } from '../domain/ticket-state.ts';
import { Steps } from './queries.ts';

export interface TicketEntry {
  readonly kind: 'ticket';
  readonly seq: number;
  readonly externalId: string;
  readonly ref: RecordRef;
  readonly rows: readonly { readonly table: string; readonly ref: RecordRef }[];
  readonly result: CheckResult;
  /** Names or addresses in the export: of the assignee (or null), then of the agents of messages and events. */
  readonly agents: readonly (string | null)[];
  readonly subject: string | undefined;
  readonly excluded: string | undefined;
  /** Milliseconds since 1970. */
  readonly exportedAt: number | undefined;
  /** For the checkpoint, without words of the ticket. */
  readonly refusal: TicketProblem | undefined;
}

/** With the run's step for it (queries.ts). */
export type PlannedEntry = TicketEntry & {
  readonly outcome: Outcome;
  readonly action: PlannedAction | undefined;
  /** The state to record, if nothing is sent. */
  readonly becomes: 'rejected' | 'incomplete' | undefined;
  readonly leftOut: string | undefined;
};
export type PlanEntry = PlannedEntry | (UnreadableRecord & { readonly leftOut: string | undefined });

/** The rows of all tickets. */
export const TAKEN_ROWS = `SELECT row FROM ticket UNION ALL SELECT place.value ->> 0
  FROM ticket, json_each(rest, '$.rows') AS of_table, json_each(of_table.value) AS place WHERE verdict <> 'unreadable'`;

const PAGE = 16;
const SCHEMA = `
  DROP TABLE IF EXISTS ticket;
  CREATE TABLE ticket (seq INTEGER PRIMARY KEY, external_id TEXT, row INTEGER, file INTEGER, line INTEGER, verdict TEXT, why TEXT,
    status TEXT, created_at TEXT, requester TEXT, ticket TEXT, messages TEXT, events TEXT, note TEXT, agents TEXT, names TEXT, rest TEXT,
    ticket_digest TEXT, messages_digest TEXT, events_digest TEXT, fields_digest TEXT)`;

export interface TicketRow {
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
  readonly note: string | null;
  readonly agents: string;
  readonly names: string;
  readonly rest: string;
  readonly ticket_digest: string | null;
  readonly messages_digest: string;
  readonly events_digest: string;
  readonly fields_digest: string | null;
}

interface StepRow {
  readonly left_out: string | null;
  readonly outcome: Outcome;
  readonly action: string | null;
  readonly becomes: PlannedEntry['becomes'] | null;
}

type Known = Pick<CheckResult, 'seq' | 'externalId'>;
type Rest = Omit<TicketEntry, 'kind' | 'seq' | 'externalId' | 'ref' | 'rows' | 'agents' | 'result'> & {
  readonly result: Omit<CheckResult, 'checked' | 'names' | keyof Known>;
  readonly checked: Pick<CheckedTicket, 'exported' | 'asExported'> | undefined;
  /** By table. */
  readonly rows: Readonly<Record<string, readonly (readonly [row: number, file: number, line: number])[]>>;
};

export class TicketPlan {
  readonly #db: Database;
  #insert: Statement | undefined;
  readonly steps: Steps;

  constructor(db: Database) {
    this.#db = db;
    this.steps = new Steps(db);
  }

  begin(): void {
    this.#db.exec(SCHEMA);
  }

  add(entries: readonly (TicketEntry | UnreadableRecord)[]): void {
    this.#insert ??= this.#db.prepare(`INSERT INTO ticket VALUES (${Array(21).fill('?').join(', ')})`);
    const insert = this.#insert;
    for (const entry of entries) {
      const { seq, ref } = entry;
      const place = [ref.row, ref.file, ref.line];
      if (entry.kind === 'unreadable') {
        const { table, code, message, externalId } = entry;
        const nothing = Array(9).fill(null);
        const rest = JSON.stringify({ table, code, message });
        insert.run(seq, externalId, ...place, 'unreadable', message, ...nothing, rest, ...NO_DIGESTS);
        continue;
      }
      const { externalId, rows, agents, subject, excluded, exportedAt, refusal } = entry;
      const { checked, names, seq: _, externalId: __, ...result } = entry.result;
      const { ticket, messages, events, exported, note, fingerprints, asExported } = checked ?? NO_TICKET;
      const rest: Rest = {
        ...{ subject, excluded, exportedAt, refusal, result },
        checked: checked && { exported, asExported },
        rows: byTable(rows),
      };
      const verdict = checked ? 'valid' : excluded === undefined ? 'rejected' : 'skipped';
      const texts = [ticket, messages && withContentIds(messages), events, note, agents, names, rest];
      insert.run(
        ...[seq, externalId, ...place, verdict, excluded ?? refusal?.message],
        ...[
          ticket?.status,
          ticket?.createdAt,
          ticket?.contact?.email,
          ...texts.map((text) => JSON.stringify(text) ?? null),
        ],
        ...(fingerprints === undefined ? NO_DIGESTS : digestsOf(fingerprints)),
      );
    }
  }

  /** The first new tickets, in the order of the export. */
  creates(most: number): CheckedTicket[] {
    const [page = []] = this.entries(`does = 'create'`, most);
    return page.flatMap((entry) => (entry.kind === 'ticket' && entry.result.checked) || []);
  }

  /** In pages of `most`. `where`: a condition on `ticket` and `step` (queries.ts). */
  *entries(where = 'TRUE', most = PAGE): Generator<readonly PlanEntry[]> {
    yield* this.#pages(
      `SELECT seq AS nr, ${WHOLE} FROM ticket JOIN step USING (seq) WHERE seq > ? AND (${where}) ORDER BY seq LIMIT ${most}`,
    );
  }

  /** In the order of sending, without records that cannot be read. */
  *queued(): Generator<readonly PlannedEntry[]> {
    const sql = `SELECT nr, ${WHOLE} FROM turn JOIN ticket USING (seq) JOIN step USING (seq) WHERE nr > ? ORDER BY nr LIMIT ${PAGE}`;
    for (const page of this.#pages(sql)) yield page.filter((entry) => entry.kind === 'ticket');
  }

  *#pages(sql: string): Generator<readonly PlanEntry[]> {
    for (const page of this.#rows<TicketRow & StepRow & { readonly nr: number }>(sql))
      yield page.map((row) => entryOf(row));
  }

  /** Page by page, so that no statement stays open. */
  *#rows<Row extends { readonly nr: number }>(sql: string): Generator<readonly Row[]> {
    const page = this.#db.prepare<[number], Row>(sql);
    for (let last = -1; ; ) {
      const rows = page.all(last);
      const end = rows.at(-1);
      if (end === undefined) return;
      yield rows;
      last = end.nr;
    }
  }
}

const WHOLE = 'ticket.*, leftOut AS left_out, outcome, action, becomes';

function entryOf(row: TicketRow & StepRow): PlanEntry {
  const { seq, external_id: externalId, ticket, messages, events, note, agents, names, rest: others } = row;
  const ref = { file: row.file, row: row.row, line: row.line };
  const leftOut = row.left_out ?? undefined;
  if (row.verdict === 'unreadable') {
    const record = JSON.parse(others) as Pick<UnreadableRecord, 'table' | 'code' | 'message'>;
    return {
      ...{ kind: 'unreadable', seq, ref, ...record, leftOut },
      ...(externalId === null ? {} : { externalId }),
    };
  }
  const { result, checked, rows: places, ...rest } = JSON.parse(others) as Rest;
  const known = { seq, externalId: externalId ?? '' };
  const rows = Object.entries(places).flatMap(([table, of]) =>
    of.map(([at, file, line]) => ({ table, ref: { file, row: at, line } })),
  );
  const whole =
    checked === undefined || !ticket
      ? undefined
      : {
          ...checked,
          ...known,
          ref,
          ticket: JSON.parse(ticket) as CheckedTicket['ticket'],
          messages: read(messages || '[]'),
          events: JSON.parse(events || '[]') as CheckedTicket['events'],
          ...(note === null ? {} : { note: JSON.parse(note) as MessagePayload }),
          fingerprints: fingerprintsIn(row),
          rows,
        };
  return {
    ...rest,
    excluded: row.verdict === 'skipped' ? (row.why ?? '') : undefined,
    kind: 'ticket',
    ...known,
    ref,
    rows,
    agents: JSON.parse(agents) as TicketEntry['agents'],
    result: { ...known, ...result, names: JSON.parse(names) as CheckResult['names'], checked: whole },
    leftOut,
    outcome: row.outcome,
    action: row.action === null ? undefined : (JSON.parse(row.action) as PlannedAction),
    becomes: row.becomes ?? undefined,
  };
}

const NO_DIGESTS = [null, null, null, null];

function digestsOf({ ticket, messages, events, fields }: Fingerprints) {
  return [ticket, messages, events, fields];
}

function fingerprintsIn(row: TicketRow): Fingerprints {
  return {
    ticket: row.ticket_digest ?? '',
    messages: row.messages_digest,
    events: row.events_digest,
    fields: row.fields_digest ?? undefined,
  };
}

const NO_TICKET: Partial<CheckedTicket> = {};

function byTable(rows: TicketEntry['rows']): Rest['rows'] {
  const tables = [...Map.groupBy(rows, ({ table }) => table)];
  return Object.fromEntries(
    tables.map(([table, of]) => [
      table,
      of.map(({ ref: { row, file, line } }) => [row, file, line] as const),
    ]),
  );
}

const CONTENT_KEY = '@contentId';

/** The content ID is not sent, so its key is a symbol. */
function withContentIds(messages: readonly MessagePayload[]): readonly MessagePayload[] {
  return messages.map(withContentId);
}

function withContentId(message: MessagePayload): MessagePayload {
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
