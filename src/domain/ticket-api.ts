/**
 * The Core API as the import needs it (specification, section 4; reading as in the public facts).
 *
 * Contract of every method: it waits for admission (rate budget), carries authentication, and sends again by itself
 * whatever is safe to send again: after a proven "nothing happened" always, after an unknown outcome only PUT and GET.
 * So a failure that comes out is final for this call. It throws ApiFailure, or the signal's reason when aborted before
 * anything was sent; a create that is aborted after sending throws ApiFailure with effect 'unknown'.
 * Methods may be called concurrently.
 */
import type { EventPayload, MessagePayload, TicketPayload } from './payload.ts';

/** Fields of a ticket that is there. */
export type TicketChanges = Partial<Pick<TicketPayload, 'status' | 'priority' | 'tags' | 'assignedToId'>>;

export interface CreatedTicket {
  readonly id: string;
  /** The ticket as the target answered it. */
  readonly ticket: Readonly<Record<string, unknown>>;
}

/** A ticket, message or event as the target tells it when read back; every field is optional and unchecked. */
export type Snapshot = Readonly<Record<string, unknown>> & { readonly id: string };

export interface TicketQuery {
  /** `search=`: subject, contact name or e-mail. */
  readonly search?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Enough when so many are read; without it all pages are. */
  readonly most?: number | undefined;
  /** Of each ticket its id and these fields alone: then lists of some millions are read, however long that takes. */
  readonly fields?: readonly string[] | undefined;
}

/** What a PUT that did not fail was answered with. */
export interface PutReceipt {
  /** The answer says that all of it was done; else it says nothing, and a read can tell. */
  readonly confirmed: boolean;
  /** The list as the target has it now, element by element, where the answer tells it. */
  readonly echo?: readonly Snapshot[] | undefined;
}

/**
 * Whether the target may have a request, as the wire knows it: from when its first byte goes out until a refusal comes back.
 * Who asks begins with true; who sends says what is so.
 */
export interface OnWire {
  mayHaveArrived: boolean;
  /**
   * Awaited before each attempt, when it has to wait for nothing else any more: neither for a token nor for its turn. Where it
   * rejects, the call ends with that and nothing goes out.
   */
  readonly beforeSending?: (() => Promise<void>) | undefined;
}

export interface TicketApi {
  /**
   * POST /tickets (4.1). Not idempotent: at most one request of unknown outcome is ever sent. `wire` tells, whatever is thrown,
   * whether anything of it went out.
   */
  createTicket(ticket: TicketPayload, signal: AbortSignal, wire?: OnWire): Promise<CreatedTicket>;
  /**
   * PUT /tickets/{id}/messages (4.2). Replaces, what somebody wrote meanwhile as well: so it is sent once where its outcome is unknown,
   * and whoever sends it reads before it is repeated. `wire` as of a create.
   */
  replaceMessages(
    ticketId: string,
    messages: readonly MessagePayload[],
    signal: AbortSignal,
    wire?: OnWire,
  ): Promise<PutReceipt>;
  /**
   * PUT /tickets/{id}/events (4.3). Whether it replaces is not shown, so it is sent once where its outcome is unknown, and
   * whoever sends it reads before it is repeated.
   */
  replaceEvents(ticketId: string, events: readonly EventPayload[], signal: AbortSignal): Promise<PutReceipt>;
  /**
   * PUT /tickets/{id} (public facts). May be repeated. Resolves with the ticket as the answer tells it, where it does. Not promised:
   * 404, 405 and 501 come from a target without the call.
   */
  updateTicket(
    ticketId: string,
    changes: TicketChanges,
    signal: AbortSignal,
  ): Promise<{ reported?: Snapshot }>;
  /** GET /tickets, all pages. Throws ApiFailure with code `target-unreadable` on 403, 404 and 405. */
  findTickets(query: TicketQuery, signal: AbortSignal): Promise<Snapshot[]>;
  /** How many tickets there are, where the list tells (`total`); throws as `findTickets` does. */
  countTickets(query: TicketQuery, signal: AbortSignal): Promise<number | undefined>;
  /** What names the organization behind the address (GET /organization, else GET /me); undefined where it is not told. */
  whoIs(signal: AbortSignal): Promise<string | undefined>;
  readTicket(ticketId: string, signal: AbortSignal): Promise<Snapshot>;
  /** The whole thread, each `content` the whole text where the target tells it. Fewer than its `total` is a failure. */
  readMessages(ticketId: string, signal: AbortSignal): Promise<Snapshot[]>;
  /** GET /tickets/{id}/messages/{messageId} (public facts). */
  readMessage(ticketId: string, messageId: string, signal: AbortSignal): Promise<Snapshot>;
  readEvents(ticketId: string, signal: AbortSignal): Promise<Snapshot[]>;
  /** GET /agents?email=: the agent's id, or undefined when the target knows none. */
  findAgent(email: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * What the target can do: asked once, by the first request and by the first tickets, and the same for everybody afterwards. A fact
 * is absent until the target has shown it.
 */
export interface TargetFacts {
  /** Tickets can be read. */
  readonly isReadable?: boolean | undefined;
  /** A ticket shows the tags that it was created with. */
  readonly keepsTags?: boolean | undefined;
  /** Messages keep the fields that the specification does not have: ids of messages and of mails. */
  readonly takesMessageIds?: boolean | undefined;
}

export type ApiFailureCode =
  /** 4xx for this ticket: the target refuses its data. */
  | 'refused'
  /** 401 after a refresh, or 403: of the whole run. */
  | 'auth'
  /** 404, 405, 403 on a read: the target cannot be read. */
  | 'target-unreadable'
  /** Connection refused, DNS, TLS: gave up after the time that the settings allow. */
  | 'unreachable'
  /** Time-out, reset or close after sending, 5xx, or a body that cannot be read. */
  | 'unknown-outcome'
  /** The second signal, or the end of the first one's grace, cut it off. */
  | 'cut-off';

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: ApiFailureCode;
  /** `none`: it is proven that the request had no effect. `unknown`: it may have had one. */
  readonly effect: 'none' | 'unknown';
  readonly status: number | undefined;
  /** What the service said (its `error` and `message`), shortened, without secrets. */
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
