/** Ports and events of the engine: the bar, the plain lines, the JSON and the report listen. */
import type { TicketProblem } from './ledger.ts';
import type { Problem } from './problem.ts';
import type { Outcome } from './ticket-state.ts';

export type RunEvent =
  | {
      type: 'stage';
      stage: 'reading' | 'checking' | 'fetching' | 'importing' | 'verifying' | 'writing' | 'exporting';
    }
  | { type: 'read'; bytes: number; totalBytes: number; records: number }
  | { type: 'checked'; tickets: number; problems: number }
  | { type: 'files'; done: number; wanted: number; missing: number; bytes: number; isAll: boolean }
  | { type: 'exported'; tickets: number; requests: number; left: number; secondsLeft: number }
  | { type: 'start-import'; tickets: number; alreadyDone: number; requests: number }
  | {
      type: 'ticket';
      externalId: string;
      outcome: Outcome;
      ticketId?: string;
      problem?: TicketProblem;
      warnings?: readonly TicketProblem[];
    }
  | { type: 'open'; total: number; settled: number; done: number }
  | {
      type: 'request';
      method: string;
      path: string;
      status?: number;
      milliseconds: number;
      attempt: number;
      requestId?: string | undefined;
    }
  | { type: 'retry'; reason: string; waitMs: number; attempt: number }
  | { type: 'rate-limited'; waitMs: number }
  | {
      type: 'waiting';
      reason: 'rate-budget' | 'retry-after' | 'target-down' | 'creates-fail';
      untilMs: number;
      /** The unreachable part, the cause, and milliseconds until the run gives up. */
      outage?: Outage;
    }
  | { type: 'problem'; problem: Problem }
  | { type: 'note'; message: string };

export interface Outage {
  readonly address: string;
  readonly cause: string;
  readonly givesUpMs: number;
}

export type Emit = (event: RunEvent) => void;

/** Milliseconds. */
export interface Clock {
  now(): number;
  /** Monotonic: only differences mean something. */
  monotonic(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1). */
export type Random = () => number;
