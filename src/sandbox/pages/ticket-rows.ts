/** Tickets as rows of a list: the inbox and a contact's page show them the same way. */
import { html } from 'hono/html';
import { publicId } from '../store/ids.ts';
import { parsedTags, type TicketRow } from '../store/tickets.ts';
import type { AgentName } from './agent-names.ts';
import { avatar } from './avatar.ts';
import { icon } from './icons.ts';
import { priorityMark, statusPill, tagLink } from './labels.ts';
import { count } from './page-parts.ts';
import type { Markup } from './page-shell.ts';
import { day } from './times.ts';

/** Tags shown in a row; the ticket itself shows all. */
const MOST_TAGS = 3;

/** `dull` are tags that no row needs to show. */
export function ticketRows(
  rows: readonly TicketRow[],
  agentName: AgentName,
  dull: ReadonlySet<string>,
): Markup {
  return html`<ul class="rows card">${rows.map((row) => html`<li>${ticketRow(row, agentName, dull)}</li>`)}</ul>`;
}

function ticketRow(row: TicketRow, agentName: AgentName, dull: ReadonlySet<string>): Markup {
  const who = row.contact_name ?? row.contact_email ?? 'No contact';
  const assignee = row.assigned_to_id;
  return html`<article class="ticket">
${avatar({ key: row.contact_email ?? '', name: who, kind: 'contact' })}
<a class="subject" data-row href="/tickets/${publicId('ticket', row.seq)}" dir="auto">${row.subject}</a>
<div class="marks">${priorityMark(row.priority)}${statusPill(row.status)}${day(row.created_at)}</div>
<p class="line"><b><bdi>${who}</bdi></b>${row.excerpt === null ? '' : html` · <bdi>${row.excerpt}</bdi>`}</p>
<div class="more">${tags(row, dull)}<span class="replies" title="${count(row.message_count, 'message', 'messages')}">${icon('replies')}${row.message_count}</span>${
    assignee === null
      ? ''
      : html`<span title="Assigned to ${agentName(assignee)}">${avatar(
          { key: assignee, name: agentName(assignee), kind: 'agent' },
          'small',
        )}<span class="unseen">Assigned to ${agentName(assignee)}</span></span>`
  }</div>
</article>`;
}

function tags(row: TicketRow, dull: ReadonlySet<string>): Markup {
  const all = parsedTags(row.tags).filter((tag) => !dull.has(tag));
  const rest = all.length - MOST_TAGS;
  return html`${all.slice(0, MOST_TAGS).map(tagLink)}${rest > 0 ? html`<span class="soft">+${rest}</span>` : ''}`;
}
