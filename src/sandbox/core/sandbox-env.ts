/** What travels with a request through the sandbox, and what every handler may ask for. */
import type { HttpBindings } from '@hono/node-server';
import type { Clock } from '../../domain/clock.ts';
import type { Traits } from '../faults/faults.ts';
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
    /** By a fault: the pause between finding contacts and creating them; that only half of a list is kept. */
    reported: { readonly racyMs?: number; readonly isHalf?: boolean } | undefined;
    /** How the service is, for this request. */
    traits: Traits | undefined;
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
  /** `POST /tickets` answers the ticket itself instead of `{ticket}`. */
  readonly bareTicket: boolean;
  /** What the specification does not name is refused. */
  readonly isStrict: boolean;
  /** Lists of messages show so many characters in `content`; the whole is in `fullContent`. */
  readonly shownCharacters: number;
  /** `GET /agents?email=` makes up an agent for an address that nobody has. */
  readonly inventAgents: boolean;
  /** How Core API reads are answered where this service cannot be read. */
  readonly unreadable: 403 | 404 | 405 | undefined;
  /** Contacts are always created racily, with this pause. */
  readonly racyContactsMs: number | undefined;
  /** The service's own address, for signed URLs. */
  origin(): string;
}
