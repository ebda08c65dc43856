/**
 * The Core API as the import needs it (specification, section 4; reading as in the public facts).
 *
 * Every method waits for the rate budget, authenticates, and retries what is safe to send again, so a failure is final for this call. It
 * throws ApiFailure, or the signal's reason if aborted before anything was sent. A create that is aborted after sending throws
 * ApiFailure with effect 'unknown'. Methods may be called concurrently.
 */
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';

/** Fields of an existing ticket that can be changed. */
export type TicketChanges = Partial<Pick<TicketPayload, 'status' | 'priority' | 'tags' | 'assignedToId'>>;

export interface CreatedTicket {
  readonly id: string;
  /** The ticket in the target's answer. */
  readonly ticket: Readonly<Record<string, unknown>>;
}

/** A ticket, message or event as the target reports it; every field is optional and unchecked. */
export type Snapshot = Readonly<Record<string, unknown>> & { readonly id: string };

export interface TicketQuery {
  /** `search=`: subject, contact name or e-mail. */
  readonly search?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Stop after this many; without it read all pages. */
  readonly most?: number | undefined;
  /** Keep only the ID and these fields, so that lists of millions fit in memory. */
  readonly fields?: readonly string[] | undefined;
}

/** The answer to a successful PUT. */
export interface PutReceipt {
  /** The answer confirms everything; otherwise only a read can. */
  readonly confirmed: boolean;
  /** The list in the answer, if it has one. */
  readonly echo?: readonly Snapshot[] | undefined;
}

/**
 * Whether the target may have received a request: from its first byte until a refusal. The caller starts with true; the sender corrects it.
 */
export interface OnWire {
  mayHaveArrived: boolean;
  /**
   * Awaited right before each attempt is sent. If it rejects, nothing is sent.
   */
  readonly beforeSending?: (() => Promise<void>) | undefined;
}

export interface TicketApi {
  /**
   * POST /tickets (4.1). Not idempotent: sends at most one request of unknown outcome. `wire` says whether anything was sent, also after
   * an error.
   */
  createTicket(ticket: TicketPayload, signal: AbortSignal, wire?: OnWire): Promise<CreatedTicket>;
  /**
   * PUT /tickets/{id}/messages (4.2). Replaces what people wrote meanwhile too, so callers read before they repeat an unknown outcome.
   */
  replaceMessages(
    ticketId: string,
    messages: readonly MessagePayload[],
    signal: AbortSignal,
    wire?: OnWire,
  ): Promise<PutReceipt>;
  /**
   * PUT /tickets/{id}/events (4.3). It may append, so callers read before they repeat an unknown outcome.
   */
  replaceEvents(ticketId: string, events: readonly EventPayload[], signal: AbortSignal): Promise<PutReceipt>;
  /**
   * PUT /tickets/{id} (public facts). May be repeated. 404, 405 and 501: the target does not have the call.
   */
  updateTicket(
    ticketId: string,
    changes: TicketChanges,
    signal: AbortSignal,
  ): Promise<{ reported?: Snapshot | undefined }>;
  /** GET /tickets, all pages. Throws ApiFailure with code `target-unreadable` on 403, 404 and 405. */
  findTickets(query: TicketQuery, signal: AbortSignal): Promise<Snapshot[]>;
  /** `total` of the list, if it has one; throws as `findTickets` does. */
  countTickets(query: TicketQuery, signal: AbortSignal): Promise<number | undefined>;
  /** The organization behind the address (GET /organization, else GET /me). */
  whoIs(signal: AbortSignal): Promise<string | undefined>;
  readTicket(ticketId: string, signal: AbortSignal): Promise<Snapshot>;
  /** The whole thread with whole texts, if the target has them. Fewer messages than its `total` is a failure. */
  readMessages(ticketId: string, signal: AbortSignal): Promise<Snapshot[]>;
  /** GET /tickets/{id}/messages/{messageId} (public facts). */
  readMessage(ticketId: string, messageId: string, signal: AbortSignal): Promise<Snapshot>;
  readEvents(ticketId: string, signal: AbortSignal): Promise<Snapshot[]>;
  /** GET /agents?email=: the agent's ID, if there is one. */
  findAgent(email: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * What the target can do, learned once from the first requests and tickets. Absent until the target has shown it.
 */
export interface TargetFacts {
  /** Tickets can be read. */
  readonly isReadable?: boolean | undefined;
  /** A ticket shows the tags that it was created with. */
  readonly keepsTags?: boolean | undefined;
  /** Messages keep mail headers, which the specification does not have. */
  readonly takesMessageIds?: boolean | undefined;
}

export type ApiFailureCode =
  /** 4xx for this ticket: the target refuses its data. */
  | 'refused'
  /** 401 after a refresh, or 403: of the whole run. */
  | 'auth'
  /** 404, 405, 403 on a read: the target cannot be read. */
  | 'target-unreadable'
  /** Connection refused, DNS, TLS, for longer than the settings allow. */
  | 'unreachable'
  /** Time-out, reset or close after sending, 5xx, an unreadable body. */
  | 'unknown-outcome'
  /** Cut off by the second signal, or after the first one's grace. */
  | 'cut-off';

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: ApiFailureCode;
  /** `none`: the request provably had no effect. `unknown`: it may have had one. */
  readonly effect: 'none' | 'unknown';
  readonly status: number | undefined;
  /** The service's `error` and `message`, shortened, without secrets. */
  readonly detail: string | undefined;

  constructor(
    code: ApiFailureCode,
    effect: 'none' | 'unknown',
    message: string,
    details: { status?: number | undefined; detail?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.effect = effect;
    this.status = details.status;
    this.detail = details.detail;
  }
}
