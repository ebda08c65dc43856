/** The state of a checkpoint. Reads only, also during a run. */
import { statSync } from 'node:fs';
import {
  type MissingReason,
  NOTE_KEY,
  OLD_ENTRY,
  THREAD_ENTRY,
  type TicketRecord,
} from '../domain/ledger.ts';
import {
  LEFT_OPEN,
  OUTCOMES,
  type Outcome,
  outcomeOf,
  TICKET_STATES,
  type TicketState,
} from '../domain/ticket-state.ts';
import { type TrialMarks, trialMarks } from './marks.ts';
import type { CheckpointReader, RunInfo } from './read-checkpoint.ts';

/** Tickets that no run has reached are in no checkpoint. */
export type KnownCounts = Record<Outcome, number> & { known: number };

export interface RunStatus extends Pick<RunInfo, 'mode' | 'version' | 'pid' | 'exitCode' | 'summary'> {
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly isGoingOn: boolean;
}

export interface FailedTicket {
  readonly externalId: string;
  readonly outcome: 'failed' | 'rejected';
  /** Only its messages or events are missing. */
  readonly ticketId?: string | undefined;
  readonly code: string;
  readonly status?: number | undefined;
  readonly reason: string;
}

export interface DoubtfulTicket {
  readonly externalId: string;
  readonly tag?: string | undefined;
  readonly sentAt?: string | undefined;
  readonly reason?: string | undefined;
}

export type Reason = Pick<FailedTicket, 'outcome' | 'code' | 'reason'> & {
  readonly count: number;
  readonly example: string;
};

/** The part of the facts that only a checkpoint has. Times are UTC ISO-8601. */
export interface CheckpointFacts {
  readonly createdAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly bytes?: number | undefined;
  /** Once the page of a trial was opened. */
  readonly marks?: TrialMarks | undefined;
  readonly undo?:
    | { readonly undone: number; readonly begun: number; readonly unfinished: readonly string[] }
    | undefined;
  readonly fetched?:
    | {
        readonly addresses: number;
        readonly contents: number;
        readonly bytes: number;
        readonly missing: readonly {
          readonly address: string;
          readonly reason: MissingReason;
          readonly detail: string;
        }[];
      }
    | undefined;
  readonly writer?: { readonly pid?: number | undefined; readonly since?: string | undefined } | undefined;
  readonly runs?: readonly RunStatus[] | undefined;
  /** Tickets that a person has to look at, as many as were asked for, and how often each reason occurs. */
  readonly failed?: readonly FailedTicket[] | undefined;
  readonly reasons?: readonly Reason[] | undefined;
  readonly inDoubt?: readonly DoubtfulTicket[] | undefined;
}

export function runTagOf({ summary }: Pick<RunStatus, 'summary'>): string | undefined {
  const tag = summary?.['runTag'];
  return typeof tag === 'string' ? tag : undefined;
}

const RUNS = 10;

export function checkpointFacts(reader: CheckpointReader): CheckpointFacts {
  const { meta, path } = reader;
  const writer = reader.writer();
  const undos = [...reader.undos.values()];
  const begun = undos.filter((each) => each.begun !== undefined);
  return {
    createdAt: isoOf(meta.createdAt),
    createdBy: meta.createdBy,
    bytes: statSync(path).size,
    ...(undos.length > 0 && {
      undo: {
        undone: undos.length - begun.length,
        begun: begun.length,
        unfinished: [...new Set(begun.map(({ run }) => run))],
      },
    }),
    marks: trialMarks(reader),
    fetched: fetchedOf(reader),
    ...(writer && {
      writer: { ...writer, since: writer.since === undefined ? undefined : isoOf(writer.since) },
    }),
    runs: reader.runs(RUNS).map(({ id: _, startedAt, endedAt, ...run }, index) => ({
      ...run,
      startedAt: isoOf(startedAt),
      endedAt: endedAt === undefined ? undefined : isoOf(endedAt),
      isGoingOn: index === 0 && endedAt === undefined && writer !== undefined,
    })),
  };
}

function fetchedOf({ files }: CheckpointReader): CheckpointFacts['fetched'] {
  const all = files.all();
  const missing = all.flatMap(({ label: address, hash, reason, detail = '' }) =>
    hash !== undefined || reason === undefined ? [] : { address, reason, detail },
  );
  const addresses = all.filter(({ hash }) => hash !== undefined).length;
  if (addresses + missing.length === 0) return undefined;
  const stored = [...files.contents()].filter(({ begun }) => !begun);
  const bytes = stored.reduce((sum, { size }) => sum + size, 0);
  return { addresses, contents: stored.length, bytes, missing };
}

export function knownCounts(reader: CheckpointReader, isBeingWritten: boolean): KnownCounts {
  const outcomes = outcomesOf(reader.counts(), isBeingWritten);
  return { known: OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0), ...outcomes };
}

export function outcomesOf(
  counts: Readonly<Record<TicketState, number>>,
  isBeingWritten: boolean,
): Record<Outcome, number> {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const state of TICKET_STATES) outcomes[outcomeOf(state, isBeingWritten)] += counts[state];
  return outcomes;
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Messages of the import that the helpdesk has, without its notes (`messagesSent`). */
export function messagesIn({ db }: CheckpointReader): number {
  const entry = `iif(length(thread) % 2 = 0, ${OLD_ENTRY}, ${THREAD_ENTRY})`;
  const isNote = `substr(thread, -${entry}, 4) = x'${NOTE_KEY}'`;
  return db
    .prepare<[], number>(
      `SELECT ifnull(sum(length(thread) / ${entry} - (${isNote})), 0) FROM ticket
       WHERE length(thread) > 0 AND (state = 'done' OR reopened = 0)`,
    )
    .pluck()
    .get() as number;
}

export function listFailed(
  reader: Pick<CheckpointReader, 'page'>,
  limit: number,
  states: readonly TicketState[] = LEFT_OPEN,
): FailedTicket[] {
  return reader.page(states, limit).map(failedTicket);
}

function failedTicket({ externalId, state, ticketId, problem }: TicketRecord): FailedTicket {
  return {
    externalId,
    outcome: state === 'rejected' ? 'rejected' : 'failed',
    ticketId,
    code: problem?.code ?? 'unknown',
    status: problem?.status,
    reason: problem?.message ?? 'The reason is not recorded.',
  };
}

export function failureReasons(reader: Pick<CheckpointReader, 'inStates'>): Reason[] {
  const reasons = new Map<string, Reason>();
  for (const record of reader.inStates(LEFT_OPEN)) {
    const { outcome, code, reason, externalId: example } = failedTicket(record);
    const key = JSON.stringify([outcome, code, reason]);
    const { count } = reasons.get(key) ?? { count: 0 };
    reasons.set(key, { ...(reasons.get(key) ?? { outcome, code, reason, example }), count: count + 1 });
  }
  return [...reasons.values()].sort((a, b) => b.count - a.count);
}

const INTERRUPTED = 'An earlier run ended while this ticket was being created.';

export function listDoubts(
  reader: Pick<CheckpointReader, 'page' | 'writer'>,
  limit: number,
): DoubtfulTicket[] {
  // Without a process a create was interrupted; else it may just wait for its answer.
  return reader
    .page(reader.writer() === undefined ? ['creating', 'inDoubt'] : ['inDoubt'], limit)
    .map(({ externalId, sent, problem }) => ({
      externalId,
      tag: sent?.tag,
      sentAt: sent && new Date(sent.at).toISOString(),
      reason: problem?.message ?? INTERRUPTED,
    }));
}
