/**
 * The Core API as the import needs it. Every method waits for the rate budget, authenticates, and repeats what is safe, so a
 * failure is final: ApiFailure, or the signal's reason before anything was sent.
 */
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';

export type TicketChanges = Partial<Pick<TicketPayload, 'status' | 'priority' | 'tags' | 'assignedToId'>>;

export interface CreatedTicket {
  readonly id: string;
  readonly ticket: Readonly<Record<string, unknown>>;
}

/** As reported: every field is optional and unchecked. */
export type Snapshot = Readonly<Record<string, unknown>> & { readonly id: string };

export interface TicketQuery {
  readonly search?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly most?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly updatedSince?: number | undefined;
  /** So that lists of millions fit in memory. */
  readonly fields?: readonly string[] | undefined;
}

export interface PutReceipt {
  /** Otherwise only a read can tell. */
  readonly confirmed: boolean;
  readonly echo?: readonly Snapshot[] | undefined;
}

export interface OnWire {
  /** From its first byte until a refusal. The caller starts with true; the sender corrects it. */
  mayHaveArrived: boolean;
  /** Right before each attempt. If it rejects, nothing is sent. */
  readonly beforeSending?: (() => Promise<void>) | undefined;
}

export interface TicketApi {
  /** POST /tickets (4.1): at most one request of unknown outcome. `wire` says whether anything was sent, also after an error. */
  createTicket(ticket: TicketPayload, signal: AbortSignal, wire?: OnWire): Promise<CreatedTicket>;
  /** PUT /tickets/{id}/messages (4.2). Replaces what people wrote, so callers read before they repeat. */
  replaceMessages(
    ticketId: string,
    messages: readonly MessagePayload[],
    signal: AbortSignal,
    wire?: OnWire,
  ): Promise<PutReceipt>;
  /** PUT /tickets/{id}/events (4.3). May append, so callers read before they repeat. */
  replaceEvents(
    ticketId: string,
    events: readonly EventPayload[],
    signal: AbortSignal,
    wire?: OnWire,
  ): Promise<PutReceipt>;
  /** PUT /tickets/{id} (public facts). Overwrites what people changed. 404, 405 and 501: no such call. */
  updateTicket(
    ticketId: string,
    changes: TicketChanges,
    signal: AbortSignal,
    wire?: OnWire,
  ): Promise<{ reported?: Snapshot | undefined }>;
  /** GET /tickets, all pages. Throws ApiFailure with code `target-unreadable` on 403, 404 and 405. */
  findTickets(query: TicketQuery, signal: AbortSignal): Promise<Snapshot[]>;
  /** Undefined without a `total`; throws as `findTickets` does. */
  countTickets(query: TicketQuery, signal: AbortSignal): Promise<number | undefined>;
  /** GET /organization, else GET /me. */
  whoIs(signal: AbortSignal): Promise<string | undefined>;
  readTicket(ticketId: string, signal: AbortSignal): Promise<Snapshot>;
  /** With whole texts, if the helpdesk has them. Fewer messages than its `total` is a failure. */
  readMessages(ticketId: string, signal: AbortSignal): Promise<Snapshot[]>;
  readMessage(ticketId: string, messageId: string, signal: AbortSignal): Promise<Snapshot>;
  readEvents(ticketId: string, signal: AbortSignal): Promise<Snapshot[]>;
  /** GET /contacts?email=: known addresses of at most 100; more, or all, if the filter is ignored. */
  findContacts(emails: readonly string[], signal: AbortSignal): Promise<Snapshot[]>;
  /** GET /agents?email=. */
  findAgent(email: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Learned from the first requests and tickets. Absent: not shown yet. */
export interface KnownFacts {
  readonly isReadable?: boolean | undefined;
  readonly keepsTags?: boolean | undefined;
  /** The specification has no mail headers. */
  readonly takesMessageIds?: boolean | undefined;
}

export type ApiFailureCode =
  /** 4xx: the helpdesk refuses this ticket's data. */
  | 'refused'
  /** 401 after a refresh, or 403: of the whole run. */
  | 'auth'
  /** 404, 405, 403 on a read: the helpdesk cannot be read. */
  | 'target-unreadable'
  | 'unreachable'
  /** Time-out, reset or close after sending, 5xx, an unreadable body. */
  | 'unknown-outcome'
  /** 413: too large for the helpdesk or a proxy. */
  | 'too-large'
  /** Another 4xx, in another form than the service's: a proxy refuses. */
  | 'turned-away'
  /** Cut off by the second signal, or after the first one's grace. */
  | 'cut-off';

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: ApiFailureCode;
  /** `none`: the request provably had no effect. `unknown`: it may have had one. */
  readonly effect: 'none' | 'unknown';
  readonly status: number | undefined;
  /** Shortened, without secrets. */
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
