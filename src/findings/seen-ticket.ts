/** A mapped ticket as findings look at it: who spoke, what was said with markup and spaces taken off, and when. */

import { textOf } from '../domain/source-file.ts';
import type { MappedTicket, NamedPerson } from '../domain/ticket.ts';
import { comparableText } from '../present/conversation/comparable-text.ts';

export interface SeenMessage {
  readonly role: string;
  readonly isInternal: boolean;
  readonly saysVisibility: boolean;
  /** The first characters, without markup, spaces and capitals. */
  readonly said: string;
  readonly raw: string;
  /** As written, for texts that compare by their order. */
  readonly at: string;
  readonly who: NamedPerson | undefined;
}

export interface SeenTicket {
  readonly id: string;
  readonly ticket: Readonly<Record<string, unknown>>;
  readonly requester: NamedPerson | undefined;
  readonly rows: number;
  /** Whether all of its rows are of one table. */
  readonly ofOneTable: boolean;
  /** Named in the export, whether or not the target knows that agent. */
  readonly hasAssignee: boolean;
  readonly messages: readonly SeenMessage[];
  /** The status that the history of the ticket ends with. */
  readonly lastStatus: string | undefined;
}

/** Messages of a ticket, and characters of each, that are looked at. */
const MOST_MESSAGES = 30;
const MOST_TEXT = 1500;

export function seenTicket(mapped: MappedTicket): SeenTicket {
  const { ticket, messages, events } = mapped;
  return {
    id: mapped.externalId,
    ticket,
    requester: mapped.requester,
    rows: mapped.rows.length,
    ofOneTable: mapped.rows.every(({ table }) => table === mapped.rows[0]?.table),
    hasAssignee:
      ticket['assignedToId'] !== undefined || mapped.problems.some(({ code }) => code === 'lost-assignee'),
    messages: inTime(
      messages.slice(0, MOST_MESSAGES).map(({ value, who }) => ({
        role: textOf(value['actorType']),
        isInternal: value['isInternal'] === true,
        saysVisibility: value['isInternal'] !== undefined,
        said: comparableText(textOf(value['content']).slice(0, MOST_TEXT)),
        raw: textOf(value['content']).slice(0, MOST_TEXT),
        at: textOf(value['occurredAt']),
        who: who ?? contactOf(value['contact']),
      })),
    ),
    lastStatus: lastStatusOf(events),
  };
}

/** As the target will show them; as they stand where their times are written so that they do not compare. */
function inTime(messages: readonly SeenMessage[]): readonly SeenMessage[] {
  return messages.every(({ at }) => /^\d{4}-\d\d-/.test(at))
    ? messages.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    : messages;
}

function contactOf(contact: unknown): NamedPerson | undefined {
  return typeof contact === 'object' && contact !== null ? (contact as NamedPerson) : undefined;
}

function lastStatusOf(events: MappedTicket['events']): string | undefined {
  let last: { at: string; status: string } | undefined;
  for (const { value } of events) {
    const { newValue } = value;
    const at = textOf(value['occurredAt']);
    const status =
      typeof newValue === 'object' && newValue !== null
        ? textOf((newValue as { status?: unknown }).status)
        : '';
    if (status !== '' && (last === undefined || at >= last.at)) last = { at, status };
  }
  return last?.status;
}
