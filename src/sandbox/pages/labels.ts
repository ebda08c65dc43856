/** Small marks of a ticket: its status, its priority, its tags. */
import { html } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import { icon } from './icons.ts';
import { hrefWith } from './page-parts.ts';
import type { Markup } from './page-shell.ts';

/** What is no status of the API has no colour of its own. */
function statusClass(status: string): string {
  return TICKET_STATUSES.find((known) => known === status) ?? '';
}

export function statusPill(status: string): Markup {
  return html`<span class="pill ${statusClass(status)}">${status}</span>`;
}

/** The status as a dot, for lists in little room; its word is there for those who do not see it. */
export function statusDot(status: string): Markup {
  return html`<span class="dot ${statusClass(status)}"></span><span class="unseen">${status}: </span>`;
}

/** Most tickets are of normal priority, and say nothing about it. */
export function priorityMark(priority: string): Markup | string {
  if (priority === 'normal') return '';
  const known = priority === 'urgent' || priority === 'high' ? ` ${priority}` : '';
  return html`<span class="priority${known}">${known === '' ? '' : icon('flag')}${priority}</span>`;
}

export function tagLink(tag: string): Markup {
  return html`<a class="tag" href="${hrefWith('/', {}, { tag })}">${tag}</a>`;
}
