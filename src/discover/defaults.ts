/** Defaults that a whole export takes although an unread column, or the texts themselves, may say otherwise. */

import type { Problem } from '../domain/problem.ts';
import { textOf } from '../domain/source-file.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { meaningOf, mentions, plain, vocabulary } from '../domain/text/vocabulary.ts';
import type { MappedTicket } from '../domain/ticket.ts';
import { type Layout, rootTableOf } from '../mapping/language/layout.ts';
import { isAddress } from '../mapping/people/people.ts';
import type { ReviewedSource } from './findings.ts';
import { baseName, FEW_TAGGED, TAG_START } from './staged-tables.ts';

const NAMED = 3;
const MOST_WORDS = 12;
const STATUS = () => vocabulary().ticket['status']?.[0] ?? [];
const TIME = /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}/;

const isMost = (values: readonly string[], is: (value: string) => boolean) =>
  2 * values.filter(is).length >= values.length;

interface Default {
  /** As behind `--set`. */
  readonly set: string;
  readonly warns?: true;
  /** A rule of the layout reads the field. */
  readonly isRead: (layout: Layout) => boolean;
  /** `isProposed`: no person chose the columns, so values count without a name. */
  readonly isOne: (column: string, values: readonly string[], isProposed: boolean) => boolean;
}

const DEFAULTS: Readonly<Record<'status' | 'address' | 'time' | 'role', Default>> = {
  status: {
    set: 'ticket.status',
    isRead: ({ ticket }) => ticket.status !== undefined,
    isOne: (column, values, isProposed) =>
      values.length <= MOST_WORDS &&
      (isProposed
        ? mentions(STATUS(), column) || values.every((value) => meaningOf('status', value) !== undefined)
        : STATUS().includes(plain(column))),
  },
  address: {
    set: 'ticket.requester.email',
    isRead: ({ ticket: { contact, contactId, requester } }) =>
      (contact ?? contactId ?? requester?.email ?? requester?.person) !== undefined,
    isOne: (_, values) => isMost(values, isAddress),
  },
  time: {
    set: 'ticket.createdAt',
    warns: true,
    isRead: ({ ticket }) => ticket.createdAt !== undefined,
    isOne: (_, values) => values.every((value) => TIME.test(value)),
  },
  role: {
    set: 'message.writer',
    warns: true,
    isRead: () => false,
    isOne: (_, values) =>
      values.length <= MOST_WORDS &&
      new Set(values.map((value) => meaningOf('role', value))).size > 1 &&
      values.every((value) => meaningOf('role', value) !== undefined),
  },
};

export class Defaults {
  readonly #said = { status: false, address: false, time: false };
  readonly #roles = new Set<unknown>();
  readonly #plain = { texts: 0, tagged: 0, ticket: '' };
  #tickets = 0;

  see({ externalId, ticket, requester, messages }: MappedTicket): void {
    this.#tickets++;
    const said = this.#said;
    said.status ||= ticket['status'] !== undefined;
    // The contact of a requester without an address is made up.
    const told = requester === undefined ? (ticket['contact'] ?? ticket['contactId']) : requester.email;
    said.address ||= told !== undefined;
    said.time ||= ticket['createdAt'] !== undefined;
    for (const { value } of messages) {
      this.#roles.add(value['actorType']);
      const text = textOf(value['content']);
      if ((value['contentType'] ?? 'text') !== 'text' || text.trim() === '') continue;
      this.#plain.texts++;
      if (!TAG_START.test(text)) continue;
      if (this.#plain.tagged++ === 0) this.#plain.ticket = externalId;
    }
  }

  findings(source: ReviewedSource): Problem[] {
    const { layout } = source.detection;
    if (this.#tickets === 0) return [];
    const { isProposed = false, isOwn = false } = layout;
    const { texts, tagged, ticket } = this.#plain;
    const taken = { ...this.#said, role: this.#roles.size !== 1 };
    const root = rootTableOf(layout);
    const unread = source.mapper.unread().flatMap(({ values, ...of }) => {
      return values.size === 0 ? [] : [{ ...of, values: [...values] }];
    });
    const missing = Object.entries(DEFAULTS).flatMap(([field, { set, warns, isRead, isOne }]): Problem[] => {
      if (taken[field as keyof typeof taken]) return [];
      const found = unread.find(
        ({ table, column, values }) =>
          (field === 'role' || isProposed || (table === root && !column.includes('[]'))) &&
          isOne(column, values, isProposed),
      );
      if (found === undefined) return [];
      const { column, file, values, filled } = found;
      const stops = warns !== true && (isProposed || (isOwn && !isRead(layout)));
      const reads = `"${column}" of ${baseName(file)} (${values.slice(0, NAMED).join(', ')})`;
      const data = { reads, line: JSON.stringify(`${set}=${column}`) };
      const place = { count: filled, field: `mapping.${set}` };
      return [problemOf(`passed-over:${field}`, data, { ...place, severity: stops ? 'error' : 'warning' })];
    });
    if (tagged < FEW_TAGGED * texts || tagged === 0) return missing;
    const stops =
      2 * tagged >= texts &&
      isOwn &&
      layout.messages?.every(({ contentType }) => contentType === undefined) === true;
    const place = { count: tagged, ticket, field: 'mapping.messages' };
    return [
      ...missing,
      problemOf('tags-as-text', { texts }, { ...place, severity: stops ? 'error' : 'warning' }),
    ];
  }
}
