/**
 * The report as one HTML file: no script, no request to anywhere, readable on a phone, on paper and aloud. Pure.
 *
 * The policy in its head allows its two stylesheets by their digests and nothing else, for the page and for the frames
 * in which bodies are shown (a `srcdoc` frame inherits it); so even markup that got past the sanitizer could do nothing.
 */
import { hash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { formatCount } from '../format.ts';
import { attachmentSection, contactsSection, mappingSection, ticketsSection } from './content-sections.ts';
import { conversationSection, FRAME_STYLE } from './conversation-section.ts';
import { fitReport, type Size } from './fit-report.ts';
import { headerMarkup, nextSection, outcomeSection } from './overview.ts';
import { documentTexts, type Markup, type Section, sectionMarkup } from './page-parts.ts';
import { PAGE_STYLE } from './page-style.ts';
import { doubtSection, failedSection, lossSection, problemSection } from './problem-sections.ts';
import type { ReportData } from './report-data.ts';
import { runSection } from './run-section.ts';
import { lostSection, signOffSection, verdictOf } from './verdict.ts';

/** By this the program recognises its own reports, which it may write over. */
export const GENERATOR = 'helpdesk-import report';

const POLICY = [
  "default-src 'none'",
  `style-src ${[PAGE_STYLE, FRAME_STYLE].map((style) => `'sha256-${hash('sha256', style, 'base64')}'`).join(' ')}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A report is sent by mail and opened on a phone: with so many bytes at most, whatever it is about. */
const MOST_BYTES = 200_000;

/** How much of each list and of each conversation is shown, the first that fits. */
const SIZES: readonly Size[] = [
  { rows: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY },
  { rows: 60, entries: 12, characters: 1500 },
  { rows: 30, entries: 8, characters: 600 },
  { rows: 15, entries: 5, characters: 250 },
  { rows: 8, entries: 3, characters: 120 },
  { rows: 3, entries: 1, characters: 60 },
];

export function renderReport(given: ReportData, mostBytes = MOST_BYTES): string {
  const data = documentTexts(given);
  let page = '';
  for (const size of SIZES) {
    page = pageOf(fitReport(data, size));
    if (Buffer.byteLength(page) <= mostBytes) break;
  }
  return page;
}

function pageOf(data: ReportData): string {
  const [decision, evidence] = [decisionOf(data), evidenceOf(data)];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="${GENERATOR}">
<meta http-equiv="Content-Security-Policy" content="${raw(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<title>${titleOf(data)}</title>
<link rel="icon" href="data:,">
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<a class="skip" href="#outcome">Skip to the report</a>
<div class="sheet">
${contents([...decision, ...evidence])}
<main>
<div class="decision">
${headerMarkup(data)}
${decision.map(sectionMarkup)}
</div>
${evidence.map(sectionMarkup)}
</main>
<footer>${footer(data)}</footer>
</div>
</body>
</html>
`;
  return String(page);
}

/** The first page: what there is to decide, and the line to sign. */
function decisionOf(data: ReportData): Section[] {
  return [outcomeSection(data), lostSection(data), signOffSection(data)].filter(
    (section) => section !== undefined,
  );
}

/** What the decision rests on, most urgent first. Of a trial that is the conversations: it was made to look at them. */
function evidenceOf(data: ReportData): Section[] {
  const isTrial = data.kind === 'trial';
  return [
    nextSection(data),
    isTrial && conversationSection(data),
    doubtSection(data),
    failedSection(data),
    problemSection(data),
    lossSection(data),
    mappingSection(data),
    ticketsSection(data),
    contactsSection(data),
    attachmentSection(data),
    runSection(data),
    !isTrial && conversationSection(data),
  ].filter((section) => section !== undefined && section !== false);
}

function titleOf(data: ReportData): string {
  return `${verdictOf(data).headline.replace(/\.$/, '')} · Import report`;
}

function contents(sections: readonly Section[]): Markup {
  return html`<nav aria-label="Contents"><ol>${sections.map(
    ({ id, title, count }) =>
      html`<li><a href="#${id}"><span>${title}</span>${count !== undefined && html`<span class="count">${formatCount(count)}</span>`}</a></li>`,
  )}</ol></nav>`;
}

function footer({ version, redacted, checkpoints }: ReportData): Markup {
  const where = checkpoints.map(({ path }) => path).slice(0, 5);
  return html`Made by helpdesk-import ${version}. ${
    redacted
      ? 'Addresses, names, subjects, messages and quoted values are hidden.'
      : 'It holds personal data of customers: share it with care, or make it again with --redact.'
  } Every ticket of the export is counted in exactly one outcome.${
    where.length > 0 && ` Checkpoint: ${where.join(', ')}.`
  }`;
}
