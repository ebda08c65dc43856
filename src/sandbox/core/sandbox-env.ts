/** The variables of a request, and the services of every handler. */
import type { HttpBindings } from '@hono/node-server';
import type { Clock } from '../../domain/clock.ts';
import type { Contacts } from '../store/people.ts';
import type { RequestEffect } from '../store/request-log.ts';
import type { SandboxStore } from '../store/store.ts';

/** The effect of a handler, for the log. */
interface Effect {
  effect: RequestEffect;
  ticketSeq?: number | undefined;
  subject?: string | undefined;
}

export interface SandboxEnv {
  Bindings: HttpBindings;
  Variables: {
    /** Set by a handler with an effect. */
    effect: Effect | undefined;
    /** Set by faults: conditions of hidden tickets. */
    hidden: readonly string[] | undefined;
    /** Set by a fault: a PUT of events adds them. */
    appendsEvents: boolean | undefined;
    /** Set by a fault: another way to match contacts. */
    contacts: Contacts | undefined;
    /** The body, if it was read before the handler. */
    body: Buffer | undefined;
  };
}

export interface Service {
  readonly store: SandboxStore;
  readonly clock: Clock;
  /** Aborts when the sandbox closes. */
  readonly closing: AbortSignal;
  readonly maxBodyBytes: number;
  /** Refuses what the specification does not name. */
  readonly isStrict: boolean;
  /** `GET /agents?email=` makes up an agent for an unknown address. */
  readonly inventAgents: boolean;
  /** The service's own address, for signed URLs. */
  origin(): string;
}
