/** Sample tickets with their conversation as the helpdesk will show it, and for a trial what its checks say. */

import { html } from 'hono/html';
import type { ContentType } from '../../domain/payload.ts';
import type { TrialChecklist, TrialTicket } from '../../summary/summary.ts';
import { htmlLines } from '../conversation/html-text.ts';
import { sanitizedBody } from '../conversation/sanitize-body.ts';
import { countOf, formatBytes, formatCount } from '../format.ts';
import type {
  Conversation,
  ConversationEntry,
  ConversationMessage,
  ShownAttachment,
} from './conversation.ts';
import { documentText, facts, type Markup, type Section, time, value } from './page-parts.ts';
import type { ReportData } from './report-data.ts';

export function conversationSection(data: ReportData): Section | undefined {
  const { conversations, trial, noConversations, kind } = data;
  const checked = new Map((trial?.tickets ?? []).map((ticket) => [ticket.externalId, ticket] as const));
  const withoutConversation = (trial?.tickets ?? []).filter(
    ({ externalId }) => !conversations.some((conversation) => conversation.externalId === externalId),
  );
  if (conversations.length === 0 && withoutConversation.length === 0 && noConversations === undefined)
    return undefined;
  const title = kind === 'trial' ? 'The tickets of the trial' : 'Conversations as they will look';
  const intro =
    kind === 'trial'
      ? 'Each ticket with the reason why it was chosen, what the checks found in the helpdesk, and its conversation as it was sent.'
      : 'The most representative tickets of the export, chosen to show everything that is in it at least once.';
  return {
    id: 'conversations',
    title,
    count: kind === 'trial' ? checked.size : conversations.length,
    content: html`<p class="intro">${intro} Times are in UTC.</p>
${noConversations !== undefined && html`<p>${noConversations}</p>`}
${trial?.checklist !== undefined && overallMarkup(trial.checklist)}
${conversations.map((conversation) => {
  const ticket = checked.get(conversation.externalId);
  const look = trial?.checklist?.tickets.find(({ ticketId }) => ticketId === ticket?.ticketId)?.look ?? [];
  return ticketMarkup(conversation, ticket, look);
})}
${withoutConversation.map(
  (ticket) =>
    html`<article class="ticket"><div class="head"><h3>Ticket ${value(ticket.externalId)}</h3>${checksMarkup(ticket)}</div></article>`,
)}`,
  };
}

function overallMarkup({ overall }: TrialChecklist): Markup {
  if (overall.length === 0) return html``;
  return html`<h3>Please check in the helpdesk</h3>${lookMarkup(overall)}<br>`;
}

/** Things to look at, to be ticked off. */
function lookMarkup(lines: readonly string[]): Markup {
  return html`<ul class="checklist">${lines.slice(0, MOST_LINES).map((line) => html`<li><span>${value(line)}</span></li>`)}</ul>`;
}

const MOST_LINES = 40;
const MOST_CHECKS = 40;

function ticketMarkup(
  conversation: Conversation,
  trial: TrialTicket | undefined,
  look: readonly string[],
): Markup {
  const { externalId, subject, contact, why, tags } = conversation;
  return html`<article class="ticket">
<div class="head"><h3>${value(subject)}</h3>
<p><span class="tag">${conversation.status}</span> <span class="tag">${conversation.priority}</span>${
    conversation.readOnly && html` <span class="tag">read-only</span>`
  }${tags.map((tag) => html` <span class="tag">${value(tag, 60)}</span>`)}</p>
${facts([
  { label: 'Contact', value: contact === undefined ? 'none' : personMarkup(contact.name, contact.email) },
  { label: 'Created', value: time(conversation.createdAt) },
  conversation.resolvedAt !== undefined && { label: 'Resolved', value: time(conversation.resolvedAt) },
  conversation.closedAt !== undefined && { label: 'Closed', value: time(conversation.closedAt) },
  conversation.assignee !== undefined && { label: 'Assignee', value: value(conversation.assignee) },
  conversation.managedBy !== undefined && { label: 'Managed by', value: value(conversation.managedBy) },
  {
    label: 'In the export',
    value: html`ticket ${value(externalId)}, ${countOf(conversation.messages, 'message')}, ${countOf(conversation.events, 'event')}`,
  },
  trial?.ticketId !== undefined && { label: 'In the helpdesk', value: value(trial.ticketId) },
])}
${why.length > 0 && html`<p class="why">Shown for: ${value(why.join('; '))}</p>`}
${trial !== undefined && checksMarkup(trial)}
${look.length > 0 && html`<h4>To look at in the helpdesk</h4>${lookMarkup(look)}`}</div>
<ol class="thread">${
    conversation.entries.length === 0
      ? html`<li class="event">No messages</li>`
      : conversation.entries.map(entryMarkup)
  }</ol>
</article>
`;
}

/** Checks that failed stand open; those that passed are counted, and listed on demand. */
function checksMarkup({ checks }: TrialTicket): Markup {
  const list = (ok: boolean) =>
    checks
      .filter((check) => check.ok === ok)
      .slice(0, MOST_CHECKS)
      .map(
        ({ name, detail }) =>
          html`<li class="${ok ? 'passed' : 'missed'}"><span><span class="unseen">${ok ? 'passed' : 'failed'}: </span>${value(name)}: <span class="soft">${value(detail)}</span></span></li>`,
      );
  const [passed, failed] = [list(true), list(false)];
  return html`${failed.length > 0 && html`<ul class="checks">${failed}</ul>`}${
    passed.length > 0 &&
    html`<details class="numbers checked"><summary>${countOf(passed.length, 'check')} passed</summary><ul class="checks">${passed}</ul></details>`
  }`;
}

function personMarkup(name: string | undefined, email: string | undefined): Markup {
  if (name === undefined) return html`${email !== undefined && value(email)}`;
  return html`${value(name)}${email !== undefined && html` <span class="soft">${value(email)}</span>`}`;
}

function entryMarkup(entry: ConversationEntry): Markup {
  if (entry.kind === 'gap')
    return html`<li class="event">${formatCount(entry.entries)} more messages and events are not shown here</li>\n`;
  if (entry.kind === 'message') return messageMarkup(entry);
  const { what, before, after, author, occurredAt } = entry;
  const change =
    before === undefined && after === undefined
      ? ''
      : html` ${value(before ?? '–', 120)} → ${value(after ?? '–', 120)}`;
  return html`<li class="event">${value(what)}${change} · ${author} · ${time(occurredAt)}</li>\n`;
}

/** A message of this many characters takes all the width it may; a frame cannot say how wide its text is. */
const WIDE = 60;

function messageMarkup(message: ConversationMessage): Markup {
  const { author, isInternal, name, email, occurredAt, contentType, content, cutFrom } = message;
  const known = name ?? email;
  const isNamed = author !== 'system' && known !== undefined;
  const who = isNamed ? value(known, 120) : `${author.charAt(0).toUpperCase()}${author.slice(1)}`;
  const wide = contentType !== 'text' || content.length > WIDE ? ' wide' : '';
  return html`<li class="message ${author}${wide}${isInternal && ' internal'}"><div class="by"><b>${who}</b>${isNamed && html`<span class="soft">${author}</span>`}${
    isInternal && html`<span class="tag warn">internal note</span>`
  }${contentType !== 'text' && html`<span class="tag">${contentType === 'html' ? 'HTML' : 'Markdown'}</span>`}${time(occurredAt)}</div>
${messageBody(content, contentType, `Message of the ${author}`)}
${message.pictures.length > 0 && html`<p class="pictures">${message.pictures.map((one) => html`<img src="${one}" alt="picture of this message">`)}</p>`}
${cutFrom !== undefined && html`<p class="more">The beginning of ${countOf(cutFrom, 'character')}; the whole message is sent.</p>`}
${
  message.attachments.length > 0 &&
  html`<ul class="files">${message.attachments.map(fileMarkup)}${
    message.moreAttachments > 0 && html`<li>and ${countOf(message.moreAttachments, 'more', 'more')}</li>`
  }</ul>`
}</li>\n`;
}

const CLIP = html`<svg class="clip" viewBox="0 0 16 16" aria-hidden="true"><path d="M11.5 5.5 6.7 10.3a1.3 1.3 0 0 0 1.9 1.9l5-5a2.6 2.6 0 0 0-3.7-3.7L4.7 8.7a3.9 3.9 0 0 0 5.5 5.5l4-4"/></svg>`;

function fileMarkup({ url, name, contentType, sizeBytes }: ShownAttachment): Markup {
  const label = value(name ?? (url === '' ? 'a file' : url));
  const link = /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`
    : label;
  return html`<li>${CLIP}${link} <span class="soft">${[contentType, sizeBytes === undefined ? undefined : formatBytes(sizeBytes)].filter((part) => part !== undefined).join(', ')}</span></li>`;
}

// The body of a message, html or markdown, made harmless twice: sanitized to what formats text, and shown in a sandboxed frame without
// scripts, forms or an origin of its own.
//
// A frame without scripts cannot tell its height. So the same text, escaped and invisible, stands below it in the flow
// of the page with the same measure and line height, and the frame is laid over it: it is as high as its text at any width. On paper,
// where a frame may be cut, the text itself is shown instead.

/** The frame's whole style; margins are whole lines, so that the text below the frame can follow them. */
export const FRAME_STYLE = `:root{color-scheme:light dark}
body{margin:0;color:#171b21;font:15px/22px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
p,h1,h2,h3,h4,h5,h6,ul,ol,dl,dd,pre,table,blockquote,hr{margin:0 0 22px;font-size:inherit}
body>:last-child,li>:last-child,td>:last-child,blockquote>:last-child{margin-bottom:0}
ul,ol{padding-left:1.3em}
li>ul,li>ol{margin:0}
blockquote{padding-left:.8em;border-left:3px solid #8886;opacity:.8}
pre,code,samp,kbd{font:13px/22px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap}
table{border-collapse:collapse}
td,th{padding:0 .6em 0 0;text-align:left;vertical-align:top}
samp{opacity:.75}
hr{border:0;border-top:1px solid #8886}
a{text-decoration:underline;text-decoration-style:dotted}
@media (prefers-color-scheme:dark){body{color:#e7eaee}}`;

/** `label`: what the frame is called for those who cannot see it. */
export function messageBody(content: string, contentType: ContentType, label: string): Markup {
  if (contentType === 'text') return html`<div class="body" dir="auto">${content}</div>`;
  const body = documentText(sanitizedBody(content, contentType, 'document'));
  const document = `<!doctype html><html lang="" dir="auto"><meta charset="utf-8"><title>Message</title><style>${FRAME_STYLE}</style><body dir="auto">${body}`;
  return html`<div class="body framed"><div class="below" dir="auto">${htmlLines(body)}</div><iframe title="${label}" sandbox="" referrerpolicy="no-referrer" srcdoc="${document}"></iframe></div>`;
}
