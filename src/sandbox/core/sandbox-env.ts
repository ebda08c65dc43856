/** What travels with a request through the sandbox, and what every handler may ask for. */
import type { HttpBindings } from '@hono/node-server';
import type { Clock } from '../../domain/clock.ts';
import type { Contacts } from '../store/people.ts';
import type { RequestEffect } from '../store/request-log.ts';
import type { SandboxStore } from '../store/store.ts';

/** What a handler says it did; the log writes it down. */
interface Effect {
  effect: RequestEffect;
  ticketSeq?: number | undefined;
  subject?: string | undefined;
}

export interface SandboxEnv {
  Bindings: HttpBindings;
  Variables: {
    /** Set by the handler that had an effect. */
    effect: Effect | undefined;
    /** By faults: conditions of tickets that lists leave out. */
    hidden: readonly string[] | undefined;
    /** By a fault: a PUT of events adds them. */
    appendsEvents: boolean | undefined;
    /** By a fault: another way to match contacts. */
    contacts: Contacts | undefined;
    /** The body, where it was read before the handler's turn. */
    body: Buffer | undefined;
  };
}

export interface Service {
  readonly store: SandboxStore;
  readonly clock: Clock;
  /** Ends when the sandbox closes: no wait outlives it. */
  readonly closing: AbortSignal;
  readonly maxBodyBytes: number;
  /** What the specification does not name is refused. */
  readonly isStrict: boolean;
  /** `GET /agents?email=` makes up an agent for an address that nobody has. */
  readonly inventAgents: boolean;
  /** The service's own address, for signed URLs. */
  origin(): string;
}
