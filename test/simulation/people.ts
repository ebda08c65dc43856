/** The people of a simulated helpdesk: what they do in its tickets, and what of it must still be so at the end. */
import {
  Helpdesk,
  type Message,
  type Response,
  STARTED,
  type Ticket,
  type Ways,
} from '../support/helpdesk.ts';
import type { Schedule } from './schedule.ts';

export const ACTS = ['answer', 'edit', 'delete', 'close', 'tag', 'link', 'file', 'name', 'priority'] as const;
export type ActKind = (typeof ACTS)[number];

/** What a person did, which must still be so at the end. */
export interface Done {
  readonly ticket: Ticket;
  readonly kind: ActKind;
  readonly what: string;
  /** The text before an edit or a deletion. */
  readonly before?: string;
}

export class PeopledHelpdesk extends Helpdesk {
  readonly done: Done[] = [];
  /** Writes to tickets that are not the import's, or of one ticket to another. */
  readonly trespasses = this.filesAgain;
  /** What people do waits until then: no program can know of it before. */
  readonly quietUntil = new Map<Ticket, number>();
  /** Texts that the checkpoint knows as sent; before that a deleted message is one that has not arrived. */
  readonly recorded = new Map<Ticket, ReadonlySet<string>>();
  readonly now: () => number;
  readonly #mistagged: Schedule['mistagged'];
  /** Tickets that were there before. */
  readonly #strangers: ReadonlySet<Ticket>;

  constructor(ways: Partial<Ways>, now: () => number, mistagged: Schedule['mistagged'] = undefined) {
    super(ways, now);
    this.now = now;
    this.#mistagged = mistagged;
    const stranger = (subject: string, ...tags: string[]) =>
      this.make({ subject, createdAt: '2020-01-01T00:00:00.000Z', tags });
    const { by, name } = mistagged ?? {};
    this.#strangers = new Set([
      stranger('A stranger', 'vip'),
      stranger('Another import', 'other-1', 'from-other'),
      ...(by === 'stranger' || by === 'copy'
        ? [stranger(by === 'copy' ? `Subject of ${name}` : 'Mistaken', `src-${name}`)]
        : []),
    ]);
    for (const { id } of this.#strangers)
      this.write(id, { actorType: 'system', content: 'Theirs', occurredAt: STARTED });
  }

  ours(): Ticket[] {
    return [...this.tickets.values()].filter((ticket) => !this.#strangers.has(ticket));
  }

  override handle(method: string, path: string, body: unknown): Response {
    const [id = '', part] = path.split('/').slice(5);
    const ticket = this.tickets.get(id);
    if (method === 'PUT' && ticket !== undefined) {
      if (this.#strangers.has(ticket)) this.trespasses.push(`${method} ${path}`);
      if (part === 'messages') this.#lookAtOwner(ticket, body as readonly Message[]);
    }
    const response = super.handle(method, path, body);
    const made = method === 'POST' ? [...this.tickets.values()].at(-1) : undefined;
    const { by = '', name = '' } = this.#mistagged ?? {};
    if (made?.payload.subject === `Subject of ${by}`) this.#tag(made, `src-${name}`);
    return response;
  }

  #lookAtOwner({ payload }: Ticket, [first]: readonly Message[]): void {
    const own = /^Export (\w+)/.exec(first?.content ?? '')?.[1];
    const whose =
      payload.contact?.email === 'other@example.com' ? 'other' : payload.subject.split(' ').at(-1);
    if (own !== undefined && own !== whose) this.trespasses.push(`messages of ${own} in ${payload.subject}`);
  }

  /** Whether the person found something to do. */
  act(ticket: Ticket, kind: ActKind, pick: number): boolean {
    const what = `by a person, ${this.done.length + 1}`;
    if (kind === 'answer') {
      const content = `Answer ${what}`;
      const occurredAt = new Date(Date.parse(STARTED) + this.now()).toISOString();
      this.write(ticket.id, { actorType: 'agent', agentId: 'agt_9', content, occurredAt });
      this.done.push({ ticket, kind, what: content });
      return true;
    }
    if (kind === 'name') {
      const { email = '' } = ticket.payload.contact ?? {};
      if (!this.ways.hasContacts || !this.contacts.has(email)) return false;
      this.contacts.set(email, what);
      this.done.push({ ticket, kind, what });
      return true;
    }
    if (kind === 'priority') {
      ticket.payload = { ...ticket.payload, priority: 'urgent' };
      this.done.push({ ticket, kind, what: 'urgent' });
      return true;
    }
    if (kind === 'link' || kind === 'file') return this.#editPart(ticket, kind);
    if (kind === 'close' && ticket.payload.status === 'closed') return false;
    if (kind === 'close' || kind === 'tag') {
      if (kind === 'tag') return this.#tag(ticket, `tag-${this.done.length}`);
      ticket.payload = { ...ticket.payload, status: 'closed' };
      this.done.push({ ticket, kind, what: 'closed' });
      return true;
    }
    const imported = ticket.messages
      .filter(isAsImported)
      .filter(({ content }) =>
        kind === 'delete' ? this.recorded.get(ticket)?.has(content) === true : content.startsWith('Export'),
      );
    const message = imported[pick % Math.max(1, imported.length)];
    if (message === undefined) return false;
    const { content: before } = message;
    if (kind === 'delete') ticket.messages = ticket.messages.filter((each) => each !== message);
    else message.content = `Edited ${what}`;
    this.done.push({ ticket, kind, what: `Edited ${what}`, before });
    return true;
  }

  #tag(ticket: Ticket, what: string): true {
    ticket.payload = { ...ticket.payload, tags: [...(ticket.payload.tags ?? []), what] };
    this.done.push({ ticket, kind: 'tag', what });
    return true;
  }

  /** A link or the address of a file in an imported message that the checkpoint knows as sent. */
  #editPart(ticket: Ticket, kind: 'link' | 'file'): boolean {
    const what = `${BY_PEOPLE}${this.done.length}.`;
    const message = ticket.messages
      .filter(isAsImported)
      .find(
        ({ content, attachments = [] }) =>
          this.recorded.get(ticket)?.has(content) === true &&
          (kind === 'link' ? content.includes('href') : attachments.length > 0),
      );
    if (message === undefined) return false;
    const { content: before } = message;
    if (kind === 'link') message.content = before.replace(/href="[^"]*"/, `href="${what}"`);
    else message.attachments = (message.attachments ?? []).map((each) => ({ ...each, url: what }));
    this.done.push({ ticket, kind, what, before });
    return true;
  }
}

/** Addresses that a person put into a message. */
export const BY_PEOPLE = 'https://people.example/';
const isAsImported = ({ content, attachments = [] }: Message) =>
  !content.includes(BY_PEOPLE) && !attachments.some(({ url }) => url.startsWith(BY_PEOPLE));
