/** The pages of a trial: everything old is left, everything new is right. */

import { html, raw } from 'hono/html';
import { type Mark, PEOPLE_KEY } from '../../checkpoint/marks.ts';
import type { ContentType } from '../../domain/payload.ts';
import { countOf } from '../../domain/printable.ts';
import { say } from '../../domain/text/problem-words.ts';
import type { OldCell } from '../../source/old-cells.ts';
import {
  type Difference,
  type EventPair,
  MATTERS,
  type Pair,
  type PairedTicket,
  PER_PAGE,
  shownPairs,
} from '../../verify/pairs.ts';
import * as b from '../../view/blocks.ts';
import { cut } from '../../view/conversation/conversation.ts';
import type { Markup } from '../../view/conversation/thread.ts';
import { formatMinute } from '../../view/format.ts';
import { blocksMarkup } from '../../view/html/blocks.ts';
import { messageBody, value } from '../../view/html/conversation.ts';
import { localPage } from '../../view/html/page.ts';
import { REASONS } from '../../view/trial-words.ts';
import type { NewMessage, NewTicket } from './new-side.ts';
import type { OldTicket } from './old-side.ts';

export type Shape = 'right' | 'wrong' | 'changed' | 'none';

/** The state of the trial, at the left of every page. */
export interface DeskState {
  readonly tickets: readonly OldTicket[];
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly who?: string | undefined;
  readonly isSigned: boolean;
}

export const SIGNS: Readonly<
  Record<Shape, readonly [sign: string, tone: 'good' | 'bad' | 'warn' | 'soft', words: string]>
> = {
  right: ['✓', 'good', 'right'],
  wrong: ['✗', 'bad', 'wrong'],
  changed: ['↻', 'warn', 'changed since, look again'],
  none: ['○', 'soft', 'not looked at'],
};

export const pathOf = (externalId: string) => `/ticket/${encodeURIComponent(externalId)}`;

export function counts({ tickets, shapes }: DeskState) {
  const of = (shape: Shape) => tickets.filter(({ externalId }) => shapes.get(externalId) === shape).length;
  const [right, wrong] = [of('right'), of('wrong')];
  return { all: tickets.length, right, wrong, looked: right + wrong };
}

export function trialPage(state: DeskState, here: string, title: string, content: Markup): string {
  const { all, right, wrong, looked } = counts(state);
  const stop = (path: string, short: string, label: Markup | string, shape?: Shape) => {
    const [sign, tone, words] = shape === undefined ? ['≡', 'soft', ''] : SIGNS[shape];
    return html`<li><a href="${path}" data-short="${short}"${path === here && raw(' aria-current="page"')}><i class="${tone}" aria-hidden="true">${sign}</i>${words !== '' && html`<span class="unseen">${words}: </span>`}<span class="label">${label}</span></a></li>`;
  };
  const share = (count: number) => `${((count / Math.max(1, all)) * 100).toFixed(2)}%`;
  const nav = html`<nav class="views" aria-label="The trial"><div class="progress"><b>${looked} of ${all} looked at</b>${wrong > 0 && html` <span class="bad">· ${wrong} wrong</span>`}
<svg class="bar" width="100%" aria-hidden="true"><rect class="tone-done" x="0" y="-2" height="22" width="${share(right)}"/><rect class="tone-rejected" x="${share(right)}" y="-2" height="22" width="${share(wrong)}"/></svg></div>
<ul class="stops">${stop('/', 'All', 'Overview')}${state.tickets.map(({ externalId, subject }, at) =>
    stop(
      pathOf(externalId),
      String(at + 1),
      html`#${externalId} <bdi>${cut(subject, 80)}</bdi>`,
      state.shapes.get(externalId) ?? 'none',
    ),
  )}${stop('/people', 'Who', 'People', state.shapes.get(PEOPLE_KEY) ?? 'none')}</ul></nav>`;
  return localPage(`${title} · Trial`, nav, content);
}

/** `saw`: digests of both sides; `token`: of the form. */
export interface TicketView extends Look {
  readonly token: string;
  readonly from?: number | undefined;
  readonly complaint?: string | undefined;
}

export interface Look {
  readonly old: OldTicket;
  readonly paired?: PairedTicket | undefined;
  readonly now?: NewTicket | undefined;
  readonly readAt: number;
  /** Why the new side is empty. */
  readonly unread?: { readonly words: string; readonly mayMark: boolean } | undefined;
  readonly saw: string;
}

export function ticketContent(state: DeskState, view: TicketView): Markup {
  const { old, paired, readAt, unread, complaint } = view;
  const { externalId, why, subject } = old;
  const at = state.tickets.findIndex((ticket) => ticket.externalId === externalId) + 1;
  return html`<p class="eyebrow"><b>#<bdi>${externalId}</bdi></b><span>Ticket ${at} of ${state.tickets.length}</span>${why.length > 0 && html`<span>Shown for: ${value(why.join('; '))}</span>`}</p>
<h1 dir="auto">${subject}</h1>
${complaint !== undefined && html`<p class="bad" role="alert">${complaint}</p>`}${paired !== undefined && foundMarkup(paired)}${unread !== undefined && html`<div class="found"><b>${unread.words}</b>${!unread.mayMark && html` Nothing can be marked. <a href="${pathOf(externalId)}">Read again</a>`}</div>`}
<div class="both"><div class="sides"><p class="old"><b>Old helpdesk</b> <span class="soft">rows of the export, in their own words</span></p><div><b>New helpdesk</b> <span class="soft">read back at ${formatMinute(new Date(readAt).toISOString())}</span>${CHOICE}</div></div>
<ol class="pairs">${fieldPair(view)}${pairsMarkup(view)}${eventsMarkup(view)}</ol></div>
${unread?.mayMark !== false && markForm(state, externalId, paired === undefined ? [] : allDifferences(paired), view)}`;
}

export function allDifferences({ ticket, pairs }: PairedTicket): readonly Difference[] {
  return [...ticket, ...pairs.flatMap(({ differences }) => differences)];
}

function foundMarkup(paired: PairedTicket): Markup {
  const { ticket, pairs, passed } = paired;
  const list = [
    ...ticket.map(({ words }) => ({
      tone: 'bad' as const,
      text: [{ text: 'Ticket', to: 'fields' }, `: ${words}`],
    })),
    ...pairs.flatMap(({ n, differences }) =>
      differences.map(({ words }) => ({
        tone: 'bad' as const,
        text: [{ text: `Message ${n}`, to: `m${n}` }, `: ${words}`],
      })),
    ),
  ];
  const checks = html`<details class="checked"><summary>${countOf(passed.length, 'check')} passed</summary><p class="soft">${passed.join(', ')}</p></details>`;
  if (list.length === 0)
    return html`<div class="found"><b>No difference found.</b> Only you can see whether it reads right.${checks}</div>`;
  return html`<div class="found apart"><b>${say('{n|One difference|# differences} found', { n: list.length })}</b>${blocksMarkup([b.list('checks', list)])}${checks}</div>`;
}

const CHOICE = html`<span class="only" role="radiogroup" aria-label="Show">${[
  ['both', 'Both'],
  ['old', 'Old'],
  ['new', 'New'],
].map(
  ([name, label]) =>
    html`<label><input type="radio" name="show" value="${name}"${name === 'both' && raw(' checked')}> ${label}</label>`,
)}</span>`;

const NONE = { old: 'Not in the export', new: 'Not in the helpdesk' };
const LONG = 60;

function fieldPair({ old, now, paired }: TicketView): Markup {
  const wrong = paired?.ticket ?? [];
  const cells = (list: readonly OldCell[]) =>
    b.facts(list.map(({ column, text }) => ({ label: column, value: text })));
  const isText = ({ text }: OldCell) => text.length > LONG && /\s/.test(text) && !/^\s*[[{]/.test(text);
  const long = old.unread.filter(isText);
  const others = old.unread.filter((cell) => !isText(cell));
  return html`<li class="pair${wrong.length > 0 && ' apart'}" id="fields">
${wrong.map(({ words }) => html`<p class="bad">${words}</p>`)}
<div class="old"><p class="side">Old helpdesk</p>${blocksMarkup([cells(old.cells)])}${long.map(({ column, text }) => html`<div class="bubble unread"><p class="note-label">Not imported: <bdi>${column}</bdi></p><div class="text" dir="auto">${cut(text, 2_000)}</div></div>`)}${others.length > 0 && html`<details class="more"><summary>${countOf(others.length, 'more cell')} that no rule reads</summary>${blocksMarkup([cells(others)])}</details>`}</div>
<div class="new"><p class="side">New helpdesk</p>${now === undefined ? html`<p class="none">Not read</p>` : blocksMarkup([b.facts(now.facts)])}</div></li>\n`;
}

function pairsMarkup(view: TicketView): Markup {
  const { old, paired, now, from } = view;
  const pairs: readonly Pair[] =
    paired?.pairs ??
    old.sent.messages.map((_, sent) => ({ n: sent + 1, sent, isNote: false, differences: [] }));
  const path = pathOf(old.externalId);
  const shown = shownPairs(pairs, from);
  const last = shown.at(-1);
  const next =
    from !== undefined && last !== undefined && 'n' in last ? pairs[pairs.indexOf(last) + 1] : undefined;
  return html`${shown.map((one) =>
    'count' in one
      ? html`<li class="gap"><span>${countOf(one.count, 'message is', 'messages are')} the same in both, from message ${one.from} on. <a href="${path}?from=${one.from}">Show ${one.count > PER_PAGE ? `the first ${PER_PAGE}` : say('{count|it|them}', one)}</a></span></li>`
      : pairMarkup(one, old, now),
  )}${from !== undefined && html`<li class="gap"><span><a href="${path}">Differences and both ends</a>${next !== undefined && html` · <a href="${path}?from=${next.n}">Next ${PER_PAGE}</a>`}</span></li>`}`;
}

function pairMarkup(
  { n, sent, read, isNote, differences }: Pair,
  old: OldTicket,
  now: NewTicket | undefined,
): Markup {
  const message = sent === undefined ? undefined : old.messages[sent];
  const type = sent === undefined ? 'text' : (old.sent.messages[sent]?.contentType ?? 'text');
  const shown = read === undefined ? undefined : now?.messageOf(read);
  const noneOld = isNote ? 'Nothing in the export: helpdesk-import added this note' : NONE.old;
  return html`<li class="pair${differences.length > 0 && ' apart'}" id="m${n}">
${differences.map(({ words }) => html`<p class="bad">${words}</p>`)}
<div class="old">${message === undefined ? html`<p class="none">${noneOld}</p>` : html`<p class="side">Old helpdesk</p>${oldBubble(message.body, message.cells, type, n)}`}</div>
<div class="new">${shown === undefined ? html`<p class="none">${now === undefined ? 'Not read' : NONE.new}</p>` : html`<p class="side">New helpdesk</p>${newBubble(shown, n)}`}</div></li>\n`;
}

const EVENTS = 20;

/** Those that are not in both come first, then the others in the order of the export. */
function eventsMarkup({ old, paired, now }: TicketView): Markup | string {
  const pairs = paired?.events ?? old.events.map((_, sent) => ({ sent, read: undefined }));
  const isRead = paired?.events !== undefined && now !== undefined;
  const isApart = ({ sent, read }: EventPair) => isRead && (sent === undefined || read === undefined);
  const [apart, same] = [pairs.filter(isApart), pairs.filter((pair) => !isApart(pair))];
  const cells = (list: readonly OldCell[]) =>
    html`<p class="event">${list.map(({ column, text }) => html`<span><span class="soft"><bdi>${column}</bdi></span> ${value(text, 120)}</span>`)}</p>`;
  const none = (words: string) => html`<p class="none">${words}</p>`;
  const more = same.length - EVENTS;
  return html`${[...apart, ...same.slice(0, EVENTS)].map(
    (pair) => html`<li class="pair${isApart(pair) && ' apart'}">
<div class="old">${pair.sent === undefined ? none(NONE.old) : html`<p class="side">Old helpdesk</p>${cells(old.events[pair.sent] ?? [])}`}</div>
<div class="new">${pair.read === undefined || now === undefined ? none(isRead ? NONE.new : 'Not read') : html`<p class="side">New helpdesk</p>${cells(now.eventOf(pair.read))}`}</div></li>\n`,
  )}${more > 0 && html`<li class="gap"><span>${countOf(more, 'more event is', 'more events are')} the same in both</span></li>`}`;
}

const LONGEST_BODY = 20_000;

function oldBubble(body: string, cells: readonly OldCell[], type: ContentType, n: number): Markup {
  return html`<div class="bubble"><header>${cells.map(({ column, text }) => html`<span><span class="soft"><bdi>${column}</bdi></span> ${value(text, 120)}</span>`)}</header>
${messageBody(cut(body, LONGEST_BODY), type, `Old helpdesk: message ${n}`)}</div>`;
}

function newBubble({ name, email, role, at, isInternal, body, type, files }: NewMessage, n: number): Markup {
  return html`<div class="message ${role}${isInternal && ' internal'}"><div class="bubble">
${isInternal && html`<p class="note-label">Internal note, not visible to the customer</p>`}<header><b>${value(name)}</b>${email !== undefined && html`<span>${value(email)}</span>`}<span>${role}</span>${at !== undefined && html`<time datetime="${at}">${formatMinute(at)}</time>`}</header>
${messageBody(cut(body, LONGEST_BODY), type, `New helpdesk: message ${n}`)}${files.length > 0 && html`<ul class="files">${files.map((file) => html`<li>${value(file)}</li>`)}</ul>`}</div></div>`;
}

export function markForm(
  { who, marks }: DeskState,
  key: string,
  differences: readonly Difference[],
  form: Pick<TicketView, 'saw' | 'token'>,
): Markup {
  const mark = marks.get(key);
  const guessed = new Set<string>(
    mark?.verdict === 'wrong' ? mark.because : differences.map(({ matter }) => matter),
  );
  const path = key === PEOPLE_KEY ? '/people' : pathOf(key);
  if (who === undefined)
    return html`<p class="mark"><a class="button full" href="/">Say who you are, to mark it</a></p>`;
  const said =
    mark === undefined
      ? 'Does the right side say what the left side said?'
      : `You marked it ${mark.verdict}.`;
  return html`<form class="mark" id="mark" method="post" action="${path}" aria-label="Your mark">
<input type="hidden" name="token" value="${form.token}"><input type="hidden" name="saw" value="${form.saw}">
<p>${said} <span class="soft">Marked as ${value(who)}. <a href="/?who">Not you?</a></span></p>
<button class="button full" name="mark" value="right">✓ ${differences.length > 0 ? 'Right anyway' : 'Right'}</button>
<details><summary class="button bad">✗ Wrong, because …</summary>
<fieldset class="reasons"><legend class="unseen">What is wrong</legend>${MATTERS.map((matter) => html`<label><input type="checkbox" name="because" value="${matter}"${guessed.has(matter) && raw(' checked')}> ${REASONS.get(matter)}</label>`)}</fieldset>
<p><label for="words">In your words <span class="soft">(for the engineer; one line is enough)</span></label></p>
<textarea class="typed" id="words" name="words" rows="2" maxlength="500">${mark?.words ?? ''}</textarea>
<p><button class="button bad" name="mark" value="wrong">Mark it wrong</button></p></details></form>`;
}
