/** What a service stores that is not what it was sent, and shows that is not all it has. Pure. */

import type { MessageView } from '../store/thread.ts';
import type { Condition, TicketFilter } from '../store/ticket-list.ts';
import type { Trait, Traits } from './fault-plan.ts';

interface Times {
  createdAt?: string;
  resolvedAt?: string;
  closedAt?: string;
}

export function keptTicket<T extends Times & { subject: string; tags?: readonly string[] }>(
  ticket: T,
  traits: Traits,
): T {
  if (isAsSent(traits)) return ticket;
  const { tags, createdAt, resolvedAt, closedAt } = ticket;
  const length = wholePart(traits['subjects-cut']);
  const subject = textAs(ticket.subject, traits);
  const kept = (length === undefined ? subject : subject.slice(0, length)).toWellFormed();
  return {
    ...ticket,
    ...timesAs({ createdAt, resolvedAt, closedAt }, traits),
    subject: kept === '' ? '-' : kept,
    ...(tags === undefined ? {} : { tags: tagsAs(tags, traits) }),
  };
}

export function keptMessage<T extends { content: string; occurredAt?: string }>(
  message: T,
  traits: Traits,
): T {
  if (isAsSent(traits)) return message;
  const { content, occurredAt } = message;
  return { ...message, content: textAs(content, traits), ...timesAs({ occurredAt }, traits) };
}

export function keptEvent<T extends { occurredAt?: string }>(event: T, traits: Traits): T {
  return isAsSent(traits) ? event : { ...event, ...timesAs({ occurredAt: event.occurredAt }, traits) };
}

const ALTERING: readonly Trait[] = [
  'subjects-cut',
  'html-escaped',
  'emoji-dropped',
  'times-rounded',
  'tags-dropped',
  'tags-lowered',
  'tags-cut',
];

function isAsSent(traits: Traits): boolean {
  return ALTERING.every((trait) => traits[trait] === undefined);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function textAs(text: string, traits: Traits): string {
  const seen =
    traits['emoji-dropped'] === undefined
      ? text
      : text.replace(/\p{Extended_Pictographic}|\u{fe0f}|\u{200d}/gu, '');
  return traits['html-escaped'] === undefined
    ? seen
    : seen.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

function tagsAs(tags: readonly string[], traits: Traits): string[] {
  if (traits['tags-dropped'] !== undefined) return [];
  const length = wholePart(traits['tags-cut']);
  return tags.map((tag) => {
    const kept = length === undefined ? tag : tag.slice(0, length);
    return traits['tags-lowered'] === undefined ? kept : kept.toLowerCase();
  });
}

function timesAs(
  times: Readonly<Record<string, string | undefined>>,
  traits: Traits,
): Record<string, string> {
  const seconds = wholePart(traits['times-rounded']);
  const kept: Record<string, string> = {};
  for (const [name, time] of Object.entries(times)) {
    if (time === undefined) continue;
    const ms = Date.parse(time);
    kept[name] =
      seconds === undefined || Number.isNaN(ms)
        ? time
        : new Date(Math.floor(ms / (seconds * 1000)) * seconds * 1000).toISOString();
  }
  return kept;
}

/** The filter that is really applied where `asked` was asked for. */
export function shownFilter(asked: TicketFilter, traits: Traits, now: number): TicketFilter {
  const { tags, search, ...rest } = asked;
  const hidden: Condition[] = [];
  const lagSeconds = traits['list-lags'];
  if (lagSeconds !== undefined)
    hidden.push({ sql: 'tickets.received_ms <= ?', values: [now - lagSeconds * 1000] });
  const lagTickets = wholePart(traits['list-lags-tickets'], 0);
  if (lagTickets !== undefined)
    hidden.push({ sql: 'tickets.seq <= (SELECT max(seq) FROM tickets) - ?', values: [lagTickets] });
  const every = wholePart(traits['list-hides']);
  if (every !== undefined) hidden.push({ sql: 'tickets.seq % ? <> 0', values: [every] });
  if (traits['list-hides-closed'] !== undefined)
    hidden.push({ sql: "tickets.status <> 'closed'", values: [] });
  if (traits['list-empty'] !== undefined) hidden.push({ sql: '0', values: [] });
  return {
    ...rest,
    ...(tags === undefined || traits['tags-ignored'] !== undefined ? {} : { tags }),
    ...(search === undefined || traits['search-ignored'] !== undefined ? {} : { search }),
    ...(hidden.length === 0 ? {} : { hidden }),
  };
}

/** A message as a thread shows it. */
export function shownMessage(view: MessageView, traits: Traits): MessageView & { fullContent?: string } {
  const { content } = view;
  const shortened = wholePart(traits['texts-shortened']);
  if (shortened !== undefined)
    return {
      ...view,
      content: content.length > shortened ? `${content.slice(0, shortened)}…` : content,
      fullContent: content,
    };
  const cut = wholePart(traits['texts-cut']);
  return cut === undefined ? view : { ...view, content: content.slice(0, cut) };
}

/** The number of a trait as one that can be counted by. */
export function wholePart(value: number | undefined, least = 1): number | undefined {
  return value === undefined ? undefined : Math.max(least, Math.floor(value));
}
