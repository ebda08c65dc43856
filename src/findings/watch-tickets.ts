/** Whether tickets are whole and their own: keys, times, statuses. */
import { Count, type Finding, many, type Places } from './finding.ts';
import { KeySketch } from './key-sketch.ts';
import type { SeenTicket } from './seen-ticket.ts';

const LEAST = 5;
/** What an id reads like that is none: people join on none of these. */
const ODD_KEYS: readonly (readonly [string, RegExp])[] = [
  ['dates', /^\d{4}-\d\d?-\d\d?(?:[T ].*)?$|^\d\d?[./]\d\d?[./]\d{4}(?: .*)?$/],
  ['addresses of people', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['fractions', /^-?\d+[.,]\d{1,4}$/],
  ['yes or no', /^(?:true|false|yes|no)$/i],
];
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
  #several = 0;
  #tags = 0;
  readonly #joined = new Count();
  #talks = 0;
  readonly #sameTime = new Count();
  readonly #midnight = new Count();
  readonly #early = new Count();
  readonly #future = new Count();
  readonly #status = new Count();
  readonly #ended = new Count();
  /** Subject and requester alone: rows of one conversation have times of their own. */
  readonly #topics = new KeySketch();
  /** Of all tickets, also where only some are looked at. */
  readonly ids = new KeySketch();
  #all = 0;
  /** How many ids read like something else than an id. */
  readonly #oddKeys = new Map<string, Count>();
  /** First and last time of creation, as far as they are comparable. */
  #first = '';
  #last = '';
  readonly #now: string;

  /** `now`: the present time as it would be written. */
  constructor(now: string) {
    this.#now = now;
  }

  /** Every ticket; `see` looks at some of them. */
  seeId(id: string): void {
    this.#all++;
    this.ids.add(id);
    const kind = ODD_KEYS.find(([, pattern]) => pattern.test(id))?.[0];
    if (kind === undefined) return;
    const count = this.#oddKeys.get(kind) ?? new Count();
    this.#oddKeys.set(kind, count);
    count.add(id);
  }

  see(seen: SeenTicket): void {
    const { id, ticket, messages, rows } = seen;
    this.#tickets++;
    this.#rows += rows;
    this.#fill(seen);
    this.#messages += messages.length;
    if (messages.length > 0) this.#withMessages++;
    if (rows > 1 && seen.ofOneTable && messages.length > 1) this.#several++;
    if (rows === 1 && messages.length <= 1) this.#alone++;
    this.#heads.add(JSON.stringify([ticket['subject'], ticket['contact'], ticket['createdAt']]));
    this.#topics.add(JSON.stringify([topicOf(ticket['subject']), ticket['contact']]));
    const times = messages.map(({ at }) => at);
    if (times.length > 1) {
      this.#talks++;
      if (times.every((at) => at === times[0])) this.#sameTime.add(id);
    }
    const createdAt = typeof ticket['createdAt'] === 'string' ? ticket['createdAt'] : '';
    if (
      [...times, createdAt].every(
        (at) => at === '' || /[T ]00:00(?::00(?:\.0+)?)?(?:$|[Z+-])|^\d{4}-\d\d-\d\d$/.test(at),
      ) &&
      createdAt !== ''
    )
      this.#midnight.add(id);
    if (createdAt !== '') {
      if (this.#first === '' || createdAt < this.#first) this.#first = createdAt;
      if (createdAt > this.#last) this.#last = createdAt;
    }
    const ends = [ticket['closedAt'], ticket['resolvedAt']];
    if (ends.some((at) => typeof at === 'string' && at.slice(0, 10) < createdAt.slice(0, 10)))
      this.#ended.add(id);
    if (times.some((at) => at.slice(0, 10) < createdAt.slice(0, 10))) this.#early.add(id);
    if ([createdAt, ...times].some((at) => /^\d{4}-/.test(at) && (at > this.#now || at < '1990')))
      this.#future.add(id);
    if (
      seen.lastStatus !== undefined &&
      ticket['status'] !== undefined &&
      isOver(seen.lastStatus) !== isOver(ticket['status'])
    )
      this.#status.add(id);
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
      this.#joined.add(id);
    }
    if (Array.isArray(tags) ? tags.length > 0 : tags !== undefined && tags !== '') filled.tags++;
    if (hasAssignee) filled.assignee++;
    for (const { saysVisibility } of messages) if (saysVisibility) filled.visibility++;
  }

  get lacksMessages(): boolean {
    return this.#tickets > 0 && this.#withMessages < 0.1 * this.#tickets;
  }

  /** Tickets that are made of several rows of their table. */
  get rowsOfMany(): number {
    return this.#several;
  }

  get tickets(): number {
    return this.#tickets;
  }

  findings({ key, messages, status }: Places): Finding[] {
    const found: Finding[] = [];
    const add = (code: Finding['code'], setting: string, message: string, ticket?: string | undefined) =>
      found.push({ code, message, ticket, setting });
    const heads = this.#heads.distinct().count;
    const topics = this.#topics.distinct().count;
    const isAlone = this.#tickets >= LEAST && this.#alone >= 0.9 * this.#tickets;
    for (const [kind, { count, ticket }] of this.#oddKeys)
      if (this.#all >= LEAST && count >= 0.9 * this.#all)
        add(
          'odd-key',
          key,
          `The ids of ${count} of ${many(this.#all, 'ticket')} are ${kind}, which hardly name tickets: ${JSON.stringify(ticket?.slice(0, 40))}.`,
          ticket,
        );
    if (isAlone && heads > 0.7 * this.#tickets && topics <= 0.5 * this.#tickets && this.filled.contact > 0)
      add(
        'shared-rows',
        key,
        `${many(this.#tickets, 'ticket')} have ${topics} different subjects with requester only, each on its own row: these rows may be the messages of fewer tickets.`,
      );
    if (isAlone && heads <= 0.7 * this.#tickets)
      add(
        'shared-rows',
        key,
        `${many(this.#tickets, 'ticket')} have ${heads} different subjects with requester and time only, each on its own row: these rows may be the messages of fewer tickets.`,
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
    if (this.#ended.count >= LEAST && this.#ended.count >= 0.6 * this.#tickets)
      add(
        'odd-times',
        'mapping.ticket.closedAt',
        `${part(this.#ended.count)} were closed or resolved on days before they were created.`,
        this.#ended.ticket,
      );
    if (
      this.#tickets >= 2 * LEAST &&
      this.#first.slice(0, 16) === this.#last.slice(0, 16) &&
      /T\d\d:\d\d:\d\d/.test(this.#first)
    )
      add(
        'odd-times',
        'mapping.ticket.createdAt',
        `All ${many(this.#tickets, 'ticket')} were created in one minute, ${this.#first.slice(0, 16)}, as if it were the time of the export.`,
      );
    if (this.#future.count >= Math.max(2, 0.05 * this.#tickets))
      add(
        'odd-times',
        'mapping.ticket.createdAt',
        `${part(this.#future.count)} have times in the future or before 1990.`,
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
    if (this.#status.count >= 2)
      add(
        'status-not-latest',
        status,
        `${part(this.#status.count)} have a status other than the last one in their history.`,
        this.#status.ticket,
      );
    return found;
  }
}

/** `Re: Broken kettle` is about the same as `Broken kettle`. */
function topicOf(subject: unknown): string {
  return String(subject ?? '')
    .replace(/^(?:(?:re|aw|sv|fwd?|wg|tr|rv)\s*:\s*)+/i, '')
    .trim()
    .toLowerCase();
}

/** Resolved and closed are one to many sources; of the others each is its own. */
function isOver(status: unknown): unknown {
  return status === 'resolved' ? 'closed' : status;
}
