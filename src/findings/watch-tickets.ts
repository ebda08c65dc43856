/** Whether tickets are whole and their own: keys, times, statuses. */
import { type Finding, many, type Places } from './finding.ts';
import { KeySketch } from './key-sketch.ts';
import type { SeenTicket } from './seen-ticket.ts';

const LEAST = 5;
const SEPARATED = /\S[\s,;|]+\S/;

/** How many tickets have a field, and how many messages say to whom they are shown. */
export interface FilledFields {
  tickets: number;
  messages: number;
  subject: number;
  status: number;
  priority: number;
  tags: number;
  contact: number;
  assignee: number;
  visibility: number;
}

export class TicketWatch {
  readonly filled: FilledFields = {
    tickets: 0,
    messages: 0,
    subject: 0,
    status: 0,
    priority: 0,
    tags: 0,
    contact: 0,
    assignee: 0,
    visibility: 0,
  };
  #tickets = 0;
  #rows = 0;
  #messages = 0;
  #withMessages = 0;
  readonly #heads = new KeySketch();
  #alone = 0;
  #tags = 0;
  readonly #joined = { count: 0, ticket: undefined as string | undefined };
  #talks = 0;
  readonly #sameTime = { count: 0, ticket: undefined as string | undefined };
  readonly #midnight = { count: 0, ticket: undefined as string | undefined };
  readonly #early = { count: 0, ticket: undefined as string | undefined };
  readonly #future = { count: 0, ticket: undefined as string | undefined };
  readonly #status = { count: 0, ticket: undefined as string | undefined };
  readonly #now: string;

  /** `now`: the present time as it would be written. */
  constructor(now: string) {
    this.#now = now;
  }

  see(seen: SeenTicket): void {
    const { id, ticket, messages, rows } = seen;
    this.#tickets++;
    this.#rows += rows;
    this.#fill(seen);
    this.#messages += messages.length;
    if (messages.length > 0) this.#withMessages++;
    if (rows === 1 && messages.length <= 1) this.#alone++;
    this.#heads.add(JSON.stringify([ticket['subject'], ticket['contact'], ticket['createdAt']]));
    const times = messages.map(({ at }) => at);
    const note = (count: { count: number; ticket: string | undefined }) => {
      count.count++;
      count.ticket ??= id;
    };
    if (times.length > 1) {
      this.#talks++;
      if (times.every((at) => at === times[0])) note(this.#sameTime);
    }
    const createdAt = typeof ticket['createdAt'] === 'string' ? ticket['createdAt'] : '';
    if (
      [...times, createdAt].every(
        (at) => at === '' || /[T ]00:00(?::00(?:\.0+)?)?(?:$|[Z+-])|^\d{4}-\d\d-\d\d$/.test(at),
      ) &&
      createdAt !== ''
    )
      note(this.#midnight);
    if (times.some((at) => at.slice(0, 10) < createdAt.slice(0, 10))) note(this.#early);
    if (/^\d{4}-/.test(createdAt) && (createdAt > this.#now || createdAt < '1990')) note(this.#future);
    if (
      seen.lastStatus !== undefined &&
      ticket['status'] !== undefined &&
      seen.lastStatus !== ticket['status']
    )
      note(this.#status);
  }

  #fill({ id, ticket, messages, hasAssignee }: SeenTicket): void {
    const { filled } = this;
    filled.tickets++;
    filled.messages += messages.length;
    for (const field of ['subject', 'status', 'priority', 'contact'] as const)
      if (ticket[field] !== undefined && ticket[field] !== '') filled[field]++;
    const { tags } = ticket;
    for (const tag of Array.isArray(tags) ? tags : []) {
      this.#tags++;
      if (typeof tag !== 'string' || !SEPARATED.test(tag)) continue;
      this.#joined.count++;
      this.#joined.ticket ??= id;
    }
    if (Array.isArray(tags) ? tags.length > 0 : tags !== undefined && tags !== '') filled.tags++;
    if (hasAssignee) filled.assignee++;
    for (const { saysVisibility } of messages) if (saysVisibility) filled.visibility++;
  }

  get lacksMessages(): boolean {
    return this.#tickets > 0 && this.#withMessages < 0.1 * this.#tickets;
  }

  get tickets(): number {
    return this.#tickets;
  }

  findings({ key, messages, status }: Places): Finding[] {
    const found: Finding[] = [];
    const add = (code: Finding['code'], setting: string, message: string, ticket?: string | undefined) =>
      found.push({ code, message, ticket, setting });
    const heads = this.#heads.distinct().count;
    if (this.#tickets >= LEAST && this.#alone >= 0.9 * this.#tickets && heads <= 0.7 * this.#tickets)
      add(
        'shared-rows',
        key,
        `${many(this.#tickets, 'ticket')} have ${heads} different subjects with requester and time only, each on a row of its own: these rows may be the messages of fewer tickets.`,
      );
    if (this.#tickets <= 12 && this.#tickets > 0 && this.#rows >= 20 * this.#tickets)
      add(
        'few-tickets',
        key,
        `${many(this.#rows, 'row')} make ${many(this.#tickets, 'ticket')} only, as if their key were a number that many tickets share.`,
      );
    const part = (count: number) => `${count} of ${many(this.#tickets, 'ticket')}`;
    if (this.#talks >= 3 && this.#sameTime.count >= 0.6 * this.#talks)
      add(
        'same-times',
        `${messages}.occurredAt`,
        `In ${this.#sameTime.count} of ${many(this.#talks, 'ticket')} with several messages, all messages have the same time.`,
        this.#sameTime.ticket,
      );
    if (this.#tickets >= LEAST && this.#midnight.count >= 0.95 * this.#tickets)
      add(
        'odd-times',
        'mapping.ticket.createdAt',
        `All times of ${part(this.#midnight.count)} are at midnight.`,
        this.#midnight.ticket,
      );
    if (this.#tickets >= LEAST && this.#early.count >= 0.6 * this.#tickets)
      add(
        'odd-times',
        'mapping.ticket.createdAt',
        `${part(this.#early.count)} have messages of days before they were created.`,
        this.#early.ticket,
      );
    if (this.#future.count >= Math.max(2, 0.05 * this.#tickets))
      add(
        'odd-times',
        'mapping.ticket.createdAt',
        `${part(this.#future.count)} were created in the future or before 1990.`,
        this.#future.ticket,
      );
    const unasked = this.filled.tickets - this.filled.contact;
    if (unasked >= 2 && unasked >= 0.05 * this.#tickets && this.filled.messages > 0)
      add('no-requester', 'mapping.ticket.requester', `${part(unasked)} have nobody who asked.`);
    if (this.#joined.count >= 2 && this.#joined.count >= 0.1 * this.#tags)
      add(
        'joined-tags',
        'mapping.ticket.tags',
        `${many(this.#joined.count, 'tag')} of ${this.#tags} ${this.#joined.count === 1 ? 'has' : 'have'} spaces or separators inside, as if several tags were one.`,
        this.#joined.ticket,
      );
    if (this.#status.count > 0)
      add(
        'status-not-latest',
        status,
        `${part(this.#status.count)} have another status than the last one of their history.`,
        this.#status.ticket,
      );
    return found;
  }
}
