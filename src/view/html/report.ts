/**
 * The report as one HTML file. Its policy allows its two stylesheets by digest, so even markup that got past the sanitizer can
 * do nothing.
 */
import { html, raw } from 'hono/html';
import { formatCount } from '../../domain/printable.ts';
import type { Facts } from '../../plan/facts.ts';
import type { Block } from '../blocks.ts';
import type { Markup } from '../conversation/thread.ts';
import { formatMinute } from '../format.ts';
import { redactView } from '../redact.ts';
import type { Samples, View } from '../run-view.ts';
import { pageBlocks } from '../sections.ts';
import { verdictOf } from '../verdict.ts';
import { blocksMarkup, type Section, sectionMarkup, sectionsOf } from './blocks.ts';
import { documentTexts } from './conversation.ts';
import { pageMarkup, REPORT_STYLE, stylesOf } from './page.ts';

/** The program may write over its own reports. */
export const GENERATOR = 'helpdesk-import report';

const POLICY = [
  "default-src 'none'",
  stylesOf(REPORT_STYLE),
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
  readonly complete?: (text: string) => string;
}

export function renderReport(given: View, about: Page): string {
  const { version, madeAt, isRedacted = false, mostBytes = MOST_BYTES, complete = (text) => text } = about;
  const whole = documentTexts(isRedacted ? redactView(given) : given);
  const { facts, samples } = whole;
  const view = samples === undefined ? whole : { ...whole, samples: fitting(samples, mostBytes) };
  const made = `${formatMinute(new Date(madeAt).toISOString())}, version ${version}`;
  const page = pageBlocks(view, made);
  const decision = sectionsOf(withCommands(page.decision, complete));
  const evidence = sectionsOf(withCommands(page.evidence, complete)).sections;
  const head = html`<meta name="generator" content="${GENERATOR}">
<meta http-equiv="Content-Security-Policy" content="${raw(POLICY)}">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
`;
  const body = html`<a class="skip" href="#outcome">Skip to the report</a>
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
</div>`;
  const title = `${verdictOf(facts).headline.replace(/\.$/, '')} · Import report`;
  return String(pageMarkup(title, REPORT_STYLE, head, body));
}

function withCommands(blocks: readonly Block[], complete: (text: string) => string): Block[] {
  return blocks.map((block): Block => {
    if (block.kind === 'paragraph' && typeof block.text === 'string' && block.look !== 'example')
      return { ...block, text: complete(block.text) };
    if (block.kind !== 'list') return block;
    const items = block.items.map((item) => ({
      ...item,
      below: item.below && withCommands(item.below, complete),
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
