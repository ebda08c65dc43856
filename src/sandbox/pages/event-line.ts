/** An event of a ticket's history in one line: who changed what, from what to what. */
import { html } from 'hono/html';
import { eventTypeWords, eventValueText, isStatusChange } from '../../conversation/event-words.ts';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { EventView } from '../store/thread.ts';
import type { AgentName } from './agent-names.ts';
import { statusPill } from './labels.ts';
import type { Markup } from './page-shell.ts';
import { time } from './times.ts';

export function eventLine(event: EventView, author: string, agentName: AgentName): Markup {
  return html`<li class="event" id="${event.id}"><span><b><bdi>${author}</bdi></b> ${words(event)}</span>${change(event, agentName)}${time(event.occurredAt)}</li>`;
}

function words({ type }: EventView): string {
  return isStatusChange(type) ? 'changed the status' : eventTypeWords(type);
}

function change(event: EventView, agentName: AgentName): Markup | string {
  if (event.oldValue === null && event.newValue === null) return '';
  const [before, after] = [valueText(event.oldValue), valueText(event.newValue)];
  const shown = (text: string) => {
    if (isStatusChange(event.type) && TICKET_STATUSES.some((status) => status === text))
      return statusPill(text);
    // The values of other types are passed through, so an id may stand for an agent.
    return html`<span><bdi>${agentName(text)}</bdi></span>`;
  };
  if (event.oldValue === null) return shown(after);
  return html`${shown(before)}<span aria-hidden="true">→</span><span class="unseen">to</span>${shown(after)}`;
}

const LONGEST_VALUE = 200;

function valueText(value: Record<string, unknown> | null): string {
  if (value === null) return '–';
  const text = eventValueText(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
}
