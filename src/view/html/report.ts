/**
 * The report as one HTML file. Its policy allows its two stylesheets by digest, so even markup that got past the sanitizer can
 * do nothing.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { formatCount } from '../../domain/printable.ts';
import type { Facts } from '../../plan/facts.ts';
import type { Block } from '../blocks.ts';
import { type Markup, THREAD_STYLE } from '../conversation/thread.ts';
import { formatMinute } from '../format.ts';
import { redactView } from '../redact.ts';
import { decisionBlocks, evidenceBlocks } from '../report.ts';
import type { Samples, View } from '../run-view.ts';
import { verdictOf } from '../verdict.ts';
import { blocksMarkup, type Section, sectionMarkup, sectionsOf } from './blocks.ts';
import { documentTexts, FRAME_STYLE } from './conversation.ts';

/** The program may write over its own reports. */
export const GENERATOR = 'helpdesk-import report';

const PAGE_STYLE = readFileSync(new URL('report.css', import.meta.url), 'utf8') + THREAD_STYLE;

const POLICY = [
  "default-src 'none'",
  `style-src ${[PAGE_STYLE, FRAME_STYLE].map((style) => `'sha256-${hash('sha256', style, 'base64')}'`).join(' ')}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A report is sent by mail and opened on a phone. */
const MOST_BYTES = 120_000;

interface Page {
  readonly version: string;
  readonly madeAt: number;
  readonly isRedacted?: boolean;
  readonly mostBytes?: number;
  readonly inText?: (text: string) => string;
}

export function renderReport(given: View, about: Page): string {
  const { version, madeAt, isRedacted = false, mostBytes = MOST_BYTES, inText = (text) => text } = about;
  const whole = documentTexts(isRedacted ? redactView(given) : given);
  const { facts, samples } = whole;
  const view = samples === undefined ? whole : { ...whole, samples: fitting(samples, mostBytes) };
  const made = `${formatMinute(new Date(madeAt).toISOString())}, version ${version}`;
  const decision = sectionsOf(withCommands(decisionBlocks(view, made), inText));
  const evidence = sectionsOf(withCommands(evidenceBlocks(view), inText)).sections;
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
<title>${verdictOf(facts).headline.replace(/\.$/, '')} · Import report</title>
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
${eyebrow(facts.mode, isRedacted)}
${blocksMarkup(decision.lead)}
</header>
${decision.sections.map(sectionMarkup)}
</div>
${evidence.map(sectionMarkup)}
</main>
<footer>${footer(facts, version, isRedacted)}</footer>
</div>
</body>
</html>
`;
  return String(page);
}

function withCommands(blocks: readonly Block[], inText: (text: string) => string): Block[] {
  return blocks.map((block): Block => {
    if (block.kind === 'paragraph' && typeof block.text === 'string' && block.look !== 'example')
      return { ...block, text: inText(block.text) };
    if (block.kind !== 'list') return block;
    const items = block.items.map((item) => ({
      ...item,
      below: item.below && withCommands(item.below, inText),
    }));
    return { ...block, items };
  });
}

/** Bodies are most of a report. */
function fitting(samples: Samples, most: number): Samples {
  let bytes = 0;
  const conversations = samples.conversations.filter((ticket, index) => {
    bytes += Buffer.byteLength(String(blocksMarkup([{ kind: 'conversation', ticket }])));
    return index === 0 || bytes <= most;
  });
  return { ...samples, conversations };
}

const KINDS: Readonly<Record<Facts['mode'], string>> = {
  'dry-run': 'Dry run',
  trial: 'Trial',
  run: 'Import',
  checkpoint: 'State of the import',
};

function eyebrow(mode: Facts['mode'], isRedacted: boolean): Markup {
  return html`<p class="eyebrow"><b>Import report</b><span class="tag">${KINDS[mode]}</span>${
    isRedacted && html`<span class="tag warn">Personal data hidden</span>`
  }</p>`;
}

function contents(sections: readonly Section[]): Markup {
  return html`<nav aria-label="Contents"><ol>${sections.map(
    ({ heading: { id, text, count } }) =>
      html`<li><a href="#${id}"><span>${text}</span>${count !== undefined && html`<span class="count">${formatCount(count)}</span>`}</a></li>`,
  )}</ol></nav>`;
}

function footer({ createdAt, checkpoint }: Facts, version: string, isRedacted: boolean): Markup {
  return html`Made by helpdesk-import ${version}. ${
    isRedacted
      ? 'Addresses, names, subjects, messages and quoted values are hidden.'
      : 'It holds personal data of customers: share it with care, or make it again with --redact.'
  } Every ticket of the export is counted in exactly one outcome.${
    createdAt !== undefined && ` Checkpoint: ${checkpoint}.`
  }`;
}
