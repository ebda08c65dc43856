/** The top of the report: the verdict, where things came from and go to, and the numbers that everybody asks for. */

import { html, raw } from 'hono/html';
import { OUTCOMES, type Outcome } from '../../domain/ticket-state.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { countOf, formatBytes, formatCount, formatDay, formatDuration, formatEstimate } from '../format.ts';
import { outcomeShares } from '../terminal/outcome-table.ts';
import { lookFacts } from '../terminal/plan-view.ts';
import { cut, facts, type Markup, type Part, type Section, timeOf, value } from './page-parts.ts';
import { leftOutBecause, planOf, type ReportData } from './report-data.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const KINDS: Readonly<Record<ReportData['kind'], string>> = {
  'dry-run': 'Dry run',
  trial: 'Trial',
  run: 'Import',
  checkpoint: 'State of the import',
};

const MARKS: Readonly<Record<Verdict['tone'], string>> = {
  good: '<circle cx="15" cy="15" r="14"/><path class="mark" d="M9 15.5l4.2 4L21 11"/>',
  warn: '<path class="back" d="M15 2.5 28.5 26.5h-27z"/><path class="mark" d="M15 11v7M15 22v.2"/>',
  bad: '<circle cx="15" cy="15" r="14"/><path class="mark" d="M10.5 10.5l9 9M19.5 10.5l-9 9"/>',
};
const TONE_WORDS: Readonly<Record<Verdict['tone'], string>> = {
  good: 'Everything is in order',
  warn: 'Attention',
  bad: 'Problems',
};

/** Files that are named on the first page. */
const MOST_FILES = 2;

export function headerMarkup(data: ReportData): Markup {
  const { kind, source, target, madeAt, version, stopped, redacted, survey } = data;
  const { tone, headline, lead } = verdictOf(data);
  const files = source?.files;
  return html`<header>
<p class="eyebrow"><b>Import report</b><span class="tag">${KINDS[kind]}</span>${
    redacted && html`<span class="tag warn">Personal data hidden</span>`
  }</p>
<div class="verdict ${tone}"><svg viewBox="0 0 30 30" role="img" aria-label="${TONE_WORDS[tone]}">${raw(MARKS[tone])}</svg><h1>${headline}</h1></div>
${lead.length > 0 && html`<p class="lead">${lead.join(' ')}</p>`}
${
  stopped !== undefined &&
  html`<p class="stopped"><b>${cut(stopped.message, 240)}</b>${stopped.hint !== undefined && html`<br>${cut(stopped.hint, 160)}`}</p>`
}
${facts([
  files !== undefined && {
    label: 'From',
    value: html`${files.rows.slice(0, MOST_FILES).map((file, index) => [index > 0 && ', ', value(file, 50)])}${
      files.total > MOST_FILES && ` and ${formatCount(files.total - MOST_FILES)} more`
    } <span class="tag">${source?.layout}</span>`,
  },
  target !== undefined && { label: 'To', value: value(target) },
  survey?.firstCreatedAt !== undefined &&
    survey.lastCreatedAt !== undefined && {
      label: 'Tickets created',
      value: `${formatDay(survey.firstCreatedAt)} to ${formatDay(survey.lastCreatedAt)}`,
    },
  data.plan !== undefined && {
    label: 'Plan',
    value: html`${value(data.plan.path, 50)}, digest ${value(data.plan.digest, 64)}`,
  },
  { label: 'Report made', value: html`${timeOf(madeAt)}, version ${version}` },
])}
</header>`;
}

/** Reasons for leaving tickets out that are named on the first page. */
const MOST_REASONS = 4;

export function outcomeSection(data: ReportData): Section {
  const { tickets, kind } = data;
  const skippedBecause = leftOutBecause(data);
  const isDry = kind === 'dry-run';
  const order: readonly Outcome[] = ['done', 'pending', 'skipped', 'inDoubt', 'failed', 'rejected'];
  const shown = order.filter((outcome) => tickets[outcome] > 0);
  const word = (outcome: Outcome) =>
    outcome === 'pending' && isDry ? 'ready to import' : OUTCOME_VIEWS[outcome].word;
  const meaning = (outcome: Outcome) => {
    const { meaningInReport: usual, meaningInDryReport = usual } = OUTCOME_VIEWS[outcome];
    return isDry ? meaningInDryReport : usual;
  };
  const shares = outcomeShares(tickets);
  const rows = OUTCOMES.filter((outcome) => shown.includes(outcome)).map(
    (outcome) =>
      html`<tr><th scope="row"><i class="swatch tone-${OUTCOME_VIEWS[outcome].tone}"></i>${word(outcome)}</th><td class="number">${formatCount(tickets[outcome])}</td><td class="number soft share">${shares.get(outcome)}</td><td class="remark">${meaning(outcome)}</td></tr>\n`,
  );
  return {
    id: 'outcome',
    title: isDry ? 'What would become of the tickets' : 'What became of the tickets',
    content: html`${outcomeBar(shown, data)}
<div class="scroll" role="group" aria-label="Tickets by outcome" tabindex="0"><table class="outcomes"><caption class="unseen">Tickets by outcome</caption>
<thead><tr><th scope="col">Outcome</th><th scope="col" class="number">Tickets</th><th scope="col" class="number share">Share</th><th scope="col" class="remark">Meaning</th></tr></thead>
<tbody>${rows}<tr class="sum"><th scope="row">read</th><td class="number">${formatCount(tickets.read)}</td><td class="share"></td><td></td></tr></tbody></table></div>
${
  skippedBecause.length > 0 &&
  html`<p class="more">Left out: ${skippedBecause
    .slice(0, MOST_REASONS)
    .map(({ reason, count }, index) => [
      index > 0 && ', ',
      `${formatCount(count)} `,
      value(reason, 60),
    ])}${skippedBecause.length > MOST_REASONS && ', and for other reasons'}.</p>`
}
${tiles(data)}`,
  };
}

function outcomeBar(shown: readonly Outcome[], { tickets }: ReportData): Markup {
  if (tickets.read === 0) return html``;
  const total = shown.reduce((sum, outcome) => sum + Math.max(tickets[outcome], tickets.read / 250), 0);
  let x = 0;
  const boxes = shown.map((outcome) => {
    // A single ticket of a million is still to be seen.
    const width = (Math.max(tickets[outcome], tickets.read / 250) / total) * 100;
    const box = html`<rect class="tone-${OUTCOME_VIEWS[outcome].tone}" x="${x.toFixed(3)}%" width="${width.toFixed(3)}%" y="-2" height="22"><title>${OUTCOME_VIEWS[outcome].word}: ${formatCount(tickets[outcome])}</title></rect>`;
    x += width;
    return box;
  });
  return html`<svg class="bar" aria-hidden="true">${boxes}</svg>`;
}

interface Tile {
  readonly label: string;
  readonly number: string;
  readonly remarks: readonly (string | false)[];
}

function tiles(data: ReportData): Part {
  const shown = [...contentTiles(data), ...workTiles(data)];
  if (shown.length === 0) return html``;
  return html`<dl class="tiles">${shown.map(
    ({ label, number, remarks }) =>
      html`<div><dt>${label}</dt><dd><b>${number}</b>${remarks
        .filter((remark) => remark !== false)
        .map((remark) => html`<span>${remark}</span>`)}</dd></div>`,
  )}</dl>`;
}

function contentTiles({ survey, sent, attachmentChecks, mergedContacts, kind }: ReportData): Tile[] {
  if (survey === undefined) return [];
  const { messages, events, attachments, contacts, orphans } = survey;
  const merged = mergedContacts?.total ?? contacts.merged;
  const isSent = sent !== undefined && kind !== 'dry-run';
  return [
    {
      label: 'Messages',
      number: formatCount(messages.read),
      remarks: [
        isSent && `${formatCount(sent.messages)} sent`,
        messages.internal > 0 && countOf(messages.internal, 'internal note'),
        orphans.messages > 0 && `${formatCount(orphans.messages)} without their ticket`,
      ],
    },
    {
      label: 'Events',
      number: formatCount(events.read),
      remarks: [
        isSent && `${formatCount(sent.events)} sent`,
        orphans.events > 0 && `${formatCount(orphans.events)} without their ticket`,
      ],
    },
    {
      label: 'Contacts',
      number: formatCount(contacts.distinct),
      remarks: [merged > 0 && `${formatCount(merged)} with several names`],
    },
    {
      label: 'Attachments',
      number: formatCount(attachments.read),
      remarks: [
        attachments.bytes > 0 && formatBytes(attachments.bytes),
        attachmentChecks !== undefined &&
          attachmentChecks.checked > 0 &&
          `${formatCount(attachmentChecks.checked)} checked, ${formatCount(attachmentChecks.unreachable)} unreachable`,
      ],
    },
  ];
}

function workTiles(data: ReportData): Tile[] {
  const { requests, durationMs, kind, look } = data;
  const plan = planOf(data);
  const tiles: Tile[] = [];
  if (kind !== 'dry-run' && requests !== undefined)
    tiles.push({
      label: 'Requests',
      number: formatCount(requests.sent),
      remarks: [
        requests.retried > 0 && `${formatCount(requests.retried)} of them again`,
        requests.rateLimited > 0 && `${formatCount(requests.rateLimited)} turned away by the rate limit`,
      ],
    });
  if (look?.target !== undefined)
    tiles.push({
      label: 'In the target',
      number: look.tickets === undefined ? '?' : formatCount(look.tickets.ofSource),
      remarks: lookFacts(look).map(({ label, text }) => (label === '' ? text : `${label}: ${text}`)),
    });
  if (kind === 'run' && durationMs !== undefined)
    tiles.push({ label: 'Time taken', number: formatDuration(durationMs), remarks: [] });
  if (plan !== undefined) {
    tiles.push({
      label: kind === 'dry-run' ? 'Requests needed' : 'Requests to come',
      number: formatCount(plan.requests.total),
      remarks: [
        `${countOf(plan.requests.creates, 'ticket')} in ${countOf(plan.batches.count, 'batch', 'batches')} of ${formatCount(plan.batches.size)}`,
      ],
    });
    if (plan.estimatedSeconds !== undefined)
      tiles.push({
        label: 'Time needed',
        number: formatEstimate(plan.estimatedSeconds * 1000),
        remarks: ['at least, within the rate limit'],
      });
  }
  return tiles;
}

export function nextSection({ next }: ReportData): Section | undefined {
  if (next.length === 0) return undefined;
  return {
    id: 'next',
    title: 'What to do next',
    content: html`<ol class="steps">${next.map(
      ({ text, settings, command }) =>
        html`<li><span class="plainly">${text}</span>${settings !== undefined && html`<pre>${settings.join('\n')}</pre>`}${command !== undefined && html`<code>${command}</code>`}</li>`,
    )}</ol>`,
  };
}
