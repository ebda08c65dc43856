/**
 * The report as one HTML file: no script, no request to anywhere, readable on a phone, on paper and aloud. Pure.
 *
 * The policy in its head allows its two stylesheets by their digests and nothing else, for the page and for the frames
 * in which bodies are shown (a `srcdoc` frame inherits it); so even markup that got past the sanitizer could do nothing.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { type Markup, THREAD_STYLE } from '../conversation/thread.ts';
import { formatCount } from '../format.ts';
import { decisionBlocks, evidenceBlocks } from '../report.ts';
import type { ReportData } from '../run-view.ts';
import { verdictOf } from '../verdict.ts';
import { blocksMarkup, type Section, sectionMarkup, sectionsOf } from './blocks.ts';
import { documentTexts, FRAME_STYLE } from './conversation.ts';

/** By this the program recognises its own reports, which it may write over. */
export const GENERATOR = 'helpdesk-import report';

const PAGE_STYLE = readFileSync(new URL('report.css', import.meta.url), 'utf8') + THREAD_STYLE;

const POLICY = [
  "default-src 'none'",
  `style-src ${[PAGE_STYLE, FRAME_STYLE].map((style) => `'sha256-${hash('sha256', style, 'base64')}'`).join(' ')}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A report is sent by mail and opened on a phone: with about so many bytes of conversations at most. */
const MOST_BYTES = 120_000;

export function renderReport(given: ReportData, mostBytes = MOST_BYTES): string {
  const whole = documentTexts(given);
  const conversations = fitting(whole.conversations, mostBytes);
  const data = { ...whole, conversations };
  const decision = sectionsOf(decisionBlocks(data));
  const evidence = sectionsOf(evidenceBlocks(data)).sections;
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
<title>${verdictOf(data).headline.replace(/\.$/, '')} · Import report</title>
<link rel="icon" href="data:,">
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<a class="skip" href="#outcome">Skip to the report</a>
<div class="sheet">
${contents([...decision.sections, ...evidence])}
<main>
<div class="decision">
<header>
${eyebrow(data)}
${blocksMarkup(decision.lead)}
</header>
${decision.sections.map(sectionMarkup)}
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

/** The first conversations that fit: bodies are by far the most of a report. */
function fitting(conversations: ReportData['conversations'], most: number): ReportData['conversations'] {
  let bytes = 0;
  return conversations.filter((ticket, index) => {
    bytes += Buffer.byteLength(String(blocksMarkup([{ kind: 'conversation', ticket }])));
    return index === 0 || bytes <= most;
  });
}

const KINDS: Readonly<Record<ReportData['kind'], string>> = {
  'dry-run': 'Dry run',
  trial: 'Trial',
  run: 'Import',
  checkpoint: 'State of the import',
};

function eyebrow({ kind, redacted }: ReportData): Markup {
  return html`<p class="eyebrow"><b>Import report</b><span class="tag">${KINDS[kind]}</span>${
    redacted && html`<span class="tag warn">Personal data hidden</span>`
  }</p>`;
}

function contents(sections: readonly Section[]): Markup {
  return html`<nav aria-label="Contents"><ol>${sections.map(
    ({ heading: { id, text, count } }) =>
      html`<li><a href="#${id}"><span>${text}</span>${count !== undefined && html`<span class="count">${formatCount(count)}</span>`}</a></li>`,
  )}</ol></nav>`;
}

function footer({ version, redacted, checkpoints }: ReportData): Markup {
  return html`Made by helpdesk-import ${version}. ${
    redacted
      ? 'Addresses, names, subjects, messages and quoted values are hidden.'
      : 'It holds personal data of customers: share it with care, or make it again with --redact.'
  } Every ticket of the export is counted in exactly one outcome.${
    checkpoints.length > 0 && ` Checkpoint: ${checkpoints.slice(0, 5).join(', ')}.`
  }`;
}
