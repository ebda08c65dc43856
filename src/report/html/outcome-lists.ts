/** Tickets that somebody has to look at one by one: in doubt, and refused by the helpdesk. */
import { countOf } from '../format.ts';
import { adviceFor } from '../problem-advice.ts';
import { html, type Part, value } from './markup.ts';
import { type Section, table, time } from './page-parts.ts';
import type { ReportData } from './report-data.ts';

export function doubtSection({ inDoubt }: ReportData): Section | undefined {
  if (inDoubt.total === 0) return undefined;
  return {
    id: 'in-doubt',
    title: 'Tickets in doubt',
    count: inDoubt.total,
    content: html`<p class="intro">These were sent, and no answer says whether they arrived. They are not sent again before that is known. Look for each in the helpdesk by its subject, contact and time; <code>helpdesk-import resolve</code> settles them.</p>
${table({
  caption: 'Tickets in doubt',
  hideCaption: true,
  columns: [{ title: 'Ticket' }, { title: 'What to look for' }, { title: 'Sent' }],
  rows: inDoubt.rows.map(({ externalId, subject, email, createdAt, sentAt, reason }) => [
    value(externalId),
    html`${subject !== undefined && value(subject)}<br><span class="soft">${joined([
      email !== undefined && value(email),
      createdAt !== undefined && html`created ${time(createdAt)}`,
    ])}</span>${reason !== undefined && html`<br><span class="soft">${value(reason)}</span>`}`,
    sentAt === undefined ? '–' : time(sentAt),
  ]),
  more: inDoubt.total - inDoubt.rows.length,
})}`,
  };
}

export function failedSection({ failed }: ReportData): Section | undefined {
  if (failed.total === 0) return undefined;
  return {
    id: 'failed',
    title: 'Tickets that the helpdesk refused',
    count: failed.total,
    content: html`<p class="intro">The next run tries ${failed.total === 1 ? 'it' : 'them'} again, and sends only what is missing. ${countOf(failed.total, 'ticket')} with the reason that was given:</p>
${table({
  caption: 'Tickets that the helpdesk refused',
  hideCaption: true,
  columns: [{ title: 'Ticket' }, { title: 'In the helpdesk' }, { title: 'Reason' }],
  rows: failed.rows.map(({ externalId, ticketId, code, status, reason }) => [
    value(externalId),
    ticketId === undefined ? html`<span class="soft">no</span>` : html`${value(ticketId)}, incomplete`,
    html`${value(reason)}<br><span class="soft">${adviceFor(code)?.title ?? code}${status !== undefined && ` (HTTP ${status})`}</span>`,
  ]),
  more: failed.total - failed.rows.length,
})}`,
  };
}

function joined(parts: readonly Part[]): Part {
  return parts.filter((part) => part !== false).map((part, index) => [index > 0 && ' · ', part]);
}
